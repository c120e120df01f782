// Columns that are the same up to a constant and their sign, found when they are asked for.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "svsieve/views.hpp"

namespace svsieve {

class ColumnTwins {
  public:
    // x must outlive this.
    explicit ColumnTwins(Matrix x) : x_(x), class_(x.columns, unknown) {}

    // Do they have the same weight, up to its sign, for all coefficients that sum to zero?
    bool operator()(std::size_t i, std::size_t j) { return class_of(i) == class_of(j); }

  private:
    static constexpr std::size_t unknown = static_cast<std::size_t>(-1);

    std::size_t class_of(std::size_t column);
    double sign_of(std::size_t column) const;
    bool same(std::size_t i, std::size_t j) const;

    Matrix x_;
    std::vector<std::size_t> class_;                          // the first column seen of each class
    std::unordered_multimap<std::size_t, std::size_t> seen_;  // by a hash of their differences
};

}  // namespace svsieve
