// Pair weights in single precision, a strip of rows at a time, and the sums of their rows.
#pragma once

#include <cstddef>
#include <vector>

#include "pair_series.hpp"
#include "scratch.hpp"
#include "svsieve/contract.hpp"

namespace svsieve {

// Sums of A over the pairs of each row.
struct Margins {
    std::vector<double> sums;                   // of the only matrix of a series
    std::vector<std::vector<double>> absolute;  // of every matrix: sums of |A|
};

// A part of A that needs no matrix: sign * weights weights'. What is left is often much smaller.
struct CommonPart {
    double sign = 1.0;
    std::vector<double> weights;  // empty where there is none
};

// Rows [first, stop) of A against all rows before `stop`, row-major. Each row was multiplied by a
// power of two that brings its largest entry near one; row_scale undoes this.
struct PairStrip {
    std::size_t first = 0, stop = 0;
    Scratch<float> values;
    std::vector<double> row_scale;
};

class PairStrips {
  public:
    static constexpr std::size_t height = 256;

    // Computes the margins, and keeps the strips if there is one matrix of moderate size.
    PairStrips(const PairSeries& series, const PairValues& pairs, Indices rows,
               const PairWeight& weight);

    std::size_t count() const { return (rows_.size() + height - 1) / height; }
    // Of A less its common part, as the strips are. A common part has entries on the diagonal too.
    const Margins& margins() const { return margins_; }
    const CommonPart& common() const { return common_; }

    // A strip of one matrix; `scratch` takes it if it is not kept.
    const PairStrip& strip(std::size_t index, std::size_t matrix, PairStrip& scratch) const;

  private:
    struct RowOfWeights {
        const double* weights;
        double factor;
    };
    RowOfWeights row_of_weights(std::size_t k) const;
    void find_common_part();
    // Pairs before a strip belong to both rows' margins. Margins may be null.
    void fill(std::size_t index, std::size_t matrix, double* sums, double* absolute,
              PairStrip& strip) const;
    void add_power_margins(std::size_t index, double* absolute) const;

    const PairSeries& series_;
    PairValues pairs_;
    Indices rows_;
    const PairWeight& weight_;
    std::vector<double> likeness_;  // the values of the profile are near likeness likeness'
    CommonPart common_;
    Margins margins_;
    std::vector<PairStrip> kept_;
};

}  // namespace svsieve
