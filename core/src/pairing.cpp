#include "svsieve/pairing.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "parallel.hpp"
#include "row_panels.hpp"
#include "scratch.hpp"
#include "svsieve/linalg.hpp"
#include "vector/kernels.hpp"

namespace svsieve {

namespace {

constexpr std::size_t block_rows = 128;  // rows of S in one task
constexpr std::size_t drop_rows = 64;    // the same where the passes over them matter, not products
constexpr std::size_t square = 64;       // tile of a transposed copy

std::vector<double> squared_norms(Matrix x) {
    std::vector<double> norms(x.rows);
    for (std::size_t i = 0; i < x.rows; ++i) {
        const double* r = x.row(i);
        double sum = 0.0;
        for (std::size_t l = 0; l < x.columns; ++l) sum += r[l] * r[l];
        if (!std::isfinite(sum)) {
            throw std::invalid_argument("the squares of a row overflow: scale the columns");
        }
        norms[i] = sum;
    }
    return norms;
}

// out(i, j) = sum_l |z_il - x_jl| for all rows of z and the rows [0, out.columns) of x. Rows of x
// are transposed 64 at a time so that pairs are the lanes.
void absolute_block(Matrix z, Matrix x, MutableMatrix out) {
    constexpr std::size_t depth = 128;
    std::vector<double> columns(depth * square), part(square);
    for (std::size_t j0 = 0; j0 < out.columns; j0 += square) {
        const std::size_t width = std::min(square, out.columns - j0);
        for (std::size_t l0 = 0; l0 < std::max<std::size_t>(1, x.columns); l0 += depth) {
            const std::size_t length = std::min(depth, x.columns - l0);
            for (std::size_t j = 0; j < width; ++j) {
                const double* r = x.row(j0 + j) + l0;
                for (std::size_t l = 0; l < length; ++l) columns[l * width + j] = r[l];
            }
            for (std::size_t i = 0; i < z.rows; ++i) {
                double* target = out.row(i) + j0;
                vector_kernels().absolute_distances(length, z.row(i) + l0, columns.data(), width,
                                                    part.data());
                for (std::size_t j = 0; j < width; ++j)
                    target[j] = l0 == 0 ? part[j] : target[j] + part[j];
            }
        }
    }
}

// Finishes the rows [r0, r1) of the lower triangle and copies them into the upper one, a few at a
// time while they are in the cache; what is written is written along rows.
template <class Finish>
void finish_and_mirror(MutableMatrix s, std::size_t r0, std::size_t r1, Finish finish_row) {
    constexpr std::size_t side = 32;
    for (std::size_t i0 = r0; i0 < r1; i0 += side) {
        const std::size_t i1 = std::min(i0 + side, r1);
        for (std::size_t i = i0; i < i1; ++i) finish_row(i);
        for (std::size_t j = 0; j < i1; ++j) {
            double* target = s.row(j);
            for (std::size_t i = std::max(i0, j + 1); i < i1; ++i) target[i] = s(i, j);
        }
    }
}

// Operations for all pairs of a lower triangle: a product each, and a profile.
double pair_work(std::size_t rows, std::size_t others, std::size_t columns) {
    return 0.5 * static_cast<double>(rows) * static_cast<double>(others) *
           (static_cast<double>(columns) / 8.0 + 4.0);
}

// Calls task(r0, r1) for blocks of rows of a lower triangle, in parallel.
template <class Task>
void each_row_block(std::size_t n, std::size_t rows, double work, Task task) {
    parallel_tasks((n + rows - 1) / rows, work,
                   [&](std::size_t block) { task(block * rows, std::min((block + 1) * rows, n)); });
}

// Calls task(columns, first, last) for ranges of columns that are packed at a time.
template <class Task>
void each_column_range(Matrix x, Task task) {
    const std::size_t width = RowPanels::columns_at_a_time(x.rows);
    std::size_t l0 = 0;
    do {
        const std::size_t l1 = std::min(l0 + width, x.columns);
        task(Matrix(x.data + l0, x.rows, l1 - l0, x.stride), l0 == 0, l1 == x.columns);
        l0 = l1;
    } while (l0 < x.columns);
}

void drop_range(Pairing pairing, Matrix removed, MutableMatrix s, const Profile* profile,
                MutableMatrix gram) {
    const VectorKernels& kernels = vector_kernels();
    const bool distances = pairing == Pairing::SquaredDifference;
    const std::vector<double> norms = distances ? squared_norms(removed) : std::vector<double>();
    const bool products = pairing != Pairing::AbsoluteDifference;
    const RowPanels panels(products ? removed : Matrix());
    each_row_block(
        removed.rows, drop_rows, pair_work(removed.rows, removed.rows, removed.columns),
        [&](std::size_t r0, std::size_t r1) {
            if (pairing == Pairing::Product) {
                panels.multiply_lower(-1.0, r0, r1, true,
                                      MutableMatrix(s.row(r0), r1 - r0, r1, s.stride));
            } else {
                const Scratch<double> buffer((r1 - r0) * r1);
                const MutableMatrix part(buffer.data(), r1 - r0, r1);
                if (distances) {
                    panels.multiply_lower(1.0, r0, r1, false, part);
                } else {
                    absolute_block(
                        Matrix(removed.row(r0), r1 - r0, removed.columns, removed.stride),
                        Matrix(removed.data, r1, removed.columns, removed.stride), part);
                }
                for (std::size_t i = r0; i < r1; ++i) {
                    double* row = s.row(i);
                    const double* less = part.row(i - r0);
                    if (distances) {
                        kernels.reduce_distance(i + 1, norms[i], norms.data(), less, row);
                    } else {
                        for (std::size_t j = 0; j <= i; ++j)
                            row[j] = std::max(0.0, row[j] - less[j]);
                    }
                    row[i] = 0.0;
                }
            }
            if (profile != nullptr) {
                finish_and_mirror(gram, r0, r1, [&](std::size_t i) {
                    kernels.profile(*profile, i + 1, s.row(i), gram.row(i));
                });
            }
        });
}

}  // namespace

void build_pairing(Pairing pairing, Matrix x, MutableMatrix s, const Profile* profile) {
    const VectorKernels& kernels = vector_kernels();
    const bool distances = pairing == Pairing::SquaredDifference;
    const std::vector<double> norms = distances ? squared_norms(x) : std::vector<double>();
    const auto finish_rows = [&](std::size_t r0, std::size_t r1) {
        finish_and_mirror(s, r0, r1, [&](std::size_t i) {
            double* row = s.row(i);
            if (distances) {
                kernels.to_distance(i + 1, norms[i], norms.data(), row);
                row[i] = 0.0;
            }
            if (profile != nullptr) kernels.profile(*profile, i + 1, row, row);
        });
    };
    const auto rows_of_s = [&](std::size_t r0, std::size_t r1) {
        return MutableMatrix(s.row(r0), r1 - r0, r1, s.stride);
    };
    if (pairing == Pairing::AbsoluteDifference) {
        each_row_block(x.rows, block_rows, pair_work(x.rows, x.rows, x.columns),
                       [&](std::size_t r0, std::size_t r1) {
                           absolute_block(Matrix(x.row(r0), r1 - r0, x.columns, x.stride),
                                          Matrix(x.data, r1, x.columns, x.stride),
                                          rows_of_s(r0, r1));
                           finish_rows(r0, r1);
                       });
        return;
    }
    each_column_range(x, [&](Matrix part, bool first, bool last) {
        const RowPanels panels(part);
        each_row_block(x.rows, block_rows, pair_work(x.rows, x.rows, part.columns),
                       [&](std::size_t r0, std::size_t r1) {
                           panels.multiply_lower(1.0, r0, r1, !first, rows_of_s(r0, r1));
                           if (last) finish_rows(r0, r1);
                       });
    });
}

void cross_pairing(Pairing pairing, Matrix z, Matrix x, MutableMatrix s, const Profile* profile) {
    const VectorKernels& kernels = vector_kernels();
    const bool distances = pairing == Pairing::SquaredDifference;
    const std::vector<double> norms_z = distances ? squared_norms(z) : std::vector<double>();
    const std::vector<double> norms_x = distances ? squared_norms(x) : std::vector<double>();
    each_row_block(z.rows, block_rows, 2 * pair_work(z.rows, x.rows, x.columns),
                   [&](std::size_t r0, std::size_t r1) {
                       const Matrix rows(z.row(r0), r1 - r0, z.columns, z.stride);
                       const MutableMatrix target(s.row(r0), r1 - r0, x.rows, s.stride);
                       if (pairing == Pairing::AbsoluteDifference) {
                           absolute_block(rows, x, target);
                       } else {
                           multiply_transposed(1.0, rows, x, 0.0, target);
                       }
                       for (std::size_t i = r0; i < r1; ++i) {
                           if (distances)
                               kernels.to_distance(x.rows, norms_z[i], norms_x.data(), s.row(i));
                           if (profile != nullptr)
                               kernels.profile(*profile, x.rows, s.row(i), s.row(i));
                       }
                   });
}

void drop_columns(Pairing pairing, Matrix removed, MutableMatrix s, const Profile* profile,
                  MutableMatrix gram) {
    each_column_range(removed, [&](Matrix part, bool, bool last) {
        drop_range(pairing, part, s, last ? profile : nullptr, gram);
    });
}

void fill_upper(MutableMatrix s) {
    each_row_block(
        s.rows, drop_rows, pair_work(s.rows, s.rows, 0),
        [&](std::size_t r0, std::size_t r1) { finish_and_mirror(s, r0, r1, [](std::size_t) {}); });
}

void apply_profile(const Profile& profile, Matrix s, MutableMatrix out) {
#pragma omp parallel for schedule(static) if (pair_work(s.rows, s.columns, 0) > work_worth_sharing)
    for (long i = 0; i < static_cast<long>(s.rows); ++i) {
        const std::size_t row = static_cast<std::size_t>(i);
        vector_kernels().profile(profile, s.columns, s.row(row), out.row(row));
    }
}

}  // namespace svsieve
