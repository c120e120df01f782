#include "svsieve/cached_rows.hpp"

#include <algorithm>
#include <utility>

#include "scratch.hpp"
#include "vector/kernels.hpp"

namespace svsieve {

namespace {

constexpr std::size_t rows_at_a_time = 64;  // enough for a matrix product, little memory

}  // namespace

CachedRows::CachedRows(std::shared_ptr<KernelTree> tree, std::size_t budget_bytes)
    : tree_(std::move(tree)), budget_bytes_(budget_bytes), diagonal_(tree_->diagonal()) {
    const std::size_t n = diagonal_.size();
    // The solver holds two rows at a time; a third makes room for the next.
    capacity_ = std::min(n, std::max<std::size_t>(3, budget_bytes / (n * sizeof(double))));
    slots_.resize(n);
}

const double* CachedRows::row(std::size_t i) {
    if (slots_[i]) {
        recent_.splice(recent_.begin(), recent_, slots_[i]->position);
        return slots_[i]->values.data();
    }
    std::unique_ptr<Slot> slot;
    if (recent_.size() >= std::max<std::size_t>(3, capacity_)) {
        slot = std::move(slots_[recent_.back()]);
        recent_.pop_back();
    } else {
        slot = std::make_unique<Slot>();
    }
    slot->values.resize(size());
    tree_->row(i, slot->values.data());
    recent_.push_front(i);
    slot->position = recent_.begin();
    slots_[i] = std::move(slot);
    return slots_[i]->values.data();
}

void CachedRows::add_rows(Indices which, Vector factors, double* out) {
    const std::size_t n = size();
    std::vector<std::size_t> missing;
    std::vector<double> theirs;
    for (std::size_t t = 0; t < which.size(); ++t) {
        if (const auto& slot = slots_[which[t]]) {
            vector_kernels().add_scaled(n, factors[t], slot->values.data(), out);
        } else {
            missing.push_back(which[t]);
            theirs.push_back(factors[t]);
        }
    }
    if (missing.empty()) return;
    const std::size_t block = std::min(missing.size(), rows_at_a_time);
    const Scratch<double> values(block * n);
    for (std::size_t t0 = 0; t0 < missing.size(); t0 += block) {
        const std::size_t count = std::min(block, missing.size() - t0);
        tree_->rows(Indices(missing).subspan(t0, count), values.data());
        for (std::size_t t = 0; t < count; ++t)
            vector_kernels().add_scaled(n, theirs[t0 + t], values.data() + t * n, out);
    }
}

std::unique_ptr<RowSource> CachedRows::restricted(Indices kept) {
    auto smaller = std::make_unique<CachedRows>(tree_->restricted(kept), budget_bytes_);
    std::vector<std::size_t> position(size(), size());
    for (std::size_t k = 0; k < kept.size(); ++k) position[kept[k]] = k;
    // Rows already computed move over, shortened, least recent first so that the order survives.
    for (auto it = recent_.rbegin(); it != recent_.rend(); ++it) {
        if (position[*it] == size()) continue;
        auto slot = std::make_unique<Slot>();
        slot->values.resize(kept.size());
        for (std::size_t k = 0; k < kept.size(); ++k)
            slot->values[k] = slots_[*it]->values[kept[k]];
        slots_[*it].reset();
        smaller->recent_.push_front(position[*it]);
        slot->position = smaller->recent_.begin();
        smaller->slots_[position[*it]] = std::move(slot);
    }
    recent_.clear();
    for (auto& slot : slots_) slot.reset();
    return smaller;
}

}  // namespace svsieve
