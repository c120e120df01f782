// expm1(u) with few multiplications, for the tiles of contract_without.
//
// On [0, widest] expm1(u) = u p(u) with p of degree 6, to a relative error below 5e-14. Horner's
// rule would take six multiplications. With adapted coefficients (Knuth, The Art of Computer
// Programming, volume 2, 4.6.4) three are enough, and the additions that take their place run on
// other units:
//
//   x = scale u,   z = (x + a0) x + a1,   w = (x + a2) z + a3,   p = (w + z + a4) w + a5.
//
// The scale makes the leading coefficient one. Larger arguments are halved first and come back by
// expm1(2u) = m (m + 2), m = expm1(u). Nothing cancels, as m is not negative; the relative error
// grows with u, to 5e-13 after all six doublings.
#pragma once

namespace svsieve {

struct Expm1Scheme {
    static constexpr double widest = 0.2;
    static constexpr int most_doublings = 6;

    double scale;
    double a[6];
};

// Fitted once, in extended precision.
const Expm1Scheme& expm1_scheme();

// Doublings that arguments up to `largest` need; -1 where exponentials are the better way.
int doublings_for(double largest);

}  // namespace svsieve
