#include "svsieve/active_set.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "svsieve/linalg.hpp"
#include "vector/kernels.hpp"

namespace svsieve {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Schur complement, relative to the scale, below which a row is taken to depend on F: the first
// where a bound ends the walk before the little curvature there is would, the second in any case.
constexpr double dependent = 1e-10;
constexpr double surely_dependent = 1e-13;
constexpr int refinements = 12;

}  // namespace

ActiveSet::ActiveSet(const DualProblem& problem, RowSource& rows, DualState& state)
    : problem_(problem), rows_(rows), state_(state), pending_(problem.size(), 0.0) {
    const double* origin = rows.row(0);
    const double half = 0.5 * origin[0];
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

// ---- the inverse

void ActiveSet::reserve(std::size_t dimension) {
    if (dimension <= stride_) return;
    const std::size_t wider = dimension + dimension / 2 + 16;
    std::vector<double> next(wider * wider, 0.0);
    const std::size_t size = free_.size() + 1;
    if (stride_ > 0) {
        for (std::size_t i = 0; i < size; ++i) {
            std::copy_n(inverse_.data() + i * stride_, size, next.data() + i * wider);
        }
    }
    inverse_.swap(next);
    stride_ = wider;
}

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
    const std::size_t f = inside.size();
    if (f >= 2) {
        reserve(f + 1);
        std::vector<double> block(f * f);
        const MutableMatrix q(block.data(), f, f);
        for (std::size_t i = 0; i < f; ++i) {
            const double* row = rows_.row(inside[i]);
            for (std::size_t j = 0; j < f; ++j) {
                q(i, j) = (row[inside[j]] - shift_[inside[i]]) - shift_[inside[j]];
            }
            q(i, i) = diagonal(inside[i]);
        }
        // A poor inverse will do, as long as refinement converges with it.
        if (invert_positive_definite(q, std::max(1e-13, 100.0 * noise_ / scale_))) {
            free_ = inside;
            MutableMatrix p = inverse();
            std::vector<double> v(f, 0.0);
            double sigma = 0.0;
            for (std::size_t i = 0; i < f; ++i) {
                for (std::size_t j = 0; j < f; ++j) v[i] += q(i, j);
                sigma += v[i];
            }
            p(0, 0) = -1.0 / sigma;
            for (std::size_t i = 0; i < f; ++i) {
                p(0, i + 1) = p(i + 1, 0) = v[i] / sigma;
                for (std::size_t j = 0; j < f; ++j) p(i + 1, j + 1) = q(i, j) - v[i] * v[j] / sigma;
            }
            return;
        }
    }
    // Dependent rows: one by one, each dependent one walking to a bound.
    for (std::size_t row : inside) {
        while (state_.coefficients[row] > problem_.lower[row] &&
               state_.coefficients[row] < problem_.upper[row]) {
            if (enter(row) || unbounded_) break;
        }
        if (unbounded_) return;
    }
}

// Borders P by a row. False where the row depended on F: a null direction was walked to a bound
// instead, and the caller may try again.
bool ActiveSet::enter(std::size_t row) {
    const std::size_t f = free_.size();
    reserve(f + 2);
    ++moves_;
    if (f == 0) {
        free_.push_back(row);
        MutableMatrix p = inverse();
        p(0, 0) = -diagonal(row);
        p(0, 1) = p(1, 0) = 1.0;
        p(1, 1) = 0.0;
        return true;
    }
    std::vector<double> u(f + 1), z(f + 1);
    const double* kernel_row = rows_.row(row);
    u[0] = 1.0;
    for (std::size_t k = 0; k < f; ++k) {
        u[k + 1] = (kernel_row[free_[k]] - shift_[row]) - shift_[free_[k]];
    }
    multiply(inverse(), u.data(), z.data());
    double schur = diagonal(row);
    for (std::size_t k = 0; k <= f; ++k) schur -= u[k] * z[k];
    double ridge_part = problem_.ridge[row];
    for (std::size_t k = 0; k < f; ++k)
        ridge_part += problem_.ridge[free_[k]] * z[k + 1] * z[k + 1];
    // K is positive semi-definite, so the ridge is a lower bound that rounding cannot take away.
    schur = std::max(schur, ridge_part);
    if (!(schur > dependent * scale_) && ridge_part == 0.0) {
        if (schur > std::max(surely_dependent * scale_, noise_)) {
            z.push_back(schur);  // a little curvature: used only if no bound is in the way
        }
        if (walk_null_direction(row, z)) return false;
        if (unbounded_) return false;
    }
    rank_one_update(inverse(), 1.0 / schur, z.data());
    free_.push_back(row);
    MutableMatrix p = inverse();
    for (std::size_t k = 0; k <= f; ++k) p(k, f + 1) = p(f + 1, k) = -z[k] / schur;
    p(f + 1, f + 1) = 1.0 / schur;
    return true;
}

// Removes the row at `position` of F from P.
void ActiveSet::leave(std::size_t position) {
    ++moves_;
    const std::size_t last = free_.size(), here = position + 1;
    MutableMatrix p = inverse();
    if (here != last) {
        for (std::size_t k = 0; k <= last; ++k) std::swap(p(here, k), p(last, k));
        for (std::size_t k = 0; k <= last; ++k) std::swap(p(k, here), p(k, last));
        std::swap(free_[position], free_.back());
    }
    std::vector<double> column(last);
    for (std::size_t k = 0; k < last; ++k) column[k] = p(last, k);
    const double pivot = p(last, last);
    free_.pop_back();
    if (free_.empty()) return;
    rank_one_update(inverse(), -1.0 / pivot, column.data());
}

// Moves `row` and F along a direction that changes no gradient on F (beyond a common constant),
// downhill, to the first bound. False, with nothing moved, if the direction has a little curvature
// after all and no bound comes before its minimum.
bool ActiveSet::walk_null_direction(std::size_t row, const std::vector<double>& z) {
    const std::size_t f = free_.size();
    const double curvature = z.size() > f + 1 ? z.back() : 0.0;
    flush();
    double slope = state_.gradient[row];
    for (std::size_t k = 0; k < f; ++k) slope -= z[k + 1] * state_.gradient[free_[k]];
    double sign = slope > 0 ? -1.0 : 1.0;
    if (state_.coefficients[row] <= problem_.lower[row]) sign = 1.0;
    if (state_.coefficients[row] >= problem_.upper[row]) sign = -1.0;

    const auto room = [&](std::size_t k, double direction) {
        if (direction > 0) return (problem_.upper[k] - state_.coefficients[k]) / direction;
        if (direction < 0) return (problem_.lower[k] - state_.coefficients[k]) / direction;
        return infinity;
    };
    double step = room(row, sign);
    std::size_t blocked = f;  // f: the row itself
    for (std::size_t k = 0; k < f; ++k) {
        const double here = room(free_[k], -sign * z[k + 1]);
        if (here < step) {
            step = here;
            blocked = k;
        }
    }
    if (curvature > 0 && !(step < std::abs(slope) / curvature)) return false;
    if (step == infinity) {
        unbounded_ = true;
        return false;
    }
    if (blocked == f) {
        fix_at_bound(row, sign > 0);
    } else {
        move(row, sign * step);
    }
    for (std::size_t k = 0; k < f; ++k) {
        const double direction = -sign * z[k + 1];
        if (k == blocked) {
            fix_at_bound(free_[k], direction > 0);
        } else if (direction != 0.0) {
            move(free_[k], direction * step);
        }
    }
    if (blocked != f) leave(blocked);
    flush();
    return true;
}

// ---- the iteration

// Newton steps on F until its gradient is level. False if refinement stalls above the floor.
bool ActiveSet::settle() {
    double previous = infinity;
    for (int round = 0; round < refinements; ++round) {
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
            step.assign(free_.size() + 1, 0.0);
            multiply(inverse(), residual.data(), step.data());
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
            while (!enter(row) && !unbounded_) {
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
