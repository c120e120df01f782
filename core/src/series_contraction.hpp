// Contractions by the series of pair_series.hpp: a quadratic form of every column for each term.
//
// The first terms of a series are nearly all of it. They are computed in double precision; the
// others, which are together at most `narrow_share` of the whole, in single precision, twice as
// fast. The whole is a bound, at most ten times as large, of the sum of the magnitudes of all pairs.
// Were all rounding errors of one sign they would reach series_tolerance of it. Measured were errors
// of 1e-14 to 1e-13 of that sum, and of 1e-12 where rows are sorted and a column has few values.
#pragma once

#include <cstddef>
#include <vector>

#include "pair_series.hpp"
#include "svsieve/contract.hpp"
#include "vector/kernels.hpp"

namespace svsieve {

// Rounding of a term in single precision, relative to a sum of magnitudes. Each number has been
// rounded once on its way into a product, and a product of narrow_depth terms rounds each at most so
// many times, whatever its order; the rest is double precision.
constexpr double narrow_rounding = (narrow_depth + 16) * 0x1p-24;
constexpr double narrow_share = 2e-6;
// What may be left out, in the same measure.
constexpr double series_cut = 5e-13;
constexpr double series_tolerance = narrow_rounding * narrow_share + series_cut;

// Adds to `out` the contraction of every column that the series is good enough for, and returns the
// positions of the others. A complete series is good for all; any other asks for outer weights that
// have a common part, and for columns in which pairs of rows differ as they do at random. The number
// of a column does not depend, in any bit, on the other columns.
std::vector<std::size_t> contract_by_series(const PairSeries& series, const ColumnBlock& block,
                                            const PairValues& pairs, const PairWeight& weight,
                                            MutableVector out);

}  // namespace svsieve
