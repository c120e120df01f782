#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <tuple>

#include "arrays.hpp"
#include "contraction_input.hpp"
#include "svsieve/contract.hpp"
#include "svsieve/kernel_tree.hpp"
#include "svsieve/pairing.hpp"
#include "vector/kernels.hpp"
#include "without_gil.hpp"

namespace svsieve::bindings {

namespace {

const Profile* pointer(const std::optional<Profile>& profile) {
    return profile ? &*profile : nullptr;
}

void build(Pairing pairing, const Table& x, const OutTable& out,
           const std::optional<Profile>& profile) {
    expect(out.shape(0) == x.shape(0) && out.shape(1) == x.shape(0), "out must be rows x rows");
    const WithoutGil release;
    build_pairing(pairing, view(x), view(out), pointer(profile));
}

void cross(Pairing pairing, const Table& z, const Table& x, const OutTable& out,
           const std::optional<Profile>& profile) {
    expect(z.shape(1) == x.shape(1), "both tables must have the same columns");
    expect(out.shape(0) == z.shape(0) && out.shape(1) == x.shape(0),
           "out must be rows of z x rows of x");
    const WithoutGil release;
    cross_pairing(pairing, view(z), view(x), view(out), pointer(profile));
}

void drop(Pairing pairing, const Table& removed, const OutTable& s) {
    expect(s.shape(0) == removed.shape(0) && s.shape(1) == s.shape(0), "s must be rows x rows");
    const WithoutGil release;
    drop_columns(pairing, view(removed), view(s));
}

void drop_with_profile(Pairing pairing, const Table& removed, const OutTable& s,
                       const Profile& profile, const OutTable& gram) {
    expect(s.shape(0) == removed.shape(0) && s.shape(1) == s.shape(0), "s must be rows x rows");
    expect(gram.shape(0) == s.shape(0) && gram.shape(1) == s.shape(1),
           "gram must have the shape of s");
    const WithoutGil release;
    drop_columns(pairing, view(removed), view(s), &profile, view(gram));
}

void apply(const Profile& profile, const Table& s, const OutTable& out) {
    expect(out.shape(0) == s.shape(0) && out.shape(1) == s.shape(1),
           "out must have the shape of s");
    const WithoutGil release;
    apply_profile(profile, view(s), view(out));
}

using Contraction = void (*)(Pairing, const Profile&, const ColumnBlock&, const PairValues&,
                             const PairWeight&, MutableVector);

template <Contraction contraction>
OwnedColumn contract(Pairing pairing, const Profile& profile, const Table& table,
                     const IndexColumn& table_rows, const IndexColumn& columns,
                     const Column& factors, const Table& s, const std::optional<Table>& phi,
                     const std::optional<Table>& dense, const std::optional<Column>& outer,
                     double scale) {
    const ColumnBlock block = column_block(table, table_rows, columns, factors, s);
    const PairWeight weight = pair_weight(dense, outer, scale, table_rows.shape(0));
    const PairValues pairs = pair_values(s, phi);
    std::vector<double> out(columns.shape(0), 0.0);
    {
        const WithoutGil release;
        contraction(pairing, profile, block, pairs, weight, out);
    }
    return owned(std::move(out));
}

std::tuple<double, double> params(const Profile& profile, const IndexColumn& rows, const Table& s,
                                  const std::optional<Table>& dense,
                                  const std::optional<Column>& outer, double scale) {
    expect(s.shape(0) == s.shape(1), "s must be square");
    const Indices picked = checked(rows, s.shape(0), "rows");
    const PairWeight weight = pair_weight(dense, outer, scale, rows.shape(0));
    const WithoutGil release;
    const ParamSlopes slopes = contract_params(profile, view(s), picked, weight);
    return {slopes.log_gamma, slopes.coef0};
}

std::shared_ptr<KernelTree> dense_leaf(Pairing pairing, const Profile& profile, const Table& x) {
    const Matrix table = view(x);
    DenseRows rows{std::vector<double>(table.data, table.data + table.rows * table.columns),
                   table.columns};
    return make_leaf(pairing, profile, RowData(std::move(rows)));
}

std::shared_ptr<KernelTree> sparse_leaf(Pairing pairing, const Profile& profile,
                                        const IndexColumn& starts, const IndexColumn& columns,
                                        const Column& values, std::size_t width) {
    const Indices inside = checked(columns, width, "columns");
    const Indices bounds = checked(starts, columns.shape(0) + 1, "starts");
    expect(values.shape(0) == columns.shape(0), "columns and values must have the same length");
    expect(!bounds.empty() && std::is_sorted(bounds.begin(), bounds.end()),
           "starts must not decrease");
    const Vector entries = view(values);
    SparseRows rows{{bounds.begin(), bounds.end()},
                    {inside.begin(), inside.end()},
                    {entries.begin(), entries.end()},
                    width};
    return make_leaf(pairing, profile, RowData(std::move(rows)));
}

void bind_contractions(nb::module_& m) {
    m.def("contract_slopes", &contract<contract_slopes>, nb::arg("pairing"), nb::arg("profile"),
          nb::arg("table"), nb::arg("rows"), nb::arg("columns"), nb::arg("factors"), nb::arg("s"),
          nb::arg("phi").none(), nb::arg("dense").none(), nb::arg("outer").none(), nb::arg("scale"),
          "sum M phi'(s) t_j for every column j.");
    m.def("contract_without", &contract<contract_without>, nb::arg("pairing"), nb::arg("profile"),
          nb::arg("table"), nb::arg("rows"), nb::arg("columns"), nb::arg("factors"), nb::arg("s"),
          nb::arg("phi").none(), nb::arg("dense").none(), nb::arg("outer").none(), nb::arg("scale"),
          "sum M [phi(s - t_j) - phi(s)] for every column j.");
    m.def("contract_params", &params, nb::arg("profile"), nb::arg("rows"), nb::arg("s"),
          nb::arg("dense").none(), nb::arg("outer").none(), nb::arg("scale"),
          "Derivatives of <M, phi(s)> in ln gamma and coef0.");
    m.def("has_native_removal", &has_native_removal, nb::arg("pairing"), nb::arg("kind"));
}

void bind_trees(nb::module_& m) {
    nb::class_<KernelTree>(m, "KernelTree");
    m.def("dense_leaf", &dense_leaf, nb::arg("pairing"), nb::arg("profile"), nb::arg("table"));
    m.def("sparse_leaf", &sparse_leaf, nb::arg("pairing"), nb::arg("profile"), nb::arg("starts"),
          nb::arg("columns"), nb::arg("values"), nb::arg("width"));
    m.def("sum_tree", &make_sum, nb::arg("terms"), nb::arg("coefficients"));
    m.def("product_tree", &make_product, nb::arg("factors"));
    m.def("normalised_tree", &make_normalised, nb::arg("base"));
}

}  // namespace

void bind_kernels(nb::module_& m) {
    nb::enum_<Pairing>(m, "Pairing")
        .value("PRODUCT", Pairing::Product)
        .value("SQUARED_DIFFERENCE", Pairing::SquaredDifference)
        .value("ABSOLUTE_DIFFERENCE", Pairing::AbsoluteDifference);
    nb::enum_<ProfileKind>(m, "ProfileKind")
        .value("IDENTITY", ProfileKind::Identity)
        .value("POWER", ProfileKind::Power)
        .value("EXPONENTIAL", ProfileKind::Exponential);
    nb::class_<Profile>(m, "Profile")
        .def(nb::init<ProfileKind, double, double, int>(), nb::arg("kind"), nb::arg("gamma") = 1.0,
             nb::arg("coef0") = 0.0, nb::arg("degree") = 1)
        .def_ro("kind", &Profile::kind);
    m.def(
        "instruction_set", [] { return vector_kernels().name; },
        "Name of the instruction set in use.");
    m.def("build_pairing", &build, nb::arg("pairing"), nb::arg("table"), nb::arg("out").noconvert(),
          nb::arg("profile").none(), "Fill out with s (or phi(s)) of all row pairs.");
    m.def("cross_pairing", &cross, nb::arg("pairing"), nb::arg("z"), nb::arg("x"),
          nb::arg("out").noconvert(), nb::arg("profile").none(),
          "Fill out with s (or phi(s)) of the rows of z against the rows of x.");
    m.def("drop_columns", &drop, nb::arg("pairing"), nb::arg("removed"), nb::arg("s").noconvert(),
          "Subtract the part of the removed columns from the lower triangle of s.");
    m.def("drop_columns_into", &drop_with_profile, nb::arg("pairing"), nb::arg("removed"),
          nb::arg("s").noconvert(), nb::arg("profile"), nb::arg("gram").noconvert(),
          "The same, and fill gram with phi(s) in one pass.");
    m.def(
        "fill_upper",
        [](const OutTable& s) {
            expect(s.shape(0) == s.shape(1), "s must be square");
            const MutableMatrix whole = view(s);
            const WithoutGil release;
            fill_upper(whole);
        },
        nb::arg("s").noconvert(), "Copy the lower triangle into the upper one.");
    m.def("apply_profile", &apply, nb::arg("profile"), nb::arg("s"), nb::arg("out").noconvert(),
          "Fill out with phi(s).");
    bind_contractions(m);
    bind_trees(m);
}

}  // namespace svsieve::bindings
