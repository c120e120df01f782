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

constexpr std::size_t block_rows = 256;  // of the panels, filled in one task

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
    const EntryFunction f{term.power, term.coefficients.size(), term.coefficients.data()};
    const std::size_t blocks = (rows_ + block_rows - 1) / block_rows;
    parallel_tasks(blocks, static_cast<double>(rows_ * width_), [&](std::size_t block) {
        std::vector<double> entries(width_, 0.0);
        for (std::size_t k = block * block_rows; k < std::min(rows_, (block + 1) * block_rows);
             ++k) {
            if (k >= z.rows) {
                std::fill(entries.begin(), entries.end(), 0.0);
            } else {
                take_entries(z.row(k), columns_, 0, columns_.size(), entries.data());
            }
            fill_row(f, width_, entries.data(), scales_.data(), rows_, k, panels_.data());
        }
    });
}

template <class T>
void TermPanels<T>::add_forms(const PairStrip<T>& strip, double* sums) const {
    std::vector<double> forms(width_, 0.0);
    const StripForms<T> part{strip.values.data(), strip.stride, strip.first, strip.stop,
                             panels_.data(),      rows_,        width_};
    if constexpr (std::is_same_v<T, float>) {
        vector_kernels().narrow_strip_forms(part, forms.data());
    } else {
        vector_kernels().strip_forms(part, forms.data());
    }
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        if (scales_[c] == 0.0) continue;
        sums[columns_[c]] += forms[c] * (term_->factor * strip.scale) / scales_[c] / scales_[c];
    }
}

template <class T>
double TermPanels<T>::magnitude(std::size_t at) const {
    if (scales_[at] == 0.0) return 0.0;
    return std::abs(term_->factor) / scales_[at] / scales_[at];
}

template class TermPanels<float>;
template class TermPanels<double>;

}  // namespace svsieve
