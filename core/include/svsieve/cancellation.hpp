// How one thread asks a computation of another to end early. Long loops look here now and then, in
// between two changes of what outlives them, and leave by an exception.
#pragma once

#include <atomic>
#include <exception>

namespace svsieve {

struct Cancelled : std::exception {
    const char* what() const noexcept override { return "The computation was cancelled."; }
};

// May be set from any thread. What is cancelled is cancelled with everything inside.
class Cancellation {
  public:
    explicit Cancellation(const Cancellation* outer = nullptr) : outer_(outer) {}

    void cancel() { asked_.store(true); }
    void forget() { asked_.store(false); }
    bool asked() const {
        for (const Cancellation* one = this; one != nullptr; one = one->outer_)
            if (one->asked_.load(std::memory_order_relaxed)) return true;
        return false;
    }

    // Of everything that the process computes.
    static Cancellation& of_process();
    // Of what this thread computes: that of the process, if nothing else was said.
    static const Cancellation& of_thread();
    // Returns what held before. It must live until the thread listens to another.
    static const Cancellation& listen(const Cancellation& cancellation);

  private:
    const Cancellation* outer_;
    std::atomic<bool> asked_ = false;
};

inline void leave_if_cancelled() {
    if (Cancellation::of_thread().asked()) throw Cancelled();
}

}  // namespace svsieve
