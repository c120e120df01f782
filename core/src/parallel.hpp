// Loops over independent tasks. An exception must not leave an OpenMP region, so the first one is
// carried out of it by hand.
#pragma once

#include <cstddef>
#include <exception>

#include "svsieve/cancellation.hpp"

namespace svsieve {

// About a millisecond of elementary operations. Below, waking other threads is a gamble: one that
// finds its core busy makes all of them wait.
constexpr double work_worth_sharing = 1e7;

// Calls task(i) for i in [0, count), last first: in a lower triangle the last blocks are the
// longest. `work` estimates the elementary operations of all tasks together. Once the calling
// thread is cancelled, no task is begun.
template <class Task>
void parallel_tasks(std::size_t count, double work, Task task) {
    std::exception_ptr error;
    const Cancellation& cancellation = Cancellation::of_thread();
#pragma omp parallel for schedule(dynamic, 1) if (count > 1 && work > work_worth_sharing)
    for (long reversed = 0; reversed < static_cast<long>(count); ++reversed) {
        if (cancellation.asked()) continue;
        try {
            task(count - 1 - static_cast<std::size_t>(reversed));
        } catch (...) {
#pragma omp critical(svsieve_error)
            error = std::current_exception();
        }
    }
    if (error) std::rethrow_exception(error);
    leave_if_cancelled();
}

}  // namespace svsieve
