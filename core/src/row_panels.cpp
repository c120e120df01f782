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

void multiply_lower_by_blas(Matrix x, std::size_t r0, std::size_t r1, bool add, MutableMatrix out) {
    const Matrix rows(x.row(r0), r1 - r0, x.columns, x.stride);
    const Matrix before(x.data, r0, x.columns, x.stride);
    const double kept = add ? 1.0 : 0.0;
    multiply_transposed(1.0, rows, before, kept, MutableMatrix(out.data, r1 - r0, r0, out.stride));
    multiply_by_own_transpose(1.0, rows, kept,
                              MutableMatrix(out.data + r0, r1 - r0, r1 - r0, out.stride));
}

}  // namespace

std::vector<double> squared_norms(Matrix x) {
    std::vector<double> norms(x.rows, 0.0);
    for (std::size_t i = 0; i < x.rows; ++i) {
        const double* row = x.row(i);
        for (std::size_t l = 0; l < x.columns; ++l) norms[i] += row[l] * row[l];
    }
    return norms;
}

std::size_t RowPanels::rows_at_a_time() {
    return panel_width() == 0 ? 512 : 128;
}

std::size_t RowPanels::columns_at_a_time(Matrix x) {
    const std::size_t width = panel_width();
    if (width == 0) return x.columns;
    const std::size_t rows = std::max<std::size_t>(1, padded(x.rows, width));
    return std::clamp<std::size_t>((std::size_t{1} << 20) / rows, 512, 4096);
}

RowPanels::RowPanels(Matrix x, double work) : x_(x), width_(panel_width()) {
    if (width_ == 0) return;
    panels_ = Scratch<double>(padded(x.rows, width_) * x.columns);
    parallel_tasks((x.rows + width_ - 1) / width_, work,
                   [&](std::size_t index) { pack(index * width_); });
}

// A few entries of each row at a time, so that they are read along the row and written near each other.
void RowPanels::pack(std::size_t first) {
    constexpr std::size_t entries = 16;
    const std::size_t count = std::min(width_, x_.rows - first);
    double* panel = panels_.data() + first * x_.columns;
    for (std::size_t l0 = 0; l0 < x_.columns; l0 += entries) {
        const std::size_t l1 = std::min(l0 + entries, x_.columns);
        for (std::size_t c = 0; c < count; ++c) {
            const double* row = x_.row(first + c);
            for (std::size_t l = l0; l < l1; ++l) panel[l * width_ + c] = row[l];
        }
        for (std::size_t l = l0; l < l1; ++l) {
            std::fill(panel + l * width_ + count, panel + (l + 1) * width_, 0.0);
        }
    }
}

template <class Task>
void RowPanels::each_run(Task task) const {
    std::size_t l0 = 0;
    do {
        const std::size_t depth = std::min(product_depth, x_.columns - l0);
        task(l0, depth);
        l0 += depth;
    } while (l0 < x_.columns);
}

void RowPanels::add_norms(std::vector<double>& norms) const {
    if (width_ == 0) {
        const std::vector<double> own = squared_norms(x_);
        for (std::size_t i = 0; i < x_.rows; ++i) norms[i] += own[i];
        return;
    }
    std::vector<double> sums(width_);
    for (std::size_t c0 = 0; c0 < x_.rows; c0 += width_) {
        each_run([&](std::size_t l0, std::size_t depth) {
            const double* panel = panels_.data() + c0 * x_.columns + l0 * width_;
            vector_kernels().own_products(depth, panel, sums.data());
            const std::size_t count = std::min(width_, x_.rows - c0);
            for (std::size_t c = 0; c < count; ++c) norms[c0 + c] += sums[c];
        });
    }
}

void RowPanels::multiply_lower(std::size_t r0, std::size_t r1, bool add, MutableMatrix out) const {
    if (width_ == 0) return multiply_lower_by_blas(x_, r0, r1, add, out);
    each_run([&](std::size_t l0, std::size_t depth) {
        for (std::size_t c0 = 0; c0 < r1; c0 += width_) {
            const std::size_t first = std::max(r0, c0);
            const double* panel = panels_.data() + c0 * x_.columns + l0 * width_;
            const double* next = c0 + width_ < r1 ? panel + width_ * x_.columns : panel;
            vector_kernels().row_products({x_.row(first) + l0, x_.stride, r1 - first, depth, panel,
                                           next, std::min(width_, r1 - c0), add || l0 > 0,
                                           out.row(first - r0) + c0, out.stride});
        }
    });
}

}  // namespace svsieve
