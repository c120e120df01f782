// What every contraction takes, checked.
#pragma once

#include <optional>
#include <stdexcept>

#include "arrays.hpp"
#include "svsieve/contract.hpp"

namespace svsieve::bindings {

inline void expect(bool good, const char* sentence) {
    if (!good) throw std::invalid_argument(sentence);
}

// M as the core takes it: a dense table, or scale * outer outer'.
inline PairWeight pair_weight(const std::optional<Table>& dense, const std::optional<Column>& outer,
                              double scale, std::size_t rows) {
    expect(dense.has_value() != outer.has_value(), "give either dense or outer");
    PairWeight weight;
    weight.scale = scale;
    if (dense) {
        expect(dense->shape(0) == rows && dense->shape(1) == rows,
               "dense must be picked rows x picked rows");
        weight.dense = view(*dense);
    } else {
        expect(outer->shape(0) == rows, "outer must have one entry per picked row");
        weight.outer = view(*outer);
    }
    return weight;
}

inline ColumnBlock column_block(const Table& table, const IndexColumn& rows,
                                const IndexColumn& columns, const Column& factors, const Table& s) {
    expect(s.shape(0) == table.shape(0) && s.shape(1) == table.shape(0),
           "s must be rows x rows of the table");
    expect(factors.shape(0) == columns.shape(0), "factors must have one entry per column");
    return {view(table), checked(rows, table.shape(0), "rows"),
            checked(columns, table.shape(1), "columns"), view(factors)};
}

// S with the values of the kernel, if they are given.
inline PairValues pair_values(const Table& s, const std::optional<Table>& phi) {
    if (!phi) return {view(s)};
    expect(phi->shape(0) == s.shape(0) && phi->shape(1) == s.shape(1),
           "phi must have the shape of s");
    return {view(s), view(*phi)};
}

}  // namespace svsieve::bindings
