// The one quadratic program behind every machine, and its solution.
//
//   min_b  1/2 b'(K + Diag(ridge)) b + linear'b     s.t.  lower <= b <= upper,  sum(b) = total
//
// Coefficients are signed: b = y * alpha for a support vector machine. With g the gradient and mu
// the multiplier of the sum, a feasible b is optimal iff
//
//   max { g_k : b_k > lower_k }  <=  mu  <=  min { g_k : b_k < upper_k },
//
// and the difference of the two sides, left minus right, is the KKT gap.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "svsieve/views.hpp"

namespace svsieve {

struct DualProblem {
    Vector linear;
    Vector lower;
    Vector upper;
    Vector ridge;
    double total = 0.0;
    // Gaps are reported, and compared with tolerances, after multiplication by this: nu * n for the
    // programs whose coefficients sum to one, so that a tolerance means the same for every machine.
    double gap_unit = 1.0;

    std::size_t size() const { return linear.size(); }
};

// Throws std::invalid_argument, saying which array breaks which rule. Whether a point is feasible is
// for `feasible_point` to say.
void check(const DualProblem& problem);

enum class Stopped { Converged, IterationLimit, Unbounded, PrecisionFloor };

struct DualSolution {
    std::vector<double> coefficients;
    std::vector<double> gradient;
    double offset = 0.0;  // -mu: the constant of the decision function
    double objective = 0.0;
    double kkt_gap = 0.0;
    long iterations = 0;
    Stopped stopped = Stopped::Converged;
};

// Left and right side of the optimality condition above.
struct KktInterval {
    double low_max;  // max g over rows that can shrink
    double up_min;   // min g over rows that can grow
    double gap() const { return low_max - up_min; }
};

KktInterval kkt_interval(const DualProblem& problem, Vector coefficients, Vector gradient);

}  // namespace svsieve
