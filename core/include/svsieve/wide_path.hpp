// Elimination on wide linear data: many more columns than rows, dropped a few at a time.
//
// Machines with a linear kernel on the same rows, each kept at its optimum (wide/tracked_machine.hpp)
// while the columns of least sum over machines of w_i^2 are dropped (wide/column_lists.hpp). A step
// costs O(n^2) instead of O(n d). The Gram matrix loses x x' with each column and is built anew from
// the columns left whenever their number has halved.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "svsieve/dual_problem.hpp"
#include "svsieve/views.hpp"

namespace svsieve {

// What a stretch of steps has to tell. Vectors have one entry per step unless said otherwise.
struct WideSteps {
    std::vector<std::size_t> counts;
    std::vector<std::size_t> dropped;  // one per column dropped
    std::vector<double> scores;        // likewise
    std::vector<double> following;
    std::vector<double> gaps;  // of the fit that the scores were read from
    std::vector<double> accuracy;
    std::vector<double> seconds;
    std::vector<char> tied;
    std::vector<double> resolution;  // scores taken as equal differ by no more; 0: there are none
    // Coefficients of all machines at each step, one machine after the other; empty if not asked for.
    std::vector<double> coefficients;
    std::vector<double> offsets;
};

// The columns left, ascending, those that are no candidates among them.
struct WideFit {
    std::vector<double> scores;
    std::vector<double> resolution;  // below which a score is equal to a lower one
    double gap = 0.0;
    double accuracy = 0.0;
    std::vector<double> coefficients;  // of all machines, one after the other
    std::vector<double> offsets;
};

struct WideSeconds {
    double choosing = 0.0;
    double down_dating = 0.0;
    double solving = 0.0;
};

class WidePath {
  public:
    // Columns named in `kept` are in use; those in `candidates` may be dropped. x and the arrays of
    // the problems must outlive the path; `starts` holds a feasible point for each.
    WidePath(Matrix x, const std::vector<std::size_t>& kept,
             const std::vector<std::size_t>& candidates, const std::vector<DualProblem>& problems,
             Matrix starts, double tolerance);
    ~WidePath();

    // Drops counts[0], counts[1], ... columns; stops early once `seconds` have passed.
    WideSteps advance(Indices counts, double seconds, bool with_coefficients);

    // What the past steps have made of the numbers kept, for a path made alike that is to go on from
    // there in the same bits; `dropped` are the columns gone since it was made.
    std::vector<double> state() const;
    void restore(const std::vector<std::size_t>& dropped, Vector state);

    WideFit fit();

    // The same fit by parts: scores of the candidates, gap, accuracy.
    std::vector<std::size_t> candidates() const;
    std::vector<double> scores() const;
    double gap() const;
    double accuracy() const;
    // One row per machine.
    std::vector<double> coefficients() const;
    std::vector<double> offsets() const;
    const WideSeconds& seconds() const;

  private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace svsieve
