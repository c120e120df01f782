// Hands SciPy's BLAS and LAPACK to the core: their addresses lie in the capsules that SciPy
// publishes for Cython code.
#include <cstring>
#include <string>

#include "arrays.hpp"
#include "svsieve/linalg.hpp"

namespace svsieve::bindings {

namespace {

void* address(const nb::dict& capsules, const char* name) {
    if (!capsules.contains(name)) throw std::invalid_argument(std::string("no routine ") + name);
    PyObject* capsule = nb::object(capsules[name]).ptr();
    const char* signature = PyCapsule_GetName(capsule);
    if (signature == nullptr || std::strstr(signature, "int *") == nullptr) {
        throw std::invalid_argument(std::string(name) + " does not take 32-bit integers");
    }
    void* pointer = PyCapsule_GetPointer(capsule, signature);
    if (pointer == nullptr) throw nb::python_error();
    return pointer;
}

template <class Routine>
void take(Routine& routine, const nb::dict& capsules, const char* name) {
    routine = reinterpret_cast<Routine>(address(capsules, name));
}

void use_linalg(const nb::dict& blas, const nb::dict& lapack) {
    LinalgTable table;
    take(table.gemm, blas, "dgemm");
    take(table.syrk, blas, "dsyrk");
    take(table.gemv, blas, "dgemv");
    take(table.potrf, lapack, "dpotrf");
    take(table.potri, lapack, "dpotri");
    set_linalg(table);
}

}  // namespace

void bind_blas(nb::module_& m) {
    m.def("use_linalg", &use_linalg, nb::arg("blas"), nb::arg("lapack"),
          nb::sig("def use_linalg(blas: dict[str, object], lapack: dict[str, object]) -> None"),
          "Take the BLAS and LAPACK routines from two tables of capsules.");
}

}  // namespace svsieve::bindings
