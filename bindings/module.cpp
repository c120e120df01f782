#include "arrays.hpp"

NB_MODULE(_core, m) {
    m.doc() = "Native core of svsieve: pairing matrices, contractions, the dual solver.";
    svsieve::bindings::bind_cancellation(m);
    svsieve::bindings::bind_blas(m);
    svsieve::bindings::bind_pool(m);
    svsieve::bindings::bind_kernels(m);
    svsieve::bindings::bind_screening(m);
    svsieve::bindings::bind_solver(m);
    svsieve::bindings::bind_paths(m);
    svsieve::bindings::bind_sparse(m);
}
