#include "pair_strips.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "gathered.hpp"
#include "pair_values.hpp"
#include "parallel.hpp"
#include "vector/kernels.hpp"

namespace svsieve {

namespace {

constexpr std::size_t most_kept = std::size_t{1} << 27;  // bytes

}  // namespace

PairStrip<float> narrowed(const PairStrip<double>& strip) {
    const double scale = normalising(strip.largest);
    const std::size_t count = padded(strip.stop - strip.first, row_padding) * strip.stride;
    PairStrip<float> narrow{strip.first, strip.stop,          strip.stride,  strip.from,
                            strip.to,    strip.scale / scale, strip.largest, Scratch<float>(count)};
    vector_kernels().narrow(count, scale, strip.values.data(), narrow.values.data());
    return narrow;
}

template <class T>
PairStrips<T>::PairStrips(const PairSeries& series, const PairValues& pairs, Indices rows,
                          const PairWeight& weight, CommonPart common)
    : series_(series), pairs_(pairs), rows_(rows), weight_(weight), common_(std::move(common)) {
    const std::size_t n = rows.size(), matrices = series.matrices.size();
    const bool keep = series.one_matrix() && n * n / 2 * sizeof(T) <= most_kept;
    if (keep) kept_.resize(count());
    BlockSums sums(count(), (matrices + 1) * n);
    parallel_tasks(count(), 8 * pair_work(n, matrices), [&](std::size_t index) {
        double* own = sums.of(index);
        if (series.one_matrix()) {
            PairStrip<T> strip = fill(index, 0, own, own + n);
            if (keep) kept_[index] = std::move(strip);
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

template <class T>
const PairStrip<T>& PairStrips<T>::strip(std::size_t index, std::size_t matrix,
                                         PairStrip<T>& scratch) const {
    if (!kept_.empty()) return kept_[index];
    scratch = fill(index, matrix, nullptr, nullptr);
    return scratch;
}

template <class T>
typename PairStrips<T>::RowOfWeights PairStrips<T>::row_of_weights(std::size_t k) const {
    if (weight_.dense.data != nullptr) return {weight_.dense.row(k), 1.0};
    return {weight_.outer.data(), weight_.scale * weight_.outer[k]};
}

template <class T>
PairStrip<T> PairStrips<T>::fill(std::size_t index, std::size_t matrix, double* sums,
                                 double* absolute) const {
    const auto& [profile, multiple] = series_.matrices[matrix];
    const VectorKernels& kernels = vector_kernels();
    PairStrip<double> strip;
    strip.first = index * height;
    strip.stop = std::min(strip.first + height, rows_.size());
    strip.to = strip.stop;
    strip.stride = padded(strip.stop, row_padding);
    const std::size_t count = strip.stop - strip.first,
                      all = padded(count, row_padding) * strip.stride;
    strip.values = Scratch<double>(all);
    for (std::size_t k = strip.first; k < strip.stop; ++k) {
        double* values = strip.values.data() + (k - strip.first) * strip.stride;
        take_profile(pairs_, profile, rows_, k, 0, k + 1, values);
        if (const std::vector<double>& likeness = common_.likeness; !likeness.empty()) {
            kernels.add_scaled(k + 1, -likeness[k], likeness.data(), values);
        }
        if (series_.differences) values[k] = 0.0;
        const auto [weights, factor] = row_of_weights(k);
        const RowSums before =
            kernels.weigh_row(k, multiple * factor, weights, values, sums, absolute);
        const double own = multiple * factor * weights[k] * values[k];
        if (sums != nullptr) sums[k] += before.sum + own;
        if (absolute != nullptr) absolute[k] += before.absolute + std::abs(own);
        values[k] = 0.5 * own;
        std::fill(values + k + 1, values + strip.stride, 0.0);
        strip.largest = std::max({strip.largest, before.largest, std::abs(own)});
    }
    std::fill(strip.values.data() + count * strip.stride, strip.values.data() + all, 0.0);
    if constexpr (std::is_same_v<T, float>) {
        return narrowed(strip);
    } else {
        return strip;
    }
}

// All powers of B in one pass, whatever their multiples.
template <class T>
void PairStrips<T>::add_power_margins(std::size_t index, double* absolute) const {
    const std::size_t n = rows_.size(), powers = series_.matrices.size();
    const std::size_t first = index * height, stop = std::min(first + height, n);
    const VectorKernels& kernels = vector_kernels();
    Profile base = series_.matrices.back().profile;
    base.degree = 1;
    std::vector<double> values(stop), row(powers * kernels.lane_count);
    for (std::size_t k = first; k < stop; ++k) {
        take_pairings(pairs_.s, rows_, k, 0, k + 1, values.data());
        kernels.profile(base, k + 1, values.data(), values.data());
        const auto [weights, factor] = row_of_weights(k);
        std::fill(row.begin(), row.end(), 0.0);
        kernels.power_margins(k, factor, weights, values.data(), powers, row.data(), absolute, n);
        kernels.power_margins(1, factor, weights + k, values.data() + k, powers, row.data(),
                              nullptr, n);
        for (std::size_t e = 0; e < powers; ++e) {
            for (std::size_t r = 0; r < kernels.lane_count; ++r) {
                absolute[e * n + k] += row[e * kernels.lane_count + r];
            }
        }
    }
}

template class PairStrips<float>;
template class PairStrips<double>;

}  // namespace svsieve
