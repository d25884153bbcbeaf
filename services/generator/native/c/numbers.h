/* Vectors of 16 numbers, in the compiler's own vector types: what the CPU has is what they
   become. */

#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif
#if defined(__AVX512BF16__) && defined(__AVX512BW__)
#define DOT_BF16 1
#endif

#define INLINE static inline __attribute__((always_inline))
#define LANES 16

typedef float f32 __attribute__((vector_size(64), aligned(4)));
typedef int32_t i32 __attribute__((vector_size(64), aligned(4)));
typedef uint32_t u32 __attribute__((vector_size(64), aligned(4)));
typedef uint16_t u16 __attribute__((vector_size(32), aligned(2)));
typedef int8_t i8 __attribute__((vector_size(16), aligned(1)));

INLINE f32 splat(float value) { return (f32){} + value; }

INLINE f32 load(const float *p) { return *(const f32 *)p; }

INLINE void store(float *p, f32 v) { *(f32 *)p = v; }

INLINE f32 widen(u16 half) {
#ifdef DOT_BF16
    return (f32)_mm512_slli_epi32(_mm512_cvtepu16_epi32((__m256i)half), 16);
#else
    return (f32)(__builtin_convertvector(half, u32) << 16);
#endif
}

INLINE u16 narrow(f32 v) {
    u32 bits = (u32)v;
    return __builtin_convertvector((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16, u16);
}

/* a * b + c of vectors of any width, rounded once where the CPU can. */
#ifdef __AVX512BW__
#define fused(a, b, c) ((__typeof__(c))_mm512_fmadd_ps((__m512)(a), (__m512)(b), (__m512)(c)))
#else
#define fused(a, b, c) ((a) * (b) + (c))
#endif

INLINE float sum(f32 v) {
#ifdef DOT_BF16
    return _mm512_reduce_add_ps((__m512)v);
#else
    float s[LANES];
    memcpy(s, &v, sizeof s);
    for (int step = 8; step; step /= 2)
        for (int i = 0; i < step; i++) s[i] += s[i + step];
    return s[0];
#endif
}

INLINE float largest(f32 v) {
#ifdef __AVX512F__
    return _mm512_reduce_max_ps((__m512)v);
#else
    float most = v[0];
    for (int i = 1; i < LANES; i++) most = v[i] > most ? v[i] : most;
    return most;
#endif
}

INLINE f32 choose(i32 mask, f32 yes, f32 no) { return (f32)(((i32)yes & mask) | ((i32)no & ~mask)); }

/* e^x by Cody and Waite's reduction and a polynomial of degree 6: within 2 units in the last
   place. */
INLINE f32 exponential(f32 x) {
    x = choose(x < splat(-87.0f), splat(-87.0f), x);
    x = choose(x > splat(88.0f), splat(88.0f), x);
    f32 shifted = x * 1.44269504f + 12582912.0f; /* rounds to the nearest integer */
    f32 n = shifted - 12582912.0f;
    f32 r = x - n * 0.693359375f + n * 2.12194440e-4f;
    f32 p = splat(1.3981999507e-3f);
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1.0f;
    i32 power = (__builtin_convertvector(n, i32) + 127) << 23;
    return p * (f32)power;
}

