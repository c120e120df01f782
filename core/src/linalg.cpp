#include "svsieve/linalg.hpp"

#include <algorithm>
#include <stdexcept>

namespace svsieve {

namespace {

LinalgTable table;

template <class T>
T* loose(const T* p) {
    return const_cast<T*>(p);
}

const LinalgTable& routines() {
    if (table.gemm == nullptr) throw std::logic_error("set_linalg() must be called first");
    return table;
}

}  // namespace

void set_linalg(const LinalgTable& given) {
    table = given;
}

// Row-major C = A B' is column-major C' = B A': the same memory, the factors exchanged.
void multiply_transposed(double alpha, Matrix a, Matrix b, double beta, MutableMatrix c) {
    if (c.rows == 0 || c.columns == 0) return;
    int m = static_cast<int>(b.rows), n = static_cast<int>(a.rows), k = static_cast<int>(a.columns);
    int ldb = static_cast<int>(std::max<std::size_t>(1, b.stride));
    int lda = static_cast<int>(std::max<std::size_t>(1, a.stride));
    int ldc = static_cast<int>(c.stride);
    char transposed = 'T', plain = 'N';
    routines().gemm(&transposed, &plain, &m, &n, &k, &alpha, loose(b.data), &ldb, loose(a.data),
                    &lda, &beta, c.data, &ldc);
}

// The row-major lower triangle is the column-major upper one.
void multiply_by_own_transpose(double alpha, Matrix a, double beta, MutableMatrix c) {
    if (c.rows == 0) return;
    int n = static_cast<int>(a.rows), k = static_cast<int>(a.columns);
    int lda = static_cast<int>(std::max<std::size_t>(1, a.stride)),
        ldc = static_cast<int>(c.stride);
    char upper = 'U', transposed = 'T';
    routines().syrk(&upper, &transposed, &n, &k, &alpha, loose(a.data), &lda, &beta, c.data, &ldc);
}

void multiply_own_transpose_by(double alpha, Matrix a, double beta, MutableMatrix c) {
    if (c.rows == 0) return;
    int n = static_cast<int>(a.columns), k = static_cast<int>(a.rows);
    int lda = static_cast<int>(a.stride), ldc = static_cast<int>(c.stride);
    char upper = 'U', plain = 'N';
    routines().syrk(&upper, &plain, &n, &k, &alpha, loose(a.data), &lda, &beta, c.data, &ldc);
}

void multiply(Matrix a, const double* x, double* y) {
    if (a.rows == 0) return;
    int m = static_cast<int>(a.columns), n = static_cast<int>(a.rows),
        lda = static_cast<int>(a.stride);
    int one = 1;
    double unit = 1.0, zero = 0.0;
    char transposed = 'T';
    routines().gemv(&transposed, &m, &n, &unit, loose(a.data), &lda, loose(x), &one, &zero, y,
                    &one);
}

bool invert_positive_definite(MutableMatrix a, double least_pivot) {
    int n = static_cast<int>(a.rows), lda = static_cast<int>(a.stride), info = 0;
    char lower = 'L';
    routines().potrf(&lower, &n, a.data, &lda, &info);
    if (info != 0) return false;
    for (std::size_t i = 0; i < a.rows; ++i)
        if (!(a(i, i) * a(i, i) > least_pivot)) return false;
    routines().potri(&lower, &n, a.data, &lda, &info);
    if (info != 0) return false;
    // Column-major lower is row-major upper.
    for (std::size_t i = 1; i < a.rows; ++i) {
        for (std::size_t j = 0; j < i; ++j) a(i, j) = a(j, i);
    }
    return true;
}

}  // namespace svsieve
