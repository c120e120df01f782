// Products of rows with rows.
#include "kernels.hpp"
#include "lanes.hpp"
#include "tile.hpp"

namespace svsieve::SVSIEVE_ISA {

namespace {

constexpr std::size_t width = panel_vectors * lanes;
typedef Vector<double> TileSums[tile_rows][panel_vectors];

inline void put(double* out, Lanes product, bool add) {
    store(out, add ? load(out) + product : product);
}

void store_tile(const RowProducts& part, const TileSums& sums, std::size_t first,
                std::size_t count) {
    for (std::size_t r = 0; r < count; ++r) {
        double* out = part.out + (first + r) * part.out_stride;
        if (part.width == width) {
            for (std::size_t v = 0; v < panel_vectors; ++v) {
                put(out + v * lanes, sums[r][v], part.add);
            }
            continue;
        }
        double row[width] = {};
        for (std::size_t c = 0; c < part.width; ++c) row[c] = out[c];
        for (std::size_t v = 0; v < panel_vectors; ++v) {
            put(row + v * lanes, sums[r][v], part.add);
        }
        for (std::size_t c = 0; c < part.width; ++c) out[c] = row[c];
    }
}

}  // namespace

void row_products(const RowProducts& part) {
    const std::size_t tiles = (part.rows + tile_rows - 1) / tile_rows,
                      share = (part.depth * width + tiles - 1) / tiles;
    const double* next = part.next;
    for (std::size_t k = 0; k < part.rows; k += tile_rows) {
        for (std::size_t at = 0; at < share; at += 8) __builtin_prefetch(next + at, 0, 2);
        next += share;
        const std::size_t count = part.rows - k < tile_rows ? part.rows - k : tile_rows;
        const double* a = part.a + k * part.stride;
        TileSums sums = {};
        if (count == tile_rows) {
            multiply_tile<double, panel_vectors>(part.depth, a, part.stride, part.panel, sums);
        } else {
            double rest[tile_rows * product_depth];
            for (std::size_t r = 0; r < tile_rows; ++r) {
                for (std::size_t l = 0; l < part.depth; ++l) {
                    rest[r * product_depth + l] = r < count ? a[r * part.stride + l] : 0.0;
                }
            }
            multiply_tile<double, panel_vectors>(part.depth, rest, product_depth, part.panel, sums);
        }
        store_tile(part, sums, k, count);
    }
}

void own_products(std::size_t depth, const double* panel, double* sums) {
    Lanes sum[panel_vectors] = {};
    for (std::size_t l = 0; l < depth; ++l) {
#pragma GCC unroll 8
        for (std::size_t v = 0; v < panel_vectors; ++v) {
            const Lanes z = load(panel + (l * panel_vectors + v) * lanes);
            sum[v] += z * z;
        }
    }
    for (std::size_t v = 0; v < panel_vectors; ++v) store(sums + v * lanes, sum[v]);
}

}  // namespace svsieve::SVSIEVE_ISA
