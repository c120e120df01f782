#include "svsieve/contract.hpp"

#include <numeric>
#include <utility>

#include "testing.hpp"

using namespace svsieve;

namespace {

struct Kind {
    Pairing pairing;
    Profile profile;
};

const Kind kinds[] = {
    {Pairing::Product, {ProfileKind::Identity, 1.0, 0.0, 1}},
    {Pairing::Product, {ProfileKind::Power, 0.4, 1.0, 1}},
    {Pairing::Product, {ProfileKind::Power, 0.4, 1.0, 3}},
    {Pairing::Product, {ProfileKind::Power, 0.1, 0.5, 11}},
    {Pairing::SquaredDifference, {ProfileKind::Exponential, 0.05, 0.0, 1}},
    {Pairing::SquaredDifference, {ProfileKind::Exponential, 3.0, 0.0, 1}},
    {Pairing::AbsoluteDifference, {ProfileKind::Exponential, 0.2, 0.0, 1}},
    {Pairing::AbsoluteDifference, {ProfileKind::Exponential, 5.0, 0.0, 1}},
};

double phi(const Profile& p, double s) {
    if (p.kind == ProfileKind::Identity) return s;
    if (p.kind == ProfileKind::Exponential) return std::exp(-p.gamma * s);
    return std::pow(p.gamma * s + p.coef0, p.degree);
}

double slope(const Profile& p, double s) {
    if (p.kind == ProfileKind::Identity) return 1.0;
    if (p.kind == ProfileKind::Exponential) return -p.gamma * std::exp(-p.gamma * s);
    return p.gamma * p.degree * std::pow(p.gamma * s + p.coef0, p.degree - 1);
}

double term(Pairing pairing, double x, double z) {
    if (pairing == Pairing::Product) return x * z;
    return pairing == Pairing::SquaredDifference ? (x - z) * (x - z) : std::abs(x - z);
}

// A table of which some rows and columns are picked, with weights over the picked rows.
struct Problem {
    std::size_t n, d = 40;
    std::vector<double> values = testing::normal_table(n, d, 11);
    Matrix table{values.data(), n, d};
    std::vector<std::size_t> rows, columns;
    std::vector<double> factors, u, s;

    explicit Problem(Pairing pairing, std::size_t n_ = 140) : n(n_) {
        for (std::size_t k = 0; k < n; ++k) {
            if (k % 9 != 4) rows.push_back(k);
        }
        for (std::size_t l = 0; l < d; l += 2) columns.push_back(l);
        factors.assign(columns.size(), 1.0);
        factors[3] = 0.5;
        u = testing::normal_table(rows.size(), 1, 12);
        s.assign(n * n, 0.0);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t k = 0; k < n; ++k) {
                for (std::size_t c = 0; c < columns.size(); ++c)
                    s[i * n + k] += part(pairing, i, k, c);
            }
        }
    }
    double part(Pairing pairing, std::size_t i, std::size_t k, std::size_t c) const {
        return term(pairing, factors[c] * table(i, columns[c]), factors[c] * table(k, columns[c]));
    }
    ColumnBlock block() const { return {table, rows, columns, factors}; }
    Matrix pairing_matrix() const { return {s.data(), n, n}; }
};

}  // namespace

TEST(contractions_match_their_definition) {
    // Gaussian removal takes the series from 256 rows on, and tiles for columns that are too wide.
    std::vector<std::pair<Kind, std::size_t>> cases;
    for (const Kind& kind : kinds) cases.emplace_back(kind, 140);
    cases.emplace_back(kinds[4], 331);
    cases.emplace_back(kinds[5], 331);
    cases.emplace_back(Kind{Pairing::SquaredDifference, {ProfileKind::Exponential, 1e-3, 0, 1}},
                       331);
    for (const auto& [kind, n] : cases) {
        const Problem problem(kind.pairing, n);
        const PairWeight weight{{}, problem.u, 0.7};
        std::vector<double> slopes(problem.columns.size(), 0.0),
            without(problem.columns.size(), 0.0);
        contract_slopes(kind.pairing, kind.profile, problem.block(), problem.pairing_matrix(),
                        weight, slopes);
        contract_without(kind.pairing, kind.profile, problem.block(), problem.pairing_matrix(),
                         weight, without);
        const ParamSlopes params =
            contract_params(kind.profile, problem.pairing_matrix(), problem.rows, weight);

        std::vector<double> expect_slopes(slopes.size(), 0.0), expect_without(slopes.size(), 0.0);
        double log_gamma = 0.0, coef0 = 0.0, scale = 0.0;
        for (std::size_t i = 0; i < problem.rows.size(); ++i) {
            for (std::size_t k = 0; k < problem.rows.size(); ++k) {
                const std::size_t a = problem.rows[i], b = problem.rows[k];
                const double m = 0.7 * problem.u[i] * problem.u[k],
                             s = problem.s[a * problem.n + b];
                log_gamma += m * s * slope(kind.profile, s);
                coef0 += m * slope(kind.profile, s) / kind.profile.gamma;
                scale += std::abs(m * phi(kind.profile, s));
                for (std::size_t c = 0; c < slopes.size(); ++c) {
                    const double t = problem.part(kind.pairing, a, b, c);
                    expect_slopes[c] += m * slope(kind.profile, s) * t;
                    expect_without[c] += m * (phi(kind.profile, s - t) - phi(kind.profile, s));
                }
            }
        }
        for (std::size_t c = 0; c < slopes.size(); ++c) {
            CHECK(std::abs(slopes[c] - expect_slopes[c]) <= 1e-12 * scale);
            CHECK(std::abs(without[c] - expect_without[c]) <= 1e-12 * scale);
        }
        if (kind.profile.kind != ProfileKind::Identity)
            CHECK_NEAR(params.log_gamma, log_gamma, 1e-10);
        if (kind.profile.kind == ProfileKind::Power) CHECK_NEAR(params.coef0, coef0, 1e-10);
    }
}

void compare_dense_and_outer_weights(const Kind& kind, std::size_t n_rows) {
    const Problem problem(kind.pairing, n_rows);
    const std::size_t n = problem.rows.size();
    std::vector<double> full(n * n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < n; ++k) full[i * n + k] = problem.u[i] * problem.u[k];
    }
    std::vector<double> a(problem.columns.size(), 0.0), b(problem.columns.size(), 0.0);
    contract_without(kind.pairing, kind.profile, problem.block(), problem.pairing_matrix(),
                     {{}, problem.u, 1.0}, a);
    contract_without(kind.pairing, kind.profile, problem.block(), problem.pairing_matrix(),
                     {Matrix(full.data(), n, n), {}, 1.0}, b);
    for (std::size_t c = 0; c < a.size(); ++c) {
        double magnitudes = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t k = 0; k < n; ++k) {
                const std::size_t at = problem.rows[i], to = problem.rows[k];
                const double s = problem.s[at * problem.n + to];
                const double change = phi(kind.profile, s - problem.part(kind.pairing, at, to, c)) -
                                      phi(kind.profile, s);
                magnitudes += std::abs(full[i * n + k] * change);
            }
        }
        CHECK(std::abs(a[c] - b[c]) <= 1e-12 * magnitudes);
    }
}

// The pairing matrix is made of exact differences: what the contractions lose is their own.
TEST(columns_far_from_zero_keep_their_digits) {
    for (const Kind& kind : {kinds[4], kinds[6]}) {
        for (const std::size_t n : {140, 331}) {
            Problem problem(kind.pairing, n);
            for (double& x : problem.values) x = (x + 1e6) - 1e6;  // what is left of it up there
            Problem far = problem;
            for (double& x : far.values) x += 1e6;
            problem.table = Matrix(problem.values.data(), n, problem.d);
            far.table = Matrix(far.values.data(), n, far.d);
            const PairWeight weight{{}, problem.u, 1.0};
            for (const auto contract : {contract_slopes, contract_without}) {
                std::vector<double> here(problem.columns.size(), 0.0), there(here);
                contract(kind.pairing, kind.profile, problem.block(), problem.pairing_matrix(),
                         weight, here);
                contract(kind.pairing, kind.profile, far.block(), far.pairing_matrix(), weight,
                         there);
                for (std::size_t c = 0; c < here.size(); ++c) CHECK_NEAR(here[c], there[c], 1e-12);
            }
        }
    }
}

TEST(dense_and_outer_weights_agree) {
    compare_dense_and_outer_weights(kinds[4], 140);
    compare_dense_and_outer_weights(kinds[4], 331);
    compare_dense_and_outer_weights(
        {Pairing::SquaredDifference, {ProfileKind::Exponential, 1e-3, 0.0, 1}}, 331);
}
