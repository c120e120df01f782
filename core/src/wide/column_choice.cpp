// Which of some columns go, by weights that are known so far and no further.
#include <algorithm>
#include <cmath>
#include <limits>

#include "wide/column_lists.hpp"

namespace svsieve {

namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

constexpr double equal = 1e-10;  // share of |w| to which those of two columns must agree
// Where more than this, in units of |x| |B|, is unknown and will remain so, the values as computed are
// still a better guide than the index.
constexpr double most_unknown = 1e-11;

}  // namespace

// What is unknown of |w|.
double ColumnLists::error(std::size_t id) const {
    const double norm = norms_[id];
    if (norm == 0.0) return 0.0;
    return std::min(certainty_.error, certainty_.relative * norm) +
           certainty_.rounding * norm_ * norm;
}

// Columns above `reach` by more than this are apart from all below it.
double ColumnLists::slack(double reach) const {
    double widest = std::min(certainty_.error, certainty_.relative * longest_);
    if (certainty_.last_word) widest = std::min(widest, most_unknown * norm_ * longest_);
    return 2.0 * (widest + certainty_.rounding * norm_ * longest_) + 2.0 * equal * reach;
}

ColumnLists::Verdict ColumnLists::judge(const Seen& less, const Seen& more) const {
    const double difference = more.value - less.value, unknown = less.error + more.error;
    if (difference - unknown > equal * more.value) return Verdict::Apart;
    if (difference + unknown <= equal * more.value) return Verdict::Equal;
    return twins_ && twins_(less.id, more.id) ? Verdict::Equal : Verdict::Open;
}

// Orders the first `count` of `seen`, whose values are as exact as can be, and names the score that
// follows. False if that is open.
bool ColumnLists::pick(std::vector<Seen>& seen, std::size_t count, Choice& choice) const {
    choice.columns.clear();
    choice.scores.clear();
    choice.tied = false;
    choice.resolution = 0.0;
    std::sort(seen.begin(), seen.end(), [](const Seen& a, const Seen& b) {
        return a.value < b.value || (a.value == b.value && a.id < b.id);
    });
    double widest = 0.0;
    for (const Seen& s : seen) widest = std::max(widest, s.error);
    const std::size_t limit = std::min(count, seen.size());
    for (std::size_t k = 0; k < limit; ++k) {
        std::size_t first = k;
        for (std::size_t j = k + 1; j < seen.size(); ++j) {
            const double difference = seen[j].value - seen[k].value;
            if (difference > 2.0 * widest + equal * seen[j].value) break;
            const Verdict verdict = judge(seen[k], seen[j]);
            if (verdict == Verdict::Apart) continue;
            if (verdict == Verdict::Open && !certainty_.last_word) return false;
            choice.tied = true;
            const double width = seen[k].error + seen[j].error + equal * seen[j].value;
            choice.resolution = std::max(choice.resolution, width * (2.0 * seen[j].value + width));
            const double guide = most_unknown * norm_ * norms_[seen[j].id];
            if (verdict == Verdict::Open && difference > guide) continue;
            if (seen[j].id < seen[first].id) first = j;
        }
        std::rotate(seen.begin() + static_cast<long>(k), seen.begin() + static_cast<long>(first),
                    seen.begin() + static_cast<long>(first) + 1);
        choice.columns.push_back(seen[k].id);
        choice.scores.push_back(seen[k].value * seen[k].value);
    }
    // Rotating keeps the order of the others, so the next is the least of them.
    choice.following = limit < seen.size() ? seen[limit].value * seen[limit].value : nan;
    return true;
}

bool ColumnLists::choose_among(std::vector<Seen>& all, std::size_t count, Choice& choice) {
    if (count < all.size()) {
        const auto next = all.begin() + static_cast<long>(count);
        std::nth_element(all.begin(), next, all.end(),
                         [](const Seen& a, const Seen& b) { return a.value < b.value; });
        const double reach = next->value + slack(next->value);
        all.erase(
            std::remove_if(all.begin(), all.end(), [&](const Seen& s) { return s.value > reach; }),
            all.end());
    }
    if (!pick(all, count, choice)) return false;
    for (const std::size_t id : choice.columns) alive_[id] = 0;
    left_ -= choice.columns.size();
    lists_.clear();
    all_ = candidates();
    return true;
}

void ColumnLists::choose_by(const std::vector<double>& scores, const Weighing& now,
                            std::size_t count, const Certainty& certainty, Choice& choice) {
    observe(now);
    certainty_ = certainty;
    certainty_.last_word = true;
    std::vector<Seen> all;
    for (const std::size_t id : candidates())
        all.push_back({std::sqrt(scores[id]), error(id), id, none});
    choose_among(all, count, choice);
}

bool ColumnLists::compare(const Weighing& now, const std::vector<std::size_t>& ids,
                          const std::vector<double>& scores, const Certainty& certainty,
                          std::vector<double>& resolution) {
    observe(now);
    certainty_ = certainty;
    std::vector<Seen> all(ids.size());
    double widest = 0.0;
    for (std::size_t k = 0; k < ids.size(); ++k) {
        all[k] = {std::sqrt(scores[k]), error(ids[k]), ids[k], k};
        widest = std::max(widest, all[k].error);
    }
    std::sort(all.begin(), all.end(),
              [](const Seen& a, const Seen& b) { return a.value < b.value; });
    bool open = false;
    resolution.assign(ids.size(), 0.0);
    for (std::size_t k = 0; k < all.size(); ++k) {
        double width = equal * all[k].value;
        for (std::size_t j = k; j-- > 0;) {
            const double difference = all[k].value - all[j].value;
            if (difference > 2.0 * widest + equal * all[k].value) break;
            if (judge(all[j], all[k]) != Verdict::Open) continue;
            open = true;
            const double guide = most_unknown * norm_ * norms_[all[k].id];
            width = std::max(width, std::min(all[j].error + all[k].error, guide));
        }
        resolution[all[k].slot] = width * (2.0 * all[k].value + width);
    }
    return !open;
}

}  // namespace svsieve
