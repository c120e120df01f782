// Passes of the screening: weights of pairs and functions of single columns, worked out in double
// precision and rounded once to single; products of those, summed up in double precision again.
#include "kernels.hpp"
#include "lanes.hpp"

namespace svsieve::SVSIEVE_ISA {

namespace {

constexpr std::size_t powers = 4;  // whose sums stay in registers

// Sums of `count` successive powers of x, the first of them x^(first + 1), in one vector.
template <std::size_t count, bool squared>
inline void sums_of_vector(std::size_t rows, std::size_t stride, const double* z, std::size_t first,
                           const double* const* weights, double* sums) {
    Lanes sum[count];
    for (std::size_t i = 0; i < count; ++i) sum[i] = load(sums + i * stride);
    for (std::size_t k = 0; k < rows; ++k) {
        const Lanes entry = load(z + k * stride), x = squared ? entry * entry : entry;
        Lanes part = power(x, static_cast<int>(first) + 1);
        for (std::size_t i = 0; i < count; ++i) {
            sum[i] += weights[i][k] * part;
            part *= x;
        }
    }
    for (std::size_t i = 0; i < count; ++i) store(sums + i * stride, sum[i]);
}

template <bool squared>
inline void sums_of_columns(std::size_t rows, std::size_t stride, const double* z,
                            std::size_t count, const double* const* weights, double* sums) {
    for (std::size_t l = 0; l < stride; l += lanes) {
        double* target = sums + l;
        std::size_t i = 0;
        for (; i + powers <= count; i += powers) {
            sums_of_vector<powers, squared>(rows, stride, z + l, i, weights + i,
                                            target + i * stride);
        }
        for (; i < count; ++i) {
            sums_of_vector<1, squared>(rows, stride, z + l, i, weights + i, target + i * stride);
        }
    }
}

}  // namespace

RowSums weigh_row(std::size_t n, double factor, const double* weights, double* values,
                  double* margin, double* absolute) {
    Lanes sum = {}, total = {}, largest = {};
    std::size_t j = 0;
    for (; j + lanes <= n; j += lanes) {
        const Lanes a = factor * load(weights + j) * load(values + j), size = magnitude(a);
        store(values + j, a);
        sum += a;
        total += size;
        largest = larger(largest, size);
        if (margin != nullptr) store(margin + j, load(margin + j) + a);
        if (absolute != nullptr) store(absolute + j, load(absolute + j) + size);
    }
    RowSums sums = {0.0, 0.0, 0.0};
    for (std::size_t r = 0; r < lanes; ++r) {
        sums.sum += sum[r];
        sums.absolute += total[r];
        if (largest[r] > sums.largest) sums.largest = largest[r];
    }
    for (; j < n; ++j) {
        const double a = factor * weights[j] * values[j], size = __builtin_fabs(a);
        values[j] = a;
        sums.sum += a;
        sums.absolute += size;
        if (size > sums.largest) sums.largest = size;
        if (margin != nullptr) margin[j] += a;
        if (absolute != nullptr) absolute[j] += size;
    }
    return sums;
}

void narrow(std::size_t n, double scale, const double* values, float* out) {
    std::size_t j = 0;
    for (; j + lanes <= n; j += lanes) store_narrow(out + j, scale * load(values + j));
    for (; j < n; ++j) out[j] = static_cast<float>(scale * values[j]);
}

void power_margins(std::size_t n, double factor, const double* weights, const double* base,
                   std::size_t count, double* row, double* absolute, std::size_t stride) {
    std::size_t j = 0;
    for (; j + lanes <= n; j += lanes) {
        Lanes a = magnitude(factor * load(weights + j));
        const Lanes b = magnitude(load(base + j));
        for (std::size_t e = 0; e < count; ++e) {
            store(row + e * lanes, load(row + e * lanes) + a);
            if (absolute != nullptr) {
                double* margin = absolute + e * stride + j;
                store(margin, load(margin) + a);
            }
            a *= b;
        }
    }
    for (; j < n; ++j) {
        double a = __builtin_fabs(factor * weights[j]);
        for (std::size_t e = 0; e < count; ++e) {
            row[e * lanes] += a;
            if (absolute != nullptr) absolute[e * stride + j] += a;
            a *= __builtin_fabs(base[j]);
        }
    }
}

void power_sums(std::size_t rows, std::size_t stride, const double* z, bool squared,
                std::size_t count, const double* const* weights, double* sums) {
    if (squared) {
        sums_of_columns<true>(rows, stride, z, count, weights, sums);
    } else {
        sums_of_columns<false>(rows, stride, z, count, weights, sums);
    }
}

}  // namespace svsieve::SVSIEVE_ISA
