#include "svsieve/solve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "svsieve/active_set.hpp"
#include "svsieve/shrinking.hpp"
#include "svsieve/smo.hpp"

namespace svsieve {

namespace {

// Costs in seconds, measured once on one core; only their ratio decides, and only about speed.
constexpr double seconds_per_factor_flop = 1.0 / 2.0e10;
constexpr double seconds_per_row_entry = 1.5e-9;

constexpr double moderate_gap = 1e-3;  // where pair steps have done what they are good at
constexpr int verifications = 6;

std::size_t count_free(const DualProblem& problem, const DualState& state) {
    std::size_t free = 0;
    for (std::size_t k = 0; k < problem.size(); ++k) {
        free +=
            state.coefficients[k] > problem.lower[k] && state.coefficients[k] < problem.upper[k];
    }
    return free;
}

// What is added to `linear` before solving. With coefficients of a fixed sum a constant changes no
// solution. Where C is small, the rows that do not end at their bound are those of the side with more
// room, and their gradients differ by far less than the 1 that `linear` puts in: with the constant of
// that side taken off they keep their digits.
double shift_of(const DualProblem& problem) {
    double up = 0.0, down = 0.0;
    for (std::size_t k = 0; k < problem.size(); ++k) {
        up += std::max(problem.upper[k], 0.0);
        down += std::max(-problem.lower[k], 0.0);
    }
    if (up == down || !std::isfinite(std::max(up, down))) return 0.0;
    double shift = 0.0;
    bool first = true;
    for (std::size_t k = 0; k < problem.size(); ++k) {
        const double room = up > down ? problem.upper[k] : -problem.lower[k];
        if (!(room > 0.0)) continue;
        if (!first && problem.linear[k] != -shift) return 0.0;
        shift = -problem.linear[k];
        first = false;
    }
    return shift;
}

std::vector<double> shifted(Vector linear, double shift) {
    std::vector<double> moved(linear.begin(), linear.end());
    for (double& value : moved) value += shift;
    return moved;
}

// Carries one solve: the point, how fast pair steps converge, and whether to hand over.
class Session {
  public:
    Session(const DualProblem& problem, RowSource& rows, Vector start, const SolveOptions& options)
        : given_(problem),
          shift_(shift_of(problem)),
          linear_(shifted(problem.linear, shift_)),
          problem_(problem),
          rows_(rows),
          options_(options),
          tolerance_(options.tolerance / problem.gap_unit) {
        problem_.linear = linear_;
        limit_ = options.max_iterations;
        if (limit_ < 0)
            limit_ = std::max<long>(10'000'000, 2000 * static_cast<long>(problem.size()));
        state_.coefficients.assign(start.begin(), start.end());
        for (std::size_t k = 0; k < problem.size(); ++k) {
            state_.coefficients[k] =
                std::clamp(state_.coefficients[k], problem.lower[k], problem.upper[k]);
        }
        recompute_gradient(problem_, rows_, state_);
    }

    // A gap is judged against the range of decision values where that is below the width of the
    // margin: with a small C, or a small kernel, it may be a millionth of it.
    DualSolution run() {
        Stopped stopped = converge();
        for (int round = 0; round < verifications && stopped == Stopped::Converged; ++round) {
            const double wanted = options_.tolerance / problem_.gap_unit * share_of_margin();
            if (!(wanted < tolerance_)) break;
            tolerance_ = wanted;
            best_gap_ = std::numeric_limits<double>::infinity();
            turns_ = 0;
            if (gap() > tolerance_) stopped = converge();
        }
        return result(stopped);
    }

  private:
    Stopped converge() {
        Stopped stopped = Stopped::Converged;
        for (int round = 0; round < verifications; ++round) {
            stopped = descend();
            if (stopped != Stopped::Converged) break;
            // A gradient updated many thousand times has lost digits that a tight gap asks for.
            if (options_.tolerance >= 1e-5 || drift() <= 0.01 * tolerance_) break;
            recompute_gradient(problem_, rows_, state_);
            fresh_since_ = state_.iterations;
            if (gap() <= tolerance_) break;
            if (gap() <= floor() || round + 1 == verifications) {
                stopped = Stopped::PrecisionFloor;
                break;
            }
        }
        return stopped;
    }

    // Half the range of (K + ridge) b over the rows that take part, at most 1, and not so little that
    // rounding alone would exceed the tolerance; 1 for descriptions of one class, whose gap has a unit
    // of its own.
    double share_of_margin() {
        if (problem_.total != 0.0) return 1.0;
        double least = std::numeric_limits<double>::infinity(), most = -least;
        for (std::size_t k = 0; k < problem_.size(); ++k) {
            if (!(problem_.lower[k] < problem_.upper[k])) continue;
            const double value = state_.gradient[k] - problem_.linear[k];
            least = std::min(least, value);
            most = std::max(most, value);
        }
        const double rounding = floor() * problem_.gap_unit / options_.tolerance;
        const double share = std::max(0.5 * (most - least), rounding);
        return share > 0.0 ? std::min(share, 1.0) : 1.0;
    }

    double gap() const {
        return kkt_interval(problem_, state_.coefficients, state_.gradient).gap();
    }
    // What rounding may have added to the gradient since it was last computed from the coefficients:
    // in each pair step, of its size and of what it changes.
    double drift() const {
        double widest = 0.0, largest = 0.0, steepest = 0.0;
        for (std::size_t k = 0; k < problem_.size(); ++k) {
            widest = std::max(widest, problem_.upper[k] - problem_.lower[k]);
            largest = std::max(largest, rows_.diagonal()[k] + problem_.ridge[k]);
            steepest = std::max(steepest, std::abs(state_.gradient[k]));
        }
        return static_cast<double>(state_.iterations - fresh_since_) *
               std::numeric_limits<double>::epsilon() * (4.0 * widest * largest + steepest);
    }

    double floor() { return precision_floor(problem_, rows_, state_.coefficients); }

    double pair_steps(double target, long steps) {
        return options_.shrinking ? run_smo_shrinking(problem_, rows_, state_, target, steps)
                                  : run_smo(problem_, rows_, state_, target, steps);
    }

    // Pair steps go from one tenfold smaller gap to the next. They hand over to the active set
    // where it is the cheaper way to the end, judged at a moderate gap by the speed of the last
    // decade; and, far from any gap, once they have taken as long as the active set is thought to
    // take.
    Stopped descend() {
        double target = std::max(tolerance_, 10.0 * moderate_gap / problem_.gap_unit);
        if (options_.tolerance >= moderate_gap) target = tolerance_;
        long decade = 0;  // steps since the last target
        while (true) {
            const long before = state_.iterations;
            const long chunk = 2 * static_cast<long>(problem_.size()) + 500;
            const double reached = pair_steps(target, std::min(chunk, limit_ - state_.iterations));
            const long made = state_.iterations - before;
            decade += made;
            slow_steps_ += made;
            if (reached <= tolerance_) return Stopped::Converged;
            if (state_.iterations >= limit_) return Stopped::IterationLimit;
            const bool arrived = reached <= target;
            const bool stuck = !arrived && made < chunk;
            bool hand_over = stuck || step_seconds(slow_steps_) > patience_ * polish_seconds();
            if (arrived) {
                const bool moderate = target <= moderate_gap / problem_.gap_unit;
                const double decades = std::log10(target / tolerance_);
                hand_over = moderate && polish_seconds() < step_seconds(decade) * decades;
                target = std::max(tolerance_, target / 10.0);
                decade = slow_steps_ = 0;
            }
            if (!hand_over) continue;
            slow_steps_ = 0;
            if (options_.polish && polish_is_possible()) {
                const std::vector<double> before_polish = state_.coefficients;
                ActiveSet active(problem_, rows_, state_);
                const auto outcome =
                    active.run(tolerance_, 4 * static_cast<long>(problem_.size()) + 1000);
                if (outcome == ActiveSet::Outcome::Unbounded) return Stopped::Unbounded;
                patience_ *= 4.0;
                const auto& b = state_.coefficients;
                if (!std::all_of(b.begin(), b.end(), [](double v) { return std::isfinite(v); })) {
                    state_.coefficients = before_polish;
                }
            } else if (!stuck) {
                continue;
            }
            recompute_gradient(problem_, rows_, state_);
            if (gap() <= tolerance_) return Stopped::Converged;
            if (gap() <= floor() || !progress()) return Stopped::PrecisionFloor;
        }
    }

    // False when neither pair steps nor the active set have halved the gap in three turns.
    bool progress() {
        if (gap() < 0.5 * best_gap_) {
            best_gap_ = gap();
            turns_ = 0;
        }
        return ++turns_ <= 3;
    }

    // Rows that cannot all be held would be computed anew at every move.
    bool polish_is_possible() const { return count_free(problem_, state_) <= rows_.capacity(); }

    double step_seconds(long steps) const {
        return static_cast<double>(steps) * seconds_per_row_entry *
               static_cast<double>(problem_.size() + 100);
    }

    double polish_seconds() const {
        const double n = static_cast<double>(problem_.size());
        const double f = static_cast<double>(count_free(problem_, state_));
        return f * f * f * seconds_per_factor_flop + 4.0 * f * n * seconds_per_row_entry + 1e-5;
    }

    // A coefficient that rounding has left next to its bound is at the bound: as a free row it would
    // fix the multiplier where no row does.
    void snap() {
        double near = 0.0;
        for (const double b : state_.coefficients) near = std::max(near, 1e-13 * std::abs(b));
        for (std::size_t k = 0; k < problem_.size(); ++k) {
            double& b = state_.coefficients[k];
            if (b - problem_.lower[k] <= near) b = problem_.lower[k];
            if (problem_.upper[k] - b <= near) b = problem_.upper[k];
        }
    }

    DualSolution result(Stopped stopped) {
        snap();
        DualSolution solution;
        const KktInterval interval = kkt_interval(problem_, state_.coefficients, state_.gradient);
        solution.offset = shift_ - multiplier(interval);
        solution.kkt_gap = std::max(0.0, interval.gap()) * problem_.gap_unit / share_of_margin();
        for (std::size_t k = 0; k < problem_.size(); ++k) {
            state_.gradient[k] -= shift_;
            solution.objective +=
                0.5 * state_.coefficients[k] * (state_.gradient[k] + given_.linear[k]);
        }
        solution.iterations = state_.iterations;
        solution.stopped = stopped;
        solution.coefficients = std::move(state_.coefficients);
        solution.gradient = std::move(state_.gradient);
        return solution;
    }

    // Mean gradient of the free rows; without any, the middle of the KKT interval.
    double multiplier(const KktInterval& interval) const {
        double sum = 0.0;
        std::size_t free = 0;
        for (std::size_t k = 0; k < problem_.size(); ++k) {
            if (state_.coefficients[k] > problem_.lower[k] &&
                state_.coefficients[k] < problem_.upper[k]) {
                sum += state_.gradient[k];
                ++free;
            }
        }
        if (free > 0) return sum / static_cast<double>(free);
        if (!std::isfinite(interval.low_max) && !std::isfinite(interval.up_min)) return 0.0;
        if (!std::isfinite(interval.low_max)) return interval.up_min;
        if (!std::isfinite(interval.up_min)) return interval.low_max;
        return 0.5 * (interval.low_max + interval.up_min);
    }

    const DualProblem& given_;
    const double shift_;
    const std::vector<double> linear_;
    DualProblem problem_;  // with the shifted `linear`
    RowSource& rows_;
    const SolveOptions& options_;
    double tolerance_;
    long limit_;
    long fresh_since_ = 0;   // iterations when the gradient was last computed from the coefficients
    long slow_steps_ = 0;    // since the last target or hand-over
    double patience_ = 1.0;  // pair steps per active set, in time; grows when it did not help
    int turns_ = 0;
    double best_gap_ = std::numeric_limits<double>::infinity();
    DualState state_;
};

}  // namespace

DualSolution solve(const DualProblem& problem, RowSource& rows, Vector start,
                   const SolveOptions& options) {
    check(problem);
    if (start.size() != problem.size() || rows.size() != problem.size()) {
        throw std::invalid_argument("start, rows and problem must have the same length");
    }
    if (!(options.tolerance > 0)) throw std::invalid_argument("the tolerance must be positive");
    double sum = 0.0, mass = std::abs(problem.total);
    for (std::size_t k = 0; k < start.size(); ++k) {
        if (!(start[k] >= problem.lower[k] && start[k] <= problem.upper[k])) {
            throw std::invalid_argument("the start is outside its bounds in row " +
                                        std::to_string(k));
        }
        sum += start[k];
        mass += std::abs(start[k]);
    }
    if (!(std::abs(sum - problem.total) <= 1e-9 * std::max(mass, 1e-300))) {
        throw std::invalid_argument("the start does not sum to the total");
    }
    return Session(problem, rows, start, options).run();
}

}  // namespace svsieve
