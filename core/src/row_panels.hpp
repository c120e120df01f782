// Products of all rows of a table with each other.
#pragma once

#include <cstddef>

#include "scratch.hpp"
#include "svsieve/views.hpp"

namespace svsieve {

// A copy of a table in which the rows of a panel stand side by side, entry after entry, as the
// products read them. A BLAS does the same inside, as fast, but only on processors that it knows: one
// that is newer than the BLAS gets the loops of an old one, at half the speed. With vectors of two
// numbers the BLAS is left to it.
class RowPanels {
  public:
    // Columns that are packed at a time, so that the copy stays small beside a large table.
    static std::size_t columns_at_a_time(std::size_t rows);

    explicit RowPanels(Matrix x);

    // out(i - r0, j) = factor x_i'x_j for j <= i in [r0, r1), or that added to it. What stands right
    // of the diagonal, up to column r1, is lost.
    void multiply_lower(double factor, std::size_t r0, std::size_t r1, bool add,
                        MutableMatrix out) const;

  private:
    Matrix x_;
    std::size_t width_;  // rows in a panel; 0 where the BLAS multiplies
    Scratch<double> panels_;
};

}  // namespace svsieve
