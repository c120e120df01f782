#include "wide/tracked_machine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "svsieve/solve.hpp"
#include "vector/kernels.hpp"

namespace svsieve {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double singular = 1e-7;    // s below which taking a column out leaves F dependent
constexpr double dependent = 1e-10;  // Schur complement, relative to the scale, of a dependent row
constexpr double least_gain = 0.05;  // a Newton step that leaves more than this points to a poor P
constexpr int gradient_life = 64;

std::size_t padded(std::size_t n) {
    return (n + row_padding - 1) / row_padding * row_padding;
}

}  // namespace

PaddedGram::PaddedGram(std::size_t n) : size(n), stride(padded(n)), values(n * stride, 0.0) {}

TrackedMachine::TrackedMachine(const DualProblem& problem, const PaddedGram& gram, double tolerance)
    : problem_(problem),
      gram_(gram),
      tolerance_(tolerance),
      n_(problem.size()),
      width_(padded(n_)),
      b_(width_, 0.0),
      g_(width_, 0.0),
      up_(width_, infinity),
      low_(width_, -infinity),
      label_(n_),
      step_(n_ + 1),
      u_(n_ + 1),
      z_(n_ + 1),
      residual_(n_ + 1) {
    for (std::size_t k = 0; k < n_; ++k) {
        const bool plays = problem_.lower[k] < problem_.upper[k];
        label_[k] = plays ? -problem_.linear[k] : 0.0;
        judged_ += label_[k] != 0.0;
        largest_ = std::max(largest_, std::abs(problem_.linear[k]));
    }
}

// ---- the point

void TrackedMachine::set_status(std::size_t row) {
    up_[row] = b_[row] < problem_.upper[row] ? 0.0 : infinity;
    low_[row] = b_[row] > problem_.lower[row] ? 0.0 : -infinity;
}

void TrackedMachine::recompute_gradient() {
    std::vector<std::size_t> rows;
    std::vector<double> values;
    mass_ = 0.0;
    for (std::size_t k = 0; k < n_; ++k) {
        g_[k] = problem_.linear[k] + problem_.ridge[k] * b_[k];
        mass_ += std::abs(b_[k]);
        if (b_[k] == 0.0) continue;
        rows.push_back(k);
        values.push_back(b_[k]);
    }
    vector_kernels().add_rows(rows.size(), rows.data(), values.data(), gram_.values.data(),
                              gram_.stride, width_, g_.data());
    since_gradient_ = 0;
}

// What rounding of the gradient leaves undecided.
double TrackedMachine::floor() const {
    return std::max(tolerance_, 3.0 * epsilon * mass_ * scale_);
}

double TrackedMachine::measure() {
    const Extremes seen = vector_kernels().scan(n_, g_.data(), up_.data(), low_.data());
    gap_ = seen.low_max - seen.up_min;
    if (free_.empty()) {
        mu_ = std::isfinite(seen.up_min) && std::isfinite(seen.low_max)
                  ? 0.5 * (seen.up_min + seen.low_max)
                  : (std::isfinite(seen.up_min) ? seen.up_min : seen.low_max);
    } else if (gap_ <= floor()) {
        // F is level, but mu may still be that of an earlier F.
        mu_ = std::clamp(mu_, std::min(seen.low_max, seen.up_min),
                         std::max(seen.low_max, seen.up_min));
    }
    return gap_;
}

double TrackedMachine::accuracy() const {
    const double *g = g_.data(), *b = b_.data(), *ridge = problem_.ridge.data();
    const double* y = label_.data();
    long long right = 0;
    for (std::size_t k = 0; k < n_; ++k) {
        const double f = g[k] - ridge[k] * b[k] + y[k] - mu_;
        right += y[k] * f > 0.0 ? 1 : 0;
    }
    return judged_ > 0 ? static_cast<double>(right) / static_cast<double>(judged_) : 0.0;
}

double TrackedMachine::multiplier() const {
    double low = -infinity, up = infinity;
    for (std::size_t k = 0; k < n_; ++k) {
        const bool shrinks = b_[k] > problem_.lower[k], grows = b_[k] < problem_.upper[k];
        if (shrinks && grows) return mu_;
        if (shrinks) low = std::max(low, g_[k]);
        if (grows) up = std::min(up, g_[k]);
    }
    return std::isfinite(low) && std::isfinite(up) ? 0.5 * (low + up) : mu_;
}

// Largest step <= limit along a direction on F that stays within the bounds, and who ends it.
double TrackedMachine::step_to_bound(const double* direction, double limit,
                                     std::size_t& blocked) const {
    double step = limit;
    blocked = free_.size();
    for (std::size_t k = 0; k < free_.size(); ++k) {
        const double d = direction[k], b = b_[free_[k]], reached = b + step * d;
        // Almost always the first bound is out of reach: no division then.
        const bool above = reached > problem_.upper[free_[k]];
        if (!(above || reached < problem_.lower[free_[k]]) || d == 0.0) continue;
        const double bound = above ? problem_.upper[free_[k]] : problem_.lower[free_[k]];
        step = std::max(0.0, (bound - b) / d);
        blocked = k;
    }
    return step;
}

// b_F += step * direction, the blocked row exactly to its bound; the gradient follows.
void TrackedMachine::apply(const double* direction, double step, std::size_t blocked) {
    for (std::size_t k = 0; k < free_.size(); ++k) {
        const std::size_t row = free_[k];
        double change = step * direction[k];
        if (k == blocked) {
            const double bound = direction[k] > 0 ? problem_.upper[row] : problem_.lower[row];
            change = bound - b_[row];
            b_[row] = bound;
        } else {
            b_[row] += change;
        }
        u_[k] = change;
        g_[row] += problem_.ridge[row] * change;
    }
    vector_kernels().add_rows(free_.size(), free_.data(), u_.data(), gram_.values.data(),
                              gram_.stride, width_, g_.data());
}

// ---- F and P

void TrackedMachine::leave(std::size_t position) {
    set_status(free_[position]);
    inverse_.remove(position);
    std::swap(free_[position], free_.back());
    free_.pop_back();
}

// Of a row that would enter F; z_ = P u, u its entries with F.
double TrackedMachine::schur_complement(std::size_t row) {
    const double* kernel_row = gram_.row(row);
    u_[0] = 1.0;
    for (std::size_t k = 0; k < free_.size(); ++k) u_[k + 1] = kernel_row[free_[k]];
    inverse_.times(u_.data(), z_.data());
    double schur = diagonal(row);
    for (std::size_t k = 0; k <= free_.size(); ++k) schur -= u_[k] * z_[k];
    return schur;
}

// Borders P by a row, or, where the row depends on F, walks to a bound. False if it cannot move.
bool TrackedMachine::enter(std::size_t row) {
    const double* kernel_row = gram_.row(row);
    while (true) {
        const std::size_t f = free_.size();
        if (f == 0) {
            inverse_.start(diagonal(row));
            free_.push_back(row);
            up_[row] = low_[row] = 0.0;
            mu_ = g_[row];
            return true;
        }
        const double schur = schur_complement(row);
        bool curved = schur > dependent * scale_;
        if (!curved) {
            // The row moves by `sign`, F by -sign z: no gradient on F changes.
            double slope = g_[row];
            for (std::size_t k = 0; k < f; ++k) slope -= z_[k + 1] * g_[free_[k]];
            const double sign = slope < 0 ? 1.0 : -1.0;
            if (sign > 0 ? b_[row] >= problem_.upper[row] : b_[row] <= problem_.lower[row]) {
                return false;
            }
            double* direction = residual_.data();
            double largest = 1.0;
            for (std::size_t k = 1; k <= f; ++k) largest = std::max(largest, std::abs(z_[k]));
            for (std::size_t k = 0; k < f; ++k) {
                const bool noise = std::abs(z_[k + 1]) <= 1e-13 * largest;
                direction[k] = noise ? 0.0 : -sign * z_[k + 1];
            }
            const double bound = sign > 0 ? problem_.upper[row] : problem_.lower[row];
            const double own = std::abs(bound - b_[row]);
            std::size_t blocked;
            const double step = step_to_bound(direction, own, blocked);
            if (step == infinity) {
                if (!(schur > 0)) return false;
                curved = true;
            } else {
                apply(direction, step, blocked);
                const double change = blocked == f ? bound - b_[row] : sign * step;
                b_[row] = blocked == f ? bound : b_[row] + change;
                g_[row] += problem_.ridge[row] * change;
                vector_kernels().add_scaled(width_, change, kernel_row, g_.data());
                set_status(row);
                if (blocked == f) return true;
                leave(blocked);
            }
        }
        if (!curved) continue;
        inverse_.append(z_.data(), schur);
        free_.push_back(row);
        up_[row] = low_[row] = 0.0;
        return true;
    }
}

// F and P from the rows strictly between their bounds.
void TrackedMachine::factorise() {
    std::vector<std::size_t> inside;
    scale_ = 0.0;
    for (std::size_t k = 0; k < n_; ++k) {
        scale_ = std::max(scale_, diagonal(k));
        set_status(k);
        if (b_[k] > problem_.lower[k] && b_[k] < problem_.upper[k]) inside.push_back(k);
    }
    if (!(scale_ > 0)) scale_ = 1.0;
    free_.clear();
    inverse_.clear();
    const std::size_t f = inside.size();
    if (f >= 2) {
        std::vector<double> block(f * f);
        for (std::size_t i = 0; i < f; ++i) {
            const double* row = gram_.row(inside[i]);
            for (std::size_t j = 0; j < f; ++j) block[i * f + j] = row[inside[j]];
            block[i * f + i] += problem_.ridge[inside[i]];
        }
        if (inverse_.assign(MutableMatrix(block.data(), f, f), dependent)) {
            free_ = inside;
            return;
        }
    }
    mu_ = inside.empty() ? mu_ : g_[inside[0]];
    for (const std::size_t row : inside) {
        const auto is_inside = [&] {
            return b_[row] > problem_.lower[row] && b_[row] < problem_.upper[row];
        };
        if (is_inside() && !enter(row)) break;
    }
}

// ---- the iteration

// One step to the optimum on F, or to the first bound on the way. False if P no longer serves.
bool TrackedMachine::newton() {
    const std::size_t f = free_.size();
    double sum = 0.0, worst = 0.0;
    for (std::size_t k = 0; k < n_; ++k) sum += b_[k];
    residual_[0] = -sum;
    for (std::size_t k = 0; k < f; ++k) {
        residual_[k + 1] = mu_ - g_[free_[k]];
        worst = std::max(worst, std::abs(residual_[k + 1]));
    }
    inverse_.times(residual_.data(), z_.data());
    std::size_t blocked;
    const double step = step_to_bound(z_.data() + 1, 1.0, blocked);
    if (!std::isfinite(z_[0])) return false;
    apply(z_.data() + 1, step, blocked);
    mu_ -= step * z_[0];
    if (blocked < f) {
        leave(blocked);
        return true;
    }
    double left = 0.0;
    for (const std::size_t row : free_) left = std::max(left, std::abs(mu_ - g_[row]));
    return left <= std::max(least_gain * worst, 0.25 * floor());
}

// True while something was done to bring the gap down.
bool TrackedMachine::improve() {
    const double limit = floor();
    if (measure() <= limit) return false;
    double uneven = 0.0;
    for (const std::size_t row : free_) uneven = std::max(uneven, std::abs(mu_ - g_[row]));
    if (uneven > 0.25 * limit) {
        if (!newton()) {
            recompute_gradient();
            factorise();
        }
        return true;
    }
    // F is level: the row off F that is furthest on the wrong side of mu enters.
    std::size_t row = n_;
    double worst = free_.empty() ? -infinity : 0.25 * limit;
    for (std::size_t k = 0; k < n_; ++k) {
        if ((up_[k] == 0.0) == (low_[k] == 0.0)) continue;
        const double violation = up_[k] == 0.0 ? mu_ - g_[k] : g_[k] - mu_;
        if (violation > worst) {
            worst = violation;
            row = k;
        }
    }
    return row < n_ && enter(row);
}

void TrackedMachine::settle_anew(bool fresh) {
    prepared_ = false;
    adrift_ = false;
    fresh = fresh || stale_;
    stale_ = false;
    if (fresh || ++since_gradient_ >= gradient_life) recompute_gradient();
    if (fresh) factorise();
    const long limit = 50 * static_cast<long>(n_) + 200;
    for (long turn = 0; improve(); ++turn) {
        if (turn == limit || turn == limit / 2) {
            recompute_gradient();
            factorise();
        }
        if (turn > limit) break;
    }
    if (gap_ > 100.0 * floor() || !is_finite()) solve_generally();
}

// Removing a row from an inverse that is all but singular may leave no number in it. Comparisons
// with what comes of that are false, so that the gap does not tell.
bool TrackedMachine::is_finite() const {
    double sum = 0.0;
    for (std::size_t k = 0; k < n_; ++k) sum += std::abs(b_[k]) + std::abs(g_[k]);
    return std::isfinite(sum);
}

// The safety net: the solver for any Gram matrix.
void TrackedMachine::solve_generally() {
    std::vector<double> block(n_ * n_);
    for (std::size_t i = 0; i < n_; ++i) std::copy_n(gram_.row(i), n_, block.data() + i * n_);
    GramRows rows(std::move(block), n_);
    double sum = 0.0, mass = 0.0;
    for (std::size_t k = 0; k < n_; ++k) {
        sum += b_[k];
        mass += std::abs(b_[k]);
    }
    const bool feasible = std::abs(sum) <= 1e-10 * mass;
    const std::vector<double> zero(n_, 0.0);
    const DualSolution found = solve(problem_, rows, feasible ? Vector(b_.data(), n_) : zero,
                                     {tolerance_, -1, true, true});
    const auto take = [&] {
        std::copy(found.coefficients.begin(), found.coefficients.end(), b_.begin());
        mu_ = -found.offset;
        recompute_gradient();
    };
    take();
    factorise();
    if (measure() <= std::max(floor(), 2.0 * found.kkt_gap)) return;
    // Rounding is so large that the walks of factorise() have led away: keep the point, and no F.
    take();
    free_.clear();
    inverse_.clear();
    for (std::size_t k = 0; k < n_; ++k) set_status(k);
    measure();
    mu_ = -found.offset;
    stale_ = true;
}

void TrackedMachine::start(Vector coefficients) {
    std::copy(coefficients.begin(), coefficients.end(), b_.begin());
    recompute_gradient();
    scale_ = 0.0;
    for (std::size_t k = 0; k < n_; ++k) scale_ = std::max(scale_, diagonal(k));
    if (!(scale_ > 0)) scale_ = 1.0;
    solve_generally();
    if (gap_ > floor()) settle_anew(true);
}

void TrackedMachine::forget(const double* x, double weight) {
    prepared_ = true;
    double moved = 0.0;  // x'b may change while rows are walked to their bounds
    vector_kernels().add_scaled(width_, -weight, x, g_.data());
    while (!free_.empty()) {
        const std::size_t f = free_.size();
        u_[0] = 0.0;
        for (std::size_t k = 0; k < f; ++k) u_[k + 1] = x[free_[k]];
        inverse_.times(u_.data(), z_.data());
        double remainder = 1.0;
        for (std::size_t k = 1; k <= f; ++k) remainder -= u_[k] * z_[k];
        if (remainder > singular) {
            inverse_.subtract(z_.data(), remainder);
            for (std::size_t k = 0; k <= f; ++k) step_[k] = weight / remainder * z_[k];
            return;
        }
        prepared_ = false;
        const double sign = weight + moved >= 0 ? 1.0 : -1.0;
        for (std::size_t k = 0; k < f; ++k) residual_[k] = sign * z_[k + 1];
        std::size_t blocked;
        const double step = step_to_bound(residual_.data(), infinity, blocked);
        if (blocked == f) {
            stale_ = true;
            return;
        }
        apply(residual_.data(), step, blocked);  // with the old Gram matrix
        double along = 0.0;
        for (std::size_t k = 0; k < f; ++k) along += u_[k] * x[free_[k]];
        vector_kernels().add_scaled(width_, -along, x, g_.data());
        moved += along;
        leave(blocked);
    }
    prepared_ = false;
}

void TrackedMachine::settle() {
    if (prepared_) {
        std::size_t blocked;
        const double step = step_to_bound(step_.data() + 1, 1.0, blocked);
        apply(step_.data() + 1, step, blocked);
        mu_ -= step * step_[0];
        if (blocked < free_.size()) leave(blocked);
    }
    settle_anew(false);
}

}  // namespace svsieve
