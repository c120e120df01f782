#include "svsieve/bordered_inverse.hpp"

#include <algorithm>
#include <utility>

#include "svsieve/linalg.hpp"
#include "vector/kernels.hpp"

namespace svsieve {

namespace {

constexpr double least_pivot = 1e-13;  // in units of the largest entry of M

}  // namespace

void BorderedInverse::reserve(std::size_t dimension) {
    if (dimension <= stride_) return;
    const std::size_t wider = (dimension + dimension / 2 + 16) / row_padding * row_padding;
    std::vector<double> next(wider * wider, 0.0);
    for (std::size_t i = 0; i <= size_ && stride_ > 0; ++i) {
        std::copy_n(values_.data() + i * stride_, size_ + 1, next.data() + i * wider);
    }
    values_.swap(next);
    scratch_.resize(wider);
    stride_ = wider;
}

// Rows are worked on in whole units; what stands in the padding is never read.
void BorderedInverse::add_outer(double scale, const double* x) {
    const std::size_t dimension = size_ + 1;
    const std::size_t width = (dimension + row_padding - 1) / row_padding * row_padding;
    std::copy_n(x, dimension, scratch_.data());
    std::fill(scratch_.begin() + static_cast<long>(dimension),
              scratch_.begin() + static_cast<long>(width), 0.0);
    vector_kernels().add_outer(dimension, width, scale, scratch_.data(), values_.data(), stride_);
}

void BorderedInverse::times(const double* u, double* z) {
    const std::size_t dimension = size_ + 1;
    const std::size_t width = (dimension + row_padding - 1) / row_padding * row_padding;
    std::fill_n(scratch_.begin(), width, 0.0);
    vector_kernels().add_rows(dimension, nullptr, u, values_.data(), stride_, width,
                              scratch_.data());
    std::copy_n(scratch_.begin(), dimension, z);
}

double BorderedInverse::trace() const {
    double sum = 0.0;
    for (std::size_t k = 1; k <= size_; ++k) sum += values_[k * stride_ + k];
    return sum;
}

void BorderedInverse::subtract(const double* z, double remainder) {
    add_outer(1.0 / remainder, z);
}

// Off the row s the coefficients are free, b_s is what is left of the sum: with Z = [-1'; 1] (row s
// first), M = Z'QZ, q the column s of Q and u = M^-1 Z'q,
//
//   P_bb = Z M^-1 Z',   P_b0 = e_s - Z u,   P_00 = (Z'q)'u - q_s.
//
// Q itself may be singular where P exists: as many rows as columns of the table, and one more.
bool BorderedInverse::assign(Matrix q, double noise) {
    size_ = 0;
    std::size_t s = 0;
    for (std::size_t i = 1; i < q.rows; ++i) {
        if (q(i, i) < q(s, s)) s = i;
    }
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < q.rows; ++i) {
        if (i != s) others.push_back(i);
    }
    const std::size_t m = others.size();
    std::vector<double> block(m * m), slope(m);
    const MutableMatrix inverse(block.data(), m, m);
    for (std::size_t a = 0; a < m; ++a) {
        const std::size_t i = others[a];
        slope[a] = q(i, s) - q(s, s);
        for (std::size_t c = 0; c < m; ++c)
            inverse(a, c) = q(i, others[c]) - q(s, others[c]) - slope[a];
    }
    double largest = 0.0;
    for (std::size_t a = 0; a < m; ++a) largest = std::max(largest, inverse(a, a));
    // Each entry of M is made of four of Q.
    const double floor = std::max(least_pivot * largest, 4.0 * noise);
    if (!invert_positive_definite(inverse, floor)) return false;
    reserve(q.rows + 1);
    size_ = q.rows;
    const MutableMatrix p = matrix();
    const std::size_t base = s + 1;
    double corner = 0.0, constant = -q(s, s), rest = 1.0;
    for (std::size_t a = 0; a < m; ++a) {
        const std::size_t i = others[a] + 1;
        double u = 0.0, sum = 0.0;
        for (std::size_t c = 0; c < m; ++c) {
            p(i, others[c] + 1) = inverse(a, c);
            u += inverse(a, c) * slope[c];
            sum += inverse(a, c);
        }
        p(i, base) = p(base, i) = -sum;
        p(i, 0) = p(0, i) = -u;
        corner += sum;
        rest += u;
        constant += slope[a] * u;
    }
    p(base, base) = corner;
    p(base, 0) = p(0, base) = rest;
    p(0, 0) = constant;
    return true;
}

void BorderedInverse::start(double diagonal) {
    size_ = 0;
    reserve(2);
    size_ = 1;
    const MutableMatrix p = matrix();
    p(0, 0) = -diagonal;
    p(0, 1) = p(1, 0) = 1.0;
    p(1, 1) = 0.0;
}

void BorderedInverse::append(const double* z, double schur) {
    reserve(size_ + 2);
    add_outer(1.0 / schur, z);
    ++size_;
    const MutableMatrix p = matrix();
    for (std::size_t k = 0; k < size_; ++k) p(k, size_) = p(size_, k) = -z[k] / schur;
    p(size_, size_) = 1.0 / schur;
}

void BorderedInverse::remove(std::size_t position) {
    const std::size_t last = size_, here = position + 1;
    const MutableMatrix p = matrix();
    if (here != last) {
        for (std::size_t k = 0; k <= last; ++k) std::swap(p(here, k), p(last, k));
        for (std::size_t k = 0; k <= last; ++k) std::swap(p(k, here), p(k, last));
    }
    const std::vector<double> column(p.row(last), p.row(last) + last);
    const double pivot = p(last, last);
    --size_;
    if (size_ > 0) add_outer(-1.0 / pivot, column.data());
}

}  // namespace svsieve
