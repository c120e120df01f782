#include "svsieve/screening.hpp"

#include <algorithm>

#include "pair_series.hpp"
#include "pair_strips.hpp"
#include "testing.hpp"
#include "vector/kernels.hpp"

using namespace svsieve;

namespace {

const Profile gaussian_profile{ProfileKind::Exponential, 0.3, 0.0, 1};
const Profile power_profile{ProfileKind::Power, 0.2, 0.6, 5};

// A polynomial in z^2 without constant.
double polynomial(const std::vector<double>& coefficients, double z) {
    double sum = 0.0, power = 1.0;
    for (const double c : coefficients) sum += c * (power *= z * z);
    return sum;
}

double value(const PairSeries::Term& term, double z) {
    double sum = 0.0, power = std::pow(z, term.power);
    for (const double c : term.coefficients) {
        sum += c * power;
        power *= z * z;
    }
    return sum;
}

// Rows of a table, their pairing matrix and weights.
struct Problem {
    std::size_t n = 150, d = 21;
    std::vector<double> values = testing::normal_table(n, d, 3), s, u, factors;
    std::vector<std::size_t> rows, columns;

    explicit Problem(Pairing pairing) : s(n * n, 0.0), factors(d, 0.5) {
        for (std::size_t k = 0; k < n; ++k) {
            if (k % 7 != 3) rows.push_back(k);
        }
        for (std::size_t l = 0; l < d; ++l) columns.push_back(l);
        u = testing::normal_table(rows.size(), 1, 4);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t k = 0; k < n; ++k) {
                for (std::size_t l = 0; l < d; ++l) {
                    const double x = 0.5 * values[i * d + l], z = 0.5 * values[k * d + l];
                    s[i * n + k] += pairing == Pairing::Product ? x * z : (x - z) * (x - z);
                }
            }
        }
    }
    ColumnBlock block() const { return {Matrix(values.data(), n, d), rows, columns, factors}; }
    Matrix pairing_matrix() const { return {s.data(), n, n}; }
};

}  // namespace

TEST(the_gaussian_series_is_as_near_as_its_remainder_says) {
    const auto series = removal_series(Pairing::SquaredDifference, gaussian_profile);
    CHECK(series.has_value());
    for (double x = -1.0; x <= 1.0; x += 0.125) {
        for (double y = -1.0; y <= 1.0; y += 0.125) {
            const double exact = std::expm1((x - y) * (x - y));
            double sum = polynomial(series->own, x) + polynomial(series->own, y);
            for (std::size_t p = 0; p <= series->terms.size(); ++p) {
                const auto& rest = series->remainder[p];
                // both orders of the pair, each row with a margin of one
                const double allowed = polynomial(rest, x) + polynomial(rest, y);
                CHECK(2.0 * std::abs(exact - sum) <= allowed + 1e-14);
                if (p == series->terms.size()) break;
                const PairSeries::Term& term = series->terms[p];
                const double square = value(term, x) * value(term, x);
                CHECK(std::abs(term.factor) * square <= polynomial(term.magnitude, x) + 1e-14);
                sum += term.factor * value(term, x) * value(term, y);
            }
        }
    }
    // four terms are enough for a thousandth where entries are below a half
    CHECK(polynomial(series->remainder[4], 0.5) < 1e-3 * polynomial(series->remainder[0], 0.5));
}

TEST(the_coupling_of_powers_is_the_gaussian_once_more) {
    const auto series = removal_series(Pairing::SquaredDifference, gaussian_profile);
    for (std::size_t power = 4; power <= series->order; power += 5) {
        for (double x = -0.6; x <= 0.6; x += 0.2) {
            for (double y = -0.6; y <= 0.6; y += 0.15) {
                double sum = 0.0;
                for (std::size_t i = 0; i <= power; ++i) {
                    for (std::size_t j = 0; j <= power; ++j) {
                        sum += series->coupling[i * (series->order + 1) + j] *
                               std::pow(x, static_cast<double>(i)) *
                               std::pow(y, static_cast<double>(j));
                    }
                }
                const double reach = std::pow(0.6, static_cast<double>(power + 1));
                const double error = std::abs(sum - std::expm1((x - y) * (x - y)));
                CHECK(error <= series->cut[power] * reach + 1e-14);
            }
        }
    }
}

TEST(the_polynomial_series_ends) {
    const auto series = removal_series(Pairing::Product, power_profile);
    CHECK(series->terms.size() == 5 && series->matrices.size() == 6);
    const double s = 1.7, x = 0.8, y = -0.6, base = 0.2 * s + 0.6;
    double sum = 0.0;
    for (const auto& term : series->terms) {
        const auto& [profile, multiple] = series->matrices[term.matrix];
        sum += multiple * std::pow(base, profile.degree) * value(term, x) * value(term, y);
    }
    CHECK_NEAR(sum, std::pow(base - x * y, 5) - std::pow(base, 5), 1e-14);
    for (const double c : series->remainder.back()) CHECK(c == 0.0);
}

TEST(there_is_no_series_for_other_kernels) {
    const Profile laplace{ProfileKind::Exponential, 1.0, 0.0, 1};
    CHECK(!can_screen(Screen::Removal, Pairing::AbsoluteDifference, laplace));
    CHECK(!can_screen(Screen::Slopes, Pairing::AbsoluteDifference, laplace));
    CHECK(!can_screen(Screen::Removal, Pairing::Product, {ProfileKind::Identity, 1.0, 0.0, 1}));
    CHECK(!can_screen(Screen::Removal, Pairing::Product, {ProfileKind::Power, 1.0, 0.0, 13}));
    CHECK(!can_screen(Screen::Removal, Pairing::Product, {ProfileKind::Power, 1.0, 0.0, 1}));
}

TEST(screened_contractions_are_within_their_bounds) {
    for (const Pairing pairing : {Pairing::Product, Pairing::SquaredDifference}) {
        const Problem problem(pairing);
        const std::size_t rows = problem.rows.size();
        const Profile& profile = pairing == Pairing::Product ? power_profile : gaussian_profile;
        std::vector<double> full = testing::normal_table(rows, rows, 5);
        for (std::size_t i = 0; i < rows; ++i) {
            for (std::size_t k = 0; k < i; ++k) full[i * rows + k] = full[k * rows + i];
        }
        const PairWeight weights[] = {{{}, problem.u, 0.7},
                                      {{}, problem.u, -3.0},
                                      {Matrix(full.data(), rows, rows), {}, 1.0}};
        for (const PairWeight& weight : weights) {
            for (const Screen what : {Screen::Removal, Screen::Slopes}) {
                const Screened found = screen(what, pairing, profile, problem.block(),
                                              problem.pairing_matrix(), weight, 3);
                std::vector<double> exact(problem.d, 0.0);
                (what == Screen::Removal ? contract_without : contract_slopes)(
                    pairing, profile, problem.block(), problem.pairing_matrix(), weight, exact);
                for (std::size_t c = 0; c < problem.d; ++c) {
                    CHECK(std::abs(found.approximation[c] - exact[c]) <= found.bound[c]);
                    CHECK(std::isfinite(found.bound[c]) || what == Screen::Removal);
                }
            }
        }
    }
}

template <class T>
void compare_strips(double tolerance) {
    const Problem problem(Pairing::Product);
    const auto series = removal_series(Pairing::Product, power_profile);
    const PairWeight weight{{}, problem.u, 0.7};
    const PairStrips<T> strips(*series, problem.pairing_matrix(), problem.rows, weight, {});
    const std::size_t n = problem.rows.size();
    for (std::size_t m = 0; m < series->matrices.size(); ++m) {
        PairStrip<T> scratch;
        std::vector<double> sums(n, 0.0);
        for (std::size_t index = 0; index < strips.count(); ++index) {
            const PairStrip<T>& strip = strips.strip(index, m, scratch);
            for (std::size_t k = strip.first; k < strip.stop; ++k) {
                const T* row = strip.values.data() + (k - strip.first) * strip.stride;
                for (std::size_t j = 0; j <= k; ++j) {
                    const auto& [profile, multiple] = series->matrices[m];
                    const double s = problem.s[problem.rows[k] * problem.n + problem.rows[j]];
                    const double factor = multiple * 0.7 * problem.u[k] * problem.u[j];
                    const double a = factor * std::pow(0.2 * s + 0.6, profile.degree);
                    const double both = j < k ? 2.0 * a : a;
                    // 0.2 s may cancel with 0.6
                    const double size = factor * std::pow(std::abs(0.2 * s) + 0.6, profile.degree);
                    CHECK(std::abs(both - strip.scale * row[j]) <= tolerance * std::abs(size));
                    sums[k] += std::abs(a);
                    if (j < k) sums[j] += std::abs(a);
                }
                for (std::size_t j = k + 1; j < strip.stride; ++j) CHECK(row[j] == T(0));
            }
        }
        for (std::size_t k = 0; k < n; ++k) {
            CHECK_NEAR(strips.margins().absolute[m][k], sums[k], 1e-12);
        }
    }
}

TEST(strips_and_margins_match_their_definition) {
    compare_strips<double>(1e-14);
    compare_strips<float>(2.5e-7);
}

TEST(vector_passes_of_the_screening_match_plain_loops) {
    for (const auto* kernels : testing::available_kernels()) {
        const std::size_t n = 21;
        const auto weights = testing::normal_table(n, 1, 6), base = testing::normal_table(n, 1, 7);
        auto values = base;
        std::vector<double> margin(n, 1.0), absolute(n, 2.0);
        const RowSums sums = kernels->weigh_row(n, -1.5, weights.data(), values.data(),
                                                margin.data(), absolute.data());
        double sum = 0.0, total = 0.0, largest = 0.0;
        for (std::size_t j = 0; j < n; ++j) {
            const double a = -1.5 * weights[j] * base[j];
            CHECK_NEAR(values[j], a, 1e-15);
            CHECK_NEAR(margin[j], 1.0 + a, 1e-15);
            CHECK_NEAR(absolute[j], 2.0 + std::abs(a), 1e-15);
            sum += a;
            total += std::abs(a);
            largest = std::max(largest, std::abs(a));
        }
        CHECK_NEAR(sums.sum, sum, 1e-14);
        CHECK_NEAR(sums.absolute, total, 1e-14);
        CHECK_NEAR(sums.largest, largest, 1e-15);
    }
}

TEST(power_sums_match_plain_loops) {
    const std::size_t rows = 9;
    const auto one = testing::normal_table(rows, 1, 6), other = testing::normal_table(rows, 1, 7);
    for (const auto* kernels : testing::available_kernels()) {
        const std::size_t width = 3 * kernels->lane_count;
        const auto z = testing::normal_table(rows, width, 8);
        for (const std::size_t count : {1, 2, 3, 6, 7, 13}) {
            for (const bool same : {true, false}) {
                std::vector<const double*> weights(count, one.data());
                if (!same) weights.back() = other.data();
                for (const PowersOf of :
                     {PowersOf::Entries, PowersOf::Magnitudes, PowersOf::Squares}) {
                    std::vector<double> found(count * width, 1.0);
                    kernels->power_sums(rows, width, z.data(), of, count, weights.data(),
                                        found.data());
                    for (std::size_t i = 0; i < count; ++i) {
                        for (std::size_t l = 0; l < width; ++l) {
                            double sum = 1.0, magnitude = 1.0;
                            for (std::size_t k = 0; k < rows; ++k) {
                                const double entry = z[k * width + l], size = std::abs(entry),
                                             x = of == PowersOf::Entries      ? entry
                                                 : of == PowersOf::Magnitudes ? size
                                                                              : size * size;
                                const double part = weights[i][k] * std::pow(x, i + 1.0);
                                sum += part;
                                magnitude += std::abs(part);
                            }
                            CHECK(std::abs(found[i * width + l] - sum) <= 1e-14 * magnitude);
                        }
                    }
                }
            }
        }
    }
}
