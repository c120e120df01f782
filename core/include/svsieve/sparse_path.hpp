// Elimination on sparse data with linear machines.
//
// Machines on the same sparse table, each solved again by sparse/sparse_machine.hpp as the columns
// of least sum over machines of w_j^2 are dropped. Nothing of the size of the table is dense, and no
// matrix over rows or columns is held.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "svsieve/views.hpp"

namespace svsieve {

// Compressed rows; columns ascend within a row, each at most once.
struct SparseTable {
    std::span<const std::int64_t> begins;  // one more than rows
    std::span<const std::int32_t> columns;
    std::span<const double> values;
    std::size_t width = 0;

    std::size_t rows() const { return begins.size() - 1; }
};

// min 1/2 |sum_k a_k y_k x_k|^2 + 1/2 sum_k ridge_k a_k^2 - sum_k a_k, 0 <= a <= upper, on some rows.
struct SparseProblem {
    std::vector<std::int32_t> rows;  // ascending
    std::vector<double> labels;      // +1 and -1
    std::vector<double> upper;       // infinite: no bound; zero: the row takes no part
    std::vector<double> ridge;
};

struct SparseOptions {
    bool free_offset = true;  // a constant that is not penalised: sum_k a_k y_k = 0
    double bias = 0.0;        // else the weight of a column of this value, penalised; 0: none
    double tolerance = 1e-10;
    long max_passes = -1;  // over the table, for one machine in one step
};

// What a stretch of steps has to tell. Vectors have one entry per step unless said otherwise.
struct SparseSteps {
    std::vector<std::size_t> counts;
    std::vector<std::size_t> dropped;  // one per column dropped
    std::vector<double> scores;        // likewise
    std::vector<double> following;
    std::vector<double> gaps;
    std::vector<double> accuracy;
    std::vector<double> seconds;
    std::vector<char> tied;
    std::vector<double> totals;
    std::vector<double> resolution;  // the largest of those of the columns dropped
    // Of all machines at each step, one machine after the other; empty if not asked for.
    std::vector<double> coefficients;
    std::vector<double> offsets;
};

struct SparseHalts {
    bool stuck = false;
    bool open = false;
};

class SparsePath {
  public:
    // `candidates` may be dropped. x is copied.
    SparsePath(const SparseTable& x, Vector factors, const std::vector<std::size_t>& kept,
               const std::vector<std::size_t>& candidates, std::vector<SparseProblem> problems,
               const SparseOptions& options);
    ~SparsePath();

    // Drops counts[0], counts[1], ... columns; stops early once `seconds` have passed, and before a
    // step with a machine that is stuck, and before one whose order is open, that is hangs on ties of
    // columns that are not equal, if these are `halts`.
    SparseSteps advance(Indices counts, double seconds, bool with_coefficients, SparseHalts halts);

    // The same step by parts. `solve` does nothing where nothing was dropped since.
    void solve();
    void drop(const std::vector<std::size_t>& columns);
    // Machines with a gap larger than asked for, and not for rounding; one of them gets signed
    // coefficients found in another way.
    std::vector<std::size_t> stuck() const;
    void give(std::size_t machine, Vector coefficients, double offset);
    double gap() const;
    double accuracy() const;
    std::size_t width() const;  // columns left
    std::vector<std::size_t> kept() const;
    // One row per machine: weights of the kept columns, and below which error they are known.
    std::vector<double> weights() const;
    std::vector<double> sizes() const;
    // Signed, of the rows of the problem in turn.
    std::vector<double> coefficients() const;
    std::vector<double> offsets() const;
    std::vector<double> norms() const;
    double passes() const;  // over the table in all, for benchmarks

    // What the past has left in numbers, for a path made alike that is to go on in the same bits.
    std::vector<double> state() const;
    void restore(const std::vector<std::size_t>& dropped, Vector state);

  private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace svsieve
