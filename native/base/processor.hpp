// What the core is compiled for, to be compared with the processor at hand before any loop runs into an instruction that
// the processor does not have.
#pragma once

// Extensions of x86-64 that compilers use by themselves: the name in __builtin_cpu_supports, and the macro that is
// defined as 1 where the compiler may use it.
#define PALMETTE_EXTENSIONS(X)                                                                                                 \
    X("sse3", __SSE3__) X("ssse3", __SSSE3__) X("sse4.1", __SSE4_1__) X("sse4.2", __SSE4_2__) X("popcnt", __POPCNT__)          \
    X("avx", __AVX__) X("avx2", __AVX2__) X("bmi", __BMI__) X("bmi2", __BMI2__) X("fma", __FMA__) X("avx512f", __AVX512F__)    \
    X("avx512bw", __AVX512BW__) X("avx512cd", __AVX512CD__) X("avx512dq", __AVX512DQ__) X("avx512vl", __AVX512VL__)            \
    X("avx512vbmi", __AVX512VBMI__) X("avx512vbmi2", __AVX512VBMI2__) X("avx512ifma", __AVX512IFMA__)                          \
    X("avx512vnni", __AVX512VNNI__) X("avx512bitalg", __AVX512BITALG__) X("avx512vpopcntdq", __AVX512VPOPCNTDQ__)              \
    X("gfni", __GFNI__)

namespace palmette {

// Whether the core uses each of them: data and no code, so that any processor can read it.
extern const bool kUsedExtensions[];

}  // namespace palmette
