// Vectors of doubles in the compiler's own vector types (GCC and Clang), at the width of the
// instruction set that is being compiled for.
#pragma once

#include <cstddef>

#ifndef SVSIEVE_ISA
#error "compile with SVSIEVE_ISA set to the namespace of the instruction set"
#endif

namespace svsieve::SVSIEVE_ISA {

#if defined(__AVX512F__)
inline constexpr std::size_t lanes = 8;
#elif defined(__AVX2__)
inline constexpr std::size_t lanes = 4;
#else
inline constexpr std::size_t lanes = 2;
#endif

typedef double Lanes __attribute__((vector_size(8 * lanes)));
typedef double LooseLanes __attribute__((vector_size(8 * lanes), aligned(8), may_alias));
typedef long long Bits __attribute__((vector_size(8 * lanes)));
typedef unsigned long long Pattern __attribute__((vector_size(8 * lanes)));

static inline Lanes load(const double* p) {
    return *reinterpret_cast<const LooseLanes*>(p);
}
static inline void store(double* p, Lanes v) {
    *reinterpret_cast<LooseLanes*>(p) = v;
}
static inline Lanes spread(double a) {
    return Lanes{} + a;
}
static inline Lanes larger(Lanes a, Lanes b) {
    return a > b ? a : b;
}
static inline Lanes smaller(Lanes a, Lanes b) {
    return a < b ? a : b;
}
static inline Lanes magnitude(Lanes a) {
    return larger(a, -a);
}

// Half a vector's worth of single precision.
typedef float Narrow __attribute__((vector_size(4 * lanes)));
typedef float LooseNarrow __attribute__((vector_size(4 * lanes), aligned(4), may_alias));

static inline Lanes widened(const float* p) {
    return __builtin_convertvector(*reinterpret_cast<const LooseNarrow*>(p), Lanes);
}
static inline void store_narrow(float* p, Lanes v) {
    *reinterpret_cast<LooseNarrow*>(p) = __builtin_convertvector(v, Narrow);
}

// exp(x) for x <= 0, to about one unit of the last place; 0 below -708.
//
// x = m ln 2 + r with |r| <= ln(2)/2; the ln 2 is split in two so that r keeps its last bits; e^r
// by its Taylor series (the first term left out is below 2e-16); 2^m is written into the exponent.
static inline Lanes exp_nonpositive(Lanes x) {
    const double shift = 0x1.8p52;
    const Lanes clamped = larger(x, spread(-708.0));
    const Lanes shifted = clamped * 0x1.71547652b82fep0 + shift;
    const Lanes m = shifted - shift;
    const Lanes r = (clamped - m * 0x1.62e42fefa0000p-1) - m * 0x1.cf79abc9e3b3ap-40;
    Lanes p = spread(1.0 / 479001600.0);
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    const Pattern exponent = ((Pattern)shifted + 1023) << 52;
    const Lanes result = p * (Lanes)exponent;
    return x < -708.0 ? Lanes{} : result;
}

static inline Lanes power(Lanes base, int degree) {
    Lanes result = spread(1.0);
    while (true) {
        if (degree & 1) result = result * base;
        degree >>= 1;
        if (degree == 0) return result;
        base = base * base;
    }
}

}  // namespace svsieve::SVSIEVE_ISA
