// Machines in twice the precision: optimality from the table itself, and order where doubles fail.
#include "wide/refinement.hpp"

#include <algorithm>
#include <limits>

#include "svsieve/refined_weights.hpp"
#include "testing.hpp"
#include "wide/column_twins.hpp"

using namespace svsieve;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Program {
    std::vector<double> linear, lower, upper, ridge;

    DualProblem problem() const { return {linear, lower, upper, ridge, 0.0, 1.0}; }
};

// Two classes by turns, row 0 pinned to zero.
Program program(std::size_t n, double C, bool squared) {
    Program out;
    for (std::size_t k = 0; k < n; ++k) {
        const double y = k == 0 ? 0.0 : k % 2 ? 1.0 : -1.0, most = squared ? infinity : C;
        out.linear.push_back(-y);
        out.lower.push_back(y < 0 ? -most : 0.0);
        out.upper.push_back(y > 0 ? most : 0.0);
        out.ridge.push_back(squared ? 1.0 / C : 0.0);
    }
    return out;
}

// Numbers of few bits, so that their products are exact in long double for a while.
std::vector<double> table(std::size_t n, std::size_t d, bool scales, bool twins, unsigned seed) {
    auto x = testing::normal_table(n, d, seed);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < d; ++j) {
            double& value = x[i * d + j];
            value = twins && i % 3 == 2 ? x[(i - 1) * d + j] : std::round(value * 256.0) / 256.0;
        }
    }
    for (std::size_t k = 0; k < n * d; ++k) {
        if (scales) x[k] *= k % d % 2 ? 0x1p10 : 0x1p-10;
    }
    return x;
}

std::vector<std::size_t> all(std::size_t d) {
    std::vector<std::size_t> out(d);
    for (std::size_t j = 0; j < d; ++j) out[j] = j;
    return out;
}

// Conditions of optimality of the coefficients, from numbers of twice the precision.
void expect_optimal(const std::vector<double>& x, std::size_t n, std::size_t d,
                    const DualProblem& problem, const RefinedWeights& found) {
    CHECK(found.found);
    if (!found.found) return;
    DoubleDouble low = -infinity, up = infinity, sum;
    double mass = 0.0, longest = 0.0;
    for (const double b : found.coefficients) {
        sum += b;
        mass += std::abs(b);
    }
    for (const double value : x) longest = std::max(longest, std::abs(value));
    for (std::size_t j = 0; j < d; ++j) {
        DoubleDouble w;
        for (std::size_t i = 0; i < n; ++i)
            w += two_product(found.coefficients[i], x[i * d + j] - x[j]);
        // The coefficients are rounded, the weights are those before.
        CHECK(std::abs((w - found.weights[j]).rounded()) <= 0x1p-52 * mass * longest);
    }
    for (std::size_t i = 0; i < n; ++i) {
        const double b = found.coefficients[i];
        CHECK(b >= problem.lower[i] && b <= problem.upper[i]);
        DoubleDouble g = problem.linear[i] + problem.ridge[i] * b;
        for (std::size_t j = 0; j < d; ++j) g += two_product(found.weights[j], x[i * d + j] - x[j]);
        if (b > problem.lower[i] && g > low) low = g;
        if (b < problem.upper[i] && g < up) up = g;
    }
    CHECK(std::abs(sum.rounded()) <= 0x1p-52 * mass);
    double weight = 0.0;
    for (const double w : found.weights) weight += std::abs(w) * longest;
    double told = 0.0;  // weights within the error of zero are told as zero
    for (std::size_t j = 0; j < d; ++j) {
        double span = 0.0;
        for (std::size_t i = 0; i < n; ++i) span = std::max(span, std::abs(x[i * d + j] - x[j]));
        if (found.weights[j] == 0.0) told += 2.0 * found.error * span;
    }
    CHECK((low - up).rounded() <= 0x1p-48 * (2.0 + weight) + told);
    CHECK(told <= 1e-9 * (2.0 + weight));
    CHECK(found.gap <= 1e-15);
}

}  // namespace

TEST(refined_machines_are_optimal) {
    unsigned seed = 1;
    for (const bool squared : {false, true}) {
        for (const double C : {0x1p-16, 1.0, 0x1p26}) {
            for (const bool scales : {false, true}) {
                for (const std::size_t d : {3u, 20u}) {
                    for (const bool twins : {false, true}) {
                        const std::size_t n = 13;
                        const auto x = table(n, d, scales, twins, seed++);
                        const Program own = program(n, C, squared);
                        const std::vector<double> nothing(n, 0.0);
                        expect_optimal(x, n, d, own.problem(),
                                       refined_weights({x.data(), n, d}, all(d), own.problem(),
                                                       nothing, infinity));
                    }
                }
            }
        }
    }
}

TEST(refinement_starts_anywhere_and_ends_at_the_same_weights) {
    const std::size_t n = 14, d = 9;
    const auto x = table(n, d, true, false, 70);
    const Program own = program(n, 0x1p20, false);
    const auto from = [&](const std::vector<double>& start) {
        return refined_weights({x.data(), n, d}, all(d), own.problem(), start, infinity);
    };
    const RefinedWeights first = from(std::vector<double>(n, 0.0));
    std::vector<double> start = testing::normal_table(n, 1, 71);  // not even feasible
    for (double& b : start) b *= 0x1p19;
    const RefinedWeights second = from(start), third = from(first.coefficients);
    CHECK(first.found && second.found && third.found);
    CHECK(first.weights == second.weights && first.weights == third.weights);
}

TEST(products_follow_columns_that_go) {
    const std::size_t n = 9, d = 40;
    const auto x = table(n, d, true, false, 80);
    RefinedProducts carried({x.data(), n, d}, all(d));
    std::vector<std::size_t> left = all(d), rows = {0, 3, 4};
    while (left.size() > 3) {
        carried.cover(rows);
        RefinedProducts fresh({x.data(), n, d}, left);
        fresh.cover(rows);
        for (const std::size_t i : rows) {
            for (const std::size_t k : rows) {
                const double off = (carried.product(i, k) - fresh.product(i, k)).rounded();
                CHECK(std::abs(off) <= 0x1p-96 * std::max(carried.scale(i), carried.scale(k)));
            }
        }
        CHECK(carried.columns() == left);
        const std::size_t gone = left[left.size() / 2];
        carried.forget({gone});
        left.erase(std::find(left.begin(), left.end(), gone));
        if (left.size() == 20) rows = {0, 3, 4, 7};
    }
}

TEST(refinement_stops_where_it_would_cost_too_much) {
    const std::size_t n = 14, d = 9;
    const auto x = table(n, d, true, false, 90);
    const Program own = program(n, 1.0, false);
    const std::vector<double> nothing(n, 0.0);
    const RefinedWeights found =
        refined_weights({x.data(), n, d}, all(d), own.problem(), nothing, 100.0);
    CHECK(!found.found && found.weights.empty() && found.spent <= 100.0);
}

TEST(twins_differ_by_a_constant_and_a_sign_alone) {
    //                        0    1     2    3    4        5
    const double x[3 * 6] = {1.0, -1.0, 5.0, 7.0, 1.0,         0.0,  //
                             2.0, -2.0, 6.0, 7.0, 2.0,         0.0,  //
                             4.0, -4.0, 8.0, 7.0, 4.0 + 1e-15, 0.0};
    ColumnTwins same({x, 3, 6});
    CHECK(same(0, 1) && same(1, 2) && same(0, 2) && same(3, 5));
    CHECK(!same(0, 3) && !same(0, 4) && !same(5, 4));
}
