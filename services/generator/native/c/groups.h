/* A group of 32 quantised weights and of activations in 8 bits: as bytes, and multiplied.

   Weights become bytes from 0 on, four inputs of a lane side by side, as CPUs multiply them best;
   what they are more than they mean (their offset) is taken away once per group. Vectors are as
   wide as the CPU's registers, a piece of a tile's lanes each: compilers keep wider ones in
   memory. */

#pragma once

#ifdef __AVX512BW__
#define WIDE 64 /* bytes of a register */
#define WIDE_OF(name) _mm512_##name
typedef __m512i Bytes;
#elif defined(__AVX2__)
#define WIDE 32
#define WIDE_OF(name) _mm256_##name
typedef __m256i Bytes;
#else
#define WIDE 16
#endif
#define PIECES (64 / WIDE) /* of a tile's lanes */

typedef float wf __attribute__((vector_size(WIDE), aligned(4)));
typedef int32_t wi __attribute__((vector_size(WIDE), aligned(4)));
typedef uint32_t wu __attribute__((vector_size(WIDE), aligned(4)));

typedef struct {
    wu codes[GROUP / 4]; /* 4 inputs of every lane of a piece */
    wf scale[2], minimum; /* of both halves, or of all in the first */
} __attribute__((aligned(WIDE))) Spread;

/* Each lane's sum grows by the products of its 4 weights, of `bits` bits from 0 on, with 4 signed
   bytes, of which none is -128. */
INLINE wi dot_bytes(const int bits, wi sum, wu w, const int8_t *x) {
    int32_t four;
    memcpy(&four, x, 4);
#if defined(__AVX512VNNI__) && defined(__AVX512BW__)
    return (wi)_mm512_dpbusd_epi32((__m512i)sum, (__m512i)w, _mm512_set1_epi32(four));
#elif defined(__AVX2__)
    /* Pairs are summed in 16 bits, which 8 bits of weights would leave: theirs go in two parts. */
    const Bytes at = WIDE_OF(set1_epi32)(four);
    if (bits == 8) {
        const Bytes most = WIDE_OF(maddubs_epi16)((Bytes)(w >> 4 & 0x0F0F0F0F), at);
        sum += (wi)WIDE_OF(madd_epi16)(most, WIDE_OF(set1_epi16)(16));
        w &= 0x0F0F0F0F;
    }
    return sum + (wi)WIDE_OF(madd_epi16)(WIDE_OF(maddubs_epi16)((Bytes)w, at), WIDE_OF(set1_epi16)(1));
#elif defined(__SSE2__)
    const __m128i at = _mm_set1_epi32(four);
    sum += (wi)_mm_madd_epi16((__m128i)(w & 0x00FF00FF), _mm_srai_epi16(_mm_slli_epi16(at, 8), 8));
    return sum + (wi)_mm_madd_epi16((__m128i)(w >> 8 & 0x00FF00FF), _mm_srai_epi16(at, 8));
#else
    for (int i = 0; i < 4; i++) sum += (wi)(w >> 8 * i & 255) * x[i];
    return sum;
#endif
}

/* 32 numbers as signed bytes and a scale. */
static void quantise(const float *x, int8_t *codes, float *scale, float *sums, int32_t *totals) {
    f32 low = load(x), high = load(x + LANES), a = choose(low < 0, -low, low), b = choose(high < 0, -high, high);
    const float most = largest(choose(a > b, a, b));
    *scale = most / 127;
    const float inverse = most > 1e-30f ? 127 / most : 0; /* less is nothing */
    for (int half = 0; half < 2; half++) {
        i32 code = (i32)((half ? high : low) * inverse + 12582912.0f) - 0x4B400000; /* to the nearest integer */
        int each[LANES];
        memcpy(each, &code, sizeof each);
        totals[half] = 0;
        for (int i = 0; i < LANES; i++) totals[half] += each[i];
        *(i8 *)(codes + half * LANES) = __builtin_convertvector(code, i8);
    }
    *sums = *scale * (totals[0] + totals[1]);
}

/* Signed bytes, one for each lane. */
INLINE wf small(const uint8_t *p) {
#ifdef __AVX512BW__
    return (wf)_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)p)));
#elif defined(__AVX2__)
    return (wf)_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)p)));
#else
    wf value;
    for (int i = 0; i < WIDE / 4; i++) value[i] = (int8_t)p[i];
    return value;
#endif
}

/* IEEE halves, one for each lane; none is infinite. */
INLINE wf half_of(const uint8_t *p) {
#ifdef __AVX512BW__
    return (wf)_mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p));
#elif defined(__AVX2__) && defined(__F16C__)
    return (wf)_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p));
#else
    wu half;
    for (int i = 0; i < WIDE / 4; i++) half[i] = p[2 * i] | p[2 * i + 1] << 8;
    return (wf)((half & 0x7FFF) << 13 | (half & 0x8000) << 16) * 0x1p112f;
#endif
}

/* What is added to a weight lest it be negative. */
INLINE int offset_of(const int kind) { return kind & MINIMUM ? 0 : 1 << ((kind & BITS) - 1); }

/* Inputs 4k to 4k + 3 of a group of a piece of a tile. */
INLINE wu codes_of(const int kind, const uint8_t *at, int piece, int k) {
    const int bits = kind & BITS;
#define LINE(number) (*(const wu *)(at + 64 * (number) + WIDE * piece))
    if (bits == 8) return LINE(k);
    wu v = LINE(k % 4) >> k / 4 * 4 & 0x0F0F0F0F;
    if (bits == 5) v |= (k < 4 ? LINE(4) << (4 - k) : LINE(4) >> (k - 4)) & 0x10101010;
    if (bits == 6)
        v |= (k % 4 < 2 ? LINE(4 + k / 4) << (4 - k % 4 * 2) : LINE(4 + k / 4) >> (k % 4 * 2 - 4)) & 0x30303030;
    return v;
#undef LINE
}

/* Of half `h` of a group; `whole` points behind the 8 groups that share its scales' scales. */
INLINE wf scale_of(const int kind, const uint8_t *at, const uint8_t *whole, int piece, int h) {
    const uint8_t *scales = at + (kind & BITS) * 64;
    const int lane = piece * LANES / PIECES;
    return kind & SUPER ? small(scales + h * LANES + lane) * half_of(whole + 2 * lane) : half_of(scales + 2 * lane);
}

INLINE wf minimum_of(const int kind, const uint8_t *at, const uint8_t *whole, int piece) {
    const uint8_t *minima = at + (kind & BITS) * 64 + (kind & SUPER ? LANES : 2 * LANES);
    const int lane = piece * LANES / PIECES;
    return kind & SUPER ? small(minima + lane) * half_of(whole + 2 * (LANES + lane)) : half_of(minima + 2 * lane);
}

/* A group of a piece of a tile. */
INLINE void spread(const int kind, const uint8_t *at, const uint8_t *whole, int piece, Spread *to) {
#pragma GCC unroll 8
    for (int k = 0; k < GROUP / 4; k++) to->codes[k] = codes_of(kind, at, piece, k);
    for (int h = 0; h < (kind & HALVES ? 2 : 1); h++) to->scale[h] = scale_of(kind, at, whole, piece, h);
    if (kind & MINIMUM) to->minimum = minimum_of(kind, at, whole, piece);
}
