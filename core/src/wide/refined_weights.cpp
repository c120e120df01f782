#include "svsieve/refined_weights.hpp"

#include <stdexcept>

#include "wide/refinement.hpp"

namespace svsieve {

RefinedWeights refined_weights(Matrix x, const std::vector<std::size_t>& columns,
                               const DualProblem& problem, Vector coefficients, double most) {
    if (problem.total != 0.0) throw std::invalid_argument("the coefficients must sum to zero.");
    if (problem.size() != x.rows || coefficients.size() != x.rows)
        throw std::invalid_argument(
            "problem and coefficients must have an entry for each row of x.");
    RefinedProducts products(x, columns);
    Refinement refinement(problem, products);
    Refined point;
    RefinedWeights out;
    out.found = refinement.run(coefficients, most, point);
    out.spent = refinement.spent();
    if (!out.found) return out;
    out.weights = std::move(point.weights);
    out.error = point.error;
    out.rounding = Refinement::rounding;
    out.coefficients = std::move(point.coefficients);
    out.gap = point.gap;
    return out;
}

}  // namespace svsieve
