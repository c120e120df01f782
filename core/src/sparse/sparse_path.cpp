#include "svsieve/sparse_path.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "sparse/choice.hpp"
#include "sparse/sparse_machine.hpp"
#include "sparse/sparse_rows.hpp"
#include "svsieve/cancellation.hpp"

namespace svsieve {

namespace {

// A weight is a product u'x_j; this share of |u| |x_j| is its rounding (criteria/refined_weights.py).
constexpr double weight_resolution = 1e-11;

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

}  // namespace

class SparsePath::State {
  public:
    State(const SparseTable& x, Vector factors, const std::vector<std::size_t>& kept,
          const std::vector<std::size_t>& candidates, std::vector<SparseProblem> problems,
          const SparseOptions& options)
        : table_(x, kept, factors),
          kept_(kept),
          places_(kept.size()),
          keys_(kept.size()),
          norms_(kept.size()),
          candidate_(kept.size(), 0),
          free_offset_(options.free_offset) {
        const std::vector<std::uint64_t> keys = table_.keys();
        const std::vector<double> norms =
            table_.centred_norms(!options.free_offset && options.bias > 0.0 ? 1 : 0);
        for (std::size_t place = 0; place < kept.size(); ++place) {
            const std::size_t j = at(table_.names()[place]);
            places_[j] = place;
            keys_[j] = keys[place];
            norms_[j] = norms[place];
        }
        for (const std::size_t name : candidates) candidate_[at(name)] = 1;
        machines_.reserve(problems.size());
        for (SparseProblem& problem : problems) {
            if (problem.rows.empty()) {
                problem.rows.resize(x.rows());
                std::iota(problem.rows.begin(), problem.rows.end(), 0);
            }
            machines_.emplace_back(table_, workspace_, std::move(problem), options);
        }
    }

    void solve() {
        if (solved_) return;
        for (sparse::SparseMachine& machine : machines_) machine.solve();
        solved_ = true;
    }

    SparseSteps advance(Indices counts, double seconds, bool with_coefficients, SparseHalts halts) {
        SparseSteps steps;
        const double begin = now();
        double began = begin;
        for (const std::size_t count : counts) {
            solve();
            if (halts.stuck && !stuck().empty()) break;
            const sparse::Choice choice = choose(count);
            if (choice.open && halts.open) break;
            steps.counts.push_back(count);
            for (const std::size_t j : choice.places) {
                steps.dropped.push_back(kept_[j]);
                steps.scores.push_back(scores_[j]);
            }
            steps.following.push_back(choice.following);
            steps.gaps.push_back(gap());
            steps.accuracy.push_back(accuracy());
            steps.tied.push_back(choice.tied ? 1 : 0);
            steps.totals.push_back(std::accumulate(scores_.begin(), scores_.end(), 0.0));
            steps.resolution.push_back(choice.resolution);
            if (with_coefficients) {
                append(steps.coefficients, coefficients());
                append(steps.offsets, offsets());
            }
            std::vector<char> gone(kept_.size(), 0);
            for (const std::size_t j : choice.places) gone[j] = 1;
            drop(gone);
            const double end = now();
            steps.seconds.push_back(end - std::exchange(began, end));
            if (end - begin > seconds) break;
        }
        return steps;
    }

    void drop(const std::vector<std::size_t>& names) {
        std::vector<char> gone(kept_.size(), 0);
        for (const std::size_t name : names) gone[at(name)] = 1;
        drop(gone);
    }

    std::vector<std::size_t> stuck() const {
        std::vector<std::size_t> found;
        for (std::size_t q = 0; q < machines_.size(); ++q)
            if (machines_[q].is_stuck()) found.push_back(q);
        return found;
    }

    void give(std::size_t q, Vector coefficients, double offset) {
        if (q >= machines_.size() || coefficients.size() != machines_[q].size())
            throw std::invalid_argument("coefficients must be those of a machine");
        machines_[q].give(coefficients.data(), offset);
    }

    double gap() const {
        double most = 0.0;
        for (const auto& machine : machines_) most = std::max(most, machine.gap());
        return most;
    }

    double accuracy() const {
        double sum = 0.0;
        for (const auto& machine : machines_) sum += machine.accuracy();
        return sum / static_cast<double>(machines_.size());
    }

    double passes() const {
        double sum = 0.0;
        for (const auto& machine : machines_) sum += machine.passes();
        return sum;
    }

    const std::vector<std::size_t>& kept() const { return kept_; }
    const std::vector<double>& norms() const { return norms_; }

    std::vector<double> weights() const {
        std::vector<double> all;
        for (const auto& machine : machines_)
            for (std::size_t j = 0; j < kept_.size(); ++j) all.push_back(weight(machine, j));
        return all;
    }

    std::vector<double> sizes() const {
        std::vector<double> all;
        for (const auto& machine : machines_) {
            const double length = machine.coefficient_norm();
            for (const double norm : norms_) all.push_back(length * norm);
        }
        return all;
    }

    std::vector<double> coefficients() const {
        std::vector<double> all;
        for (const auto& machine : machines_) append(all, machine.coefficients());
        return all;
    }

    std::vector<double> offsets() const {
        std::vector<double> all;
        for (const auto& machine : machines_) all.push_back(machine.offset());
        return all;
    }

    std::vector<double> state() const {
        std::vector<double> all{solved_ ? 1.0 : 0.0};
        for (const auto& machine : machines_) machine.save(all);
        return all;
    }

    void restore(const std::vector<std::size_t>& dropped, Vector state) {
        std::size_t expected = 1;
        for (const auto& machine : machines_) expected += machine.state_size();
        if (state.size() != expected)
            throw std::invalid_argument("the state is not one of a path on this data");
        drop(dropped);
        solved_ = state[0] != 0.0;
        const double* from = state.data() + 1;
        for (auto& machine : machines_) from = machine.restore(from);
    }

  private:
    static void append(std::vector<double>& to, const std::vector<double>& more) {
        to.insert(to.end(), more.begin(), more.end());
    }

    // Where among the kept columns one is.
    std::size_t at(std::size_t name) const {
        const auto found = std::lower_bound(kept_.begin(), kept_.end(), name);
        if (found == kept_.end() || *found != name)
            throw std::invalid_argument("columns must be kept ones");
        return static_cast<std::size_t>(found - kept_.begin());
    }

    // An offset that is not penalised takes the part of constant columns: their weight is zero.
    double weight(const sparse::SparseMachine& machine, std::size_t j) const {
        return free_offset_ && norms_[j] == 0.0 ? 0.0 : machine.weights()[places_[j]];
    }

    sparse::Choice choose(std::size_t count) {
        const std::size_t d = kept_.size();
        scores_.assign(d, 0.0);
        resolution_.assign(d, 0.0);
        for (const auto& machine : machines_) {
            const double rounding = weight_resolution * machine.coefficient_norm();
            for (std::size_t j = 0; j < d; ++j) {
                const double w = weight(machine, j), open = rounding * norms_[j];
                scores_[j] += w * w;
                resolution_[j] += open * (2.0 * std::abs(w) + open);
            }
        }
        std::vector<std::size_t> candidates;
        for (std::size_t j = 0; j < d; ++j)
            if (candidate_[j] != 0) candidates.push_back(j);
        return sparse::least(scores_, resolution_, candidates, keys_, count);
    }

    void drop(const std::vector<char>& gone) {
        std::vector<char> by_place(kept_.size(), 0);
        for (std::size_t j = 0; j < gone.size(); ++j) by_place[places_[j]] = gone[j];
        const sparse::Removed removed = table_.drop(by_place);
        for (auto& machine : machines_) machine.drop(by_place, removed);
        std::vector<std::size_t> left(kept_.size());  // places before each that stay
        for (std::size_t place = 1; place < left.size(); ++place)
            left[place] = left[place - 1] + (by_place[place - 1] == 0 ? 1 : 0);
        std::size_t to = 0;
        for (std::size_t j = 0; j < gone.size(); ++j) {
            if (gone[j] != 0) continue;
            kept_[to] = kept_[j];
            places_[to] = left[places_[j]];
            keys_[to] = keys_[j];
            norms_[to] = norms_[j];
            candidate_[to++] = candidate_[j];
        }
        kept_.resize(to);
        places_.resize(to);
        keys_.resize(to);
        norms_.resize(to);
        candidate_.resize(to);
        solved_ = false;
    }

    sparse::SparseRows table_;
    // Of the kept columns, ascending: the column, its place in the table, its key, its norm.
    std::vector<std::size_t> kept_, places_;
    std::vector<std::uint64_t> keys_;
    std::vector<double> norms_;
    std::vector<char> candidate_;
    bool free_offset_;
    sparse::Workspace workspace_;
    std::vector<sparse::SparseMachine> machines_;
    std::vector<double> scores_, resolution_;
    bool solved_ = false;
};

SparsePath::SparsePath(const SparseTable& x, Vector factors, const std::vector<std::size_t>& kept,
                       const std::vector<std::size_t>& candidates,
                       std::vector<SparseProblem> problems, const SparseOptions& options)
    : state_(std::make_unique<State>(x, factors, kept, candidates, std::move(problems), options)) {}

SparsePath::~SparsePath() = default;

SparseSteps SparsePath::advance(Indices counts, double seconds, bool with_coefficients,
                                SparseHalts halts) {
    return state_->advance(counts, seconds, with_coefficients, halts);
}

std::vector<std::size_t> SparsePath::stuck() const {
    return state_->stuck();
}
void SparsePath::give(std::size_t machine, Vector coefficients, double offset) {
    state_->give(machine, coefficients, offset);
}

void SparsePath::solve() {
    state_->solve();
}
void SparsePath::drop(const std::vector<std::size_t>& columns) {
    state_->drop(columns);
}
double SparsePath::gap() const {
    return state_->gap();
}
double SparsePath::accuracy() const {
    return state_->accuracy();
}
double SparsePath::passes() const {
    return state_->passes();
}
std::size_t SparsePath::width() const {
    return state_->kept().size();
}
std::vector<std::size_t> SparsePath::kept() const {
    return state_->kept();
}
std::vector<double> SparsePath::weights() const {
    return state_->weights();
}
std::vector<double> SparsePath::sizes() const {
    return state_->sizes();
}
std::vector<double> SparsePath::coefficients() const {
    return state_->coefficients();
}
std::vector<double> SparsePath::offsets() const {
    return state_->offsets();
}
std::vector<double> SparsePath::norms() const {
    return state_->norms();
}
std::vector<double> SparsePath::state() const {
    return state_->state();
}
void SparsePath::restore(const std::vector<std::size_t>& dropped, Vector state) {
    state_->restore(dropped, state);
}

}  // namespace svsieve
