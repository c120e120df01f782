// What the contractions share: gathered columns, and sums by row blocks.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "scratch.hpp"
#include "svsieve/contract.hpp"
#include "svsieve/views.hpp"
#include "vector/kernels.hpp"

namespace svsieve {

// `count`, or the next multiple of `whole`.
inline std::size_t padded(std::size_t count, std::size_t whole) {
    return (count + whole - 1) / whole * whole;
}

// The power of two that brings a magnitude into [1, 2); 1 for what has none.
inline double normalising(double magnitude) {
    if (!(magnitude >= 0x1p-1022) || !std::isfinite(magnitude)) return 1.0;
    return std::ldexp(1.0, -std::ilogb(magnitude));
}

// Some of the columns of a block.
class PickedColumns {
  public:
    PickedColumns(const ColumnBlock& block, Indices positions) : whole_(block) {
        for (const std::size_t at : positions) {
            columns_.push_back(block.columns[at]);
            factors_.push_back(block.factors[at]);
        }
    }
    ColumnBlock block() const { return {whole_.table, whole_.rows, columns_, factors_}; }

  private:
    ColumnBlock whole_;
    std::vector<std::size_t> columns_;
    std::vector<double> factors_;
};

// The columns [c0, c1) of a block.
inline ColumnBlock part_of(const ColumnBlock& block, std::size_t c0, std::size_t c1) {
    return {block.table, block.rows, block.columns.subspan(c0, c1 - c0),
            block.factors.subspan(c0, c1 - c0)};
}

// How many columns of so many rows are gathered at a time.
inline std::size_t columns_at_a_time(std::size_t rows) {
    return std::clamp<std::size_t>((std::size_t{1} << 22) / rows, 192, 2048);
}

// The picked rows and columns, scaled, each row padded with zeros to whole vectors.
struct Gathered {
    std::size_t rows, columns, stride;
    Scratch<double> values;

    // Each column about its mean if it is to be centred. The mean is taken off before scaling: what
    // is left is good to its last digit however far from zero a column lies, and a constant is zero.
    Gathered(const ColumnBlock& block, double factor, std::size_t lanes, bool centred);

    const double* row(std::size_t k) const { return values.data() + k * stride; }
    void scale(std::size_t c0, std::size_t c1, double factor) {
        for (std::size_t k = 0; k < rows; ++k) {
            for (std::size_t l = c0; l < c1; ++l) values[k * stride + l] *= factor;
        }
    }
    // Largest magnitude in each column.
    std::vector<double> largest_entries() const;
    // sum_k weights_i,k x_k^(i + 1) for each weight, x of z, `stride` numbers each.
    std::vector<double> power_sums(const std::vector<const double*>& weights, PowersOf x) const;
};

// Row-block sums, kept apart and added in order: the result is the same for any number of threads.
struct BlockSums {
    std::size_t width;
    std::vector<double> values;

    BlockSums(std::size_t blocks, std::size_t width_)
        : width(width_), values(blocks * width_, 0.0) {}
    double* of(std::size_t block) { return values.data() + block * width; }
    void add_to(MutableVector out) const {
        for (std::size_t start = 0; start < values.size(); start += width) {
            for (std::size_t l = 0; l < out.size(); ++l) out[l] += values[start + l];
        }
    }
};

// Operations for all pairs of a lower triangle and all columns.
inline double pair_work(std::size_t rows, std::size_t columns) {
    return 0.5 * static_cast<double>(rows) * static_cast<double>(rows) *
           static_cast<double>(columns);
}

}  // namespace svsieve
