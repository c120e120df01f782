#include "svsieve/cancellation.hpp"

#include <thread>

#include "parallel.hpp"
#include "svsieve/solve.hpp"
#include "svsieve/wide_path.hpp"
#include "testing.hpp"

using namespace svsieve;

namespace {

// Listens as long as it lives.
struct Listening {
    explicit Listening(const Cancellation& own) : before(Cancellation::listen(own)) {}
    ~Listening() { Cancellation::listen(before); }
    const Cancellation& before;
};

template <class Computation>
bool leaves(Computation computation) {
    try {
        computation();
    } catch (const Cancelled&) {
        return true;
    }
    return false;
}

struct Program {
    static constexpr std::size_t n = 40;
    std::vector<double> gram = std::vector<double>(n * n), linear = std::vector<double>(n),
                        lower = linear, upper = linear, ridge = linear, start = linear;

    Program() {
        const std::vector<double> x = testing::normal_table(n, 5, 1);
        for (std::size_t i = 0; i < n; ++i) {
            const double label = i % 2 == 0 ? 1.0 : -1.0;
            linear[i] = -label;
            (label > 0 ? upper : lower)[i] = label;
            for (std::size_t k = 0; k < n; ++k)
                for (std::size_t j = 0; j < 5; ++j) gram[i * n + k] += x[i * 5 + j] * x[k * 5 + j];
        }
    }

    DualSolution solution() const {
        GramRows rows(Matrix(gram.data(), n, n));
        return solve({linear, lower, upper, ridge, 0.0, 1.0}, rows, start, {1e-8, -1, true, true});
    }
};

}  // namespace

TEST(what_is_inside_is_cancelled_with_it) {
    Cancellation outer, inner(&outer);
    inner.cancel();
    CHECK(inner.asked() && !outer.asked());
    inner.forget();
    outer.cancel();
    CHECK(inner.asked());
}

TEST(a_thread_listens_to_its_own_cancellation) {
    Cancellation own;
    own.cancel();
    const Listening listening(own);
    CHECK(Cancellation::of_thread().asked());
    bool elsewhere = true;
    std::thread([&] { elsewhere = Cancellation::of_thread().asked(); }).join();
    CHECK(!elsewhere);
}

TEST(tasks_are_not_begun_once_cancelled) {
    for (double work : {0.0, 2 * work_worth_sharing}) {
        Cancellation own;
        const Listening listening(own);
        std::atomic<int> begun = 0;
        CHECK(leaves([&] {
            parallel_tasks(1000, work, [&](std::size_t) {
                ++begun;
                own.cancel();
            });
        }));
        CHECK(begun >= 1 && begun < 1000);
    }
}

TEST(a_solve_is_left_and_can_be_begun_again) {
    const Program program;
    CHECK(program.solution().kkt_gap <= 1e-8);
    Cancellation own;
    const Listening listening(own);
    own.cancel();
    CHECK(leaves([&] { program.solution(); }));
    own.forget();
    CHECK(program.solution().kkt_gap <= 1e-8);
}

TEST(a_wide_path_is_left_between_two_steps) {
    const std::size_t n = Program::n, d = 60;
    const Program program;
    const std::vector<double> x = testing::normal_table(n, d, 2);
    std::vector<std::size_t> columns(d);
    for (std::size_t j = 0; j < d; ++j) columns[j] = j;
    const DualProblem problem{program.linear, program.lower, program.upper,
                              program.ridge,  0.0,           1.0};
    WidePath path(Matrix(x.data(), n, d), columns, columns, {problem},
                  Matrix(program.start.data(), 1, n), 1e-8);
    const std::vector<std::size_t> steps(5, 1);
    CHECK(path.advance(steps, 1e9, false).counts.size() == 5);
    Cancellation own;
    const Listening listening(own);
    own.cancel();
    CHECK(leaves([&] { path.advance(steps, 1e9, false); }));
    CHECK(path.candidates().size() == d - 5);
}
