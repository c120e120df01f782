// What a path holds as one row of numbers, written and read by the same list of members.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <vector>

namespace svsieve {

class StateWriter {
  public:
    static constexpr bool reads = false;

    template <class Number>
    void number(Number& value) {
        numbers.push_back(static_cast<double>(value));
    }
    template <class Numbers>
    void vector(Numbers& values) {
        numbers.push_back(static_cast<double>(values.size()));
        numbers.insert(numbers.end(), values.begin(), values.end());
    }
    // A vector that stays where it is: its length is known to the reader.
    template <class Numbers>
    void fixed(Numbers& values) {
        numbers.insert(numbers.end(), values.begin(), values.end());
    }
    // Indices below a limit.
    void indices(std::vector<std::size_t>& values, std::size_t) { vector(values); }
    static void require(bool) {}

    std::vector<double> numbers;
};

class StateReader {
  public:
    static constexpr bool reads = true;

    explicit StateReader(std::span<const double> numbers) : rest_(numbers) {}

    template <class Number>
    void number(Number& value) {
        value = static_cast<Number>(take(1)[0]);
    }
    template <class Numbers>
    void vector(Numbers& values) {
        const double size = take(1)[0];
        require(size >= 0 && size <= static_cast<double>(rest_.size()));
        const auto part = take(static_cast<std::size_t>(size));
        values.assign(part.begin(), part.end());
    }
    template <class Numbers>
    void fixed(Numbers& values) {
        const auto part = take(values.size());
        std::copy(part.begin(), part.end(), values.begin());
    }
    void indices(std::vector<std::size_t>& values, std::size_t limit) {
        std::vector<double> read;
        vector(read);
        for (const double value : read) require(value >= 0 && value < static_cast<double>(limit));
        values.assign(read.begin(), read.end());
    }
    static void require(bool holds) {
        if (!holds) throw std::invalid_argument("the state of a path does not fit the path.");
    }
    void finish() const { require(rest_.empty()); }

  private:
    std::span<const double> take(std::size_t count) {
        require(count <= rest_.size());
        const auto part = rest_.first(count);
        rest_ = rest_.subspan(count);
        return part;
    }
    std::span<const double> rest_;
};

}  // namespace svsieve
