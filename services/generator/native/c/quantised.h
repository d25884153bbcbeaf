/* Products of quantised weights with activations of 16 bits, each group of 32 of them with a scale
   of its own.

   Two tiles of a matrix are spread out to words, a few groups at a time, and multiplied in integers
   with all rows while they are near; scales come in once per group. Integers are exact, so every
   CPU comes to the same sums. */

#pragma once

#define PAIR 2 /* tiles at a time */
#define NEAR 8 /* groups that are spread out at a time; as many as share a scale in SUPER */
#ifdef __AVX512BW__
#define SOME 6 /* rows at a time: as many sums as there are registers for */
#else
#define SOME 2
#endif

typedef struct {
    words codes[GROUP / 2]; /* 2 inputs of every lane */
    f32 scale[2], minimum;  /* of both halves, or of all in the first */
} __attribute__((aligned(64))) Spread;

/* Each lane's sum grows by the products of its 2 weights with 2 activations. */
INLINE i32 dot_words(i32 sum, words w, int32_t x) {
#if defined(__AVX512VNNI__) && defined(__AVX512BW__)
    return (i32)_mm512_dpwssd_epi32((__m512i)sum, (__m512i)w, _mm512_set1_epi32(x));
#elif defined(__AVX512BW__)
    return sum + (i32)_mm512_madd_epi16((__m512i)w, _mm512_set1_epi32(x));
#elif defined(__AVX2__)
    __m256i s[2], v[2], two = _mm256_set1_epi32(x);
    memcpy(s, &sum, sizeof s), memcpy(v, &w, sizeof v);
    for (int i = 0; i < 2; i++) s[i] = _mm256_add_epi32(s[i], _mm256_madd_epi16(v[i], two));
    memcpy(&sum, s, sizeof s);
    return sum;
#else
    i32 two = (i32)w;
    return sum + (two << 16 >> 16) * (int16_t)x + (two >> 16) * (int16_t)(x >> 16);
#endif
}

/* 32 numbers as 16 bits and a scale. */
static void quantise(const float *x, int16_t *codes, float *scale, float *sums) {
    f32 low = load(x), high = load(x + LANES), a = choose(low < 0, -low, low), b = choose(high < 0, -high, high);
    const float most = largest(choose(a > b, a, b));
    *scale = most / 32767;
    const float inverse = most > 1e-30f ? 32767 / most : 0; /* less is nothing */
    low = low * inverse + 12582912.0f, high = high * inverse + 12582912.0f; /* rounds to the nearest integer */
    i32 first = (i32)low - 0x4B400000, second = (i32)high - 0x4B400000, both = first + second;
    int total = 0, each[LANES];
    memcpy(each, &both, sizeof each);
    for (int i = 0; i < LANES; i++) total += each[i];
    *sums = *scale * total;
    *(i16 *)codes = __builtin_convertvector(first, i16), *(i16 *)(codes + LANES) = __builtin_convertvector(second, i16);
}

INLINE f32 small(const uint8_t *p) {
    return __builtin_convertvector(__builtin_convertvector(*(const i8 *)p, i32), f32);
}

/* Inputs 2k and 2k + 1 of a group of a tile. */
INLINE words codes_of(const int kind, const uint8_t *at, int k) {
    const int bits = kind & BITS, offset = kind & MINIMUM || bits == 8 ? 0 : 1 << (bits - 1);
    const u32 *lines = (const u32 *)at;
    if (bits == 8) {
        words two = (words)lines[k / 2];
        return (k % 2 ? two : two << 8) >> 8;
    }
    u32 v = lines[k / 4] >> k % 4 * 4 & 0x000F000F;
    if (bits == 5) v |= (k < 4 ? lines[4] << (4 - k) : lines[4] >> (k - 4)) & 0x00100010;
    if (bits == 6)
        v |= (k % 8 < 2 ? lines[4 + k / 8] << (4 - k % 8 * 2) : lines[4 + k / 8] >> (k % 8 * 2 - 4)) & 0x00300030;
    return (words)v - (int16_t)offset;
}

/* Of half `h` of a group; `whole` points behind the 8 groups that share its scales' scales. */
INLINE f32 scale_of(const int kind, const uint8_t *at, const uint8_t *whole, int h) {
    const uint8_t *scales = at + (kind & BITS) * 64;
    return kind & SUPER ? small(scales + h * LANES) * widen_half(whole) : widen_half(scales);
}

INLINE f32 minimum_of(const int kind, const uint8_t *at, const uint8_t *whole) {
    const uint8_t *scales = at + (kind & BITS) * 64;
    return kind & SUPER ? small(scales + LANES) * widen_half(whole + 2 * LANES) : widen_half(scales + 2 * LANES);
}

/* A group of a tile. */
INLINE void spread(const int kind, const uint8_t *at, const uint8_t *whole, Spread *to) {
#pragma GCC unroll 16
    for (int k = 0; k < GROUP / 2; k++) to->codes[k] = codes_of(kind, at, k);
    for (int h = 0; h < (kind & HALVES ? 2 : 1); h++) to->scale[h] = scale_of(kind, at, whole, h);
    if (kind & MINIMUM) to->minimum = minimum_of(kind, at, whole);
}

/* Where a group of a tile begins; `whole`: what its scales are multiplied with. */
INLINE const uint8_t *group_at(const int kind, const uint8_t *tile, int g, const uint8_t **whole) {
    if (!(kind & SUPER)) return tile + (size_t)g * group_bytes(kind);
    const uint8_t *first = tile + (size_t)(g / 8) * super_bytes(kind);
    *whole = first + 8 * group_bytes(kind);
    return first + g % 8 * group_bytes(kind);
}

/* Groups [from, to) of two tiles, side by side. */
INLINE void spread_groups(const int kind, const uint8_t *w, size_t size, int from, int to, Spread *out) {
    for (int g = from; g < to; g++)
        for (int t = 0; t < PAIR; t++, out++) {
            const uint8_t *whole = NULL, *at = group_at(kind, w + t * size, g, &whole);
            spread(kind, at, whole, out);
        }
}

/* The totals of a single row, which would spread weights out for itself alone: they are multiplied
   as they are taken apart, in the order of sum_groups. */
INLINE void sum_one(const int kind, const uint8_t *w, size_t size, int groups, Activations a, f32 *totals) {
    const int halves = kind & HALVES ? 2 : 1;
    for (int g = 0; g < groups; g++)
#pragma GCC unroll 2
        for (int t = 0; t < PAIR; t++) {
            const uint8_t *whole = NULL, *at = group_at(kind, w + t * size, g, &whole);
#pragma GCC unroll 2
            for (int h = 0; h < halves; h++) {
                i32 part[2] = {{}, {}}; /* two sums, for neither waits for the other */
#pragma GCC unroll 16
                for (int k = h * 16 / halves; k < (h + 1) * 16 / halves; k++) {
                    int32_t two;
                    memcpy(&two, a.x + g * GROUP + 2 * k, 4);
                    part[k % 2] = dot_words(part[k % 2], codes_of(kind, at, k), two);
                }
                totals[t] = fused(__builtin_convertvector(part[0] + part[1], f32) * scale_of(kind, at, whole, h),
                    splat(a.scales[g]), totals[t]);
            }
            if (kind & MINIMUM) totals[t] = fused(minimum_of(kind, at, whole), splat(a.sums[g]), totals[t]);
        }
}

/* The totals of `rows` rows grow by these groups. */
INLINE void sum_groups(const int rows, const int halves, const int minimum, const Spread *w, int groups, Activations a,
    int inputs, f32 (*totals)[PAIR]) {
    const int all = inputs / GROUP;
    f32 total[SOME][PAIR];
    for (int r = 0; r < rows; r++)
        for (int t = 0; t < PAIR; t++) total[r][t] = totals[r][t];
    for (int g = 0; g < groups; g++, w += PAIR) {
#pragma GCC unroll 2
        for (int h = 0; h < halves; h++) {
            i32 part[SOME][PAIR];
#pragma GCC unroll 6
            for (int r = 0; r < rows; r++)
                for (int t = 0; t < PAIR; t++) part[r][t] = (i32){};
#pragma GCC unroll 16
            for (int k = h * 16 / halves; k < (h + 1) * 16 / halves; k++)
#pragma GCC unroll 6
                for (int r = 0; r < rows; r++) {
                    int32_t two;
                    memcpy(&two, a.x + (size_t)r * inputs + g * GROUP + 2 * k, 4);
#pragma GCC unroll 2
                    for (int t = 0; t < PAIR; t++) part[r][t] = dot_words(part[r][t], w[t].codes[k], two);
                }
#pragma GCC unroll 6
            for (int r = 0; r < rows; r++)
                for (int t = 0; t < PAIR; t++)
                    total[r][t] = fused(__builtin_convertvector(part[r][t], f32) * w[t].scale[h],
                        splat(a.scales[r * all + g]), total[r][t]);
        }
        if (minimum)
#pragma GCC unroll 6
            for (int r = 0; r < rows; r++)
                for (int t = 0; t < PAIR; t++)
                    total[r][t] = fused(w[t].minimum, splat(a.sums[r * all + g]), total[r][t]);
    }
    for (int r = 0; r < rows; r++)
        for (int t = 0; t < PAIR; t++) totals[r][t] = total[r][t];
}

#define SUMS(name, halves, minimum)                                                                                    \
    __attribute__((noinline)) static void name(                                                                        \
        int rows, const Spread *w, int groups, Activations a, int inputs, f32(*totals)[PAIR]) {                        \
        switch (rows) {                                                                                                \
        case 1:                                                                                                        \
            sum_groups(1, halves, minimum, w, groups, a, inputs, totals);                                              \
            break;                                                                                                     \
            SUMS_MORE(halves, minimum)                                                                                 \
        }                                                                                                              \
    }
#if SOME == 6
#define SUMS_MORE(halves, minimum)                                                       \
    case 2: sum_groups(2, halves, minimum, w, groups, a, inputs, totals); break;         \
    case 3: sum_groups(3, halves, minimum, w, groups, a, inputs, totals); break;         \
    case 4: sum_groups(4, halves, minimum, w, groups, a, inputs, totals); break;         \
    case 5: sum_groups(5, halves, minimum, w, groups, a, inputs, totals); break;         \
    default: sum_groups(6, halves, minimum, w, groups, a, inputs, totals);
#else
#define SUMS_MORE(halves, minimum) \
    default: sum_groups(2, halves, minimum, w, groups, a, inputs, totals);
#endif
SUMS(plain_sums, 1, 0)
SUMS(shifted_sums, 1, 1)
SUMS(halved_sums, 2, 0)

#define SPREADS(kind)                                                                                                  \
    __attribute__((noinline)) static void spread##kind(const uint8_t *w, size_t size, int from, int to, Spread *out) { \
        spread_groups(kind, w, size, from, to, out);                                                                   \
    }                                                                                                                  \
    __attribute__((noinline)) static void one##kind(                                                                   \
        const uint8_t *w, size_t size, int groups, Activations a, f32 *totals) {                                       \
        sum_one(kind, w, size, groups, a, totals);                                                                     \
    }
SPREADS(4)  /* Q4_0 */
SPREADS(5)  /* Q5_0 */
SPREADS(8)  /* Q8_0 */
SPREADS(20) /* Q4_1 */
SPREADS(21) /* Q5_1 */
SPREADS(52) /* Q4_K */
SPREADS(53) /* Q5_K */
SPREADS(102) /* Q6_K */

#define OF_KIND(kind, name, ...)              \
    switch (kind) {                           \
        case 4: name##4(__VA_ARGS__); break;   \
        case 5: name##5(__VA_ARGS__); break;   \
        case 8: name##8(__VA_ARGS__); break;   \
        case 20: name##20(__VA_ARGS__); break; \
        case 21: name##21(__VA_ARGS__); break; \
        case 52: name##52(__VA_ARGS__); break; \
        case 53: name##53(__VA_ARGS__); break; \
        default: name##102(__VA_ARGS__);       \
    }

/* Two tiles and up to AT_ONCE rows. No row's result depends on how many there are: its groups are
   summed in the same order. */
static void quantised(const Matrix *m, int tile, Activations a, int rows, Results to) {
    const int groups = m->inputs / GROUP;
    const float *bias = m->bias ? m->bias + tile * LANES : NULL;
    Spread near[NEAR * PAIR];
    f32 totals[AT_ONCE][PAIR] __attribute__((aligned(64)));
    for (int r = 0; r < rows; r++)
        for (int t = 0; t < PAIR; t++) totals[r][t] = splat(0);
    const uint8_t *tiles = m->data + tile * tile_bytes(m);
    if (rows == 1) OF_KIND(m->kind, one, tiles, tile_bytes(m), groups, a, totals[0])
    for (int from = 0; from < groups && rows > 1; from += NEAR) {
        const int some = groups - from < NEAR ? groups - from : NEAR;
        OF_KIND(m->kind, spread, tiles, tile_bytes(m), from, from + some, near)
        for (int row = 0; row < rows; row += SOME) {
            const int count = rows - row < SOME ? rows - row : SOME;
            Activations own = {a.x + (size_t)row * m->inputs + from * GROUP, a.scales + (size_t)row * groups + from,
                               a.sums + (size_t)row * groups + from};
            if (m->kind & HALVES) halved_sums(count, near, some, own, m->inputs, totals + row);
            else if (m->kind & MINIMUM) shifted_sums(count, near, some, own, m->inputs, totals + row);
            else plain_sums(count, near, some, own, m->inputs, totals + row);
        }
    }
    for (int r = 0; r < rows; r++)
        for (int t = 0; t < PAIR; t++) put(to, r, t * LANES, totals[r][t], bias);
}
