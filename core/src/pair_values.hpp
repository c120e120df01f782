// Values of a profile over pairs of rows, read or computed.
#pragma once

#include <algorithm>
#include <cstddef>

#include "svsieve/contract.hpp"
#include "vector/kernels.hpp"

namespace svsieve {

// s of row k against the rows [start, stop), all picked; from the lower triangle.
inline void take_pairings(Matrix s, Indices rows, std::size_t k, std::size_t start,
                          std::size_t stop, double* out) {
    const double* source = s.row(rows[k]);
    const std::size_t own = std::clamp(k + 1, start, stop);
    for (std::size_t j = start; j < own; ++j) out[j - start] = source[rows[j]];
    for (std::size_t j = own; j < stop; ++j) out[j - start] = s(rows[j], rows[k]);
}

// profile(s) of the same pairs. The values at hand are those of the kernel itself; its slopes are
// the same function only for the exponential.
inline void take_profile(const PairValues& pairs, const Profile& profile, Indices rows,
                         std::size_t k, std::size_t start, std::size_t stop, double* out) {
    if (pairs.phi.data != nullptr && profile.kind == ProfileKind::Exponential) {
        const double* source = pairs.phi.row(rows[k]);
        for (std::size_t j = start; j < stop; ++j) out[j - start] = source[rows[j]];
        return;
    }
    take_pairings(pairs.s, rows, k, start, stop, out);
    vector_kernels().profile(profile, stop - start, out, out);
}

}  // namespace svsieve
