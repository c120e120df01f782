// The solver: pair steps to a moderate gap, then the active set where it is the cheaper way on.
#pragma once

#include "svsieve/dual_problem.hpp"
#include "svsieve/kernel_rows.hpp"

namespace svsieve {

struct SolveOptions {
    double tolerance = 1e-3;   // on the KKT gap times gap_unit
    long max_iterations = -1;  // pair steps; -1: ten million, or 2000 a row
    bool shrinking = true;
    bool polish = true;  // false: pair steps alone
};

// `start` must be feasible. Warm starts change the time, not the solution.
DualSolution solve(const DualProblem& problem, RowSource& rows, Vector start,
                   const SolveOptions& options);

}  // namespace svsieve
