// Array types of the seam: what Python may hand in, and how results are handed back.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <vector>

#include "svsieve/views.hpp"

namespace svsieve::bindings {

namespace nb = nanobind;

using Table = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using OutTable = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Column = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using IndexColumn = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using OwnedColumn = nb::ndarray<nb::numpy, double, nb::ndim<1>>;
using OwnedTable = nb::ndarray<nb::numpy, double, nb::ndim<2>>;

Matrix view(const Table& table);
MutableMatrix view(const OutTable& table);
Vector view(const Column& column);
Indices view(const IndexColumn& column);

// Throws std::invalid_argument unless every index is in [0, limit).
Indices checked(const IndexColumn& column, std::size_t limit, const char* name);

// A numpy array that owns the vector's memory.
OwnedColumn owned(std::vector<double>&& values);

void bind_cancellation(nb::module_& m);
void bind_kernels(nb::module_& m);
void bind_screening(nb::module_& m);
void bind_solver(nb::module_& m);
void bind_paths(nb::module_& m);
void bind_sparse(nb::module_& m);
void bind_blas(nb::module_& m);
void bind_pool(nb::module_& m);

}  // namespace svsieve::bindings
