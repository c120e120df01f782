#include "sparse/sparse_machine.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <utility>

#include "svsieve/cancellation.hpp"

namespace svsieve::sparse {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double epsilon = std::numeric_limits<double>::epsilon();

double env(const char* name, double other) {
    const char* v = std::getenv(name);
    return v ? std::atof(v) : other;
}
const double SETTLED = env("SETTLED", 0.01);
const double MOST_SWEEPS = env("MOST_SWEEPS", 30);
const double CROSS = env("CROSS", 0.1);
const double ROUNDS = env("ROUNDS", 30);
const double DEEP = env("DEEP", 0.1);
const double PRECON = env("PRECON", 1);
const double COLS = env("COLS", 1);
const double FLAT = env("FLAT", 1e-12);
const double WARM = env("WARM", 1);
const double VERBOSE = env("VERBOSE", 0);

std::uint64_t next(std::uint64_t& state) {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545f4914f6cdd1du;
}

}  // namespace

SparseMachine::SparseMachine(const SparseRows& table, SparseProblem problem,
                             const SparseOptions& options)
    : table_(table),
      options_(options),
      rows_(std::move(problem.rows)),
      y_(std::move(problem.labels)),
      upper_(std::move(problem.upper)),
      ridge_(std::move(problem.ridge)),
      weights_(table.columns()),
      a_(y_.size()),
      values_(y_.size()),
      moved_(infinity) {
    smooth_ = std::all_of(ridge_.begin(), ridge_.end(), [](double r) { return r > 0.0; });
    if (!options_.free_offset) scale_ = options_.bias * options_.bias;
}

void SparseMachine::solve() {
    random_ = 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(solves_);
    solves_ += 1.0;
    const std::vector<double> before = values_;
    const double begin = passes_;
    const double limit = options_.max_passes < 0 ? 20000.0 : static_cast<double>(options_.max_passes);
    if (options_.free_offset) {
        double squares = 0.0;
        for (std::size_t i = 0; i < size(); ++i) squares += table_.square(row(i));
        base_ += scale_ * sum_;
        scale_ = squares / static_cast<double>(size());
        base_ -= scale_ * sum_;
    }
    double reach = moved_, best = infinity;
    int stalls = 0;
    for (;;) {
        choose_active(reach);
        if (VERBOSE > 1) std::printf("  active %zu reach %g\n", active_.size(), reach);
        if (!smooth_ || static_cast<double>(weights_.size()) > COLS * static_cast<double>(active_.size())) {
            descend();
            for (int k = 0; k < ROUNDS; ++k) {
                if (newton(DEEP * options_.tolerance)) break;
                sweep(false);
            }
        } else {
            if (reach == infinity && !WARM) {
                descend();
                for (std::size_t i = 0; i < size(); ++i) values_[i] = table_.product(row(i), weights_.data());
            }
            std::sort(active_.begin(), active_.end());
            base_ = running_offset();
            sum_ = 0.0;
            for (int k = 0; k < ROUNDS; ++k)
                if (smooth_step(DEEP * options_.tolerance)) break;
            read_off();
        }
        check();
        if (VERBOSE > 1) std::printf("  gap %g passes %g\n", gap_, passes_ - begin);
        if (gap_ <= options_.tolerance || passes_ - begin >= limit) break;
        stalls += gap_ > 0.5 * best;
        if (stalls > 3 && gap_ <= 1e4 * floor()) break;
        best = std::min(best, gap_);
        reach = std::max(2.0 * reach, gap_);
    }
    double solved = 0.0;
    for (std::size_t i = 0; i < size(); ++i)
        solved = std::max(solved, std::abs(values_[i] - before[i]));
    moved_ = solved;
    if (VERBOSE > 0)
        std::printf("solve %g: d %zu gap %g passes %g reach %g\n", solves_, table_.columns(), gap_, passes_ - begin, moved_);
}

void SparseMachine::drop(const std::vector<char>& gone, const Removed& removed) {
    double most = 0.0;
    for (std::size_t i = 0; i < size(); ++i) {
        double change = 0.0;
        for (std::size_t e = removed.begins[row(i)]; e < removed.begins[row(i) + 1]; ++e)
            change += removed.values[e] * weights_[static_cast<std::size_t>(removed.columns[e])];
        values_[i] -= change;
        most = std::max(most, std::abs(change));
    }
    moved_ += most;
    std::size_t to = 0;
    for (std::size_t j = 0; j < gone.size(); ++j)
        if (gone[j] == 0) weights_[to++] = weights_[j];
    weights_.resize(to);
}

void SparseMachine::choose_active(double reach) {
    active_.clear();
    const double offset = running_offset();
    for (std::size_t i = 0; i < size(); ++i) {
        if (upper_[i] == 0.0) continue;
        const double g = y_[i] * (values_[i] + offset) - 1.0 + ridge_[i] * a_[i];
        const bool held = (a_[i] == 0.0 && g > reach) || (a_[i] == upper_[i] && g < -reach);
        if (!held) active_.push_back(static_cast<std::int32_t>(i));
    }
}

void SparseMachine::descend() {
    highest_ = infinity;
    lowest_ = -infinity;
    for (int k = 0; k < MOST_SWEEPS && !active_.empty(); ++k) {
        const double most = sweep(true);
        if (VERBOSE > 2) std::printf("    sweep %d: active %zu changes %zu most %g\n", k, active_.size(), changes_, most);
        if (static_cast<double>(changes_) <= SETTLED * static_cast<double>(active_.size())) break;
        if (most + (options_.free_offset ? scale_ * std::abs(sum_) : 0.0) <= options_.tolerance) break;
    }
}

// One step in each active coordinate, in random order; returns the largest projected gradient.
double SparseMachine::sweep(bool shrink) {
    leave_if_cancelled();
    double* w = weights_.data();
    double highest = -infinity, lowest = infinity;
    std::size_t touched = 0;
    changes_ = 0;
    for (std::size_t i = active_.size(); i > 1; --i)
        std::swap(active_[i - 1], active_[next(random_) % i]);
    std::size_t m = active_.size();
    for (std::size_t s = 0; s < m; ++s) {
        const auto i = static_cast<std::size_t>(active_[s]);
        if (s + 1 < m) table_.prefetch(row(static_cast<std::size_t>(active_[s + 1])));
        const std::size_t k = row(i);
        const double a = a_[i], y = y_[i];
        const double g =
            y * (table_.product(k, w) + running_offset()) - 1.0 + ridge_[i] * a;
        touched += 1;
        double projected = g;
        if (a == 0.0) {
            if (shrink && g > highest_) {
                active_[s--] = active_[--m];
                continue;
            }
            projected = std::min(g, 0.0);
        } else if (a == upper_[i]) {
            if (shrink && g < lowest_) {
                active_[s--] = active_[--m];
                continue;
            }
            projected = std::max(g, 0.0);
        }
        highest = std::max(highest, projected);
        lowest = std::min(lowest, projected);
        if (projected == 0.0) continue;
        const double curvature = table_.square(k) + ridge_[i] + scale_;
        const double there =
            curvature > 0.0 ? std::clamp(a - g / curvature, 0.0, upper_[i]) : upper_[i];
        if (there == a || !std::isfinite(there)) continue;
        const bool was = a > 0.0 && a < upper_[i], is = there > 0.0 && there < upper_[i];
        changes_ += was != is || (!was && !is);
        a_[i] = there;
        const double t = y * (there - a);
        table_.add(k, t, w);
        sum_ += t;
    }
    passes_ += static_cast<double>(touched) / static_cast<double>(size());
    active_.resize(m);
    highest_ = highest > 0.0 ? highest : infinity;
    lowest_ = lowest < 0.0 ? lowest : -infinity;
    if (options_.free_offset) base_ += scale_ * sum_;
    return std::max(highest, -lowest);
}

// Steps towards the solution of the equations; whether it got there, all active rows considered.
bool SparseMachine::newton(double tolerance) {
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
    if (free_.empty()) return true;
    const bool solved = conjugate_gradients(tolerance);
    bool inside = true;
    for (std::size_t f = 0; f < free_.size() && inside; ++f) {
        const auto i = static_cast<std::size_t>(free_[f]);
        const double there = a_[i] + x_[f];
        inside = there >= 0.0 && there <= upper_[i];
    }
    if (inside) {
        take_whole(step_);
        return solved;
    }
    if (!take(cut_.empty() ? 12 : 2) && !cut_.empty()) {
        x_.swap(cut_);
        take_whole(step_cut_);
    }
    return false;
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
        if (VERBOSE > 2) std::printf("    take %g: slope %g fall %g\n", share, slope, fall);
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
        inverse_[f] = curvature > 0.0 ? (PRECON ? 1.0 / curvature : 1.0) : 1.0;
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
    const auto measure = [&] {
        double most = 0.0;
        size_now = 0.0;
        for (std::size_t f = 0; f < m; ++f) {
            const double y = y_[static_cast<std::size_t>(free_[f])];
            const double rest = r_[f] - shift * y;
            most = std::max(most, std::abs(rest));
            size_now += rest * inverse_[f] * rest;
        }
        return most;
    };
    double most = first = measure();
    double before = 0.0;
    bool solved = most <= tolerance;
    const std::size_t limit = 2 * std::min(m, d) + 100;
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
        const bool flat = !(curvature > FLAT * bulk);
        const double length = size_now / std::max(curvature, FLAT * bulk);
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
        if (most <= CROSS * first) {
            bool inside = true;
            for (std::size_t f = 0; f < m && inside; ++f) {
                const auto i = static_cast<std::size_t>(free_[f]);
                const double there = a_[i] + x_[f];
                inside = there >= 0.0 && there <= upper_[i];
            }
            if (!inside) break;
        }
    }
    if (VERBOSE > 2) std::printf("    cg %zu on %zu rows: %g from %g\n", k, m, most, first);
    if (zero_sum) base_ += shift;
    return solved;
}

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
    if (VERBOSE > 2) std::printf("    newton length %g same %d solved %d\n", length, same, solved);
    return same && solved;
}

// The objective along the step is convex, piecewise quadratic; its slope is followed to about zero.
double SparseMachine::line_search(double offset, double shift, double ridge, double constant) const {
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
        if (here <= 0.01 * first && here >= -0.3 * first) break;
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
    const double first = most;
    for (std::size_t j = 0; j < d; ++j) along_[j] = ready_[j] / border_[j];
    way = rest / diagonal;
    bool solved = most <= tolerance;
    const double offset = running_offset();
    const std::size_t limit = 2 * d + 100;
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
        for (std::size_t j = 0; j < d; ++j)
            along_[j] = ready_[j] / border_[j] + ratio * along_[j];
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
        if (!inside && most <= CROSS * moved) break;
    }
    if (VERBOSE > 2) std::printf("    columns cg %zu on %zu rows: %g from %g\n", k, m, most, first);
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

// Weights and values anew from the coefficients, and the gap by its definition.
void SparseMachine::check() {
    leave_if_cancelled();
    if (options_.free_offset) {
        base_ += scale_ * sum_;
        balance();
    }
    std::fill(weights_.begin(), weights_.end(), 0.0);
    sum_ = 0.0;
    for (std::size_t i = 0; i < size(); ++i) {
        if (a_[i] == 0.0) continue;
        table_.add(row(i), y_[i] * a_[i], weights_.data());
        sum_ += y_[i] * a_[i];
    }
    for (std::size_t i = 0; i < size(); ++i) values_[i] = table_.product(row(i), weights_.data());
    passes_ += 1.0;
    const Interval allowed = interval();
    gap_ = std::max(0.0, allowed.low - allowed.high);
    if (options_.free_offset) gap_ += std::abs(sum_);
    offset_ = running_offset();
    if (options_.free_offset) {
        bool free = false;
        for (std::size_t i = 0; i < size(); ++i) free |= a_[i] > 0.0 && a_[i] < upper_[i];
        if (std::isfinite(allowed.low) && std::isfinite(allowed.high)) {
            const auto [low, high] = std::minmax(allowed.low, allowed.high);
            offset_ -= free ? std::clamp(0.0, low, high) : 0.5 * (low + high);
        }
    }
}

// What rounding left of the sum goes to the row with most room for it.
void SparseMachine::balance() {
    sum_ = 0.0;
    double room = 0.0;
    std::size_t most = 0;
    for (std::size_t i = 0; i < size(); ++i) {
        sum_ += y_[i] * a_[i];
        const double own = std::min(a_[i], upper_[i] - a_[i]);
        if (own > room) {
            room = own;
            most = i;
        }
    }
    double mass = 0.0;
    for (const double a : a_) mass += a;
    if (room > std::abs(sum_) && std::abs(sum_) <= 1e-9 * mass) a_[most] -= y_[most] * sum_;
}

// The largest gradient of signed coefficients that can shrink and the least of those that can grow.
SparseMachine::Interval SparseMachine::interval() const {
    Interval found{-infinity, infinity};
    const double offset = running_offset();
    for (std::size_t i = 0; i < size(); ++i) {
        if (upper_[i] == 0.0) continue;
        const double g = y_[i] * (values_[i] + offset) - 1.0 + ridge_[i] * a_[i];
        const double h = y_[i] * g;
        const bool positive = a_[i] > 0.0, below = a_[i] < upper_[i];
        if (y_[i] > 0 ? positive : below) found.low = std::max(found.low, h);
        if (y_[i] > 0 ? below : positive) found.high = std::min(found.high, h);
    }
    if (!options_.free_offset) {
        found.low = std::max(found.low, 0.0);
        found.high = std::min(found.high, 0.0);
    }
    return found;
}

// The accuracy that rounding leaves to a gradient.
double SparseMachine::floor() const {
    double mass = 0.0, most = 0.0;
    for (std::size_t i = 0; i < size(); ++i) {
        mass += a_[i];
        most = std::max(most, table_.square(row(i)) + ridge_[i] + scale_);
    }
    return 2.0 * epsilon * mass * most;
}

double SparseMachine::coefficient_norm() const {
    double squares = 0.0;
    for (const double a : a_) squares += a * a;
    return std::sqrt(squares);
}

double SparseMachine::accuracy() const {
    std::size_t right = 0;
    for (std::size_t i = 0; i < size(); ++i) right += y_[i] * (values_[i] + offset_) > 0.0;
    return static_cast<double>(right) / static_cast<double>(size());
}

std::vector<double> SparseMachine::coefficients() const {
    std::vector<double> signed_ones(size());
    for (std::size_t i = 0; i < size(); ++i) signed_ones[i] = y_[i] * a_[i];
    return signed_ones;
}

void SparseMachine::save(std::vector<double>& to) const {
    to.insert(to.end(), {base_, scale_, sum_, offset_, gap_, moved_, solves_});
    to.insert(to.end(), a_.begin(), a_.end());
    to.insert(to.end(), values_.begin(), values_.end());
}

// The weights follow from the coefficients, in the same bits: see check().
const double* SparseMachine::restore(const double* from) {
    for (double* one : {&base_, &scale_, &sum_, &offset_, &gap_, &moved_, &solves_}) *one = *from++;
    std::copy(from, from + size(), a_.begin());
    std::copy(from + size(), from + 2 * size(), values_.begin());
    weights_.assign(table_.columns(), 0.0);
    for (std::size_t i = 0; i < size(); ++i)
        if (a_[i] != 0.0) table_.add(row(i), y_[i] * a_[i], weights_.data());
    return from + 2 * size();
}

}  // namespace svsieve::sparse
