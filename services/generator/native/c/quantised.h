/* Products of quantised weights with activations of 8 bits, each group of 32 of them with a scale
   of its own, which comes in once per group.

   For more than a few rows two tiles of a matrix are spread out to bytes, a few groups at a time,
   and multiplied with all rows while they are near. Integers are exact, so every CPU comes to the
   same sums. */

#pragma once

#include "groups.h"

#define PAIR 2 /* tiles at a time */
#define PARTS (PAIR * PIECES)
#define NEAR 8 /* groups that are spread out at a time; as many as share a scale in SUPER */
#ifdef __AVX512BW__
#define SOME 8 /* rows at a time: as many sums as there are registers for */
#define FEW 4  /* rows for which spreading weights out costs more than it saves */
#else
#define SOME 2
#define FEW 2
#endif

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
        for (int c = 0; c < PARTS; c++, out++) {
            const uint8_t *whole = NULL, *at = group_at(kind, w + c / PIECES * size, g, &whole);
            spread(kind, at, whole, c % PIECES, out);
        }
}

/* The sum of a half of a group, or of all of it, before any weight: what offsets add is taken
   away. */
INLINE wi without_offset(const int kind, const int32_t *totals, int h) {
    return (wi){} - offset_of(kind) * (kind & HALVES ? totals[h] : totals[0] + totals[1]);
}

/* The totals of so few rows that weights are not spread out for them: they are multiplied as they
   are taken apart, in the order of sum_groups. */
INLINE void sum_few(const int rows, const int kind, const uint8_t *w, size_t size, int groups, Activations a,
    float (*totals)[PAIR * LANES]) {
    const int halves = kind & HALVES ? 2 : 1, chains = rows == 1 ? 2 : 1; /* neither waits for the other */
    wf total[FEW][PARTS];
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < PARTS; c++) total[r][c] = (wf){};
    for (int g = 0; g < groups; g++)
#pragma GCC unroll 8
        for (int c = 0; c < PARTS; c++) {
            const uint8_t *whole = NULL, *at = group_at(kind, w + c / PIECES * size, g, &whole);
#pragma GCC unroll 2
            for (int h = 0; h < halves; h++) {
                wi part[FEW][2];
#pragma GCC unroll 4
                for (int r = 0; r < rows; r++)
                    part[r][0] = without_offset(kind, a.totals + 2 * (r * groups + g), h), part[r][1] = (wi){};
#pragma GCC unroll 8
                for (int k = h * 8 / halves; k < (h + 1) * 8 / halves; k++) {
                    const wu codes = codes_of(kind, at, c % PIECES, k);
                    const int8_t *x = a.bytes + g * GROUP + 4 * k;
#pragma GCC unroll 4
                    for (int r = 0; r < rows; r++, x += (size_t)groups * GROUP)
                        part[r][k % chains] = dot_bytes(kind & BITS, part[r][k % chains], codes, x);
                }
                const wf scale = scale_of(kind, at, whole, c % PIECES, h);
#pragma GCC unroll 4
                for (int r = 0; r < rows; r++) {
                    const wi all = chains > 1 ? part[r][0] + part[r][1] : part[r][0];
                    total[r][c] = fused(
                        __builtin_convertvector(all, wf) * scale, (wf){} + a.scales[r * groups + g], total[r][c]);
                }
            }
            if (!(kind & MINIMUM)) continue;
            const wf minimum = minimum_of(kind, at, whole, c % PIECES);
#pragma GCC unroll 4
            for (int r = 0; r < rows; r++)
                total[r][c] = fused(minimum, (wf){} + a.sums[r * groups + g], total[r][c]);
        }
    for (int r = 0; r < rows; r++) memcpy(totals[r], total[r], sizeof total[r]);
}

/* The totals of `rows` rows grow by these groups. */
INLINE void sum_groups(const int rows, const int kind, const Spread *w, int groups, Activations a, int inputs,
    float (*totals)[PAIR * LANES]) {
    const int all = inputs / GROUP, halves = kind & HALVES ? 2 : 1;
    wf total[SOME][PARTS];
    for (int r = 0; r < rows; r++) memcpy(total[r], totals[r], sizeof total[r]);
    for (int g = 0; g < groups; g++, w += PARTS) {
#pragma GCC unroll 2
        for (int h = 0; h < halves; h++) {
            wi part[SOME][PARTS];
#pragma GCC unroll 8
            for (int r = 0; r < rows; r++)
                for (int c = 0; c < PARTS; c++) part[r][c] = without_offset(kind, a.totals + 2 * (r * all + g), h);
#pragma GCC unroll 8
            for (int k = h * 8 / halves; k < (h + 1) * 8 / halves; k++)
#pragma GCC unroll 8
                for (int r = 0; r < rows; r++) {
                    const int8_t *x = a.bytes + (size_t)r * inputs + g * GROUP + 4 * k;
#pragma GCC unroll 8
                    for (int c = 0; c < PARTS; c++)
                        part[r][c] = dot_bytes(kind & BITS, part[r][c], w[c].codes[k], x);
                }
#pragma GCC unroll 8
            for (int r = 0; r < rows; r++)
                for (int c = 0; c < PARTS; c++)
                    total[r][c] = fused(__builtin_convertvector(part[r][c], wf) * w[c].scale[h],
                        (wf){} + a.scales[r * all + g], total[r][c]);
        }
        if (kind & MINIMUM)
#pragma GCC unroll 8
            for (int r = 0; r < rows; r++)
                for (int c = 0; c < PARTS; c++)
                    total[r][c] = fused(w[c].minimum, (wf){} + a.sums[r * all + g], total[r][c]);
    }
    for (int r = 0; r < rows; r++) memcpy(totals[r], total[r], sizeof total[r]);
}

/* Of the kinds whose bytes mean the same: of 8 bits, of less, with minima, with halves. */
#define SUMS(name, kind)                                                                                               \
    __attribute__((noinline)) static void name(                                                                        \
        int rows, const Spread *w, int groups, Activations a, int inputs, float(*totals)[PAIR * LANES]) {              \
        switch (rows) {                                                                                                \
            case 1: sum_groups(1, kind, w, groups, a, inputs, totals); break;                                          \
            SUMS_MORE(kind)                                                                                            \
        }                                                                                                              \
    }
#if SOME == 8
#define SUMS_MORE(kind)                                                \
    case 2: sum_groups(2, kind, w, groups, a, inputs, totals); break; \
    case 3: sum_groups(3, kind, w, groups, a, inputs, totals); break; \
    case 4: sum_groups(4, kind, w, groups, a, inputs, totals); break; \
    case 5: sum_groups(5, kind, w, groups, a, inputs, totals); break; \
    case 6: sum_groups(6, kind, w, groups, a, inputs, totals); break; \
    case 7: sum_groups(7, kind, w, groups, a, inputs, totals); break; \
    default: sum_groups(8, kind, w, groups, a, inputs, totals);
#else
#define SUMS_MORE(kind) \
    default: sum_groups(2, kind, w, groups, a, inputs, totals);
#endif
SUMS(four_sums, 4)
SUMS(five_sums, 5)
SUMS(eight_sums, 8)
SUMS(shifted_sums, 4 | MINIMUM)
SUMS(halved_sums, 6 | HALVES)

#define SPREADS(kind)                                                                                                  \
    __attribute__((noinline)) static void spread##kind(const uint8_t *w, size_t size, int from, int to, Spread *out) { \
        spread_groups(kind, w, size, from, to, out);                                                                   \
    }                                                                                                                  \
    __attribute__((noinline)) static void few##kind(                                                                   \
        int rows, const uint8_t *w, size_t size, int groups, Activations a, float(*totals)[PAIR * LANES]) {            \
        switch (rows) {                                                                                                \
            case 1: sum_few(1, kind, w, size, groups, a, totals); break;                                               \
            FEW_MORE(kind)                                                                                             \
        }                                                                                                              \
    }
#if FEW == 4
#define FEW_MORE(kind)                                            \
    case 2: sum_few(2, kind, w, size, groups, a, totals); break; \
    case 3: sum_few(3, kind, w, size, groups, a, totals); break; \
    default: sum_few(4, kind, w, size, groups, a, totals);
#else
#define FEW_MORE(kind) \
    default: sum_few(2, kind, w, size, groups, a, totals);
#endif
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
    Spread near[NEAR * PARTS];
    float totals[AT_ONCE][PAIR * LANES] __attribute__((aligned(64)));
    memset(totals, 0, rows * sizeof totals[0]);
    const uint8_t *tiles = m->data + tile * tile_bytes(m);
    if (rows <= FEW) OF_KIND(m->kind, few, rows, tiles, tile_bytes(m), groups, a, totals)
    for (int from = 0; from < groups && rows > FEW; from += NEAR) {
        const int some = groups - from < NEAR ? groups - from : NEAR;
        OF_KIND(m->kind, spread, tiles, tile_bytes(m), from, from + some, near)
        const int turns = (rows + SOME - 1) / SOME;
        for (int turn = 0; turn < turns; turn++) { /* of as many rows each as can be */
            const int row = rows * turn / turns, count = rows * (turn + 1) / turns - row;
            Activations own = from_group(a, (size_t)row * groups + from);
            if (m->kind & HALVES) halved_sums(count, near, some, own, m->inputs, totals + row);
            else if (m->kind & MINIMUM) shifted_sums(count, near, some, own, m->inputs, totals + row);
            else if (m->kind == 8) eight_sums(count, near, some, own, m->inputs, totals + row);
            else if (m->kind == 5) five_sums(count, near, some, own, m->inputs, totals + row);
            else four_sums(count, near, some, own, m->inputs, totals + row);
        }
    }
    for (int r = 0; r < rows; r++)
        for (int t = 0; t < PAIR; t++) put(to, r, t * LANES, load(totals[r] + t * LANES), bias);
}
