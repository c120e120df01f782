#include "sparse/sparse_machine.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "svsieve/cancellation.hpp"

namespace svsieve::sparse {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

constexpr int most_sweeps = 30;
constexpr double settled_share = 0.01;  // of the active rows: so few still change sets

std::uint64_t next(std::uint64_t& state) {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545f4914f6cdd1du;
}

}  // namespace

void SparseMachine::descend() {
    highest_ = infinity;
    lowest_ = -infinity;
    for (int k = 0; k < most_sweeps && !active_.empty(); ++k) {
        const double most = sweep(true);
        if (static_cast<double>(changes_) <= settled_share * static_cast<double>(active_.size()))
            break;
        if (most + (options_.free_offset ? scale_ * std::abs(sum_) : 0.0) <= options_.tolerance)
            break;
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
        const double g = y * (table_.product(k, w) + running_offset()) - 1.0 + ridge_[i] * a;
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

}  // namespace svsieve::sparse
