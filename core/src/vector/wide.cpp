// The loops of the wide linear path: many short columns, a Gram matrix and an inverse that fit in
// cache. Widths are multiples of row_padding; padding holds zeros.
#include "kernels.hpp"
#include "lanes.hpp"

namespace svsieve::SVSIEVE_ISA {

namespace {

constexpr std::size_t float_lanes = 2 * lanes;
typedef float FloatLanes __attribute__((vector_size(4 * float_lanes)));
typedef float LooseFloatLanes __attribute__((vector_size(4 * float_lanes), aligned(4), may_alias));

inline FloatLanes load_floats(const float* p) {
    return *reinterpret_cast<const LooseFloatLanes*>(p);
}

constexpr std::size_t whole = row_padding / lanes;              // vectors in a padded unit
constexpr std::size_t pack_vectors = pack_width / float_lanes;  // vectors in a row of a pack
constexpr std::size_t pack_unroll = pack_vectors >= 8 ? 1 : 8 / pack_vectors;

inline double total(Lanes v) {
    double sum = 0.0;
    for (std::size_t l = 0; l < lanes; ++l) sum += v[l];
    return sum;
}

// out += sum of coefficient times row, for `Vectors` vectors of columns that stay in registers.
template <std::size_t Vectors>
inline void add_rows_block(std::size_t count, const std::size_t* rows, const double* coefficients,
                           const double* matrix, std::size_t stride, double* out) {
    Lanes sums[Vectors];
    for (std::size_t v = 0; v < Vectors; ++v) sums[v] = load(out + v * lanes);
    for (std::size_t k = 0; k < count; ++k) {
        const double* row = matrix + (rows == nullptr ? k : rows[k]) * stride;
        const Lanes c = spread(coefficients[k]);
        for (std::size_t v = 0; v < Vectors; ++v) sums[v] += c * load(row + v * lanes);
    }
    for (std::size_t v = 0; v < Vectors; ++v) store(out + v * lanes, sums[v]);
}

// Each column has its own sum, so that its value does not depend on its neighbours.
template <std::size_t Columns>
inline void dots_block(std::size_t width, const double* const* columns, const double* b,
                       double* out) {
    Lanes sums[Columns] = {};
    for (std::size_t k = 0; k < width; k += lanes) {
        const Lanes v = load(b + k);
        for (std::size_t c = 0; c < Columns; ++c) sums[c] += v * load(columns[c] + k);
    }
    for (std::size_t c = 0; c < Columns; ++c) out[c] = total(sums[c]);
}

}  // namespace

void add_rows(std::size_t count, const std::size_t* rows, const double* coefficients,
              const double* matrix, std::size_t stride, std::size_t width, double* out) {
    std::size_t k = 0;
    for (; k + 8 * row_padding <= width; k += 8 * row_padding)
        add_rows_block<8 * whole>(count, rows, coefficients, matrix + k, stride, out + k);
    for (; k + 4 * row_padding <= width; k += 4 * row_padding)
        add_rows_block<4 * whole>(count, rows, coefficients, matrix + k, stride, out + k);
    for (; k + 2 * row_padding <= width; k += 2 * row_padding)
        add_rows_block<2 * whole>(count, rows, coefficients, matrix + k, stride, out + k);
    for (; k < width; k += row_padding)
        add_rows_block<whole>(count, rows, coefficients, matrix + k, stride, out + k);
}

void add_outer(std::size_t rows, std::size_t width, double scale, const double* x, double* matrix,
               std::size_t stride) {
    for (std::size_t r = 0; r < rows; ++r) {
        const Lanes c = spread(scale * x[r]);
        double* row = matrix + r * stride;
        for (std::size_t k = 0; k < width; k += lanes)
            store(row + k, load(row + k) + c * load(x + k));
    }
}

void column_dots(std::size_t count, const double* const* columns, std::size_t width,
                 const double* b, double* out) {
    std::size_t c = 0;
    for (; c + 8 <= count; c += 8) dots_block<8>(width, columns + c, b, out + c);
    for (; c < count; ++c) dots_block<1>(width, columns + c, b, out + c);
}

// Dead lanes have a norm of minus a huge number: they never have the least bound.
float pack_weigh(std::size_t rows, std::size_t machines, const float* pack, const float* b,
                 float slack, const float* norms, float* out) {
    FloatLanes squares[pack_vectors] = {};
    for (std::size_t m = 0; m < machines; ++m, b += rows) {
        FloatLanes sums[pack_unroll][pack_vectors] = {};
        for (std::size_t k = 0; k < rows; k += pack_unroll) {
            for (std::size_t u = 0; u < pack_unroll; ++u) {
                const FloatLanes c = FloatLanes{} + b[k + u];
                const float* row = pack + (k + u) * pack_width;
                for (std::size_t v = 0; v < pack_vectors; ++v)
                    sums[u][v] += c * load_floats(row + v * float_lanes);
            }
        }
        for (std::size_t v = 0; v < pack_vectors; ++v) {
            FloatLanes sum = sums[0][v];
            for (std::size_t u = 1; u < pack_unroll; ++u) sum += sums[u][v];
            squares[v] = machines == 1 ? (sum < 0 ? -sum : sum) : squares[v] + sum * sum;
        }
    }
    FloatLanes least = FloatLanes{} + 3e38f;
    for (std::size_t v = 0; v < pack_vectors; ++v) {
        FloatLanes norm = squares[v];
        if (machines > 1) {
            for (std::size_t l = 0; l < float_lanes; ++l) norm[l] = __builtin_sqrtf(norm[l]);
        }
        *reinterpret_cast<LooseFloatLanes*>(out + v * float_lanes) = norm;
        const FloatLanes bound = norm - slack * load_floats(norms + v * float_lanes);
        least = bound < least ? bound : least;
    }
    float result = least[0];
    for (std::size_t l = 1; l < float_lanes; ++l) result = least[l] < result ? least[l] : result;
    return result;
}

}  // namespace svsieve::SVSIEVE_ISA
