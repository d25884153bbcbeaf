/* Products with weights in tiles, few rows at a time. The three kinds of tiles are described in kernels.c. */

#pragma once

#include "numbers.h"
#include "threads.h"

#define GROUP 32 /* inputs that share a scale */
#define ROWS 8   /* nodes that share one reading of a tile */

typedef struct {
    const uint8_t *data;
    const float *bias; /* [outputs] or NULL */
    int32_t inputs, outputs, kind, padding;
} Matrix;

typedef struct {
    const uint16_t *x; /* bf16 [rows, inputs] */
    const float *sums; /* of x's groups, [rows, inputs / GROUP] */
} Activations;

static int tile_bytes(const Matrix *m) {
    return m->kind == 4 ? m->inputs / GROUP * 320 : m->kind == 8 ? m->inputs / GROUP * 576 : m->inputs / 2 * 64;
}

#ifdef DOT_BF16
typedef __m512bh Pairs;

INLINE f32 dot(f32 sum, Pairs weights, const uint16_t *x) {
    int32_t pair;
    memcpy(&pair, x, 4);
    return (f32)_mm512_dpbf16_ps((__m512)sum, weights, (__m512bh)_mm512_set1_epi32(pair));
}

INLINE Pairs pairs4(const uint8_t *p) {
    /* The table is there twice, since the low word's fifth bit is one of its neighbour's. */
    static const uint16_t table[32] = {0xC100, 0xC0E0, 0xC0C0, 0xC0A0, 0xC080, 0xC040, 0xC000, 0xBF80, 0x0000, 0x3F80, 0x4000,
                                       0x4040, 0x4080, 0x40A0, 0x40C0, 0x40E0, 0xC100, 0xC0E0, 0xC0C0, 0xC0A0, 0xC080, 0xC040,
                                       0xC000, 0xBF80, 0x0000, 0x3F80, 0x4000, 0x4040, 0x4080, 0x40A0, 0x40C0, 0x40E0};
    __m512i codes = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)p));
    codes = _mm512_or_si512(codes, _mm512_slli_epi32(codes, 12));
    return (Pairs)_mm512_permutexvar_epi16(codes, _mm512_loadu_si512(table));
}

INLINE Pairs pairs8(const uint8_t *p) {
    __m512i words = _mm512_cvtepi8_epi16(_mm256_loadu_si256((const __m256i *)p));
    __m512i odd = (__m512i)_mm512_cvtepi32_ps(_mm512_srai_epi32(words, 16));
    __m512i even = (__m512i)_mm512_cvtepi32_ps(_mm512_srai_epi32(_mm512_slli_epi32(words, 16), 16));
    return (Pairs)_mm512_mask_blend_epi16(0xAAAAAAAA, _mm512_srli_epi32(even, 16), odd);
}

INLINE Pairs pairs16(const uint8_t *p) { return (Pairs)_mm512_loadu_si512(p); }
#else
typedef struct {
    f32 even, odd;
} Pairs;

INLINE float widened(uint16_t half) {
    uint32_t bits = (uint32_t)half << 16;
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

INLINE f32 dot(f32 sum, Pairs weights, const uint16_t *x) { return sum + weights.even * widened(x[0]) + weights.odd * widened(x[1]); }

INLINE Pairs pairs4(const uint8_t *p) {
    i32 codes = __builtin_convertvector(*(const u8 *)p, i32);
    return (Pairs){__builtin_convertvector((codes & 15) - 8, f32), __builtin_convertvector((codes >> 4) - 8, f32)};
}

INLINE Pairs pairs8(const uint8_t *p) {
    typedef int16_t i16 __attribute__((vector_size(32), aligned(1)));
    i32 both = __builtin_convertvector(*(const i16 *)p, i32);
    return (Pairs){__builtin_convertvector((both << 24) >> 24, f32), __builtin_convertvector(both >> 8, f32)};
}

INLINE Pairs pairs16(const uint8_t *p) {
    u32 both = *(const u32 *)p;
    return (Pairs){(f32)(both << 16), (f32)(both & 0xFFFF0000u)};
}
#endif

/* y[row][tile * 16 + lane] for `rows` rows and `tiles` tiles, all of them constants where this is inlined. */
INLINE void product(const int kind, const int rows, const int tiles, const Matrix *m, const uint8_t *w, Activations a, float *y, int stride) {
    f32 total[ROWS][4];
    const int groups = m->inputs / GROUP, size = tile_bytes(m);
    for (int r = 0; r < rows; r++)
        for (int t = 0; t < tiles; t++) total[r][t] = splat(0);
    for (int g = 0; g < groups; g++) {
        f32 part[ROWS][4];
        const uint8_t *at = w + g * (kind == 4 ? 320 : kind == 8 ? 576 : 1024);
        if (kind != 16)
            for (int r = 0; r < rows; r++)
                for (int t = 0; t < tiles; t++) part[r][t] = splat(0);
#pragma GCC unroll 4
        for (int k = 0; k < GROUP / 2; k++)
#pragma GCC unroll 4
            for (int t = 0; t < tiles; t++) {
                const uint8_t *p = at + (size_t)t * size;
                Pairs weights = kind == 4 ? pairs4(p + 16 * k) : kind == 8 ? pairs8(p + 32 * k) : pairs16(p + 64 * k);
#pragma GCC unroll 8
                for (int r = 0; r < rows; r++) {
                    const uint16_t *x = a.x + (size_t)r * m->inputs + g * GROUP + 2 * k;
                    if (kind == 16) total[r][t] = dot(total[r][t], weights, x);
                    else part[r][t] = dot(part[r][t], weights, x);
                }
            }
        if (kind == 16) continue;
        for (int t = 0; t < tiles; t++) {
            const uint8_t *p = at + (size_t)t * size;
            f32 scale = kind == 4 ? widen(*(const u16 *)(p + 256)) : load((const float *)(p + 512));
            for (int r = 0; r < rows; r++) total[r][t] += scale * part[r][t];
            if (kind != 4) continue;
            f32 zero = widen(*(const u16 *)(p + 288));
            for (int r = 0; r < rows; r++) total[r][t] += zero * a.sums[(size_t)r * groups + g];
        }
    }
    for (int r = 0; r < rows; r++)
        for (int t = 0; t < tiles; t++) store(y + (size_t)r * stride + t * LANES, total[r][t]);
}

/* Few rows take several tiles at once, lest each dot product wait for the one before. */
#define PRODUCTS(kind)                                                                                                            \
    __attribute__((noinline)) static void products##kind(const Matrix *m, int tile, int tiles, Activations a, int rows, float *y, \
                                                         int stride) {                                                            \
        const uint8_t *w = m->data + (size_t)tile * tile_bytes(m);                                                                \
        const size_t size = tile_bytes(m);                                                                                        \
        for (; rows > 0; rows -= ROWS, y += (size_t)ROWS * stride, a.x += (size_t)ROWS * m->inputs,                               \
                         a.sums += (size_t)ROWS * (m->inputs / GROUP)) {                                                          \
            int t = 0;                                                                                                            \
            for (; rows <= 2 && t + 4 <= tiles; t += 4)                                                                           \
                if (rows == 1) product(kind, 1, 4, m, w + t * size, a, y + t * LANES, stride);                                    \
                else product(kind, 2, 4, m, w + t * size, a, y + t * LANES, stride);                                              \
            for (; rows <= 4 && t + 2 <= tiles; t += 2)                                                                           \
                if (rows == 1) product(kind, 1, 2, m, w + t * size, a, y + t * LANES, stride);                                    \
                else if (rows == 2) product(kind, 2, 2, m, w + t * size, a, y + t * LANES, stride);                               \
                else if (rows == 3) product(kind, 3, 2, m, w + t * size, a, y + t * LANES, stride);                               \
                else product(kind, 4, 2, m, w + t * size, a, y + t * LANES, stride);                                              \
            for (; t < tiles; t++) switch (rows) {                                                                                \
                    case 1: product(kind, 1, 1, m, w + t * size, a, y + t * LANES, stride); break;                                \
                    case 2: product(kind, 2, 1, m, w + t * size, a, y + t * LANES, stride); break;                                \
                    case 3: product(kind, 3, 1, m, w + t * size, a, y + t * LANES, stride); break;                                \
                    case 4: product(kind, 4, 1, m, w + t * size, a, y + t * LANES, stride); break;                                \
                    case 5: product(kind, 5, 1, m, w + t * size, a, y + t * LANES, stride); break;                                \
                    case 6: product(kind, 6, 1, m, w + t * size, a, y + t * LANES, stride); break;                                \
                    case 7: product(kind, 7, 1, m, w + t * size, a, y + t * LANES, stride); break;                                \
                    default: product(kind, 8, 1, m, w + t * size, a, y + t * LANES, stride);                                      \
                }                                                                                                                 \
        }                                                                                                                         \
    }
PRODUCTS(4)
PRODUCTS(8)
PRODUCTS(16)

static void products(const Matrix *m, int tile, int tiles, Activations a, int rows, float *y, int stride) {
    switch (m->kind) {
        case 4: products4(m, tile, tiles, a, rows, y, stride); break;
        case 8: products8(m, tile, tiles, a, rows, y, stride); break;
        default: products16(m, tile, tiles, a, rows, y, stride);
    }
    if (m->bias)
        for (int r = 0; r < rows; r++)
            for (int t = 0; t < tiles; t++) {
                float *at = y + (size_t)r * stride + t * LANES;
                store(at, load(at) + load(m->bias + (tile + t) * LANES));
            }
}

/* fp32 [rows, size] -> bf16 and the sums of its groups. size is a multiple of GROUP. */
static void round_rows(const float *x, uint16_t *halves, float *sums, int rows, int size) {
    for (size_t i = 0; i < (size_t)rows * size; i += GROUP) {
        u16 low = narrow(load(x + i)), high = narrow(load(x + i + LANES));
        memcpy(halves + i, &low, sizeof low);
        memcpy(halves + i + LANES, &high, sizeof high);
        sums[i / GROUP] = sum(widen(low) + widen(high));
    }
}

typedef struct {
    const Matrix *m;
    Activations a;
    float *y;
    int rows, tiles; /* tiles of a task */
    int add;         /* to y rather than written over it */
} Multiply;

static void multiply(void *context, int index) {
    Multiply *c = context;
    int tile = index * c->tiles, left = c->m->outputs / LANES - tile, tiles = left < c->tiles ? left : c->tiles;
    float *y = c->y + tile * LANES;
    if (!c->add) {
        products(c->m, tile, tiles, c->a, c->rows, y, c->m->outputs);
        return;
    }
    float part[ROWS * 16 * LANES];
    for (int r = 0; r < c->rows; r += ROWS) {
        int rows = c->rows - r < ROWS ? c->rows - r : ROWS;
        Activations a = {c->a.x + (size_t)r * c->m->inputs, c->a.sums + (size_t)r * (c->m->inputs / GROUP)};
        products(c->m, tile, tiles, a, rows, part, tiles * LANES);
        for (int i = 0; i < rows; i++)
            for (int t = 0; t < tiles * LANES; t += LANES) {
                float *at = y + (size_t)(r + i) * c->m->outputs + t;
                store(at, load(at) + load(part + i * tiles * LANES + t));
            }
    }
}

static int tasks_of(int tiles, int per) { return (tiles + per - 1) / per; }

static void matmul(const Matrix *m, Activations a, int rows, float *y, int add, int threads) {
    int tiles = m->outputs / LANES, per = tiles >= 64 * threads ? 16 : tiles >= 16 * threads ? 4 : 2;
    Multiply context = {m, a, y, rows, per, add};
    run(multiply, &context, tasks_of(tiles, per), threads);
}

