// Which columns go: those of least score, and of equal ones the first. As elimination/ordering.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace svsieve::sparse {

struct Choice {
    std::vector<std::size_t> places;  // the first to go first
    double following;                 // the least score of those that stay; nan: none
    double resolution;                // the largest of those of the columns that go
    bool tied = false;                // equal scores were told apart by the place
    bool open = false;                // among them such of columns that are not equal
};

// The first `count` of the candidates (ascending places). A score is known up to its resolution: of
// the columns left, those whose score less that is at or below the least score left are a tie, and
// the first of them goes. Columns are equal if their keys are.
Choice least(const std::vector<double>& scores, const std::vector<double>& resolution,
             const std::vector<std::size_t>& candidates, const std::vector<std::uint64_t>& keys,
             std::size_t count);

}  // namespace svsieve::sparse
