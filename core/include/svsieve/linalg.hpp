// Dense linear algebra that the core borrows instead of writing: a table of BLAS and LAPACK
// routines handed in by whoever embeds it (the Python bindings pass SciPy's; the C++ tests pass
// naive ones).
//
// The routines are called from inside the core's own threads and must be set to one thread each.
#pragma once

#include <cstddef>

#include "svsieve/views.hpp"

namespace svsieve {

// Fortran calling convention, 32-bit integers, column-major storage.
struct LinalgTable {
    void (*gemm)(char* transa, char* transb, int* m, int* n, int* k, double* alpha, double* a,
                 int* lda, double* b, int* ldb, double* beta, double* c, int* ldc) = nullptr;
    void (*syrk)(char* uplo, char* trans, int* n, int* k, double* alpha, double* a, int* lda,
                 double* beta, double* c, int* ldc) = nullptr;
    void (*gemv)(char* trans, int* m, int* n, double* alpha, double* a, int* lda, double* x,
                 int* incx, double* beta, double* y, int* incy) = nullptr;
    void (*potrf)(char* uplo, int* n, double* a, int* lda, int* info) = nullptr;
    void (*potri)(char* uplo, int* n, double* a, int* lda, int* info) = nullptr;
};

void set_linalg(const LinalgTable& table);

// C = alpha A B' + beta C, all row-major; A is m x k, B is n x k.
void multiply_transposed(double alpha, Matrix a, Matrix b, double beta, MutableMatrix c);

// Lower triangle of C = alpha A A' + beta C, row-major.
void multiply_by_own_transpose(double alpha, Matrix a, double beta, MutableMatrix c);

// Lower triangle of C = alpha A'A + beta C, row-major.
void multiply_own_transpose_by(double alpha, Matrix a, double beta, MutableMatrix c);

// y = A x, A row-major.
void multiply(Matrix a, const double* x, double* y);

// Replaces a symmetric positive definite A by its inverse (both triangles). False if a pivot, what is
// left of a diagonal entry, is not above `least_pivot`; A is then destroyed.
bool invert_positive_definite(MutableMatrix a, double least_pivot);

}  // namespace svsieve
