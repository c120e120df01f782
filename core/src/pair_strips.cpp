#include "pair_strips.hpp"

#include <algorithm>
#include <cmath>

#include "gathered.hpp"
#include "pair_values.hpp"
#include "parallel.hpp"
#include "vector/kernels.hpp"

namespace svsieve {

namespace {

constexpr std::size_t sampled = 64;                      // rows looked at to find a common part
constexpr std::size_t most_kept = std::size_t{1} << 26;  // floats

// The power of two that brings `largest` into [1, 2); 1 for zero.
double normalising(double largest) {
    if (!(largest > 0x1p-1000) || !std::isfinite(largest)) return 1.0;
    return std::ldexp(1.0, -std::ilogb(largest));
}

}  // namespace

PairStrips::PairStrips(const PairSeries& series, const PairValues& pairs, Indices rows,
                       const PairWeight& weight)
    : series_(series), pairs_(pairs), rows_(rows), weight_(weight) {
    const std::size_t n = rows.size(), matrices = series.matrices.size();
    if (!series.coupling.empty() && weight.dense.data == nullptr) find_common_part();
    const bool keep = series.one_matrix() && n * n / 2 <= most_kept;
    if (keep) kept_.resize(count());
    BlockSums sums(count(), (matrices + 1) * n);
    parallel_tasks(count(), 8 * pair_work(n, matrices), [&](std::size_t index) {
        double* own = sums.of(index);
        PairStrip scratch;
        if (series.one_matrix()) {
            fill(index, 0, own, own + n, keep ? kept_[index] : scratch);
        } else {
            add_power_margins(index, own + n);
        }
    });
    std::vector<double> totals(sums.width, 0.0);
    sums.add_to(totals);
    const auto part = [&](std::size_t at) {
        return std::vector<double>(totals.begin() + static_cast<long>(at * n),
                                   totals.begin() + static_cast<long>((at + 1) * n));
    };
    margins_.sums = part(0);
    for (std::size_t m = 0; m < matrices; ++m) {
        const auto& [profile, multiple] = series.matrices[m];
        margins_.absolute.push_back(
            part(1 + (series.one_matrix() ? 0 : static_cast<std::size_t>(profile.degree))));
        if (series.one_matrix()) continue;
        for (double& sum : margins_.absolute.back()) sum *= std::abs(multiple);
    }
}

// In many columns all pairs of rows are about equally far apart, but for rows that are far from all
// others: the values are near r_k r_j / mean(r), r the mean of each row over a sample. Any other
// numbers would do; these are dropped if they leave half of the values.
void PairStrips::find_common_part() {
    const std::size_t n = rows_.size(), step = (n + sampled - 1) / sampled;
    const auto& [profile, multiple] = series_.matrices[0];
    std::vector<double> sums(n, 0.0), values(n), means(n);
    std::vector<std::vector<double>> sample;
    for (std::size_t k = 0; k < n; k += step) {
        take_profile(pairs_, profile, rows_, k, 0, n, values.data());
        values[k] = 0.0;
        vector_kernels().add_scaled(n, 1.0, values.data(), sums.data());
        sample.push_back(values);
    }
    double mean = 0.0;
    for (std::size_t k = 0; k < n; ++k) {
        const std::size_t others = sample.size() - (k % step == 0);
        means[k] = others > 0 ? sums[k] / static_cast<double>(others) : 0.0;
        if (k % step == 0) mean += means[k] / static_cast<double>(sample.size());
    }
    if (!(mean > 0x1p-500)) return;
    for (double& m : means) m /= std::sqrt(mean);
    double whole = 0.0, left = 0.0;
    for (std::size_t q = 0; q < sample.size(); ++q) {
        for (std::size_t j = 0; j < n; ++j) {
            if (j == q * step) continue;
            whole += std::abs(sample[q][j]);
            left += std::abs(sample[q][j] - means[q * step] * means[j]);
        }
    }
    if (!(left < 0.5 * whole)) return;
    const double size = std::sqrt(std::abs(multiple * weight_.scale));
    common_.sign = multiple * weight_.scale < 0 ? -1.0 : 1.0;
    for (std::size_t k = 0; k < n; ++k) {
        common_.weights.push_back(size * weight_.outer[k] * means[k]);
    }
    likeness_ = std::move(means);
}

const PairStrip& PairStrips::strip(std::size_t index, std::size_t matrix,
                                   PairStrip& scratch) const {
    if (!kept_.empty()) return kept_[index];
    fill(index, matrix, nullptr, nullptr, scratch);
    return scratch;
}

PairStrips::RowOfWeights PairStrips::row_of_weights(std::size_t k) const {
    if (weight_.dense.data != nullptr) return {weight_.dense.row(k), 1.0};
    return {weight_.outer.data(), weight_.scale * weight_.outer[k]};
}

void PairStrips::fill(std::size_t index, std::size_t matrix, double* sums, double* absolute,
                      PairStrip& strip) const {
    const std::size_t first = index * height, stop = std::min(first + height, rows_.size());
    const auto& [profile, multiple] = series_.matrices[matrix];
    const VectorKernels& kernels = vector_kernels();
    strip.first = first;
    strip.stop = stop;
    strip.values = Scratch<float>((stop - first) * stop);
    strip.row_scale.resize(stop - first);
    std::vector<double> values(stop);
    for (std::size_t k = first; k < stop; ++k) {
        take_profile(pairs_, profile, rows_, k, 0, stop, values.data());
        if (!likeness_.empty()) {
            kernels.add_scaled(stop, -likeness_[k], likeness_.data(), values.data());
        }
        if (!series_.with_diagonal) values[k] = 0.0;
        const auto [weights, factor] = row_of_weights(k);
        const RowSums before =
            kernels.weigh_row(first, multiple * factor, weights, values.data(), sums, absolute);
        const RowSums beside = kernels.weigh_row(stop - first, multiple * factor, weights + first,
                                                 values.data() + first, nullptr, nullptr);
        if (sums != nullptr) sums[k] += before.sum + beside.sum;
        if (absolute != nullptr) absolute[k] += before.absolute + beside.absolute;
        const double scale = normalising(std::max(before.largest, beside.largest));
        strip.row_scale[k - first] = 1.0 / scale;
        kernels.narrow(stop, scale, values.data(), strip.values.data() + (k - first) * stop);
    }
}

// All powers of B in one pass, whatever their multiples.
void PairStrips::add_power_margins(std::size_t index, double* absolute) const {
    const std::size_t n = rows_.size(), powers = series_.matrices.size();
    const std::size_t first = index * height, stop = std::min(first + height, n);
    const VectorKernels& kernels = vector_kernels();
    Profile base = series_.matrices.back().profile;
    base.degree = 1;
    std::vector<double> values(stop), row(powers * kernels.lane_count);
    for (std::size_t k = first; k < stop; ++k) {
        take_pairings(pairs_.s, rows_, k, 0, stop, values.data());
        kernels.profile(base, stop, values.data(), values.data());
        const auto [weights, factor] = row_of_weights(k);
        std::fill(row.begin(), row.end(), 0.0);
        kernels.power_margins(first, factor, weights, values.data(), powers, row.data(), absolute,
                              n);
        kernels.power_margins(stop - first, factor, weights + first, values.data() + first, powers,
                              row.data(), nullptr, n);
        for (std::size_t e = 0; e < powers; ++e) {
            for (std::size_t r = 0; r < kernels.lane_count; ++r) {
                absolute[e * n + k] += row[e * kernels.lane_count + r];
            }
        }
    }
}

}  // namespace svsieve
