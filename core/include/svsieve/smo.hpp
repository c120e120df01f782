// Sequential minimal optimisation: the pairwise solver of the program in dual_problem.hpp.
//
// One iteration moves the pair (i, j) along b_i += t, b_j -= t, which keeps the sum. The pair is
// the second-order choice of Fan, Chen and Lin (JMLR 6, 2005, WSS 2): i has the smallest gradient
// among the rows that can grow, j the largest decrease (g_j - g_i)^2 / (K_ii + K_jj - 2 K_ij) among
// those that can shrink.
#pragma once

#include <cstddef>
#include <vector>

#include "svsieve/dual_problem.hpp"
#include "svsieve/kernel_rows.hpp"

namespace svsieve {

// A feasible point with its gradient: what every part of the solver hands to the next.
struct DualState {
    std::vector<double> coefficients;
    std::vector<double> gradient;
    long iterations = 0;
};

// gradient = (K + Diag(ridge)) b + linear, computed anew.
void recompute_gradient(const DualProblem& problem, RowSource& rows, DualState& state);

// The accuracy that rounding leaves to a gradient: asking for less is luck.
double precision_floor(const DualProblem& problem, RowSource& rows, Vector coefficients);

// Pair steps until the KKT gap (unscaled) is at most `tolerance` or `max_iterations` were made.
// Returns the gap reached.
double run_smo(const DualProblem& problem, RowSource& rows, DualState& state, double tolerance,
               long max_iterations);

}  // namespace svsieve
