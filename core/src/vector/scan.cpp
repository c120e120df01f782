// The two passes of a pairwise iteration. Each reads a row of the kernel that nobody has looked at
// for a while, and waits for memory more than for arithmetic: it is asked for some way ahead, across
// the page boundaries at which the processor's own look-ahead stops.
#include "kernels.hpp"
#include "lanes.hpp"

namespace svsieve::SVSIEVE_ISA {

static const double infinity = __builtin_inf();

namespace {

constexpr std::size_t ahead = 256;  // entries

// Running minimum with its position, lane by lane. Positions count vectors, not elements.
struct Watch {
    Lanes up_min = spread(infinity);
    Lanes low_max = spread(-infinity);
    Bits where = {};
    Bits step = {};

    inline void see(Lanes g, Lanes up, Lanes low) {
        const Lanes grown = g + up;
        const Bits less = grown < up_min;
        up_min = less ? grown : up_min;
        where = less ? step : where;
        low_max = larger(low_max, g + low);
        step += 1;
    }
};

Extremes finish(const Watch& watch, std::size_t done, std::size_t n, const double* g,
                const double* up, const double* low) {
    Extremes out{infinity, -infinity, n};
    for (std::size_t l = 0; l < lanes; ++l) {
        const std::size_t index = static_cast<std::size_t>(watch.where[l]) * lanes + l;
        if (watch.up_min[l] < out.up_min ||
            (watch.up_min[l] == out.up_min && index < out.up_index)) {
            out.up_min = watch.up_min[l];
            out.up_index = index;
        }
        if (watch.low_max[l] > out.low_max) out.low_max = watch.low_max[l];
    }
    for (std::size_t k = done; k < n; ++k) {
        if (g[k] + up[k] < out.up_min) {
            out.up_min = g[k] + up[k];
            out.up_index = k;
        }
        if (g[k] + low[k] > out.low_max) out.low_max = g[k] + low[k];
    }
    if (out.up_min == infinity) out.up_index = n;
    return out;
}

}  // namespace

Extremes scan(std::size_t n, const double* g, const double* up, const double* low) {
    Watch watch;
    std::size_t k = 0;
    for (; k + lanes <= n; k += lanes) watch.see(load(g + k), load(up + k), load(low + k));
    return finish(watch, k, n, g, up, low);
}

Extremes update_and_scan(std::size_t n, double step, const double* row_i, const double* row_j,
                         double* g, const double* up, const double* low) {
    Watch watch;
    const Lanes s = spread(step);
    std::size_t k = 0;
    for (; k + lanes <= n; k += lanes) {
        __builtin_prefetch(row_j + k + ahead);
        const Lanes moved = load(g + k) + s * (load(row_i + k) - load(row_j + k));
        store(g + k, moved);
        watch.see(moved, load(up + k), load(low + k));
    }
    for (std::size_t r = k; r < n; ++r) g[r] += step * (row_i[r] - row_j[r]);
    return finish(watch, k, n, g, up, low);
}

// Maximises b^2 / a with b = g_j - g_i > 0 and a the curvature. Ratios are compared by
// cross-multiplication: no division in the loop.
std::size_t choose_partner(std::size_t n, const double* g, const double* low, const double* row_i,
                           const double* diagonal, double g_i, double diagonal_i) {
    const double least_curvature = 1e-12 * (diagonal_i > 0 ? diagonal_i : 1.0);
    Lanes best_square = {};
    Lanes best_curvature = spread(1.0);
    Bits where = {};
    Bits step = {};
    std::size_t k = 0;
    for (; k + lanes <= n; k += lanes) {
        __builtin_prefetch(row_i + k + ahead);
        const Lanes difference = load(g + k) + load(low + k) - g_i;
        const Lanes b = larger(difference, Lanes{});
        const Lanes a = larger(load(diagonal + k) + diagonal_i - 2.0 * load(row_i + k),
                               spread(least_curvature));
        const Lanes square = b * b;
        const Bits better = square * best_curvature > best_square * a;
        best_square = better ? square : best_square;
        best_curvature = better ? a : best_curvature;
        where = better ? step : where;
        step += 1;
    }
    double top_square = 0.0, top_curvature = 1.0;
    std::size_t top = n;
    for (std::size_t l = 0; l < lanes; ++l) {
        const std::size_t index = static_cast<std::size_t>(where[l]) * lanes + l;
        const double left = best_square[l] * top_curvature, right = top_square * best_curvature[l];
        if (left > right || (left == right && left > 0 && index < top)) {
            top_square = best_square[l];
            top_curvature = best_curvature[l];
            top = index;
        }
    }
    for (; k < n; ++k) {
        const double b = g[k] + low[k] - g_i;
        if (!(b > 0)) continue;
        double a = diagonal[k] + diagonal_i - 2.0 * row_i[k];
        if (a < least_curvature) a = least_curvature;
        if (b * b * top_curvature > top_square * a) {
            top_square = b * b;
            top_curvature = a;
            top = k;
        }
    }
    return top;
}

void add_scaled(std::size_t n, double a, const double* x, double* y) {
    std::size_t k = 0;
    for (; k + lanes <= n; k += lanes) store(y + k, load(y + k) + a * load(x + k));
    for (; k < n; ++k) y[k] += a * x[k];
}

}  // namespace svsieve::SVSIEVE_ISA
