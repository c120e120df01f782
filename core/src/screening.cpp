#include "svsieve/screening.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "gathered.hpp"
#include "pair_series.hpp"
#include "pair_strips.hpp"
#include "parallel.hpp"
#include "power_removal.hpp"
#include "series_contraction.hpp"
#include "term_panels.hpp"
#include "vector/kernels.hpp"

namespace svsieve {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t widest = 2048;  // columns at a time

// A number that underflows in single precision, all being at most near one, is off by less.
constexpr double underflow = 0x1p-120;
// Own parts of rows may be cut off this far below their first order.
constexpr double fine = 1e-8;
// Smaller entries might lose their squares.
constexpr double least_reach = 1e-75;

double double_rounding(std::size_t rows) {
    return 1e-13 + static_cast<double>(rows + 4096) * 0x1p-52;
}

class Screening {
  public:
    Screening(const PairSeries& series, const ColumnBlock& block, const PairValues& pairs,
              const PairWeight& weight)
        : series_(series),
          block_(block),
          strips_(series, pairs, block.rows, weight,
                  find_common_part(series, pairs, block.rows, weight)),
          states_(block.columns.size()),
          found_{std::vector<double>(block.columns.size(), 0.0),
                 std::vector<double>(block.columns.size(), infinity)} {}

    Screened run(std::size_t count);

  private:
    using Columns = std::vector<std::size_t>;  // positions in block_.columns

    struct ColumnState {
        double widest_square = 0.0;   // largest z^2
        std::vector<double> moments;  // as many as matter
        double remainder = 0.0;       // its part of the bound
        double apart = 0.0;           // what may be lost beside: underflow, the common part
        bool complete = true;         // has all the terms so far
    };

    Gathered gather(const Columns& chosen) const;
    bool set_aside(const Columns& chosen, Gathered& z);
    std::size_t moments_needed(const Columns& chosen) const;
    void find_moments(const Columns& chosen, const Gathered& z);
    std::vector<double> largest_of(const Columns& chosen) const;
    void add_common_part(const Columns& chosen, const Gathered& z, std::size_t moments);
    void add_term(const PairSeries::Term& term, const Columns& chosen, const Gathered& z);
    void find_bounds(const Columns& chosen, std::size_t terms);
    Columns undecided(std::size_t count) const;
    Columns worth_another_term(std::size_t count) const;

    const PairSeries& series_;
    const ColumnBlock& block_;
    PairStrips<float> strips_;
    std::vector<ColumnState> states_;
    Screened found_;
};

Gathered Screening::gather(const Columns& chosen) const {
    return Gathered(PickedColumns(block_, chosen).block(), series_.column_factor,
                    2 * vector_kernels().lane_count, series_.differences);
}

// Blanks the columns that are out of reach, and marks those; false if it was most of them.
bool Screening::set_aside(const Columns& chosen, Gathered& z) {
    const std::vector<double> largest = z.largest_entries();
    std::size_t lost = 0;
    for (std::size_t c = 0; c < chosen.size(); ++c) {
        ColumnState& state = states_[chosen[c]];
        const bool inside = largest[c] <= series_.reach && largest[c] >= least_reach;
        if (inside || largest[c] == 0.0) {
            state.widest_square = largest[c] * largest[c];
            continue;
        }
        ++lost;
        state.apart = infinity;
        z.scale(c, c + 1, 0.0);
    }
    return 2 * lost <= chosen.size();
}

// Moments of which a high one is bounded well enough by the last that is computed.
std::size_t Screening::moments_needed(const Columns& chosen) const {
    const std::size_t all = series_.moments();
    if (!series_.one_matrix()) return all;
    double square = 0.0;
    for (const std::size_t c : chosen) square = std::max(square, states_[c].widest_square);
    double cut = 0.0;
    for (std::size_t i = all; i > 4; --i) {
        if (i <= series_.own.size()) cut += 2 * series_.own[i - 1] * std::pow(square, i - 1.0);
        if (cut > fine) return i;
    }
    return std::min<std::size_t>(all, 4);
}

std::vector<double> Screening::largest_of(const Columns& chosen) const {
    std::vector<double> largest;
    for (const std::size_t c : chosen) largest.push_back(std::sqrt(states_[c].widest_square));
    return largest;
}

void Screening::add_common_part(const Columns& chosen, const Gathered& z, std::size_t moments) {
    const CommonSums common = contract_common_part(series_, strips_.common(), z, largest_of(chosen),
                                                   std::min(2 * moments + 2, series_.order));
    // also of contractions with all of A
    const double exactness = 2 * (double_rounding(z.rows) + series_tolerance);
    for (std::size_t c = 0; c < chosen.size(); ++c) {
        found_.approximation[chosen[c]] += common.sums[c];
        states_[chosen[c]].apart +=
            1.0001 * (common.left_out[c] + exactness * common.magnitudes[c]);
    }
}

// Also adds what the rows contribute alone: A (own(z_k) + own(z_j)).
void Screening::find_moments(const Columns& chosen, const Gathered& z) {
    const Margins& margins = strips_.margins();
    const std::size_t needed = moments_needed(chosen);
    std::vector<const double*> weights;
    for (std::size_t i = 0; i < needed; ++i) {
        weights.push_back(margins.absolute[series_.one_matrix() ? 0 : i].data());
    }
    if (!strips_.common().empty()) add_common_part(chosen, z, needed);
    const std::vector<double> moments = z.power_sums(weights, PowersOf::Squares);
    for (std::size_t c = 0; c < chosen.size(); ++c) {
        for (std::size_t i = 0; i < needed; ++i) {
            states_[chosen[c]].moments.push_back(moments[i * z.stride + c]);
        }
    }
    const std::size_t own = std::min(needed, series_.own.size());
    const std::vector<double> sums =
        z.power_sums(std::vector<const double*>(own, margins.sums.data()), PowersOf::Squares);
    for (std::size_t i = 0; i < own; ++i) {
        for (std::size_t c = 0; c < chosen.size(); ++c) {
            found_.approximation[chosen[c]] += 2.0 * series_.own[i] * sums[i * z.stride + c];
        }
    }
}

void Screening::add_term(const PairSeries::Term& term, const Columns& chosen, const Gathered& z) {
    Columns places(chosen.size());
    std::iota(places.begin(), places.end(), 0);
    TermPanels<float> f(term, places, largest_of(chosen), z);
    f.fill(z);
    BlockSums sums(strips_.count(), chosen.size());
    parallel_tasks(strips_.count(), pair_work(z.rows, z.stride) / 8, [&](std::size_t index) {
        PairStrip<float> scratch;
        f.add_forms(strips_.strip(index, term.matrix, scratch), sums.of(index));
    });
    std::vector<double> totals(chosen.size(), 0.0);
    sums.add_to(totals);
    const std::vector<double>& absolute = strips_.margins().absolute[term.matrix];
    const double rows = static_cast<double>(z.rows);
    const double pairs =
        std::accumulate(absolute.begin(), absolute.end(), 0.0) * rows * rows * underflow;
    for (std::size_t c = 0; c < chosen.size(); ++c) {
        found_.approximation[chosen[c]] += totals[c];
        states_[chosen[c]].apart += f.magnitude(c) * pairs;
    }
}

void Screening::find_bounds(const Columns& chosen, std::size_t terms) {
    // Of the numbers that are screened: they come from a series as well, or from forms.
    const double exactness =
        double_rounding(block_.rows.size()) + std::max(series_tolerance, power_tolerance);
    const std::vector<double>& last = strips_.margins().absolute.back();
    const double loss = series_.direct_loss * std::accumulate(last.begin(), last.end(), 0.0);
    for (const std::size_t c : chosen) {
        ColumnState& state = states_[c];
        double left = 0.0, rounded = 0.0, whole = 0.0, moment = 0.0;
        for (std::size_t i = 0; i < series_.moments(); ++i) {
            const bool known = i < state.moments.size();
            moment = known ? state.moments[i] : moment * state.widest_square;
            const double own = i < series_.own.size() ? 2.0 * series_.own[i] : 0.0;
            for (std::size_t t = 0; t < terms; ++t) {
                rounded += series_.terms[t].magnitude[i] * moment;
            }
            left += (series_.remainder[terms][i] + (known ? 0.0 : own)) * moment;
            whole += (series_.remainder[0][i] + own) * moment;
        }
        state.remainder = left;
        const double bound = left + narrow_rounding * rounded + exactness * whole + loss;
        const double total = 1.0001 * bound + state.apart;
        const bool usable = std::isfinite(total) && std::isfinite(found_.approximation[c]);
        found_.bound[c] = usable ? total : infinity;
        if (!usable) found_.approximation[c] = 0.0;
    }
}

// Columns that may be among the `count` + 1 least or be the largest.
Screening::Columns Screening::undecided(std::size_t count) const {
    const std::size_t columns = block_.columns.size();
    std::vector<double> low(columns), high(columns);
    for (std::size_t c = 0; c < columns; ++c) {
        low[c] = std::abs(found_.approximation[c]) - found_.bound[c];
        high[c] = std::abs(found_.approximation[c]) + found_.bound[c];
    }
    std::vector<double> sorted(high);
    const std::size_t at = std::min(count, columns - 1);
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<long>(at), sorted.end());
    const double threshold = sorted[at], top = *std::max_element(low.begin(), low.end());
    Columns open;
    for (std::size_t c = 0; c < columns; ++c) {
        if (low[c] <= threshold || high[c] >= top) open.push_back(c);
    }
    return open;
}

// Of the undecided columns those that another term may decide; none if it would cost more than it
// saves. Measured in columns contracted in double precision, a term costs a twelfth of the columns
// that it is computed for and one more, or an eighth and four more where it first has to make its
// own matrix.
Screening::Columns Screening::worth_another_term(std::size_t count) const {
    const Columns open = undecided(count);
    Columns worth;
    for (const std::size_t c : open) {
        const bool finite = std::isfinite(found_.bound[c]);
        const bool rough = states_[c].remainder > 0.2 * found_.bound[c];
        if (finite && rough && states_[c].complete) worth.push_back(c);
    }
    const std::size_t lanes = vector_kernels().lane_count;
    const std::size_t enough = (count + lanes) / lanes * lanes;
    const std::size_t gain = open.size() > enough ? open.size() - enough : 0;
    const std::size_t cost = series_.one_matrix() ? worth.size() / 12 + 1 : worth.size() / 8 + 4;
    if (std::min(gain, worth.size()) < cost) worth.clear();
    return worth;
}

Screened Screening::run(std::size_t count) {
    Columns all(block_.columns.size());
    std::iota(all.begin(), all.end(), 0);
    for (std::size_t c0 = 0; c0 < all.size(); c0 += widest) {
        const Columns chosen(all.begin() + static_cast<long>(c0),
                             all.begin() + static_cast<long>(std::min(c0 + widest, all.size())));
        Gathered z = gather(chosen);
        if (!set_aside(chosen, z)) continue;
        find_moments(chosen, z);
        add_term(series_.terms[0], chosen, z);
        find_bounds(chosen, 1);
    }
    for (std::size_t terms = 1; terms < series_.terms.size(); ++terms) {
        const Columns chosen = worth_another_term(count);
        if (chosen.empty()) break;
        for (ColumnState& state : states_) state.complete = false;
        for (const std::size_t c : chosen) states_[c].complete = true;
        add_term(series_.terms[terms], chosen, gather(chosen));
        find_bounds(chosen, terms + 1);
    }
    return found_;
}

std::optional<PairSeries> series_for(Screen what, Pairing pairing, const Profile& profile) {
    if (profile.kind == ProfileKind::Identity) return {};  // the contraction itself is cheap
    return what == Screen::Removal ? removal_series(pairing, profile)
                                   : slope_series(pairing, profile);
}

}  // namespace

bool can_screen(Screen what, Pairing pairing, const Profile& profile) {
    return series_for(what, pairing, profile).has_value();
}

Screened screen(Screen what, Pairing pairing, const Profile& profile, const ColumnBlock& block,
                const PairValues& pairs, const PairWeight& weight, std::size_t count) {
    const std::optional<PairSeries> series = series_for(what, pairing, profile);
    if (!series) throw std::invalid_argument("no screening for this pairing and profile");
    if (block.rows.empty() || block.columns.empty()) {
        const std::vector<double> none(block.columns.size(), 0.0);
        return {none, none};
    }
    return Screening(*series, block, pairs, weight).run(count);
}

}  // namespace svsieve
