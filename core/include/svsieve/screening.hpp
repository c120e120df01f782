// Contractions in single precision with bounds of their error: enough to tell which columns cannot
// be among the least, so that the others alone have to be contracted in double precision.
//
//   |approximation_l - contraction_l| <= bound_l
//
// holds for exact arithmetic, unless numbers fall below the range of doubles, and for what
// contract_without and contract_slopes return. The bound is infinite where a column is out of reach.
#pragma once

#include <cstddef>
#include <vector>

#include "svsieve/contract.hpp"

namespace svsieve {

struct Screened {
    std::vector<double> approximation;
    std::vector<double> bound;
};

enum class Screen { Removal, Slopes };

// True where there is a way to screen.
bool can_screen(Screen what, Pairing pairing, const Profile& profile);

// Columns are worked on for as long as they might be among the `count` + 1 of least magnitude, or be
// the one of largest.
Screened screen(Screen what, Pairing pairing, const Profile& profile, const ColumnBlock& block,
                const PairValues& pairs, const PairWeight& weight, std::size_t count);

}  // namespace svsieve
