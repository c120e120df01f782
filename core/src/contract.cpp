#include "svsieve/contract.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "expm1_scheme.hpp"
#include "gathered.hpp"
#include "pair_values.hpp"
#include "parallel.hpp"
#include "power_removal.hpp"
#include "series_contraction.hpp"
#include "slope.hpp"
#include "vector/kernels.hpp"

namespace svsieve {

namespace {

constexpr std::size_t tile = 64;
// With fewer rows the matrices of a series are not worth making.
constexpr std::size_t series_rows = 256;
// With fewer rows there is little to gain from the several matrices of a polynomial kernel.
constexpr std::size_t forms_rows = 1024;

// What a pass over tiles needs of one pair: M times phi (or its slope), M, and gamma s (+ coef0).
struct TileTables {
    std::vector<double> weighted = std::vector<double>(tile * tile);
    std::vector<double> weight = std::vector<double>(tile * tile);
    std::vector<double> value = std::vector<double>(tile * tile);
    std::vector<double> argument = std::vector<double>(tile * tile);
};

// Pairs off the diagonal stand for two. Not every term asks for more than M phi.
void fill_tables(const Profile& profile, const PairValues& pairs, Indices rows, const PairWeight& m,
                 std::size_t k0, std::size_t count_k, std::size_t j0, std::size_t count_j,
                 bool weighted_alone, TileTables& tables) {
    const bool dense = m.dense.data != nullptr;
    for (std::size_t k = 0; k < count_k; ++k) {
        double* phi = tables.value.data() + k * tile;
        take_profile(pairs, profile, rows, k0 + k, j0, j0 + count_j, phi);
        double* weight = tables.weight.data() + k * tile;
        double* weighted = tables.weighted.data() + k * tile;
        double* argument = tables.argument.data() + k * tile;
        const double* given = (dense ? m.dense.row(k0 + k) : m.outer.data()) + j0;
        const double twice = 2.0 * (dense ? 1.0 : m.scale * m.outer[k0 + k]);
        for (std::size_t j = 0; j < count_j; ++j) weight[j] = twice * given[j];
        for (std::size_t j = 0; j < count_j; ++j) weighted[j] = weight[j] * phi[j];
        if (weighted_alone) continue;
        take_pairings(pairs.s, rows, k0 + k, j0, j0 + count_j, argument);
        for (std::size_t j = 0; j < count_j; ++j) {
            argument[j] = profile.gamma * argument[j] + profile.coef0;
        }
    }
}

// Neighbouring vectors of columns that go through a tile together.
struct ColumnGroup {
    std::size_t start;
    std::size_t vectors;
    int doublings = 0;
};

// Cuts the columns [start, stop), whole vectors, into groups.
void append_groups(std::size_t start, std::size_t stop, int doublings,
                   std::vector<ColumnGroup>& groups) {
    const std::size_t lanes = vector_kernels().lane_count;
    while (start < stop) {
        const std::size_t vectors = std::min(RemovalTile::most_vectors, (stop - start) / lanes);
        groups.push_back({start, vectors, doublings});
        start += vectors * lanes;
    }
}

// Calls term(tile, group, sums) for every tile of the lower triangle and every group of columns.
template <class Term>
void each_tile(const Profile& profile, const Gathered& z, const std::vector<ColumnGroup>& groups,
               const PairValues& pairs, Indices rows, const PairWeight& weight, bool weighted_alone,
               MutableVector out, Term term) {
    const std::size_t n = z.rows, blocks = (n + tile - 1) / tile;
    BlockSums sums(blocks, z.stride);
    parallel_tasks(blocks, pair_work(n, z.stride), [&](std::size_t block) {
        TileTables tables;
        const std::size_t k0 = block * tile, count_k = std::min(tile, n - k0);
        for (std::size_t j0 = 0; j0 <= k0; j0 += tile) {
            const std::size_t count_j = std::min(tile, n - j0);
            fill_tables(profile, pairs, rows, weight, k0, count_k, j0, count_j, weighted_alone,
                        tables);
            for (const ColumnGroup& group : groups) {
                const RemovalTile part{z.row(k0) + group.start,
                                       z.row(j0) + group.start,
                                       z.stride,
                                       group.vectors,
                                       count_k,
                                       count_j,
                                       j0 == k0,
                                       tile,
                                       tables.weighted.data(),
                                       tables.weight.data(),
                                       tables.value.data(),
                                       tables.argument.data()};
                term(part, group, sums.of(block) + group.start);
            }
        }
    });
    sums.add_to(out);
}

template <class Term>
void each_tile(const Profile& profile, const Gathered& z, const PairValues& pairs, Indices rows,
               const PairWeight& weight, MutableVector out, Term term) {
    std::vector<ColumnGroup> groups;
    append_groups(0, z.stride, 0, groups);
    each_tile(profile, z, groups, pairs, rows, weight, false, out, term);
}

// How many doublings of the expm1 scheme each column needs; -1 where it must take exponentials.
std::vector<int> doublings_of(bool absolute, double factor, const ColumnBlock& block) {
    const std::size_t columns = block.columns.size();
    std::vector<double> least(columns), most(columns);
    for (std::size_t k = 0; k < block.rows.size(); ++k) {
        const double* source = block.table.row(block.rows[k]);
        for (std::size_t l = 0; l < columns; ++l) {
            const double x = source[block.columns[l]];
            least[l] = k == 0 ? x : std::min(least[l], x);
            most[l] = k == 0 ? x : std::max(most[l], x);
        }
    }
    std::vector<int> doublings(columns);
    for (std::size_t l = 0; l < columns; ++l) {
        const double range = factor * block.factors[l] * (most[l] - least[l]);
        doublings[l] = doublings_for(absolute ? range : range * range);
    }
    return doublings;
}

// Gaussian and Laplace. Columns go together only with columns of as many doublings: so the number
// found for a column does not depend, in any bit, on which other columns are asked for. A narrow
// column must not take exponentials anyway: their difference would cancel.
void remove_exponential(bool absolute, const Profile& profile, const ColumnBlock& block,
                        const PairValues& pairs, const PairWeight& weight, MutableVector out) {
    constexpr std::size_t nothing = static_cast<std::size_t>(-1);  // fills up a vector
    const double factor = absolute ? profile.gamma : std::sqrt(profile.gamma);
    const std::vector<int> doublings = doublings_of(absolute, factor, block);
    const std::size_t lanes = vector_kernels().lane_count;
    std::vector<std::size_t> chosen;
    std::vector<ColumnGroup> groups;
    for (int wanted = -1; wanted <= Expm1Scheme::most_doublings; ++wanted) {
        const std::size_t start = chosen.size();
        for (std::size_t l = 0; l < doublings.size(); ++l) {
            if (doublings[l] == wanted) chosen.push_back(l);
        }
        chosen.resize(padded(chosen.size(), lanes), nothing);
        append_groups(start, chosen.size(), wanted, groups);
    }
    std::vector<std::size_t> columns(chosen.size(), block.columns[0]);
    std::vector<double> factors(chosen.size(), 0.0), sums(chosen.size(), 0.0);
    for (std::size_t c = 0; c < chosen.size(); ++c) {
        if (chosen[c] == nothing) continue;
        columns[c] = block.columns[chosen[c]];
        factors[c] = block.factors[chosen[c]];
    }
    const Expm1Scheme& scheme = expm1_scheme();
    Gathered z({block.table, block.rows, columns, factors}, factor, lanes, true);
    for (const ColumnGroup& group : groups) {
        if (group.doublings < 0) continue;
        const double halved = std::ldexp(scheme.scale, -group.doublings);
        z.scale(group.start, group.start + group.vectors * lanes,
                absolute ? halved : std::sqrt(halved));
    }
    const bool series_alone = groups.front().doublings >= 0;  // they ascend
    each_tile(profile, z, groups, pairs, block.rows, weight, series_alone, sums,
              [&](const RemovalTile& part, const ColumnGroup& group, double* target) {
                  if (group.doublings >= 0) {
                      vector_kernels().removal_series(part, scheme, group.doublings, absolute,
                                                      target);
                  } else {
                      vector_kernels().removal_exponential(part, absolute, target);
                  }
              });
    for (std::size_t c = 0; c < chosen.size(); ++c) {
        if (chosen[c] != nothing) out[chosen[c]] += sums[c];
    }
}

// Calls remove(columns, sums) for the columns of a block at the positions `others`.
template <class Remove>
void remove_others(const ColumnBlock& block, const std::vector<std::size_t>& others,
                   MutableVector out, Remove remove) {
    if (others.empty()) return;
    const PickedColumns picked(block, others);
    std::vector<double> sums(others.size(), 0.0);
    remove(picked.block(), MutableVector(sums));
    for (std::size_t c = 0; c < others.size(); ++c) out[others[c]] += sums[c];
}

// Gaussian: by a series where that is safe. It takes about three quarters of the time of the tiles.
void remove_gaussian(const Profile& profile, const ColumnBlock& block, const PairValues& pairs,
                     const PairWeight& weight, MutableVector out) {
    const auto by_tiles = [&](const ColumnBlock& columns, MutableVector sums) {
        remove_exponential(false, profile, columns, pairs, weight, sums);
    };
    const std::optional<PairSeries> series = removal_series(Pairing::SquaredDifference, profile);
    if (!series || block.rows.size() < series_rows) return by_tiles(block, out);
    remove_others(block, contract_by_series(*series, block, pairs, weight, out), out, by_tiles);
}

// Polynomial: by quadratic forms where there are many rows. With many columns these take less than
// two thirds of the time of the tiles; with a few the matrices, made for them all, take longer.
void remove_power(const Profile& profile, const ColumnBlock& block, const PairValues& pairs,
                  const PairWeight& weight, MutableVector out) {
    const auto by_tiles = [&](const ColumnBlock& columns, MutableVector sums) {
        const Gathered z(columns, std::sqrt(profile.gamma), vector_kernels().lane_count, false);
        each_tile(profile, z, pairs, block.rows, weight, sums,
                  [&](const RemovalTile& part, const ColumnGroup&, double* target) {
                      vector_kernels().removal_power(part, profile.degree, target);
                  });
        OwnPairs own;  // the diagonal, which the tiles leave out
        for (std::size_t k = 0; k < z.rows; ++k) {
            const double s = pairs.s(block.rows[k], block.rows[k]);
            own.bases.push_back(profile.gamma * s + profile.coef0);
            own.weights.push_back(weight(k, k));
        }
        add_own_removals(profile.degree, z, {own}, sums);
    };
    if (block.rows.size() < forms_rows) return by_tiles(block, out);
    remove_others(block, remove_power_by_forms(profile, block, pairs, weight, out), out, by_tiles);
}

}  // namespace

void contract_slopes(Pairing pairing, const Profile& profile, const ColumnBlock& block,
                     const PairValues& pairs, const PairWeight& weight, MutableVector out) {
    if (block.rows.empty() || block.columns.empty()) return;
    if (const std::optional<PairSeries> series = slope_series(pairing, profile)) {
        contract_by_series(*series, block, pairs, weight, out);
        return;
    }
    const Slope slope = slope_of(profile);
    const Gathered z(block, 1.0, vector_kernels().lane_count, true);
    std::vector<double> sums(out.size(), 0.0);
    each_tile(slope.profile, z, pairs, block.rows, weight, sums,
              [&](const RemovalTile& part, const ColumnGroup&, double* target) {
                  vector_kernels().absolute_slopes(part, target);
              });
    for (std::size_t l = 0; l < out.size(); ++l) out[l] += slope.factor * sums[l];
}

bool has_native_removal(Pairing pairing, ProfileKind kind) {
    if (pairing == Pairing::Product) return kind != ProfileKind::Exponential;
    return kind == ProfileKind::Exponential;
}

void contract_without(Pairing pairing, const Profile& profile, const ColumnBlock& block,
                      const PairValues& pairs, const PairWeight& weight, MutableVector out) {
    if (!has_native_removal(pairing, profile.kind)) {
        throw std::invalid_argument("no native removal tiles for this pairing and profile");
    }
    if (block.rows.empty() || block.columns.empty()) return;
    if (profile.kind == ProfileKind::Identity ||
        (profile.kind == ProfileKind::Power && profile.degree == 1)) {
        std::vector<double> slopes(out.size(), 0.0);  // linear: removal is the slope itself
        contract_slopes(pairing, profile, block, pairs, weight, slopes);
        for (std::size_t l = 0; l < out.size(); ++l) out[l] -= slopes[l];
        return;
    }
    if (profile.kind == ProfileKind::Exponential && pairing == Pairing::AbsoluteDifference) {
        return remove_exponential(true, profile, block, pairs, weight, out);
    }
    if (profile.kind == ProfileKind::Exponential) {
        return remove_gaussian(profile, block, pairs, weight, out);
    }
    remove_power(profile, block, pairs, weight, out);
}

ParamSlopes contract_params(const Profile& profile, Matrix s, Indices rows,
                            const PairWeight& weight) {
    const std::size_t n = rows.size();
    if (profile.kind == ProfileKind::Identity) return {};
    const Slope slope = slope_of(profile);
    BlockSums sums(n, 2);
    parallel_tasks(n, pair_work(n, 1), [&](std::size_t k) {
        std::vector<double> values(k + 1), slopes(k + 1);
        for (std::size_t j = 0; j <= k; ++j) values[j] = s(rows[k], rows[j]);
        vector_kernels().profile(slope.profile, k + 1, values.data(), slopes.data());
        for (std::size_t j = 0; j <= k; ++j) {
            const double a = (j < k ? 2.0 : 1.0) * weight(k, j) * slope.factor * slopes[j];
            sums.of(k)[0] += a * values[j];      // s phi'(s): the derivative in ln gamma
            sums.of(k)[1] += a / profile.gamma;  // phi'(s) / gamma: the derivative in coef0
        }
    });
    double out[2] = {0.0, 0.0};
    sums.add_to(out);
    return {out[0], profile.kind == ProfileKind::Power ? out[1] : 0.0};
}

}  // namespace svsieve
