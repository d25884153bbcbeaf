/* Products of quantised weights with activations of 8 bits, each group of 32 of them with a scale of its own.

   Two tiles of a matrix are spread out to bytes, once for all rows, and multiplied in integers; scales come in once per group. Where an
   instruction multiplies unsigned with signed bytes, activations lie 128 higher, and what that adds is taken away at the start of a sum. */

#pragma once

#define PAIR 2 /* tiles at a time */
#if DOT_BYTES == 512
#define SOME 6 /* rows at a time: as many sums as there are registers for */
#else
#define SOME 2
#endif

typedef struct {
    bytes codes[8]; /* 4 inputs of every lane */
    i32 start[2];   /* of the sums of both halves, or of the first alone */
    f32 scale[2], minimum;
} __attribute__((aligned(64))) Spread;

/* Each lane's sum grows by the products of its 4 weights with 4 activations. */
INLINE i32 dot_bytes(i32 sum, bytes w, int32_t x) {
#if DOT_BYTES == 512
    return (i32)_mm512_dpbusd_epi32((__m512i)sum, _mm512_set1_epi32(x), (__m512i)w);
#elif defined(__AVX2__)
    __m256i s[2], v[2], four = _mm256_set1_epi32(x);
    memcpy(s, &sum, sizeof s), memcpy(v, &w, sizeof v);
    for (int i = 0; i < 2; i++) {
#if DOT_BYTES == 256
        s[i] = _mm256_dpbusd_avx_epi32(s[i], four, v[i]);
#else
        __m256i pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(v[i]), _mm256_sign_epi8(four, v[i]));
        s[i] = _mm256_add_epi32(s[i], _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
#endif
    }
    memcpy(&sum, s, sizeof s);
    return sum;
#else
    i32 four = (i32)w;
    return sum + (four << 24 >> 24) * (int8_t)x + (four << 16 >> 24) * (int8_t)(x >> 8) + (four << 8 >> 24) * (int8_t)(x >> 16) +
           (four >> 24) * (int8_t)(x >> 24);
#endif
}

/* 32 numbers as 8 bits and a scale. */
static void quantise(const float *x, int8_t *codes, float *scale, float *sums) {
    f32 low = load(x), high = load(x + LANES), a = choose(low < 0, -low, low), b = choose(high < 0, -high, high);
    f32 top = choose(a > b, a, b);
    float most = 0, lanes[LANES];
    memcpy(lanes, &top, sizeof lanes);
    for (int i = 0; i < LANES; i++) most = lanes[i] > most ? lanes[i] : most;
    *scale = most / 127;
    const float inverse = most > 1e-30f ? 127 / most : 0; /* less is nothing */
    low = low * inverse + 12582912.0f, high = high * inverse + 12582912.0f; /* rounds to the nearest integer */
    i32 first = (i32)low - 0x4B400000, second = (i32)high - 0x4B400000, both = first + second;
    int total = 0, each[LANES];
    memcpy(each, &both, sizeof each);
    for (int i = 0; i < LANES; i++) total += each[i];
    *sums = *scale * total;
#ifdef DOT_BYTES
    first += 128, second += 128;
#endif
    *(i8 *)codes = __builtin_convertvector(first, i8), *(i8 *)(codes + LANES) = __builtin_convertvector(second, i8);
}

INLINE f32 small(const uint8_t *p) { return __builtin_convertvector(__builtin_convertvector(*(const i8 *)p, i32), f32); }

/* A group of a tile; `whole` points behind the 8 groups that share its scales' scales. */
INLINE void spread(const int kind, const uint8_t *at, const uint8_t *whole, Spread *to) {
    const int bits = kind & BITS, halves = kind & HALVES ? 2 : 1;
    const int offset = kind & MINIMUM || bits == 8 ? 0 : 1 << (bits - 1);
    const u32 *lines = (const u32 *)at;
#pragma GCC unroll 8
    for (int k = 0; k < 8; k++) {
        u32 v = bits == 8 ? lines[k] : (k < 4 ? lines[k] : lines[k - 4] >> 4) & 0x0F0F0F0F;
        if (bits == 5) v |= (k < 4 ? lines[4] << (4 - k) : lines[4] >> (k - 4)) & 0x10101010;
        if (bits == 6) v |= (k % 4 < 2 ? lines[4 + k / 4] << (4 - k % 4 * 2) : lines[4 + k / 4] >> (k % 4 * 2 - 4)) & 0x30303030;
        to->codes[k] = (bytes)v - (int8_t)offset;
    }
    const uint8_t *scales = at + bits * 64;
    for (int h = 0; h < 2; h++) {
        to->start[h] = (i32){};
#ifdef DOT_BYTES
        if (h < halves)
            for (int k = 0; k < 8 / halves; k++) to->start[h] = dot_bytes(to->start[h], to->codes[h * 4 + k], (int32_t)0x80808080);
        to->start[h] = -to->start[h];
#endif
        if (h < halves) to->scale[h] = kind & SUPER ? small(scales + h * LANES) * widen_half(whole) : widen_half(scales);
    }
    if (kind & SUPER && kind & MINIMUM) to->minimum = small(scales + LANES) * widen_half(whole + 2 * LANES);
    else if (kind & MINIMUM) to->minimum = widen_half(scales + 2 * LANES);
}

/* Groups [from, to) of two tiles, side by side. */
INLINE void spread_groups(const int kind, const uint8_t *w, size_t size, int from, int to, Spread *out) {
    for (int g = from; g < to; g++)
        for (int t = 0; t < PAIR; t++, out++) {
            const uint8_t *tile = w + t * size;
            if (kind & SUPER) {
                const uint8_t *whole = tile + (size_t)(g / 8) * super_bytes(kind);
                spread(kind, whole + g % 8 * group_bytes(kind), whole + 8 * group_bytes(kind), out);
            } else {
                spread(kind, tile + (size_t)g * group_bytes(kind), NULL, out);
            }
        }
}

/* The totals of `rows` rows grow by these groups. */
INLINE void sum_groups(const int rows, const int halves, const int minimum, const Spread *w, int groups, Activations a, int inputs,
                       f32 (*total)[PAIR]) {
    const int all = inputs / GROUP;
    for (int g = 0; g < groups; g++, w += PAIR) {
#pragma GCC unroll 2
        for (int h = 0; h < halves; h++) {
            i32 part[SOME][PAIR];
#pragma GCC unroll 6
            for (int r = 0; r < rows; r++)
                for (int t = 0; t < PAIR; t++) part[r][t] = w[t].start[h];
#pragma GCC unroll 8
            for (int k = h * 8 / halves; k < (h + 1) * 8 / halves; k++)
#pragma GCC unroll 6
                for (int r = 0; r < rows; r++) {
                    int32_t four;
                    memcpy(&four, a.x + (size_t)r * inputs + g * GROUP + 4 * k, 4);
#pragma GCC unroll 2
                    for (int t = 0; t < PAIR; t++) part[r][t] = dot_bytes(part[r][t], w[t].codes[k], four);
                }
#pragma GCC unroll 6
            for (int r = 0; r < rows; r++)
                for (int t = 0; t < PAIR; t++)
                    total[r][t] = fused(__builtin_convertvector(part[r][t], f32) * w[t].scale[h], splat(a.scales[r * all + g]), total[r][t]);
        }
        if (minimum)
#pragma GCC unroll 6
            for (int r = 0; r < rows; r++)
                for (int t = 0; t < PAIR; t++) total[r][t] = fused(w[t].minimum, splat(a.sums[r * all + g]), total[r][t]);
    }
}

#define SUMS(name, halves, minimum)                                                                                             \
    __attribute__((noinline)) static void name(int rows, const Spread *w, int groups, Activations a, int inputs, f32(*total)[PAIR]) { \
        switch (rows) {                                                                                                         \
            case 1: sum_groups(1, halves, minimum, w, groups, a, inputs, total); break;                                         \
            SUMS_MORE(halves, minimum)                                                                                          \
        }                                                                                                                       \
    }
#if SOME == 6
#define SUMS_MORE(halves, minimum)                                                      \
    case 2: sum_groups(2, halves, minimum, w, groups, a, inputs, total); break;         \
    case 3: sum_groups(3, halves, minimum, w, groups, a, inputs, total); break;         \
    case 4: sum_groups(4, halves, minimum, w, groups, a, inputs, total); break;         \
    case 5: sum_groups(5, halves, minimum, w, groups, a, inputs, total); break;         \
    default: sum_groups(6, halves, minimum, w, groups, a, inputs, total);
#else
#define SUMS_MORE(halves, minimum) \
    default: sum_groups(2, halves, minimum, w, groups, a, inputs, total);
#endif
SUMS(plain_sums, 1, 0)
SUMS(shifted_sums, 1, 1)
SUMS(halved_sums, 2, 0)

#define SPREADS(kind)                                                                                                  \
    __attribute__((noinline)) static void spread##kind(const uint8_t *w, size_t size, int from, int to, Spread *out) { \
        spread_groups(kind, w, size, from, to, out);                                                                   \
    }
SPREADS(4)  /* Q4_0 */
SPREADS(5)  /* Q5_0 */
SPREADS(8)  /* Q8_0 */
SPREADS(20) /* Q4_1 */
SPREADS(21) /* Q5_1 */
SPREADS(52) /* Q4_K */
SPREADS(53) /* Q5_K */
SPREADS(102) /* Q6_K */

static void spread_of(const Matrix *m, const uint8_t *w, int from, int to, Spread *out) {
    const size_t size = tile_bytes(m);
    switch (m->kind) {
        case 4: spread4(w, size, from, to, out); break;
        case 5: spread5(w, size, from, to, out); break;
        case 8: spread8(w, size, from, to, out); break;
        case 20: spread20(w, size, from, to, out); break;
        case 21: spread21(w, size, from, to, out); break;
        case 52: spread52(w, size, from, to, out); break;
        case 53: spread53(w, size, from, to, out); break;
        default: spread102(w, size, from, to, out);
    }
}

#define NEAR 8          /* groups that are spread out at a time for few rows */
#define LONGEST_ROW 640 /* groups of a matrix at most: 20,480 inputs */

static _Thread_local Spread *spare_spread;

/* Two tiles. Of many rows' results none depends on how many there are: the groups are summed in the same order. */
static void quantised(const Matrix *m, int tile, Activations a, int rows, Results to) {
    const int groups = m->inputs / GROUP, near = rows <= SOME ? NEAR : groups;
    const float *bias = m->bias ? m->bias + tile * LANES : NULL;
    if (!spare_spread && posix_memalign((void **)&spare_spread, 64, sizeof(Spread) * PAIR * LONGEST_ROW)) abort();
    f32 total[SOME][PAIR];
    for (int from = 0; from < groups; from += near) {
        const int some = groups - from < near ? groups - from : near;
        spread_of(m, m->data + tile * tile_bytes(m), from, from + some, spare_spread);
        for (int row = 0; row < rows; row += SOME) {
            const int count = rows - row < SOME ? rows - row : SOME;
            Activations own = {a.x + (size_t)row * m->inputs + from * GROUP, a.scales + (size_t)row * groups + from,
                               a.sums + (size_t)row * groups + from};
            if (!from)
                for (int r = 0; r < count; r++)
                    for (int t = 0; t < PAIR; t++) total[r][t] = splat(0);
            if (m->kind & HALVES) halved_sums(count, spare_spread, some, own, m->inputs, total);
            else if (m->kind & MINIMUM) shifted_sums(count, spare_spread, some, own, m->inputs, total);
            else plain_sums(count, spare_spread, some, own, m->inputs, total);
            if (from + some < groups) continue;
            for (int r = 0; r < count; r++)
                for (int t = 0; t < PAIR; t++) put(to, row + r, t * LANES, total[r][t], bias);
        }
    }
}
