// A column removed from a polynomial kernel, for many columns at once. With weights b b',
//
//   sum_kj b_k b_j [(B_kj - z_k z_j)^p - B_kj^p] = sum_q c_q sum_kj b_k b_j B_kj^(p-q) (z_k z_j)^q,
//
// c_q = binomial(p, q) (-1)^q, is a quadratic form of the column for each q. In many columns rows
// have little to do with each other: B_kj is near l_k l_j but for the diagonal, and the forms with
// (l_k l_j)^e in place of B_kj^e need no matrix but the sums of b_k l_k^e z_k^q alone. The diagonal
// is computed as it stands. What is left is of either sign and small, and smaller for each q. Its
// first forms are computed in double precision, those that are small enough in single precision,
// twice as fast, and those that are together below `power_cut` of the whole not at all.
//
// The whole is sum_kj |c_1 b_k b_j (l_k l_j)^(p-1) z_k z_j|, the size of what changes. Equal entries
// are rounded alike: the errors of single precision are taken to be all of one sign, but for those
// of the steps of a sum, and may come to `narrow_tolerance`. That the steps do not all err to one side
// in rows of few kinds, the l_k are random numbers, near those that fit best. Measured were errors of
// 1e-13 of the whole, and of 3e-11 in tables of two or three kinds of rows.
#pragma once

#include <cstddef>
#include <vector>

#include "gathered.hpp"
#include "svsieve/contract.hpp"

namespace svsieve {

constexpr double narrow_tolerance = 1e-10;
constexpr double power_cut = 3e-11;
constexpr double power_tolerance = narrow_tolerance + power_cut;

// Adds to `out` the change of every column that the forms are good and fast enough for, and returns
// the positions of the others. The number of a column does not depend, in any bit, on the other
// columns.
std::vector<std::size_t> remove_power_by_forms(const Profile& profile, const ColumnBlock& block,
                                               const PairValues& pairs, const PairWeight& weight,
                                               MutableVector out);

// The pairs of a row with itself: sum_k weights_k [(bases_k - z_k^2)^degree - bases_k^degree], for
// several bases in one pass.
struct OwnPairs {
    std::vector<double> bases, weights;
};
void add_own_removals(int degree, const Gathered& z, const std::vector<OwnPairs>& pairs,
                      MutableVector out);

}  // namespace svsieve
