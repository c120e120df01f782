// Which columns quadratic forms are taken for, their numbers with several blocks of rows, and the loops
// they need; tables of all kinds are checked with the contractions.
#include "power_removal.hpp"

#include <cmath>

#include "pair_problem.hpp"
#include "testing.hpp"
#include "vector/kernels.hpp"

using namespace svsieve;

namespace {

// Normal deviates about some mean, with their inner products.
struct Problem : testing::PairProblem {
    explicit Problem(double mean) {
        for (double& value : values) value += mean;
        pair_up([](double x, double y) { return x * y; });
    }

    std::size_t left_to_tiles(double gamma, double coef0, int degree, bool dense = false) const {
        const Profile profile{ProfileKind::Power, gamma, coef0, degree};
        const std::vector<double> ones(n * n, 1.0);
        const PairWeight weight =
            dense ? PairWeight{Matrix(ones.data(), n, n), {}, 1.0} : PairWeight{{}, u, 1.0};
        std::vector<double> out(d, 0.0);
        return remove_power_by_forms(profile, block(), Matrix(s.data(), n, n), weight, out).size();
    }
};

}  // namespace

TEST(forms_are_taken_where_rows_have_little_to_do_with_each_other) {
    const Problem problem(0.0);
    CHECK(problem.left_to_tiles(1e-3, 1.0, 7) == 0);
    CHECK(problem.left_to_tiles(0.01, 1.0, 3) == 0);
    CHECK(problem.left_to_tiles(0.01, 0.0, 3) == problem.d);  // nothing in common
    CHECK(problem.left_to_tiles(1.0, 1.0, 7) == problem.d);   // too many forms
    CHECK(problem.left_to_tiles(1e-3, 1.0, 7, true) == problem.d);
    CHECK(problem.left_to_tiles(1e-3, 1.0, 13) == problem.d);
    CHECK(Problem(2.0).left_to_tiles(1e-3, 0.0, 3) == 0);
    CHECK(Problem(2.0).left_to_tiles(1e-3, -0.01, 3) == problem.d);
}

TEST(forms_are_not_taken_for_weights_that_single_precision_would_lose) {
    Problem problem(0.0);
    for (const double size : {1e-160, 1e160}) {
        problem.u.assign(problem.n, size);
        CHECK(problem.left_to_tiles(1e-3, 1.0, 7) == problem.d);
    }
}

TEST(forms_are_not_taken_for_a_column_that_overflows) {
    Problem problem(0.0);
    for (std::size_t k = 0; k < problem.n; ++k) problem.values[k * problem.d] = 1e155;
    CHECK(problem.left_to_tiles(1e-3, 1.0, 7) == 1);
}

// Rows that are not side by side, three blocks of them.
TEST(forms_match_plain_loops) {
    Problem problem(0.1);
    problem.rows.clear();
    for (std::size_t k = 0; k < problem.n; ++k) {
        if (k % 17 != 5) problem.rows.push_back(k);
    }
    const std::size_t count = problem.rows.size(), d = problem.d;
    const auto u = testing::normal_table(count, 1, 10);
    const Profile profile{ProfileKind::Power, 0.002, 1.0, 5};
    const Matrix s(problem.s.data(), problem.n, problem.n);
    std::vector<double> out(d, 0.0);
    CHECK(remove_power_by_forms(profile, problem.block(), s, {{}, u, 1.0}, out).empty());
    for (std::size_t l = 0; l < d; ++l) {
        long double expected = 0.0, magnitude = 0.0;
        for (std::size_t i = 0; i < count; ++i) {
            for (std::size_t j = 0; j < count; ++j) {
                const std::size_t k = problem.rows[i], m = problem.rows[j];
                const long double base = 0.002L * s(k, m) + 1.0L,
                                  part = 0.002L * problem.values[k * d + l] *
                                         problem.values[m * d + l],
                                  change = std::pow(base - part, 5) - std::pow(base, 5);
                expected += static_cast<long double>(u[i]) * u[j] * change;
                magnitude += std::abs(static_cast<long double>(u[i]) * u[j] * change);
            }
        }
        CHECK(std::abs(out[l] - expected) <= 1e-11 * magnitude);
    }
}

TEST(rests_of_powers_match_plain_loops) {
    for (const auto* kernels : testing::available_kernels()) {
        const std::size_t n = 24;
        const auto weights = testing::normal_table(n, 1, 6), base = testing::normal_table(n, 1, 7),
                   likeness = testing::normal_table(n, 1, 8);
        PowerRests rows{11, weights.data(), base.data(), 0.75, likeness.data(), {}, {}, {}};
        std::vector<std::vector<double>> exact(12, std::vector<double>(n));
        std::vector<std::vector<float>> narrow(12, std::vector<float>(n));
        for (int e = 1; e < 12; ++e) {
            rows.factors[e] = 1.0 + e;
            if (e % 3 != 0) rows.exact[e] = exact[e].data();
            if (e % 3 != 1) rows.narrow[e] = narrow[e].data();
        }
        kernels->power_rests(rows, n);
        for (int e = 1; e < 12; ++e) {
            for (std::size_t j = 0; j < n; ++j) {
                const double whole = std::pow(base[j], e), alike = std::pow(0.75 * likeness[j], e);
                const double factor = (1.0 + e) * weights[j],
                             size = std::abs(factor) * (std::abs(whole) + std::abs(alike));
                const double rest = factor * (whole - alike);
                CHECK(std::abs(exact[e][j] - (e % 3 != 0 ? rest : 0.0)) <= 1e-14 * size);
                CHECK(std::abs(narrow[e][j] - (e % 3 != 1 ? rest : 0.0)) <= 1e-7 * size);
            }
        }
    }
}

TEST(a_row_with_itself_matches_plain_loops) {
    for (const auto* kernels : testing::available_kernels()) {
        const std::size_t width = 6 * kernels->lane_count;
        auto z = testing::normal_table(width, 1, 9);
        z[1] = 0.0;
        for (const int degree : {1, 2, 3, 7, 12}) {
            std::vector<double> sums(width, 0.0);
            kernels->own_removal(width, z.data(), degree, 1.5, -2.0, sums.data());
            for (std::size_t l = 0; l < width; ++l) {
                const double change = std::pow(1.5 - z[l] * z[l], degree) - std::pow(1.5, degree);
                const double size = std::pow(1.5 + z[l] * z[l], degree);
                CHECK(std::abs(sums[l] + 2.0 * change) <= 1e-14 * size);
            }
            CHECK(sums[1] == 0.0);
        }
    }
}
