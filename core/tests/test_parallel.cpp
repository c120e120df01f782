#include "parallel.hpp"

#include <stdexcept>

#include "testing.hpp"

using namespace svsieve;

namespace {

// Whether an exception of task 7 of 20 arrives outside, with so much work claimed.
bool arrives(double work) {
    std::vector<int> done(20, 0);
    try {
        parallel_tasks(done.size(), work, [&](std::size_t i) {
            done[i] = 1;
            if (i == 7) throw std::runtime_error("seven");
        });
    } catch (const std::runtime_error& error) {
        return std::string(error.what()) == "seven" && done[7] == 1;
    }
    return false;
}

}  // namespace

TEST(every_task_runs_once) {
    for (double work : {0.0, 2 * work_worth_sharing}) {
        std::vector<int> done(100, 0);
        parallel_tasks(done.size(), work, [&](std::size_t i) { ++done[i]; });
        for (int times : done) CHECK(times == 1);
    }
}

TEST(an_exception_of_a_task_arrives_outside) {
    CHECK(arrives(0.0));
    CHECK(arrives(2 * work_worth_sharing));
}
