// The little that the C++ tests need: registration, checks with a message, and naive linear algebra
// to stand in for BLAS.
#pragma once

#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace svsieve {
struct VectorKernels;
}

namespace testing {

struct Case {
    std::string name;
    std::function<void()> body;
};

std::vector<Case>& cases();
int& failures();

struct Registration {
    Registration(const char* name, std::function<void()> body) {
        cases().push_back({name, std::move(body)});
    }
};

inline void check(bool good, const char* what, const char* file, int line) {
    if (good) return;
    ++failures();
    std::printf("%s:%d: failed: %s\n", file, line, what);
}

inline void check_near(double a, double b, double tolerance, const char* what, const char* file,
                       int line) {
    if (std::abs(a - b) <= tolerance * (1.0 + std::abs(b))) return;
    ++failures();
    std::printf("%s:%d: failed: %s: %.17g against %.17g\n", file, line, what, a, b);
}

// The loops of every instruction set that this machine has.
std::vector<const svsieve::VectorKernels*> available_kernels();

// A table of normal deviates, the same at every call with the same seed.
std::vector<double> normal_table(std::size_t rows, std::size_t columns, unsigned seed);

}  // namespace testing

#define TEST(name)                                                   \
    static void name();                                              \
    static const testing::Registration register_##name(#name, name); \
    static void name()
#define CHECK(condition) testing::check((condition), #condition, __FILE__, __LINE__)
#define CHECK_NEAR(a, b, tolerance) \
    testing::check_near((a), (b), (tolerance), #a " ~ " #b, __FILE__, __LINE__)
