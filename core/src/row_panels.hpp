// Products of all rows of a table with each other.
#pragma once

#include <cstddef>
#include <vector>

#include "scratch.hpp"
#include "svsieve/views.hpp"

namespace svsieve {

// x_i'x_i of each row, entry after entry.
std::vector<double> squared_norms(Matrix x);

// A copy of a table in which the rows of a panel stand side by side, entry after entry, as the
// products read them. A BLAS does the same inside, but is fast only on processors that it knows: one
// that is newer gets the loops of an old one, at half the speed. With vectors of two numbers nothing is
// copied and the BLAS multiplies.
//
// Each product is summed in the same order wherever its rows stand, the norms too: equal rows have
// equal products, and their distance is exactly zero. What a BLAS does is its own affair.
class RowPanels {
  public:
    // Rows of the lower triangle that are multiplied at a time, and columns of the table that are
    // copied at a time, so that the copy stays small beside a large table.
    static std::size_t rows_at_a_time();
    static std::size_t columns_at_a_time(Matrix x);

    // `work` estimates the operations that the copy is made for.
    RowPanels(Matrix x, double work);

    // norms[i] += x_i'x_i
    void add_norms(std::vector<double>& norms) const;
    // out(i - r0, j) = x_i'x_j for j <= i in [r0, r1), or that added to it. What stands right of the
    // diagonal, up to column r1, is lost.
    void multiply_lower(std::size_t r0, std::size_t r1, bool add, MutableMatrix out) const;

  private:
    void pack(std::size_t first);
    // Calls task(l0, depth) for columns whose products are summed before they are added to others;
    // once where there is no column at all.
    template <class Task>
    void each_run(Task task) const;

    Matrix x_;
    std::size_t width_;  // rows in a panel; 0 where the BLAS multiplies
    Scratch<double> panels_;
};

}  // namespace svsieve
