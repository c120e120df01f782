#include "svsieve/smo.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "svsieve/cancellation.hpp"
#include "vector/kernels.hpp"

namespace svsieve {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Which rows can grow and shrink, in the form the vector passes want.
struct Room {
    std::vector<double> up;   // 0 or +inf
    std::vector<double> low;  // 0 or -inf

    explicit Room(std::size_t n) : up(n), low(n) {}

    void note(const DualProblem& problem, const std::vector<double>& b, std::size_t k) {
        up[k] = b[k] < problem.upper[k] ? 0.0 : infinity;
        low[k] = b[k] > problem.lower[k] ? 0.0 : -infinity;
    }
};

// Moves the pair by at most `step`; lands exactly on a bound that is in the way. Returns the move
// made.
double move_pair(const DualProblem& problem, std::vector<double>& b, std::size_t i, std::size_t j,
                 double step) {
    const double room_i = problem.upper[i] - b[i];
    const double room_j = b[j] - problem.lower[j];
    const double t = std::min({step, room_i, room_j});
    b[i] = t == room_i ? problem.upper[i] : b[i] + t;
    b[j] = t == room_j ? problem.lower[j] : b[j] - t;
    return t;
}

}  // namespace

void recompute_gradient(const DualProblem& problem, RowSource& rows, DualState& state) {
    const std::size_t n = problem.size();
    state.gradient.assign(problem.linear.begin(), problem.linear.end());
    std::vector<std::size_t> settled;
    std::vector<double> factors;
    for (std::size_t k = 0; k < n; ++k) {
        const double b = state.coefficients[k];
        if (b == 0.0) continue;
        state.gradient[k] += problem.ridge[k] * b;
        if (b > problem.lower[k] && b < problem.upper[k]) {
            leave_if_cancelled();
            vector_kernels().add_scaled(n, b, rows.row(k), state.gradient.data());
        } else {  // most of these stay at their bound, and their rows are not needed again
            settled.push_back(k);
            factors.push_back(b);
        }
    }
    rows.add_rows(settled, factors, state.gradient.data());
}

double precision_floor(const DualProblem& problem, RowSource& rows, Vector coefficients) {
    double mass = 0.0, scale = 0.0;
    for (std::size_t k = 0; k < problem.size(); ++k) {
        mass += std::abs(coefficients[k]);
        scale = std::max(scale, rows.diagonal()[k] + problem.ridge[k]);
    }
    return 2.0 * std::numeric_limits<double>::epsilon() * mass * scale;
}

double run_smo(const DualProblem& problem, RowSource& rows, DualState& state, double tolerance,
               long max_iterations) {
    const VectorKernels& kernels = vector_kernels();
    const std::size_t n = problem.size();
    std::vector<double>& b = state.coefficients;
    std::vector<double>& g = state.gradient;

    std::vector<double> diagonal(rows.diagonal().begin(), rows.diagonal().end());
    for (std::size_t k = 0; k < n; ++k) diagonal[k] += problem.ridge[k];
    Room room(n);
    for (std::size_t k = 0; k < n; ++k) room.note(problem, b, k);

    Extremes extremes = kernels.scan(n, g.data(), room.up.data(), room.low.data());
    for (long made = 0; made < max_iterations; ++made) {
        leave_if_cancelled();
        if (!(extremes.low_max - extremes.up_min > tolerance)) break;
        const std::size_t i = extremes.up_index;
        const double* row_i = rows.row(i);
        const std::size_t j = kernels.choose_partner(n, g.data(), room.low.data(), row_i,
                                                     diagonal.data(), g[i], diagonal[i]);
        if (j == n) break;
        const double* row_j = rows.row(j);

        const double least = 1e-12 * (diagonal[i] > 0 ? diagonal[i] : 1.0);
        const double curvature = std::max(diagonal[i] + diagonal[j] - 2.0 * row_i[j], least);
        // Downhill for ever: not for pair steps to decide whether the program has an end.
        if (curvature == least && problem.upper[i] == infinity && problem.lower[j] == -infinity) {
            break;
        }
        const double before_i = b[i], before_j = b[j];
        const double t = move_pair(problem, b, i, j, (g[j] - g[i]) / curvature);
        if (b[i] == before_i && b[j] == before_j) break;  // below the last place of both

        room.note(problem, b, i);
        room.note(problem, b, j);
        g[i] += problem.ridge[i] * t;
        g[j] -= problem.ridge[j] * t;
        extremes =
            kernels.update_and_scan(n, t, row_i, row_j, g.data(), room.up.data(), room.low.data());
        ++state.iterations;
    }
    return extremes.low_max - extremes.up_min;
}

}  // namespace svsieve
