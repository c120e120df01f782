#include "term_panels.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "pair_values.hpp"
#include "parallel.hpp"
#include "vector/kernels.hpp"

namespace svsieve {

namespace {

double value(const PairSeries::Term& term, double z) {
    double sum = 0.0;
    for (std::size_t i = term.coefficients.size(); i-- > 0;) {
        sum = sum * z * z + term.coefficients[i];
    }
    return sum * std::pow(z, term.power);
}

void fill_row(const EntryFunction& f, std::size_t width, const double* z, const double* scale,
              std::size_t rows, std::size_t k, double* panels) {
    vector_kernels().panel_row(f, width, z, scale, rows, k, panels);
}

void fill_row(const EntryFunction& f, std::size_t width, const double* z, const double* scale,
              std::size_t rows, std::size_t k, float* panels) {
    vector_kernels().narrow_panel_row(f, width, z, scale, rows, k, panels);
}

// Calls fill(k0, k1) for a few rows at a time: they stay in the cache while all terms are filled.
template <class Fill>
void each_row_block(const Gathered& z, std::size_t terms, Fill fill) {
    constexpr std::size_t block = 256;
    parallel_tasks(
        (z.rows + block - 1) / block, static_cast<double>(z.rows * z.stride * terms),
        [&](std::size_t index) { fill(index * block, std::min((index + 1) * block, z.rows)); });
}

}  // namespace

template <class T>
TermPanels<T>::TermPanels(const PairSeries::Term& term, std::vector<std::size_t> columns,
                          const std::vector<double>& largest, const Gathered& z)
    : term_(&term),
      columns_(std::move(columns)),
      scales_(padded(columns_.size(), vector_kernels().lane_count * sizeof(double) / sizeof(T)),
              0.0),
      rows_(padded(z.rows, row_padding)),
      width_(scales_.size()),
      panels_(rows_ * width_) {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        const double most = value(term, largest[columns_[c]]);
        if (most >= 0x1p-1022) scales_[c] = normalising(most);
    }
}

template <class T>
void TermPanels<T>::fill(const Gathered& z) {
    each_row_block(z, 1, [&](std::size_t k0, std::size_t k1) { fill_rows(z, k0, k1); });
}

template <class T>
void TermPanels<T>::fill_rows(const Gathered& z, std::size_t k0, std::size_t k1) {
    const EntryFunction f{term_->power, term_->coefficients.size(), term_->coefficients.data()};
    std::vector<double> entries(width_, 0.0);
    // Whatever stands beside the columns is multiplied by zero, if there is room for it in the row.
    const bool in_place =
        side_by_side(columns_, 0, columns_.size()) && columns_.front() + width_ <= z.stride;
    for (std::size_t k = k0; k < k1; ++k) {
        if (!in_place) take_entries(z.row(k), columns_, 0, columns_.size(), entries.data());
        fill_row(f, width_, in_place ? z.row(k) + columns_.front() : entries.data(), scales_.data(),
                 rows_, k, panels_.data());
    }
    if (k1 < z.rows) return;
    std::fill(entries.begin(), entries.end(), 0.0);
    for (std::size_t k = k1; k < rows_; ++k) {
        fill_row(f, width_, entries.data(), scales_.data(), rows_, k, panels_.data());
    }
}

template <class T>
void TermPanels<T>::multiply(const PairStrip<T>& strip, std::vector<double>& forms) const {
    const StripForms<T> part{strip.values.data(), strip.stride, strip.first,
                             strip.stop,          strip.from,   strip.to,
                             panels_.data(),      rows_,        width_};
    if constexpr (std::is_same_v<T, float>) {
        vector_kernels().narrow_strip_forms(part, forms.data());
    } else {
        vector_kernels().strip_forms(part, forms.data());
    }
}

template <class T>
void TermPanels<T>::add_scaled(const std::vector<double>& forms, double scale, double* sums) const {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        if (scales_[c] == 0.0) continue;
        sums[columns_[c]] += forms[c] * (term_->factor * scale) / scales_[c] / scales_[c];
    }
}

template <class T>
void TermPanels<T>::add_forms(const PairStrip<T>& strip, double* sums) const {
    std::vector<double> forms = no_forms();
    multiply(strip, forms);
    add_scaled(forms, strip.scale, sums);
}

template <class T>
double TermPanels<T>::magnitude(std::size_t at) const {
    if (scales_[at] == 0.0) return 0.0;
    return std::abs(term_->factor) / scales_[at] / scales_[at];
}

template class TermPanels<float>;
template class TermPanels<double>;

void add_planned(const TermPlans& plans, const std::vector<double>& sums, std::size_t first,
                 MutableVector out, std::vector<std::size_t>& others) {
    for (std::size_t c = 0; c < plans.size(); ++c) {
        if (plans[c]) {
            out[first + c] += sums[c];
        } else {
            others.push_back(first + c);
        }
    }
}

PlannedTerms::PlannedTerms(const std::vector<PairSeries::Term>& terms, const TermPlans& plans,
                           const std::vector<double>& largest, const Gathered& z) {
    for (std::size_t t = 0; t < terms.size(); ++t) {
        std::vector<std::size_t> in_double, in_single;
        for (std::size_t c = 0; c < z.columns; ++c) {
            if (!plans[c] || t >= plans[c]->terms) continue;
            (t < plans[c]->exact ? in_double : in_single).push_back(c);
        }
        if (!in_double.empty()) exact.emplace_back(terms[t], in_double, largest, z);
        if (!in_single.empty()) narrow.emplace_back(terms[t], in_single, largest, z);
    }
    each_row_block(z, exact.size() + narrow.size(), [&](std::size_t k0, std::size_t k1) {
        for (TermPanels<double>& panels : exact) panels.fill_rows(z, k0, k1);
        for (TermPanels<float>& panels : narrow) panels.fill_rows(z, k0, k1);
    });
}

}  // namespace svsieve
