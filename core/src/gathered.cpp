#include "gathered.hpp"

#include <algorithm>
#include <cmath>

#include "vector/kernels.hpp"

namespace svsieve {

void Gathered::centre() {
    std::vector<double> means(stride, 0.0);
    for (std::size_t k = 0; k < rows; ++k) {
        for (std::size_t l = 0; l < stride; ++l) means[l] += row(k)[l] / static_cast<double>(rows);
    }
    for (std::size_t k = 0; k < rows; ++k) {
        for (std::size_t l = 0; l < stride; ++l) values[k * stride + l] -= means[l];
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
                                         bool squared) const {
    std::vector<double> sums(weights.size() * stride, 0.0);
    vector_kernels().power_sums(rows, stride, row(0), squared, weights.size(), weights.data(),
                                sums.data());
    return sums;
}

}  // namespace svsieve
