// Weights, gradients and products of rows of a table on the columns left, in twice the precision.
//
// Everything is computed from the table itself, whose rows are taken relative to the first one: that
// difference of two doubles is known exactly. Coefficients that sum to zero have the same weights on
// it, and the same gradient up to a constant. Products among rows are computed where they are asked
// for; columns that go are subtracted, which costs few of the 32 digits.
#pragma once

#include <cstddef>
#include <vector>

#include "double_double.hpp"
#include "svsieve/views.hpp"

namespace svsieve {

// A vector of numbers of twice the precision, padded with zeros.
struct TwofoldVector {
    std::vector<double> hi, lo;

    void assign(std::size_t count);
    DoubleDouble operator[](std::size_t k) const { return {hi[k], lo[k]}; }
    void set(std::size_t k, DoubleDouble value) {
        hi[k] = value.hi;
        lo[k] = value.lo;
    }
};

class RefinedProducts {
  public:
    // x must outlive this.
    RefinedProducts(Matrix x, const std::vector<std::size_t>& columns);

    std::size_t rows() const { return x_.rows; }
    // Those left.
    const std::vector<std::size_t>& columns() const { return columns_; }
    void forget(const std::vector<std::size_t>& columns);

    // Largest entry of each column left.
    std::vector<double> spans() const;

    // w = sum_i b_i x_i, one number per column left.
    void weigh(const std::vector<DoubleDouble>& b, TwofoldVector& w) const;
    // g_i = x_i'w for every row. Returns the largest |x_i|^2.
    double project(const TwofoldVector& w, std::vector<DoubleDouble>& g) const;

    // Multiplications that `cover` would take.
    double price(const std::vector<std::size_t>& rows) const;
    // From now on the products among these rows are known.
    void cover(const std::vector<std::size_t>& rows);
    DoubleDouble product(std::size_t i, std::size_t k) const;
    // Their rounding comes to so much at most, in units of 2^-100: the diagonal when it was built.
    double scale(std::size_t i) const { return scales_[place_[i]]; }

    // To or from a state_archive.hpp.
    template <class Archive>
    void exchange(Archive& archive) {
        archive.indices(columns_, x_.columns);
        archive.indices(pending_, x_.columns);
        archive.indices(covered_, x_.rows);
        archive.vector(scales_);
        archive.number(built_with_);
        if constexpr (Archive::reads) {
            archive.require(scales_.size() == covered_.size());
            products_.resize(covered_.size());
            for (std::size_t k = 0; k < covered_.size(); ++k) {
                place_[covered_[k]] = k;
                products_[k].assign(k + 1);
            }
        }
        for (TwofoldVector& row : products_) {
            archive.fixed(row.hi);
            archive.fixed(row.lo);
        }
    }

  private:
    void pack(std::size_t row, const std::size_t* columns, std::size_t count, double* hi,
              double* lo) const;
    void add_products(const std::vector<std::size_t>& columns, std::size_t first, double sign);
    void catch_up();

    Matrix x_;
    std::vector<std::size_t> columns_;
    std::vector<std::size_t> pending_;  // gone, but still in the products
    std::vector<std::size_t> place_;    // of every row among those covered
    std::vector<std::size_t> covered_;
    std::vector<double> scales_;           // of the rows covered
    std::vector<TwofoldVector> products_;  // row by row, up to the diagonal
    std::size_t built_with_ = 0;           // columns
};

}  // namespace svsieve
