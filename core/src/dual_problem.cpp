#include "svsieve/dual_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace svsieve {

void check(const DualProblem& problem) {
    const std::size_t n = problem.size();
    if (n == 0) throw std::invalid_argument("a dual problem needs at least one row");
    if (problem.lower.size() != n || problem.upper.size() != n || problem.ridge.size() != n) {
        throw std::invalid_argument("linear, lower, upper and ridge must have the same length");
    }
    double least = 0.0, most = 0.0;
    for (std::size_t k = 0; k < n; ++k) {
        if (!(problem.lower[k] <= problem.upper[k])) {
            throw std::invalid_argument("lower exceeds upper in row " + std::to_string(k));
        }
        if (!std::isfinite(problem.linear[k]) || !(problem.ridge[k] >= 0)) {
            throw std::invalid_argument("linear must be finite and ridge non-negative; see row " +
                                        std::to_string(k));
        }
        least += problem.lower[k];
        most += problem.upper[k];
    }
    const double slack = 1e-9 * std::max(1.0, std::abs(problem.total));
    if (!(least <= problem.total + slack && problem.total <= most + slack)) {
        throw std::invalid_argument("no coefficients within the bounds sum to " +
                                    std::to_string(problem.total));
    }
}

KktInterval kkt_interval(const DualProblem& problem, Vector coefficients, Vector gradient) {
    const double infinity = std::numeric_limits<double>::infinity();
    KktInterval interval{-infinity, infinity};
    for (std::size_t k = 0; k < problem.size(); ++k) {
        if (coefficients[k] > problem.lower[k])
            interval.low_max = std::max(interval.low_max, gradient[k]);
        if (coefficients[k] < problem.upper[k])
            interval.up_min = std::min(interval.up_min, gradient[k]);
    }
    return interval;
}

}  // namespace svsieve
