// The loops in which the time goes, compiled once for each instruction set and chosen at run time.
//
// The files of this folder, all but dispatch.cpp, are compiled several times, each time with
// SVSIEVE_ISA set to the namespace they fill and with the compiler flags of that instruction set.
// They call no inline function of the standard library: the linker might keep the copy made for the
// newest machine and run it on the oldest.
#pragma once

#include <cstddef>

namespace svsieve {

struct Expm1Scheme;
struct Profile;

// Smallest gradient among the rows that can grow and largest among those that can shrink.
struct Extremes {
    double up_min;
    double low_max;
    std::size_t up_index;
};

// Columns, rows of a Gram matrix and of an inverse are padded with zeros to a multiple of this.
inline constexpr std::size_t row_padding = 8;
// Columns that are stored side by side in single precision.
inline constexpr std::size_t pack_width = 16;

// Of a row of pair weights: their sum, the sum of their magnitudes, the largest magnitude.
struct RowSums {
    double sum;
    double absolute;
    double largest;
};

// What sums of powers are taken of.
enum class PowersOf { Entries, Magnitudes, Squares };

// Rows of pair weights, one for each e in [1, highest]:
//   factors[e] weights[j] (base[j]^e - (like likeness[j])^e),
// in double precision, in single, in both or in neither: there a pointer is null.
struct PowerRests {
    static constexpr int most = 12;

    int highest;
    const double* weights;
    const double* base;
    double like;
    const double* likeness;
    double factors[most + 1];
    double* exact[most + 1];
    float* narrow[most + 1];
};

// f(z) = z^power sum_i coefficients[i] z^(2 i)
struct EntryFunction {
    int power;
    std::size_t count;
    const double* coefficients;
};

// Columns stand side by side in panels of so many vectors, row after row of a panel; the last panel
// may be narrower.
inline constexpr std::size_t panel_vectors = 3;
// Products of single precision are summed up over so many rows before they are added to what is
// summed in double precision: equal numbers are rounded alike, and the errors of long sums of them
// would not average out.
inline constexpr std::size_t narrow_depth = 64;

// Rows of a lower triangle, some of its columns, and the columns of a table whose quadratic forms they
// belong to. Both are padded with rows of zeros to a multiple of row_padding, and the entries right of
// the diagonal are zeros up to the next such multiple.
template <class T>
struct StripForms {
    const T* a;               // from row `first` and column `from` on
    std::size_t stride;       // of a
    std::size_t first, stop;  // rows
    std::size_t from, to;     // columns, from a multiple of row_padding on
    const T* panels;
    std::size_t rows;   // of the panels
    std::size_t width;  // columns, whole vectors of T
};

// Entries of a row that are multiplied before their sum is written or added.
inline constexpr std::size_t product_depth = 256;

// The products of rows, `depth` entries of each, with the rows in a panel, where they stand side by
// side, entry after entry.
struct RowProducts {
    const double* a;
    std::size_t stride, rows, depth;  // depth <= product_depth
    const double* panel;
    const double* next;  // panel to be asked for meanwhile
    std::size_t width;   // of `out`: the rows in the panel, or fewer
    bool add;
    double* out;
    std::size_t out_stride;
};

struct VectorKernels {
    const char* name;

    // ---- scan.cpp: one iteration of the pairwise solver
    // `up` holds 0 where a row can grow, +inf elsewhere; `low` 0 where it can shrink, -inf
    // elsewhere.
    Extremes (*scan)(std::size_t n, const double* gradient, const double* up, const double* low);
    // gradient += step (row_i - row_j), then scan.
    Extremes (*update_and_scan)(std::size_t n, double step, const double* row_i,
                                const double* row_j, double* gradient, const double* up,
                                const double* low);
    // Partner of the largest decrease; n where there is none.
    std::size_t (*choose_partner)(std::size_t n, const double* gradient, const double* low,
                                  const double* row_i, const double* diagonal, double gradient_i,
                                  double diagonal_i);
    // y += a x
    void (*add_scaled)(std::size_t n, double a, const double* x, double* y);

    // ---- profiles.cpp
    // out[k] = phi(s[k])
    void (*profile)(const Profile& profile, std::size_t n, const double* s, double* out);
    // out[k] = max(0, a + norms[k] - 2 out[k]): inner products to squared distances
    void (*to_distance)(std::size_t n, double a, const double* norms, double* out);
    // s[k] = max(0, s[k] - max(0, a + norms[k] - 2 removed[k]))
    void (*reduce_distance)(std::size_t n, double a, const double* norms, const double* removed,
                            double* s);

    // ---- removal.cpp: tiles of contract_without for up to most_vectors vectors of columns
    std::size_t lane_count;  // columns in a vector
    void (*removal_series)(const struct RemovalTile& tile, const Expm1Scheme& scheme, int doublings,
                           bool absolute, double* sums);
    void (*removal_exponential)(const struct RemovalTile& tile, bool absolute, double* sums);
    void (*removal_power)(const struct RemovalTile& tile, int degree, double* sums);
    // sums[l] += weight ((base - z[l]^2)^degree - base^degree), l < width, whole vectors
    void (*own_removal)(std::size_t width, const double* z, int degree, double base, double weight,
                        double* sums);
    // sums[l] += sum over the pairs of a tile of weighted * |zk - zj|
    void (*absolute_slopes)(const struct RemovalTile& tile, double* sums);

    // ---- absolute.cpp
    // out[j] = sum_l |x[l] - columns[l * width + j]|, j < width (width <= 64)
    void (*absolute_distances)(std::size_t length, const double* x, const double* columns,
                               std::size_t width, double* out);

    // ---- wide.cpp: widths are multiples of row_padding
    // out += sum_k coefficients[k] * row rows[k] (row k where `rows` is null) of a matrix
    void (*add_rows)(std::size_t count, const std::size_t* rows, const double* coefficients,
                     const double* matrix, std::size_t stride, std::size_t width, double* out);
    // matrix += scale x x', over its first rows
    void (*add_outer)(std::size_t rows, std::size_t width, double scale, const double* x,
                      double* matrix, std::size_t stride);
    // out[c] = columns[c]'b, each summed in the same order whatever its neighbours
    void (*column_dots)(std::size_t count, const double* const* columns, std::size_t width,
                        const double* b, double* out);
    // |w| of pack_width columns that stand side by side, in single precision; w has an entry for each
    // machine. Returns the least of |w| - slack * norm.
    float (*pack_weigh)(std::size_t rows, std::size_t machines, const float* pack, const float* b,
                        float slack, const float* norms, float* out);

    // ---- screening.cpp: `stride` is whole vectors
    // values[j] *= factor weights[j]; then margin += values, absolute += |values| unless null.
    RowSums (*weigh_row)(std::size_t n, double factor, const double* weights, double* values,
                         double* margin, double* absolute);
    // row[e * lane_count ...] and absolute[e * stride + j] += |factor weights[j] base[j]^e| for e <
    // count; the first is spread over a vector, the second may be null.
    void (*power_margins)(std::size_t n, double factor, const double* weights, const double* base,
                          std::size_t count, double* row, double* absolute, std::size_t stride);
    // Their first n entries; n is whole vectors.
    void (*power_rests)(const PowerRests& rows, std::size_t n);
    // out = scale * values, rounded to single precision
    void (*narrow)(std::size_t n, double scale, const double* values, float* out);
    // sums[i * stride + l] += sum_k weights[i][k] x[k][l]^(i + 1) for i < count, x the
    // entries z, their magnitudes or their squares
    void (*power_sums)(std::size_t rows, std::size_t stride, const double* z, PowersOf x,
                       std::size_t count, const double* const* weights, double* sums);

    // ---- panels.cpp: see StripForms
    // Row k of the panels: scale[l] f(z[l]), l < width. The second rounds to single precision.
    void (*panel_row)(const EntryFunction& f, std::size_t width, const double* z,
                      const double* scale, std::size_t rows, std::size_t k, double* panels);
    void (*narrow_panel_row)(const EntryFunction& f, std::size_t width, const double* z,
                             const double* scale, std::size_t rows, std::size_t k, float* panels);
    // sums[l] += sum_{k in [first, stop)} z_kl sum_{j <= k, j in [from, to)} a_kj z_jl, l < width
    void (*strip_forms)(const StripForms<double>& strip, double* sums);
    void (*narrow_strip_forms)(const StripForms<float>& strip, double* sums);

    // ---- products.cpp: a panel holds panel_vectors * lane_count rows
    // out[r][c] = sum_l a[r][l] panel[l][c], or that added to it. Each sum is taken in the same order,
    // whatever stands beside it.
    void (*row_products)(const RowProducts& part);
    // sums[c] = sum_{l < depth} panel[l][c]^2, in that order too
    void (*own_products)(std::size_t depth, const double* panel, double* sums);

    // ---- twofold.cpp: numbers of twice the precision, hi + lo; n is a multiple of row_padding
    // (sum[0], sum[1]) = a'b
    void (*twofold_dot)(std::size_t n, const double* a_hi, const double* a_lo, const double* b_hi,
                        const double* b_lo, double* sum);
    // y += a x
    void (*twofold_add_scaled)(std::size_t n, double a_hi, double a_lo, const double* x_hi,
                               const double* x_lo, double* y_hi, double* y_lo);
};

// A tile of pairs for one group of columns.
struct RemovalTile {
    static constexpr std::size_t most_vectors = 4;

    const double* z_k;   // rows k of the tile
    const double* z_j;   // rows j of the tile
    std::size_t stride;  // of both
    std::size_t vectors;
    std::size_t count_k;
    std::size_t count_j;
    bool triangular;          // diagonal tile: only pairs j < k
    std::size_t tile_stride;  // of the tables below, indexed [k * tile_stride + j]
    const double* weighted;   // M phi(s)
    const double* weight;     // M
    const double* value;      // phi(s)
    const double* argument;   // gamma s (+ coef0)
};

const VectorKernels& vector_kernels();

namespace avx512 {
extern const VectorKernels kernels;
}
namespace avx2 {
extern const VectorKernels kernels;
}
namespace baseline {
extern const VectorKernels kernels;
}

}  // namespace svsieve
