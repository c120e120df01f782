// Tiles of contract_without: sum over pairs of M [phi(s - t_l) - phi(s)] for a group of columns l.
//
// Columns are the lanes: up to four vectors of them stay in registers while the pairs of a tile go
// by, each pair broadcasting one weight.
#include "expm1_scheme.hpp"
#include "kernels.hpp"
#include "lanes.hpp"

namespace svsieve::SVSIEVE_ISA {

namespace {

// sums += factor * (sum of term(pair, z_k, z_j) over the pairs of a tile), for `vectors` vectors of
// columns.
template <std::size_t vectors, class Term>
inline void each_pair_of(const RemovalTile& tile, double* sums, double factor, Term term) {
    Lanes sum[vectors] = {};
    for (std::size_t k = 0; k < tile.count_k; ++k) {
        Lanes zk[vectors];
        for (std::size_t q = 0; q < vectors; ++q) {
            zk[q] = load(tile.z_k + k * tile.stride + q * lanes);
        }
        const std::size_t last = tile.triangular ? k : tile.count_j;
        const std::size_t row = k * tile.tile_stride;
        for (std::size_t j = 0; j < last; ++j) {
            const double* zj = tile.z_j + j * tile.stride;
            for (std::size_t q = 0; q < vectors; ++q) {
                sum[q] += term(row + j, zk[q], load(zj + q * lanes));
            }
        }
    }
    for (std::size_t q = 0; q < vectors; ++q) {
        store(sums + q * lanes, load(sums + q * lanes) + factor * sum[q]);
    }
}

template <class Term>
inline void each_pair(const RemovalTile& tile, double* sums, double factor, Term term) {
    switch (tile.vectors) {
        case 1:
            return each_pair_of<1>(tile, sums, factor, term);
        case 2:
            return each_pair_of<2>(tile, sums, factor, term);
        case 3:
            return each_pair_of<3>(tile, sums, factor, term);
        default:
            return each_pair_of<4>(tile, sums, factor, term);
    }
}

template <bool Absolute>
inline Lanes pairing_part(Lanes a, Lanes b) {
    const Lanes difference = a - b;
    return Absolute ? magnitude(difference) : difference * difference;
}

// Gaussian and Laplace: phi(s - t) - phi(s) = phi(s) expm1(u), u = gamma t, by the scheme of
// expm1_scheme.hpp. Nothing cancels and no exponential is needed. The rows come scaled, so that
// their pairing part is x, the scheme's variable after all halvings.
template <int Doublings, bool Absolute>
void series(const RemovalTile& tile, const Expm1Scheme& scheme, double* sums) {
    const double a0 = scheme.a[0], a1 = scheme.a[1], a2 = scheme.a[2], a3 = scheme.a[3],
                 a4 = scheme.a[4], a5 = scheme.a[5], unscale = 1.0 / scheme.scale;
    const auto scaled_expm1 = [=](Lanes x) {  // scale * expm1(u)
        const Lanes z = (x + a0) * x + a1;
        const Lanes w = (x + a2) * z + a3;
        return x * ((w + (z + a4)) * w + a5);
    };
    if (Doublings == 0) {
        each_pair(tile, sums, unscale, [&](std::size_t pair, Lanes zk, Lanes zj) {
            return tile.weighted[pair] * scaled_expm1(pairing_part<Absolute>(zk, zj));
        });
    } else {
        each_pair(tile, sums, 1.0, [&](std::size_t pair, Lanes zk, Lanes zj) {
            Lanes m = unscale * scaled_expm1(pairing_part<Absolute>(zk, zj));
            for (int q = 0; q < Doublings; ++q) m = m * (m + 2.0);
            return tile.weighted[pair] * m;
        });
    }
}

template <bool Absolute>
void series_with_doublings(const RemovalTile& tile, const Expm1Scheme& scheme, int doublings,
                           double* sums) {
    switch (doublings) {
        case 0:
            return series<0, Absolute>(tile, scheme, sums);
        case 1:
            return series<1, Absolute>(tile, scheme, sums);
        case 2:
            return series<2, Absolute>(tile, scheme, sums);
        case 3:
            return series<3, Absolute>(tile, scheme, sums);
        case 4:
            return series<4, Absolute>(tile, scheme, sums);
        case 5:
            return series<5, Absolute>(tile, scheme, sums);
        default:
            return series<6, Absolute>(tile, scheme, sums);
    }
}

template <bool Absolute>
void exponential(const RemovalTile& tile, double* sums) {
    each_pair(tile, sums, 1.0, [&](std::size_t pair, Lanes zk, Lanes zj) {
        const Lanes u = pairing_part<Absolute>(zk, zj);
        const Lanes exponent = smaller(u - tile.argument[pair], Lanes{});
        return tile.weight[pair] * (exp_nonpositive(exponent) - tile.value[pair]);
    });
}

// Polynomial kernels: (B - z_k z_j)^degree - B^degree.
template <int Degree>
void power_tile(const RemovalTile& tile, double* sums) {
    each_pair(tile, sums, 1.0, [&](std::size_t pair, Lanes zk, Lanes zj) {
        return tile.weight[pair] *
               (power(tile.argument[pair] - zk * zj, Degree) - tile.value[pair]);
    });
}

// B^p - (B - x)^p = x sum_i B^(p-1-i) (B - x)^i, x = z^2: powers that are nearly equal, or far larger
// than those of all other pairs, are not subtracted from each other.
template <std::size_t vectors>
inline void own_removals_of(const double* z, int degree, double base, double weight, double* sums) {
    Lanes x[vectors], sum[vectors];
    for (std::size_t v = 0; v < vectors; ++v) {
        const Lanes entry = load(z + v * lanes);
        x[v] = entry * entry;
        sum[v] = spread(1.0);
    }
    double whole = 1.0;
    for (int i = 1; i < degree; ++i) {
        whole *= base;
        for (std::size_t v = 0; v < vectors; ++v) sum[v] = sum[v] * (base - x[v]) + whole;
    }
    for (std::size_t v = 0; v < vectors; ++v) {
        double* target = sums + v * lanes;
        store(target, load(target) - weight * (x[v] * sum[v]));
    }
}

}  // namespace

void removal_series(const RemovalTile& tile, const Expm1Scheme& scheme, int doublings,
                    bool absolute, double* sums) {
    if (absolute) {
        series_with_doublings<true>(tile, scheme, doublings, sums);
    } else {
        series_with_doublings<false>(tile, scheme, doublings, sums);
    }
}

void removal_exponential(const RemovalTile& tile, bool absolute, double* sums) {
    if (absolute) {
        exponential<true>(tile, sums);
    } else {
        exponential<false>(tile, sums);
    }
}

void removal_power(const RemovalTile& tile, int degree, double* sums) {
    switch (degree) {
        case 2:
            return power_tile<2>(tile, sums);
        case 3:
            return power_tile<3>(tile, sums);
        case 4:
            return power_tile<4>(tile, sums);
        case 5:
            return power_tile<5>(tile, sums);
        case 6:
            return power_tile<6>(tile, sums);
        case 7:
            return power_tile<7>(tile, sums);
        case 8:
            return power_tile<8>(tile, sums);
        case 9:
            return power_tile<9>(tile, sums);
        default:
            each_pair(tile, sums, 1.0, [&](std::size_t pair, Lanes zk, Lanes zj) {
                return tile.weight[pair] *
                       (power(tile.argument[pair] - zk * zj, degree) - tile.value[pair]);
            });
    }
}

void own_removal(std::size_t width, const double* z, int degree, double base, double weight,
                 double* sums) {
    std::size_t l = 0;
    for (; l + 4 * lanes <= width; l += 4 * lanes) {
        own_removals_of<4>(z + l, degree, base, weight, sums + l);
    }
    for (; l < width; l += lanes) own_removals_of<1>(z + l, degree, base, weight, sums + l);
}

void absolute_slopes(const RemovalTile& tile, double* sums) {
    each_pair(tile, sums, 1.0, [&](std::size_t pair, Lanes zk, Lanes zj) {
        return tile.weighted[pair] * magnitude(zk - zj);
    });
}

}  // namespace svsieve::SVSIEVE_ISA
