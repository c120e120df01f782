#include "svsieve/wide_path.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "svsieve/cancellation.hpp"
#include "svsieve/linalg.hpp"
#include "vector/kernels.hpp"
#include "wide/column_lists.hpp"
#include "wide/column_twins.hpp"
#include "wide/refinery.hpp"
#include "wide/state_archive.hpp"
#include "wide/tracked_machine.hpp"

namespace svsieve {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_between(Clock::time_point a, Clock::time_point b) {
    return std::chrono::duration<double>(b - a).count();
}

// Dropping more columns than this share of the rows, it is cheaper to factorise anew.
constexpr double worth_factorising = 0.6;
// The Gram matrix is built anew when the columns left have so little of what it was built from: the
// rest is rounding of columns that are gone.
constexpr double least_remainder = 1e-3;
constexpr double largest_gap = 1e-9;  // above it a solution is poor
constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

class WidePath::State {
  public:
    State(Matrix x, const std::vector<std::size_t>& kept,
          const std::vector<std::size_t>& candidates, const std::vector<DualProblem>& problems,
          Matrix starts, double tolerance)
        : gram_(x.rows),
          width_(gram_.stride),
          in_use_(kept),
          twins_(x),
          refinery_(x, kept, problems) {
        copy_columns(x);
        lists_ = std::make_unique<ColumnLists>(
            columns_.data(), width_, norms_, candidates,
            [this](std::size_t i, std::size_t j) { return twins_(i, j); });
        build_gram();
        machines_.reserve(problems.size());
        for (std::size_t q = 0; q < problems.size(); ++q) {
            machines_.push_back(std::make_unique<TrackedMachine>(problems[q], gram_, tolerance));
            machines_.back()->start(Vector(starts.row(q), x.rows));
            weighing_.push_back(machines_.back()->coefficients());
        }
    }

    WideSteps advance(Indices counts, double limit, bool with_coefficients);

    double gap() const {
        double worst = 0.0;
        for (const auto& machine : machines_) worst = std::max(worst, machine->gap());
        return worst;
    }
    double accuracy() const {
        double sum = 0.0;
        for (const auto& machine : machines_) sum += machine->accuracy();
        return sum / static_cast<double>(machines_.size());
    }
    void append_solution(std::vector<double>& coefficients, std::vector<double>& offsets) const {
        for (const auto& machine : machines_) {
            const double* b = machine->coefficients();
            coefficients.insert(coefficients.end(), b, b + gram_.size);
            offsets.push_back(-machine->multiplier());
        }
    }
    std::vector<double> scores() const {
        std::vector<double> out;
        lists_->score(weighing_, lists_->candidates(), out);
        return out;
    }
    std::vector<std::size_t> candidates() const { return lists_->candidates(); }

    std::vector<double> state() {
        StateWriter archive;
        exchange(archive);
        return std::move(archive.numbers);
    }
    void restore(const std::vector<std::size_t>& dropped, Vector state) {
        lists_->forget(dropped);
        StateReader archive(state);
        exchange(archive);
        archive.finish();
    }
    const WideSeconds& seconds() const { return seconds_; }
    WideFit fit();
    void settle_all();

  private:
    template <class Archive>
    void exchange(Archive& archive) {
        archive.fixed(gram_.values);
        archive.indices(in_use_, norms_.size());
        archive.indices(gone_, norms_.size());
        archive.number(built_with_);
        archive.number(built_size_);
        archive.number(size_left_);
        archive.number(largest_entry_);
        refinery_.exchange(archive);
        for (auto& machine : machines_) machine->exchange(archive);
    }

    // Centred, padded, one after the other; a constant column becomes exactly zero. The coefficients
    // sum to zero, so shifting a column changes no weight, and small numbers keep more digits.
    void copy_columns(Matrix x) {
        columns_.assign(x.columns * width_, 0.0);
        norms_.assign(x.columns, 0.0);
        constexpr std::size_t block = 32;  // columns at a time: whole cache lines of x
        for (std::size_t first = 0; first < x.columns; first += block) {
            const std::size_t count = std::min(block, x.columns - first);
            const double* top = x.row(0) + first;
            double mean[block] = {}, spread[block] = {};
            for (std::size_t i = 0; i < x.rows; ++i) {
                const double* row = x.row(i) + first;
                for (std::size_t c = 0; c < count; ++c) {
                    const double difference = row[c] - top[c];
                    mean[c] += difference;
                    spread[c] = std::max(spread[c], std::abs(difference));
                }
            }
            for (std::size_t c = 0; c < count; ++c) {
                if (spread[c] == 0.0) continue;
                const double shift = mean[c] / static_cast<double>(x.rows);
                double* column = columns_.data() + (first + c) * width_;
                for (std::size_t i = 0; i < x.rows; ++i) {
                    column[i] = (x(i, first + c) - top[c]) - shift;
                }
            }
        }
        for (std::size_t j = 0; j < x.columns; ++j) {
            const double* column = columns_.data() + j * width_;
            double square;
            vector_kernels().column_dots(1, &column, width_, column, &square);
            norms_[j] = std::sqrt(square);
        }
    }

    // K = sum of x x' over the columns in use, block by block.
    void build_gram() {
        std::fill(gram_.values.begin(), gram_.values.end(), 0.0);
        add_products(in_use_, 1.0);
        built_with_ = in_use_.size();
        size_left_ = 0.0;
        for (const std::size_t id : in_use_) size_left_ += norms_[id] * norms_[id];
        built_size_ = size_left_;
        largest_entry_ = 0.0;
        for (std::size_t i = 0; i < gram_.size; ++i)
            largest_entry_ = std::max(largest_entry_, gram_.row(i)[i]);
    }

    void add_products(const std::vector<std::size_t>& columns, double sign) {
        constexpr std::size_t block = 512;
        const MutableMatrix k(gram_.values.data(), gram_.size, gram_.size, gram_.stride);
        std::vector<double> table;
        for (std::size_t first = 0; first < columns.size(); first += block) {
            leave_if_cancelled();
            const std::size_t count = std::min(block, columns.size() - first);
            table.resize(count * width_);
            for (std::size_t c = 0; c < count; ++c) {
                std::copy_n(columns_.data() + columns[first + c] * width_, width_,
                            table.data() + c * width_);
            }
            multiply_own_transpose_by(sign, Matrix(table.data(), count, gram_.size, width_), 1.0,
                                      k);
        }
        for (std::size_t i = 0; i < gram_.size; ++i) {
            for (std::size_t j = 0; j < i; ++j) k(j, i) = k(i, j);
        }
    }

    // What is known of the weights that the machines have now.
    Certainty certainty() {
        Certainty known{0.0, 0.0};
        for (const auto& machine : machines_) {
            const Doubt doubt = machine->doubt(largest_entry_);
            known.error = std::hypot(known.error, doubt.error);
            known.relative = std::hypot(known.relative, doubt.relative);
        }
        return known;
    }

    void choose(std::size_t count, Choice& choice);
    void drop(const std::vector<std::size_t>& dropped);

    PaddedGram gram_;
    std::size_t width_;
    AlignedVector<double> columns_;
    std::vector<double> norms_;
    std::vector<std::size_t>
        in_use_;  // ascending; columns gone since the last build are still there
    std::vector<std::size_t> gone_;
    std::size_t built_with_ = 0;
    double built_size_ = 0.0;  // sum of squared norms of the columns the Gram matrix was built from
    double size_left_ = 0.0;   // of those among them that are left
    double largest_entry_ = 0.0;  // of the Gram matrix when it was built
    ColumnTwins twins_;
    Refinery refinery_;
    std::vector<double> refined_;  // scores
    std::unique_ptr<ColumnLists> lists_;
    std::vector<std::unique_ptr<TrackedMachine>> machines_;
    Weighing weighing_;
    WideSeconds seconds_;
    Clock::time_point solving_since_;
};

// Machines are refined where their solution is known to be poor, and where it leaves the choice open.
void WidePath::State::choose(std::size_t count, Choice& choice) {
    Certainty known = certainty();
    known.last_word = false;
    const bool poor = !(gap() <= largest_gap && known.error < infinity);
    if (!poor && lists_->choose(weighing_, count, known, choice)) return;
    Certainty refined;
    if (refinery_.run(machines_, poor, refined_, refined)) {
        lists_->choose_by(refined_, weighing_, count, refined, choice);
        return;
    }
    settle_all();
    known = certainty();
    lists_->choose(weighing_, count, known, choice);
}

// Machines that were left where a refinement had put them.
void WidePath::State::settle_all() {
    for (auto& machine : machines_) {
        if (machine->is_adrift()) machine->settle_anew(true);
    }
}

WideFit WidePath::State::fit() {
    std::vector<std::size_t> columns, gone(gone_);
    std::sort(gone.begin(), gone.end());
    std::set_difference(in_use_.begin(), in_use_.end(), gone.begin(), gone.end(),
                        std::back_inserter(columns));
    WideFit out;
    Certainty known = certainty();
    const bool poor = !(gap() <= largest_gap && known.error < infinity);
    const auto compare = [&] {
        return lists_->compare(weighing_, columns, out.scores, known, out.resolution);
    };
    lists_->score(weighing_, columns, out.scores);
    if (poor || !compare()) {
        if (refinery_.run(machines_, poor, refined_, known)) {
            for (std::size_t k = 0; k < columns.size(); ++k) out.scores[k] = refined_[columns[k]];
        } else {
            settle_all();
            known = certainty();
            lists_->score(weighing_, columns, out.scores);
        }
        compare();
    }
    out.gap = std::max(0.0, gap());
    out.accuracy = accuracy();
    append_solution(out.coefficients, out.offsets);
    return out;
}

void WidePath::State::drop(const std::vector<std::size_t>& dropped) {
    gone_.insert(gone_.end(), dropped.begin(), dropped.end());
    const std::size_t left = in_use_.size() - gone_.size();
    refinery_.forget(dropped);
    for (const std::size_t id : dropped) size_left_ -= norms_[id] * norms_[id];
    if (2 * left <= built_with_ || size_left_ < least_remainder * built_size_) {
        std::sort(gone_.begin(), gone_.end());
        std::vector<std::size_t> kept;
        std::set_difference(in_use_.begin(), in_use_.end(), gone_.begin(), gone_.end(),
                            std::back_inserter(kept));
        in_use_.swap(kept);
        gone_.clear();
        build_gram();
        solving_since_ = Clock::now();
        for (auto& machine : machines_) {
            if (!machine->is_adrift()) machine->settle_anew(true);
        }
        return;
    }
    if (static_cast<double>(dropped.size()) > worth_factorising * static_cast<double>(gram_.size)) {
        add_products(dropped, -1.0);
        solving_since_ = Clock::now();
        for (auto& machine : machines_) {
            if (!machine->is_adrift()) machine->settle_anew(true);
        }
        return;
    }
    for (const std::size_t id : dropped) {
        const double* column = columns_.data() + id * width_;
        for (auto& machine : machines_) {
            if (machine->is_adrift()) continue;
            double weight;
            vector_kernels().column_dots(1, &column, width_, machine->coefficients(), &weight);
            machine->forget(column, weight);
        }
        vector_kernels().add_outer(gram_.size, width_, -1.0, column, gram_.values.data(),
                                   gram_.stride);
    }
    solving_since_ = Clock::now();
    for (auto& machine : machines_) {
        if (machine->is_adrift()) continue;
        dropped.size() == 1 ? machine->settle() : machine->settle_anew(false);
    }
}

WideSteps WidePath::State::advance(Indices counts, double limit, bool with_coefficients) {
    WideSteps steps;
    Choice choice;
    const Clock::time_point begin = Clock::now();
    Clock::time_point before = begin;
    for (const std::size_t count : counts) {
        leave_if_cancelled();
        if (count == 0 || count > lists_->left()) {
            throw std::invalid_argument("a step must drop between 1 and all of the candidates");
        }
        choose(count, choice);
        steps.gaps.push_back(std::max(0.0, gap()));
        steps.accuracy.push_back(accuracy());
        if (with_coefficients) append_solution(steps.coefficients, steps.offsets);
        const Clock::time_point chosen = Clock::now();
        steps.counts.push_back(count);
        steps.dropped.insert(steps.dropped.end(), choice.columns.begin(), choice.columns.end());
        steps.scores.insert(steps.scores.end(), choice.scores.begin(), choice.scores.end());
        steps.following.push_back(choice.following);
        steps.tied.push_back(choice.tied);
        steps.resolution.push_back(choice.resolution);
        drop(choice.columns);
        const Clock::time_point after = Clock::now();
        seconds_.choosing += seconds_between(before, chosen);
        seconds_.down_dating += seconds_between(chosen, solving_since_);
        seconds_.solving += seconds_between(solving_since_, after);
        steps.seconds.push_back(seconds_between(before, after));
        before = after;
        if (seconds_between(begin, after) > limit) break;
    }
    return steps;
}

WidePath::WidePath(Matrix x, const std::vector<std::size_t>& kept,
                   const std::vector<std::size_t>& candidates,
                   const std::vector<DualProblem>& problems, Matrix starts, double tolerance)
    : state_(std::make_unique<State>(x, kept, candidates, problems, starts, tolerance)) {}
WidePath::~WidePath() = default;

WideSteps WidePath::advance(Indices counts, double seconds, bool with_coefficients) {
    return state_->advance(counts, seconds, with_coefficients);
}
std::vector<std::size_t> WidePath::candidates() const {
    return state_->candidates();
}
WideFit WidePath::fit() {
    return state_->fit();
}
std::vector<double> WidePath::scores() const {
    state_->settle_all();
    return state_->scores();
}
std::vector<double> WidePath::state() const {
    return state_->state();
}
void WidePath::restore(const std::vector<std::size_t>& dropped, Vector state) {
    state_->restore(dropped, state);
}
double WidePath::gap() const {
    state_->settle_all();
    return std::max(0.0, state_->gap());
}
double WidePath::accuracy() const {
    state_->settle_all();
    return state_->accuracy();
}
std::vector<double> WidePath::coefficients() const {
    state_->settle_all();
    std::vector<double> coefficients, offsets;
    state_->append_solution(coefficients, offsets);
    return coefficients;
}
std::vector<double> WidePath::offsets() const {
    state_->settle_all();
    std::vector<double> coefficients, offsets;
    state_->append_solution(coefficients, offsets);
    return offsets;
}
const WideSeconds& WidePath::seconds() const {
    return state_->seconds();
}

}  // namespace svsieve
