// Chooses the newest instruction set that this machine has. SVSIEVE_SIMD=baseline|avx2|avx512 in
// the environment asks for an older one.
#include <cstdlib>
#include <cstring>

#include "kernels.hpp"

namespace svsieve {

namespace {

const VectorKernels& choose() {
#ifdef SVSIEVE_X86_CLONES
    const char* wish = std::getenv("SVSIEVE_SIMD");
    const bool baseline_asked = wish != nullptr && std::strcmp(wish, "baseline") == 0;
    const bool avx2_asked = wish != nullptr && std::strcmp(wish, "avx2") == 0;
    __builtin_cpu_init();
    if (baseline_asked) return baseline::kernels;
    if (!avx2_asked && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
        return avx512::kernels;
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2::kernels;
#endif
    return baseline::kernels;
}

}  // namespace

const VectorKernels& vector_kernels() {
    static const VectorKernels& chosen = choose();
    return chosen;
}

}  // namespace svsieve
