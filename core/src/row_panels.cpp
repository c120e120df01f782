#include "row_panels.hpp"

#include <algorithm>

#include "gathered.hpp"
#include "parallel.hpp"
#include "svsieve/linalg.hpp"
#include "vector/kernels.hpp"

namespace svsieve {

namespace {

std::size_t panel_width() {
    const std::size_t lanes = vector_kernels().lane_count;
    return lanes > 2 ? panel_vectors * lanes : 0;
}

void multiply_lower_by_blas(double factor, Matrix x, std::size_t r0, std::size_t r1, bool add,
                            MutableMatrix out) {
    const Matrix rows(x.row(r0), r1 - r0, x.columns, x.stride);
    const Matrix before(x.data, r0, x.columns, x.stride);
    const double kept = add ? 1.0 : 0.0;
    multiply_transposed(factor, rows, before, kept,
                        MutableMatrix(out.data, r1 - r0, r0, out.stride));
    multiply_by_own_transpose(factor, rows, kept,
                              MutableMatrix(out.data + r0, r1 - r0, r1 - r0, out.stride));
}

}  // namespace

std::size_t RowPanels::columns_at_a_time(std::size_t rows) {
    return std::max(product_depth, (std::size_t{1} << 20) / std::max<std::size_t>(1, rows));
}

RowPanels::RowPanels(Matrix x) : x_(x), width_(panel_width()) {
    if (width_ == 0) return;
    const std::size_t depth = x.columns;
    panels_ = Scratch<double>(padded(x.rows, width_) * depth);
    parallel_tasks((x.rows + width_ - 1) / width_, static_cast<double>(x.rows * depth),
                   [&](std::size_t index) {
                       const std::size_t first = index * width_,
                                         count = std::min(width_, x.rows - first);
                       double* panel = panels_.data() + first * depth;
                       for (std::size_t l = 0; l < depth; ++l, panel += width_) {
                           for (std::size_t c = 0; c < count; ++c) panel[c] = x(first + c, l);
                           std::fill(panel + count, panel + width_, 0.0);
                       }
                   });
}

void RowPanels::multiply_lower(double factor, std::size_t r0, std::size_t r1, bool add,
                               MutableMatrix out) const {
    if (width_ == 0) return multiply_lower_by_blas(factor, x_, r0, r1, add, out);
    const std::size_t columns = x_.columns;
    std::size_t l0 = 0;
    do {  // once, to write zeros, where there is no column at all
        const std::size_t depth = std::min(product_depth, columns - l0);
        for (std::size_t c0 = 0; c0 < r1; c0 += width_) {
            const std::size_t first = std::max(r0, c0);
            const double* panel = panels_.data() + c0 * columns + l0 * width_;
            vector_kernels().row_products({x_.row(first) + l0, x_.stride, r1 - first, depth, panel,
                                           panel + width_ * columns, std::min(width_, r1 - c0),
                                           factor, add || l0 > 0, out.row(first - r0) + c0,
                                           out.stride});
        }
        l0 += depth;
    } while (l0 < columns);
}

}  // namespace svsieve
