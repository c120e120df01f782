// Large work arrays. Every contraction needs some, and asking the system for fresh pages each time
// costs more than filling them: a few released blocks are kept for the next one.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace svsieve {

struct ScratchBlock {
    void* memory = nullptr;
    std::size_t bytes = 0;
};

ScratchBlock take_scratch(std::size_t bytes);
void give_back_scratch(ScratchBlock block) noexcept;

// An array of numbers that are not set to anything.
template <class T>
class Scratch {
    static_assert(std::is_arithmetic_v<T>);

  public:
    Scratch() = default;
    explicit Scratch(std::size_t count) : block_(take_scratch(count * sizeof(T))) {}
    Scratch(Scratch&& other) noexcept : block_(std::exchange(other.block_, {})) {}
    Scratch& operator=(Scratch&& other) noexcept {
        std::swap(block_, other.block_);
        return *this;
    }
    ~Scratch() { give_back_scratch(block_); }

    T* data() const { return static_cast<T*>(block_.memory); }
    T& operator[](std::size_t k) const { return data()[k]; }

  private:
    ScratchBlock block_;
};

}  // namespace svsieve
