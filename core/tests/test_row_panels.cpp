// Products of rows with rows, for every instruction set of this machine, against plain loops.
#include "row_panels.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "testing.hpp"
#include "vector/kernels.hpp"

using namespace svsieve;

namespace {

void compare_products(const VectorKernels& kernels, std::size_t rows, std::size_t depth,
                      std::size_t width, bool add) {
    const std::size_t whole = panel_vectors * kernels.lane_count, stride = depth + 3,
                      out_stride = width + 1;
    const auto a = testing::normal_table(rows, stride, 1);
    const auto panel = testing::normal_table(depth + 1, whole, 2);
    const auto before = testing::normal_table(rows, out_stride, 3);
    auto out = before;
    kernels.row_products({a.data(), stride, rows, depth, panel.data(), panel.data(), width, add,
                          out.data(), out_stride});
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < width; ++c) {
            double sum = 0.0, magnitude = 1.0;
            for (std::size_t l = 0; l < depth; ++l) {
                sum += a[r * stride + l] * panel[l * whole + c];
                magnitude += std::abs(a[r * stride + l] * panel[l * whole + c]);
            }
            const double expected = (add ? before[r * out_stride + c] : 0.0) + sum;
            CHECK(std::abs(out[r * out_stride + c] - expected) <= 1e-15 * magnitude);
        }
        CHECK(out[r * out_stride + width] == before[r * out_stride + width]);
    }
}

}  // namespace

TEST(products_with_a_panel_match_plain_loops) {
    for (const auto* kernels : testing::available_kernels()) {
        const std::size_t whole = panel_vectors * kernels->lane_count;
        for (const std::size_t rows : {1, 3, 4, 8, 9, 21}) {
            for (const std::size_t depth : {std::size_t{0}, std::size_t{1}, product_depth}) {
                for (const std::size_t width : {std::size_t{1}, whole - 1, whole}) {
                    compare_products(*kernels, rows, depth, width, false);
                    compare_products(*kernels, rows, depth, width, true);
                }
            }
        }
    }
}

// To the last bit, wherever they stand; with a BLAS it is the loops of the tests that do so.
TEST(equal_rows_have_equal_products_and_norms) {
    const std::size_t n = 61, d = 300;
    auto values = testing::normal_table(n, d, 4);
    for (std::size_t i = 1; i < n; ++i) std::copy_n(values.data(), d, values.data() + i * d);
    const RowPanels panels(Matrix(values.data(), n, d), 0.0);
    std::vector<double> storage(n * n), norms(n, 0.0);
    panels.add_norms(norms);
    for (const std::size_t r0 : {0u, 5u, 48u}) {
        panels.multiply_lower(r0, n, false, MutableMatrix(storage.data(), n - r0, n, n));
        for (std::size_t i = r0; i < n; ++i) {
            CHECK(norms[i] == norms[0]);
            for (std::size_t j = 0; j <= i; ++j) CHECK(storage[(i - r0) * n + j] == norms[0]);
        }
    }
}
