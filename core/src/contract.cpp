#include "svsieve/contract.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "expm1_scheme.hpp"
#include "parallel.hpp"
#include "svsieve/linalg.hpp"
#include "vector/kernels.hpp"

namespace svsieve {

namespace {

constexpr std::size_t tile = 64;
constexpr std::size_t block_rows = 128;      // rows of one matrix product
constexpr std::size_t block_columns = 2048;  // columns of one matrix product

// The picked rows and columns, scaled, each row padded with zeros to whole groups of lanes.
struct Gathered {
    std::size_t rows, columns, stride;
    std::vector<double> values;

    Gathered(const ColumnBlock& block, double factor, std::size_t group)
        : rows(block.rows.size()),
          columns(block.columns.size()),
          stride((columns + group - 1) / group * group),
          values(rows * stride, 0.0) {
        for (std::size_t k = 0; k < rows; ++k) {
            const double* source = block.table.row(block.rows[k]);
            double* target = values.data() + k * stride;
            for (std::size_t l = 0; l < columns; ++l) {
                target[l] = factor * block.factors[l] * source[block.columns[l]];
            }
        }
    }
    const double* row(std::size_t k) const { return values.data() + k * stride; }
    void scale(std::size_t c0, std::size_t c1, double factor) {
        for (std::size_t k = 0; k < rows; ++k) {
            for (std::size_t l = c0; l < c1; ++l) values[k * stride + l] *= factor;
        }
    }
    Matrix block(std::size_t first, std::size_t count, std::size_t c0, std::size_t c1) const {
        return {row(first) + c0, count, c1 - c0, stride};
    }
};

// Row-block sums, kept apart and added in order: the result is the same for any number of threads.
struct BlockSums {
    std::size_t width;
    std::vector<double> values;

    BlockSums(std::size_t blocks, std::size_t width_)
        : width(width_), values(blocks * width_, 0.0) {}
    double* of(std::size_t block) { return values.data() + block * width; }
    void add_to(MutableVector out) const {
        for (std::size_t start = 0; start < values.size(); start += width) {
            for (std::size_t l = 0; l < out.size(); ++l) out[l] += values[start + l];
        }
    }
};

// What a pass over tiles needs of one pair: M times phi (or its slope), M, and gamma s (+ coef0).
struct TileTables {
    std::vector<double> weighted = std::vector<double>(tile * tile);
    std::vector<double> weight = std::vector<double>(tile * tile);
    std::vector<double> value = std::vector<double>(tile * tile);
    std::vector<double> argument = std::vector<double>(tile * tile);
};

// Pairs off the diagonal stand for two.
void fill_tables(const Profile& profile, Matrix s, Indices rows, const PairWeight& m,
                 std::size_t k0, std::size_t count_k, std::size_t j0, std::size_t count_j,
                 TileTables& tables) {
    double values[tile];
    for (std::size_t k = 0; k < count_k; ++k) {
        const double* source = s.row(rows[k0 + k]);
        for (std::size_t j = 0; j < count_j; ++j) values[j] = source[rows[j0 + j]];
        double* phi = tables.value.data() + k * tile;
        vector_kernels().profile(profile, count_j, values, phi);
        for (std::size_t j = 0; j < count_j; ++j) {
            const double twice = 2.0 * m(k0 + k, j0 + j);
            tables.weight[k * tile + j] = twice;
            tables.weighted[k * tile + j] = twice * phi[j];
            tables.argument[k * tile + j] = profile.gamma * values[j] + profile.coef0;
        }
    }
}

// Operations for all pairs of a lower triangle and all columns.
double pair_work(std::size_t rows, std::size_t columns) {
    return 0.5 * static_cast<double>(rows) * static_cast<double>(rows) *
           static_cast<double>(columns);
}

// Calls term(tile, group, sums) for every tile of the lower triangle and every group of columns.
template <class Term>
void each_tile(const Profile& profile, const Gathered& z, Matrix s, Indices rows,
               const PairWeight& weight, MutableVector out, Term term) {
    const std::size_t group = vector_kernels().group_width;
    const std::size_t n = z.rows, blocks = (n + tile - 1) / tile;
    BlockSums sums(blocks, z.stride);
    parallel_tasks(blocks, pair_work(n, z.stride), [&](std::size_t block) {
        TileTables tables;
        const std::size_t k0 = block * tile, count_k = std::min(tile, n - k0);
        for (std::size_t j0 = 0; j0 <= k0; j0 += tile) {
            const std::size_t count_j = std::min(tile, n - j0);
            fill_tables(profile, s, rows, weight, k0, count_k, j0, count_j, tables);
            for (std::size_t l = 0; l < z.stride; l += group) {
                const RemovalTile part{z.row(k0) + l,
                                       z.row(j0) + l,
                                       z.stride,
                                       count_k,
                                       count_j,
                                       j0 == k0,
                                       tile,
                                       tables.weighted.data(),
                                       tables.weight.data(),
                                       tables.value.data(),
                                       tables.argument.data()};
                term(part, l / group, sums.of(block) + l);
            }
        }
    });
    sums.add_to(out);
}

// d phi / ds = factor * phi_slope(s), phi_slope again a profile.
struct Slope {
    double factor;
    Profile profile;
};

Slope slope_of(const Profile& profile) {
    Slope slope{1.0, profile};
    switch (profile.kind) {
        case ProfileKind::Identity:
            slope.profile = {ProfileKind::Power, 0.0, 1.0, 1};
            break;
        case ProfileKind::Power:
            slope.factor = profile.gamma * profile.degree;
            slope.profile.degree = profile.degree - 1;
            break;
        case ProfileKind::Exponential:
            slope.factor = -profile.gamma;
            break;
    }
    return slope;
}

// Rows [k0, k1) of A = M phi'(s) against all rows before k1; pairs before k0 stand for two.
void fill_slope_rows(const Slope& slope, Matrix s, Indices rows, const PairWeight& m,
                     std::size_t k0, std::size_t k1, MutableMatrix a) {
    std::vector<double> values(k1);
    for (std::size_t k = k0; k < k1; ++k) {
        const double* source = s.row(rows[k]);
        for (std::size_t j = 0; j < k1; ++j) values[j] = source[rows[j]];
        double* target = a.row(k - k0);
        vector_kernels().profile(slope.profile, k1, values.data(), target);
        for (std::size_t j = 0; j < k1; ++j) {
            target[j] *= (j < k0 ? 2.0 : 1.0) * slope.factor * m(k, j);
        }
    }
}

// Products and squared differences: sum A x_k x_j by matrix products over row blocks of the lower
// triangle.
//   sum A_kj (x_k - x_j)^2 = sum_k (row sum + column sum)_k x_k^2 - 2 sum_k x_k (A x)_k
void slopes_by_products(Pairing pairing, const Slope& slope, const Gathered& z, Matrix s,
                        Indices rows, const PairWeight& weight, MutableVector out) {
    const bool distances = pairing == Pairing::SquaredDifference;
    const std::size_t n = z.rows, blocks = (n + block_rows - 1) / block_rows;
    BlockSums sums(blocks, z.stride);
    BlockSums margins(blocks, n);
    parallel_tasks(blocks, pair_work(n, z.columns) / 8, [&](std::size_t block) {
        const std::size_t k0 = block * block_rows, k1 = std::min(k0 + block_rows, n),
                          count = k1 - k0;
        std::vector<double> storage(count * k1), product;
        const MutableMatrix a(storage.data(), count, k1);
        fill_slope_rows(slope, s, rows, weight, k0, k1, a);
        if (distances) {
            double* margin = margins.of(block);
            for (std::size_t k = 0; k < count; ++k) {
                a(k, k0 + k) = 0.0;  // a row is at no distance from itself
                double sum = 0.0;
                for (std::size_t j = 0; j < k1; ++j) {
                    sum += a(k, j);
                    margin[j] += a(k, j);
                }
                margin[k0 + k] += sum;
            }
        }
        for (std::size_t c0 = 0; c0 < z.columns; c0 += block_columns) {
            const std::size_t c1 = std::min(c0 + block_columns, z.columns);
            product.resize(count * (c1 - c0));
            const MutableMatrix y(product.data(), count, c1 - c0);
            multiply(1.0, a, z.block(0, k1, c0, c1), 0.0, y);
            double* target = sums.of(block) + c0;
            for (std::size_t k = 0; k < count; ++k) {
                const double* zk = z.row(k0 + k) + c0;
                for (std::size_t l = 0; l < c1 - c0; ++l) {
                    target[l] += (distances ? -2.0 : 1.0) * zk[l] * y(k, l);
                }
            }
        }
    });
    sums.add_to(out);
    if (!distances) return;
    std::vector<double> margin(n, 0.0);
    margins.add_to(margin);
    for (std::size_t k = 0; k < n; ++k) {
        const double* zk = z.row(k);
        for (std::size_t l = 0; l < z.columns; ++l) out[l] += margin[k] * zk[l] * zk[l];
    }
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

// Gaussian and Laplace, for some of the columns, which all take the scheme (in order of their
// doublings) or all take exponentials. A narrow column must not keep company with a wide one: the
// difference of two exponentials would cancel.
void remove_exponential(bool absolute, const Profile& profile, const ColumnBlock& block, Matrix s,
                        const PairWeight& weight, const std::vector<std::size_t>& chosen,
                        const std::vector<int>& doublings, MutableVector out) {
    if (chosen.empty()) return;
    const double factor = absolute ? profile.gamma : std::sqrt(profile.gamma);
    std::vector<std::size_t> columns(chosen.size());
    std::vector<double> factors(chosen.size()), sums(chosen.size(), 0.0);
    for (std::size_t c = 0; c < chosen.size(); ++c) {
        columns[c] = block.columns[chosen[c]];
        factors[c] = block.factors[chosen[c]];
    }
    const std::size_t group = vector_kernels().group_width;
    const Expm1Scheme& scheme = expm1_scheme();
    Gathered z({block.table, block.rows, columns, factors}, factor, group);
    std::vector<int> of_group(z.stride / group);
    for (std::size_t g = 0; g < of_group.size(); ++g) {
        of_group[g] = doublings[chosen[std::min((g + 1) * group, chosen.size()) - 1]];
        if (of_group[g] < 0) continue;
        const double halved = std::ldexp(scheme.scale, -of_group[g]);
        z.scale(g * group, (g + 1) * group, absolute ? halved : std::sqrt(halved));
    }
    each_tile(profile, z, s, block.rows, weight, sums,
              [&](const RemovalTile& part, std::size_t g, double* target) {
                  if (of_group[g] >= 0) {
                      vector_kernels().removal_series(part, scheme, of_group[g], absolute, target);
                  } else {
                      vector_kernels().removal_exponential(part, absolute, target);
                  }
              });
    for (std::size_t c = 0; c < chosen.size(); ++c) out[chosen[c]] += sums[c];
}

void remove_exponential(bool absolute, const Profile& profile, const ColumnBlock& block, Matrix s,
                        const PairWeight& weight, MutableVector out) {
    const double factor = absolute ? profile.gamma : std::sqrt(profile.gamma);
    const std::vector<int> doublings = doublings_of(absolute, factor, block);
    std::vector<std::size_t> narrow, wide;
    for (std::size_t l = 0; l < doublings.size(); ++l)
        (doublings[l] < 0 ? wide : narrow).push_back(l);
    std::stable_sort(narrow.begin(), narrow.end(),
                     [&](std::size_t a, std::size_t b) { return doublings[a] < doublings[b]; });
    for (const auto& chosen : {narrow, wide}) {
        remove_exponential(absolute, profile, block, s, weight, chosen, doublings, out);
    }
}

void remove_power(const Profile& profile, const Gathered& z, Matrix s, Indices rows,
                  const PairWeight& weight, MutableVector out) {
    each_tile(profile, z, s, rows, weight, out,
              [&](const RemovalTile& part, std::size_t, double* sums) {
                  vector_kernels().removal_power(part, profile.degree, sums);
              });
    for (std::size_t k = 0; k < z.rows; ++k) {  // the diagonal, which the tiles leave out
        const double base = profile.gamma * s(rows[k], rows[k]) + profile.coef0, m = weight(k, k);
        const double whole = std::pow(base, profile.degree);
        for (std::size_t l = 0; l < z.columns; ++l) {
            const double x = z.row(k)[l];
            out[l] += m * (std::pow(base - x * x, profile.degree) - whole);
        }
    }
}

}  // namespace

void contract_slopes(Pairing pairing, const Profile& profile, const ColumnBlock& block, Matrix s,
                     const PairWeight& weight, MutableVector out) {
    if (block.rows.empty() || block.columns.empty()) return;
    const Slope slope = slope_of(profile);
    const Gathered z(block, 1.0, vector_kernels().group_width);
    if (pairing != Pairing::AbsoluteDifference) {
        return slopes_by_products(pairing, slope, z, s, block.rows, weight, out);
    }
    std::vector<double> sums(out.size(), 0.0);
    each_tile(slope.profile, z, s, block.rows, weight, sums,
              [&](const RemovalTile& part, std::size_t, double* target) {
                  vector_kernels().absolute_slopes(part, target);
              });
    for (std::size_t l = 0; l < out.size(); ++l) out[l] += slope.factor * sums[l];
}

bool has_native_removal(Pairing pairing, ProfileKind kind) {
    if (pairing == Pairing::Product) return kind != ProfileKind::Exponential;
    return kind == ProfileKind::Exponential;
}

void contract_without(Pairing pairing, const Profile& profile, const ColumnBlock& block, Matrix s,
                      const PairWeight& weight, MutableVector out) {
    if (!has_native_removal(pairing, profile.kind)) {
        throw std::invalid_argument("no native removal tiles for this pairing and profile");
    }
    if (block.rows.empty() || block.columns.empty()) return;
    if (profile.kind == ProfileKind::Identity ||
        (profile.kind == ProfileKind::Power && profile.degree == 1)) {
        std::vector<double> slopes(out.size(), 0.0);  // linear: removal is the slope itself
        contract_slopes(pairing, profile, block, s, weight, slopes);
        for (std::size_t l = 0; l < out.size(); ++l) out[l] -= slopes[l];
        return;
    }
    if (profile.kind == ProfileKind::Exponential) {
        const bool absolute = pairing == Pairing::AbsoluteDifference;
        return remove_exponential(absolute, profile, block, s, weight, out);
    }
    const Gathered z(block, std::sqrt(profile.gamma), vector_kernels().group_width);
    remove_power(profile, z, s, block.rows, weight, out);
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
