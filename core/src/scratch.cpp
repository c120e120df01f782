#include "scratch.hpp"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <new>
#include <vector>

namespace svsieve {

namespace {

constexpr std::size_t alignment = 64;
constexpr std::size_t unit = std::size_t{1} << 18;           // blocks are multiples of this
constexpr std::size_t kept_at_most = std::size_t{64} << 20;  // bytes

struct Kept {
    std::mutex mutex;
    std::vector<ScratchBlock> blocks;
    std::size_t bytes = 0;
};

// Never destroyed: a thread may outlive the end of main.
Kept& kept() {
    static Kept* const shared = new Kept;
    return *shared;
}

}  // namespace

ScratchBlock take_scratch(std::size_t bytes) {
    const std::size_t size = (std::max<std::size_t>(1, bytes) + unit - 1) / unit * unit;
    {
        Kept& pool = kept();
        const std::lock_guard lock(pool.mutex);
        auto best = pool.blocks.end();
        for (auto block = pool.blocks.begin(); block != pool.blocks.end(); ++block) {
            const bool fits = block->bytes >= size && block->bytes <= 2 * size;
            if (fits && (best == pool.blocks.end() || block->bytes < best->bytes)) best = block;
        }
        if (best != pool.blocks.end()) {
            const ScratchBlock found = *best;
            pool.blocks.erase(best);
            pool.bytes -= found.bytes;
            return found;
        }
    }
    void* memory = std::aligned_alloc(alignment, size);
    if (memory == nullptr) throw std::bad_alloc();
    return {memory, size};
}

void give_back_scratch(ScratchBlock block) noexcept {
    if (block.memory == nullptr) return;
    Kept& pool = kept();
    {
        const std::lock_guard lock(pool.mutex);
        if (pool.bytes + block.bytes <= kept_at_most) {
            try {
                pool.blocks.push_back(block);
                pool.bytes += block.bytes;
                return;
            } catch (const std::bad_alloc&) {
            }
        }
    }
    std::free(block.memory);
}

}  // namespace svsieve
