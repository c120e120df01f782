// Random programs of every shape; the KKT conditions are checked from the returned point alone.
#include "svsieve/solve.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "svsieve/active_set.hpp"
#include "svsieve/pairing.hpp"
#include "testing.hpp"

using namespace svsieve;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Instance {
    std::size_t n;
    std::vector<double> gram, linear, lower, upper, ridge, start;
    double total = 0.0;

    Instance(std::size_t n_, std::size_t d, double gamma, unsigned seed)
        : n(n_),
          gram(n * n),
          linear(n),
          lower(n, 0.0),
          upper(n, 0.0),
          ridge(n, 0.0),
          start(n, 0.0) {
        auto values = testing::normal_table(n, d, seed);
        for (std::size_t l = 0; l < d && n > 3; ++l)
            values[l] = values[2 * d + l];  // a duplicated row
        const Profile profile{gamma > 0 ? ProfileKind::Exponential : ProfileKind::Identity, gamma,
                              0.0, 1};
        build_pairing(gamma > 0 ? Pairing::SquaredDifference : Pairing::Product,
                      Matrix(values.data(), n, d), MutableMatrix(gram.data(), n, n), &profile);
    }
    void classify(double C) {
        for (std::size_t k = 0; k < n; ++k) {
            const double y = k % 2 == 0 ? 1.0 : -1.0;
            linear[k] = -y;
            (y > 0 ? upper : lower)[k] = y * C;
        }
    }
    void enclose(double C) {
        total = 1.0;
        for (std::size_t k = 0; k < n; ++k) {
            linear[k] = -0.5 * gram[k * n + k];
            upper[k] = C;
            start[k] = 1.0 / static_cast<double>(n);
        }
    }
    DualProblem problem() const { return {linear, lower, upper, ridge, total, 1.0}; }
};

// Largest violation of feasibility and the KKT gap, recomputed in extended precision.
std::pair<double, double> defects(const Instance& instance, const std::vector<double>& b) {
    long double sum = -instance.total, low = -infinity, up = infinity;
    double outside = 0.0;
    for (std::size_t i = 0; i < instance.n; ++i) {
        long double g = instance.linear[i] + static_cast<long double>(instance.ridge[i]) * b[i];
        for (std::size_t k = 0; k < instance.n; ++k)
            g += static_cast<long double>(instance.gram[i * instance.n + k]) * b[k];
        sum += b[i];
        outside = std::max({outside, instance.lower[i] - b[i], b[i] - instance.upper[i]});
        if (b[i] > instance.lower[i]) low = std::max(low, g);
        if (b[i] < instance.upper[i]) up = std::min(up, g);
    }
    return {std::max(outside, static_cast<double>(std::abs(sum))), static_cast<double>(low - up)};
}

void expect_solved(const Instance& instance, const SolveOptions& options) {
    GramRows rows(Matrix(instance.gram.data(), instance.n, instance.n));
    const DualSolution solution = solve(instance.problem(), rows, instance.start, options);
    const auto [infeasible, gap] = defects(instance, solution.coefficients);
    double mass = 0.0, scale = 0.0;
    for (std::size_t k = 0; k < instance.n; ++k) {
        mass += std::abs(solution.coefficients[k]);
        scale = std::max(scale, instance.gram[k * instance.n + k]);
    }
    CHECK(infeasible <= 1e-12 * std::max(1.0, mass));
    CHECK(gap <= options.tolerance + 1e-14 * mass * scale);
    CHECK(solution.stopped == Stopped::Converged || solution.stopped == Stopped::PrecisionFloor);
}

}  // namespace

TEST(classifiers_reach_the_gap) {
    unsigned seed = 30;
    for (std::size_t n : {2u, 3u, 10u, 61u}) {
        for (double gamma : {0.0, 0.5}) {
            for (double C : {1e-3, 1.0, 1e3}) {
                Instance instance(n, 3, gamma, ++seed);
                instance.classify(C);
                expect_solved(instance, {1e-9, -1, true, true});
                expect_solved(instance, {1e-3, -1, false, true});
            }
        }
    }
}

TEST(ridge_programs_without_upper_bound_reach_the_gap) {
    for (double ridge : {1e-4, 1.0}) {
        Instance instance(50, 3, 0.3, 41);
        instance.classify(infinity);
        instance.ridge.assign(50, ridge);
        expect_solved(instance, {1e-9, -1, true, true});
    }
}

TEST(spheres_reach_the_gap) {
    for (double C : {0.05, 2.0, infinity}) {
        for (double gamma : {0.0, 0.2}) {
            Instance instance(40, 3, gamma, 42);
            instance.enclose(C);
            expect_solved(instance, {1e-9, -1, true, true});
        }
    }
}

// With bounds this small no gradient differs from the linear term by the tolerance.
TEST(tiny_bounds_are_solved_like_large_ones) {
    for (const double C : {1e-5, 1e-8, 1e-12}) {
        Instance instance(40, 3, 0.5, 46);
        instance.classify(C);
        for (std::size_t k = 0; k < 40; ++k) {  // six rows against thirty-four
            const double y = k < 6 ? 1.0 : -1.0;
            instance.linear[k] = -y;
            instance.lower[k] = std::min(0.0, C * y);
            instance.upper[k] = std::max(0.0, C * y);
        }
        GramRows rows(Matrix(instance.gram.data(), 40, 40));
        const std::vector<double> start(40, 0.0);
        const DualSolution found = solve(instance.problem(), rows, start, {1e-9, -1, true, true});
        CHECK(found.stopped == Stopped::Converged);
        CHECK(found.kkt_gap <= 1e-9);
        long double low = -infinity, up = infinity, least = infinity, most = -infinity;
        for (std::size_t i = 6; i < 40; ++i) {  // the others are at their bounds
            long double value = 0.0L;
            for (std::size_t k = 0; k < 40; ++k)
                value +=
                    static_cast<long double>(instance.gram[i * 40 + k]) * found.coefficients[k];
            if (found.coefficients[i] > instance.lower[i]) low = std::max(low, value);
            if (found.coefficients[i] < instance.upper[i]) up = std::min(up, value);
            least = std::min(least, value);
            most = std::max(most, value);
        }
        for (std::size_t i = 0; i < 6; ++i) CHECK(found.coefficients[i] == C);
        CHECK(low - up <= 2e-9 * (most - least));
    }
}

TEST(pair_steps_and_polish_agree) {
    Instance instance(60, 4, 0.3, 43);
    instance.classify(10.0);
    GramRows rows(Matrix(instance.gram.data(), 60, 60));
    const DualSolution polished =
        solve(instance.problem(), rows, instance.start, {1e-10, -1, true, true});
    const DualSolution plain =
        solve(instance.problem(), rows, instance.start, {1e-10, -1, false, false});
    CHECK_NEAR(polished.objective, plain.objective, 1e-12);
    CHECK_NEAR(polished.offset, plain.offset, 1e-8);
}

TEST(shrinking_changes_nothing) {
    Instance instance(900, 3, 0.5, 44);
    instance.classify(5.0);
    GramRows rows(Matrix(instance.gram.data(), 900, 900));
    const DualSolution with =
        solve(instance.problem(), rows, instance.start, {1e-7, -1, true, false});
    const DualSolution without =
        solve(instance.problem(), rows, instance.start, {1e-7, -1, false, false});
    CHECK(defects(instance, with.coefficients).second <= 1.01e-7);
    CHECK_NEAR(with.objective, without.objective, 1e-10);
}

TEST(an_inseparable_hard_margin_is_reported) {
    Instance instance(40, 2, 0.0, 45);
    instance.classify(infinity);
    GramRows rows(Matrix(instance.gram.data(), 40, 40));
    CHECK(solve(instance.problem(), rows, instance.start, {1e-6, -1, true, true}).stopped ==
          Stopped::Unbounded);
}

TEST(equal_rows_of_both_classes_have_no_hard_margin) {
    Instance instance(3, 2, 0.0, 48);
    instance.classify(infinity);
    for (std::size_t k = 0; k < 3; ++k) {  // the first two rows alike
        instance.gram[k] = instance.gram[3 + k];
        instance.gram[3 * k] = instance.gram[3 * k + 1];
    }
    instance.gram[0] = instance.gram[1] = instance.gram[3] = instance.gram[4];
    GramRows rows(Matrix(instance.gram.data(), 3, 3));
    CHECK(solve(instance.problem(), rows, instance.start, {1e-6, -1, true, true}).stopped ==
          Stopped::Unbounded);
}

TEST(the_iteration_limit_is_kept) {
    Instance instance(60, 4, 0.3, 46);
    instance.classify(10.0);
    GramRows rows(Matrix(instance.gram.data(), 60, 60));
    const DualSolution solution =
        solve(instance.problem(), rows, instance.start, {1e-9, 5, true, true});
    CHECK(solution.stopped == Stopped::IterationLimit);
    CHECK(solution.iterations == 5);
}

TEST(bad_problems_are_refused) {
    Instance instance(5, 2, 0.3, 47);
    instance.classify(1.0);
    GramRows rows(Matrix(instance.gram.data(), 5, 5));
    const auto refuses = [&](Instance broken) {
        try {
            solve(broken.problem(), rows, broken.start, {});
            return false;
        } catch (const std::invalid_argument&) {
            return true;
        }
    };
    Instance outside = instance, infeasible = instance, crossed = instance;
    outside.start[0] = 7.0;
    infeasible.total = 100.0;
    crossed.lower[2] = 9.0;
    CHECK(refuses(outside));
    CHECK(refuses(infeasible));
    CHECK(refuses(crossed));
}

TEST(arguments_of_other_lengths_are_refused) {
    Instance instance(5, 2, 0.3, 47);
    instance.classify(1.0);
    GramRows five(Matrix(instance.gram.data(), 5, 5)), four(Matrix(instance.gram.data(), 4, 4));
    const auto refuses = [&](GramRows& rows, const std::vector<double>& start, double tolerance) {
        SolveOptions options;
        options.tolerance = tolerance;
        try {
            solve(instance.problem(), rows, start, options);
            return false;
        } catch (const std::invalid_argument&) {
            return true;
        }
    };
    const std::vector<double>& start = instance.start;
    CHECK(!refuses(five, start, 1e-8));
    CHECK(refuses(four, start, 1e-8));
    CHECK(refuses(five, std::vector<double>(start.begin(), start.begin() + 4), 1e-8));
    CHECK(refuses(five, std::vector<double>(6, 0.0), 1e-8));
    CHECK(refuses(five, start, 0.0));
    CHECK(refuses(five, start, std::nan("")));
}
