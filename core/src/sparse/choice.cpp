#include "sparse/choice.hpp"

#include <algorithm>
#include <limits>
#include <queue>
#include <unordered_set>

namespace svsieve::sparse {

namespace {

struct Seen {
    double score, lower;
    std::size_t place;
};

// One group of ties, given by ascending score, in the order in which they go.
void settle(std::vector<Seen>& all, std::size_t begin, std::size_t end) {
    const auto first = all.begin() + static_cast<long>(begin),
               last = all.begin() + static_cast<long>(end);
    const double least = first->score;
    if (std::all_of(first, last, [&](const Seen& s) { return s.lower <= least; })) {
        std::sort(first, last, [](const Seen& a, const Seen& b) { return a.place < b.place; });
        return;
    }
    std::vector<Seen> rising(first, last), out;
    std::sort(rising.begin(), rising.end(), [](const Seen& a, const Seen& b) {
        return a.lower < b.lower || (a.lower == b.lower && a.place < b.place);
    });
    const auto later = [](const Seen& a, const Seen& b) { return a.place > b.place; };
    std::priority_queue<Seen, std::vector<Seen>, decltype(later)> within(later);
    std::unordered_set<std::size_t> gone;
    std::size_t next = 0;
    for (auto at = first; at != last; ++at) {
        // The smallest score left is that of the next column not yet gone.
        while (!gone.contains(at->place)) {
            while (next < rising.size() && rising[next].lower <= at->score)
                within.push(rising[next++]);
            out.push_back(within.top());
            gone.insert(within.top().place);
            within.pop();
        }
    }
    std::copy(out.begin(), out.end(), first);
}

}  // namespace

Choice least(const std::vector<double>& scores, const std::vector<double>& resolution,
             const std::vector<std::size_t>& candidates, const std::vector<std::uint64_t>& keys,
             std::size_t count) {
    Choice choice{{}, std::numeric_limits<double>::quiet_NaN(), 0.0};
    std::vector<Seen> all;
    all.reserve(candidates.size());
    for (const std::size_t j : candidates) all.push_back({scores[j], scores[j] - resolution[j], j});
    const auto by_score = [](const Seen& a, const Seen& b) {
        return a.score < b.score || (a.score == b.score && a.place < b.place);
    };
    // While fewer than `count` are gone, the least score left is at most the count-th smallest.
    std::nth_element(all.begin(), all.begin() + static_cast<long>(count) - 1, all.end(), by_score);
    const double border = all[count - 1].score;
    const auto beyond = std::partition(all.begin() + static_cast<long>(count), all.end(),
                                       [&](const Seen& s) { return s.lower <= border; });
    double following = std::numeric_limits<double>::infinity();
    for (auto s = beyond; s != all.end(); ++s) following = std::min(following, s->score);
    const bool rest = beyond != all.end();
    all.erase(beyond, all.end());
    std::sort(all.begin(), all.end(), by_score);

    // Where all that follows is out of reach of the score before it, the order is cut in two.
    std::vector<double> reach(all.size());
    double lowest = std::numeric_limits<double>::infinity();
    for (std::size_t i = all.size(); i-- > 0;) reach[i] = lowest = std::min(lowest, all[i].lower);
    for (std::size_t begin = 0; begin < std::min(count, all.size());) {
        std::size_t end = begin + 1;
        while (end < all.size() && reach[end] <= all[end - 1].score) {
            choice.open |= keys[all[end].place] != keys[all[end - 1].place];
            ++end;
        }
        if (end - begin > 1) {
            choice.tied = true;
            settle(all, begin, end);
        }
        begin = end;
    }
    for (std::size_t i = 0; i < count; ++i) {
        choice.places.push_back(all[i].place);
        choice.resolution = std::max(choice.resolution, resolution[all[i].place]);
    }
    for (std::size_t i = count; i < all.size(); ++i) following = std::min(following, all[i].score);
    if (rest || all.size() > count) choice.following = following;
    return choice;
}

}  // namespace svsieve::sparse
