// A part of the pair weights that needs no matrix: sign * weights weights'. Its contractions follow
// from the moments sum_k weights_k z_k^i of each column. What is left of A is often much smaller.
#pragma once

#include <cstddef>
#include <vector>

#include "gathered.hpp"
#include "pair_series.hpp"
#include "svsieve/contract.hpp"

namespace svsieve {

// Numbers l for which the values of a profile over pairs of different rows are near l_k l_j. In many
// columns all pairs of rows are about equally far apart, or have as little to do with each other,
// but for rows that are far from all others. Empty where there are none.
std::vector<double> find_likeness(const Profile& profile, const PairValues& pairs, Indices rows);

struct CommonPart {
    double sign = 1.0;
    std::vector<double> weights;   // empty where there is none
    std::vector<double> likeness;  // see find_likeness

    bool empty() const { return weights.empty(); }
};

// Empty where there is none, or the series has no use for it. It has entries on the diagonal too.
CommonPart find_common_part(const PairSeries& series, const PairValues& pairs, Indices rows,
                            const PairWeight& weight);

// Of the contraction of each column with a common part.
struct CommonSums {
    std::vector<double> sums;
    std::vector<double> left_out;    // of the sum, at most
    std::vector<double> magnitudes;  // summed over the pairs, at most
    std::vector<double> spreads;     // the same at least: sum_kj |w_k w_j| (z_k - z_j)^2
};

// With the powers of z up to `power`, which is even; `largest` has the largest magnitude of each
// column.
CommonSums contract_common_part(const PairSeries& series, const CommonPart& common,
                                const Gathered& z, const std::vector<double>& largest,
                                std::size_t power);

}  // namespace svsieve
