// Products of a few rows of a matrix with a few vectors of columns. Their sums stay in registers while
// the loop runs down the columns: each entry that is loaded serves several multiplications, so that
// these are what takes the time.
#pragma once

#include <cstddef>

#include "kernels.hpp"
#include "lanes.hpp"

namespace svsieve::SVSIEVE_ISA {

#if defined(__AVX512F__)
inline constexpr std::size_t tile_rows = 8;  // times panel_vectors: 24 of 32 registers hold sums
#else
inline constexpr std::size_t tile_rows = 4;  // 12 of 16
#endif
static_assert(row_padding % tile_rows == 0);

template <class T>
struct VectorOf;
template <>
struct VectorOf<double> {
    typedef Lanes Type;
    typedef LooseLanes Loose;
};
template <>
struct VectorOf<float> {
    typedef float Type __attribute__((vector_size(8 * lanes)));
    typedef float Loose __attribute__((vector_size(8 * lanes), aligned(4), may_alias));
};
template <class T>
using Vector = typename VectorOf<T>::Type;
template <class T>
inline constexpr std::size_t lanes_of = 8 * lanes / sizeof(T);

template <class T>
static inline Vector<T> load_vector(const T* p) {
    return *reinterpret_cast<const typename VectorOf<T>::Loose*>(p);
}

// sums[r][v] = sum_{j < depth} a[r][j] panel[j][v]
template <class T, std::size_t vectors>
static inline void multiply_tile(std::size_t depth, const T* a, std::size_t stride, const T* panel,
                                 Vector<T> (&sums)[tile_rows][vectors]) {
    for (std::size_t j = 0; j < depth; ++j) {
        Vector<T> z[vectors];
#pragma GCC unroll 8
        for (std::size_t v = 0; v < vectors; ++v) {
            z[v] = load_vector(panel + (j * vectors + v) * lanes_of<T>);
        }
#pragma GCC unroll 8
        for (std::size_t r = 0; r < tile_rows; ++r) {
            const T entry = a[r * stride + j];
#pragma GCC unroll 8
            for (std::size_t v = 0; v < vectors; ++v) sums[r][v] += entry * z[v];
        }
    }
}

}  // namespace svsieve::SVSIEVE_ISA
