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

void require_finite(const std::vector<double>& norms) {
    for (const double norm : norms) {
        if (!std::isfinite(norm)) {
            throw std::invalid_argument("the squares of a row overflow: scale the columns");
        }
    }
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

// Calls task(panels, last) for ranges of columns that are packed at a time; `work` is that of them all:
// threads that one range has woken are awake for the next.
template <class Task>
void each_range(Matrix x, double work, Task task) {
    const std::size_t width = RowPanels::columns_at_a_time(x);
    std::size_t l0 = 0;
    do {
        const std::size_t l1 = std::min(l0 + width, x.columns);
        task(RowPanels(Matrix(x.data + l0, x.rows, l1 - l0, x.stride), work), l1 == x.columns);
        l0 = l1;
    } while (l0 < x.columns);
}

// The pairings of the rows [r0, r1) with all rows before r1.
void absolute_rows(Matrix x, std::size_t r0, std::size_t r1, MutableMatrix out) {
    absolute_block(Matrix(x.row(r0), r1 - r0, x.columns, x.stride),
                   Matrix(x.data, r1, x.columns, x.stride), out);
}

}  // namespace

void build_pairing(Pairing pairing, Matrix x, MutableMatrix s, const Profile* profile) {
    const VectorKernels& kernels = vector_kernels();
    const bool distances = pairing == Pairing::SquaredDifference;
    const double work = pair_work(x.rows, x.rows, x.columns);
    std::vector<double> norms(x.rows, 0.0);
    // Calls pair_up(rows of S, r0, r1) for blocks of so many rows.
    const auto build = [&](std::size_t rows, bool last, auto pair_up) {
        each_row_block(x.rows, rows, work, [&](std::size_t r0, std::size_t r1) {
            pair_up(MutableMatrix(s.row(r0), r1 - r0, r1, s.stride), r0, r1);
            if (!last) return;
            finish_and_mirror(s, r0, r1, [&](std::size_t i) {
                double* row = s.row(i);
                if (distances) {
                    kernels.to_distance(i + 1, norms[i], norms.data(), row);
                    row[i] = 0.0;
                }
                if (profile != nullptr) kernels.profile(*profile, i + 1, row, row);
            });
        });
    };
    if (pairing == Pairing::AbsoluteDifference) {
        build(block_rows, true, [&](MutableMatrix rows, std::size_t r0, std::size_t r1) {
            absolute_rows(x, r0, r1, rows);
        });
        return;
    }
    bool begun = false;
    each_range(x, work, [&](const RowPanels& panels, bool last) {
        if (distances) panels.add_norms(norms);
        require_finite(norms);
        build(RowPanels::rows_at_a_time(), last,
              [&](MutableMatrix rows, std::size_t r0, std::size_t r1) {
                  panels.multiply_lower(r0, r1, begun, rows);
              });
        begun = true;
    });
}

void cross_pairing(Pairing pairing, Matrix z, Matrix x, MutableMatrix s, const Profile* profile) {
    const VectorKernels& kernels = vector_kernels();
    const bool distances = pairing == Pairing::SquaredDifference;
    const std::vector<double> norms_z = distances ? squared_norms(z) : std::vector<double>();
    const std::vector<double> norms_x = distances ? squared_norms(x) : std::vector<double>();
    require_finite(norms_z);
    require_finite(norms_x);
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
    const VectorKernels& kernels = vector_kernels();
    const std::size_t n = removed.rows;
    const double work = pair_work(n, n, removed.columns);
    std::vector<double> norms;
    const auto reduce_row = [&](std::size_t i, const double* less) {
        double* row = s.row(i);
        switch (pairing) {
            case Pairing::Product:
                return kernels.add_scaled(i + 1, -1.0, less, row);
            case Pairing::SquaredDifference:
                kernels.reduce_distance(i + 1, norms[i], norms.data(), less, row);
                break;
            case Pairing::AbsoluteDifference:
                for (std::size_t j = 0; j <= i; ++j) row[j] = std::max(0.0, row[j] - less[j]);
        }
        row[i] = 0.0;
    };
    // Calls pair_up(what the columns removed contribute, r0, r1) for each block.
    const auto drop = [&](bool last, auto pair_up) {
        each_row_block(n, drop_rows, work, [&](std::size_t r0, std::size_t r1) {
            const Scratch<double> buffer((r1 - r0) * r1);
            const MutableMatrix part(buffer.data(), r1 - r0, r1);
            pair_up(part, r0, r1);
            for (std::size_t i = r0; i < r1; ++i) reduce_row(i, part.row(i - r0));
            if (!last || profile == nullptr) return;
            finish_and_mirror(gram, r0, r1, [&](std::size_t i) {
                kernels.profile(*profile, i + 1, s.row(i), gram.row(i));
            });
        });
    };
    if (pairing == Pairing::AbsoluteDifference) {
        drop(true, [&](MutableMatrix part, std::size_t r0, std::size_t r1) {
            absolute_rows(removed, r0, r1, part);
        });
        return;
    }
    each_range(removed, work, [&](const RowPanels& panels, bool last) {
        norms.assign(n, 0.0);
        if (pairing == Pairing::SquaredDifference) panels.add_norms(norms);
        require_finite(norms);
        drop(last, [&](MutableMatrix part, std::size_t r0, std::size_t r1) {
            panels.multiply_lower(r0, r1, false, part);
        });
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
