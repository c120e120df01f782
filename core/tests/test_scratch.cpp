#include "scratch.hpp"

#include <vector>

#include "testing.hpp"

using svsieve::Scratch;

TEST(scratch_arrays_in_use_never_share_memory) {
    for (int round = 0; round < 3; ++round) {
        std::vector<Scratch<double>> arrays;
        for (std::size_t count : {1, 1000, 40000, 40001, 100000}) arrays.emplace_back(count);
        for (std::size_t k = 0; k < arrays.size(); ++k) arrays[k][0] = static_cast<double>(k);
        for (std::size_t k = 0; k < arrays.size(); ++k)
            CHECK(arrays[k][0] == static_cast<double>(k));
    }
}

TEST(released_scratch_is_used_again) {
    const double* before;
    {
        const Scratch<double> first(2600000);
        before = first.data();
    }
    const Scratch<double> second(2599999);
    CHECK(second.data() == before);
}

TEST(scratch_can_be_moved) {
    Scratch<float> first(100), second;
    first[99] = 7.0F;
    second = std::move(first);
    const Scratch<float> third(std::move(second));
    CHECK(third[99] == 7.0F);
    CHECK(second.data() == nullptr);
}
