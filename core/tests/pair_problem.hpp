// A small table with what is known of its pairs of rows, as the contractions take it.
#pragma once

#include <numeric>
#include <vector>

#include "svsieve/contract.hpp"
#include "testing.hpp"

namespace testing {

struct PairProblem {
    std::size_t n = 300, d = 24;
    std::vector<double> values = normal_table(n, d, 5), s, u, factors;
    std::vector<std::size_t> rows, columns;

    PairProblem() : s(n * n, 0.0), u(n, 1.0), factors(d, 1.0), rows(n), columns(d) {
        std::iota(rows.begin(), rows.end(), 0);
        std::iota(columns.begin(), columns.end(), 0);
    }

    // s = sum of pairing(x, y) over the columns.
    template <class Pairing>
    void pair_up(Pairing pairing) {
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t k = 0; k < n; ++k) {
                for (std::size_t l = 0; l < d; ++l) {
                    s[i * n + k] += pairing(values[i * d + l], values[k * d + l]);
                }
            }
        }
    }

    svsieve::ColumnBlock block() const {
        return {svsieve::Matrix(values.data(), n, d), rows, columns, factors};
    }
};

}  // namespace testing
