#include "sparse/sparse_machine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "svsieve/cancellation.hpp"

namespace svsieve::sparse {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// A residual this much smaller than what rows move by tells where the step leads.
constexpr double told = 0.1;
// The slope at the end of a step, in units of that at its beginning.
constexpr double flattest = -0.3, steepest = 0.01;
constexpr std::size_t most_iterations = 1000;

}  // namespace

// One Newton step of the smooth problem: a is ridge^-1 times what rows fall short of the margin.
// Whether that was the last, all active rows considered.
bool SparseMachine::smooth_step(double tolerance) {
    const double constant = options_.free_offset ? 1.0 : options_.bias;
    const double ridge = options_.free_offset ? 0.0 : 1.0;
    const std::size_t d = weights_.size();
    const double offset = running_offset();
    free_.clear();
    ready_.assign(d, 0.0);
    double sum = 0.0;
    for (const std::int32_t one : active_) {
        const auto i = static_cast<std::size_t>(one);
        const double shortfall = 1.0 - y_[i] * (values_[i] + offset);
        a_[i] = shortfall > 0.0 ? shortfall / ridge_[i] : 0.0;
        if (a_[i] == 0.0) continue;
        free_.push_back(one);
        table_.add(row(i), y_[i] * a_[i], ready_.data());
        sum += y_[i] * a_[i];
    }
    const std::size_t m = free_.size();
    passes_ += 0.5 * static_cast<double>(m) / static_cast<double>(size());
    bool solved = true;
    double shift = 0.0;  // of the offset
    if (m == 0) {
        step_.assign(d, 0.0);
        for (std::size_t j = 0; j < d; ++j) step_[j] = -weights_[j];
        shift = options_.free_offset ? 0.0 : -offset;
        x_.clear();
    } else {
        for (std::size_t j = 0; j < d; ++j) ready_[j] -= weights_[j];
        const double v = options_.free_offset || constant == 0.0 ? 0.0 : offset / constant;
        solved = solve_by_columns(tolerance, constant * sum - ridge * v, shift);
        shift *= constant;
    }
    // How the values of the active rows change.
    changes_of_.resize(active_.size());
    std::size_t f = 0;
    for (std::size_t s = 0; s < active_.size(); ++s) {
        const auto i = static_cast<std::size_t>(active_[s]);
        const bool known = f < m && free_[f] == active_[s];
        changes_of_[s] = known ? x_[f] : table_.product(row(i), step_.data()) + shift;
        f += known;
    }
    passes_ += 0.5 * static_cast<double>(active_.size() - f) / static_cast<double>(size());
    const double length = line_search(offset, shift, ridge, constant);
    bool same = length == 1.0;
    for (std::size_t s = 0; s < active_.size(); ++s) {
        const auto i = static_cast<std::size_t>(active_[s]);
        values_[i] += length * (changes_of_[s] - shift);
        const bool is = 1.0 - y_[i] * (values_[i] + offset + length * shift) > 0.0;
        same = same && is == (a_[i] > 0.0);
    }
    for (std::size_t j = 0; j < d; ++j) weights_[j] += length * step_[j];
    // The offset stands in base_ until the coefficients are read off.
    base_ = offset + length * shift;
    sum_ = 0.0;
    return same && solved;
}

// The objective along the step is convex, piecewise quadratic; its slope is followed to about zero.
double SparseMachine::line_search(double offset, double shift, double ridge,
                                  double constant) const {
    double slope = 0.0, bend = 0.0;
    for (std::size_t j = 0; j < weights_.size(); ++j) {
        slope += weights_[j] * step_[j];
        bend += step_[j] * step_[j];
    }
    if (ridge > 0.0 && constant > 0.0) {
        slope += offset * shift / (constant * constant);
        bend += shift * shift / (constant * constant);
    }
    const auto at = [&](double t, double& curvature) {
        double sum = slope + t * bend;
        curvature = bend;
        for (std::size_t s = 0; s < active_.size(); ++s) {
            const auto i = static_cast<std::size_t>(active_[s]);
            const double change = y_[i] * changes_of_[s];
            const double shortfall = 1.0 - y_[i] * (values_[i] + offset) - t * change;
            if (shortfall <= 0.0) continue;
            sum -= shortfall * change / ridge_[i];
            curvature += change * change / ridge_[i];
        }
        return sum;
    };
    double curvature = 0.0;
    const double first = std::abs(at(0.0, curvature));
    double low = 0.0, high = infinity, t = 1.0;
    for (int k = 0; k < 60; ++k) {
        const double here = at(t, curvature);
        if (here <= steepest * first && here >= flattest * first) break;
        (here > 0.0 ? high : low) = t;
        double wish = curvature > 0.0 ? t - here / curvature : infinity;
        if (!(wish > low && wish < std::min(high, 10.0 * t)))
            wish = std::isfinite(high) ? 0.5 * (low + high) : 10.0 * t;
        t = wish;
    }
    return t;
}

// The equations over the columns, for the change q of the weights:
//     (I + X_F' D^-1 X_F) q = ready_,
// where the offset has one more entry, whose ridge is 1 if it is penalised and else 0. Leaves q in
// step_ and X_F q in x_.
bool SparseMachine::solve_by_columns(double tolerance, double rest, double& shift) {
    const std::size_t m = free_.size(), d = weights_.size();
    const double constant = options_.free_offset ? 1.0 : options_.bias;
    const double ridge = options_.free_offset ? 0.0 : 1.0;
    for (std::vector<double>* v : {&inverse_, &x_, &t_}) v->assign(m, 0.0);
    for (std::vector<double>* v : {&step_, &along_, &image_}) v->assign(d, 0.0);
    border_.assign(d, 1.0);  // the diagonal
    double all = 0.0;
    for (std::size_t f = 0; f < m; ++f) {
        const auto i = static_cast<std::size_t>(free_[f]);
        inverse_[f] = 1.0 / ridge_[i];
        all += inverse_[f];
        table_.add_squares(row(i), inverse_[f], border_.data());
    }
    const double diagonal = std::max(ridge + constant * constant * all, 1e-300);
    passes_ += 0.5 * static_cast<double>(m) / static_cast<double>(size());
    double way = 0.0, product = 0.0;
    const auto measure = [&] {
        double sum = rest * rest * constant * constant;
        product = rest * rest / diagonal;
        for (std::size_t j = 0; j < d; ++j) {
            const double square = ready_[j] * ready_[j];
            sum += square * (border_[j] - 1.0) / all;
            product += square / border_[j];
        }
        return std::sqrt(sum);
    };
    double most = measure();
    for (std::size_t j = 0; j < d; ++j) along_[j] = ready_[j] / border_[j];
    way = rest / diagonal;
    bool solved = most <= tolerance;
    const double offset = running_offset();
    const std::size_t limit = std::min(2 * d + 100, most_iterations);
    std::size_t k = 0;
    for (; k < limit && !solved; ++k) {
        leave_if_cancelled();
        double bias_image = ridge * way;
        for (std::size_t f = 0; f < m; ++f) {
            const auto at = row(static_cast<std::size_t>(free_[f]));
            t_[f] = table_.product(at, along_.data()) + constant * way;
            const double t = inverse_[f] * t_[f];
            table_.add(at, t, image_.data());
            bias_image += constant * t;
        }
        passes_ += static_cast<double>(m) / static_cast<double>(size());
        double curvature = way * bias_image;
        for (std::size_t j = 0; j < d; ++j) {
            image_[j] += along_[j];
            curvature += along_[j] * image_[j];
        }
        if (!(curvature > 0.0)) break;
        const double length = product / curvature;
        shift += length * way;
        rest -= length * bias_image;
        for (std::size_t j = 0; j < d; ++j) {
            step_[j] += length * along_[j];
            ready_[j] -= length * image_[j];
            image_[j] = 0.0;
        }
        const double before = product;
        most = measure();
        const double ratio = product / before;
        for (std::size_t j = 0; j < d; ++j) along_[j] = ready_[j] / border_[j] + ratio * along_[j];
        way = rest / diagonal + ratio * way;
        solved = most <= tolerance;
        double moved = 0.0;
        bool inside = true;
        for (std::size_t f = 0; f < m; ++f) {
            const auto i = static_cast<std::size_t>(free_[f]);
            x_[f] += length * t_[f];
            moved = std::max(moved, std::abs(x_[f]));
            inside = inside && y_[i] * (values_[i] + offset + x_[f]) <= 1.0;
        }
        if (!inside && most <= told * moved) break;
    }
    return solved;
}

// The coefficients that go with the weights.
void SparseMachine::read_off() {
    sum_ = 0.0;
    const double offset = base_;
    std::vector<char> here(size(), 0);
    for (const std::int32_t one : active_) {
        const auto i = static_cast<std::size_t>(one);
        const double shortfall = 1.0 - y_[i] * (values_[i] + offset);
        a_[i] = shortfall > 0.0 ? shortfall / ridge_[i] : 0.0;
        sum_ += y_[i] * a_[i];
    }
    base_ = options_.free_offset ? offset - scale_ * sum_ : 0.0;
}

}  // namespace svsieve::sparse
