// Sums of products in twice the precision (double_double.hpp), element by element. Compiled without
// contraction: a product fused into a sum would not be the one whose error is known.
#include "kernels.hpp"
#include "lanes.hpp"

namespace svsieve::SVSIEVE_ISA {

namespace {

// What rounding took from p = a b.
inline Lanes product_error(Lanes a, Lanes b, Lanes p) {
#ifdef __FP_FAST_FMA
    Lanes error;
    for (std::size_t l = 0; l < lanes; ++l) error[l] = __builtin_fma(a[l], b[l], -p[l]);
    return error;
#else
    const double splitter = 134217729.0;  // 2^27 + 1
    const Lanes a_wide = splitter * a, b_wide = splitter * b;
    const Lanes a_hi = a_wide - (a_wide - a), b_hi = b_wide - (b_wide - b);
    const Lanes a_lo = a - a_hi, b_lo = b - b_hi;
    return ((a_hi * b_hi - p) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo;
#endif
}

struct Twofold {
    Lanes hi, lo;
};

// sum + a b
inline Twofold plus_product(Twofold sum, Twofold a, Twofold b) {
    const Lanes p = a.hi * b.hi;
    const Lanes rest = product_error(a.hi, b.hi, p) + (a.hi * b.lo + a.lo * b.hi);
    const Lanes s = sum.hi + p, part = s - sum.hi;
    const Lanes low = ((sum.hi - (s - part)) + (p - part)) + (sum.lo + rest);
    const Lanes hi = s + low;
    return {hi, low - (hi - s)};
}

}  // namespace

void twofold_dot(std::size_t n, const double* a_hi, const double* a_lo, const double* b_hi,
                 const double* b_lo, double* sum) {
    constexpr std::size_t chains = 4;  // sums that do not wait for each other
    Twofold parts[chains] = {};
    for (std::size_t k = 0; k < n; k += row_padding) {
        for (std::size_t l = 0; l < row_padding; l += lanes) {
            Twofold& part = parts[(k / row_padding * (row_padding / lanes) + l / lanes) % chains];
            part = plus_product(part, {load(a_hi + k + l), load(a_lo + k + l)},
                                {load(b_hi + k + l), load(b_lo + k + l)});
        }
    }
    const Twofold one = {spread(1.0), Lanes{}};
    for (std::size_t c = 1; c < chains; ++c) parts[0] = plus_product(parts[0], one, parts[c]);
    double hi = 0.0, lo = 0.0;
    for (std::size_t l = 0; l < lanes; ++l) {
        const double s = hi + parts[0].hi[l], part = s - hi;
        lo += ((hi - (s - part)) + (parts[0].hi[l] - part)) + parts[0].lo[l];
        hi = s;
    }
    sum[0] = hi + lo;
    sum[1] = lo - (sum[0] - hi);
}

void twofold_add_scaled(std::size_t n, double a_hi, double a_lo, const double* x_hi,
                        const double* x_lo, double* y_hi, double* y_lo) {
    const Twofold a = {spread(a_hi), spread(a_lo)};
    for (std::size_t k = 0; k < n; k += lanes) {
        const Twofold y =
            plus_product({load(y_hi + k), load(y_lo + k)}, a, {load(x_hi + k), load(x_lo + k)});
        store(y_hi + k, y.hi);
        store(y_lo + k, y.lo);
    }
}

}  // namespace svsieve::SVSIEVE_ISA
