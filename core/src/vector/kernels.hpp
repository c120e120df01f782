// The loops in which the time goes, compiled once for each instruction set and chosen at run time.
//
// The files scan.cpp, profiles.cpp, removal.cpp and absolute.cpp are compiled several times, each
// time with SVSIEVE_ISA set to the namespace they fill and with the compiler flags of that
// instruction set. They call no inline function of the standard library: the linker might keep the
// copy made for the newest machine and run it on the oldest.
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

    // ---- removal.cpp: tiles of contract_without, `width` = group_width lanes of columns
    std::size_t group_width;
    void (*removal_series)(const struct RemovalTile& tile, const Expm1Scheme& scheme, int doublings,
                           bool absolute, double* sums);
    void (*removal_exponential)(const struct RemovalTile& tile, bool absolute, double* sums);
    void (*removal_power)(const struct RemovalTile& tile, int degree, double* sums);
    // sums[l] += sum over the pairs of a tile of weighted * |zk - zj|
    void (*absolute_slopes)(const struct RemovalTile& tile, double* sums);

    // ---- absolute.cpp
    // out[j] = sum_l |x[l] - columns[l * width + j]|, j < width (width <= 64)
    void (*absolute_distances)(std::size_t length, const double* x, const double* columns,
                               std::size_t width, double* out);
};

// A tile of pairs for one group of columns.
struct RemovalTile {
    const double* z_k;   // rows k of the tile
    const double* z_j;   // rows j of the tile
    std::size_t stride;  // of both
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
