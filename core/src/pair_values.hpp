// Values of a profile over pairs of rows, read or computed.
#pragma once

#include <algorithm>
#include <cstddef>

#include "svsieve/contract.hpp"
#include "vector/kernels.hpp"

namespace svsieve {

// Whether no row is left out between the first and the last of [start, stop).
inline bool side_by_side(Indices rows, std::size_t start, std::size_t stop) {
    return start < stop && rows[stop - 1] - rows[start] == stop - start - 1;
}

// The entries of a row at the picked places [start, stop), which ascend. Most pick nearly all rows:
// where no place is left out in between, the entries stand side by side.
inline void take_entries(const double* source, Indices rows, std::size_t start, std::size_t stop,
                         double* out) {
    if (start == stop) return;
    const std::size_t count = stop - start;
    if (side_by_side(rows, start, stop)) {
        std::copy_n(source + rows[start], count, out);
    } else if (count <= 8) {
        for (std::size_t j = start; j < stop; ++j) out[j - start] = source[rows[j]];
    } else {
        const std::size_t middle = start + count / 2;
        take_entries(source, rows, start, middle, out);
        take_entries(source, rows, middle, stop, out + (middle - start));
    }
}

// s of row k against the rows [start, stop), all picked; from the lower triangle.
inline void take_pairings(Matrix s, Indices rows, std::size_t k, std::size_t start,
                          std::size_t stop, double* out) {
    const double* source = s.row(rows[k]);
    const std::size_t own = std::clamp(k + 1, start, stop);
    take_entries(source, rows, start, own, out);
    for (std::size_t j = own; j < stop; ++j) out[j - start] = s(rows[j], rows[k]);
}

// profile(s) of the same pairs. The values at hand are those of the kernel itself; its slopes are
// the same function only for the exponential.
inline void take_profile(const PairValues& pairs, const Profile& profile, Indices rows,
                         std::size_t k, std::size_t start, std::size_t stop, double* out) {
    if (pairs.phi.data != nullptr && profile.kind == ProfileKind::Exponential) {
        take_entries(pairs.phi.row(rows[k]), rows, start, stop, out);
        return;
    }
    if (stop <= k + 1 && side_by_side(rows, start, stop)) {  // no copy
        const double* source = pairs.s.row(rows[k]) + rows[start];
        vector_kernels().profile(profile, stop - start, source, out);
        return;
    }
    take_pairings(pairs.s, rows, k, start, stop, out);
    vector_kernels().profile(profile, stop - start, out, out);
}

}  // namespace svsieve
