// Numbers of twice the precision: an unevaluated sum hi + lo with |lo| at most half a unit in the last
// place of hi, about 32 decimal digits.
//
// Sums and products of two doubles have an error that is a double itself (Knuth; Dekker): everything
// here is made of those two. Nothing may be reordered or contracted.
#pragma once

#include <cmath>

namespace svsieve {

struct DoubleDouble {
    double hi = 0.0;
    double lo = 0.0;

    DoubleDouble() = default;
    DoubleDouble(double value) : hi(value) {}
    DoubleDouble(double high, double low) : hi(high), lo(low) {}
    double rounded() const { return hi + lo; }
};

// a + b exactly.
inline DoubleDouble two_sum(double a, double b) {
    const double sum = a + b, part = sum - a;
    return {sum, (a - (sum - part)) + (b - part)};
}

// a + b exactly where |a| >= |b|.
inline DoubleDouble quick_two_sum(double a, double b) {
    const double sum = a + b;
    return {sum, b - (sum - a)};
}

// a b exactly, unless it overflows or underflows.
inline DoubleDouble two_product(double a, double b) {
    const double product = a * b;
#ifdef FP_FAST_FMA
    return {product, std::fma(a, b, -product)};
#else
    constexpr double splitter = 134217729.0;  // 2^27 + 1
    const double a_wide = splitter * a, b_wide = splitter * b;
    const double a_hi = a_wide - (a_wide - a), b_hi = b_wide - (b_wide - b);
    const double a_lo = a - a_hi, b_lo = b - b_hi;
    return {product, ((a_hi * b_hi - product) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo};
#endif
}

inline DoubleDouble operator-(DoubleDouble a) {
    return {-a.hi, -a.lo};
}

inline DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
    DoubleDouble high = two_sum(a.hi, b.hi);
    const DoubleDouble low = two_sum(a.lo, b.lo);
    high = quick_two_sum(high.hi, high.lo + low.hi);
    return quick_two_sum(high.hi, high.lo + low.lo);
}

inline DoubleDouble operator-(DoubleDouble a, DoubleDouble b) {
    return a + -b;
}

inline DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
    const DoubleDouble p = two_product(a.hi, b.hi);
    return quick_two_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

// Long division, three digits of one double each.
inline DoubleDouble operator/(DoubleDouble a, DoubleDouble b) {
    const double first = a.hi / b.hi;
    DoubleDouble rest = a - b * DoubleDouble(first);
    const double second = rest.hi / b.hi;
    rest = rest - b * DoubleDouble(second);
    const double third = rest.hi / b.hi;
    return quick_two_sum(first, second) + DoubleDouble(third);
}

inline DoubleDouble& operator+=(DoubleDouble& a, DoubleDouble b) {
    return a = a + b;
}

inline DoubleDouble& operator-=(DoubleDouble& a, DoubleDouble b) {
    return a = a - b;
}

inline bool operator<(DoubleDouble a, DoubleDouble b) {
    return a.hi < b.hi || (a.hi == b.hi && a.lo < b.lo);
}

inline bool operator>(DoubleDouble a, DoubleDouble b) {
    return b < a;
}

inline bool operator==(DoubleDouble a, DoubleDouble b) {
    return a.hi == b.hi && a.lo == b.lo;
}

inline DoubleDouble abs(DoubleDouble a) {
    return a.hi < 0.0 ? -a : a;
}

}  // namespace svsieve
