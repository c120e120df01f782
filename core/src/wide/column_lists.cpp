#include "wide/column_lists.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "vector/kernels.hpp"

namespace svsieve {

namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);
constexpr float dead = -1e30f;       // norm of a slot that is empty or whose column is gone
constexpr double underflow = 1e-18;  // what single precision may lose of numbers with tiny squares
constexpr double infinity = std::numeric_limits<double>::infinity();

constexpr double rounding = 1e-14;  // of an inner product, in units of |x| |B|
// Nanoseconds per element, measured once on one core; they decide about speed only.
constexpr double double_dot = 0.08, single_dot = 0.04, packing = 0.8, sifting = 12.0;
constexpr double step_overhead = 100.0;

constexpr std::size_t few = 96;             // candidates that are simply weighed every time
constexpr std::size_t nested_above = 6000;  // columns from which a list of a list pays
constexpr double share_worth_lists = 0.02;  // of the columns left that may go at a time
constexpr double first_outer_life = 512.0;

// By value, to a hundredth of their range: packs need not be in perfect order.
void roughly_sort(std::vector<std::pair<double, std::size_t>>& entries) {
    constexpr std::size_t buckets = 128;
    const auto [least, most] = std::minmax_element(entries.begin(), entries.end());
    const double low = least->first, width = (most->first - low) / buckets;
    if (!(width > 0)) return;
    const auto bucket = [&](double value) {
        return std::min(buckets - 1, static_cast<std::size_t>((value - low) / width));
    };
    std::size_t starts[buckets + 1] = {};
    for (const auto& entry : entries) ++starts[bucket(entry.first) + 1];
    for (std::size_t k = 0; k < buckets; ++k) starts[k + 1] += starts[k];
    std::vector<std::pair<double, std::size_t>> sorted(entries.size());
    for (const auto& entry : entries) sorted[starts[bucket(entry.first)]++] = entry;
    entries.swap(sorted);
}

}  // namespace

ColumnLists::ColumnLists(const double* columns, std::size_t width, std::vector<double> norms,
                         std::vector<std::size_t> candidates, Twins twins)
    : columns_(columns),
      width_(width),
      norms_(std::move(norms)),
      twins_(std::move(twins)),
      alive_(norms_.size(), 0),
      all_(std::move(candidates)),
      left_(all_.size()),
      // Rounding of x, of b, of products, and of sums of at most width / 2 terms each.
      single_error_(static_cast<double>(width / 2 + 16) * 0x1p-24) {
    for (const std::size_t id : all_) {
        alive_[id] = 1;
        longest_ = std::max(longest_, norms_[id]);
    }
    if (!(longest_ > 0)) longest_ = 1.0;
}

std::vector<std::size_t> ColumnLists::candidates() const {
    std::vector<std::size_t> ids;
    for (const std::size_t id : all_) {
        if (alive_[id]) ids.push_back(id);
    }
    return ids;
}

void ColumnLists::forget(const std::vector<std::size_t>& ids) {
    for (const std::size_t id : ids) {
        if (id >= alive_.size() || !alive_[id])
            throw std::invalid_argument("a column that is gone is no candidate.");
        alive_[id] = 0;
        --left_;
    }
    lists_.clear();
    all_ = candidates();
}

void ColumnLists::score(const Weighing& now, const std::vector<std::size_t>& ids,
                        std::vector<double>& out) const {
    constexpr std::size_t block = 64;
    const double* columns[block];
    double w[block];
    out.assign(ids.size(), 0.0);
    for (std::size_t first = 0; first < ids.size(); first += block) {
        const std::size_t count = std::min(block, ids.size() - first);
        for (std::size_t k = 0; k < count; ++k) columns[k] = columns_ + ids[first + k] * width_;
        for (const double* b : now) {
            vector_kernels().column_dots(count, columns, width_, b, w);
            for (std::size_t k = 0; k < count; ++k) out[first + k] += w[k] * w[k];
        }
    }
}

// ---- the reference of a list

// Single precision has little range: coefficients are divided by |B|, columns by the longest.
void ColumnLists::observe(const Weighing& now) {
    double square = 0.0;
    for (const double* b : now) {
        double part;
        vector_kernels().column_dots(1, &b, width_, b, &part);
        square += part;
    }
    norm_ = std::sqrt(square);
    unit_ = norm_ * longest_;
    if (!(norm_ > 0)) return;
    single_.resize(now.size() * width_);
    float* target = single_.data();
    const double shrink = 1.0 / norm_;
    for (const double* b : now) {
        for (std::size_t k = 0; k < width_; ++k) target[k] = static_cast<float>(b[k] * shrink);
        target += width_;
    }
}

// D by Pythagoras where that keeps its digits, term by term where it does not.
void ColumnLists::compare(Reference& reference, const Weighing& now) const {
    double product = 0.0;
    const double* r = reference.coefficients.data();
    for (const double* b : now) {
        double part;
        vector_kernels().column_dots(1, &b, width_, r, &part);
        product += part;
        r += width_;
    }
    const double c = product / reference.square;
    double square = norm_ * norm_ - c * product;
    if (square < 1e-8 * norm_ * norm_) {
        square = 0.0;
        r = reference.coefficients.data();
        for (const double* b : now) {
            for (std::size_t k = 0; k < width_; ++k) {
                const double d = b[k] - c * r[k];
                square += d * d;
            }
            r += width_;
        }
    }
    reference.scale = std::abs(c);
    reference.drift = std::sqrt(square) * (1.0 + 1e-7) +
                      rounding * (norm_ + reference.scale * std::sqrt(reference.square));
}

// What every column left out is known to exceed.
double ColumnLists::List::outside() const {
    if (everything) return infinity;
    const double slope = reference.scale * rho - reference.drift;
    return reference.scale * tau + slope * (slope >= 0 ? shortest_out : longest_out);
}

// ---- making lists

// Lower bounds a_i of |w_i| for the parent of a list: all candidates, or the list above.
void ColumnLists::weigh(std::size_t level, const Weighing& now, std::vector<std::size_t>& ids,
                        std::vector<double>& least) {
    if (level == 0) {
        all_.erase(
            std::remove_if(all_.begin(), all_.end(), [&](std::size_t id) { return !alive_[id]; }),
            all_.end());
        ids = all_;
        std::vector<double> squares;
        score(now, ids, squares);
        least.resize(ids.size());
        for (std::size_t k = 0; k < ids.size(); ++k) {
            least[k] = std::sqrt(squares[k]);
        }
        return;
    }
    List& parent = lists_[level - 1];
    const auto slack = static_cast<float>(single_error_);
    float values[pack_width];
    for (std::size_t slot = 0; slot < parent.ids.size(); slot += pack_width) {
        vector_kernels().pack_weigh(width_, now.size(), parent.values.data() + slot * width_,
                                    single_.data(), slack, parent.norms.data() + slot, values);
        for (std::size_t l = 0; l < pack_width; ++l) {
            const std::size_t id = parent.ids[slot + l];
            if (id == none || !alive_[id]) continue;
            const double error = single_error_ * parent.norms[slot + l] + underflow;
            ids.push_back(id);
            least.push_back((values[l] - error) * unit_);
        }
    }
    parent.used += single_dot * static_cast<double>(parent.ids.size() * width_ * now.size());
}

void ColumnLists::tune(std::size_t level, std::size_t parents, std::size_t count) {
    List& list = lists_[level];
    if (list.age > 0) {
        list.life *= list.used < list.cost ? 1.25 : 0.8;
        const double steps = std::sqrt(static_cast<double>(list.age));
        const double seen = list.reference.drift / (std::max(norm_, 1e-300) * steps);
        list.restlessness = list.restlessness < 0 ? seen : 0.5 * (list.restlessness + seen);
    }
    double most = static_cast<double>(parents) / (4.0 * static_cast<double>(count));
    if (level > 0) most = std::min(most, lists_[level - 1].life / 2.0);
    list.life = std::max(4.0, std::min(list.life, most));
}

void ColumnLists::make_from(std::size_t level, const Weighing& now, std::size_t count) {
    if (level == 0) {
        const std::size_t levels = left_ > nested_above ? 2 : 1;
        if (levels == 2 && lists_.empty()) {
            lists_.resize(levels);
            lists_[0].life = first_outer_life;
        }
        lists_.resize(levels);
    }
    for (; level < lists_.size(); ++level) {
        std::vector<std::size_t> ids;
        std::vector<double> least;
        weigh(level, now, ids, least);
        tune(level, ids.size(), count);
        List& list = lists_[level];
        list.reference.coefficients.clear();
        for (const double* b : now) {
            list.reference.coefficients.insert(list.reference.coefficients.end(), b, b + width_);
        }
        list.reference.square = norm_ * norm_;
        set_limits(list, ids, least, count);
        fill(list, ids, least);
        const double weighing = level == 0 ? double_dot : single_dot;
        list.cost = static_cast<double>(ids.size()) *
                        (sifting + weighing * static_cast<double>(width_ * now.size())) +
                    packing * static_cast<double>(list.ids.size() * width_);
        list.used = 0.0;
        list.age = 0;
    }
}

// tau: the front moves past so many columns in a life. rho: so far may the coefficients drift.
void ColumnLists::set_limits(List& list, const std::vector<std::size_t>& ids,
                             const std::vector<double>& least, std::size_t count) const {
    const auto passed = static_cast<std::size_t>(list.life * static_cast<double>(count));
    const std::size_t last = ids.size() - 1, rank = std::min(last, passed + count + 8);
    std::vector<double> values(least);
    const auto at = [&](std::size_t k) {
        std::nth_element(values.begin(), values.begin() + static_cast<long>(k), values.end());
        return values[k];
    };
    list.tau = at(rank);
    if (list.restlessness >= 0) {
        list.rho = 1.1 * list.restlessness * norm_ * std::sqrt(list.life);
        return;
    }
    double mean = 0.0;  // nothing seen yet: a few times as many columns as the front will pass
    for (const std::size_t id : ids) mean += norms_[id];
    mean /= static_cast<double>(ids.size());
    list.rho = (at(std::min(last, 4 * rank)) - list.tau) / std::max(mean, 1e-300);
}

// Packs the columns below tau + rho |x| in the order of their a.
void ColumnLists::fill(List& list, const std::vector<std::size_t>& ids,
                       const std::vector<double>& least) const {
    std::vector<std::pair<double, std::size_t>> inside;
    list.shortest_out = infinity;
    list.longest_out = 0.0;
    for (std::size_t k = 0; k < ids.size(); ++k) {
        const double norm = norms_[ids[k]];
        if (least[k] <= list.tau + list.rho * norm) {
            inside.emplace_back(least[k], ids[k]);
        } else {
            list.shortest_out = std::min(list.shortest_out, norm);
            list.longest_out = std::max(list.longest_out, norm);
        }
    }
    list.everything = inside.size() == ids.size();
    roughly_sort(inside);
    const std::size_t packs = (inside.size() + pack_width - 1) / pack_width;
    list.ids.assign(packs * pack_width, none);
    list.norms.assign(packs * pack_width, dead);
    list.values.resize(packs * pack_width * width_);
    list.least.assign(packs, 0.0);
    list.longest.assign(packs, 0.0);
    const double shrink = 1.0 / longest_;
    for (std::size_t slot = 0; slot < inside.size(); ++slot) {
        const std::size_t id = inside[slot].second, pack = slot / pack_width;
        list.ids[slot] = id;
        // Rounded up: a norm enters only where a larger one is the safe side.
        list.norms[slot] = static_cast<float>(norms_[id] * shrink * (1.0 + 1e-6));
        const double a = inside[slot].first;
        list.least[pack] = slot % pack_width == 0 ? a : std::min(list.least[pack], a);
        list.longest[pack] = std::max(list.longest[pack], norms_[id]);
    }
    for (std::size_t slot = 0; slot < list.ids.size(); slot += pack_width) {
        const double* columns[pack_width];
        const std::size_t full = std::min(pack_width, inside.size() - slot);
        for (std::size_t l = 0; l < pack_width; ++l) {  // what fills up the last pack is never read
            columns[l] = columns_ + list.ids[slot + std::min(l, full - 1)] * width_;
        }
        float* target = list.values.data() + slot * width_;
        for (std::size_t k = 0; k < width_; ++k, target += pack_width) {
            for (std::size_t l = 0; l < pack_width; ++l) {
                target[l] = static_cast<float>(columns[l][k] * shrink);
            }
        }
    }
}

// ---- choosing

// Collects in seen_ every slot whose column may be among the count + 1 least of the list.
void ColumnLists::scan(List& list, std::size_t machines, std::size_t count) {
    const auto single = static_cast<float>(single_error_);
    const double scale = list.reference.scale, drift = list.reference.drift;
    seen_.clear();
    best_.assign(count + 1, infinity);
    float values[pack_width];
    std::size_t packs = 0;
    double reach = infinity;  // best_.back() and what counts as equal to it
    for (std::size_t slot = 0, pack = 0; slot < list.ids.size(); slot += pack_width, ++pack) {
        if (scale * list.least[pack] - drift * list.longest[pack] > reach) continue;
        ++packs;
        const float least =
            vector_kernels().pack_weigh(width_, machines, list.values.data() + slot * width_,
                                        single_.data(), single, list.norms.data() + slot, values);
        if ((least - underflow) * unit_ > reach) continue;
        for (std::size_t l = 0; l < pack_width; ++l) {
            if (list.norms[slot + l] == dead) continue;
            const double value = values[l] * unit_;
            const double error = (single_error_ * list.norms[slot + l] + underflow) * unit_;
            if (value - error > reach) continue;
            seen_.push_back({value, error, list.ids[slot + l], slot + l});
            if (value + error >= best_.back()) continue;
            auto place = std::upper_bound(best_.begin(), best_.end() - 1, value + error);
            std::move_backward(place, best_.end() - 1, best_.end());
            *place = value + error;
            reach = best_.back() + slack(best_.back());
        }
    }
    list.used +=
        step_overhead + single_dot * static_cast<double>(packs * pack_width * width_ * machines);
}

// From what a scan has seen to a choice, unless a list may lack a column in question.
ColumnLists::Outcome ColumnLists::settle(const Weighing& now, std::size_t count, Choice& choice) {
    const double reach = best_.back() + slack(best_.back());
    double safe = infinity;
    for (const List& list : lists_) safe = std::min(safe, list.outside());
    if (safe < infinity && !(reach < safe)) return Outcome::Incomplete;
    close_.clear();
    close_ids_.clear();
    for (const Seen& s : seen_) {
        if (s.value - s.error <= reach) {
            close_.push_back(s);
            close_ids_.push_back(s.id);
        }
    }
    score(now, close_ids_, close_scores_);
    for (std::size_t k = 0; k < close_.size(); ++k) {
        close_[k].value = std::sqrt(close_scores_[k]);
        close_[k].error = error(close_[k].id);
    }
    if (!pick(close_, count, choice)) return Outcome::Open;
    List& last = lists_.back();
    for (std::size_t k = 0; k < count; ++k) {
        alive_[close_[k].id] = 0;
        last.norms[close_[k].slot] = dead;
    }
    left_ -= count;
    return Outcome::Chosen;
}

bool ColumnLists::choose_from_all(const Weighing& now, std::size_t count, Choice& choice) {
    const std::vector<std::size_t> ids = candidates();
    std::vector<double> squares;
    score(now, ids, squares);
    std::vector<Seen> all(ids.size());
    for (std::size_t k = 0; k < ids.size(); ++k) {
        all[k] = {std::sqrt(squares[k]), error(ids[k]), ids[k], none};
    }
    return choose_among(all, count, choice);
}

bool ColumnLists::choose(const Weighing& now, std::size_t count, const Certainty& certainty,
                         Choice& choice) {
    observe(now);
    certainty_ = certainty;
    const bool many = static_cast<double>(count) > share_worth_lists * static_cast<double>(left_);
    if (left_ <= few || many || !(norm_ > 0)) return choose_from_all(now, count, choice);
    if (lists_.empty()) make_from(0, now, count);
    for (int attempt = 0; attempt < 4; ++attempt) {
        for (List& list : lists_) compare(list.reference, now);
        List& last = lists_.back();
        scan(last, now.size(), count);
        const Outcome outcome = settle(now, count, choice);
        if (outcome == Outcome::Open) return false;
        if (outcome == Outcome::Chosen) {
            for (List& list : lists_) ++list.age;
            return true;
        }
        // Lists are of no use where so much is unknown.
        if (slack(0.0) > 0.1 * best_.back()) break;
        // The topmost list that may lack a column is made again, and all below it.
        const double reach = best_.back() + slack(best_.back());
        std::size_t level = 0;
        while (level + 1 < lists_.size() && reach < lists_[level].outside()) ++level;
        make_from(level, now, count);
    }
    return choose_from_all(now, count, choice);
}

}  // namespace svsieve
