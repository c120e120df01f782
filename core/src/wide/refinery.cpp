#include "wide/refinery.hpp"

#include <algorithm>
#include <cmath>

namespace svsieve {

namespace {

// Multiplications in twice the precision, which take less than a nanosecond.
struct Budget {
    double at_once, in_all;
};
constexpr Budget for_order{0x1p23, 0x1p29};
constexpr Budget for_unsolved{0x1p28, 0x1p33};

}  // namespace

Refinery::Refinery(Matrix x, std::vector<std::size_t> columns, std::vector<DualProblem> problems)
    : x_(x), columns_(std::move(columns)), problems_(std::move(problems)) {}

void Refinery::forget(const std::vector<std::size_t>& columns) {
    gone_.insert(gone_.end(), columns.begin(), columns.end());
}

bool Refinery::run(const std::vector<std::unique_ptr<TrackedMachine>>& machines, bool unsolved,
                   std::vector<double>& scores, Certainty& certainty) {
    const std::size_t columns = columns_.size() - gone_.size();
    const Budget budget = unsolved ? for_unsolved : for_order;
    double most = std::min(budget.in_all - spent_, budget.at_once);
    if (static_cast<double>(x_.rows * columns * machines.size()) > most) return false;
    if (!gone_.empty()) {
        std::vector<std::size_t> kept;
        std::sort(gone_.begin(), gone_.end());
        std::set_difference(columns_.begin(), columns_.end(), gone_.begin(), gone_.end(),
                            std::back_inserter(kept));
        columns_.swap(kept);
        if (products_) products_->forget(gone_);
        gone_.clear();
    }
    if (!products_) products_ = std::make_unique<RefinedProducts>(x_, columns_);
    std::vector<Refined> points(machines.size());
    for (std::size_t q = 0; q < machines.size(); ++q) {
        Refinement refinement(problems_[q], *products_);
        const Vector start(machines[q]->coefficients(), x_.rows);
        const bool found = refinement.run(start, most, points[q]);
        most -= refinement.spent();
        spent_ += refinement.spent();
        if (!found) return false;
    }
    scores.assign(x_.columns, 0.0);
    certainty = Certainty();
    certainty.rounding = Refinement::rounding;
    for (std::size_t q = 0; q < machines.size(); ++q) {
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            const double w = points[q].weights[c];
            scores[columns_[c]] += w * w;
        }
        certainty.error = std::hypot(certainty.error, points[q].error);
        machines[q]->adopt(points[q]);
    }
    return true;
}

}  // namespace svsieve
