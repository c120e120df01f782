// Memory for n x n matrices. Training and every elimination step need one, and asking the system
// for fresh pages each time can cost as much as the matrix itself. A few released blocks are kept
// for the next matrix of about the same size.
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <new>
#include <vector>

#include "arrays.hpp"

namespace svsieve::bindings {

namespace {

constexpr std::size_t page = std::size_t{2} << 20;            // of a huge page, which is asked for
constexpr std::size_t kept_at_most = std::size_t{128} << 20;  // bytes

struct Block {
    void* memory;
    std::size_t size;  // 0: too small to be worth keeping
};

class Pool {
  public:
    Block take(std::size_t bytes) {
        if (bytes < page / 2) return {std::aligned_alloc(64, (bytes + 63) / 64 * 64), 0};
        const std::size_t size = (bytes + page - 1) / page * page;
        {
            const std::lock_guard lock(mutex_);
            for (auto block = free_.begin(); block != free_.end(); ++block) {
                if (block->size < size || block->size > 2 * size) continue;
                const Block found = *block;
                kept_ -= found.size;
                free_.erase(block);
                return found;
            }
        }
        void* memory = std::aligned_alloc(page, size);
        if (memory == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
        madvise(memory, size, MADV_HUGEPAGE);
#endif
        return {memory, size};
    }

    void give_back(Block block) noexcept {
        if (block.size > 0) {
            const std::lock_guard lock(mutex_);
            if (kept_ + block.size <= kept_at_most) {
                try {
                    free_.push_back(block);
                    kept_ += block.size;
                    return;
                } catch (const std::bad_alloc&) {
                }
            }
        }
        std::free(block.memory);
    }

  private:
    std::mutex mutex_;
    std::vector<Block> free_;
    std::size_t kept_ = 0;
};

// Never destroyed: arrays may outlive everything else at the interpreter's exit.
Pool& pool() {
    static Pool* const shared = new Pool;
    return *shared;
}

OwnedTable empty_table(std::size_t rows, std::size_t columns) {
    auto* block = new Block(pool().take(std::max<std::size_t>(1, rows * columns) * sizeof(double)));
    if (block->memory == nullptr) {
        delete block;
        throw std::bad_alloc();
    }
    nb::capsule owner(block, [](void* p) noexcept {
        auto* released = static_cast<Block*>(p);
        pool().give_back(*released);
        delete released;
    });
    return OwnedTable(static_cast<double*>(block->memory), {rows, columns}, owner);
}

}  // namespace

void bind_pool(nb::module_& m) {
    nb::register_exception_translator([](const std::exception_ptr& error, void*) {
        try {
            std::rethrow_exception(error);
        } catch (const std::bad_alloc&) {
            PyErr_SetString(PyExc_MemoryError,
                            "The system has no memory for what the core was to compute. Use fewer "
                            "rows or columns, or free memory that other programs hold.");
        }
    });
    m.def("empty_table", &empty_table, nb::arg("rows"), nb::arg("columns"),
          "An uninitialised table, from memory that an earlier one has given back if possible.");
}

}  // namespace svsieve::bindings
