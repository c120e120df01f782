#include "sparse/sparse_machine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "svsieve/cancellation.hpp"

namespace svsieve::sparse {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double epsilon = std::numeric_limits<double>::epsilon();
// Passes over the rows, and entries and rows passed, whichever allows for more.
constexpr double most_passes = 2000.0, most_work = 1e8;
// Where the gap no longer halves, this near to what rounding leaves, that is it: the nearer, the
// fewer the rounds in vain.
constexpr int most_stalls = 3;
constexpr double near_rounding = 2.0;
constexpr int most_vain = 12;    // anywhere
constexpr int most_whole = 3;    // whole steps that do not solve the equations, for rounding
constexpr int most_rounds = 30;  // between two looks at all rows
// Equations are solved to this share of the tolerance: the tolerance is for the row that is furthest
// off, this is in the mean.
constexpr double equations_share = 0.02;

}  // namespace

SparseMachine::SparseMachine(const SparseRows& table, Workspace& workspace, SparseProblem problem,
                             const SparseOptions& options)
    : table_(table),
      options_(options),
      rows_(std::move(problem.rows)),
      y_(std::move(problem.labels)),
      upper_(std::move(problem.upper)),
      ridge_(std::move(problem.ridge)),
      weights_(table.columns()),
      a_(y_.size()),
      values_(y_.size()),
      moved_(infinity),
      active_(workspace.active),
      free_(workspace.free),
      g_(workspace.g),
      inverse_(workspace.inverse),
      x_(workspace.x),
      r_(workspace.r),
      p_(workspace.p),
      t_(workspace.t),
      cut_(workspace.cut),
      changes_of_(workspace.changes_of),
      step_(workspace.step),
      along_(workspace.along),
      ready_(workspace.ready),
      image_(workspace.image),
      border_(workspace.border),
      step_cut_(workspace.step_cut) {
    smooth_ = true;
    for (std::size_t i = 0; i < size(); ++i)
        smooth_ = smooth_ && (ridge_[i] > 0.0 || upper_[i] == 0.0);
    if (!options_.free_offset) scale_ = options_.bias * options_.bias;
}

// Descent and equations on the rows that may have to change; then a look at all of them.
void SparseMachine::solve() {
    random_ = 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(solves_);
    solves_ += 1.0;
    const std::vector<double> before = values_;
    const double begin = passes_;
    const double work = static_cast<double>(table_.entries() + size());
    const double limit = options_.max_passes < 0 ? std::max(most_passes, most_work / work)
                                                 : static_cast<double>(options_.max_passes);
    if (options_.free_offset) {  // the augmentation follows the rows, the offset stays
        double squares = 0.0;
        for (std::size_t i = 0; i < size(); ++i) squares += table_.square(row(i));
        base_ += scale_ * sum_;
        scale_ = squares / static_cast<double>(size());
        base_ -= scale_ * sum_;
    }
    const double wanted = equations_share * options_.tolerance;
    double reach = moved_, best = infinity;
    int stalls = 0;
    for (;;) {
        choose_active(reach);
        if (!smooth_ ||
            static_cast<double>(weights_.size()) > static_cast<double>(active_.size())) {
            descend();
            const double enough = std::max(wanted, 0.1 * floor());
            for (int k = 0, whole = 0; k < most_rounds && whole < most_whole; ++k) {
                if (passes_ - begin >= limit) break;
                const Outcome outcome = newton(enough);
                if (outcome == Outcome::Solved) break;
                if (outcome == Outcome::Inside)
                    ++whole;
                else
                    sweep(false);
            }
        } else {
            std::sort(active_.begin(), active_.end());
            base_ = running_offset();
            sum_ = 0.0;
            for (int k = 0; k < most_rounds && passes_ - begin < limit; ++k)
                if (smooth_step(wanted)) break;
            read_off();
        }
        check();
        if (gap_ <= options_.tolerance || passes_ - begin >= limit) break;
        stalls += gap_ > 0.5 * best;
        if (stalls > most_stalls && gap_ <= near_rounding * stalls * stalls * floor()) break;
        if (stalls > most_vain && passes_ - begin >= 0.5 * limit) break;
        best = std::min(best, gap_);
        reach = std::max(2.0 * reach, gap_);
    }
    moved_ = 0.0;
    for (std::size_t i = 0; i < size(); ++i)
        moved_ = std::max(moved_, std::abs(values_[i] - before[i]));
}

void SparseMachine::drop(const std::vector<char>& gone, const Removed& removed) {
    double most = 0.0;
    for (std::size_t i = 0; i < size(); ++i) {
        double change = 0.0;
        for (std::size_t e = removed.begins[row(i)]; e < removed.begins[row(i) + 1]; ++e)
            change += removed.values[e] * weights_[static_cast<std::size_t>(removed.columns[e])];
        values_[i] -= change;
        most = std::max(most, std::abs(change));
    }
    moved_ += most;
    std::size_t to = 0;
    for (std::size_t j = 0; j < gone.size(); ++j)
        if (gone[j] == 0) weights_[to++] = weights_[j];
    weights_.resize(to);
}

void SparseMachine::choose_active(double reach) {
    active_.clear();
    const double offset = running_offset();
    for (std::size_t i = 0; i < size(); ++i) {
        if (upper_[i] == 0.0) continue;
        const double g = y_[i] * (values_[i] + offset) - 1.0 + ridge_[i] * a_[i];
        const bool held = (a_[i] == 0.0 && g > reach) || (a_[i] == upper_[i] && g < -reach);
        if (!held) active_.push_back(static_cast<std::int32_t>(i));
    }
}

void SparseMachine::give(const double* coefficients, double offset) {
    std::vector<double> own(size());
    for (std::size_t i = 0; i < size(); ++i)
        own[i] = std::clamp(y_[i] * coefficients[i], 0.0, upper_[i]);
    const double gap = gap_, base = base_, sum = sum_;
    own.swap(a_);
    sum_ = 0.0;
    base_ = options_.free_offset ? offset : 0.0;
    check();
    if (gap_ < gap) return;
    own.swap(a_);
    base_ = base;
    sum_ = sum;
    check();
}

// Weights and values anew from the coefficients, and the gap by its definition.
void SparseMachine::check() {
    leave_if_cancelled();
    if (options_.free_offset) {
        base_ += scale_ * sum_;
        balance();
    }
    std::fill(weights_.begin(), weights_.end(), 0.0);
    sum_ = 0.0;
    for (std::size_t i = 0; i < size(); ++i) {
        if (a_[i] == 0.0) continue;
        table_.add(row(i), y_[i] * a_[i], weights_.data());
        sum_ += y_[i] * a_[i];
    }
    for (std::size_t i = 0; i < size(); ++i) values_[i] = table_.product(row(i), weights_.data());
    passes_ += 1.0;
    const Interval allowed = interval();
    gap_ = std::max(0.0, allowed.low - allowed.high);
    if (options_.free_offset) gap_ += std::abs(sum_);
    offset_ = running_offset();
    if (options_.free_offset) {
        bool free = false;
        for (std::size_t i = 0; i < size(); ++i) free |= a_[i] > 0.0 && a_[i] < upper_[i];
        if (std::isfinite(allowed.low) && std::isfinite(allowed.high)) {
            const auto [low, high] = std::minmax(allowed.low, allowed.high);
            offset_ -= free ? std::clamp(0.0, low, high) : 0.5 * (low + high);
        }
    }
}

// What rounding left of the sum goes to the row with most room for it.
void SparseMachine::balance() {
    sum_ = 0.0;
    double room = 0.0;
    std::size_t most = 0;
    for (std::size_t i = 0; i < size(); ++i) {
        sum_ += y_[i] * a_[i];
        const double own = std::min(a_[i], upper_[i] - a_[i]);
        if (own > room) {
            room = own;
            most = i;
        }
    }
    double mass = 0.0;
    for (const double a : a_) mass += a;
    if (room > std::abs(sum_) && std::abs(sum_) <= 1e-9 * mass) a_[most] -= y_[most] * sum_;
}

// The largest gradient of signed coefficients that can shrink and the least of those that can grow.
SparseMachine::Interval SparseMachine::interval() const {
    Interval found{-infinity, infinity};
    const double offset = running_offset();
    for (std::size_t i = 0; i < size(); ++i) {
        if (upper_[i] == 0.0) continue;
        const double g = y_[i] * (values_[i] + offset) - 1.0 + ridge_[i] * a_[i];
        const double h = y_[i] * g;
        const bool positive = a_[i] > 0.0, below = a_[i] < upper_[i];
        if (y_[i] > 0 ? positive : below) found.low = std::max(found.low, h);
        if (y_[i] > 0 ? below : positive) found.high = std::min(found.high, h);
    }
    if (!options_.free_offset) {
        found.low = std::max(found.low, 0.0);
        found.high = std::min(found.high, 0.0);
    }
    return found;
}

// The accuracy that rounding leaves to a gradient: that of the weights, and of products with them.
double SparseMachine::floor() const {
    double length = 0.0, longest = 0.0, own = 0.0;
    for (std::size_t i = 0; i < size(); ++i) {
        if (upper_[i] == 0.0) continue;
        const double norm = std::sqrt(table_.square(row(i)) + scale_);
        length += a_[i] * norm;
        longest = std::max(longest, norm);
        own = std::max(own, ridge_[i] * a_[i]);
    }
    return 2.0 * epsilon * (longest * length + own);
}

double SparseMachine::coefficient_norm() const {
    double squares = 0.0;
    for (const double a : a_) squares += a * a;
    return std::sqrt(squares);
}

double SparseMachine::accuracy() const {
    std::size_t right = 0;
    for (std::size_t i = 0; i < size(); ++i) right += y_[i] * (values_[i] + offset_) > 0.0;
    return static_cast<double>(right) / static_cast<double>(size());
}

std::vector<double> SparseMachine::coefficients() const {
    std::vector<double> signed_ones(size());
    for (std::size_t i = 0; i < size(); ++i) signed_ones[i] = y_[i] * a_[i];
    return signed_ones;
}

void SparseMachine::save(std::vector<double>& to) const {
    to.insert(to.end(), {base_, scale_, sum_, offset_, gap_, moved_, solves_});
    to.insert(to.end(), a_.begin(), a_.end());
    to.insert(to.end(), values_.begin(), values_.end());
}

// The weights follow from the coefficients, in the same bits: see check().
const double* SparseMachine::restore(const double* from) {
    for (double* one : {&base_, &scale_, &sum_, &offset_, &gap_, &moved_, &solves_}) *one = *from++;
    std::copy(from, from + size(), a_.begin());
    std::copy(from + size(), from + 2 * size(), values_.begin());
    weights_.assign(table_.columns(), 0.0);
    for (std::size_t i = 0; i < size(); ++i)
        if (a_[i] != 0.0) table_.add(row(i), y_[i] * a_[i], weights_.data());
    return from + 2 * size();
}

}  // namespace svsieve::sparse
