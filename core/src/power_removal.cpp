#include "power_removal.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>
#include <utility>

#include "common_part.hpp"
#include "gathered.hpp"
#include "pair_series.hpp"
#include "pair_strips.hpp"
#include "pair_values.hpp"
#include "parallel.hpp"
#include "term_panels.hpp"
#include "vector/kernels.hpp"

namespace svsieve {

namespace {

// Rows of a strip, and of the blocks in which its columns are filled in: the pair weights of all terms
// stay in the second level of the cache until they are multiplied.
constexpr std::size_t height = 128;
// Rows that pass until an entry that is asked for is read, and entries in a line of the cache.
constexpr std::size_t ahead = 3, line = 8;
// Forms in single precision that take less time than the tiles; one in double precision is two.
constexpr std::size_t most_forms = 7;
// How much the likeness of a row is changed, as a share of the unlikeness.
constexpr double likeness_share = 0x1p-8;
// Of single precision: entries, rounded once each, and a sum of narrow_depth of their products.
const double narrow_error = 0x1p-24 * std::sqrt(static_cast<double>(narrow_depth));

std::vector<double> padded_copy(Vector source) {
    std::vector<double> copy(padded(source.size(), row_padding), 0.0);
    std::copy(source.begin(), source.end(), copy.begin());
    return copy;
}

// Zeros in row k from its diagonal on, as far as products read it.
template <class T>
void clear_from(std::size_t k, const PairStrip<T>& strip) {
    if (k >= strip.to) return;
    T* row = strip.values.data() + (k - strip.first) * strip.stride;
    std::fill(row + (k - strip.from), row + (padded(k + 1, row_padding) - strip.from), T{});
}

class PowerRemoval {
  public:
    PowerRemoval(const PairSeries& series, const Profile& profile, const PairValues& pairs,
                 Indices rows, const PairWeight& weight, const std::vector<double>& likeness);

    // Whether the weights keep their digits in single precision, once they are scaled.
    bool scalable() const;
    // The columns [c0, c1) of a block.
    void run(const ColumnBlock& block, std::size_t c0, std::size_t c1, MutableVector out,
             std::vector<std::size_t>& others) const;

  private:
    // Pair weights of one term, and the forms of the strip so far.
    template <class T>
    struct Weighed {
        const TermPanels<T>& panels;
        PairStrip<T> strip;
        std::vector<double> forms;
    };
    struct Strips {
        std::vector<Weighed<double>> exact;
        std::vector<Weighed<float>> narrow;
    };

    std::size_t strip_count() const { return (rows_.size() + height - 1) / height; }
    void take_bases(std::size_t k, std::size_t from, std::size_t to,
                    std::vector<double>& row) const;
    void find_unlikeness();
    void scatter_likeness();
    template <class T>
    std::vector<Weighed<T>> strips_for(const std::vector<TermPanels<T>>& terms,
                                       std::size_t index) const;
    void fill_row(std::size_t k, std::size_t from, std::size_t to, const Strips& strips,
                  std::vector<double>& bases) const;
    void add_strip(const PlannedTerms& terms, std::size_t index, double* sums) const;
    TermPlans plans(const Gathered& z) const;
    void add_likeness(const Gathered& z, std::vector<double>& sums) const;
    void add_diagonal(const Gathered& z, std::vector<double>& sums) const;
    void add_rests(const Gathered& z, const TermPlans& plans, std::vector<double>& sums) const;

    int lower(int q) const { return profile_.degree - q; }
    double coefficient(int q) const { return series_.matrices[q - 1].multiple; }
    double excess(int q) const { return excess_[q - 1]; }
    double largest_rest(int q) const {
        return largest_[q - 1] * largest_[q - 1] * std::max(1.0, excess(q));
    }
    // A power of two that brings the largest weight of the rest near one.
    double normal(int q) const { return normal_[q - 1]; }

    const PairSeries& series_;
    const Profile& profile_;
    PairValues pairs_;
    Indices rows_;
    double scale_;
    std::vector<double> weights_, likeness_;  // padded
    std::vector<double> largest_;             // |b| times l^e, for each q
    std::vector<std::vector<double>> alike_;  // b_k l_k^(p-q) for q = 1, 2, ...
    std::vector<std::vector<double>> sizes_;  // their magnitudes, but for q = p
    double unlikeness_ = 0.0;                 // |B_kj / (l_k l_j) - 1| at most
    std::vector<double> excess_;              // (1 + unlikeness)^(p-q) - 1
    std::vector<double> normal_;
};

PowerRemoval::PowerRemoval(const PairSeries& series, const Profile& profile,
                           const PairValues& pairs, Indices rows, const PairWeight& weight,
                           const std::vector<double>& likeness)
    : series_(series),
      profile_(profile),
      pairs_(pairs),
      rows_(rows),
      scale_(weight.scale),
      weights_(padded_copy(weight.outer)),
      likeness_(padded_copy(likeness)) {
    find_unlikeness();
    scatter_likeness();
    std::vector<double> power(weights_);
    for (int q = profile.degree; q > 0; --q) {  // powers of l ascend
        alike_.insert(alike_.begin(), power);
        double most = 0.0;
        for (std::size_t k = 0; k < rows.size(); ++k) {
            most = std::max(most, std::abs(power[k]));
            power[k] *= likeness_[k];
        }
        largest_.insert(largest_.begin(), most);
    }
    for (int q = 1; q < profile.degree; ++q) {  // nothing is left of the last
        excess_.push_back(std::expm1(lower(q) * std::log1p(unlikeness_)));
        normal_.push_back(normalising(largest_rest(q)));
        sizes_.push_back(alike_[q - 1]);
        for (double& each : sizes_.back()) each = std::abs(each);
    }
}

// B of a row against the rows [from, to), all before it; padded. The same entries of a later row are
// asked for meanwhile: parts of rows lie far apart.
void PowerRemoval::take_bases(std::size_t k, std::size_t from, std::size_t to,
                              std::vector<double>& row) const {
    Profile linear = profile_;
    linear.degree = 1;
    row.resize(padded(to - from, row_padding));
    if (k + ahead < rows_.size() && from < to) {
        const double *next = pairs_.s.row(rows_[k + ahead]), *stop = next + rows_[to - 1];
        for (next += rows_[from]; next < stop; next += line) __builtin_prefetch(next);
    }
    take_profile(pairs_.s, linear, rows_, k, from, to, row.data());
    std::fill(row.begin() + static_cast<long>(to - from), row.end(), 0.0);
}

void PowerRemoval::find_unlikeness() {
    std::vector<double> inverse(likeness_.size(), 0.0), most(strip_count(), 0.0);
    for (std::size_t k = 0; k < rows_.size(); ++k) inverse[k] = 1.0 / likeness_[k];
    const VectorKernels& kernels = vector_kernels();
    parallel_tasks(strip_count(), 4 * pair_work(rows_.size(), 1), [&](std::size_t index) {
        std::vector<double> row;
        for (std::size_t k = index * height; k < std::min((index + 1) * height, rows_.size());
             ++k) {
            take_bases(k, 0, k, row);
            kernels.add_scaled(k, -likeness_[k], likeness_.data(), row.data());
            const RowSums sums =
                kernels.weigh_row(k, inverse[k], inverse.data(), row.data(), nullptr, nullptr);
            // A NaN is lost in the largest, not in the sum.
            const double largest = std::isfinite(sums.absolute) ? sums.largest : HUGE_VAL;
            most[index] = std::max(most[index], largest);
        }
    });
    unlikeness_ = *std::max_element(most.begin(), most.end());
}

// Takes random l_k that are nearly as good: equal pairs of rows get different weights.
void PowerRemoval::scatter_likeness() {
    std::mt19937_64 engine;
    const double step = likeness_share * std::min(1.0, unlikeness_);
    for (std::size_t k = 0; k < rows_.size(); ++k) {
        likeness_[k] *= 1.0 + step * (static_cast<double>(engine() >> 11) * 0x1p-52 - 1.0);
    }
    unlikeness_ = (1.0 + unlikeness_) / ((1.0 - step) * (1.0 - step)) - 1.0;
}

// For every term, with zeros below the last row.
template <class T>
std::vector<PowerRemoval::Weighed<T>> PowerRemoval::strips_for(
    const std::vector<TermPanels<T>>& terms, std::size_t index) const {
    std::vector<Weighed<T>> strips;
    for (const TermPanels<T>& panels : terms) {
        PairStrip<T> strip;
        strip.first = index * height;
        strip.stop = std::min(strip.first + height, rows_.size());
        strip.stride = height;
        const std::size_t used = (strip.stop - strip.first) * strip.stride,
                          all = padded(strip.stop - strip.first, row_padding) * strip.stride;
        strip.values = Scratch<T>(all);
        std::fill(strip.values.data() + used, strip.values.data() + all, T{});
        const int q = panels.term().power;
        strip.scale = 2.0 * scale_ * coefficient(q) / normal(q);
        strips.push_back({panels, std::move(strip), panels.no_forms()});
    }
    return strips;
}

// b_k b_j (B_kj^e - (l_k l_j)^e), e = p - q, for j in [from, to), but for the diagonal; normalised.
void PowerRemoval::fill_row(std::size_t k, std::size_t from, std::size_t to, const Strips& strips,
                            std::vector<double>& bases) const {
    take_bases(k, from, std::min(k, to), bases);
    PowerRests rows{
        0, weights_.data() + from, bases.data(), likeness_[k], likeness_.data() + from, {}, {}, {}};
    const auto want = [&](const auto& weighed, auto& targets) {
        const int q = weighed.panels.term().power, e = lower(q);
        rows.highest = std::max(rows.highest, e);
        rows.factors[e] = normal(q) * weights_[k];
        targets[e] = weighed.strip.values.data() + (k - weighed.strip.first) * weighed.strip.stride;
    };
    for (const auto& weighed : strips.exact) want(weighed, rows.exact);
    for (const auto& weighed : strips.narrow) want(weighed, rows.narrow);
    vector_kernels().power_rests(rows, bases.size());
    for (const auto& weighed : strips.exact) clear_from(k, weighed.strip);
    for (const auto& weighed : strips.narrow) clear_from(k, weighed.strip);
}

// The forms of all terms over the pairs of a strip.
void PowerRemoval::add_strip(const PlannedTerms& terms, std::size_t index, double* sums) const {
    Strips strips{strips_for(terms.exact, index), strips_for(terms.narrow, index)};
    const std::size_t first = index * height, stop = std::min(first + height, rows_.size());
    const auto each = [&](auto task) {
        for (auto& weighed : strips.exact) task(weighed);
        for (auto& weighed : strips.narrow) task(weighed);
    };
    std::vector<double> bases;
    for (std::size_t from = 0; from < stop; from += height) {
        const std::size_t to = std::min(from + height, stop);
        each([&](auto& weighed) {
            weighed.strip.from = from;
            weighed.strip.to = to;
        });
        for (std::size_t k = first; k < stop; ++k) fill_row(k, from, to, strips, bases);
        each([](auto& weighed) { weighed.panels.multiply(weighed.strip, weighed.forms); });
    }
    each([&](const auto& weighed) {
        weighed.panels.add_scaled(weighed.forms, weighed.strip.scale, sums);
    });
}

// As |B^e - (l_k l_j)^e| <= ((1 + u)^e - 1) (l_k l_j)^e, u the unlikeness, the q-th form is at most
// that multiple of |c_q| (sum_k |b_k| l_k^e |z_k|^q)^2.
TermPlans PowerRemoval::plans(const Gathered& z) const {
    std::vector<const double*> weights;
    for (const std::vector<double>& sizes : sizes_) weights.push_back(sizes.data());
    const std::vector<double> sums = z.power_sums(weights, PowersOf::Magnitudes);
    TermPlans found(z.columns);
    for (std::size_t c = 0; c < z.columns; ++c) {
        const double whole = std::abs(coefficient(1)) * sums[c] * sums[c];
        // How many terms there are before those that come to at most so much.
        const auto before = [&](std::size_t terms, double most) {
            for (double left = 0.0; terms > 0; --terms) {
                const int q = static_cast<int>(terms);
                const double sum = sums[(terms - 1) * z.stride + c];
                left += std::abs(coefficient(q)) * excess(q) * sum * sum;
                if (!(left <= most)) break;
            }
            return terms;
        };
        const std::size_t terms = before(weights.size(), power_cut * whole),
                          exact = before(terms, narrow_tolerance / narrow_error * whole);
        if (std::isfinite(whole) && terms + exact <= most_forms) found[c] = TermPlan{terms, exact};
    }
    return found;
}

// sum_q c_q sum_kj b_k b_j (l_k l_j)^(p-q) (z_k z_j)^q
void PowerRemoval::add_likeness(const Gathered& z, std::vector<double>& sums) const {
    std::vector<const double*> weights;
    for (const std::vector<double>& alike : alike_) weights.push_back(alike.data());
    const std::vector<double> parts = z.power_sums(weights, PowersOf::Entries);
    for (int q = profile_.degree; q > 0; --q) {  // the smallest first
        for (std::size_t c = 0; c < z.columns; ++c) {
            const double part = parts[(q - 1) * z.stride + c];
            sums[c] += scale_ * coefficient(q) * part * part;
        }
    }
}

// The pairs of a row with itself, in place of what `add_likeness` has added for them.
void PowerRemoval::add_diagonal(const Gathered& z, std::vector<double>& sums) const {
    OwnPairs pairs, alike;
    for (std::size_t k = 0; k < z.rows; ++k) {
        const double weight = scale_ * weights_[k] * weights_[k];
        pairs.bases.push_back(profile_.gamma * pairs_.s(rows_[k], rows_[k]) + profile_.coef0);
        pairs.weights.push_back(weight);
        alike.bases.push_back(likeness_[k] * likeness_[k]);
        alike.weights.push_back(-weight);
    }
    add_own_removals(profile_.degree, z, {pairs, alike}, sums);
}

void PowerRemoval::add_rests(const Gathered& z, const TermPlans& plans,
                             std::vector<double>& sums) const {
    const std::vector<double> largest = z.largest_entries();
    const PlannedTerms terms(series_.terms, plans, largest, z);
    if (terms.exact.empty() && terms.narrow.empty()) return;
    BlockSums blocks(strip_count(), z.columns);
    parallel_tasks(strip_count(), pair_work(z.rows, z.columns) / 8,
                   [&](std::size_t index) { add_strip(terms, index, blocks.of(index)); });
    blocks.add_to(sums);
}

bool PowerRemoval::scalable() const {
    for (int q = 1; q < profile_.degree; ++q) {
        const double least = largest_[q - 1] * largest_[q - 1];
        if (!(least >= 0x1p-1000 && largest_rest(q) <= 0x1p1000)) return false;
    }
    return true;
}

void PowerRemoval::run(const ColumnBlock& block, std::size_t c0, std::size_t c1, MutableVector out,
                       std::vector<std::size_t>& others) const {
    const Gathered z(part_of(block, c0, c1), series_.column_factor, 2 * vector_kernels().lane_count,
                     false);
    const TermPlans found = plans(z);
    std::vector<double> sums(z.columns, 0.0);
    if (std::any_of(found.begin(), found.end(),
                    [](const auto& plan) { return plan.has_value(); })) {
        add_rests(z, found, sums);
        add_likeness(z, sums);
        add_diagonal(z, sums);
    }
    add_planned(found, sums, c0, out, others);
}

}  // namespace

void add_own_removals(int degree, const Gathered& z, const std::vector<OwnPairs>& pairs,
                      MutableVector out) {
    std::vector<double> sums(z.stride, 0.0);
    for (std::size_t k = 0; k < z.rows; ++k) {
        for (const OwnPairs& each : pairs) {
            vector_kernels().own_removal(z.stride, z.row(k), degree, each.bases[k], each.weights[k],
                                         sums.data());
        }
    }
    for (std::size_t c = 0; c < z.columns; ++c) out[c] += sums[c];
}

std::vector<std::size_t> remove_power_by_forms(const Profile& profile, const ColumnBlock& block,
                                               const PairValues& pairs, const PairWeight& weight,
                                               MutableVector out) {
    const std::size_t columns = block.columns.size();
    std::vector<std::size_t> others(columns);
    std::iota(others.begin(), others.end(), 0);
    const std::optional<PairSeries> series = removal_series(Pairing::Product, profile);
    if (!series || weight.dense.data != nullptr) return others;
    // Only a kernel that is positive definite, with this column and without, has changes that do not
    // cancel: the whole says how large they are.
    if (!(profile.coef0 >= 0.0)) return others;
    Profile base = profile;
    base.degree = 1;
    const std::vector<double> likeness = find_likeness(base, pairs, block.rows);
    if (likeness.empty()) return others;
    const PowerRemoval removal(*series, profile, pairs, block.rows, weight, likeness);
    if (!removal.scalable()) return others;
    others.clear();
    const std::size_t width = columns_at_a_time(block.rows.size());
    for (std::size_t c0 = 0; c0 < columns; c0 += width) {
        removal.run(block, c0, std::min(c0 + width, columns), out, others);
    }
    return others;
}

}  // namespace svsieve
