#include "common_part.hpp"

#include <cmath>
#include <numeric>

namespace svsieve {

// sign * sum_kj w_k w_j (exp((z_k - z_j)^2) - 1). What is left out is at most sum |w| times
// cut * sum_k |w_k| |z_k|^(power + 2). As (z_k - z_j)^2 <= 2 z_k^2 + 2 z_j^2, which is at most some
// t, the magnitudes are at most sum |w| times 4 (exp(t) - 1) / t sum_k |w_k| z_k^2.
CommonSums contract_common_part(const PairSeries& series, const CommonPart& common,
                                const Gathered& z, const std::vector<double>& largest,
                                std::size_t power) {
    const std::vector<double>& w = common.weights;
    const std::vector<double> sums =
        z.power_sums(std::vector<const double*>(power, w.data()), false);
    std::vector<double> sizes;
    for (const double each : w) sizes.push_back(std::abs(each));
    const std::vector<double> squares = z.power_sums({sizes.data()}, true);
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
        const double beyond = std::pow(largest[c], static_cast<double>(power));
        found.sums.push_back(common.sign * sum);
        found.left_out.push_back(size * squares[c] * series.cut[power] * beyond);
        const double t = 4.0 * largest[c] * largest[c];
        found.magnitudes.push_back(4.0 * size * squares[c] * (t > 0.0 ? std::expm1(t) / t : 1.0));
    }
    return found;
}

}  // namespace svsieve
