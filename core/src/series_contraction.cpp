#include "series_contraction.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "gathered.hpp"
#include "pair_strips.hpp"
#include "parallel.hpp"
#include "term_panels.hpp"

namespace svsieve {

namespace {

constexpr std::size_t most_columns = 2048;                  // at a time
constexpr std::size_t most_entries = std::size_t{1} << 22;  // of these columns

// Pairs have to differ in a column by so much, as a share of what they might differ.
constexpr double least_share = 0.1;

// How many terms a column needs, and how many of them in double precision.
struct Plan {
    std::size_t terms;
    std::size_t exact;
};

double sum_of(const std::vector<double>& coefficients, const std::vector<double>& moments) {
    double sum = 0.0;
    for (std::size_t i = 0; i < coefficients.size(); ++i) sum += coefficients[i] * moments[i];
    return sum;
}

class SeriesContraction {
  public:
    SeriesContraction(const PairSeries& series, const ColumnBlock& block, const PairValues& pairs,
                      const PairWeight& weight, CommonPart common)
        : series_(series),
          block_(block),
          strips_(series, pairs, block.rows, weight, std::move(common)) {}

    // The columns [c0, c1).
    void run(std::size_t c0, std::size_t c1, MutableVector out, std::vector<std::size_t>& others);

  private:
    using Plans = std::vector<std::optional<Plan>>;

    Gathered gather(std::size_t c0, std::size_t c1) const;
    CommonSums common_sums(const Gathered& z, const std::vector<double>& largest) const;
    Plans plans(const Gathered& z, const std::vector<double>& largest,
                const CommonSums& common) const;
    std::optional<Plan> plan(const std::vector<double>& moments, double magnitude,
                             double spread) const;
    void add_own_parts(const Gathered& z, std::vector<double>& sums) const;
    void add_terms(const Gathered& z, const std::vector<double>& largest, const Plans& plans,
                   std::vector<double>& sums) const;

    const PairSeries& series_;
    const ColumnBlock& block_;
    PairStrips<double> strips_;
};

Gathered SeriesContraction::gather(std::size_t c0, std::size_t c1) const {
    const ColumnBlock part{block_.table, block_.rows, block_.columns.subspan(c0, c1 - c0),
                           block_.factors.subspan(c0, c1 - c0)};
    return Gathered(part, series_.column_factor, vector_kernels().lane_count, series_.differences);
}

CommonSums SeriesContraction::common_sums(const Gathered& z,
                                          const std::vector<double>& largest) const {
    if (!strips_.common().empty()) {
        return contract_common_part(series_, strips_.common(), z, largest, series_.order);
    }
    const std::vector<double> none(z.columns, 0.0);
    return {none, none, none, none};
}

// By the bounds of pair_series.hpp; nothing where the terms at hand do not come close enough, or
// where pairs of rows that matter hardly differ in this column. There the own parts and the terms
// would cancel, while the tiles keep the digits of every pair. With A = C + A', C the common part,
//
//   sum |A| (z_k - z_j)^2 >= sum |C| (z_k - z_j)^2 - 4 sum_k R'_k z_k^2,   R'_k = sum_j |A'_kj|.
std::optional<Plan> SeriesContraction::plan(const std::vector<double>& moments, double magnitude,
                                            double spread) const {
    const double whole =
        sum_of(series_.remainder[0], moments) + 2.0 * sum_of(series_.own, moments) + magnitude;
    if (!std::isfinite(whole) || !(spread - 4.0 * moments[0] >= least_share * whole)) return {};
    std::size_t terms = 0;
    while (!(sum_of(series_.remainder[terms], moments) <= series_cut * whole)) {
        if (++terms > series_.terms.size()) return {};
    }
    std::size_t exact = terms;
    for (double narrow = 0.0; exact > 0; --exact) {
        narrow += sum_of(series_.terms[exact - 1].magnitude, moments);
        if (!(narrow <= narrow_share * whole)) break;
    }
    return Plan{terms, exact};
}

SeriesContraction::Plans SeriesContraction::plans(const Gathered& z,
                                                  const std::vector<double>& largest,
                                                  const CommonSums& common) const {
    const std::size_t terms = series_.terms.size();
    if (series_.complete()) return Plans(z.columns, Plan{terms, terms});
    std::vector<const double*> weights;
    for (std::size_t i = 0; i < series_.moments(); ++i) {
        weights.push_back(strips_.margins().absolute[series_.one_matrix() ? 0 : i].data());
    }
    const std::vector<double> sums = z.power_sums(weights, true);
    Plans found(z.columns);
    for (std::size_t c = 0; c < z.columns; ++c) {
        if (!(largest[c] <= series_.reach)) continue;
        if (!(common.left_out[c] <= series_cut * common.magnitudes[c])) continue;
        std::vector<double> moments;
        for (std::size_t i = 0; i < weights.size(); ++i) moments.push_back(sums[i * z.stride + c]);
        found[c] = plan(moments, common.magnitudes[c], common.spreads[c]);
    }
    return found;
}

// sum_kj A_kj (own(z_k) + own(z_j))
void SeriesContraction::add_own_parts(const Gathered& z, std::vector<double>& sums) const {
    const std::size_t count = series_.own.size();
    if (count == 0) return;
    const std::vector<const double*> weights(count, strips_.margins().sums.data());
    const std::vector<double> parts = z.power_sums(weights, true);
    for (std::size_t i = count; i-- > 0;) {  // the smallest first
        for (std::size_t c = 0; c < z.columns; ++c) {
            sums[c] += 2.0 * series_.own[i] * parts[i * z.stride + c];
        }
    }
}

void SeriesContraction::add_terms(const Gathered& z, const std::vector<double>& largest,
                                  const Plans& plans, std::vector<double>& sums) const {
    std::vector<TermPanels<double>> exact;
    std::vector<TermPanels<float>> narrow;
    for (std::size_t t = 0; t < series_.terms.size(); ++t) {
        std::vector<std::size_t> in_double, in_single;
        for (std::size_t c = 0; c < z.columns; ++c) {
            if (!plans[c] || t >= plans[c]->terms) continue;
            (t < plans[c]->exact ? in_double : in_single).push_back(c);
        }
        if (!in_double.empty()) exact.emplace_back(series_.terms[t], in_double, largest, z);
        if (!in_single.empty()) narrow.emplace_back(series_.terms[t], in_single, largest, z);
    }
    if (exact.empty() && narrow.empty()) return;
    BlockSums blocks(strips_.count(), z.columns);
    parallel_tasks(strips_.count(), pair_work(z.rows, z.columns) / 8, [&](std::size_t index) {
        double* target = blocks.of(index);
        for (std::size_t m = 0; m < series_.matrices.size(); ++m) {
            PairStrip<double> scratch;
            std::optional<PairStrip<float>> narrow_strip;
            const PairStrip<double>& strip = strips_.strip(index, m, scratch);
            for (const auto& panels : exact) {
                if (panels.term().matrix == m) panels.add_forms(strip, target);
            }
            for (const auto& panels : narrow) {
                if (panels.term().matrix != m) continue;
                if (!narrow_strip) narrow_strip = narrowed(strip);
                panels.add_forms(*narrow_strip, target);
            }
        }
    });
    blocks.add_to(sums);
}

void SeriesContraction::run(std::size_t c0, std::size_t c1, MutableVector out,
                            std::vector<std::size_t>& others) {
    const Gathered z = gather(c0, c1);
    const std::vector<double> largest = z.largest_entries();
    const CommonSums common = common_sums(z, largest);
    const Plans found = plans(z, largest, common);
    std::vector<double> sums = common.sums;
    add_terms(z, largest, found, sums);
    add_own_parts(z, sums);
    for (std::size_t c = 0; c < z.columns; ++c) {
        if (found[c]) {
            out[c0 + c] += sums[c];
        } else {
            others.push_back(c0 + c);
        }
    }
}

}  // namespace

std::vector<std::size_t> contract_by_series(const PairSeries& series, const ColumnBlock& block,
                                            const PairValues& pairs, const PairWeight& weight,
                                            MutableVector out) {
    const std::size_t columns = block.columns.size();
    const std::size_t width =
        std::clamp<std::size_t>(most_entries / block.rows.size(), 192, most_columns);
    std::vector<std::size_t> others;
    CommonPart common = find_common_part(series, pairs, block.rows, weight);
    if (!series.complete() && common.empty()) {
        others.resize(columns);
        std::iota(others.begin(), others.end(), 0);
        return others;
    }
    SeriesContraction contraction(series, block, pairs, weight, std::move(common));
    for (std::size_t c0 = 0; c0 < columns; c0 += width) {
        contraction.run(c0, std::min(c0 + width, columns), out, others);
    }
    return others;
}

}  // namespace svsieve
