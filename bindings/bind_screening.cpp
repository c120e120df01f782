#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "arrays.hpp"
#include "contraction_input.hpp"
#include "svsieve/screening.hpp"
#include "without_gil.hpp"

namespace svsieve::bindings {

namespace {

std::tuple<OwnedColumn, OwnedColumn> run(Screen what, Pairing pairing, const Profile& profile,
                                         const Table& table, const IndexColumn& rows,
                                         const IndexColumn& columns, const Column& factors,
                                         const Table& s, const std::optional<Table>& phi,
                                         const std::optional<Table>& dense,
                                         const std::optional<Column>& outer, double scale,
                                         std::size_t count) {
    expect(can_screen(what, pairing, profile), "no screening for this pairing and profile");
    const ColumnBlock block = column_block(table, rows, columns, factors, s);
    const PairWeight weight = pair_weight(dense, outer, scale, rows.shape(0));
    const PairValues pairs = pair_values(s, phi);
    Screened found;
    {
        const WithoutGil release;
        found = screen(what, pairing, profile, block, pairs, weight, count);
    }
    return {owned(std::move(found.approximation)), owned(std::move(found.bound))};
}

}  // namespace

void bind_screening(nb::module_& m) {
    nb::enum_<Screen>(m, "Screen")
        .value("REMOVAL", Screen::Removal)
        .value("SLOPES", Screen::Slopes);
    m.def("can_screen", &can_screen, nb::arg("what"), nb::arg("pairing"), nb::arg("profile"));
    m.def("screen", &run, nb::arg("what"), nb::arg("pairing"), nb::arg("profile"), nb::arg("table"),
          nb::arg("rows"), nb::arg("columns"), nb::arg("factors"), nb::arg("s"),
          nb::arg("phi").none(), nb::arg("dense").none(), nb::arg("outer").none(), nb::arg("scale"),
          nb::arg("count"),
          "A contraction for every column in single precision, and bounds of its error; columns "
          "that are not among the count + 1 least are bounded roughly.");
}

}  // namespace svsieve::bindings
