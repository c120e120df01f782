#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <stdexcept>
#include <tuple>

#include "arrays.hpp"
#include "svsieve/sparse_path.hpp"
#include "without_gil.hpp"

namespace svsieve::bindings {

namespace {

using ShortIndexColumn =
    nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
OwnedColumn numbers(const std::vector<T>& values) {
    return owned(std::vector<double>(values.begin(), values.end()));
}

std::vector<std::size_t> indices(const IndexColumn& column, const char* name) {
    const Indices all = checked(column, static_cast<std::size_t>(1) << 62, name);
    return {all.begin(), all.end()};
}

std::vector<double> copied(const Column& column) {
    return {column.data(), column.data() + column.shape(0)};
}

SparseTable table_of(const IndexColumn& begins, const ShortIndexColumn& columns,
                     const Column& values, std::size_t width) {
    const std::size_t entries = values.shape(0);
    if (begins.shape(0) == 0 || columns.shape(0) != entries ||
        static_cast<std::size_t>(begins.data()[begins.shape(0) - 1]) != entries)
        throw std::invalid_argument("begins, columns and values must be those of one table");
    for (std::size_t k = 0; k + 1 < begins.shape(0); ++k)
        if (begins.data()[k] < 0 || begins.data()[k] > begins.data()[k + 1])
            throw std::invalid_argument("begins must not fall");
    for (std::size_t i = 0; i < entries; ++i)
        if (columns.data()[i] < 0 || static_cast<std::size_t>(columns.data()[i]) >= width)
            throw std::invalid_argument("columns must lie in the table");
    return {{begins.data(), begins.shape(0)},
            {columns.data(), entries},
            {values.data(), entries},
            width};
}

// rows (none: all), labels, upper, ridge
using Program = std::tuple<ShortIndexColumn, Column, Column, Column>;

SparseProblem problem_of(const Program& program, std::size_t n) {
    const auto& [rows, labels, upper, ridge] = program;
    const std::size_t size = rows.shape(0) == 0 ? n : rows.shape(0);
    for (const Column* one : {&labels, &upper, &ridge})
        if (one->shape(0) != size)
            throw std::invalid_argument("a problem must have one entry for each of its rows");
    for (std::size_t i = 0; i < rows.shape(0); ++i)
        if (rows.data()[i] < 0 || static_cast<std::size_t>(rows.data()[i]) >= n)
            throw std::invalid_argument("rows must lie in the table");
    return {
        {rows.data(), rows.data() + rows.shape(0)}, copied(labels), copied(upper), copied(ridge)};
}

std::unique_ptr<SparsePath> make(const IndexColumn& begins, const ShortIndexColumn& columns,
                                 const Column& values, std::size_t width, const Column& factors,
                                 const IndexColumn& kept, const IndexColumn& candidates,
                                 const std::vector<Program>& programs, bool free_offset,
                                 double bias, double tolerance, long max_passes) {
    const SparseTable table = table_of(begins, columns, values, width);
    std::vector<SparseProblem> problems;
    for (const Program& program : programs) problems.push_back(problem_of(program, table.rows()));
    checked(kept, width, "kept");
    checked(candidates, width, "candidates");
    if (factors.shape(0) != 0 && factors.shape(0) != width)
        throw std::invalid_argument("factors must be one for each column, or none");
    const std::vector<std::size_t> used = indices(kept, "kept");
    const std::vector<std::size_t> may_go = indices(candidates, "candidates");
    const Vector scale = view(factors);
    const WithoutGil release;
    return std::make_unique<SparsePath>(table, scale, used, may_go, std::move(problems),
                                        SparseOptions{free_offset, bias, tolerance, max_passes});
}

// counts, dropped, scores, following, gaps, accuracy, seconds, tied, totals, resolution,
// coefficients, offsets
auto advance(SparsePath& path, const IndexColumn& counts, double seconds, bool with_coefficients,
             bool halt_stuck, bool halt_open) {
    const std::vector<std::size_t> wanted = indices(counts, "counts");
    SparseSteps steps;
    {
        const WithoutGil release;
        steps = path.advance(wanted, seconds, with_coefficients, {halt_stuck, halt_open});
    }
    return std::tuple(numbers(steps.counts), numbers(steps.dropped), owned(std::move(steps.scores)),
                      owned(std::move(steps.following)), owned(std::move(steps.gaps)),
                      owned(std::move(steps.accuracy)), owned(std::move(steps.seconds)),
                      numbers(steps.tied), owned(std::move(steps.totals)),
                      owned(std::move(steps.resolution)), owned(std::move(steps.coefficients)),
                      owned(std::move(steps.offsets)));
}

}  // namespace

void bind_sparse(nb::module_& m) {
    nb::class_<SparsePath>(m, "SparsePath")
        .def(nb::new_(&make), nb::arg("begins"), nb::arg("columns"), nb::arg("values"),
             nb::arg("width"), nb::arg("factors"), nb::arg("kept"), nb::arg("candidates"),
             nb::arg("programs"), nb::arg("free_offset"), nb::arg("bias"), nb::arg("tolerance"),
             nb::arg("max_passes"))
        .def("advance", &advance, nb::arg("counts"), nb::arg("seconds"),
             nb::arg("with_coefficients"), nb::arg("halt_stuck"), nb::arg("halt_open"))
        .def("solve",
             [](SparsePath& path) {
                 const WithoutGil release;
                 path.solve();
             })
        .def(
            "drop",
            [](SparsePath& path, const IndexColumn& columns) {
                path.drop(indices(columns, "columns"));
            },
            nb::arg("columns"))
        .def(
            "restore",
            [](SparsePath& path, const IndexColumn& dropped, const Column& state) {
                path.restore(indices(dropped, "dropped"), view(state));
            },
            nb::arg("dropped"), nb::arg("state"))
        .def("stuck", [](const SparsePath& path) { return numbers(path.stuck()); })
        .def(
            "give",
            [](SparsePath& path, std::size_t machine, const Column& coefficients, double offset) {
                path.give(machine, view(coefficients), offset);
            },
            nb::arg("machine"), nb::arg("coefficients"), nb::arg("offset"))
        .def("gap", &SparsePath::gap)
        .def("accuracy", &SparsePath::accuracy)
        .def("passes", &SparsePath::passes)
        .def("width", &SparsePath::width)
        .def("kept", [](const SparsePath& path) { return numbers(path.kept()); })
        .def("weights", [](const SparsePath& path) { return owned(path.weights()); })
        .def("sizes", [](const SparsePath& path) { return owned(path.sizes()); })
        .def("coefficients", [](const SparsePath& path) { return owned(path.coefficients()); })
        .def("offsets", [](const SparsePath& path) { return owned(path.offsets()); })
        .def("norms", [](const SparsePath& path) { return owned(path.norms()); })
        .def("state", [](const SparsePath& path) { return owned(path.state()); });
}

}  // namespace svsieve::bindings
