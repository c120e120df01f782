#include "svsieve/pairing.hpp"

#include <algorithm>
#include <stdexcept>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "row_panels.hpp"
#include "testing.hpp"
#include "vector/kernels.hpp"

using namespace svsieve;

namespace {

const Pairing all[] = {Pairing::Product, Pairing::SquaredDifference, Pairing::AbsoluteDifference};

double term(Pairing pairing, double x, double z) {
    if (pairing == Pairing::Product) return x * z;
    return pairing == Pairing::SquaredDifference ? (x - z) * (x - z) : std::abs(x - z);
}

double naive(Pairing pairing, Matrix x, std::size_t i, Matrix z, std::size_t k,
             std::size_t columns) {
    double sum = 0.0;
    for (std::size_t l = 0; l < columns; ++l) sum += term(pairing, x(i, l), z(k, l));
    return sum;
}

}  // namespace

TEST(pairing_matrices_match_their_definition) {
    for (std::size_t n : {1u, 2u, 63u, 64u, 65u, 130u, 200u}) {
        for (std::size_t d : {1u, 5u, 129u}) {
            const auto values = testing::normal_table(n, d, 1);
            const Matrix x(values.data(), n, d);
            for (Pairing pairing : all) {
                std::vector<double> storage(n * n, -1.0);
                const MutableMatrix s(storage.data(), n, n);
                build_pairing(pairing, x, s);
                for (std::size_t i = 0; i < n; i += 7) {
                    for (std::size_t k = 0; k < n; ++k) {
                        CHECK_NEAR(s(i, k), naive(pairing, x, i, x, k, d), 1e-12);
                        CHECK(s(i, k) == s(k, i));
                    }
                }
            }
        }
    }
}

TEST(cross_pairings_match_their_definition) {
    const auto a = testing::normal_table(70, 9, 2), b = testing::normal_table(133, 9, 3);
    const Matrix z(a.data(), 70, 9), x(b.data(), 133, 9);
    for (Pairing pairing : all) {
        std::vector<double> storage(70 * 133);
        const MutableMatrix s(storage.data(), 70, 133);
        cross_pairing(pairing, z, x, s);
        for (std::size_t i = 0; i < 70; ++i) {
            for (std::size_t k = 0; k < 133; ++k)
                CHECK_NEAR(s(i, k), naive(pairing, z, i, x, k, 9), 1e-12);
        }
    }
}

TEST(dropping_columns_equals_building_without_them) {
    const std::size_t n = 150, d = 12, dropped = 5;
    const auto values = testing::normal_table(n, d, 4);
    const Matrix x(values.data(), n, d);
    const Matrix removed(values.data() + (d - dropped), n, dropped, d);
    const Profile profile{ProfileKind::Exponential, 0.3, 0.0, 1};
    for (Pairing pairing : all) {
        std::vector<double> storage(n * n), gram_storage(n * n);
        const MutableMatrix s(storage.data(), n, n), gram(gram_storage.data(), n, n);
        build_pairing(pairing, x, s);
        const bool exponential = pairing != Pairing::Product;
        drop_columns(pairing, removed, s, exponential ? &profile : nullptr, gram);
        for (std::size_t i = 0; i < n; i += 3) {
            for (std::size_t k = 0; k < n; ++k) {
                const double expected = naive(pairing, x, i, x, k, d - dropped);
                if (k <= i) CHECK_NEAR(s(i, k), expected, 1e-12);
                if (exponential) CHECK_NEAR(gram(i, k), std::exp(-0.3 * expected), 1e-12);
            }
        }
        fill_upper(s);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t k = 0; k < i; ++k) CHECK(s(i, k) == s(k, i));
        }
    }
}

TEST(wide_tables_are_paired_some_columns_at_a_time) {
    const std::size_t n = 30, range = RowPanels::columns_at_a_time(Matrix(nullptr, n, 4096)),
                      d = 2 * range + 7, dropped = range + 10;
    const auto values = testing::normal_table(n, d, 5);
    const Matrix x(values.data(), n, d), removed(values.data() + d - dropped, n, dropped, d);
    const Profile profile{ProfileKind::Power, 1e-3, 1.0, 2};
    for (Pairing pairing : all) {
        std::vector<double> storage(n * n), gram_storage(n * n);
        const MutableMatrix s(storage.data(), n, n), gram(gram_storage.data(), n, n);
        build_pairing(pairing, x, s);
        for (std::size_t i = 0; i < n; i += 11) {
            for (std::size_t k = 0; k < n; ++k)
                CHECK_NEAR(s(i, k), naive(pairing, x, i, x, k, d), 1e-12 * d);
        }
        drop_columns(pairing, removed, s, &profile, gram);
        for (std::size_t i = 0; i < n; i += 11) {
            for (std::size_t k = 0; k < n; ++k) {
                const double expected = naive(pairing, x, i, x, k, d - dropped),
                             base = 1e-3 * expected + 1.0;
                if (k <= i) CHECK_NEAR(s(i, k), expected, 1e-12 * d);
                CHECK_NEAR(gram(i, k), base * base, 1e-12 * d);
            }
        }
    }
}

TEST(squares_that_overflow_are_refused_in_any_range_of_columns) {
    const std::size_t n = 30, d = 9000;
    auto values = testing::normal_table(n, d, 8);
    values[n * d - 1] = 1e200;
    std::vector<double> storage(n * n, 1.0);
    const MutableMatrix s(storage.data(), n, n);
    const auto refused = [](auto task) {
        try {
            task();
        } catch (const std::invalid_argument&) {
            return true;
        }
        return false;
    };
    const Matrix x(values.data(), n, d);
    CHECK(refused([&] { build_pairing(Pairing::SquaredDifference, x, s); }));
    CHECK(refused([&] { drop_columns(Pairing::SquaredDifference, x, s); }));
    CHECK(!refused([&] { build_pairing(Pairing::Product, x, s); }));
}

TEST(tables_without_columns_have_pairings_of_zero) {
    const std::size_t n = 40;
    for (Pairing pairing : all) {
        std::vector<double> storage(n * n, -1.0);
        const MutableMatrix s(storage.data(), n, n);
        build_pairing(pairing, Matrix(nullptr, n, 0), s);
        for (const double each : storage) CHECK(each == 0.0);
        drop_columns(pairing, Matrix(nullptr, n, 0), s);
        for (const double each : storage) CHECK(each == 0.0);
    }
}

// Far from zero, where the last digit of a norm is large. What a BLAS does is its own affair.
TEST(equal_rows_have_no_distance) {
    if (vector_kernels().lane_count <= 2) return;
    const std::size_t n = 90, half = n / 2, d = 5000, dropped = 4500;
    auto values = testing::normal_table(n, d, 6);
    for (double& value : values) value += 1e4;
    std::copy_n(values.data(), half * d, values.data() + half * d);
    std::vector<double> storage(n * n);
    const MutableMatrix s(storage.data(), n, n);
    build_pairing(Pairing::SquaredDifference, Matrix(values.data(), n, d), s);
    for (std::size_t i = 0; i < half; ++i) CHECK(s(half + i, i) == 0.0);
    // Rows that are equal in the columns removed keep their distance, to the last bit.
    for (std::size_t i = 0; i < half; ++i) values[i * d + d - 1] += 1e3;
    build_pairing(Pairing::SquaredDifference, Matrix(values.data(), n, d), s);
    const std::vector<double> before = storage;
    drop_columns(Pairing::SquaredDifference, Matrix(values.data(), n, dropped, d), s);
    for (std::size_t i = 0; i < half; ++i) {
        CHECK(s(half + i, i) == before[(half + i) * n + i]);
        CHECK(std::abs(s(half + i, i) - 1e6) < 1.0);
    }
}

#ifdef _OPENMP
TEST(pairings_have_the_same_bits_on_any_number_of_threads) {
    const std::size_t n = 300, d = 700;
    const auto values = testing::normal_table(n, d, 7);
    const Matrix x(values.data(), n, d), removed(values.data() + 3, n, d / 2, d);
    const int before = omp_get_max_threads();
    for (Pairing pairing : all) {
        std::vector<double> bits[2];
        for (const int threads : {1, 3}) {
            omp_set_num_threads(threads);
            std::vector<double>& storage = bits[threads > 1];
            storage.assign(n * n, 0.0);
            const MutableMatrix s(storage.data(), n, n);
            build_pairing(pairing, x, s);
            drop_columns(pairing, removed, s);
            fill_upper(s);
        }
        CHECK(bits[0] == bits[1]);
    }
    omp_set_num_threads(before);
}
#endif
