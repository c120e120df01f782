#include "sparse/sparse_rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace svsieve::sparse {

namespace {

// A finaliser of good quality (that of SplitMix64).
std::uint64_t mixed(std::uint64_t bits) {
    bits += 0x9e3779b97f4a7c15u;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
    return bits ^ (bits >> 31);
}

}  // namespace

SparseRows::SparseRows(const SparseTable& x, const std::vector<std::size_t>& kept, Vector factors) {
    constexpr std::int32_t none = -1;
    std::vector<std::size_t> stored(x.width);
    for (const std::int32_t j : x.columns) ++stored[static_cast<std::size_t>(j)];
    // By falling numbers of entries: what is read most often lies together.
    names_ = kept;
    std::stable_sort(names_.begin(), names_.end(),
                     [&](std::size_t a, std::size_t b) { return stored[a] > stored[b]; });
    std::vector<std::int32_t> place(x.width, none);
    std::size_t used = 0;
    for (std::size_t j = 0; j < names_.size(); ++j) {
        place[names_[j]] = static_cast<std::int32_t>(j);
        used += stored[names_[j]];
    }
    begins_.reserve(x.rows() + 1);
    columns_.reserve(used);
    values_.reserve(used);
    squares_.reserve(x.rows());
    begins_.push_back(0);
    for (std::size_t k = 0; k < x.rows(); ++k) {
        double square = 0.0;
        const auto end = static_cast<std::size_t>(x.begins[k + 1]);
        for (auto i = static_cast<std::size_t>(x.begins[k]); i < end; ++i) {
            const auto j = static_cast<std::size_t>(x.columns[i]);
            const double value = factors.empty() ? x.values[i] : factors[j] * x.values[i];
            if (place[j] == none || value == 0.0) continue;
            columns_.push_back(place[j]);
            values_.push_back(value);
            square += value * value;
        }
        begins_.push_back(columns_.size());
        squares_.push_back(square);
    }
}

Removed SparseRows::drop(const std::vector<char>& gone) {
    constexpr std::int32_t none = -1;
    std::vector<std::int32_t> place(names_.size(), none);
    std::size_t left = 0;
    for (std::size_t j = 0; j < names_.size(); ++j) {
        if (gone[j] != 0) continue;
        place[j] = static_cast<std::int32_t>(left);
        names_[left++] = names_[j];
    }
    names_.resize(left);

    Removed removed;
    removed.begins.reserve(begins_.size());
    removed.begins.push_back(0);
    std::size_t to = 0, from = 0;
    for (std::size_t k = 0; k < squares_.size(); ++k) {
        const std::size_t end = begins_[k + 1];
        double square = 0.0;
        for (; from < end; ++from) {
            const std::int32_t j = place[static_cast<std::size_t>(columns_[from])];
            const double value = values_[from];
            if (j == none) {
                removed.columns.push_back(columns_[from]);
                removed.values.push_back(value);
                continue;
            }
            columns_[to] = j;
            values_[to++] = value;
            square += value * value;
        }
        begins_[k + 1] = to;
        squares_[k] = square;
        removed.begins.push_back(removed.columns.size());
    }
    columns_.resize(to);
    values_.resize(to);
    return removed;
}

std::vector<double> SparseRows::centred_norms(std::size_t extra) const {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const std::size_t d = names_.size();
    const double all = static_cast<double>(rows() + extra);
    std::vector<double> means(d), norms(d), least(d, infinity), greatest(d, -infinity);
    std::vector<std::size_t> stored(d);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        const auto j = static_cast<std::size_t>(columns_[i]);
        means[j] += values_[i] / all;
        ++stored[j];
        least[j] = std::min(least[j], values_[i]);
        greatest[j] = std::max(greatest[j], values_[i]);
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        const auto j = static_cast<std::size_t>(columns_[i]);
        norms[j] += (values_[i] - means[j]) * (values_[i] - means[j]);
    }
    for (std::size_t j = 0; j < d; ++j) {
        const double zeros = all - static_cast<double>(stored[j]);
        const bool constant = stored[j] == 0 || (zeros == 0.0 && least[j] == greatest[j]);
        norms[j] = constant ? 0.0 : std::sqrt(norms[j] + zeros * means[j] * means[j]);
    }
    return norms;
}

std::vector<std::uint64_t> SparseRows::keys() const {
    std::vector<std::uint64_t> plus(names_.size()), minus(names_.size());
    for (std::size_t k = 0; k < rows(); ++k)
        for (std::size_t i = begins_[k]; i < begins_[k + 1]; ++i) {
            const auto j = static_cast<std::size_t>(columns_[i]);
            const std::uint64_t row = mixed(k);
            plus[j] += mixed(row ^ std::bit_cast<std::uint64_t>(values_[i]));
            minus[j] += mixed(row ^ std::bit_cast<std::uint64_t>(-values_[i]));
        }
    for (std::size_t j = 0; j < plus.size(); ++j) plus[j] = std::min(plus[j], minus[j]);
    return plus;
}

}  // namespace svsieve::sparse
