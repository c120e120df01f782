// Kernels as trees over a table's rows: leaves are phi(s) with data of their own (columns scaled by
// their weights), inner nodes are sums, products and normalisations. Evaluates single rows on
// demand.
#pragma once

#include <cstddef>
#include <memory>
#include <variant>
#include <vector>

#include "svsieve/pairing.hpp"
#include "svsieve/profile.hpp"
#include "svsieve/views.hpp"

namespace svsieve {

// Compressed sparse rows, owned.
struct SparseRows {
    std::vector<std::size_t> starts;  // size rows + 1
    std::vector<std::size_t> columns;
    std::vector<double> values;
    std::size_t width = 0;

    std::size_t rows() const { return starts.size() - 1; }
};

struct DenseRows {
    std::vector<double> values;
    std::size_t width = 0;

    std::size_t rows() const { return width == 0 ? 0 : values.size() / width; }
};

using RowData = std::variant<DenseRows, SparseRows>;

class KernelTree {
  public:
    virtual ~KernelTree() = default;
    virtual std::size_t size() const = 0;
    // out[k] = k(x_i, x_k) for all rows k.
    virtual void row(std::size_t i, double* out) = 0;
    // Several rows at once, one after the other in `out`; cheaper than one by one where they are a
    // matrix product.
    virtual void rows(Indices which, double* out);
    virtual std::vector<double> diagonal() const = 0;
    virtual std::shared_ptr<KernelTree> restricted(Indices kept) const = 0;
};

std::shared_ptr<KernelTree> make_leaf(Pairing pairing, Profile profile, RowData data);
std::shared_ptr<KernelTree> make_sum(std::vector<std::shared_ptr<KernelTree>> terms,
                                     std::vector<double> coefficients);
std::shared_ptr<KernelTree> make_product(std::vector<std::shared_ptr<KernelTree>> factors);
std::shared_ptr<KernelTree> make_normalised(std::shared_ptr<KernelTree> base);

}  // namespace svsieve
