#include "gathered.hpp"

#include <algorithm>
#include <cmath>

#include "vector/kernels.hpp"

namespace svsieve {

namespace {

// x_0 + mean(x - x_0) of each column: of equal numbers exactly these.
std::vector<double> means_of(const ColumnBlock& block) {
    const double* first = block.table.row(block.rows[0]);
    std::vector<double> means(block.columns.size(), 0.0);
    for (const std::size_t k : block.rows) {
        const double* source = block.table.row(k);
        for (std::size_t l = 0; l < means.size(); ++l) {
            means[l] += source[block.columns[l]] - first[block.columns[l]];
        }
    }
    for (std::size_t l = 0; l < means.size(); ++l) {
        means[l] = first[block.columns[l]] + means[l] / static_cast<double>(block.rows.size());
    }
    return means;
}

}  // namespace

Gathered::Gathered(const ColumnBlock& block, double factor, std::size_t lanes, bool centred)
    : rows(block.rows.size()),
      columns(block.columns.size()),
      stride(padded(columns, lanes)),
      values(rows * stride) {
    std::vector<double> origin(columns, 0.0), factors(columns);
    if (centred && rows > 0) origin = means_of(block);
    for (std::size_t l = 0; l < columns; ++l) factors[l] = factor * block.factors[l];
    for (std::size_t k = 0; k < rows; ++k) {
        const double* source = block.table.row(block.rows[k]);
        double* target = values.data() + k * stride;
        for (std::size_t l = 0; l < columns; ++l) {
            target[l] = factors[l] * (source[block.columns[l]] - origin[l]);
        }
        std::fill(target + columns, target + stride, 0.0);
    }
}

std::vector<double> Gathered::largest_entries() const {
    std::vector<double> largest(stride, 0.0);
    for (std::size_t k = 0; k < rows; ++k) {
        for (std::size_t l = 0; l < stride; ++l) {
            largest[l] = std::max(largest[l], std::abs(row(k)[l]));
        }
    }
    return largest;
}

std::vector<double> Gathered::power_sums(const std::vector<const double*>& weights,
                                         PowersOf x) const {
    std::vector<double> sums(weights.size() * stride, 0.0);
    vector_kernels().power_sums(rows, stride, row(0), x, weights.size(), weights.data(),
                                sums.data());
    return sums;
}

}  // namespace svsieve
