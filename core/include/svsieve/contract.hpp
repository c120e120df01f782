// The contractions of a symmetric pair weight M with a kernel, for all columns at once.
//
//   contract_slopes    sum_ik M_ik phi'(s_ik) t_j(i, k)                 a column scaled
//   contract_without   sum_ik M_ik [phi(s_ik - t_j(i, k)) - phi(s_ik)]  a column removed
//   contract_params    sum_ik M_ik d phi(s_ik) / d(ln gamma, coef0)     hyper-parameters
//
// Rows without weight drop out before: `rows` picks the others from the pairing matrix. Pairs are
// visited in square tiles or in strips of the lower triangle; sums are collected per block of rows
// and added in a fixed order, so results do not depend on the number of threads.
#pragma once

#include <cstddef>
#include <vector>

#include "svsieve/pairing.hpp"
#include "svsieve/profile.hpp"
#include "svsieve/views.hpp"

namespace svsieve {

// M over the picked rows: dense (symmetric), or scale * u u' where `dense` is empty.
struct PairWeight {
    Matrix dense;
    Vector outer;
    double scale = 1.0;

    double operator()(std::size_t i, std::size_t k) const {
        return dense.data != nullptr ? dense(i, k) : scale * outer[i] * outer[k];
    }
};

// What is known of all pairs of rows: S, of which the lower triangle is read, and, where they are at
// hand, the values phi(S) of the kernel, which then need not be computed again.
struct PairValues {
    Matrix s;
    Matrix phi;

    PairValues(Matrix s_, Matrix phi_ = {}) : s(s_), phi(phi_) {}
};

// Columns `columns` of the rows `rows` of a table, each column times its factor.
struct ColumnBlock {
    Matrix table;
    Indices rows;
    Indices columns;
    Vector factors;  // one per entry of `columns`
};

// Adds to `out` (one entry per column).
void contract_slopes(Pairing pairing, const Profile& profile, const ColumnBlock& block,
                     const PairValues& pairs, const PairWeight& weight, MutableVector out);

// True where contract_without has native tiles for the pair.
bool has_native_removal(Pairing pairing, ProfileKind kind);

void contract_without(Pairing pairing, const Profile& profile, const ColumnBlock& block,
                      const PairValues& pairs, const PairWeight& weight, MutableVector out);

struct ParamSlopes {
    double log_gamma = 0.0;
    double coef0 = 0.0;
};

ParamSlopes contract_params(const Profile& profile, Matrix s, Indices rows,
                            const PairWeight& weight);

}  // namespace svsieve
