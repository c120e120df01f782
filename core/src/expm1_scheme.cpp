#include "expm1_scheme.hpp"

#include <array>
#include <cmath>

namespace svsieve {

namespace {

using Real = long double;
constexpr int degree = 6;
using Coefficients = std::array<Real, degree + 1>;

// Interpolates expm1(u)/u in the Chebyshev nodes of [0, widest]: Newton's divided differences,
// expanded into monomials.
Coefficients fit() {
    const Real pi = 3.14159265358979323846264338327950288L;
    Coefficients node, difference, monomial{};
    for (int k = 0; k <= degree; ++k) {
        node[k] = 0.5L * Expm1Scheme::widest *
                  (1.0L + std::cos(pi * (2 * k + 1) / (2.0L * (degree + 1))));
        difference[k] = std::expm1(node[k]) / node[k];
    }
    for (int order = 1; order <= degree; ++order) {
        for (int k = degree; k >= order; --k) {
            difference[k] = (difference[k] - difference[k - 1]) / (node[k] - node[k - order]);
        }
    }
    for (int k = degree; k >= 0; --k) {
        for (int q = degree; q > 0; --q) monomial[q] = monomial[q - 1] - node[k] * monomial[q];
        monomial[0] = difference[k] - node[k] * monomial[0];
    }
    return monomial;
}

// The scheme multiplies out to (x^3 + b2 x^2 + b1 x + b0)(x^3 + (b2 + 1) x^2 + c1 x + c0) + a5.
// Comparing with x^6 + t5 x^5 + ... + t0 gives b2, then everything else as a function of b1, and
// one cubic equation for b1.
struct Factors {
    Real b2, b1, b0, c1, c0;

    Factors(const Coefficients& t, Real b1_) : b2((t[5] - 1) / 2), b1(b1_) {
        c1 = t[4] - b2 * (b2 + 1) - b1;
        const Real sum = t[3] - (b2 + 1) * b1 - b2 * c1;  // b0 + c0
        b0 = t[2] - b1 * c1 - b2 * sum;
        c0 = sum - b0;
    }
    Real mismatch(const Coefficients& t) const { return c1 * b0 + b1 * c0 - t[1]; }
};

// A cubic has a real root; it changes sign over a wide enough bracket.
Real solve_for_b1(const Coefficients& t) {
    Real low = -1e3L, high = 1e3L;
    const bool rising = Factors(t, high).mismatch(t) > 0;
    for (int step = 0; step < 200; ++step) {
        const Real middle = 0.5L * (low + high);
        ((Factors(t, middle).mismatch(t) > 0) == rising ? high : low) = middle;
    }
    return 0.5L * (low + high);
}

Expm1Scheme adapt() {
    Coefficients t = fit();
    const Real scale = std::pow(t[degree], 1.0L / degree);
    Real power = 1.0L;
    for (Real& c : t) {
        c /= power;
        power *= scale;
    }
    const Factors f(t, solve_for_b1(t));
    const Real a0 = f.c1 - f.b1, a2 = f.b2 - a0, a1 = f.b1 - a0 * a2, a3 = f.b0 - a1 * a2;
    const Real a4 = f.c0 - f.b0 - a1, a5 = t[0] - f.c0 * f.b0;
    const auto narrow = [](Real v) { return static_cast<double>(v); };
    return {narrow(scale),
            {narrow(a0), narrow(a1), narrow(a2), narrow(a3), narrow(a4), narrow(a5)}};
}

}  // namespace

const Expm1Scheme& expm1_scheme() {
    static const Expm1Scheme scheme = adapt();
    return scheme;
}

int doublings_for(double largest) {
    int doublings = 0;
    for (double reach = Expm1Scheme::widest; reach < largest; reach *= 2) {
        if (++doublings > Expm1Scheme::most_doublings) return -1;
    }
    return doublings;
}

}  // namespace svsieve
