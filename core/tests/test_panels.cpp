// Products by panels, for every instruction set of this machine, against plain loops.
#include <algorithm>
#include <limits>
#include <type_traits>

#include "testing.hpp"
#include "vector/kernels.hpp"

using namespace svsieve;

namespace {

constexpr double coefficients[] = {1.0, 0.5, 0.25};
constexpr EntryFunction cubic{3, 3, coefficients};

double value(double z) {
    return z * z * z * (1.0 + 0.5 * z * z + 0.25 * z * z * z * z);
}

std::size_t padded(std::size_t rows) {
    return (rows + row_padding - 1) / row_padding * row_padding;
}

// The forms of the rows [first, n) of a lower triangle, in either precision, `block` columns of it at a
// time. What stands too far right of the diagonal is not read.
template <class T>
void compare_forms(const VectorKernels& kernels, std::size_t n, std::size_t first,
                   std::size_t vectors, std::size_t block, double tolerance) {
    const std::size_t width = vectors * kernels.lane_count * sizeof(double) / sizeof(T);
    const std::size_t rows = padded(n), stride = rows;
    const auto z = testing::normal_table(n, width, 1);
    const auto weights = testing::normal_table(n, n, 2);
    const std::vector<double> scale(width, 0.125), zeros(width, 0.0);
    std::vector<T> panels(rows * width), a(padded(n - first) * stride, T(0));
    for (std::size_t k = 0; k < rows; ++k) {
        const double* entries = k < n ? z.data() + k * width : zeros.data();
        if constexpr (std::is_same_v<T, float>) {
            kernels.narrow_panel_row(cubic, width, entries, scale.data(), rows, k, panels.data());
        } else {
            kernels.panel_row(cubic, width, entries, scale.data(), rows, k, panels.data());
        }
    }
    for (std::size_t k = first; k < n; ++k) {
        for (std::size_t j = 0; j <= k; ++j)
            a[(k - first) * stride + j] = static_cast<T>(weights[k * n + j]);
        for (std::size_t j = padded(k + 1); j < stride; ++j)
            a[(k - first) * stride + j] = std::numeric_limits<T>::quiet_NaN();
    }
    std::vector<double> sums(width, 1.0);
    for (std::size_t from = 0; from < n; from += block) {
        const StripForms<T> strip{a.data() + from,           stride,        first, n,    from,
                                  std::min(from + block, n), panels.data(), rows,  width};
        if constexpr (std::is_same_v<T, float>) {
            kernels.narrow_strip_forms(strip, sums.data());
        } else {
            kernels.strip_forms(strip, sums.data());
        }
    }
    for (std::size_t l = 0; l < width; ++l) {
        double sum = 1.0, magnitude = 1.0;
        for (std::size_t k = first; k < n; ++k) {
            for (std::size_t j = 0; j <= k; ++j) {
                const double part =
                    weights[k * n + j] * value(z[k * width + l]) * value(z[j * width + l]) / 64.0;
                sum += part;
                magnitude += std::abs(part);
            }
        }
        CHECK(std::abs(sums[l] - sum) <= tolerance * magnitude);
    }
}

}  // namespace

TEST(quadratic_forms_by_panels_match_plain_loops) {
    for (const auto* kernels : testing::available_kernels()) {
        for (const std::size_t n : {1, 7, 8, 61}) {
            for (std::size_t vectors = 1; vectors <= 7; ++vectors) {
                compare_forms<double>(*kernels, n, 0, vectors, n, 1e-14);
                compare_forms<float>(*kernels, n, 0, vectors, n, 1e-6);
            }
        }
        // a strip that does not begin with the first row, longer than one run of sums
        for (const std::size_t block : {16, 128, 400}) {
            compare_forms<double>(*kernels, 256 + 133, 128, 2, block, 1e-14);
            compare_forms<float>(*kernels, 256 + 133, 128, 2, block, 1e-6);
        }
    }
}
