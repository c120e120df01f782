// The weights of one linear machine in twice the precision: see wide/refinement.hpp.
#pragma once

#include <cstddef>
#include <vector>

#include "svsieve/dual_problem.hpp"
#include "svsieve/views.hpp"

namespace svsieve {

struct RefinedWeights {
    bool found = false;           // within so many multiplications
    double spent = 0.0;           // of them
    std::vector<double> weights;  // of the columns named
    double error = 0.0;           // of every weight, besides `rounding` |b| |x| and the last digit
    double rounding = 0.0;
    std::vector<double> coefficients;
    double gap = 0.0;
};

// `problem`, whose total must be 0, on these columns of x; `coefficients` are close to its optimum.
RefinedWeights refined_weights(Matrix x, const std::vector<std::size_t>& columns,
                               const DualProblem& problem, Vector coefficients, double most);

}  // namespace svsieve
