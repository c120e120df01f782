// The loops of the wide linear path against plain ones, for every instruction set of this machine.
#include <limits>

#include "testing.hpp"
#include "vector/kernels.hpp"

using namespace svsieve;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

TEST(rows_are_added_as_in_a_plain_loop) {
    for (const auto* kernels : testing::available_kernels()) {
        for (const std::size_t width : {8u, 16u, 24u, 64u, 72u, 200u}) {
            const std::size_t stride = width + 8, rows = 9;
            const auto matrix = testing::normal_table(rows, stride, 1);
            const auto c = testing::normal_table(rows, 1, 2);
            const std::vector<std::size_t> some = {7, 0, 3};
            for (const bool listed : {true, false}) {
                const std::size_t count = listed ? some.size() : rows;
                auto out = testing::normal_table(width + 4, 1, 3), expected = out;
                for (std::size_t k = 0; k < count; ++k) {
                    const std::size_t row = listed ? some[k] : k;
                    for (std::size_t j = 0; j < width; ++j)
                        expected[j] += c[k] * matrix[row * stride + j];
                }
                kernels->add_rows(count, listed ? some.data() : nullptr, c.data(), matrix.data(),
                                  stride, width, out.data());
                for (std::size_t j = 0; j < out.size(); ++j) CHECK_NEAR(out[j], expected[j], 1e-14);
            }
        }
    }
}

TEST(outer_products_are_added_as_in_a_plain_loop) {
    for (const auto* kernels : testing::available_kernels()) {
        for (const std::size_t width : {8u, 24u, 40u}) {
            const std::size_t stride = width + 8, rows = width - 3;
            auto matrix = testing::normal_table(width, stride, 4), expected = matrix;
            const auto x = testing::normal_table(width, 1, 5);
            kernels->add_outer(rows, width, -0.7, x.data(), matrix.data(), stride);
            for (std::size_t i = 0; i < rows; ++i) {
                for (std::size_t j = 0; j < width; ++j)
                    expected[i * stride + j] -= 0.7 * x[i] * x[j];
            }
            for (std::size_t k = 0; k < matrix.size(); ++k)
                CHECK_NEAR(matrix[k], expected[k], 1e-14);
        }
    }
}

TEST(inner_products_do_not_depend_on_their_neighbours) {
    for (const auto* kernels : testing::available_kernels()) {
        for (const std::size_t width : {8u, 64u, 104u}) {
            const std::size_t most = 19;
            const auto table = testing::normal_table(most, width, 6);
            const auto b = testing::normal_table(width, 1, 7);
            std::vector<const double*> columns;
            for (std::size_t c = 0; c < most; ++c) columns.push_back(table.data() + c * width);
            std::vector<double> alone(most);
            for (std::size_t c = 0; c < most; ++c) {
                kernels->column_dots(1, &columns[c], width, b.data(), &alone[c]);
                double sum = 0.0;
                for (std::size_t k = 0; k < width; ++k) sum += columns[c][k] * b[k];
                CHECK_NEAR(alone[c], sum, 1e-13);
            }
            for (std::size_t count = 1; count <= most; ++count) {
                std::vector<double> out(most + 1, -3.0);
                kernels->column_dots(count, columns.data(), width, b.data(), out.data());
                for (std::size_t c = 0; c < count; ++c) CHECK(out[c] == alone[c]);
                CHECK(out[count] == -3.0);
            }
        }
    }
}

TEST(packs_are_weighed_as_in_a_plain_loop) {
    for (const auto* kernels : testing::available_kernels()) {
        for (const std::size_t rows : {8u, 16u, 88u}) {
            for (const std::size_t machines : {1u, 2u, 5u}) {
                const auto values = testing::normal_table(rows, pack_width, 8);
                const auto coefficients = testing::normal_table(machines, rows, 9);
                const std::vector<float> pack(values.begin(), values.end());
                const std::vector<float> b(coefficients.begin(), coefficients.end());
                std::vector<float> norms(pack_width, 2.0f), out(pack_width);
                norms[3] = -1e30f;  // a slot whose column is gone
                double least = infinity;
                const float found = kernels->pack_weigh(rows, machines, pack.data(), b.data(),
                                                        0.01f, norms.data(), out.data());
                for (std::size_t l = 0; l < pack_width; ++l) {
                    double square = 0.0;
                    for (std::size_t m = 0; m < machines; ++m) {
                        double w = 0.0;
                        for (std::size_t k = 0; k < rows; ++k)
                            w += static_cast<double>(pack[k * pack_width + l]) * b[m * rows + k];
                        square += w * w;
                    }
                    CHECK_NEAR(out[l], std::sqrt(square), 1e-4);
                    if (l != 3) least = std::min(least, std::sqrt(square) - 0.01 * 2.0);
                }
                CHECK_NEAR(found, least, 1e-4);
            }
        }
    }
}
