// Runs all registered tests, or those whose name contains the first argument.
#include <cstring>

#include "svsieve/linalg.hpp"
#include "testing.hpp"
#include "vector/kernels.hpp"

namespace testing {

std::vector<Case>& cases() {
    static std::vector<Case> all;
    return all;
}

int& failures() {
    static int count = 0;
    return count;
}

std::vector<const svsieve::VectorKernels*> available_kernels() {
    std::vector<const svsieve::VectorKernels*> sets = {&svsieve::baseline::kernels};
#ifdef SVSIEVE_X86_CLONES
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        sets.push_back(&svsieve::avx2::kernels);
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
        sets.push_back(&svsieve::avx512::kernels);
#endif
    return sets;
}

std::vector<double> normal_table(std::size_t rows, std::size_t columns, unsigned seed) {
    std::mt19937_64 generator(seed);
    std::normal_distribution<double> normal;
    std::vector<double> values(rows * columns);
    for (double& v : values) v = normal(generator);
    return values;
}

}  // namespace testing

namespace {

// Column-major, textbook versions of the routines in LinalgTable.
void gemm(char* ta, char* tb, int* m, int* n, int* k, double* alpha, double* a, int* lda, double* b,
          int* ldb, double* beta, double* c, int* ldc) {
    for (int j = 0; j < *n; ++j) {
        for (int i = 0; i < *m; ++i) {
            double sum = 0.0;
            for (int l = 0; l < *k; ++l) {
                const double x = *ta == 'N' ? a[i + l * *lda] : a[l + i * *lda];
                const double y = *tb == 'N' ? b[l + j * *ldb] : b[j + l * *ldb];
                sum += x * y;
            }
            double& target = c[i + j * *ldc];
            target = *alpha * sum + (*beta == 0 ? 0 : *beta * target);
        }
    }
}

void syrk(char* uplo, char* trans, int* n, int* k, double* alpha, double* a, int* lda, double* beta,
          double* c, int* ldc) {
    for (int j = 0; j < *n; ++j) {
        for (int i = 0; i < *n; ++i) {
            if (*uplo == 'U' ? i > j : i < j) continue;
            double sum = 0.0;
            for (int l = 0; l < *k; ++l) {
                sum += *trans == 'N' ? a[i + l * *lda] * a[j + l * *lda]
                                     : a[l + i * *lda] * a[l + j * *lda];
            }
            double& target = c[i + j * *ldc];
            target = *alpha * sum + (*beta == 0.0 ? 0.0 : *beta * target);
        }
    }
}

void gemv(char* trans, int* m, int* n, double* alpha, double* a, int* lda, double* x, int* incx,
          double* beta, double* y, int* incy) {
    const bool plain = *trans == 'N';
    for (int i = 0; i < (plain ? *m : *n); ++i) {
        double sum = 0.0;
        for (int l = 0; l < (plain ? *n : *m); ++l) {
            sum += (plain ? a[i + l * *lda] : a[l + i * *lda]) * x[l * *incx];
        }
        y[i * *incy] = *alpha * sum + (*beta == 0.0 ? 0.0 : *beta * y[i * *incy]);
    }
}

void potrf(char*, int* n, double* a, int* lda, int* info) {
    *info = 0;
    for (int j = 0; j < *n; ++j) {
        double d = a[j + j * *lda];
        for (int k = 0; k < j; ++k) d -= a[j + k * *lda] * a[j + k * *lda];
        if (!(d > 0)) {
            *info = j + 1;
            return;
        }
        d = std::sqrt(d);
        a[j + j * *lda] = d;
        for (int i = j + 1; i < *n; ++i) {
            double v = a[i + j * *lda];
            for (int k = 0; k < j; ++k) v -= a[i + k * *lda] * a[j + k * *lda];
            a[i + j * *lda] = v / d;
        }
    }
}

void potri(char*, int* n, double* a, int* lda, int* info) {
    *info = 0;
    const int size = *n;
    std::vector<double> inverse(static_cast<std::size_t>(size) * size, 0.0);  // of L
    for (int j = 0; j < size; ++j) {
        inverse[j + j * size] = 1.0 / a[j + j * *lda];
        for (int i = j + 1; i < size; ++i) {
            double v = 0.0;
            for (int k = j; k < i; ++k) v -= a[i + k * *lda] * inverse[k + j * size];
            inverse[i + j * size] = v / a[i + i * *lda];
        }
    }
    for (int j = 0; j < size; ++j) {
        for (int i = j; i < size; ++i) {
            double v = 0.0;
            for (int k = i; k < size; ++k) v += inverse[k + i * size] * inverse[k + j * size];
            a[i + j * *lda] = v;
        }
    }
}

}  // namespace

int main(int count, char** arguments) {
    svsieve::LinalgTable table;
    table.gemm = gemm;
    table.syrk = syrk;
    table.gemv = gemv;
    table.potrf = potrf;
    table.potri = potri;
    svsieve::set_linalg(table);
    int run = 0;
    for (const auto& test : testing::cases()) {
        if (count > 1 && test.name.find(arguments[1]) == std::string::npos) continue;
        test.body();
        ++run;
    }
    std::printf("%d tests, %d failed checks\n", run, testing::failures());
    return run == 0 || testing::failures() > 0;
}
