// Projections on a box with a fixed sum, checked by their own optimality conditions.
#include "svsieve/feasible_point.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>

#include "testing.hpp"

using namespace svsieve;

namespace {
constexpr double infinity = std::numeric_limits<double>::infinity();
}

TEST(a_projection_pulls_every_free_entry_alike) {
    std::mt19937 random(3);
    std::normal_distribution<double> normal;
    for (int trial = 0; trial < 200; ++trial) {
        const std::size_t n = 1 + trial % 9;
        std::vector<double> wish(n), lower(n), upper(n);
        double total = 0.0;
        for (std::size_t k = 0; k < n; ++k) {
            const double a = normal(random), b = normal(random);
            lower[k] = trial % 3 == 0 ? -infinity : std::min(a, b);
            upper[k] = trial % 5 == 0 ? infinity : std::max(a, b);
            wish[k] = 3.0 * normal(random);
            total += 0.5 * (std::min(a, b) + std::max(a, b));
        }
        const auto point = feasible_point(wish, lower, upper, total);
        double least = infinity, most = -infinity;
        for (std::size_t k = 0; k < n; ++k) {
            CHECK(point[k] >= lower[k] && point[k] <= upper[k]);
            if (point[k] > lower[k]) least = std::min(least, wish[k] - point[k]);
            if (point[k] < upper[k]) most = std::max(most, wish[k] - point[k]);
        }
        const double sum = std::accumulate(point.begin(), point.end(), 0.0);
        CHECK(std::abs(sum - total) <= 1e-12 * (1.0 + std::abs(total)));
        CHECK(most - least <= 1e-9);
    }
}

TEST(a_box_without_room_is_refused) {
    const std::vector<double> lower{0.0, 0.0}, upper{0.3, 0.4};
    const auto refuses = [&](std::vector<double> wish, double total) {
        try {
            feasible_point(wish, lower, upper, total);
            return false;
        } catch (const std::invalid_argument&) {
            return true;
        }
    };
    CHECK(refuses({0.0, 0.0}, 1.0));
    CHECK(refuses({NAN, 0.0}, 0.5));
    CHECK(!refuses({0.0, 0.0}, 0.7));
}
