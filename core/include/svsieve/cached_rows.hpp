// Rows of a Gram matrix that does not fit in memory: computed on demand, the least recently used
// ones forgotten when the budget is full.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "svsieve/kernel_rows.hpp"
#include "svsieve/kernel_tree.hpp"

namespace svsieve {

class CachedRows final : public RowSource {
  public:
    CachedRows(std::shared_ptr<KernelTree> tree, std::size_t budget_bytes);
    CachedRows(const CachedRows&) = delete;
    CachedRows& operator=(const CachedRows&) = delete;

    std::size_t size() const override { return diagonal_.size(); }
    Vector diagonal() const override { return diagonal_; }
    const double* row(std::size_t i) override;
    // Rows that are not in the cache are computed many at a time and not kept.
    void add_rows(Indices which, Vector factors, double* out) override;

    // One user at a time: rows move in and out of the cache as they are asked for.
    std::mutex& lock() { return mutex_; }

    std::size_t capacity() const override { return capacity_; }
    std::unique_ptr<RowSource> restricted(Indices kept) override;

  private:
    struct Slot {
        std::vector<double> values;
        std::list<std::size_t>::iterator position;  // in recent_
    };

    std::shared_ptr<KernelTree> tree_;
    std::size_t budget_bytes_;
    std::size_t capacity_;
    std::vector<double> diagonal_;
    std::vector<std::unique_ptr<Slot>> slots_;  // by row; null where not cached
    std::mutex mutex_;
    std::list<std::size_t> recent_;  // most recent first
};

}  // namespace svsieve
