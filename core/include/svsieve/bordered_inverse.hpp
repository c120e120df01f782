// The inverse P of the bordered matrix [0 1'; 1 Q], kept while rows of Q enter and leave.
//
// Row 0 of P belongs to the border, row k + 1 to the kth row of Q. Each change costs O(size^2).
#pragma once

#include <cstddef>
#include <vector>

#include "svsieve/views.hpp"

namespace svsieve {

class BorderedInverse {
  public:
    // Rows of Q.
    std::size_t size() const { return size_; }

    MutableMatrix matrix() { return {values_.data(), size_ + 1, size_ + 1, stride_}; }

    // From a whole Q of two rows or more, whose entries are known to `noise`. False, with nothing
    // kept, if Q is not positive definite on vectors that sum to zero, beyond that noise.
    bool assign(Matrix q, double noise);

    void clear() { size_ = 0; }

    // A single row of Q, its diagonal entry.
    void start(double diagonal);

    // Of the block of P that belongs to Q.
    double trace() const;

    // z = P u; both have size() + 1 entries.
    void times(const double* u, double* z);

    // One more row: z = P u, u = (1; its entries with the rows before), schur = its diagonal - u'z.
    void append(const double* z, double schur);

    // The inverse after Q -= x x': z = P (0; x), remainder = 1 - (0; x)'z, which must not vanish.
    void subtract(const double* z, double remainder);

    // Removes a row; the last one takes its place.
    void remove(std::size_t position);

    template <class Archive>
    void exchange(Archive& archive) {
        archive.number(size_);
        archive.number(stride_);
        archive.vector(values_);
        archive.require(size_ <= stride_ && values_.size() == stride_ * stride_);
        scratch_.resize(stride_);
    }

  private:
    void reserve(std::size_t dimension);
    void add_outer(double scale, const double* x);

    std::vector<double> values_;   // row-major
    std::vector<double> scratch_;  // one row
    std::size_t size_ = 0;
    std::size_t stride_ = 0;
};

}  // namespace svsieve
