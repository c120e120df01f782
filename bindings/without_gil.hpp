// Lets other Python threads run while the core computes.
#pragma once

#include "arrays.hpp"

namespace svsieve::bindings {

// Like nb::gil_scoped_release, for threads that may outlive the interpreter (joblib's do, where
// Ctrl-C ends the main thread). Python would end such a thread where it comes back for the lock,
// which no C++ frame survives. Once `close` has been called they stop here instead and never come
// back; `close` returns when all of them have. Not begun at all in a thread that was cancelled.
class WithoutGil {
  public:
    WithoutGil();
    ~WithoutGil();
    WithoutGil(const WithoutGil&) = delete;
    WithoutGil& operator=(const WithoutGil&) = delete;

  private:
    PyThreadState* state_;
};

}  // namespace svsieve::bindings
