#include "svsieve/feasible_point.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>

namespace svsieve {

namespace {

// Sums of many entries of either sign keep their last digits in extended precision.
using Sum = long double;

struct Box {
    Vector lower, upper;
    double total;

    std::size_t size() const { return lower.size(); }

    double clipped(double value, std::size_t k) const {
        return std::min(std::max(value, lower[k]), upper[k]);
    }

    // How much more than the total clip(wish - tau) sums to.
    double excess(Vector wish, double tau) const {
        Sum sum = -static_cast<Sum>(total);
        for (std::size_t k = 0; k < size(); ++k) sum += clipped(wish[k] - tau, k);
        return static_cast<double>(sum);
    }

    std::vector<double> moved(Vector wish, double tau) const {
        std::vector<double> point(size());
        for (std::size_t k = 0; k < size(); ++k) point[k] = clipped(wish[k] - tau, k);
        return point;
    }

    bool holds_sum(Vector point) const {
        Sum sizes = 0.0;
        for (const double value : point) sizes += std::abs(value);
        const double rounding = 1e-12 * std::max(std::abs(total), static_cast<double>(sizes));
        return std::abs(excess(point, 0.0)) <= rounding;
    }
};

void refuse_without_room(const Box& box) {
    Sum least = 0.0, most = 0.0;
    for (std::size_t k = 0; k < box.size(); ++k) {
        least += box.lower[k];
        most += box.upper[k];
    }
    const double slack = 1e-9 * std::max(1.0, std::abs(box.total));
    if (least <= box.total + slack && most >= box.total - slack) return;
    std::ostringstream sentence;
    sentence << "no coefficients within the bounds sum to " << box.total << ": their sum lies in ["
             << static_cast<double>(least) << ", " << static_cast<double>(most) << "].";
    throw std::invalid_argument(sentence.str());
}

// The Euclidean projection is clip(wish - tau) with the tau for which it sums to the total. That
// sum falls monotonously and piecewise linearly in tau: the kinks are where an entry meets a bound,
// so the right piece is found by bisection over the sorted kinks and solved exactly.
double shift(const Box& box, Vector wish) {
    std::vector<double> kinks;
    for (std::size_t k = 0; k < box.size(); ++k) {
        for (const double bound : {box.lower[k], box.upper[k]})
            if (std::isfinite(bound)) kinks.push_back(wish[k] - bound);
    }
    std::sort(kinks.begin(), kinks.end());
    const auto after = std::partition_point(
        kinks.begin(), kinks.end(), [&](double kink) { return box.excess(wish, kink) > 0.0; });
    // Between two neighbouring kinks the same entries move, one for one with tau.
    const double first = kinks.empty() ? 0.0 : kinks.front();
    const double left = after == kinks.begin() ? first - 1.0 : *(after - 1);
    const double right = after == kinks.end() ? left + 1.0 : *after;
    const double inside = 0.5 * (left + right);
    std::size_t moving = 0;
    for (std::size_t k = 0; k < box.size(); ++k) {
        const double value = wish[k] - inside;
        moving += value > box.lower[k] && value < box.upper[k];
    }
    if (moving == 0) return right;
    return inside + box.excess(wish, inside) / static_cast<double>(moving);
}

// Gives what rounding left over of the sum to the entry with most room for it.
void settle_rounding(const Box& box, std::vector<double>& point) {
    const double rest = -box.excess(point, 0.0);
    if (rest == 0.0) return;
    double most = std::abs(rest);
    std::size_t widest = box.size();
    for (std::size_t k = 0; k < box.size(); ++k) {
        const double room = std::min(point[k] - box.lower[k], box.upper[k] - point[k]);
        if (room > most) {
            most = room;
            widest = k;
        }
    }
    if (widest < box.size()) point[widest] += rest;
}

}  // namespace

std::vector<double> feasible_point(Vector wish, Vector lower, Vector upper, double total) {
    const Box box{lower, upper, total};
    if (wish.size() != box.size() || upper.size() != box.size())
        throw std::invalid_argument("wish, lower and upper must have the same length.");
    for (std::size_t k = 0; k < box.size(); ++k) {
        if (!std::isfinite(wish[k]))
            throw std::invalid_argument("start must be finite; row " + std::to_string(k) +
                                        " is not.");
    }
    auto point = box.moved(wish, 0.0);
    if (!box.holds_sum(point)) {
        refuse_without_room(box);
        point = box.moved(wish, shift(box, wish));
        // so far away that the shift had no digits left: once more from there
        if (!box.holds_sum(point)) point = box.moved(point, shift(box, point));
    }
    settle_rounding(box, point);
    return point;
}

}  // namespace svsieve
