#include "sparse/sparse_machine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "svsieve/cancellation.hpp"

namespace svsieve::sparse {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr int most_halvings = 12;
// A residual this much smaller than at first tells where the step leads: it may end at a bound.
constexpr double told = 0.1;
// Less curvature than this share of that of rows at right angles to each other is none.
constexpr double flat_share = 1e-12;
constexpr std::size_t most_iterations = 1000;

}  // namespace

// Steps towards the solution of the equations; whether it got there, all active rows considered.
SparseMachine::Outcome SparseMachine::newton(double tolerance) {
    free_.clear();
    g_.clear();
    // The equations bring the sum to zero by themselves.
    const double offset = options_.free_offset ? base_ : running_offset();
    std::sort(active_.begin(), active_.end());
    for (const std::int32_t one : active_) {
        const auto i = static_cast<std::size_t>(one);
        const double g =
            y_[i] * (table_.product(row(i), weights_.data()) + offset) - 1.0 + ridge_[i] * a_[i];
        if ((a_[i] == 0.0 && g >= 0.0) || (a_[i] == upper_[i] && g <= 0.0)) continue;
        free_.push_back(one);
        g_.push_back(g);
    }
    passes_ += 0.5 * static_cast<double>(active_.size()) / static_cast<double>(size());
    if (free_.empty()) return Outcome::Solved;
    const bool solved = conjugate_gradients(tolerance);
    bool inside = true;
    for (std::size_t f = 0; f < free_.size() && inside; ++f) {
        const auto i = static_cast<std::size_t>(free_[f]);
        const double there = a_[i] + x_[f];
        inside = there >= 0.0 && there <= upper_[i];
    }
    if (inside) {
        take_whole(step_);
        return solved ? Outcome::Solved : Outcome::Inside;
    }
    if (!take(cut_.empty() ? most_halvings : 2) && !cut_.empty()) {
        x_.swap(cut_);
        take_whole(step_cut_);
    }
    return Outcome::Cut;
}

// The step as it is, all of it inside the bounds.
void SparseMachine::take_whole(const std::vector<double>& step) {
    for (std::size_t f = 0; f < free_.size(); ++f) {
        const auto i = static_cast<std::size_t>(free_[f]);
        const double there = a_[i] + x_[f], snap = 8.0 * epsilon * upper_[i];
        sum_ += y_[i] * x_[f];
        a_[i] = there;
        if (!std::isfinite(upper_[i])) continue;
        if (there <= snap) a_[i] = 0.0;
        if (there >= upper_[i] - snap) a_[i] = upper_[i];
    }
    for (std::size_t j = 0; j < weights_.size(); ++j) weights_[j] += step[j];
}

// The step, projected to the bounds, made shorter until the objective falls.
bool SparseMachine::take(int trials) {
    double share = 1.0;
    std::vector<double>& change = t_;
    change.resize(free_.size());
    for (int k = 0; k < trials; ++k, share *= 0.5) {
        std::fill(image_.begin(), image_.end(), 0.0);
        double slope = 0.0, own = 0.0, sum = 0.0;
        for (std::size_t f = 0; f < free_.size(); ++f) {
            const auto i = static_cast<std::size_t>(free_[f]);
            change[f] = std::clamp(a_[i] + share * x_[f], 0.0, upper_[i]) - a_[i];
            if (change[f] == 0.0) continue;
            slope += g_[f] * change[f];
            own += ridge_[i] * change[f] * change[f];
            sum += y_[i] * change[f];
            table_.add(row(i), y_[i] * change[f], image_.data());
        }
        passes_ += 0.5 * static_cast<double>(free_.size()) / static_cast<double>(size());
        double length = 0.0;
        for (const double v : image_) length += v * v;
        if (options_.free_offset) slope += scale_ * sum_ * sum;
        const double fall = slope + 0.5 * (length + scale_ * sum * sum + own);
        if (!(fall <= 1e-4 * slope) || !(slope < 0.0)) continue;
        for (std::size_t f = 0; f < free_.size(); ++f) {
            const auto i = static_cast<std::size_t>(free_[f]);
            a_[i] = std::clamp(a_[i] + share * x_[f], 0.0, upper_[i]);
        }
        for (std::size_t j = 0; j < weights_.size(); ++j) weights_[j] += image_[j];
        sum_ += sum;
        return true;
    }
    return false;
}

// Where the step from x_ along p_, of this length, leaves the bounds, that far goes cut_.
bool SparseMachine::leaves(double length) {
    double bound = infinity;
    for (std::size_t f = 0; f < free_.size(); ++f) {
        const auto i = static_cast<std::size_t>(free_[f]);
        if (p_[f] == 0.0) continue;
        bound = std::min(bound, ((p_[f] > 0.0 ? upper_[i] : 0.0) - (a_[i] + x_[f])) / p_[f]);
    }
    if (bound >= length || !std::isfinite(bound)) return false;
    bound = std::max(bound, 0.0);
    cut_ = x_;
    step_cut_ = step_;
    for (std::size_t f = 0; f < free_.size(); ++f) cut_[f] += bound * p_[f];
    for (std::size_t j = 0; j < step_.size(); ++j) step_cut_[j] += bound * along_[j];
    return true;
}

// Leaves the step in x_ and what it adds to the weights in step_; whether the residual is small.
bool SparseMachine::conjugate_gradients(double tolerance) {
    const std::size_t m = free_.size(), d = weights_.size();
    const bool zero_sum = options_.free_offset;
    const double scale = zero_sum ? 0.0 : scale_;
    cut_.clear();
    for (std::vector<double>* v : {&inverse_, &x_, &r_, &p_, &t_}) v->assign(m, 0.0);
    for (std::vector<double>* v : {&step_, &along_, &ready_, &image_}) v->assign(d, 0.0);
    if (zero_sum) border_.assign(d, 0.0);
    double weight = 0.0;  // y' M^-1 y
    for (std::size_t f = 0; f < m; ++f) {
        const auto i = static_cast<std::size_t>(free_[f]);
        const double curvature = table_.square(row(i)) + ridge_[i] + scale;
        inverse_[f] = curvature > 0.0 ? (1.0 / curvature) : 1.0;
        weight += inverse_[f];
        r_[f] = -g_[f];
        if (zero_sum) table_.add(row(i), inverse_[f], border_.data());
    }
    // Preconditioned and, for an offset that is not penalised, projected: of zero sum.
    const auto mean_of = [&](const std::vector<double>& v) {
        double sum = 0.0;
        for (std::size_t f = 0; f < m; ++f)
            sum += y_[static_cast<std::size_t>(free_[f])] * inverse_[f] * v[f];
        return zero_sum ? sum / weight : 0.0;
    };
    const auto image_of = [&](const std::vector<double>& v, std::vector<double>& to) {
        for (std::size_t f = 0; f < m; ++f) {
            const auto i = static_cast<std::size_t>(free_[f]);
            table_.add(row(i), y_[i] * v[f], to.data());
        }
    };
    if (zero_sum && sum_ != 0.0) {  // begin where the sum is zero
        for (std::size_t f = 0; f < m; ++f)
            x_[f] = -sum_ / weight * y_[static_cast<std::size_t>(free_[f])] * inverse_[f];
        image_of(x_, step_);
        for (std::size_t f = 0; f < m; ++f) {
            const auto i = static_cast<std::size_t>(free_[f]);
            r_[f] -= y_[i] * table_.product(row(i), step_.data()) + ridge_[i] * x_[f];
        }
        passes_ += static_cast<double>(m) / static_cast<double>(size());
    }
    double shift = mean_of(r_), size_now = 0.0, first = 0.0;
    const auto measure = [&] {  // the root mean square of what is left
        double squares = 0.0;
        size_now = 0.0;
        for (std::size_t f = 0; f < m; ++f) {
            const double y = y_[static_cast<std::size_t>(free_[f])];
            const double rest = r_[f] - shift * y;
            squares += rest * rest;
            size_now += rest * inverse_[f] * rest;
        }
        return std::sqrt(squares / static_cast<double>(m));
    };
    double most = first = measure();
    double before = 0.0;
    bool solved = most <= tolerance;
    const std::size_t limit = std::min(2 * std::min(m, d) + 100, most_iterations);
    for (std::size_t f = 0; f < m; ++f) {
        const double y = y_[static_cast<std::size_t>(free_[f])];
        p_[f] = inverse_[f] * (r_[f] - shift * y);
    }
    image_of(p_, ready_);
    along_ = ready_;
    passes_ += 0.5 * static_cast<double>(m) / static_cast<double>(size());
    std::size_t k = 0;
    for (; k < limit && !solved; ++k) {
        leave_if_cancelled();
        double sum = 0.0;
        for (std::size_t f = 0; f < m; ++f) sum += y_[static_cast<std::size_t>(free_[f])] * p_[f];
        double curvature = 0.0;
        for (std::size_t f = 0; f < m; ++f) {
            const auto i = static_cast<std::size_t>(free_[f]);
            const std::size_t at = row(i);
            const double y = y_[i];
            t_[f] = y * (table_.product(at, along_.data()) + scale * sum) + ridge_[i] * p_[f];
            curvature += p_[f] * t_[f];
            table_.add(at, y * inverse_[f] * t_[f], image_.data());
        }
        passes_ += static_cast<double>(m) / static_cast<double>(size());
        double bulk = 0.0;  // what the curvature would be of rows at right angles
        for (std::size_t f = 0; f < m; ++f) bulk += p_[f] * p_[f] / inverse_[f];
        const bool flat = !(curvature > flat_share * bulk);
        const double length = size_now / std::max(curvature, flat_share * bulk);
        if (flat && (smooth_ || !leaves(infinity))) break;
        const bool last = !smooth_ && (flat || leaves(length));
        const double lean = zero_sum ? mean_of(t_) : 0.0;
        for (std::size_t f = 0; f < m; ++f) {
            x_[f] += length * p_[f];
            r_[f] -= length * t_[f];
        }
        shift = mean_of(r_);
        before = size_now;
        most = measure();
        const double ratio = size_now / before;
        for (std::size_t f = 0; f < m; ++f) {
            const double y = y_[static_cast<std::size_t>(free_[f])];
            p_[f] = inverse_[f] * (r_[f] - shift * y) + ratio * p_[f];
        }
        if (zero_sum)
            for (std::size_t j = 0; j < d; ++j) ready_[j] += length * lean * border_[j];
        for (std::size_t j = 0; j < d; ++j) {
            step_[j] += length * along_[j];
            ready_[j] -= length * image_[j];
            along_[j] = ready_[j] + ratio * along_[j];
            image_[j] = 0.0;
        }
        solved = most <= tolerance;
        if (last) break;
        if (most <= told * first) {
            bool inside = true;
            for (std::size_t f = 0; f < m && inside; ++f) {
                const auto i = static_cast<std::size_t>(free_[f]);
                const double there = a_[i] + x_[f];
                inside = there >= 0.0 && there <= upper_[i];
            }
            if (!inside) break;
        }
    }
    if (zero_sum) base_ += shift;
    return solved;
}

}  // namespace svsieve::sparse
