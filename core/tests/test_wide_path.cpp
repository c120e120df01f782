// The wide linear path, and the machines it tracks, against machines that are solved anew.
#include "svsieve/wide_path.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "svsieve/solve.hpp"
#include "testing.hpp"
#include "vector/kernels.hpp"
#include "wide/tracked_machine.hpp"

using namespace svsieve;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// A program of two classes: linear slack with bound C, or squared slack with ridge 1 / C.
struct Machine {
    std::vector<double> linear, lower, upper, ridge;

    Machine(const std::vector<double>& labels, double C, bool squared)
        : linear(labels.size()),
          lower(labels.size(), 0.0),
          upper(labels.size(), 0.0),
          ridge(labels.size(), 0.0) {
        for (std::size_t k = 0; k < labels.size(); ++k) {
            const double y = labels[k];
            linear[k] = -y;
            if (y == 0.0) continue;  // pinned
            (y > 0 ? upper : lower)[k] = y * (squared ? infinity : C);
            if (squared) ridge[k] = 1.0 / C;
        }
    }
    DualProblem problem() const { return {linear, lower, upper, ridge, 0.0, 1.0}; }
};

enum class Kind { Plain, Scales, Twins, Whole };

// n x d, row-major, with columns of different means.
std::vector<double> table(std::size_t n, std::size_t d, Kind kind, unsigned seed) {
    auto x = testing::normal_table(n, d, seed);
    const auto column = testing::normal_table(d, 1, seed + 1);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < d; ++j) {
            double& value = x[i * d + j];
            if (kind == Kind::Scales) value *= std::exp(2.0 * column[j]);
            if (kind == Kind::Twins && j % 3 == 1) value = x[i * d + j - 1];
            if (kind == Kind::Twins && j % 7 == 5) value = 4.0;  // constant
            if (kind == Kind::Whole) value = std::round(value);
            if (kind == Kind::Plain) value += 10.0 * column[j];
        }
    }
    return x;
}

std::vector<double> labels_of(const std::vector<double>& x, std::size_t n, std::size_t d,
                              unsigned seed) {
    const auto noise = testing::normal_table(n, 1, seed + 2);
    std::vector<double> y(n);
    for (std::size_t i = 0; i < n; ++i) {
        y[i] = x[i * d] - x[0] + 2.0 * noise[i] > 0 ? 1.0 : -1.0;
    }
    y[0] = 1.0;
    y[n - 1] = -1.0;
    return y;
}

// Column-wise copy of a table, centred.
std::vector<std::vector<double>> centred(const std::vector<double>& x, std::size_t n,
                                         std::size_t d) {
    std::vector<std::vector<double>> columns(d, std::vector<double>(n));
    for (std::size_t j = 0; j < d; ++j) {
        double mean = 0.0;
        for (std::size_t i = 0; i < n; ++i) mean += (x[i * d + j] - x[j]) / static_cast<double>(n);
        for (std::size_t i = 0; i < n; ++i) columns[j][i] = (x[i * d + j] - x[j]) - mean;
        if (std::all_of(columns[j].begin(), columns[j].end(),
                        [&](double v) { return v == columns[j][0]; }))
            std::fill(columns[j].begin(), columns[j].end(), 0.0);
    }
    return columns;
}

std::vector<double> gram_of(const std::vector<std::vector<double>>& columns,
                            const std::vector<std::size_t>& used, std::size_t n) {
    std::vector<double> gram(n * n, 0.0);
    for (const std::size_t j : used) {
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t k = 0; k < n; ++k) gram[i * n + k] += columns[j][i] * columns[j][k];
        }
    }
    return gram;
}

// KKT gap of a point, and how far its multiplier lies outside the interval it must lie in.
struct Defects {
    double gap, multiplier, infeasible, noise;
};

Defects defects(const DualProblem& problem, const std::vector<double>& gram, const double* b,
                double mu) {
    const std::size_t n = problem.size();
    long double low = -infinity, up = infinity, sum = 0.0L;
    double outside = 0.0, mass = 0.0, scale = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        long double g = problem.linear[i] + static_cast<long double>(problem.ridge[i]) * b[i];
        for (std::size_t k = 0; k < n; ++k) g += static_cast<long double>(gram[i * n + k]) * b[k];
        sum += b[i];
        mass += std::abs(b[i]);
        scale = std::max(scale, gram[i * n + i] + problem.ridge[i]);
        outside = std::max({outside, problem.lower[i] - b[i], b[i] - problem.upper[i]});
        if (b[i] > problem.lower[i]) low = std::max(low, g);
        if (b[i] < problem.upper[i]) up = std::min(up, g);
    }
    const double off = static_cast<double>(
        std::max({0.0L, std::min(low, up) - mu, static_cast<long double>(mu) - std::max(low, up)}));
    return {static_cast<double>(low - up), off,
            std::max(outside, static_cast<double>(std::abs(sum))), mass * scale};
}

// `scale`: largest entry of the matrix that columns were subtracted from, which bounds the digits.
void expect_optimal(const DualProblem& problem, const std::vector<double>& gram, const double* b,
                    double mu, double scale = 0.0) {
    Defects found = defects(problem, gram, b, mu);
    for (std::size_t k = 0; k < problem.size(); ++k) found.noise += std::abs(b[k]) * scale;
    CHECK(found.infeasible <= 1e-11 * (1.0 + found.noise));
    CHECK(found.gap <= 1e-10 + 1e-12 * found.noise);
    CHECK(found.multiplier <= 1e-9 + 1e-11 * found.noise);
}

// Weights of every machine solved anew on the columns named; one vector per machine.
std::vector<std::vector<double>> solved_anew(const std::vector<std::vector<double>>& columns,
                                             const std::vector<std::size_t>& used, std::size_t n,
                                             const std::vector<Machine>& machines) {
    const auto gram = gram_of(columns, used, n);
    GramRows rows(Matrix(gram.data(), n, n));
    const std::vector<double> zero(n, 0.0);
    std::vector<std::vector<double>> weights;
    for (const Machine& machine : machines) {
        const DualSolution solution = solve(machine.problem(), rows, zero, {1e-13, -1, true, true});
        weights.emplace_back();
        for (const auto& column : columns) {
            double w = 0.0;
            for (std::size_t i = 0; i < n; ++i) w += column[i] * solution.coefficients[i];
            weights.back().push_back(w);
        }
    }
    return weights;
}

struct Setting {
    std::size_t n, d;
    Kind kind;
    double C;
    bool squared;
    std::size_t machines;
    std::vector<std::size_t> counts;
    unsigned seed;
};

// A walk under judgement: what is left, and machines to be solved anew on it.
class Judge {
  public:
    Judge(const Setting& setting, const std::vector<std::size_t>& fixed)
        : n_(setting.n), x_(table(setting.n, setting.d, setting.kind, setting.seed)) {
        columns_ = centred(x_, n_, setting.d);
        for (std::size_t q = 0; q < setting.machines; ++q) {
            auto y = labels_of(x_, n_, setting.d, setting.seed + 10 * static_cast<unsigned>(q));
            if (q > 0) y[n_ / 2] = 0.0;  // a row that takes no part
            machines_.emplace_back(y, setting.C, setting.squared);
        }
        for (const Machine& machine : machines_) problems.push_back(machine.problem());
        for (std::size_t j = 0; j < setting.d; ++j) {
            used.push_back(j);
            if (std::find(fixed.begin(), fixed.end(), j) == fixed.end()) candidates.push_back(j);
        }
        const auto gram = gram_of(columns_, used, n_);
        scale_ = *std::max_element(gram.begin(), gram.end());
    }

    Matrix x() const { return {x_.data(), n_, columns_.size()}; }

    // Are these the machines of the columns left?
    void solutions(const double* coefficients, const double* offsets) const {
        const auto gram = gram_of(columns_, used, n_);
        for (std::size_t q = 0; q < problems.size(); ++q)
            expect_optimal(problems[q], gram, coefficients + q * n_, -offsets[q], scale_);
    }

    // Are these the least of the candidates, with their scores? Then they go.
    void drop(Indices dropped, Vector scores, double following) {
        const auto weights = solved_anew(columns_, used, n_, machines_);
        const auto score = [&](std::size_t j) {
            double sum = 0.0;
            for (const auto& w : weights) sum += w[j] * w[j];
            return sum;
        };
        std::vector<double> sorted;
        for (const std::size_t j : candidates) sorted.push_back(score(j));
        std::sort(sorted.begin(), sorted.end());
        const double slack = 1e-7 * sorted.back() + 1e-20;
        for (std::size_t c = 0; c < dropped.size(); ++c) {
            const auto where = std::find(candidates.begin(), candidates.end(), dropped[c]);
            CHECK(where != candidates.end());
            if (where == candidates.end()) continue;
            CHECK(std::abs(scores[c] - score(dropped[c])) <= slack);
            CHECK(std::abs(scores[c] - sorted[c]) <= slack);
            candidates.erase(where);
            used.erase(std::find(used.begin(), used.end(), dropped[c]));
        }
        if (dropped.size() < sorted.size()) {
            CHECK(std::abs(following - sorted[dropped.size()]) <= slack);
        } else {
            CHECK(std::isnan(following));
        }
    }

    std::vector<DualProblem> problems;
    std::vector<std::size_t> used, candidates;

  private:
    std::size_t n_;
    std::vector<double> x_;
    std::vector<std::vector<double>> columns_;
    std::vector<Machine> machines_;
    double scale_ = 0.0;
};

// Walks a table down, each step under judgement.
void expect_path(const Setting& setting, const std::vector<std::size_t>& fixed = {}) {
    Judge judge(setting, fixed);
    const std::size_t machines = setting.machines, n = setting.n;
    const std::vector<double> starts(machines * n, 0.0);
    WidePath path(judge.x(), judge.used, judge.candidates, judge.problems,
                  Matrix(starts.data(), machines, n), 1e-12);
    const WideSteps steps = path.advance(setting.counts, 1e9, true);
    CHECK(steps.counts == setting.counts);
    std::size_t at = 0;
    for (std::size_t step = 0; step < steps.counts.size(); ++step) {
        const std::size_t count = steps.counts[step];
        judge.solutions(steps.coefficients.data() + step * machines * n,
                        steps.offsets.data() + step * machines);
        judge.drop(Indices(steps.dropped.data() + at, count),
                   Vector(steps.scores.data() + at, count), steps.following[step]);
        at += count;
    }
    CHECK(path.candidates() == judge.candidates);
    CHECK(path.scores().size() == judge.candidates.size());
    judge.solutions(path.coefficients().data(), path.offsets().data());
}

std::vector<std::size_t> ones(std::size_t count) {
    return std::vector<std::size_t>(count, 1);
}

std::size_t padded(std::size_t n) {
    return (n + row_padding - 1) / row_padding * row_padding;
}

}  // namespace

// ---- one machine

namespace {

void expect_tracked(Kind kind, double C, bool squared, std::size_t d, unsigned seed) {
    const std::size_t n = 19;
    const auto x = table(n, d, kind, seed);
    const auto columns = centred(x, n, d);
    const Machine machine(labels_of(x, n, d, seed), C, squared);
    const DualProblem problem = machine.problem();
    PaddedGram gram(n);
    std::vector<std::size_t> used(d);
    for (std::size_t j = 0; j < d; ++j) used[j] = j;
    const auto whole = gram_of(columns, used, n);
    for (std::size_t i = 0; i < n; ++i) std::copy_n(whole.data() + i * n, n, gram.row(i));
    TrackedMachine tracked(problem, gram, 1e-12);
    tracked.start(std::vector<double>(n, 0.0));
    while (used.size() > 1) {
        const std::size_t gone = used[(used.size() * 7) / 11];
        used.erase(std::find(used.begin(), used.end(), gone));
        std::vector<double> column(padded(n), 0.0);
        std::copy(columns[gone].begin(), columns[gone].end(), column.begin());
        double weight = 0.0;
        for (std::size_t i = 0; i < n; ++i) weight += column[i] * tracked.coefficients()[i];
        tracked.forget(column.data(), weight);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t k = 0; k < n; ++k) gram.row(i)[k] -= column[i] * column[k];
        }
        tracked.settle();
        expect_optimal(problem, gram_of(columns, used, n), tracked.coefficients(),
                       tracked.multiplier());
    }
}

}  // namespace

// The multiplier, and not the gap alone, must be that of the columns left.
TEST(tracked_machines_stay_optimal_while_columns_go) {
    unsigned seed = 50;
    for (const Kind kind : {Kind::Plain, Kind::Twins, Kind::Whole}) {
        for (const double C : {1e-3, 0.05, 1.0, 100.0}) {
            for (const std::size_t d : {4u, 40u}) {
                expect_tracked(kind, C, false, d, seed += 3);
                expect_tracked(kind, C, true, d, seed += 3);
            }
        }
    }
}

TEST(a_tracked_machine_settles_on_a_matrix_of_its_own) {
    const std::size_t n = 15, d = 12;
    const auto x = table(n, d, Kind::Plain, 90);
    const auto columns = centred(x, n, d);
    const Machine machine(labels_of(x, n, d, 90), 1.0, false);
    const DualProblem problem = machine.problem();
    PaddedGram gram(n);
    TrackedMachine tracked(problem, gram, 1e-12);
    for (std::size_t left = d; left > 0; left -= 3) {
        std::vector<std::size_t> used(left);
        for (std::size_t j = 0; j < left; ++j) used[j] = j;
        const auto values = gram_of(columns, used, n);
        for (std::size_t i = 0; i < n; ++i) std::copy_n(values.data() + i * n, n, gram.row(i));
        left == d ? tracked.start(std::vector<double>(n, 0.0)) : tracked.settle_anew(true);
        expect_optimal(problem, values, tracked.coefficients(), tracked.multiplier());
        CHECK(tracked.gap() <= 1e-11);
        CHECK(tracked.accuracy() >= 0.0 && tracked.accuracy() <= 1.0);
    }
}

// ---- the path

TEST(paths_drop_what_machines_solved_anew_would_drop) {
    unsigned seed = 2000;
    for (const Kind kind : {Kind::Plain, Kind::Scales}) {
        for (const double C : {0.05, 1.0, 100.0}) {
            for (const bool squared : {false, true}) {
                expect_path({14, 40, kind, C, squared, 1, ones(39), seed += 20});
                expect_path({25, 6, kind, C, squared, 1, ones(5), seed += 20});  // n > d
            }
        }
    }
}

TEST(paths_of_several_machines_and_several_at_a_time) {
    unsigned seed = 3000;
    for (const bool squared : {false, true}) {
        expect_path({13, 36, Kind::Plain, 1.0, squared, 3, ones(35), seed += 50});
        expect_path({13, 60, Kind::Plain, 1.0, squared, 2, {3, 1, 20, 1, 2, 12, 5, 1}, seed += 50});
        expect_path({13, 20, Kind::Scales, 10.0, squared, 1, {15, 4}, seed += 50});
    }
}

TEST(paths_with_twins_and_whole_numbers) {
    unsigned seed = 4000;
    for (const double C : {0.01, 1.0}) {
        expect_path({12, 30, Kind::Twins, C, false, 1, ones(29), seed += 20});
        expect_path({12, 30, Kind::Whole, C, false, 1, ones(29), seed += 20});
        expect_path({12, 30, Kind::Whole, C, true, 2, {2, 2, 2, 9, 1, 1}, seed += 20});
    }
}

TEST(columns_that_are_no_candidates_stay) {
    expect_path({12, 30, Kind::Plain, 1.0, false, 1, ones(27), 5000}, {0, 11, 29});
    expect_path({12, 30, Kind::Twins, 1.0, true, 2, {9, 9, 9}, 5100}, {3, 4, 5});
}

TEST(a_path_is_the_same_in_one_call_and_in_many) {
    const std::size_t n = 12, d = 150;
    const auto x = table(n, d, Kind::Plain, 60);
    const Machine machine(labels_of(x, n, d, 60), 1.0, false);
    std::vector<std::size_t> used(d);
    for (std::size_t j = 0; j < d; ++j) used[j] = j;
    const std::vector<double> start(n, 0.0);
    const auto make = [&] {
        return WidePath(Matrix(x.data(), n, d), used, used, {machine.problem()},
                        Matrix(start.data(), 1, n), 1e-12);
    };
    WidePath whole = make(), parts = make();
    const WideSteps all = whole.advance(ones(140), 1e9, false);
    std::vector<std::size_t> dropped;
    while (dropped.size() < 140) {
        const WideSteps some = parts.advance(ones(140 - dropped.size()), 0.0, false);
        CHECK(some.counts.size() == 1);  // no time: one step at least, and no more
        dropped.insert(dropped.end(), some.dropped.begin(), some.dropped.end());
    }
    CHECK(dropped == all.dropped);
    CHECK(all.coefficients.empty());
    CHECK(parts.scores() == whole.scores());
}

TEST(a_path_goes_on_from_its_state_in_the_same_bits) {
    const std::size_t n = 21, d = 150;
    for (const Kind kind : {Kind::Plain, Kind::Scales, Kind::Twins}) {
        const auto x = table(n, d, kind, 61);
        const Machine machine(labels_of(x, n, d, 61), 1.0, kind == Kind::Scales);
        std::vector<std::size_t> used(d);
        for (std::size_t j = 0; j < d; ++j) used[j] = j;
        const std::vector<double> start(n, 0.0);
        const auto make = [&] {
            return WidePath(Matrix(x.data(), n, d), used, used, {machine.problem()},
                            Matrix(start.data(), 1, n), 1e-12);
        };
        WidePath whole = make();
        const WideSteps first = whole.advance(ones(60), 1e9, false);
        const std::vector<double> state = whole.state();
        WidePath other = make();
        other.restore(first.dropped, state);
        CHECK(other.scores() == whole.scores());
        const WideSteps ours = whole.advance(ones(80), 1e9, true);
        const WideSteps theirs = other.advance(ones(80), 1e9, true);
        CHECK(theirs.dropped == ours.dropped);
        CHECK(theirs.scores == ours.scores);
        CHECK(theirs.gaps == ours.gaps);
        CHECK(theirs.coefficients == ours.coefficients);
        CHECK(theirs.offsets == ours.offsets);
        for (const std::size_t length : {std::size_t(0), std::size_t(7), state.size() - 1}) {
            WidePath third = make();
            bool refused = false;
            try {
                third.restore(first.dropped, Vector(state.data(), length));
            } catch (const std::invalid_argument&) {
                refused = true;
            }
            CHECK(refused);
        }
    }
}

TEST(steps_that_cannot_be_made_are_refused) {
    const std::size_t n = 6, d = 5;
    const auto x = table(n, d, Kind::Plain, 70);
    const Machine machine(labels_of(x, n, d, 70), 1.0, false);
    const std::vector<std::size_t> used = {0, 1, 2, 3, 4};
    const std::vector<double> start(n, 0.0);
    WidePath path(Matrix(x.data(), n, d), used, {1, 2}, {machine.problem()},
                  Matrix(start.data(), 1, n), 1e-12);
    for (const std::size_t count : {0u, 3u}) {
        bool refused = false;
        try {
            path.advance(std::vector<std::size_t>{count}, 1.0, false);
        } catch (const std::invalid_argument&) {
            refused = true;
        }
        CHECK(refused);
    }
}
