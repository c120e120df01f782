#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <mutex>
#include <stdexcept>
#include <string>
#include <tuple>

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

Answer solve_picked(const Table& gram, const IndexColumn& picked, const Column& linear,
                    const Column& lower, const Column& upper, const Column& ridge, double total,
                    double gap_unit, const Column& start, const SolveOptions& options) {
    if (gram.shape(0) != gram.shape(1))
        throw std::invalid_argument("the Gram matrix must be square");
    const Indices at = checked(picked, gram.shape(0), "picked");
    PickedRows rows(view(gram), {at.begin(), at.end()});
    return run(rows, linear, lower, upper, ridge, total, gap_unit, start, options);
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
    m.def("solve_picked", &solve_picked, nb::arg("gram"), nb::arg("picked"), nb::arg("linear"),
          nb::arg("lower"), nb::arg("upper"), nb::arg("ridge"), nb::arg("total"),
          nb::arg("gap_unit"), nb::arg("start"), nb::arg("options"),
          "Solve the dual problem on some rows and columns of a Gram matrix.");
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
