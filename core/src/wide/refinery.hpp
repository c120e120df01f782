// Refines the machines of a path where double precision leaves the order of columns open, as long as
// that is cheap: so many multiplications at a time and in all, counted, never timed, so that a ranking
// is a function of the data.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "svsieve/dual_problem.hpp"
#include "svsieve/views.hpp"
#include "wide/column_lists.hpp"
#include "wide/refinement.hpp"
#include "wide/tracked_machine.hpp"

namespace svsieve {

class Refinery {
  public:
    // x must outlive this, as must the arrays of the problems.
    Refinery(Matrix x, std::vector<std::size_t> columns, std::vector<DualProblem> problems);

    void forget(const std::vector<std::size_t>& columns);

    // Puts every machine at its optimum. Fills `scores`, one for every column of x that is left, and
    // says how well they are known. False where that would cost too much or does not succeed;
    // nothing has changed then. More may be spent on machines that double precision leaves unsolved
    // than on the order of a few columns.
    bool run(const std::vector<std::unique_ptr<TrackedMachine>>& machines, bool unsolved,
             std::vector<double>& scores, Certainty& certainty);

    // To or from a state_archive.hpp.
    template <class Archive>
    void exchange(Archive& archive) {
        archive.indices(columns_, x_.columns);
        archive.indices(gone_, x_.columns);
        archive.number(spent_);
        bool begun = products_ != nullptr;
        archive.number(begun);
        if (Archive::reads && begun) products_ = std::make_unique<RefinedProducts>(x_, columns_);
        if (begun) products_->exchange(archive);
    }

  private:
    Matrix x_;
    std::vector<std::size_t> columns_;
    std::vector<std::size_t> gone_;  // since products_ was told
    std::vector<DualProblem> problems_;
    std::unique_ptr<RefinedProducts> products_;  // from the first refinement on
    double spent_ = 0.0;                         // multiplications
};

}  // namespace svsieve
