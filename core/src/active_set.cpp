#include "svsieve/active_set.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "svsieve/cancellation.hpp"
#include "svsieve/linalg.hpp"
#include "vector/kernels.hpp"

namespace svsieve {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Schur complement, relative to the scale, below which a row is taken to depend on F: the first
// where a bound ends the walk before the little curvature there is would, the second in any case.
constexpr double dependent = 1e-10;
constexpr double surely_dependent = 1e-13;
constexpr double suspicious = 1e-6;  // below, it is computed with care
constexpr int refinements = 12;

}  // namespace

ActiveSet::ActiveSet(const DualProblem& problem, RowSource& rows, DualState& state)
    : problem_(problem), rows_(rows), state_(state), pending_(problem.size(), 0.0) {
    const auto own = rows.diagonal();
    const std::size_t o =
        static_cast<std::size_t>(std::min_element(own.begin(), own.end()) - own.begin());
    const double* origin = rows.row(o);
    const double half = 0.5 * own[o];
    shift_.assign(origin, origin + problem.size());
    for (double& s : shift_) s -= half;
    double largest = 0.0, widest = 0.0;
    for (std::size_t k = 0; k < problem.size(); ++k) {
        largest = std::max(largest, rows.diagonal()[k]);
        widest = std::max(widest, diagonal(k));
    }
    scale_ = widest > 0 ? widest : 1.0;
    noise_ = 8.0 * std::numeric_limits<double>::epsilon() * largest;
}

// ---- the point

void ActiveSet::move(std::size_t row, double step) {
    state_.coefficients[row] += step;
    if (pending_[row] == 0.0) pending_rows_.push_back(row);
    pending_[row] += step;
}

void ActiveSet::fix_at_bound(std::size_t row, bool upper) {
    const double bound = upper ? problem_.upper[row] : problem_.lower[row];
    move(row, bound - state_.coefficients[row]);
    state_.coefficients[row] = bound;
}

// Brings the gradient up to date with the coefficients moved since the last time.
void ActiveSet::flush() {
    const std::size_t n = problem_.size();
    for (std::size_t row : pending_rows_) {
        const double step = pending_[row];
        pending_[row] = 0.0;
        if (step == 0.0) continue;
        vector_kernels().add_scaled(n, step, rows_.row(row), state_.gradient.data());
        state_.gradient[row] += problem_.ridge[row] * step;
    }
    pending_rows_.clear();
}

double ActiveSet::multiplier_guess() const {
    if (free_.empty()) {
        const KktInterval interval = kkt_interval(problem_, state_.coefficients, state_.gradient);
        return std::isfinite(interval.up_min) ? interval.up_min : interval.low_max;
    }
    double sum = 0.0;
    for (std::size_t row : free_) sum += state_.gradient[row];
    return sum / static_cast<double>(free_.size());
}

// ---- F and P

// Builds F and P from the rows strictly between their bounds.
void ActiveSet::factorise() {
    flush();
    std::vector<std::size_t> inside;
    for (std::size_t k = 0; k < problem_.size(); ++k) {
        if (state_.coefficients[k] > problem_.lower[k] &&
            state_.coefficients[k] < problem_.upper[k]) {
            inside.push_back(k);
        }
    }
    free_.clear();
    inverse_.clear();
    const std::size_t f = inside.size();
    if (f >= 2) {
        std::vector<double> block(f * f);
        const MutableMatrix q(block.data(), f, f);
        for (std::size_t i = 0; i < f; ++i) {
            leave_if_cancelled();
            const double* row = rows_.row(inside[i]);
            for (std::size_t j = 0; j < f; ++j) {
                q(i, j) = entry(row, inside[i], inside[j]);
            }
        }
        // A poor inverse will do, as long as refinement converges with it.
        if (inverse_.assign(q, noise_)) {
            free_ = inside;
            return;
        }
    }
    // Dependent rows: one by one, each dependent one walking to a bound.
    rebuilding_ = true;
    for (std::size_t row : inside) {
        while (state_.coefficients[row] > problem_.lower[row] &&
               state_.coefficients[row] < problem_.upper[row]) {
            if (enter(row) != Entry::Walked) break;
        }
        if (unbounded_) break;
    }
    rebuilding_ = false;
}

double ActiveSet::entry(const double* kernel_row, std::size_t i, std::size_t k) const {
    return i == k ? diagonal(i) : (kernel_row[k] - shift_[i]) - shift_[k];
}

// z = P u with u the row's column of the bordered matrix, and the Schur complement. Where that is
// small P may have lost the digits that matter: z is then refined against the matrix itself.
ActiveSet::Border ActiveSet::border(std::size_t row) {
    const std::size_t f = free_.size();
    Border border{std::vector<double>(f + 1), 0.0, problem_.ridge[row], noise_, true};
    std::vector<double> u(f + 1), residual(f + 1), correction(f + 1);
    const double* kernel_row = rows_.row(row);
    u[0] = 1.0;
    for (std::size_t k = 0; k < f; ++k) u[k + 1] = entry(kernel_row, row, free_[k]);
    std::vector<double>& z = border.z;
    inverse_.times(u.data(), z.data());
    const auto schur = [&] {
        double value = diagonal(row);
        for (std::size_t k = 0; k <= f; ++k) value -= u[k] * z[k];
        return value;
    };
    border.schur = schur();
    for (int round = 0; round < 3 && border.schur < suspicious * scale_; ++round) {
        residual[0] = u[0];
        for (std::size_t k = 0; k < f; ++k) {
            const double* other = rows_.row(free_[k]);
            residual[0] -= z[k + 1];
            residual[k + 1] = u[k + 1] - z[0];
            for (std::size_t j = 0; j < f; ++j) {
                residual[k + 1] -= entry(other, free_[k], free_[j]) * z[j + 1];
            }
        }
        inverse_.times(residual.data(), correction.data());
        double largest = 0.0, change = 0.0;
        for (std::size_t k = 0; k <= f; ++k) {
            z[k] += correction[k];
            if (k == 0) continue;  // the multiplier, in another unit
            largest = std::max(largest, std::abs(z[k]));
            change = std::max(change, std::abs(correction[k]));
        }
        border.schur = schur();
        border.reliable = change <= 1e-4 * largest;
        if (!std::isfinite(border.schur) || change <= 1e-12 * largest) break;
    }
    double mass = 1.0;
    for (std::size_t k = 0; k < f; ++k) {
        border.ridge += problem_.ridge[free_[k]] * z[k + 1] * z[k + 1];
        mass += std::abs(z[k + 1]);
    }
    border.noise *= mass * mass;
    // K is positive semi-definite, so the ridge is a lower bound that rounding cannot take away.
    border.schur = std::max(border.schur, border.ridge);
    return border;
}

// Borders P by a row, or, where the row depends on F, walks a null direction to a bound.
ActiveSet::Entry ActiveSet::enter(std::size_t row) {
    leave_if_cancelled();
    ++moves_;
    if (free_.empty()) {
        free_.push_back(row);
        inverse_.start(diagonal(row));
        return Entry::Entered;
    }
    Border found = border(row);
    if (!found.reliable && !rebuilding_) {
        factorise();
        if (unbounded_ || free_.empty()) return Entry::Skipped;
        if (std::find(free_.begin(), free_.end(), row) != free_.end()) return Entry::Entered;
        found = border(row);
    }
    if (!found.reliable) return Entry::Skipped;
    if (!(found.schur > dependent * scale_) && found.ridge == 0.0) {
        const bool curved = found.schur > std::max(surely_dependent * scale_, found.noise);
        const Entry entry = walk_null_direction(row, found.z, curved ? found.schur : 0.0);
        if (entry != Entry::Entered || unbounded_) return entry;
    }
    free_.push_back(row);
    inverse_.append(found.z.data(), found.schur);
    return Entry::Entered;
}

// Removes the row at `position` of F from P.
void ActiveSet::leave(std::size_t position) {
    ++moves_;
    inverse_.remove(position);
    std::swap(free_[position], free_.back());
    free_.pop_back();
}

// Moves `row` and F along a direction that changes no gradient on F (beyond a common constant),
// downhill, to the first bound. Entered, with nothing moved, if the direction has a little
// curvature and no bound comes before its minimum: the row may be bordered. Skipped if the only way
// is uphill.
ActiveSet::Entry ActiveSet::walk_null_direction(std::size_t row, const std::vector<double>& z,
                                                double curvature) {
    const std::size_t f = free_.size();
    flush();
    double slope = state_.gradient[row];
    for (std::size_t k = 0; k < f; ++k) slope -= z[k + 1] * state_.gradient[free_[k]];
    double sign = slope > 0 ? -1.0 : 1.0;
    if (state_.coefficients[row] <= problem_.lower[row]) sign = 1.0;
    if (state_.coefficients[row] >= problem_.upper[row]) sign = -1.0;
    if (sign * slope > 0) return Entry::Skipped;

    // Entries that are rounding alone must not stop a walk, nor keep one from being endless.
    double largest = 1.0;
    for (std::size_t k = 0; k < f; ++k) largest = std::max(largest, std::abs(z[k + 1]));
    std::vector<double> direction(f);
    for (std::size_t k = 0; k < f; ++k) {
        direction[k] = std::abs(z[k + 1]) > 1e-13 * largest ? -sign * z[k + 1] : 0.0;
    }
    const auto room = [&](std::size_t k, double along) {
        if (along > 0) return (problem_.upper[k] - state_.coefficients[k]) / along;
        if (along < 0) return (problem_.lower[k] - state_.coefficients[k]) / along;
        return infinity;
    };
    double step = room(row, sign);
    std::size_t blocked = f;  // f: the row itself
    for (std::size_t k = 0; k < f; ++k) {
        const double here = room(free_[k], direction[k]);
        if (here < step) {
            step = here;
            blocked = k;
        }
    }
    if (curvature > 0 && !(step < std::abs(slope) / curvature)) return Entry::Entered;
    if (step == infinity) {
        unbounded_ = true;
        return Entry::Skipped;
    }
    if (blocked == f) {
        fix_at_bound(row, sign > 0);
    } else {
        move(row, sign * step);
    }
    for (std::size_t k = 0; k < f; ++k) {
        if (k == blocked) {
            fix_at_bound(free_[k], direction[k] > 0);
        } else if (direction[k] != 0.0) {
            move(free_[k], direction[k] * step);
        }
    }
    if (blocked != f) leave(blocked);
    flush();
    return Entry::Walked;
}

// ---- the iteration

// P times the residual. The sum must come out right whatever the state of P: what is missing is
// added along the direction in which P itself changes the sum.
void ActiveSet::newton_step(const std::vector<double>& residual, std::vector<double>& step) {
    step.assign(free_.size() + 1, 0.0);
    const MutableMatrix p = inverse_.matrix();
    inverse_.times(residual.data(), step.data());
    double missing = residual[0], direction = 0.0;
    for (std::size_t k = 1; k < step.size(); ++k) {
        missing -= step[k];
        direction += p(0, k);
    }
    if (!(std::abs(direction) > 0.1)) return;
    for (std::size_t k = 1; k < step.size(); ++k) step[k] += missing / direction * p(0, k);
}

// Newton steps on F until its gradient is level. False if refinement stalls above the floor.
bool ActiveSet::settle() {
    double previous = infinity;
    for (int round = 0; round < refinements; ++round) {
        leave_if_cancelled();
        flush();
        if (free_.empty()) return true;
        multiplier_ = multiplier_guess();
        std::vector<double> residual(free_.size() + 1), step;
        residual[0] = problem_.total;
        double mass = std::abs(problem_.total), worst = 0.0;
        for (double b : state_.coefficients) {
            residual[0] -= b;
            mass += std::abs(b);
        }
        const bool sums_up = std::abs(residual[0]) <= 1e-14 * mass;
        for (std::size_t k = 0; k < free_.size(); ++k) {
            residual[k + 1] = multiplier_ - state_.gradient[free_[k]];
            worst = std::max(worst, std::abs(residual[k + 1]));
        }
        if (worst <= floor_ && sums_up) return true;
        if (worst > std::max(floor_, 0.1 * previous)) {
            if (worst <= 10.0 * floor_ && sums_up) return true;
            if (round > refinements / 2) return false;
            factorise();
            if (unbounded_) return false;
            previous = infinity;
            continue;
        }
        previous = worst;
        while (!free_.empty()) {
            newton_step(residual, step);
            double t = 1.0;
            std::size_t blocked = free_.size();
            for (std::size_t k = 0; k < free_.size(); ++k) {
                const std::size_t row = free_[k];
                const double d = step[k + 1], b = state_.coefficients[row];
                const double room = d > 0   ? (problem_.upper[row] - b) / d
                                    : d < 0 ? (problem_.lower[row] - b) / d
                                            : 1.0;
                if (room < t) {
                    t = std::max(0.0, room);
                    blocked = k;
                }
            }
            for (std::size_t k = 0; k < free_.size(); ++k) {
                if (k == blocked) {
                    fix_at_bound(free_[k], step[k + 1] > 0);
                } else if (step[k + 1] != 0.0) {
                    move(free_[k], t * step[k + 1]);
                }
            }
            if (blocked == free_.size()) break;
            previous = infinity;
            for (double& r : residual) r *= 1.0 - t;
            std::swap(residual[blocked + 1], residual.back());
            residual.pop_back();
            leave(blocked);
        }
    }
    return false;
}

std::vector<std::size_t> ActiveSet::violators(double tolerance, std::size_t most) const {
    std::vector<std::pair<double, std::size_t>> found;
    for (std::size_t k = 0; k < problem_.size(); ++k) {
        const double b = state_.coefficients[k], g = state_.gradient[k];
        const bool grows = b<problem_.upper[k], shrinks = b> problem_.lower[k];
        if (grows == shrinks) continue;  // free, or pinned by equal bounds
        const double violation = grows ? multiplier_ - g : g - multiplier_;
        if (violation > tolerance) found.emplace_back(-violation, k);
    }
    const std::size_t count = std::min(most, found.size());
    std::partial_sort(found.begin(), found.begin() + static_cast<long>(count), found.end());
    std::vector<std::size_t> rows(count);
    for (std::size_t k = 0; k < count; ++k) rows[k] = found[k].second;
    return rows;
}

ActiveSet::Outcome ActiveSet::run(double tolerance, long max_moves) {
    floor_ =
        std::max(0.02 * tolerance, 0.5 * precision_floor(problem_, rows_, state_.coefficients));
    factorise();
    std::size_t batch = 16;  // several at a time while far away; one at a time cannot cycle
    for (long round = 0; moves_ <= max_moves; ++round) {
        if (unbounded_) return Outcome::Unbounded;
        if (!settle()) return unbounded_ ? Outcome::Unbounded : Outcome::Stalled;
        multiplier_ = multiplier_guess();
        const double limit = free_.empty() ? tolerance : 0.5 * tolerance - floor_;
        const std::vector<std::size_t> entering = violators(std::max(limit, floor_), batch);
        if (entering.empty()) {
            const double gap = kkt_interval(problem_, state_.coefficients, state_.gradient).gap();
            return gap <= tolerance ? Outcome::Converged : Outcome::Stalled;
        }
        for (std::size_t row : entering) {
            const double b = state_.coefficients[row];
            const bool at_bound = b <= problem_.lower[row] || b >= problem_.upper[row];
            if (!at_bound || std::find(free_.begin(), free_.end(), row) != free_.end()) continue;
            while (enter(row) == Entry::Walked) {
                // The walk ended at a bound of the row itself: it has changed sides and waits its
                // turn.
                const double now = state_.coefficients[row];
                if (now <= problem_.lower[row] || now >= problem_.upper[row]) break;
            }
            if (unbounded_) return Outcome::Unbounded;
            if (free_.size() == 1) break;  // a lone row cannot move: level the multiplier first
        }
        if (round >= 12) batch = 1;
    }
    flush();
    return Outcome::Stalled;
}

}  // namespace svsieve
