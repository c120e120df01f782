#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "svsieve/cached_rows.hpp"
#include "svsieve/feasible_point.hpp"
#include "svsieve/solve.hpp"
#include "without_gil.hpp"

namespace svsieve::bindings {

namespace {

const char* name_of(Stopped stopped) {
    switch (stopped) {
        case Stopped::Converged:
            return "converged";
        case Stopped::IterationLimit:
            return "iteration-limit";
        case Stopped::Unbounded:
            return "unbounded";
        case Stopped::PrecisionFloor:
            return "precision-floor";
    }
    return "";
}

// coefficients, gradient, offset, objective, kkt_gap, iterations, stopped
using Answer = std::tuple<OwnedColumn, OwnedColumn, double, double, double, long, std::string>;

Answer run(RowSource& rows, const Column& linear, const Column& lower, const Column& upper,
           const Column& ridge, double total, double gap_unit, const Column& start,
           const SolveOptions& options, std::mutex* lock = nullptr) {
    const DualProblem problem{view(linear), view(lower), view(upper), view(ridge), total, gap_unit};
    DualSolution solution;
    {
        const WithoutGil release;
        std::unique_lock<std::mutex> guard;
        if (lock != nullptr) guard = std::unique_lock(*lock);
        solution = solve(problem, rows, view(start), options);
    }
    return {owned(std::move(solution.coefficients)),
            owned(std::move(solution.gradient)),
            solution.offset,
            solution.objective,
            solution.kkt_gap,
            solution.iterations,
            name_of(solution.stopped)};
}

Answer solve_gram(const Table& gram, const Column& linear, const Column& lower, const Column& upper,
                  const Column& ridge, double total, double gap_unit, const Column& start,
                  const SolveOptions& options) {
    if (gram.shape(0) != gram.shape(1))
        throw std::invalid_argument("the Gram matrix must be square");
    GramRows rows(view(gram));
    return run(rows, linear, lower, upper, ridge, total, gap_unit, start, options);
}

// offset, objective, kkt_gap, iterations, stopped
using Told = std::tuple<double, double, double, long, std::string>;

// Problems that stand one after the other, each on its rows of one matrix.
std::tuple<OwnedColumn, OwnedColumn, std::vector<Told>> solve_each(
    const Table& gram, const IndexColumn& rows, const IndexColumn& counts, const Column& linear,
    const Column& lower, const Column& upper, const Column& ridge, double total, double gap_unit,
    const Column& tolerances, long max_iterations) {
    if (gram.shape(0) != gram.shape(1))
        throw std::invalid_argument("the Gram matrix must be square");
    const Indices at = checked(rows, gram.shape(0), "rows");
    const Indices sizes = checked(counts, at.size() + 1, "counts");
    const Vector all[] = {view(linear), view(lower), view(upper), view(ridge)};
    for (const Vector& values : all)
        if (values.size() != at.size())
            throw std::invalid_argument("rows and problems must have the same length");
    if (std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}) != at.size() ||
        tolerances.shape(0) != sizes.size())
        throw std::invalid_argument("counts must add up to the rows, with a tolerance each");
    std::vector<double> coefficients, gradients;
    coefficients.reserve(at.size());
    gradients.reserve(at.size());
    std::vector<Told> told;
    {
        const WithoutGil release;
        std::size_t begin = 0;
        for (std::size_t q = 0; q < sizes.size(); ++q) {
            const auto part = [&](auto values) { return values.subspan(begin, sizes[q]); };
            const DualProblem problem{part(all[0]), part(all[1]), part(all[2]),
                                      part(all[3]), total,        gap_unit};
            const Indices picked = part(at);
            PickedRows source(view(gram), {picked.begin(), picked.end()});
            const std::vector<double> zero(picked.size(), 0.0);
            const std::vector<double> start =
                feasible_point(zero, problem.lower, problem.upper, total);
            const DualSolution found =
                solve(problem, source, start, {tolerances.data()[q], max_iterations, true, true});
            coefficients.insert(coefficients.end(), found.coefficients.begin(),
                                found.coefficients.end());
            gradients.insert(gradients.end(), found.gradient.begin(), found.gradient.end());
            told.emplace_back(found.offset, found.objective, found.kkt_gap, found.iterations,
                              name_of(found.stopped));
            begin += sizes[q];
        }
    }
    return {owned(std::move(coefficients)), owned(std::move(gradients)), std::move(told)};
}

}  // namespace

void bind_solver(nb::module_& m) {
    nb::class_<SolveOptions>(m, "SolveOptions")
        .def(
            "__init__",
            [](SolveOptions* self, double tolerance, long max_iterations, bool shrinking,
               bool polish) {
                new (self) SolveOptions{tolerance, max_iterations, shrinking, polish};
            },
            nb::arg("tolerance"), nb::arg("max_iterations"), nb::arg("shrinking"),
            nb::arg("polish"));
    nb::class_<CachedRows>(m, "CachedRows")
        .def(nb::init<std::shared_ptr<KernelTree>, std::size_t>(), nb::arg("tree"),
             nb::arg("budget_bytes"))
        .def("size", &CachedRows::size)
        .def("capacity", &CachedRows::capacity)
        .def("diagonal",
             [](const CachedRows& rows) {
                 return owned(std::vector<double>(rows.diagonal().begin(), rows.diagonal().end()));
             })
        .def(
            "row",
            [](CachedRows& rows, std::size_t i) {
                if (i >= rows.size()) throw nb::index_error("row out of range");
                const std::lock_guard guard(rows.lock());
                const double* values = rows.row(i);
                return owned(std::vector<double>(values, values + rows.size()));
            },
            nb::arg("i"));
    m.def(
        "check_problem",
        [](const Column& linear, const Column& lower, const Column& upper, const Column& ridge,
           double total, double gap_unit) {
            check({view(linear), view(lower), view(upper), view(ridge), total, gap_unit});
        },
        nb::arg("linear"), nb::arg("lower"), nb::arg("upper"), nb::arg("ridge"), nb::arg("total"),
        nb::arg("gap_unit"), "Raise ValueError if the arrays do not make a dual problem.");
    m.def(
        "feasible_point",
        [](const Column& wish, const Column& lower, const Column& upper, double total) {
            return owned(feasible_point(view(wish), view(lower), view(upper), total));
        },
        nb::arg("wish"), nb::arg("lower"), nb::arg("upper"), nb::arg("total"),
        "Return the point nearest to a wish that obeys bounds and sum.");
    m.def("solve_gram", &solve_gram, nb::arg("gram"), nb::arg("linear"), nb::arg("lower"),
          nb::arg("upper"), nb::arg("ridge"), nb::arg("total"), nb::arg("gap_unit"),
          nb::arg("start"), nb::arg("options"), "Solve the dual problem on a whole Gram matrix.");
    m.def("solve_each", &solve_each, nb::arg("gram"), nb::arg("rows"), nb::arg("counts"),
          nb::arg("linear"), nb::arg("lower"), nb::arg("upper"), nb::arg("ridge"), nb::arg("total"),
          nb::arg("gap_unit"), nb::arg("tolerances"), nb::arg("max_iterations"),
          "Solve dual problems that stand one after the other, on rows of one Gram matrix.");
    m.def(
        "solve_cached",
        [](CachedRows& rows, const Column& linear, const Column& lower, const Column& upper,
           const Column& ridge, double total, double gap_unit, const Column& start,
           const SolveOptions& options) {
            return run(rows, linear, lower, upper, ridge, total, gap_unit, start, options,
                       &rows.lock());
        },
        nb::arg("rows"), nb::arg("linear"), nb::arg("lower"), nb::arg("upper"), nb::arg("ridge"),
        nb::arg("total"), nb::arg("gap_unit"), nb::arg("start"), nb::arg("options"),
        "Solve the dual problem on rows computed on demand.");
}

}  // namespace svsieve::bindings
