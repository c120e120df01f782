#include "wide/column_twins.hpp"

#include <functional>

#include "double_double.hpp"

namespace svsieve {

// Of the first entry that differs from the top one; 0 for a constant column.
double ColumnTwins::sign_of(std::size_t column) const {
    const double top = x_(0, column);
    for (std::size_t i = 1; i < x_.rows; ++i) {
        const double value = x_(i, column);
        if (value != top) return value > top ? 1.0 : -1.0;
    }
    return 0.0;
}

// The differences of entries from the top one are compared exactly.
bool ColumnTwins::same(std::size_t i, std::size_t j) const {
    const double own = sign_of(i), other = sign_of(j), top = x_(0, i), peak = x_(0, j);
    if (own * own != other * other) return false;
    for (std::size_t k = 1; k < x_.rows; ++k) {
        const DoubleDouble a = two_sum(own * x_(k, i), -own * top);
        const DoubleDouble b = two_sum(other * x_(k, j), -other * peak);
        if (!(a == b)) return false;
    }
    return true;
}

std::size_t ColumnTwins::class_of(std::size_t column) {
    if (class_[column] != unknown) return class_[column];
    const double sign = sign_of(column), top = x_(0, column);
    std::size_t hash = 0;
    for (std::size_t k = 1; k < x_.rows; ++k) {
        const double difference = sign * (x_(k, column) - top);  // -0.0 and 0.0 have one hash
        hash = hash * 1099511628211u + std::hash<double>()(difference);
    }
    const auto [first, last] = seen_.equal_range(hash);
    for (auto entry = first; entry != last; ++entry) {
        if (same(entry->second, column)) return class_[column] = entry->second;
    }
    seen_.emplace(hash, column);
    return class_[column] = column;
}

}  // namespace svsieve
