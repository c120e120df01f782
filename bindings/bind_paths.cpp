#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <tuple>

#include "arrays.hpp"
#include "svsieve/refined_weights.hpp"
#include "svsieve/wide_path.hpp"
#include "without_gil.hpp"

namespace svsieve::bindings {

namespace {

// A path together with the arrays of its problems, one row per machine.
class OwnedWidePath {
  public:
    OwnedWidePath(const Table& x, const IndexColumn& kept, const IndexColumn& candidates,
                  const Table& linear, const Table& lower, const Table& upper, const Table& ridge,
                  const Table& starts, double tolerance)
        : x_(x),
          linear_(copy(linear)),
          lower_(copy(lower)),
          upper_(copy(upper)),
          ridge_(copy(ridge)) {
        const std::size_t n = x.shape(0), machines = linear.shape(0);
        for (const Table* table : {&linear, &lower, &upper, &ridge, &starts}) {
            if (table->shape(0) != machines || table->shape(1) != n)
                throw std::invalid_argument(
                    "problems must have one row per machine, one column per row of x");
        }
        std::vector<DualProblem> problems;
        for (std::size_t q = 0; q < machines; ++q) {
            const auto row = [&](const std::vector<double>& values) {
                return Vector(values.data() + q * n, n);
            };
            problems.push_back({row(linear_), row(lower_), row(upper_), row(ridge_), 0.0, 1.0});
            check(problems.back());
        }
        const Indices used = checked(kept, x.shape(1), "kept");
        const Indices free = checked(candidates, x.shape(1), "candidates");
        const Matrix table = view(x), points = view(starts);
        const WithoutGil release;
        path_ = std::make_unique<WidePath>(
            table, std::vector<std::size_t>(used.begin(), used.end()),
            std::vector<std::size_t>(free.begin(), free.end()), problems, points, tolerance);
    }

    // counts, dropped, scores, following, gaps, accuracy, seconds, tied, coefficients, offsets,
    // resolution
    auto advance(const IndexColumn& counts, double seconds, bool with_coefficients) {
        WideSteps steps;
        const Indices wanted = checked(counts, static_cast<std::size_t>(1) << 62, "counts");
        {
            const WithoutGil release;
            steps = path_->advance(wanted, seconds, with_coefficients);
        }
        return std::tuple(numbers(steps.counts), numbers(steps.dropped),
                          owned(std::move(steps.scores)), owned(std::move(steps.following)),
                          owned(std::move(steps.gaps)), owned(std::move(steps.accuracy)),
                          owned(std::move(steps.seconds)), numbers(steps.tied),
                          owned(std::move(steps.coefficients)), owned(std::move(steps.offsets)),
                          owned(std::move(steps.resolution)));
    }

    // scores, resolution, accuracy, gap, coefficients, offsets
    auto fit() {
        WideFit fit;
        {
            const WithoutGil release;
            fit = path_->fit();
        }
        return std::tuple(owned(std::move(fit.scores)), owned(std::move(fit.resolution)),
                          fit.accuracy, fit.gap, owned(std::move(fit.coefficients)),
                          owned(std::move(fit.offsets)));
    }

    void restore(const IndexColumn& dropped, const Column& state) {
        const Indices gone = checked(dropped, static_cast<std::size_t>(1) << 62, "dropped");
        path_->restore({gone.begin(), gone.end()}, view(state));
    }

    WidePath& path() { return *path_; }

    template <class T>
    static OwnedColumn numbers(const std::vector<T>& values) {
        return owned(std::vector<double>(values.begin(), values.end()));
    }

  private:
    static std::vector<double> copy(const Table& table) {
        return {table.data(), table.data() + table.shape(0) * table.shape(1)};
    }

    Table x_;  // the path reads it as long as it lives
    std::vector<double> linear_, lower_, upper_, ridge_;
    std::unique_ptr<WidePath> path_;
};

// found, weights, error, rounding, gap, spent
auto refine(const Table& x, const IndexColumn& columns, const Column& linear, const Column& lower,
            const Column& upper, const Column& ridge, const Column& coefficients, double most) {
    const DualProblem problem{view(linear), view(lower), view(upper), view(ridge), 0.0, 1.0};
    check(problem);
    const Indices used = checked(columns, x.shape(1), "columns");
    RefinedWeights found;
    {
        const WithoutGil release;
        found = refined_weights(view(x), std::vector<std::size_t>(used.begin(), used.end()),
                                problem, view(coefficients), most);
    }
    return std::tuple(found.found, owned(std::move(found.weights)), found.error, found.rounding,
                      found.gap, found.spent);
}

}  // namespace

void bind_paths(nb::module_& m) {
    m.def("refined_weights", &refine, nb::arg("x"), nb::arg("columns"), nb::arg("linear"),
          nb::arg("lower"), nb::arg("upper"), nb::arg("ridge"), nb::arg("coefficients"),
          nb::arg("most"),
          "Return the weights of a linear machine in twice the precision, from coefficients that "
          "are close to its optimum and sum to zero.");
    nb::class_<OwnedWidePath>(m, "WidePath")
        .def(nb::init<const Table&, const IndexColumn&, const IndexColumn&, const Table&,
                      const Table&, const Table&, const Table&, const Table&, double>(),
             nb::arg("x"), nb::arg("kept"), nb::arg("candidates"), nb::arg("linear"),
             nb::arg("lower"), nb::arg("upper"), nb::arg("ridge"), nb::arg("starts"),
             nb::arg("tolerance"))
        .def("advance", &OwnedWidePath::advance, nb::arg("counts"), nb::arg("seconds"),
             nb::arg("with_coefficients"))
        .def("fit", &OwnedWidePath::fit)
        .def("candidates",
             [](OwnedWidePath& p) { return OwnedWidePath::numbers(p.path().candidates()); })
        .def("scores", [](OwnedWidePath& p) { return owned(p.path().scores()); })
        .def("state", [](OwnedWidePath& p) { return owned(p.path().state()); })
        .def("restore", &OwnedWidePath::restore, nb::arg("dropped"), nb::arg("state"))
        .def("gap", [](OwnedWidePath& p) { return p.path().gap(); })
        .def("accuracy", [](OwnedWidePath& p) { return p.path().accuracy(); })
        .def("coefficients", [](OwnedWidePath& p) { return owned(p.path().coefficients()); })
        .def("offsets", [](OwnedWidePath& p) { return owned(p.path().offsets()); })
        .def("seconds", [](OwnedWidePath& p) {
            const WideSeconds& s = p.path().seconds();
            return std::tuple(s.choosing, s.down_dating, s.solving);
        });
}

}  // namespace svsieve::bindings
