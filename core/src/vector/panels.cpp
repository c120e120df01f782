// Quadratic forms of many columns at once.
#include "kernels.hpp"
#include "lanes.hpp"
#include "tile.hpp"

namespace svsieve::SVSIEVE_ISA {

namespace {

// sums[v] += part, in double precision.
inline void add_to(double* sums, Vector<double> part) {
    store(sums, load(sums) + part);
}
inline void add_to(double* sums, Vector<float> part) {
    float halves[2 * lanes];
    *reinterpret_cast<VectorOf<float>::Loose*>(halves) = part;
    for (std::size_t h = 0; h < 2; ++h) {
        store(sums + h * lanes, load(sums + h * lanes) + widened(halves + h * lanes));
    }
}

// Rows of the strip against the rows [j0, j1), for one panel. The rows of the panel at `next` are
// asked for meanwhile, a few with every tile.
template <class T, std::size_t vectors>
void forms_of_panel(const StripForms<T>& strip, std::size_t j0, std::size_t j1, const T* panel,
                    const T* next, double* sums) {
    constexpr std::size_t width = vectors * lanes_of<T>, line = 64 / sizeof(T);
    const std::size_t tiles = (strip.stop - strip.first + tile_rows - 1) / tile_rows,
                      share = ((j1 - j0) * width + tiles - 1) / tiles;
    for (std::size_t k = strip.first; k < strip.stop; k += tile_rows) {
        for (std::size_t at = 0; at < share; at += line) __builtin_prefetch(next + at, 0, 2);
        next += share;
        const std::size_t end = k + tile_rows < j1 ? k + tile_rows : j1;
        if (end <= j0) continue;
        Vector<T> product[tile_rows][vectors] = {};
        multiply_tile<T, vectors>(end - j0,
                                  strip.a + (k - strip.first) * strip.stride + (j0 - strip.from),
                                  strip.stride, panel + j0 * width, product);
        const T* own = panel + k * width;
#pragma GCC unroll 8
        for (std::size_t v = 0; v < vectors; ++v) {
            Vector<T> part = {};
#pragma GCC unroll 8
            for (std::size_t r = 0; r < tile_rows; ++r) {
                part += product[r][v] * load_vector(own + r * width + v * lanes_of<T>);
            }
            add_to(sums + v * lanes_of<T>, part);
        }
    }
}

template <class T>
void forms_of_strip(const StripForms<T>& strip, double* sums) {
    constexpr std::size_t depth = sizeof(T) < sizeof(double) ? narrow_depth : 256;
    const std::size_t vectors = strip.width / lanes_of<T>;
    for (std::size_t j0 = strip.from; j0 < strip.to; j0 += depth) {
        const std::size_t j1 = j0 + depth < strip.to ? j0 + depth : strip.to;
        for (std::size_t v = 0; v < vectors; v += panel_vectors) {
            const T* panel = strip.panels + v * lanes_of<T> * strip.rows;
            const T* next = panel + panel_vectors * lanes_of<T> * (strip.rows + j0);
            double* target = sums + v * lanes_of<T>;
            switch (vectors - v) {
                case 1:
                    forms_of_panel<T, 1>(strip, j0, j1, panel, next, target);
                    break;
                case 2:
                    forms_of_panel<T, 2>(strip, j0, j1, panel, next, target);
                    break;
                default:
                    forms_of_panel<T, panel_vectors>(strip, j0, j1, panel, next, target);
            }
        }
    }
}

inline void store_vector(double* p, const Lanes* value) {
    store(p, value[0]);
}
inline void store_vector(float* p, const Lanes* value) {
    store_narrow(p, value[0]);
    store_narrow(p + lanes, value[1]);
}

// Whole vectors of T, worked out side by side so that none waits for the last step of another.
template <class T, std::size_t vectors>
inline void entries_of_panel(const EntryFunction& f, const double* z, const double* scale, T* out) {
    constexpr std::size_t parts = vectors * lanes_of<T> / lanes;
    Lanes x[parts], value[parts];
    for (std::size_t h = 0; h < parts; ++h) value[h] = x[h] = load(z + h * lanes);
    int bit = 1;
    while (2 * bit <= f.power) bit *= 2;
    while ((bit /= 2) > 0) {  // the digits of the power, the first of which has been taken
        for (std::size_t h = 0; h < parts; ++h) value[h] *= value[h];
        if ((f.power & bit) == 0) continue;
        for (std::size_t h = 0; h < parts; ++h) value[h] *= x[h];
    }
    for (std::size_t h = 0; h < parts; ++h) value[h] *= load(scale + h * lanes);
    if (f.count == 1) {
        for (std::size_t h = 0; h < parts; ++h) value[h] *= f.coefficients[0];
    } else {
        Lanes sum[parts];
        for (std::size_t h = 0; h < parts; ++h) {
            x[h] *= x[h];
            sum[h] = spread(f.coefficients[f.count - 1]);
        }
        for (std::size_t i = f.count - 1; i-- > 0;) {
            for (std::size_t h = 0; h < parts; ++h) sum[h] = sum[h] * x[h] + f.coefficients[i];
        }
        for (std::size_t h = 0; h < parts; ++h) value[h] *= sum[h];
    }
    for (std::size_t v = 0; v < vectors; ++v) {
        store_vector(out + v * lanes_of<T>, value + v * lanes_of<T> / lanes);
    }
}

template <class T>
void fill_panel_row(const EntryFunction& f, std::size_t width, const double* z, const double* scale,
                    std::size_t rows, std::size_t k, T* panels) {
    const std::size_t vectors = width / lanes_of<T>;
    for (std::size_t v = 0; v < vectors; v += panel_vectors) {
        const std::size_t at = v * lanes_of<T>;
        T* panel = panels + at * rows;
        switch (vectors - v) {
            case 1:
                entries_of_panel<T, 1>(f, z + at, scale + at, panel + k * lanes_of<T>);
                break;
            case 2:
                entries_of_panel<T, 2>(f, z + at, scale + at, panel + 2 * k * lanes_of<T>);
                break;
            default:
                entries_of_panel<T, panel_vectors>(f, z + at, scale + at,
                                                   panel + panel_vectors * k * lanes_of<T>);
        }
    }
}

}  // namespace

void panel_row(const EntryFunction& f, std::size_t width, const double* z, const double* scale,
               std::size_t rows, std::size_t k, double* panels) {
    fill_panel_row(f, width, z, scale, rows, k, panels);
}

void narrow_panel_row(const EntryFunction& f, std::size_t width, const double* z,
                      const double* scale, std::size_t rows, std::size_t k, float* panels) {
    fill_panel_row(f, width, z, scale, rows, k, panels);
}

void strip_forms(const StripForms<double>& strip, double* sums) {
    forms_of_strip(strip, sums);
}

void narrow_strip_forms(const StripForms<float>& strip, double* sums) {
    forms_of_strip(strip, sums);
}

}  // namespace svsieve::SVSIEVE_ISA
