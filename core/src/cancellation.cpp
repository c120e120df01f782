#include "svsieve/cancellation.hpp"

namespace svsieve {

namespace {

Cancellation process;
thread_local const Cancellation* listening = &process;

}  // namespace

Cancellation& Cancellation::of_process() {
    return process;
}
const Cancellation& Cancellation::of_thread() {
    return *listening;
}
const Cancellation& Cancellation::listen(const Cancellation& cancellation) {
    const Cancellation& before = *listening;
    listening = &cancellation;
    return before;
}

}  // namespace svsieve
