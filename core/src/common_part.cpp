#include "common_part.hpp"

#include <cmath>
#include <numeric>

#include "pair_values.hpp"
#include "vector/kernels.hpp"

namespace svsieve {

namespace {

constexpr std::size_t sampled = 64;  // rows looked at

}  // namespace

// The values are near r_k r_j / mean(r), r the mean of each row over a sample. Any other numbers
// would do; these are dropped if they leave half of the values.
std::vector<double> find_likeness(const Profile& profile, const PairValues& pairs, Indices rows) {
    const std::size_t n = rows.size(), step = (n + sampled - 1) / sampled;
    std::vector<double> sums(n, 0.0), values(n), means(n);
    std::vector<std::vector<double>> sample;
    for (std::size_t k = 0; k < n; k += step) {
        take_profile(pairs, profile, rows, k, 0, n, values.data());
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
    if (!(mean > 0x1p-500)) return {};
    for (double& m : means) m /= std::sqrt(mean);
    double whole = 0.0, left = 0.0;
    for (std::size_t q = 0; q < sample.size(); ++q) {
        for (std::size_t j = 0; j < n; ++j) {
            if (j == q * step) continue;
            whole += std::abs(sample[q][j]);
            left += std::abs(sample[q][j] - means[q * step] * means[j]);
        }
    }
    return left < 0.5 * whole ? means : std::vector<double>();
}

CommonPart find_common_part(const PairSeries& series, const PairValues& pairs, Indices rows,
                            const PairWeight& weight) {
    if (series.coupling.empty() || weight.dense.data != nullptr) return {};
    const auto& [profile, multiple] = series.matrices[0];
    CommonPart common;
    common.likeness = find_likeness(profile, pairs, rows);
    const double size = std::sqrt(std::abs(multiple * weight.scale));
    common.sign = multiple * weight.scale < 0 ? -1.0 : 1.0;
    for (std::size_t k = 0; k < common.likeness.size(); ++k) {
        common.weights.push_back(size * weight.outer[k] * common.likeness[k]);
    }
    return common;
}

// sign * sum_kj w_k w_j (exp((z_k - z_j)^2) - 1). What is left out is at most sum |w| times
// cut * sum_k |w_k| |z_k|^(power + 2). As (z_k - z_j)^2 <= 2 z_k^2 + 2 z_j^2, which is at most some
// t, the magnitudes are at most sum |w| times 4 (exp(t) - 1) / t sum_k |w_k| z_k^2.
CommonSums contract_common_part(const PairSeries& series, const CommonPart& common,
                                const Gathered& z, const std::vector<double>& largest,
                                std::size_t power) {
    const std::vector<double>& w = common.weights;
    const std::vector<double> sums =
        z.power_sums(std::vector<const double*>(power, w.data()), PowersOf::Entries);
    std::vector<double> sizes;
    for (const double each : w) sizes.push_back(std::abs(each));
    const std::vector<double> absolute =
        z.power_sums({sizes.data(), sizes.data()}, PowersOf::Entries);
    const double total = std::accumulate(w.begin(), w.end(), 0.0);
    const double size = std::accumulate(sizes.begin(), sizes.end(), 0.0);
    CommonSums found;
    for (std::size_t c = 0; c < z.columns; ++c) {
        std::vector<double> moment = {total};
        for (std::size_t i = 0; i < power; ++i) moment.push_back(sums[i * z.stride + c]);
        double sum = 0.0;
        for (std::size_t i = 0; i <= power; ++i) {
            for (std::size_t j = i % 2; j <= power; j += 2) {
                sum += series.coupling[i * (series.order + 1) + j] * moment[i] * moment[j];
            }
        }
        const double mean = absolute[c], square = size * absolute[z.stride + c];
        const double t = 4.0 * largest[c] * largest[c];
        const double beyond = std::pow(largest[c], static_cast<double>(power));
        found.sums.push_back(common.sign * sum);
        found.left_out.push_back(square * series.cut[power] * beyond);
        found.magnitudes.push_back(4.0 * square * (t > 0.0 ? std::expm1(t) / t : 1.0));
        found.spreads.push_back(2.0 * (square - mean * mean));
    }
    return found;
}

}  // namespace svsieve
