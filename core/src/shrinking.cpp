#include "svsieve/shrinking.hpp"

#include <algorithm>
#include <vector>

namespace svsieve {

namespace {

constexpr std::size_t smallest = 400;  // below, a pass over all rows costs nothing worth saving
constexpr double worthwhile = 0.6;     // shrink when at most this share of the rows stays

// Rows that do not rest at a bound with the gradient on the safe side of the KKT interval.
std::vector<std::size_t> unsettled_rows(const DualProblem& problem, const DualState& state) {
    const KktInterval interval = kkt_interval(problem, state.coefficients, state.gradient);
    std::vector<std::size_t> rows;
    for (std::size_t k = 0; k < problem.size(); ++k) {
        const bool at_lower = state.coefficients[k] <= problem.lower[k];
        const bool at_upper = state.coefficients[k] >= problem.upper[k];
        const bool settled = (at_lower && at_upper) ||
                             (at_lower && state.gradient[k] > interval.low_max) ||
                             (at_upper && state.gradient[k] < interval.up_min);
        if (!settled) rows.push_back(k);
    }
    return rows;
}

std::vector<double> pick(Vector values, const std::vector<std::size_t>& rows) {
    std::vector<double> out(rows.size());
    for (std::size_t k = 0; k < rows.size(); ++k) out[k] = values[rows[k]];
    return out;
}

// Solves the program on `active` alone and brings the whole state up to date.
void solve_restricted(const DualProblem& problem, RowSource& rows, DualState& state,
                      const std::vector<std::size_t>& active, double tolerance,
                      long max_iterations) {
    const std::vector<double> lower = pick(problem.lower, active),
                              upper = pick(problem.upper, active);
    const std::vector<double> ridge = pick(problem.ridge, active);
    const std::vector<double> before = pick(state.coefficients, active);
    DualState inner{before, pick(state.gradient, active), 0};
    double total = 0.0;
    for (double b : before) total += b;
    // Pair steps know the linear term through the gradient only, so any array of the right length
    // stands for it here.
    const std::vector<double> linear = inner.gradient;
    const DualProblem part{linear, lower, upper, ridge, total, problem.gap_unit};
    {
        const auto fewer = rows.restricted(active);
        run_smo_shrinking(part, *fewer, inner, tolerance, max_iterations);
    }
    state.iterations += inner.iterations;

    std::vector<char> is_active(problem.size(), 0);
    for (std::size_t k : active) is_active[k] = 1;
    std::vector<std::size_t> others;
    for (std::size_t k = 0; k < problem.size(); ++k) {
        if (!is_active[k]) others.push_back(k);
    }
    for (std::size_t k = 0; k < active.size(); ++k) {
        state.coefficients[active[k]] = inner.coefficients[k];
        state.gradient[active[k]] = inner.gradient[k];
        const double change = inner.coefficients[k] - before[k];
        if (change == 0.0 || others.empty()) continue;
        const double* row = rows.row(active[k]);
        for (std::size_t other : others) state.gradient[other] += change * row[other];
    }
}

}  // namespace

double run_smo_shrinking(const DualProblem& problem, RowSource& rows, DualState& state,
                         double tolerance, long max_iterations) {
    const std::size_t n = problem.size();
    if (n < smallest) return run_smo(problem, rows, state, tolerance, max_iterations);
    const long first = state.iterations;
    long period = std::max<long>(1000, static_cast<long>(n) / 2);
    while (true) {
        const long left = max_iterations - (state.iterations - first);
        const long before = state.iterations;
        const double gap = run_smo(problem, rows, state, tolerance, std::min(period, left));
        const bool stuck = state.iterations - before < std::min(period, left);
        if (gap <= tolerance || stuck || state.iterations - first >= max_iterations) return gap;
        const std::vector<std::size_t> active = unsettled_rows(problem, state);
        if (static_cast<double>(active.size()) <= worthwhile * static_cast<double>(n) &&
            active.size() >= 2) {
            solve_restricted(problem, rows, state, active, tolerance,
                             max_iterations - (state.iterations - first));
            period *= 2;
        }
    }
}

}  // namespace svsieve
