#include "svsieve/sparse_path.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "sparse/choice.hpp"
#include "sparse/sparse_rows.hpp"
#include "svsieve/cancellation.hpp"
#include "testing.hpp"

using namespace svsieve;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// A random sparse table, dense and in rows.
struct Rows {
    std::size_t n, d;
    std::vector<double> dense;
    std::vector<std::int64_t> begins{0};
    std::vector<std::int32_t> columns;
    std::vector<double> values;

    Rows(std::size_t rows, std::size_t width, double share, unsigned seed)
        : n(rows), d(width), dense(rows * width) {
        std::mt19937_64 random(seed);
        std::uniform_real_distribution<double> place;
        const std::vector<double> deviates = testing::normal_table(rows, width, seed);
        for (std::size_t k = 0; k < n; ++k) {
            for (std::size_t j = 0; j < d; ++j) {
                if (place(random) > share) continue;
                dense[k * d + j] = deviates[k * d + j];
                columns.push_back(static_cast<std::int32_t>(j));
                values.push_back(deviates[k * d + j]);
            }
            begins.push_back(static_cast<std::int64_t>(values.size()));
        }
    }

    SparseTable view() const { return {begins, columns, values, d}; }
    double at(std::size_t k, std::size_t j) const { return dense[k * d + j]; }
};

std::vector<std::size_t> all(std::size_t count) {
    std::vector<std::size_t> out(count);
    for (std::size_t j = 0; j < count; ++j) out[j] = j;
    return out;
}

SparseProblem problem(std::size_t n, double C, bool squared) {
    SparseProblem out{{},
                      std::vector<double>(n),
                      std::vector<double>(n, squared ? infinity : C),
                      std::vector<double>(n, squared ? 1.0 / C : 0.0)};
    for (std::size_t k = 0; k < n; ++k) out.labels[k] = k % 3 == 0 ? 1.0 : -1.0;
    return out;
}

// The conditions of optimality, from the table and the coefficients alone.
void check_optimal(const Rows& x, const std::vector<std::size_t>& kept, const SparseProblem& p,
                   const std::vector<double>& b, double offset, const SparseOptions& options) {
    std::vector<double> w(x.d);
    double sum = 0.0;
    for (std::size_t k = 0; k < x.n; ++k) {
        sum += b[k];
        for (const std::size_t j : kept) w[j] += b[k] * x.at(k, j);
    }
    if (options.free_offset)
        CHECK_NEAR(sum, 0.0, 1e-9);
    else
        CHECK_NEAR(offset, options.bias * options.bias * sum, 1e-9);
    for (std::size_t k = 0; k < x.n; ++k) {
        const double a = p.labels[k] * b[k];
        double value = offset;
        for (const std::size_t j : kept) value += w[j] * x.at(k, j);
        const double gradient = p.labels[k] * value - 1.0 + p.ridge[k] * a;
        CHECK(a >= 0.0 && a <= p.upper[k]);
        CHECK(a == 0.0 || gradient <= 1e-8);
        CHECK(a == p.upper[k] || gradient >= -1e-8);
    }
}

}  // namespace

TEST(sparse_rows_lose_columns) {
    const Rows x(12, 9, 0.4, 1);
    std::vector<double> factors(9, 2.0);
    sparse::SparseRows rows(x.view(), {0, 2, 3, 5, 8}, factors);
    const std::vector<std::size_t> before = rows.names();
    const sparse::Removed removed = rows.drop({0, 1, 0, 0, 1});
    const std::vector<std::size_t> left{before[0], before[2], before[3]};
    CHECK(rows.names() == left);
    const double w[] = {0.5, -1.0, 3.0};
    for (std::size_t k = 0; k < 12; ++k) {
        double product = 0.0, square = 0.0, gone = 0.0;
        for (std::size_t j = 0; j < 3; ++j) {
            product += 2.0 * x.at(k, left[j]) * w[j];
            square += 4.0 * x.at(k, left[j]) * x.at(k, left[j]);
        }
        CHECK_NEAR(rows.product(k, w), product, 1e-14);
        CHECK_NEAR(rows.square(k), square, 1e-14);
        for (std::size_t e = removed.begins[k]; e < removed.begins[k + 1]; ++e) {
            CHECK(removed.columns[e] == 1 || removed.columns[e] == 4);
            gone += removed.values[e];
        }
        CHECK_NEAR(gone, 2.0 * (x.at(k, before[1]) + x.at(k, before[4])), 1e-14);
    }
}

TEST(sparse_columns_with_many_entries_lie_in_front) {
    const Rows x(20, 8, 0.4, 7);
    const sparse::SparseRows rows(x.view(), {1, 2, 4, 5, 7}, {});
    std::size_t last = 20;
    for (const std::size_t name : rows.names()) {
        std::size_t stored = 0;
        for (std::size_t k = 0; k < 20; ++k) stored += x.at(k, name) != 0.0;
        CHECK(stored <= last);
        last = stored;
    }
}

TEST(norms_of_sparse_columns_are_those_about_the_mean) {
    Rows x(10, 4, 0.6, 2);
    const sparse::SparseRows rows(x.view(), all(4), {});
    const std::vector<double> found = rows.centred_norms(1);
    for (std::size_t place = 0; place < 4; ++place) {
        const std::size_t j = rows.names()[place];
        double mean = 0.0, squares = 0.0;
        for (std::size_t k = 0; k < 10; ++k) mean += x.at(k, j) / 11.0;
        for (std::size_t k = 0; k < 10; ++k) squares += std::pow(x.at(k, j) - mean, 2);
        CHECK_NEAR(found[place], std::sqrt(squares + mean * mean), 1e-13);
    }
    std::fill(x.values.begin(), x.values.end(), 0.1);
    for (const double share : {1.0, 0.0}) {
        Rows same(7, 3, share, 3);
        std::fill(same.values.begin(), same.values.end(), 0.1);
        for (const double norm : sparse::SparseRows(same.view(), all(3), {}).centred_norms(0))
            CHECK(norm == 0.0);
    }
}

TEST(equal_sparse_columns_have_equal_keys) {
    //          a b  -a  a with another value
    const std::vector<std::int64_t> begins{0, 3, 4, 7};
    const std::vector<std::int32_t> columns{0, 2, 3, 1, 0, 2, 3};
    const std::vector<double> values{1.5, -1.5, 1.5, 1.0, 2.0, -2.0, 2.5};
    const sparse::SparseRows rows({begins, columns, values, 4}, all(4), {});
    std::vector<std::uint64_t> keys(4);
    for (std::size_t place = 0; place < 4; ++place) keys[rows.names()[place]] = rows.keys()[place];
    CHECK(keys[0] == keys[2]);
    CHECK(keys[0] != keys[1] && keys[0] != keys[3]);
}

TEST(least_scores_go_first_and_of_equal_ones_the_first) {
    std::mt19937_64 random(5);
    for (int trial = 0; trial < 300; ++trial) {
        const std::size_t d = 1 + random() % 12, count = 1 + random() % d;
        std::vector<double> scores(d), resolution(d);
        std::vector<std::uint64_t> keys(d);
        for (std::size_t j = 0; j < d; ++j) {
            scores[j] = static_cast<double>(random() % 8);
            resolution[j] = static_cast<double>(random() % 3) * 0.7;
            keys[j] = j;
        }
        const sparse::Choice found = sparse::least(scores, resolution, all(d), keys, count);
        std::vector<char> gone(d);
        for (std::size_t step = 0; step < count; ++step) {
            double smallest = infinity;
            for (std::size_t j = 0; j < d; ++j)
                if (!gone[j]) smallest = std::min(smallest, scores[j]);
            std::size_t next = 0;
            while (gone[next] || scores[next] - resolution[next] > smallest) ++next;
            CHECK(found.places[step] == next);
            gone[next] = 1;
        }
        double following = infinity;
        for (std::size_t j = 0; j < d; ++j)
            if (!gone[j]) following = std::min(following, scores[j]);
        CHECK(count == d ? std::isnan(found.following) : found.following == following);
    }
}

TEST(ties_of_equal_columns_are_not_open) {
    const std::vector<double> scores{1.0, 1.0, 2.0}, none(3, 0.0);
    CHECK(sparse::least(scores, none, all(3), {7, 7, 9}, 1).tied);
    CHECK(!sparse::least(scores, none, all(3), {7, 7, 9}, 1).open);
    CHECK(sparse::least(scores, none, all(3), {7, 8, 9}, 1).open);
    CHECK(!sparse::least({1.0, 2.0, 2.0}, none, all(3), {7, 8, 9}, 1).tied);
}

TEST(sparse_machines_are_at_their_optimum) {
    for (const auto& [n, d] : {std::pair{25, 60}, std::pair{60, 25}, std::pair{30, 3}})
        for (const bool squared : {true, false})
            for (const double C : {0.05, 1.0, 40.0})
                for (const double bias : {-1.0, 0.0, 2.0}) {
                    const Rows x(static_cast<std::size_t>(n), static_cast<std::size_t>(d), 0.3, 11);
                    const SparseOptions options{bias < 0.0, std::max(bias, 0.0), 1e-10, -1};
                    const SparseProblem p = problem(x.n, C, squared);
                    SparsePath path(x.view(), {}, all(x.d), all(x.d), {p}, options);
                    for (int step = 0; step < 3; ++step) {
                        path.solve();
                        CHECK(path.gap() <= 1e-9);
                        check_optimal(x, path.kept(), p, path.coefficients(), path.offsets()[0],
                                      options);
                        if (path.width() > 1) path.drop({path.kept()[path.width() / 2]});
                    }
                }
}

TEST(problems_on_some_of_the_rows) {
    const Rows x(40, 15, 0.4, 3);
    SparseProblem p{{}, {}, {}, {}};
    for (std::size_t k = 1; k < 40; k += 3) {
        p.rows.push_back(static_cast<std::int32_t>(k));
        p.labels.push_back(k % 2 ? 1.0 : -1.0);
        p.upper.push_back(infinity);
        p.ridge.push_back(0.5);
    }
    const SparseOptions options{true, 0.0, 1e-10, -1};
    SparsePath path(x.view(), {}, all(15), all(15), {p}, options);
    path.solve();
    Rows part(0, 15, 0.0, 0);
    part.n = p.rows.size();
    for (const std::int32_t k : p.rows)
        for (std::size_t j = 0; j < 15; ++j)
            part.dense.push_back(x.at(static_cast<std::size_t>(k), j));
    check_optimal(part, all(15), p, path.coefficients(), path.offsets()[0], options);
}

TEST(a_sparse_path_restored_goes_on_in_the_same_bits) {
    const Rows x(30, 50, 0.3, 4);
    for (const bool squared : {true, false}) {
        const SparseOptions options{!squared, 1.0, 1e-10, -1};
        const auto made = [&] {
            return SparsePath(x.view(), {}, all(50), all(50),
                              {problem(30, 0.5, squared), problem(30, 2.0, squared)}, options);
        };
        SparsePath whole = made(), first = made(), second = made();
        const std::vector<std::size_t> few{3, 2, 2}, more{5, 4, 1, 1};
        const std::vector<std::size_t> counts{3, 2, 2, 5, 4, 1, 1};
        const SparseSteps expected = whole.advance(counts, 1e9, false, {});
        const SparseSteps begun = first.advance(few, 1e9, false, {});
        const std::vector<double> state = first.state();
        second.restore(begun.dropped, state);
        const SparseSteps found = second.advance(more, 1e9, false, {});
        CHECK(std::equal(found.dropped.begin(), found.dropped.end(), expected.dropped.begin() + 7));
        CHECK(std::equal(found.scores.begin(), found.scores.end(), expected.scores.begin() + 7));
        CHECK(std::equal(found.gaps.begin(), found.gaps.end(), expected.gaps.begin() + 3));
        CHECK(second.state() == whole.state());
    }
}

TEST(open_orders_halt_a_sparse_path_where_asked) {
    // Two columns that are not equal, with equal weights: rows in pairs.
    const std::vector<std::int64_t> begins{0, 1, 2, 3, 4};
    const std::vector<std::int32_t> columns{0, 1, 0, 1};
    const std::vector<double> values{1.0, 1.0, -2.0, -2.0};
    SparseProblem p{{}, {1, 1, -1, -1}, {infinity, infinity, infinity, infinity}, {1, 1, 1, 1}};
    const SparseOptions options{false, 0.0, 1e-12, -1};
    SparsePath path({begins, columns, values, 2}, {}, all(2), all(2), {p}, options);
    const std::vector<std::size_t> counts{1};
    CHECK(path.advance(counts, 1e9, false, {false, true}).counts.empty());
    const SparseSteps steps = path.advance(counts, 1e9, false, {});
    CHECK(steps.dropped[0] == 0 && steps.tied[0]);
}

TEST(coefficients_given_to_a_sparse_path_count_if_they_are_better) {
    const Rows x(120, 40, 0.5, 6);
    const SparseOptions options{true, 0.0, 1e-10, 1};
    const SparseProblem p = problem(120, 300.0, false);
    SparsePath poor(x.view(), {}, all(40), all(40), {p}, options);
    SparsePath good(x.view(), {}, all(40), all(40), {p}, {true, 0.0, 1e-10, -1});
    good.solve();
    poor.solve();
    CHECK(good.stuck().empty() && poor.stuck().size() == 1);
    const double before = poor.gap();
    poor.give(0, std::vector<double>(120), 0.0);
    CHECK(poor.gap() <= before);
    poor.give(0, good.coefficients(), good.offsets()[0]);
    CHECK(poor.stuck().empty());
    check_optimal(x, all(40), p, poor.coefficients(), poor.offsets()[0], options);
}

TEST(sparse_paths_leave_when_cancelled) {
    const Rows x(30, 50, 0.3, 4);
    SparsePath path(x.view(), {}, all(50), all(50), {problem(30, 0.5, true)}, {});
    Cancellation asked;
    asked.cancel();
    const Cancellation& before = Cancellation::listen(asked);
    bool left = false;
    try {
        path.solve();
    } catch (const Cancelled&) {
        left = true;
    }
    Cancellation::listen(before);
    CHECK(left);
}
