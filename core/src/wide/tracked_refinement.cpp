// What a tracked machine knows of its own accuracy, and how it takes up a refined point.
#include <algorithm>
#include <cmath>
#include <limits>

#include "wide/tracked_machine.hpp"

namespace svsieve {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double epsilon = std::numeric_limits<double>::epsilon();

}  // namespace

// A gradient that is off by r on F moves b_F by P r, so that x'b changes by no more than
// sqrt(x'P x) sqrt(r'P r), where x'P x <= 1 as x x' is part of the Gram matrix. A row off F whose
// condition may be violated by r moves it by no more than r / sqrt(s), s its Schur complement.
// `rounded`: largest entry of the matrix that columns were subtracted from.
Doubt TrackedMachine::doubt(double rounded) {
    constexpr double units = 24.0;  // of rounding in a sum of products, after many subtractions
    const std::size_t f = free_.size();
    if (stale_ || !std::isfinite(mu_)) return {infinity, infinity};
    double off = units * epsilon * mass_ * std::max(scale_, rounded) + 2.0 * epsilon * largest_;
    if (f == 0) return gap_ < -off ? Doubt{0.0, 0.0} : Doubt{infinity, infinity};
    off = std::max(off, gap_);
    const double trace = f > 1 ? inverse_.trace() : 0.0;
    if (!(trace >= 0.0 && off < infinity)) return {infinity, infinity};
    const double whole = std::sqrt(static_cast<double>(f)) * off;
    Doubt doubt{std::sqrt(trace) * whole, trace * whole};
    const auto may_violate = [&](std::size_t k) {
        const bool grows = up_[k] == 0.0, shrinks = low_[k] == 0.0;
        const double margin = grows ? g_[k] - mu_ : mu_ - g_[k];
        return (grows != shrinks) & (margin <= off);
    };
    bool any = false;  // almost never: seen without a branch per row
    for (std::size_t k = 0; k < n_; ++k) any |= may_violate(k);
    if (!any) return doubt;
    for (std::size_t k = 0; k < n_; ++k) {
        if (!may_violate(k) || has_twin(k)) continue;  // a twin moves along what no column sees
        const double noise = units * epsilon * std::max(scale_, rounded);
        doubt.error += off / std::sqrt(std::max(schur_complement(k), noise));
        doubt.relative = infinity;
    }
    return doubt;
}

// Is a row of F equal to this one in every column? Equal rows have equal products.
bool TrackedMachine::has_twin(std::size_t row) const {
    const double* kernel_row = gram_.row(row);
    const auto equal = [&](std::size_t other) {
        return kernel_row[other] == kernel_row[row] && gram_.row(other)[other] == kernel_row[row] &&
               problem_.ridge[other] == 0.0;
    };
    return problem_.ridge[row] == 0.0 && std::any_of(free_.begin(), free_.end(), equal);
}

void TrackedMachine::adopt(const Refined& point) {
    const auto take = [&] {
        std::copy(point.coefficients.begin(), point.coefficients.end(), b_.begin());
        std::copy(point.gradient.begin(), point.gradient.end(), g_.begin());
        mass_ = 0.0;
        for (std::size_t k = 0; k < n_; ++k) {
            mass_ += std::abs(b_[k]);
            set_status(k);
        }
        mu_ = point.multiplier;
        since_gradient_ = 0;
    };
    const auto is_inside = [&](std::size_t k) {
        return point.coefficients[k] > problem_.lower[k] &&
               point.coefficients[k] < problem_.upper[k];
    };
    std::size_t inside = 0, known = 0;
    for (std::size_t k = 0; k < n_; ++k) inside += is_inside(k);
    for (const std::size_t row : free_) known += is_inside(row);
    take();
    adrift_ = false;
    if (stale_ || known != inside || known != free_.size()) {
        stale_ = false;
        factorise();
        measure();
        if (gap_ > floor() || !is_finite()) {  // led away from it: keep the point, and no F
            take();
            free_.clear();
            inverse_.clear();
            stale_ = adrift_ = true;
        }
    } else {
        for (const std::size_t row : free_) up_[row] = low_[row] = 0.0;
    }
    gap_ = point.gap;
}

}  // namespace svsieve
