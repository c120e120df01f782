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

// Pairs have to differ in a column by so much, as a share of what they might differ.
constexpr double least_share = 0.1;

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
    Gathered gather(std::size_t c0, std::size_t c1) const;
    CommonSums common_sums(const Gathered& z, const std::vector<double>& largest) const;
    TermPlans plans(const Gathered& z, const std::vector<double>& largest,
                    const CommonSums& common) const;
    std::optional<TermPlan> plan(const std::vector<double>& moments, double magnitude,
                                 double spread) const;
    void add_own_parts(const Gathered& z, std::vector<double>& sums) const;
    void add_terms(const Gathered& z, const std::vector<double>& largest, const TermPlans& plans,
                   std::vector<double>& sums) const;

    const PairSeries& series_;
    const ColumnBlock& block_;
    PairStrips<double> strips_;
};

Gathered SeriesContraction::gather(std::size_t c0, std::size_t c1) const {
    return Gathered(part_of(block_, c0, c1), series_.column_factor, 2 * vector_kernels().lane_count,
                    series_.differences);
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
std::optional<TermPlan> SeriesContraction::plan(const std::vector<double>& moments,
                                                double magnitude, double spread) const {
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
    return TermPlan{terms, exact};
}

TermPlans SeriesContraction::plans(const Gathered& z, const std::vector<double>& largest,
                                   const CommonSums& common) const {
    const std::size_t terms = series_.terms.size();
    if (series_.complete()) return TermPlans(z.columns, TermPlan{terms, terms});
    std::vector<const double*> weights;
    for (std::size_t i = 0; i < series_.moments(); ++i) {
        weights.push_back(strips_.margins().absolute[series_.one_matrix() ? 0 : i].data());
    }
    const std::vector<double> sums = z.power_sums(weights, PowersOf::Squares);
    TermPlans found(z.columns);
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
    const std::vector<double> parts = z.power_sums(weights, PowersOf::Squares);
    for (std::size_t i = count; i-- > 0;) {  // the smallest first
        for (std::size_t c = 0; c < z.columns; ++c) {
            sums[c] += 2.0 * series_.own[i] * parts[i * z.stride + c];
        }
    }
}

void SeriesContraction::add_terms(const Gathered& z, const std::vector<double>& largest,
                                  const TermPlans& plans, std::vector<double>& sums) const {
    const PlannedTerms terms(series_.terms, plans, largest, z);
    if (terms.exact.empty() && terms.narrow.empty()) return;
    BlockSums blocks(strips_.count(), z.columns);
    parallel_tasks(strips_.count(), pair_work(z.rows, z.columns) / 8, [&](std::size_t index) {
        double* target = blocks.of(index);
        for (std::size_t m = 0; m < series_.matrices.size(); ++m) {
            PairStrip<double> scratch;
            std::optional<PairStrip<float>> narrow_strip;
            const PairStrip<double>& strip = strips_.strip(index, m, scratch);
            for (const auto& panels : terms.exact) {
                if (panels.term().matrix == m) panels.add_forms(strip, target);
            }
            for (const auto& panels : terms.narrow) {
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
    const TermPlans found = plans(z, largest, common);
    std::vector<double> sums = common.sums;
    add_terms(z, largest, found, sums);
    add_own_parts(z, sums);
    add_planned(found, sums, c0, out, others);
}

}  // namespace

std::vector<std::size_t> contract_by_series(const PairSeries& series, const ColumnBlock& block,
                                            const PairValues& pairs, const PairWeight& weight,
                                            MutableVector out) {
    const std::size_t columns = block.columns.size();
    const std::size_t width = columns_at_a_time(block.rows.size());
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
