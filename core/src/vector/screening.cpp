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

template <PowersOf x>
inline Lanes taken(Lanes entry) {
    if (x == PowersOf::Squares) return entry * entry;
    return x == PowersOf::Magnitudes ? magnitude(entry) : entry;
}

// Sums of a few successive powers of x, the first of them x^(first + 1), in neighbouring vectors: as
// many sums as there are registers. With the same weight for all, it is multiplied in once.
template <std::size_t count, std::size_t vectors, PowersOf of, bool same>
inline void sums_of_vectors(std::size_t rows, std::size_t stride, const double* z,
                            std::size_t first, const double* const* weights, double* sums) {
    Lanes sum[count][vectors];
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t v = 0; v < vectors; ++v) sum[i][v] = load(sums + i * stride + v * lanes);
    }
    for (std::size_t k = 0; k < rows; ++k) {
        Lanes x[vectors], part[vectors];
        for (std::size_t v = 0; v < vectors; ++v) {
            x[v] = taken<of>(load(z + k * stride + v * lanes));
            part[v] = power(x[v], static_cast<int>(first) + 1);
            if (same) part[v] *= weights[0][k];
        }
        for (std::size_t i = 0; i < count; ++i) {
            for (std::size_t v = 0; v < vectors; ++v) {
                sum[i][v] += same ? part[v] : weights[i][k] * part[v];
                part[v] *= x[v];
            }
        }
    }
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t v = 0; v < vectors; ++v) store(sums + i * stride + v * lanes, sum[i][v]);
    }
}

template <PowersOf of, bool same>
inline void sums_of_columns(std::size_t rows, std::size_t stride, const double* z,
                            std::size_t count, const double* const* weights, double* sums) {
    const auto add = [&](auto powers, auto vectors, std::size_t l, std::size_t i) {
        sums_of_vectors<decltype(powers)::value, decltype(vectors)::value, of, same>(
            rows, stride, z + l, i, weights + i, sums + i * stride + l);
    };
    const auto add_all = [&](auto vectors, std::size_t l) {
        std::size_t i = 0;
        for (; i + 6 <= count; i += 6) add(Count<6>{}, vectors, l, i);
        for (; i + 3 <= count; i += 3) add(Count<3>{}, vectors, l, i);
        for (; i < count; ++i) add(Count<1>{}, vectors, l, i);
    };
    std::size_t l = 0;
    for (; l + 2 * lanes <= stride; l += 2 * lanes) add_all(Count<2>{}, l);
    if (l < stride) add_all(Count<1>{}, l);
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

void power_rests(const PowerRests& rows, std::size_t n) {
    for (std::size_t j = 0; j < n; j += lanes) {
        const Lanes base = load(rows.base + j), like = rows.like * load(rows.likeness + j),
                    weight = load(rows.weights + j);
        Lanes whole = base, alike = like;
        for (int e = 1; e <= rows.highest; ++e) {
            const Lanes rest = rows.factors[e] * weight * (whole - alike);
            if (rows.exact[e] != nullptr) store(rows.exact[e] + j, rest);
            if (rows.narrow[e] != nullptr) store_narrow(rows.narrow[e] + j, rest);
            whole *= base;
            alike *= like;
        }
    }
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

void power_sums(std::size_t rows, std::size_t stride, const double* z, PowersOf of,
                std::size_t count, const double* const* weights, double* sums) {
    bool same = true;
    for (std::size_t i = 1; i < count; ++i) same = same && weights[i] == weights[0];
    const auto add = [&](auto with_one, auto with_many) {
        (same ? with_one : with_many)(rows, stride, z, count, weights, sums);
    };
    switch (of) {
        case PowersOf::Entries:
            return add(sums_of_columns<PowersOf::Entries, true>,
                       sums_of_columns<PowersOf::Entries, false>);
        case PowersOf::Magnitudes:
            return add(sums_of_columns<PowersOf::Magnitudes, true>,
                       sums_of_columns<PowersOf::Magnitudes, false>);
        case PowersOf::Squares:
            return add(sums_of_columns<PowersOf::Squares, true>,
                       sums_of_columns<PowersOf::Squares, false>);
    }
}

}  // namespace svsieve::SVSIEVE_ISA
