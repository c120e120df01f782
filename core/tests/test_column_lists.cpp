// Nested lists of columns against weighing every column.
#include "wide/column_lists.hpp"

#include <algorithm>

#include "testing.hpp"
#include "vector/kernels.hpp"

using namespace svsieve;

namespace {

std::size_t padded(std::size_t n) {
    return (n + row_padding - 1) / row_padding * row_padding;
}

// Chooses from lists while the coefficients wander, against weighing every column.
void expect_choices(std::size_t d, std::size_t machines, std::size_t count, std::size_t steps,
                    double wander, bool whole, unsigned seed) {
    const std::size_t n = 11, width = padded(n);
    auto values = testing::normal_table(d, n, seed);
    const auto scale = testing::normal_table(d, 1, seed + 1);
    std::vector<double> columns(d * width, 0.0), norms(d, 0.0);
    std::vector<std::size_t> candidates;
    for (std::size_t j = 0; j < d; ++j) {
        for (std::size_t i = 0; i < n; ++i) {
            double v = whole ? std::round(values[j * n + i]) : values[j * n + i];
            if (!whole) v *= std::exp(scale[j]);
            columns[j * width + i] = v;
            norms[j] += v * v;
        }
        norms[j] = std::sqrt(norms[j]);
        if (j % 10 != 3) candidates.push_back(j);
    }
    auto b = testing::normal_table(machines, width, seed + 2);
    for (std::size_t m = 0; m < machines; ++m)
        std::fill_n(b.begin() + static_cast<long>(m * width + n), width - n, 0.0);
    if (whole) {
        for (double& v : b) v = std::round(4.0 * v) / 4.0;
    }
    ColumnLists lists(columns.data(), width, norms, candidates);
    Choice choice;
    for (std::size_t step = 0; step < steps; ++step) {
        Weighing now;
        for (std::size_t m = 0; m < machines; ++m) now.push_back(b.data() + m * width);
        std::vector<std::pair<double, std::size_t>> plain;
        for (const std::size_t j : candidates) {
            double square = 0.0;
            for (std::size_t m = 0; m < machines; ++m) {
                double w;
                const double* column = columns.data() + j * width;
                vector_kernels().column_dots(1, &column, width, now[m], &w);
                square += w * w;
            }
            plain.emplace_back(square, j);
        }
        std::sort(plain.begin(), plain.end());
        CHECK(lists.choose(now, count, {}, choice));
        CHECK(choice.columns.size() == count);
        for (std::size_t c = 0; c < count; ++c) {
            CHECK(choice.columns[c] == plain[c].second);
            CHECK(choice.scores[c] == plain[c].first ||
                  std::abs(choice.scores[c] / plain[c].first - 1) < 1e-15);
        }
        bool tied = false;
        for (std::size_t c = 0; c < count && c + 1 < plain.size(); ++c)
            tied = tied || plain[c].first == plain[c + 1].first;
        CHECK(choice.tied == tied);
        if (count < plain.size()) {
            CHECK_NEAR(choice.following, plain[count].first, 1e-14);
        } else {
            CHECK(std::isnan(choice.following));
        }
        for (std::size_t c = 0; c < count; ++c) {
            candidates.erase(std::find(candidates.begin(), candidates.end(), plain[c].second));
        }
        CHECK(lists.left() == candidates.size());
        const auto move =
            testing::normal_table(machines, width, seed + 3 + static_cast<unsigned>(step));
        for (std::size_t m = 0; m < machines; ++m) {
            for (std::size_t i = 0; i < n; ++i) {
                const double change = wander * move[m * width + i];
                b[m * width + i] += whole ? std::round(change) / 4.0 : change;
            }
        }
    }
    CHECK(lists.candidates() == candidates);
}

}  // namespace

TEST(lists_choose_what_weighing_everything_chooses) {
    expect_choices(60, 1, 1, 54, 0.1, false, 100);     // few: no lists
    expect_choices(400, 1, 1, 300, 0.02, false, 200);  // one list
    expect_choices(400, 3, 2, 150, 0.02, false, 300);  // several machines
    expect_choices(400, 1, 1, 100, 3.0, false, 400);   // lists that never live long
    expect_choices(400, 1, 40, 8, 0.02, false, 500);   // many at a time
    expect_choices(9000, 1, 1, 60, 0.01, false, 600);  // a list of a list
    expect_choices(9000, 2, 3, 30, 0.3, false, 700);
}

TEST(ties_go_by_index_whatever_the_lists_hold) {
    expect_choices(60, 1, 1, 50, 1.0, true, 800);
    expect_choices(400, 1, 1, 200, 1.0, true, 900);
    expect_choices(400, 2, 3, 60, 1.0, true, 1000);
    expect_choices(9000, 1, 1, 40, 1.0, true, 1100);
}

TEST(without_coefficients_all_columns_are_tied) {
    const std::size_t width = 8, d = 200;
    const auto columns = testing::normal_table(d, width, 12);
    std::vector<std::size_t> candidates(d);
    for (std::size_t j = 0; j < d; ++j) candidates[j] = j;
    ColumnLists lists(columns.data(), width, std::vector<double>(d, 3.0), candidates);
    const std::vector<double> zero(width, 0.0);
    Choice choice;
    for (std::size_t step = 0; step < 3; ++step) {
        CHECK(lists.choose({zero.data()}, 2, {}, choice));
        CHECK((choice.columns == std::vector<std::size_t>{2 * step, 2 * step + 1}));
        CHECK(choice.tied);
    }
}

TEST(a_choice_that_is_open_is_not_made) {
    const std::size_t width = 8, d = 200;
    std::vector<double> columns(d * width, 0.0), norms(d);
    std::vector<std::size_t> candidates(d);
    for (std::size_t j = 0; j < d; ++j) {
        columns[j * width] = norms[j] = 1.0 + 0.25 * static_cast<double>(j);
        candidates[j] = j;
    }
    columns[150 * width] = norms[150] = 0.5;
    columns[120 * width] = norms[120] = 0.5 + 1e-6;
    std::vector<double> b(width, 0.0);
    b[0] = 2.0;
    const auto at = [&](double error, bool last_word, Twins twins) {
        ColumnLists lists(columns.data(), width, norms, candidates, std::move(twins));
        Certainty certainty;
        certainty.error = error;
        certainty.last_word = last_word;
        Choice choice;
        const bool made = lists.choose({b.data()}, 1, certainty, choice);
        CHECK(lists.left() == (made ? d - 1 : d));
        if (!made) choice.columns.clear();
        return choice;
    };
    const Choice sure = at(1e-7, false, {});
    CHECK(sure.columns == std::vector<std::size_t>{150} && !sure.tied && sure.resolution == 0.0);
    CHECK(at(1e-5, false, {}).columns.empty());
    // The values are a better guide than the index where nothing more will be known.
    const Choice last = at(1e-5, true, {});
    CHECK(last.columns == std::vector<std::size_t>{150} && last.tied && last.resolution > 1e-6);
    const auto always = [](std::size_t, std::size_t) { return true; };
    const Choice twins = at(1e-5, false, always);
    CHECK(twins.columns == std::vector<std::size_t>{120} && twins.tied);
}
