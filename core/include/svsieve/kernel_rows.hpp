// Where the solver gets rows of the Gram matrix. It never sees data.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "svsieve/views.hpp"

namespace svsieve {

class RowSource {
  public:
    virtual ~RowSource() = default;

    virtual std::size_t size() const = 0;
    virtual Vector diagonal() const = 0;

    // Row i of K. The pointer stays valid until two other rows have been asked for.
    virtual const double* row(std::size_t i) = 0;

    // out += sum_t factors[t] K[which[t], :], for rows that are not expected to be asked for again.
    virtual void add_rows(Indices which, Vector factors, double* out);

    // How many rows can be held without computing any of them twice.
    virtual std::size_t capacity() const = 0;

    // The rows and columns `kept` alone, as a source of its own. May take over this source's cached
    // rows: afterwards rows asked of this one may have to be computed again.
    virtual std::unique_ptr<RowSource> restricted(Indices kept) = 0;
};

// A whole Gram matrix in memory.
class GramRows final : public RowSource {
  public:
    explicit GramRows(Matrix gram);
    GramRows(std::vector<double> storage, std::size_t size);

    std::size_t size() const override { return gram_.rows; }
    Vector diagonal() const override { return diagonal_; }
    const double* row(std::size_t i) override { return gram_.row(i); }
    std::size_t capacity() const override { return gram_.rows; }
    std::unique_ptr<RowSource> restricted(Indices kept) override;

  private:
    std::vector<double> storage_;  // empty where the matrix belongs to the caller
    Matrix gram_;
    std::vector<double> diagonal_;
};

// Some rows and columns of a whole Gram matrix in memory. A row is gathered when it is first asked
// for: of a small problem among many rows, most never are.
class PickedRows final : public RowSource {
  public:
    PickedRows(Matrix gram, std::vector<std::size_t> picked);

    std::size_t size() const override { return picked_.size(); }
    Vector diagonal() const override { return diagonal_; }
    const double* row(std::size_t i) override;
    std::size_t capacity() const override { return picked_.size(); }
    std::unique_ptr<RowSource> restricted(Indices kept) override;

  private:
    Matrix gram_;
    std::vector<std::size_t> picked_;
    std::vector<double> diagonal_;
    std::vector<std::unique_ptr<double[]>> gathered_;  // by row; null where not asked for yet
};

}  // namespace svsieve
