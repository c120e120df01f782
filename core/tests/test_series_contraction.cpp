// Which columns a series is taken for; that the numbers are right is checked with the contractions.
#include "series_contraction.hpp"

#include "pair_problem.hpp"
#include "testing.hpp"

using namespace svsieve;

namespace {

// Rows in some number of tight clusters, or none, with their squared distances.
struct Problem : testing::PairProblem {
    explicit Problem(std::size_t clusters) {
        if (clusters > 0) {
            for (std::size_t k = clusters; k < n; ++k) {
                for (std::size_t l = 0; l < d; ++l)
                    values[k * d + l] = values[k % clusters * d + l];
            }
        }
        pair_up([](double x, double y) { return (x - y) * (x - y); });
    }

    std::size_t left_to_tiles(double gamma, bool dense) const {
        const Profile profile{ProfileKind::Exponential, gamma, 0.0, 1};
        const auto series = removal_series(Pairing::SquaredDifference, profile);
        const std::vector<double> ones(n * n, 1.0);
        const PairWeight weight =
            dense ? PairWeight{Matrix(ones.data(), n, n), {}, 1.0} : PairWeight{{}, u, 1.0};
        std::vector<double> out(d, 0.0);
        return contract_by_series(*series, block(), Matrix(s.data(), n, n), weight, out).size();
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
    CHECK(contract_by_series(*series, problem.block(),
                             Matrix(problem.s.data(), problem.n, problem.n), {{}, problem.u, 1.0},
                             out)
              .empty());
}
