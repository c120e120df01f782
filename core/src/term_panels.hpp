// One term of a series, f(z) for all rows of many columns, as the products read it.
#pragma once

#include <cstddef>
#include <vector>

#include "gathered.hpp"
#include "pair_series.hpp"
#include "pair_strips.hpp"
#include "scratch.hpp"

namespace svsieve {

// In single or in double precision. Each column is multiplied by a power of two that brings its
// largest value near one.
template <class T>
class TermPanels {
  public:
    // `columns`, which ascend, are those of z that are taken; `largest` has the largest magnitude of
    // each column of z.
    TermPanels(const PairSeries::Term& term, std::vector<std::size_t> columns,
               const std::vector<double>& largest, const Gathered& z);

    const PairSeries::Term& term() const { return *term_; }
    // What an entry of one in the panels stands for, in the forms of a column.
    double magnitude(std::size_t at) const;
    // sums[c] += sum_kj A_kj f_k f_j over the pairs of a strip, times the factor of the term, for
    // each of the columns c.
    void add_forms(const PairStrip<T>& strip, double* sums) const;

  private:
    const PairSeries::Term* term_;
    std::vector<std::size_t> columns_;
    std::vector<double> scales_;  // zero where f(z) is as good as zero
    std::size_t rows_, width_;
    Scratch<T> panels_;
};

extern template class TermPanels<float>;
extern template class TermPanels<double>;

}  // namespace svsieve
