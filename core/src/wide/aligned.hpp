// Vectors that begin at a cache line.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace svsieve {

template <class T>
struct CacheLineAllocator {
    using value_type = T;
    static constexpr std::align_val_t line{64};

    CacheLineAllocator() = default;
    template <class U>
    CacheLineAllocator(const CacheLineAllocator<U>&) {}

    T* allocate(std::size_t count) {
        return static_cast<T*>(::operator new(count * sizeof(T), line));
    }
    void deallocate(T* p, std::size_t) { ::operator delete(p, line); }
    bool operator==(const CacheLineAllocator&) const { return true; }
};

template <class T>
using AlignedVector = std::vector<T, CacheLineAllocator<T>>;

}  // namespace svsieve
