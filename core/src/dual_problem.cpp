#include "svsieve/dual_problem.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace svsieve {

namespace {

[[noreturn]] void refuse(const char* rule, std::size_t row, const std::string& values) {
    throw std::invalid_argument(std::string(rule) + " Row " + std::to_string(row) + " has " +
                                values + ".");
}

// The shortest digits that tell the number from all others.
std::string text(double value) {
    std::array<char, 32> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    return {digits.data(), end};
}

}  // namespace

void check(const DualProblem& problem) {
    const std::size_t n = problem.size();
    if (n == 0) throw std::invalid_argument("a dual problem needs at least one row.");
    if (problem.lower.size() != n || problem.upper.size() != n || problem.ridge.size() != n)
        throw std::invalid_argument("linear, lower, upper and ridge must have the same length.");
    for (std::size_t k = 0; k < n; ++k) {
        const double linear = problem.linear[k], ridge = problem.ridge[k];
        const double lower = problem.lower[k], upper = problem.upper[k];
        if (!std::isfinite(linear)) refuse("linear must be finite.", k, text(linear));
        if (!std::isfinite(ridge)) refuse("ridge must be finite.", k, text(ridge));
        if (ridge < 0) refuse("ridge must not be negative.", k, text(ridge));
        if (!(lower <= upper))
            refuse("lower must not exceed upper.", k, text(lower) + " and " + text(upper));
    }
    if (!std::isfinite(problem.total))
        throw std::invalid_argument("total must be finite. Got " + text(problem.total) + ".");
    if (!(std::isfinite(problem.gap_unit) && problem.gap_unit > 0))
        throw std::invalid_argument("gap_unit must be positive. Got " + text(problem.gap_unit) +
                                    ".");
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
