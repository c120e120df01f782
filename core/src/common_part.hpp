// A part of the pair weights that needs no matrix: sign * weights weights'. Its contractions follow
// from the moments sum_k weights_k z_k^i of each column. What is left of A is often much smaller.
#pragma once

#include <cstddef>
#include <vector>

#include "gathered.hpp"
#include "pair_series.hpp"

namespace svsieve {

struct CommonPart {
    double sign = 1.0;
    std::vector<double> weights;  // empty where there is none
};

// Of the contraction of each column with a common part: its sum, what was left out of it at most, and
// the sum of the magnitudes of its pairs, or more.
struct CommonSums {
    std::vector<double> sums, left_out, magnitudes;
};

// With the powers of z up to `power`; `largest` has the largest magnitude of each column.
CommonSums contract_common_part(const PairSeries& series, const CommonPart& common,
                                const Gathered& z, const std::vector<double>& largest,
                                std::size_t power);

}  // namespace svsieve
