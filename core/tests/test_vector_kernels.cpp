// Every instruction set of this machine against plain loops.
#include <limits>

#include "expm1_scheme.hpp"
#include "svsieve/profile.hpp"
#include "testing.hpp"
#include "vector/kernels.hpp"

using namespace svsieve;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

TEST(exponentials_are_accurate_to_the_last_places) {
    const Profile profile{ProfileKind::Exponential, 1.0, 0.0, 1};
    std::vector<double> s, out;
    for (double x = 0.0; x < 745.0; x += 0.0371) s.push_back(x);
    out.resize(s.size());
    for (const auto* kernels : testing::available_kernels()) {
        kernels->profile(profile, s.size(), s.data(), out.data());
        for (std::size_t k = 0; k < s.size(); ++k) {
            const double exact = std::exp(-s[k]);
            if (s[k] <= 708.0) {
                CHECK(std::abs(out[k] - exact) <= 4e-16 * exact);
            } else {
                CHECK(out[k] == 0.0);
            }
        }
    }
}

TEST(scan_finds_the_extremes_at_any_length) {
    for (const auto* kernels : testing::available_kernels()) {
        for (std::size_t n = 1; n < 40; ++n) {
            const auto g = testing::normal_table(n, 1, static_cast<unsigned>(n));
            std::vector<double> up(n, 0.0), low(n, 0.0);
            for (std::size_t k = 0; k < n; k += 3) up[k] = infinity;
            for (std::size_t k = 1; k < n; k += 4) low[k] = -infinity;
            double up_min = infinity, low_max = -infinity;
            std::size_t where = n;
            for (std::size_t k = 0; k < n; ++k) {
                if (up[k] == 0.0 && g[k] < up_min) up_min = g[k], where = k;
                if (low[k] == 0.0 && g[k] > low_max) low_max = g[k];
            }
            const Extremes found = kernels->scan(n, g.data(), up.data(), low.data());
            CHECK(found.up_index == where);
            CHECK(found.up_min == up_min);
            CHECK(found.low_max == low_max);
        }
    }
}

TEST(the_partner_gives_the_largest_decrease) {
    for (const auto* kernels : testing::available_kernels()) {
        for (std::size_t n = 1; n < 50; n += 3) {
            const auto g = testing::normal_table(n, 1, 7), noise = testing::normal_table(n, 1, 8);
            std::vector<double> low(n, 0.0), row(n), diagonal(n);
            for (std::size_t k = 0; k < n; ++k) {
                if (k % 5 == 0) low[k] = -infinity;
                diagonal[k] = 1.0 + noise[k] * noise[k];
                row[k] = 0.3 * noise[k];
            }
            double best = 0.0;
            std::size_t where = n;
            for (std::size_t k = 0; k < n; ++k) {
                const double b = g[k] - (-1.0);
                if (low[k] < 0 || b <= 0) continue;
                const double decrease = b * b / (2.0 + diagonal[k] - 2.0 * row[k]);
                if (decrease > best) best = decrease, where = k;
            }
            CHECK(kernels->choose_partner(n, g.data(), low.data(), row.data(), diagonal.data(),
                                          -1.0, 2.0) == where);
        }
    }
}

TEST(the_expm1_scheme_is_accurate_over_its_range) {
    const Expm1Scheme& scheme = expm1_scheme();
    for (int k = 1; k <= 1000; ++k) {
        const double u = Expm1Scheme::widest * k / 1000.0, x = scheme.scale * u;
        const double z = (x + scheme.a[0]) * x + scheme.a[1],
                     w = (x + scheme.a[2]) * z + scheme.a[3];
        double m = u * ((w + (z + scheme.a[4])) * w + scheme.a[5]), whole = u;
        CHECK(std::abs(m - std::expm1(u)) <= 5e-14 * std::expm1(u));
        for (int q = 0; q < Expm1Scheme::most_doublings; ++q) {
            m *= m + 2.0;
            whole *= 2.0;
        }
        CHECK(std::abs(m - std::expm1(whole)) <= 1e-12 * std::expm1(whole));
    }
    CHECK(doublings_for(0.0) == 0);
    CHECK(doublings_for(0.2) == 0);
    CHECK(doublings_for(0.21) == 1);
    CHECK(doublings_for(12.8) == 6);
    CHECK(doublings_for(12.9) == -1);
}
