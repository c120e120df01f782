// Non-owning views: the core works on memory that its caller owns.
#pragma once

#include <cassert>
#include <cstddef>
#include <span>

namespace svsieve {

using Vector = std::span<const double>;
using MutableVector = std::span<double>;
using Indices = std::span<const std::size_t>;

// Row-major matrix; `stride` is the distance between the starts of two rows.
template <class T>
struct BasicMatrix {
    T* data = nullptr;
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::size_t stride = 0;

    BasicMatrix() = default;
    BasicMatrix(T* data_, std::size_t rows_, std::size_t columns_)
        : data(data_), rows(rows_), columns(columns_), stride(columns_) {}
    BasicMatrix(T* data_, std::size_t rows_, std::size_t columns_, std::size_t stride_)
        : data(data_), rows(rows_), columns(columns_), stride(stride_) {}

    T* row(std::size_t i) const {
        assert(i < rows);
        return data + i * stride;
    }
    T& operator()(std::size_t i, std::size_t j) const {
        assert(i < rows && j < columns);
        return data[i * stride + j];
    }
    operator BasicMatrix<const T>() const { return {data, rows, columns, stride}; }
};

using Matrix = BasicMatrix<const double>;
using MutableMatrix = BasicMatrix<double>;

}  // namespace svsieve
