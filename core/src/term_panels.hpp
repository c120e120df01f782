// One term of a series, f(z) for all rows of many columns, as the products read it.
#pragma once

#include <cstddef>
#include <optional>
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
    // each column of z. Nothing is filled in.
    TermPanels(const PairSeries::Term& term, std::vector<std::size_t> columns,
               const std::vector<double>& largest, const Gathered& z);

    void fill(const Gathered& z);
    // The rows [k0, k1), with the last of z those that pad it.
    void fill_rows(const Gathered& z, std::size_t k0, std::size_t k1);

    const PairSeries::Term& term() const { return *term_; }
    // What an entry of one in the panels stands for, in the forms of a column.
    double magnitude(std::size_t at) const;
    // sums[c] += sum_kj A_kj f_k f_j over the pairs of a strip, times the factor of the term, for
    // each of the columns c.
    void add_forms(const PairStrip<T>& strip, double* sums) const;
    // The same in two steps, for strips that come in parts: the forms of what stands in strip and
    // panels, a number for each column of these, and what they stand for.
    std::vector<double> no_forms() const { return std::vector<double>(width_, 0.0); }
    void multiply(const PairStrip<T>& strip, std::vector<double>& forms) const;
    void add_scaled(const std::vector<double>& forms, double scale, double* sums) const;

  private:
    const PairSeries::Term* term_;
    std::vector<std::size_t> columns_;
    std::vector<double> scales_;  // zero where f(z) is as good as zero
    std::size_t rows_, width_;
    Scratch<T> panels_;
};

extern template class TermPanels<float>;
extern template class TermPanels<double>;

// How many terms a column needs, and how many of them in double precision.
struct TermPlan {
    std::size_t terms;
    std::size_t exact;
};
using TermPlans = std::vector<std::optional<TermPlan>>;  // nothing for a column that is left out

// Adds the sums of the columns with a plan to `out`, from position `first` on; lists the others.
void add_planned(const TermPlans& plans, const std::vector<double>& sums, std::size_t first,
                 MutableVector out, std::vector<std::size_t>& others);

// The terms that the columns of z need, all of them filled.
struct PlannedTerms {
    std::vector<TermPanels<double>> exact;
    std::vector<TermPanels<float>> narrow;

    PlannedTerms(const std::vector<PairSeries::Term>& terms, const TermPlans& plans,
                 const std::vector<double>& largest, const Gathered& z);
};

}  // namespace svsieve
