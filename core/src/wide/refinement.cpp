#include "wide/refinement.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "vector/kernels.hpp"

namespace svsieve {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double pivot_rounding = 0x1p-92;  // what is left of the pivot of a dependent row
// What counts as a slope, or as a condition that is violated, in the unit of a gradient.
constexpr double least_slope = 0x1p-84;
constexpr double noise = 0x1p-84;  // of the entries of a direction
constexpr int polishing = 3;       // full steps on the same rows: the last ones repair rounding

std::size_t padded(std::size_t n) {
    return (n + row_padding - 1) / row_padding * row_padding;
}

}  // namespace

Refinement::Refinement(const DualProblem& problem, RefinedProducts& products)
    : problem_(problem), products_(products) {}

bool Refinement::inside(std::size_t row) const {
    return b_[row] > DoubleDouble(problem_.lower[row]) &&
           b_[row] < DoubleDouble(problem_.upper[row]);
}

double Refinement::price(Vector coefficients) const {
    std::vector<std::size_t> rows;
    for (std::size_t k = 0; k < problem_.size(); ++k) {
        if (coefficients[k] > problem_.lower[k] && coefficients[k] < problem_.upper[k])
            rows.push_back(k);
    }
    const auto f = static_cast<double>(rows.size());
    const auto table = static_cast<double>(products_.rows() * products_.columns().size());
    return products_.price(rows) + f * f * f + 4.0 * table;
}

// ---- the point

void Refinement::begin(Vector coefficients) {
    const std::size_t n = problem_.size();
    b_.assign(n, DoubleDouble());
    for (std::size_t k = 0; k < n; ++k)
        b_[k] = std::clamp(coefficients[k], problem_.lower[k], problem_.upper[k]);
}

// Rounded coefficients do not sum to zero: the rows with most room make up for it.
bool Refinement::balance() {
    for (std::size_t turn = 0; turn <= problem_.size(); ++turn) {
        DoubleDouble sum;
        for (const DoubleDouble& b : b_) sum += b;
        if (sum.hi == 0.0) return true;
        std::size_t best = problem_.size();
        DoubleDouble room;
        for (std::size_t k = 0; k < problem_.size(); ++k) {
            const double bound = sum.hi > 0 ? problem_.lower[k] : problem_.upper[k];
            const bool open = std::isinf(bound);
            const DoubleDouble own = open ? 1e300 : abs(b_[k] - DoubleDouble(bound));
            // A row at the other bound would have to be freed.
            const DoubleDouble preferred = inside(k) ? own : own * DoubleDouble(0x1p-60);
            if (plays(k) && preferred > room) {
                room = preferred;
                best = k;
            }
        }
        if (best == problem_.size()) return false;
        const double bound = sum.hi > 0 ? problem_.lower[best] : problem_.upper[best];
        const DoubleDouble moved = b_[best] - sum;
        const bool beyond = sum.hi > 0 ? moved < DoubleDouble(bound) : moved > DoubleDouble(bound);
        b_[best] = beyond ? DoubleDouble(bound) : moved;
    }
    return false;
}

// Weights and gradient from the coefficients.
void Refinement::differentiate() {
    products_.weigh(b_, w_);
    const double longest = products_.project(w_, g_);
    double ridge = 0.0, largest = 0.0, mass = 0.0;
    for (std::size_t k = 0; k < problem_.size(); ++k) {
        ridge = std::max(ridge, problem_.ridge[k]);
        largest = std::max(largest, std::abs(problem_.linear[k]));
        mass += std::abs(b_[k].hi);
        g_[k] += DoubleDouble(problem_.linear[k]) + DoubleDouble(problem_.ridge[k]) * b_[k];
    }
    size_ = largest + mass * (longest + ridge);
    spent_ += 2.0 * static_cast<double>(products_.rows() * products_.columns().size());
}

// ---- the free rows

void Refinement::factorise() {
    products_.cover(free_);
    Factor& f = factor_;
    f.order.clear();
    f.rows.clear();
    f.base = free_.front();
    for (const std::size_t row : free_) {
        const auto own = [&](std::size_t k) {
            return products_.product(k, k).hi + problem_.ridge[k];
        };
        if (own(row) < own(f.base)) f.base = row;
    }
    for (const std::size_t row : free_) {
        if (row != f.base) f.order.push_back(row);
    }
    const std::size_t m = f.order.size(), s = f.base;
    const DoubleDouble corner = products_.product(s, s) + DoubleDouble(problem_.ridge[s]);
    f.rows.resize(m);
    for (std::size_t i = 0; i < m; ++i) {
        f.rows[i].assign(m);
        const std::size_t row = f.order[i];
        const DoubleDouble part = corner - products_.product(row, s);
        for (std::size_t k = 0; k < m; ++k) {
            const std::size_t other = f.order[k];
            DoubleDouble entry = products_.product(row, other) - products_.product(other, s) + part;
            if (k == i) entry += DoubleDouble(problem_.ridge[row]);
            f.rows[i].set(k, entry);
        }
    }
    f.least = infinity;
    for (f.rank = 0; f.rank < m; ++f.rank) {
        std::size_t pivot = m;
        for (std::size_t i = f.rank; i < m; ++i) {
            const double size = products_.scale(f.order[i]) + problem_.ridge[f.order[i]] +
                                products_.scale(s) + problem_.ridge[s];
            const double left = f.rows[i].hi[i];
            if (!(left > pivot_rounding * size)) continue;
            if (pivot == m || left > f.rows[pivot].hi[pivot]) pivot = i;
        }
        if (pivot == m) break;
        f.least = std::min(f.least, f.rows[pivot].hi[pivot]);
        std::swap(f.order[pivot], f.order[f.rank]);
        std::swap(f.rows[pivot], f.rows[f.rank]);
        for (TwofoldVector& row : f.rows) {
            std::swap(row.hi[pivot], row.hi[f.rank]);
            std::swap(row.lo[pivot], row.lo[f.rank]);
        }
        eliminate(f.rank);
    }
    spent_ += 0.5 * static_cast<double>(m * m * m);
}

// Takes a pivot out of the rows below it.
void Refinement::eliminate(std::size_t k) {
    std::vector<TwofoldVector>& rows = factor_.rows;
    const std::size_t m = rows.size();
    const std::size_t first = (k + 1) / row_padding * row_padding;  // whole units of a row
    for (std::size_t i = k + 1; i < m; ++i) {
        const DoubleDouble factor = rows[i][k] / rows[k][k];
        // Entries before k + 1 in this unit are L: they are put back.
        DoubleDouble kept[row_padding];
        for (std::size_t c = first; c <= k; ++c) kept[c - first] = rows[i][c];
        vector_kernels().twofold_add_scaled(padded(m) - first, -factor.hi, -factor.lo,
                                            rows[k].hi.data() + first, rows[k].lo.data() + first,
                                            rows[i].hi.data() + first, rows[i].lo.data() + first);
        for (std::size_t c = first; c < k; ++c) rows[i].set(c, kept[c - first]);
        rows[i].set(k, factor);
    }
}

// The step on F, one entry per free row in the order (base, order...). True: to the optimum on F;
// false: without an end.
bool Refinement::direction(std::vector<DoubleDouble>& p) const {
    const Factor& f = factor_;
    const std::size_t m = f.order.size();
    std::vector<DoubleDouble> y(m), q(m);
    for (std::size_t i = 0; i < m; ++i) {
        y[i] = g_[f.order[i]] - g_[f.base];
        for (std::size_t k = 0; k < std::min(i, f.rank); ++k) y[i] -= f.rows[i][k] * y[k];
    }
    double steepest = least_slope * size_;
    std::size_t steep = m;
    for (std::size_t i = f.rank; i < m; ++i) {
        if (std::abs(y[i].hi) <= steepest) continue;
        steepest = std::abs(y[i].hi);
        steep = i;
    }
    if (steep < m) {
        q[steep] = y[steep].hi > 0 ? -1.0 : 1.0;
        for (std::size_t k = 0; k < f.rank; ++k) q[k] = -(f.rows[steep][k] * q[steep]);
    } else {
        for (std::size_t k = 0; k < f.rank; ++k) q[k] = -(y[k] / f.rows[k][k]);
    }
    for (std::size_t k = f.rank; k-- > 0;) {
        for (std::size_t t = k + 1; t < f.rank; ++t) q[k] -= f.rows[t][k] * q[t];
    }
    p.assign(m + 1, DoubleDouble());
    for (std::size_t i = 0; i < m; ++i) {
        p[i + 1] = q[i];
        p[0] -= q[i];
    }
    return steep == m;
}

// b_F += p, or to the first bound on the way; g_F follows. False if there is no end to it.
bool Refinement::walk(const std::vector<DoubleDouble>& p, bool bounded, std::size_t& blocked) {
    const std::size_t m = p.size();
    const auto row_of = [&](std::size_t i) { return i == 0 ? factor_.base : factor_.order[i - 1]; };
    double largest = 0.0;
    for (const DoubleDouble& entry : p) largest = std::max(largest, std::abs(entry.hi));
    DoubleDouble step = bounded ? 1.0 : infinity;
    blocked = m;
    for (std::size_t i = 0; i < m; ++i) {
        if (std::abs(p[i].hi) <= noise * largest) continue;
        const double bound = p[i].hi > 0 ? problem_.upper[row_of(i)] : problem_.lower[row_of(i)];
        if (std::isinf(bound)) continue;
        const DoubleDouble reach = (DoubleDouble(bound) - b_[row_of(i)]) / p[i];
        if (!(reach < step)) continue;
        step = reach;
        blocked = i;
    }
    if (std::isinf(step.hi)) return false;
    std::vector<DoubleDouble> moved(m);
    for (std::size_t i = 0; i < m; ++i) {
        const std::size_t row = row_of(i);
        const DoubleDouble before = b_[row];
        if (i == blocked) {
            b_[row] = p[i].hi > 0 ? problem_.upper[row] : problem_.lower[row];
        } else {
            b_[row] += step * p[i];
        }
        moved[i] = b_[row] - before;
        g_[row] += DoubleDouble(problem_.ridge[row]) * moved[i];
    }
    for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t k = 0; k < m; ++k)
            g_[row_of(i)] += products_.product(row_of(i), row_of(k)) * moved[k];
    }
    spent_ += static_cast<double>(m * m);
    if (blocked < m) {
        const std::size_t gone = row_of(blocked);
        free_.erase(std::find(free_.begin(), free_.end(), gone));
    }
    return true;
}

// To the optimum on F, from which rows may leave.
bool Refinement::level() {
    std::vector<DoubleDouble> p;
    while (free_.size() > 1) {
        const auto f = static_cast<double>(free_.size());
        if (spent_ + products_.price(free_) + 0.5 * f * f * f > most_) return false;
        spent_ += products_.price(free_);
        factorise();
        std::size_t blocked = 0;
        for (int turn = 0; turn < polishing; ++turn) {
            const bool bounded = direction(p);
            if (!walk(p, bounded, blocked)) return false;
            if (blocked < p.size()) break;
        }
        if (blocked == p.size()) return true;
    }
    return true;
}

// Lets the row enter that violates its condition most, or a pair. False if none does.
bool Refinement::admit() {
    const std::size_t n = problem_.size();
    std::size_t low = n, up = n;
    for (std::size_t k = 0; k < n; ++k) {
        if (!plays(k)) continue;
        if (b_[k] > DoubleDouble(problem_.lower[k]) && (low == n || g_[k] > g_[low])) low = k;
        if (b_[k] < DoubleDouble(problem_.upper[k]) && (up == n || g_[k] < g_[up])) up = k;
    }
    if (low == n || up == n) return false;
    if ((g_[low] - g_[up]).hi <= least_slope * size_) return false;
    bool fresh = false;
    for (const std::size_t row : {low, up}) {
        if (std::find(free_.begin(), free_.end(), row) != free_.end()) continue;
        free_.push_back(row);
        fresh = true;
    }
    return fresh;
}

void Refinement::report(Refined& out) const {
    const std::size_t n = problem_.size(), d = products_.columns().size();
    DoubleDouble low = -infinity, up = infinity, sum;
    for (std::size_t k = 0; k < n; ++k) {
        sum += g_[k] - DoubleDouble(problem_.linear[k]) - DoubleDouble(problem_.ridge[k]) * b_[k];
        if (b_[k] > DoubleDouble(problem_.lower[k]) && g_[k] > low) low = g_[k];
        if (b_[k] < DoubleDouble(problem_.upper[k]) && g_[k] < up) up = g_[k];
    }
    // The rows of a centred table sum to zero, and so do their products with w.
    const DoubleDouble shift = sum / DoubleDouble(static_cast<double>(n));
    out.coefficients.resize(n);
    out.gradient.resize(n);
    out.weights.resize(d);
    for (std::size_t k = 0; k < n; ++k) {
        out.coefficients[k] = b_[k].rounded();
        out.gradient[k] = (g_[k] - shift).rounded();
    }
    const bool has_low = std::isfinite(low.hi), has_up = std::isfinite(up.hi);
    out.gap = has_low && has_up ? (low - up).rounded() : -infinity;
    const DoubleDouble middle = !free_.empty() ? g_[free_.front()]
                                : !has_up      ? low
                                : !has_low     ? up
                                               : (low + up) * DoubleDouble(0.5);
    out.multiplier = (middle - shift).rounded();
    const double left = rounding * size_ * std::sqrt(static_cast<double>(free_.size()));
    out.error = free_.size() > 1 && factor_.rank > 0 ? left / std::sqrt(factor_.least) : 0.0;
    // What is no more than rounding is zero.
    const std::vector<double> spans = products_.spans();
    double mass = 0.0;
    for (const DoubleDouble& b : b_) mass += std::abs(b.hi);
    for (std::size_t j = 0; j < d; ++j) {
        const double w = w_[j].rounded();
        out.weights[j] = std::abs(w) <= out.error + rounding * mass * spans[j] ? 0.0 : w;
    }
}

bool Refinement::run(Vector coefficients, double most, Refined& out) {
    spent_ = 0.0;
    most_ = most;
    if (price(coefficients) > most) return false;
    begin(coefficients);
    if (!balance()) return false;
    free_.clear();
    for (std::size_t k = 0; k < problem_.size(); ++k) {
        if (inside(k)) free_.push_back(k);
    }
    const double sweep = 2.0 * static_cast<double>(products_.rows() * products_.columns().size());
    differentiate();
    do {
        if (!level() || spent_ + sweep > most_) return false;
        differentiate();
    } while (admit());
    for (const DoubleDouble& g : g_) {
        if (!std::isfinite(g.hi)) return false;
    }
    report(out);
    return true;
}

}  // namespace svsieve
