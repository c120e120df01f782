// A sparse table that loses columns: rows of (column, value), moved together as columns leave.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "svsieve/sparse_path.hpp"

namespace svsieve::sparse {

// Entries that left the table with their columns, row by row; columns are the places they had.
struct Removed {
    std::vector<std::size_t> begins;
    std::vector<std::int32_t> columns;
    std::vector<double> values;
};

class SparseRows {
  public:
    // Only the columns in `kept` (ascending), each multiplied by its factor; no factors: by one. Their
    // places are by falling numbers of entries.
    SparseRows(const SparseTable& x, const std::vector<std::size_t>& kept, Vector factors);

    std::size_t rows() const { return squares_.size(); }
    std::size_t columns() const { return names_.size(); }
    std::size_t entries() const { return begins_.back(); }
    // Original indices of the columns in use, by place.
    const std::vector<std::size_t>& names() const { return names_; }
    double square(std::size_t k) const { return squares_[k]; }

    // x_k'w, with w by place.
    double product(std::size_t k, const double* w) const {
        const std::int32_t* at = columns_.data() + begins_[k];
        const double* x = values_.data() + begins_[k];
        const std::size_t m = begins_[k + 1] - begins_[k];
        double a = 0.0, b = 0.0, c = 0.0, d = 0.0;
        std::size_t i = 0;
        for (; i + 4 <= m; i += 4) {
            a += x[i] * w[at[i]];
            b += x[i + 1] * w[at[i + 1]];
            c += x[i + 2] * w[at[i + 2]];
            d += x[i + 3] * w[at[i + 3]];
        }
        for (; i < m; ++i) a += x[i] * w[at[i]];
        return (a + b) + (c + d);
    }

    // w += t x_k.
    void add(std::size_t k, double t, double* w) const {
        const std::int32_t* at = columns_.data() + begins_[k];
        const double* x = values_.data() + begins_[k];
        const std::size_t m = begins_[k + 1] - begins_[k];
        for (std::size_t i = 0; i < m; ++i) w[at[i]] += t * x[i];
    }

    // v_j += t x_kj^2.
    void add_squares(std::size_t k, double t, double* v) const {
        for (std::size_t i = begins_[k]; i < begins_[k + 1]; ++i)
            v[columns_[i]] += t * values_[i] * values_[i];
    }

    // Rows are taken in random order: what comes next is fetched while this one is worked on.
    void prefetch(std::size_t k) const {
        const char* at = reinterpret_cast<const char*>(columns_.data() + begins_[k]);
        const char* x = reinterpret_cast<const char*>(values_.data() + begins_[k]);
        const std::size_t m = begins_[k + 1] - begins_[k];
        for (std::size_t i = 0; i < 4 * m && i < 1024; i += 64) __builtin_prefetch(at + i);
        for (std::size_t i = 0; i < 8 * m && i < 2048; i += 64) __builtin_prefetch(x + i);
    }

    // Forgets the columns at these places, marked by a one. The rest closes up in its order.
    Removed drop(const std::vector<char>& gone);

    // Two columns have the same key if they are equal up to their sign, and by chance once in 2^64.
    std::vector<std::uint64_t> keys() const;

    // Norms of the columns less their means, of constant ones zero; `extra` rows of zeros count too.
    std::vector<double> centred_norms(std::size_t extra) const;

  private:
    std::vector<std::size_t> begins_, names_;
    std::vector<std::int32_t> columns_;
    std::vector<double> values_, squares_;
};

}  // namespace svsieve::sparse
