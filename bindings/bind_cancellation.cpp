#include <atomic>
#include <chrono>
#include <thread>

#include "arrays.hpp"
#include "svsieve/cancellation.hpp"
#include "without_gil.hpp"

namespace svsieve::bindings {

namespace {

Cancellation never;
std::atomic<long> inside = 0;  // threads that have let go of Python's lock and will want it again
std::atomic<bool> closed = false;
thread_local bool closes = false;  // the thread that ends the interpreter, which must go on

[[noreturn]] void stay() {
    --inside;
    while (true) std::this_thread::sleep_for(std::chrono::hours(1));
}

void close(bool others) {
    if (others) nb::set_leak_warnings(false);  // they keep what they hold
    closes = true;
    Cancellation::listen(never);
    Cancellation::of_process().cancel();
    closed = true;
}

// In the child of a fork there are no other threads.
void open_in_child() {
    inside = 0;
    closed = false;
    Cancellation::of_process().forget();
}

}  // namespace

// Counted before `closed` is read, here and at the end: whoever is not seen by `close` sees it.
WithoutGil::WithoutGil() {
    if (!closed) leave_if_cancelled();
    state_ = PyEval_SaveThread();
    ++inside;
    if (closed && !closes) stay();
}

WithoutGil::~WithoutGil() {
    if (closed && !closes) stay();
    PyEval_RestoreThread(state_);
    --inside;
}

void bind_cancellation(nb::module_& m) {
    nb::exception<Cancelled>(m, "Cancelled", PyExc_BaseException);
    nb::class_<Cancellation>(m, "Cancellation",
                             "Asks what is computed to end early; what listens to one inside too.")
        .def(nb::init<const Cancellation*>(), nb::arg("outer").none() = nb::none(),
             nb::keep_alive<1, 2>())
        .def("cancel", &Cancellation::cancel)
        .def("asked", &Cancellation::asked);
    m.def("cancellation_of_thread", &Cancellation::of_thread, nb::rv_policy::reference,
          "What this thread listens to.");
    m.def("listen", &Cancellation::listen, nb::arg("cancellation"), nb::rv_policy::reference,
          "Let this thread listen to a cancellation, to be kept alive meanwhile; return the last.");
    m.def("close", &close, nb::arg("others"),
          "Cancel all other threads, and keep them from coming back to Python.");
    m.def("open_in_child", &open_in_child, "Forget the threads of the parent process.");
    m.def(
        "threads_inside", [] { return inside.load(); },
        "How many threads will want Python's lock again.");
}

}  // namespace svsieve::bindings
