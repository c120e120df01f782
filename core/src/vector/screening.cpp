// Passes over the weights of pairs, in double precision and rounded once to single, and power sums
// of columns.
#include "kernels.hpp"
#include "lanes.hpp"

namespace svsieve::SVSIEVE_ISA {

namespace {

template <std::size_t n>
struct Count {
    static constexpr std::size_t value = n;
};

constexpr std::size_t powers = 6;  // whose sums stay in registers

// Sums of `count` successive powers of x, the first of them x^(first + 1), in one vector. With the
// same weight for all, it is multiplied in once.
template <std::size_t count, bool squared, bool same>
inline void sums_of_vector(std::size_t rows, std::size_t stride, const double* z, std::size_t first,
                           const double* const* weights, double* sums) {
    Lanes sum[count];
    for (std::size_t i = 0; i < count; ++i) sum[i] = load(sums + i * stride);
    for (std::size_t k = 0; k < rows; ++k) {
        const Lanes entry = load(z + k * stride), x = squared ? entry * entry : entry;
        Lanes part = power(x, static_cast<int>(first) + 1);
        if (same) part *= weights[0][k];
        for (std::size_t i = 0; i < count; ++i) {
            sum[i] += same ? part : weights[i][k] * part;
            part *= x;
        }
    }
    for (std::size_t i = 0; i < count; ++i) store(sums + i * stride, sum[i]);
}

template <bool squared, bool same>
inline void sums_of_columns(std::size_t rows, std::size_t stride, const double* z,
                            std::size_t count, const double* const* weights, double* sums) {
    for (std::size_t l = 0; l < stride; l += lanes) {
        std::size_t i = 0;
        const auto add = [&](auto width) {
            sums_of_vector<decltype(width)::value, squared, same>(
                rows, stride, z + l, i, weights + i, sums + i * stride + l);
            i += decltype(width)::value;
        };
        while (i + powers <= count) add(Count<powers>{});
        while (i + 2 <= count) add(Count<2>{});
        if (i < count) add(Count<1>{});
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
    bool same = true;
    for (std::size_t i = 1; i < count; ++i) same = same && weights[i] == weights[0];
    const auto add = squared
                         ? (same ? sums_of_columns<true, true> : sums_of_columns<true, false>)
                         : (same ? sums_of_columns<false, true> : sums_of_columns<false, false>);
    add(rows, stride, z, count, weights, sums);
}

}  // namespace svsieve::SVSIEVE_ISA
