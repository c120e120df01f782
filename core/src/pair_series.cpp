#include "pair_series.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "slope.hpp"
#include "vector/kernels.hpp"

namespace svsieve {

namespace {

using Real = long double;
using Coefficients = std::vector<double>;

constexpr int order = 24;  // highest power of z in the Gaussian series
constexpr int gaussian_terms = 12;
constexpr int moments = order / 2 + 1;
constexpr int highest_degree = 12;  // of a polynomial kernel
static_assert(highest_degree <= PowerRests::most);
constexpr double unit = 0x1p-53;

Real factorial(int n) {
    Real product = 1;
    for (int k = 2; k <= n; ++k) product *= k;
    return product;
}

// The coefficient of x^i y^j in exp((x - y)^2) is this with the sign of (-1)^i.
Real coefficient(int i, int j) {
    if ((i + j) % 2 != 0) return 0;
    return factorial(i + j) / (factorial(i) * factorial(j) * factorial((i + j) / 2));
}

// A power beyond the last moment is at most the last one, as |z| <= 1.
void add_square(Real scale, const std::vector<Real>& f, int power, Coefficients& sum) {
    for (std::size_t a = 0; a < f.size(); ++a) {
        for (std::size_t b = 0; b < f.size(); ++b) {
            const std::size_t at = std::min<std::size_t>(power + a + b - 1, moments - 1);
            sum[at] += static_cast<double>(scale * f[a] * f[b]);
        }
    }
}

// The coefficients' sizes that belong to a power above `highest`, beyond which there are hardly any
// at 3 * order; not those of powers of x or y alone unless wanted.
double cut_off(int highest, bool alone) {
    Real sum = 0;
    for (int i = highest + 1; i <= 3 * order; ++i) {
        for (int j = alone ? 0 : 1; j <= i; ++j) sum += (j < i ? 2 : 1) * coefficient(i, j);
    }
    return static_cast<double>(1.01L * sum);
}

void set_coupling(PairSeries& series) {
    series.order = order;
    for (int i = 0; i <= order; ++i) {
        for (int j = 0; j <= order; ++j) {
            const Real c = (i % 2 == 0 ? 1 : -1) * coefficient(i, j);
            series.coupling.push_back(i + j > 0 ? static_cast<double>(c) : 0.0);
        }
        series.cut.push_back(cut_off(i, true));
    }
}

// Gaussian: exp((x - y)^2) - 1 = h(x) + h(y) + F(x, y), h(x) = exp(x^2) - 1.
//
// The coefficients of F form a matrix C, C_ij belonging to x^i y^j. Its factors C = L D L' give
// F = sum_p D_p f_p(x) f_p(y), f_p = x^p + ..., and no shorter sum comes as close near zero:
//   F = -2 xy exp(x^2 + y^2) + 3 (x^2 + 5/6 x^4 + ...)(y^2 + 5/6 y^4 + ...) - 4/3 (xy)^3 ...
// The entries of L are not negative.
PairSeries gaussian() {
    PairSeries series;
    series.reach = 1.0;
    set_coupling(series);
    for (int i = 1; i < moments; ++i) {
        series.own.push_back(static_cast<double>(1 / factorial(i)));
    }
    std::array<std::array<Real, order + 1>, order + 1> c;
    for (int i = 1; i <= order; ++i) {
        for (int j = 1; j <= order; ++j) c[i][j] = (i % 2 == 0 ? 1 : -1) * coefficient(i, j);
    }
    std::vector<Coefficients> magnitudes;
    for (int p = 1; p <= order; ++p) {
        const Real pivot = c[p][p];
        std::vector<Real> f;
        for (int i = p; i <= order; i += 2) f.push_back(c[i][p] / pivot);
        for (int i = p; i <= order; i += 2) {
            for (int j = p; j <= order; j += 2) c[i][j] -= pivot * f[(i - p) / 2] * f[(j - p) / 2];
        }
        magnitudes.emplace_back(moments, 0.0);
        add_square(std::abs(pivot), f, p, magnitudes.back());
        if (p > gaussian_terms) continue;
        series.terms.push_back({0, static_cast<double>(pivot), p, Coefficients(f.begin(), f.end()),
                                magnitudes.back()});
    }
    Coefficients rest(moments, 0.0);
    // |x^i y^j| + |x^j y^i| <= |x|^(i+j) + |y|^(i+j)
    rest.back() = cut_off(order, false) + 2.0 / static_cast<double>(factorial(moments - 1));
    for (int p = order; p >= 0; --p) {
        if (p <= gaussian_terms) series.remainder.push_back(rest);
        if (p == 0) break;
        for (int i = 0; i < moments; ++i) rest[i] += magnitudes[p - 1][i];
    }
    std::reverse(series.remainder.begin(), series.remainder.end());
    return series;
}

// Polynomial: (B - xy)^p - B^p = sum_q binomial(p, q) B^(p-q) (-xy)^q.
PairSeries power(const Profile& profile) {
    PairSeries series;
    const int degree = profile.degree;
    series.column_factor = std::sqrt(profile.gamma);
    series.reach = 1e10;
    series.differences = false;
    Coefficients rest(degree, 1.0);
    series.remainder.push_back(rest);
    double binomial = 1.0;
    for (int q = 1; q <= degree; ++q) {
        binomial *= -static_cast<double>(degree - q + 1) / q;
        Profile lower = profile;
        lower.degree = degree - q;
        series.matrices.push_back({lower, binomial});
        Coefficients magnitude(degree, 0.0);
        magnitude[q - 1] = 1.0;
        series.terms.push_back({static_cast<std::size_t>(q - 1), 1.0, q, {1.0}, magnitude});
        rest[q - 1] = 0.0;
        series.remainder.push_back(rest);
    }
    series.matrices.push_back({profile, 1.0});
    series.direct_loss = (4 * degree + 8) * unit;
    return series;
}

}  // namespace

std::optional<PairSeries> removal_series(Pairing pairing, const Profile& profile) {
    if (!(profile.gamma > 0)) return {};
    if (pairing == Pairing::SquaredDifference && profile.kind == ProfileKind::Exponential) {
        static const PairSeries shape = gaussian();
        PairSeries series = shape;
        series.matrices = {{profile, 1.0}};
        series.column_factor = std::sqrt(profile.gamma);
        return series;
    }
    const bool short_enough = profile.degree > 1 && profile.degree <= highest_degree;
    if (pairing == Pairing::Product && profile.kind == ProfileKind::Power && short_enough) {
        return power(profile);
    }
    return {};
}

// Slopes: A z_k z_j, or A (z_k - z_j)^2, and nothing remains.
std::optional<PairSeries> slope_series(Pairing pairing, const Profile& profile) {
    if (pairing == Pairing::AbsoluteDifference) return {};
    const bool distances = pairing == Pairing::SquaredDifference;
    const Slope slope = slope_of(profile);
    PairSeries series;
    series.matrices = {{slope.profile, slope.factor}};
    series.reach = 1e150;
    series.differences = distances;
    const double factor = distances ? -2.0 : 1.0;
    series.terms = {{0, factor, 1, {1.0}, {std::abs(factor)}}};
    if (distances) series.own = {1.0};
    series.remainder = {{std::abs(factor)}, {0.0}};
    return series;
}

}  // namespace svsieve
