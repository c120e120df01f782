#include "svsieve/bordered_inverse.hpp"

#include "testing.hpp"

using namespace svsieve;

namespace {

// A positive definite matrix: products of random rows plus a ridge.
std::vector<double> definite(std::size_t n) {
    const auto x = testing::normal_table(n, 4, 61);
    std::vector<double> q(n * n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < n; ++k) {
            for (std::size_t l = 0; l < 4; ++l) q[i * n + k] += x[i * 4 + l] * x[k * 4 + l];
        }
        q[i * n + i] += 0.5;
    }
    return q;
}

// P [0 1'; 1 Q] = I for the rows named.
void expect_inverse(BorderedInverse& inverse, const std::vector<double>& q, std::size_t n,
                    const std::vector<std::size_t>& rows) {
    CHECK(inverse.size() == rows.size());
    const auto bordered = [&](std::size_t i, std::size_t k) {
        if (i == 0 && k == 0) return 0.0;
        return i == 0 || k == 0 ? 1.0 : q[rows[i - 1] * n + rows[k - 1]];
    };
    const MutableMatrix p = inverse.matrix();
    for (std::size_t i = 0; i <= rows.size(); ++i) {
        for (std::size_t k = 0; k <= rows.size(); ++k) {
            double sum = 0.0;
            for (std::size_t l = 0; l <= rows.size(); ++l) sum += p(i, l) * bordered(l, k);
            CHECK_NEAR(sum, i == k ? 1.0 : 0.0, 1e-9);
        }
    }
}

void append(BorderedInverse& inverse, const std::vector<double>& q, std::size_t n,
            std::vector<std::size_t>& rows, std::size_t row) {
    std::vector<double> u(rows.size() + 1, 1.0), z(rows.size() + 1, 0.0);
    for (std::size_t k = 0; k < rows.size(); ++k) u[k + 1] = q[row * n + rows[k]];
    double schur = q[row * n + row];
    for (std::size_t i = 0; i < u.size(); ++i) {
        for (std::size_t k = 0; k < u.size(); ++k) z[i] += inverse.matrix()(i, k) * u[k];
        schur -= u[i] * z[i];
    }
    inverse.append(z.data(), schur);
    rows.push_back(row);
}

}  // namespace

TEST(an_inverse_follows_rows_that_come_and_go) {
    const std::size_t n = 40;
    const auto q = definite(n);
    BorderedInverse inverse;
    std::vector<std::size_t> rows = {7};
    inverse.start(q[7 * n + 7]);
    expect_inverse(inverse, q, n, rows);
    for (std::size_t row : {3u, 12u, 30u, 1u, 25u, 39u}) append(inverse, q, n, rows, row);
    expect_inverse(inverse, q, n, rows);
    for (std::size_t position : {0u, 5u, 2u}) {
        inverse.remove(position);
        rows[position] = rows.back();
        rows.pop_back();
        expect_inverse(inverse, q, n, rows);
    }
    for (std::size_t row = 13; row < 25; ++row) append(inverse, q, n, rows, row);
    expect_inverse(inverse, q, n, rows);
}

TEST(an_inverse_of_a_whole_matrix) {
    const std::size_t n = 12;
    const auto q = definite(n);
    BorderedInverse inverse;
    CHECK(inverse.assign(Matrix(q.data(), n, n), 1e-12));
    std::vector<std::size_t> rows(n);
    for (std::size_t k = 0; k < n; ++k) rows[k] = k;
    expect_inverse(inverse, q, n, rows);
    std::vector<double> singular(n * n, 1.0);
    CHECK(!inverse.assign(Matrix(singular.data(), n, n), 1e-12));
    CHECK(inverse.size() == 0);
}

// Five rows of four columns: their products are singular, the bordered matrix is not.
TEST(an_inverse_of_one_row_more_than_columns) {
    const std::size_t n = 5, d = 4;
    const auto x = testing::normal_table(n, d, 62);
    std::vector<double> q(n * n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < n; ++k) {
            for (std::size_t l = 0; l < d; ++l) q[i * n + k] += x[i * d + l] * x[k * d + l];
        }
    }
    BorderedInverse inverse;
    CHECK(inverse.assign(Matrix(q.data(), n, n), 1e-12));
    expect_inverse(inverse, q, n, {0, 1, 2, 3, 4});
    std::vector<std::size_t> rows = {0, 1, 2, 3};
    BorderedInverse grown;
    std::vector<double> block;
    for (std::size_t i : rows) {
        for (std::size_t k : rows) block.push_back(q[i * n + k]);
    }
    CHECK(grown.assign(Matrix(block.data(), 4, 4), 1e-12));
    append(grown, q, n, rows, 4);
    expect_inverse(grown, q, n, rows);
}
