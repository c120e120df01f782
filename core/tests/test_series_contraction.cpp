// Which columns a series is taken for; that the numbers are right is checked with the contractions.
#include "series_contraction.hpp"

#include "testing.hpp"

using namespace svsieve;

namespace {

// Rows in some number of tight clusters, or none, with their squared distances.
struct Problem {
    std::size_t n = 300, d = 24;
    std::vector<double> values = testing::normal_table(n, d, 5), s, u, factors;
    std::vector<std::size_t> rows, columns;

    explicit Problem(std::size_t clusters) : s(n * n, 0.0), u(n, 1.0), factors(d, 1.0) {
        if (clusters > 0) {
            for (std::size_t k = clusters; k < n; ++k) {
                for (std::size_t l = 0; l < d; ++l)
                    values[k * d + l] = values[k % clusters * d + l];
            }
        }
        for (std::size_t k = 0; k < n; ++k) rows.push_back(k);
        for (std::size_t l = 0; l < d; ++l) columns.push_back(l);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t k = 0; k < n; ++k) {
                for (std::size_t l = 0; l < d; ++l) {
                    const double t = values[i * d + l] - values[k * d + l];
                    s[i * n + k] += t * t;
                }
            }
        }
    }

    std::size_t left_to_tiles(double gamma, bool dense) const {
        const Profile profile{ProfileKind::Exponential, gamma, 0.0, 1};
        const auto series = removal_series(Pairing::SquaredDifference, profile);
        const std::vector<double> ones(n * n, 1.0);
        const PairWeight weight =
            dense ? PairWeight{Matrix(ones.data(), n, n), {}, 1.0} : PairWeight{{}, u, 1.0};
        std::vector<double> out(d, 0.0);
        return contract_by_series(*series, {Matrix(values.data(), n, d), rows, columns, factors},
                                  Matrix(s.data(), n, n), weight, out)
            .size();
    }
};

}  // namespace

TEST(a_series_is_taken_where_all_rows_are_about_equally_far_apart) {
    const Problem problem(0);
    CHECK(problem.left_to_tiles(1e-3, false) == 0);
    CHECK(problem.left_to_tiles(5e-3, false) == 0);
    CHECK(problem.left_to_tiles(1.0, false) == problem.d);
    CHECK(problem.left_to_tiles(1e-3, true) == problem.d);
}

TEST(a_series_is_not_taken_where_the_rows_that_matter_are_alike) {
    const Problem problem(4);
    CHECK(problem.left_to_tiles(1.0, false) == problem.d);
}

TEST(a_series_is_not_taken_for_a_column_that_differs_where_there_is_no_weight) {
    Problem problem(0);
    for (std::size_t k = 0; k < problem.n; ++k) problem.values[k * problem.d] = k < 5 ? 1.0 : 0.0;
    for (std::size_t k = 0; k < 5; ++k) problem.u[k] = 1e-9;
    CHECK(problem.left_to_tiles(1e-3, false) == 1);
}

TEST(slopes_always_take_their_series) {
    const Problem problem(4);
    const Profile profile{ProfileKind::Exponential, 1.0, 0.0, 1};
    const auto series = slope_series(Pairing::SquaredDifference, profile);
    std::vector<double> out(problem.d, 0.0);
    CHECK(contract_by_series(*series,
                             {Matrix(problem.values.data(), problem.n, problem.d), problem.rows,
                              problem.columns, problem.factors},
                             Matrix(problem.s.data(), problem.n, problem.n), {{}, problem.u, 1.0},
                             out)
              .empty());
}
