#include "wide/refinery.hpp"

#include <algorithm>
#include <cmath>

namespace svsieve {

namespace {

// Multiplications in twice the precision take some nanoseconds.
constexpr double most_at_once = 0x1p23;
constexpr double most_in_all = 0x1p29;

}  // namespace

Refinery::Refinery(Matrix x, std::vector<std::size_t> columns, std::vector<DualProblem> problems)
    : x_(x), columns_(std::move(columns)), problems_(std::move(problems)), left_(most_in_all) {}

void Refinery::forget(const std::vector<std::size_t>& columns) {
    gone_.insert(gone_.end(), columns.begin(), columns.end());
}

bool Refinery::run(const std::vector<std::unique_ptr<TrackedMachine>>& machines,
                   std::vector<double>& scores, Certainty& certainty) {
    const std::size_t columns = columns_.size() - gone_.size();
    if (static_cast<double>(x_.rows * columns * machines.size()) > std::min(left_, most_at_once))
        return false;
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
    double most = std::min(left_, most_at_once);
    std::vector<Refined> points(machines.size());
    for (std::size_t q = 0; q < machines.size(); ++q) {
        Refinement refinement(problems_[q], *products_);
        const Vector start(machines[q]->coefficients(), x_.rows);
        const bool found = refinement.run(start, most, points[q]);
        most -= refinement.spent();
        left_ -= refinement.spent();
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
