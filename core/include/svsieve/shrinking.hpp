// Shrinking: rows that rest firmly at a bound are left out for a while.
//
// What remains is the same program on fewer rows: the fixed coefficients enter its linear term and
// its total. So the smaller program is solved by the same routine, on a restricted row source, and
// needs no bookkeeping inside the solver's loop. Afterwards the gradient of the rows left out is
// brought up to date and the full program is tested.
#pragma once

#include "svsieve/smo.hpp"

namespace svsieve {

// As run_smo, with shrinking.
double run_smo_shrinking(const DualProblem& problem, RowSource& rows, DualState& state,
                         double tolerance, long max_iterations);

}  // namespace svsieve
