// Pair weights A of a series, a strip of rows at a time, and the sums of their rows.
#pragma once

#include <cstddef>
#include <vector>

#include "common_part.hpp"
#include "pair_series.hpp"
#include "scratch.hpp"
#include "svsieve/contract.hpp"

namespace svsieve {

// Sums of A over the pairs of each row.
struct Margins {
    std::vector<double> sums;                   // of the only matrix of a series
    std::vector<std::vector<double>> absolute;  // of every matrix: sums of |A|
};

// Rows [first, stop) of A against the rows [from, to) up to their own, row-major, padded with zeros
// as StripForms asks. Half of each entry of the diagonal is there: sums over all pairs are `scale`
// times the sums over the strip. In single precision that also undoes the power of two that has
// brought the largest entry near one.
template <class T>
struct PairStrip {
    std::size_t first = 0, stop = 0, stride = 0, from = 0, to = 0;
    double scale = 2.0;
    double largest = 0.0;  // magnitude in A
    Scratch<T> values;
};

PairStrip<float> narrowed(const PairStrip<double>& strip);

// In single or in double precision.
template <class T>
class PairStrips {
  public:
    static constexpr std::size_t height = 128;

    // Of A less a common part. Computes the margins, and keeps the strips if there is one matrix of
    // moderate size.
    PairStrips(const PairSeries& series, const PairValues& pairs, Indices rows,
               const PairWeight& weight, CommonPart common);

    std::size_t count() const { return (rows_.size() + height - 1) / height; }
    const Margins& margins() const { return margins_; }
    const CommonPart& common() const { return common_; }

    // A strip of one matrix; `scratch` takes it if it is not kept.
    const PairStrip<T>& strip(std::size_t index, std::size_t matrix, PairStrip<T>& scratch) const;

  private:
    struct RowOfWeights {
        const double* weights;
        double factor;
    };
    RowOfWeights row_of_weights(std::size_t k) const;
    // Margins may be null.
    PairStrip<T> fill(std::size_t index, std::size_t matrix, double* sums, double* absolute) const;
    void add_power_margins(std::size_t index, double* absolute) const;

    const PairSeries& series_;
    PairValues pairs_;
    Indices rows_;
    const PairWeight& weight_;
    CommonPart common_;
    Margins margins_;
    std::vector<PairStrip<T>> kept_;
};

extern template class PairStrips<float>;
extern template class PairStrips<double>;

}  // namespace svsieve
