// Arithmetic of twice the precision against integers of 128 bits, which hold the exact results.
#include "double_double.hpp"

#include <random>

#include "testing.hpp"
#include "vector/kernels.hpp"

using namespace svsieve;

namespace {

__extension__ typedef __int128 Wide;

Wide whole(DoubleDouble value) {
    return static_cast<Wide>(value.hi) + static_cast<Wide>(value.lo);
}

std::size_t padded(std::size_t n) {
    return (n + row_padding - 1) / row_padding * row_padding;
}

}  // namespace

TEST(sums_and_products_of_two_doubles_are_exact) {
    std::mt19937_64 random(1);
    std::uniform_int_distribution<long long> number(-(1LL << 53), 1LL << 53);
    for (int turn = 0; turn < 2000; ++turn) {
        const auto a = static_cast<double>(number(random)), b = static_cast<double>(number(random));
        const double small = b / 1048576.0;  // its last bits lie below those of a
        const DoubleDouble sum = two_sum(a, small), product = two_product(a, b);
        CHECK(whole({sum.hi * 1048576.0, sum.lo * 1048576.0}) ==
              static_cast<Wide>(a) * 1048576 + static_cast<Wide>(b));
        CHECK(whole(product) == static_cast<Wide>(a) * static_cast<Wide>(b));
        CHECK(sum.hi == a + small && product.hi == a * b);
    }
}

TEST(numbers_of_twice_the_precision_keep_32_digits) {
    std::mt19937_64 random(2);
    std::uniform_int_distribution<long long> number(1, 1LL << 62);
    const auto near = [](DoubleDouble found, DoubleDouble expected) {
        return std::abs((found - expected).rounded()) <= 0x1p-100 * std::abs(expected.hi);
    };
    for (int turn = 0; turn < 2000; ++turn) {
        const long long m = number(random), n = number(random);
        const auto exact = [](long long v) {
            const auto high = static_cast<double>(v);
            return two_sum(high, static_cast<double>(v - static_cast<long long>(high)));
        };
        const DoubleDouble a = exact(m), b = exact(n);
        CHECK(whole(a) == m && whole(b) == n);
        CHECK(whole(a + b) == static_cast<Wide>(m) + n);
        CHECK(whole(a - b) == static_cast<Wide>(m) - n);
        CHECK(near((a / b) * b, a));
        CHECK(near((a + b) * a, a * a + b * a));
        CHECK((a < b) == (m < n) && (a > b) == (m > n) && (a == b) == (m == n));
        CHECK(abs(-a) == a);
    }
}

// What plain doubles lose altogether.
TEST(twofold_products_survive_cancellation) {
    const std::size_t n = 37, width = padded(n);
    for (const VectorKernels* kernels : testing::available_kernels()) {
        std::vector<double> zero(width, 0.0), a(width, 0.0), b(width, 0.0), lo(width, 0.0);
        const auto values = testing::normal_table(n, 2, 5);
        for (std::size_t k = 0; k + 1 < n; k += 2) {  // pairs that cancel, but for a last digit
            a[k] = values[2 * k] * 0x1p40;
            a[k + 1] = -a[k];
            b[k] = b[k + 1] = values[2 * k + 1];
        }
        a[n - 1] = 0x1p-30;
        b[n - 1] = 3.0;
        lo[n - 1] = 0x1p-90;
        double sum[2];
        kernels->twofold_dot(width, a.data(), lo.data(), b.data(), zero.data(), sum);
        const DoubleDouble expected = DoubleDouble(0x1p-30, 0x1p-90) * DoubleDouble(3.0);
        CHECK(std::abs((DoubleDouble(sum[0], sum[1]) - expected).rounded()) < 0x1p-55);
        CHECK(std::abs(sum[0] - 3.0 * 0x1p-30) < 0x1p-50);

        std::vector<double> y(b), y_lo(width, 0.0);
        kernels->twofold_add_scaled(width, 0x1p60, 0x1p3, a.data(), lo.data(), y.data(),
                                    y_lo.data());
        kernels->twofold_add_scaled(width, -0x1p60, -0x1p3, a.data(), lo.data(), y.data(),
                                    y_lo.data());
        for (std::size_t k = 0; k < n; ++k)
            CHECK(std::abs(y[k] + y_lo[k] - b[k]) <= 0x1p-100 * std::abs(a[k]) * 0x1p60);
    }
}
