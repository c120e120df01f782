// Sums of absolute differences: the one pairing that is not a matrix product.
#include "kernels.hpp"
#include "lanes.hpp"

namespace svsieve::SVSIEVE_ISA {

void absolute_distances(std::size_t length, const double* x, const double* columns,
                        std::size_t width, double* out) {
    std::size_t j = 0;
    for (; j + 4 * lanes <= width; j += 4 * lanes) {
        Lanes sum[4] = {};
        for (std::size_t l = 0; l < length; ++l) {
            const Lanes a = spread(x[l]);
            const double* c = columns + l * width + j;
            for (std::size_t q = 0; q < 4; ++q) sum[q] += magnitude(a - load(c + q * lanes));
        }
        for (std::size_t q = 0; q < 4; ++q) store(out + j + q * lanes, sum[q]);
    }
    for (; j < width; ++j) {
        double sum = 0.0;
        for (std::size_t l = 0; l < length; ++l)
            sum += __builtin_fabs(x[l] - columns[l * width + j]);
        out[j] = sum;
    }
}

}  // namespace svsieve::SVSIEVE_ISA
