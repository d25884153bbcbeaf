/* Products with weights in tiles, described in kernels.c. Quantised weights meet activations in 8
   bits, others in bf16. */

#pragma once

#include "numbers.h"
#include "threads.h"

#define GROUP 32 /* inputs that share a scale of the activations */
#define ROWS 8   /* nodes that share one reading of a tile in bf16 */
#define AT_ONCE 96 /* rows that share one of a quantised tile; a multiple of SOME and ROWS */

enum { BITS = 15, MINIMUM = 16, SUPER = 32, HALVES = 64 }; /* of a quantised matrix's kind; 0 is bf16 */

typedef struct Matrix {
    const uint8_t *data;
    const float *bias;         /* [outputs] or NULL */
    const struct Matrix *next; /* whose outputs follow these, of the same inputs and quantised too, or NULL */
    int32_t inputs, outputs, kind, padding;
} Matrix;

typedef struct {
    const uint16_t *x;          /* bf16 [rows, inputs]; or */
    const int8_t *bytes;        /* integers, with */
    const float *scales, *sums; /* of their groups, [rows, inputs / GROUP], and */
    const int32_t *totals;      /* the integers' sums in halves of groups */
} Activations;

INLINE Activations from_group(Activations a, size_t group) {
    return (Activations){a.x + group * GROUP, a.bytes + group * GROUP, a.scales + group, a.sums + group,
        a.totals + 2 * group};
}

/* All outputs of a matrix and of those that follow it. */
static int outputs_of(const Matrix *m) {
    int outputs = 0;
    for (; m; m = m->next) outputs += m->outputs;
    return outputs;
}

/* The matrix that has this tile of all; `tile` becomes its place there. */
static const Matrix *part_of(const Matrix *m, int *tile) {
    for (; *tile >= m->outputs / LANES; m = m->next) *tile -= m->outputs / LANES;
    return m;
}

INLINE int group_bytes(int kind) {
    int scales = (kind & HALVES ? 2 : 1) + (kind & MINIMUM ? 1 : 0);
    return (kind & BITS) * 64 + scales * (kind & SUPER ? LANES : 2 * LANES);
}

INLINE int super_bytes(int kind) { return 8 * group_bytes(kind) + (kind & MINIMUM ? 4 : 2) * LANES; }

static size_t tile_bytes(const Matrix *m) {
    if (!m->kind) return (size_t)m->inputs / 2 * 64;
    return m->kind & SUPER ? (size_t)m->inputs / (8 * GROUP) * super_bytes(m->kind)
                           : (size_t)m->inputs / GROUP * group_bytes(m->kind);
}

#ifdef DOT_BF16
typedef __m512bh Pairs;

INLINE f32 dot(f32 sum, Pairs weights, const uint16_t *x) {
    int32_t pair;
    memcpy(&pair, x, 4);
    return (f32)_mm512_dpbf16_ps((__m512)sum, weights, (__m512bh)_mm512_set1_epi32(pair));
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

INLINE f32 dot(f32 sum, Pairs weights, const uint16_t *x) {
    return sum + weights.even * widened(x[0]) + weights.odd * widened(x[1]);
}

INLINE Pairs pairs16(const uint8_t *p) {
    u32 both = *(const u32 *)p;
    return (Pairs){(f32)(both << 16), (f32)(both & 0xFFFF0000u)};
}
#endif

/* Where results go: y[row][lane of the tiles], over what is there or added to it. */
typedef struct {
    float *y;
    int stride, add;
} Results;

INLINE void put(Results to, int row, int column, f32 value, const float *bias) {
    float *at = to.y + (size_t)row * to.stride + column;
    if (bias) value += load(bias + column);
    store(at, to.add ? load(at) + value : value);
}

#include "quantised.h"

/* bf16, for `rows` rows and `tiles` tiles, constants where this is inlined. */
INLINE void product(const int rows, const int tiles, const Matrix *m, const uint8_t *w, const float *bias,
    const uint16_t *x, Results to) {
    f32 total[ROWS][4];
    const size_t size = tile_bytes(m);
    for (int r = 0; r < rows; r++)
        for (int t = 0; t < tiles; t++) total[r][t] = splat(0);
    for (int k = 0; k < m->inputs / 2; k++)
#pragma GCC unroll 4
        for (int t = 0; t < tiles; t++) {
            Pairs weights = pairs16(w + t * size + (size_t)64 * k);
#pragma GCC unroll 8
            for (int r = 0; r < rows; r++) total[r][t] = dot(total[r][t], weights, x + (size_t)r * m->inputs + 2 * k);
        }
    for (int r = 0; r < rows; r++)
        for (int t = 0; t < tiles; t++) put(to, r, t * LANES, total[r][t], bias);
}

/* Few rows take several tiles at once, lest each dot product wait for the one before. */
static void products16(const Matrix *m, int tile, int tiles, const uint16_t *x, int rows, Results to) {
    const size_t size = tile_bytes(m);
    const uint8_t *w = m->data + tile * size;
    for (; rows > 0; rows -= ROWS, to.y += (size_t)ROWS * to.stride, x += (size_t)ROWS * m->inputs) {
        int t = 0;
        Results at = to;
#define TAKE(count, some)                                                                            \
    product(count, some, m, w + t * size, m->bias ? m->bias + (tile + t) * LANES : NULL, x, at); break
        for (; rows <= 2 && t + 4 <= tiles; t += 4, at.y += 4 * LANES) switch (rows) {
                case 1: TAKE(1, 4);
                default: TAKE(2, 4);
            }
        for (; rows <= 4 && t + 2 <= tiles; t += 2, at.y += 2 * LANES) switch (rows) {
                case 1: TAKE(1, 2);
                case 2: TAKE(2, 2);
                case 3: TAKE(3, 2);
                default: TAKE(4, 2);
            }
        for (; t < tiles; t++, at.y += LANES) switch (rows) {
                case 1: TAKE(1, 1);
                case 2: TAKE(2, 1);
                case 3: TAKE(3, 1);
                case 4: TAKE(4, 1);
                case 5: TAKE(5, 1);
                case 6: TAKE(6, 1);
                case 7: TAKE(7, 1);
                default: TAKE(8, 1);
            }
#undef TAKE
    }
}

/* Tiles, an even number, of a matrix and of those that follow it. */
static void products(const Matrix *m, int tile, int tiles, Activations a, int rows, Results to) {
    if (!m->kind) {
        products16(m, tile, tiles, a.x, rows, to);
        return;
    }
    for (int t = 0; t < tiles; t += PAIR, to.y += PAIR * LANES) {
        int at = tile + t;
        const Matrix *part = part_of(m, &at);
        quantised(part, at, a, rows, to);
    }
}

typedef struct {
    const Matrix *m;
    const float *x;
    Activations a;
    int rows;
} Round;

static void round_some(void *context, int index) {
    const Round *c = context;
    const size_t inputs = c->m->inputs,
                 end = (size_t)(index * ROWS + ROWS < c->rows ? index * ROWS + ROWS : c->rows) * inputs;
    for (size_t i = (size_t)index * ROWS * inputs; i < end; i += GROUP) {
        if (c->m->kind) {
            Activations to = from_group(c->a, i / GROUP);
            quantise(c->x + i, (int8_t *)to.bytes, (float *)to.scales, (float *)to.sums, (int32_t *)to.totals);
            continue;
        }
        u16 *halves = (u16 *)((uint16_t *)c->a.x + i);
        halves[0] = narrow(load(c->x + i)), halves[1] = narrow(load(c->x + i + LANES));
    }
}

/* fp32 [rows, size] -> what the matrix multiplies: `a` points into memory that holds it. size is a
   multiple of GROUP. */
static void round_rows(const Matrix *m, const float *x, Activations a, int rows, int threads) {
    Round context = {m, x, a, rows};
    run(round_some, &context, (rows + ROWS - 1) / ROWS, threads);
}

typedef struct {
    const Matrix *m;
    Activations a;
    Results to;
    int rows, tiles, tasks; /* tiles of a task, tasks of a portion of rows */
} Multiply;

static void multiply(void *context, int index) {
    Multiply *c = context;
    const int first = index / c->tasks * AT_ONCE, rows = c->rows - first < AT_ONCE ? c->rows - first : AT_ONCE;
    int tile = index % c->tasks * c->tiles, left = outputs_of(c->m) / LANES - tile,
        tiles = left < c->tiles ? left : c->tiles;
    Results to = {c->to.y + (size_t)first * c->to.stride + tile * LANES, c->to.stride, c->to.add};
    products(c->m, tile, tiles, from_group(c->a, (size_t)first * (c->m->inputs / GROUP)), rows, to);
}

static int tasks_of(int tiles, int per) { return (tiles + per - 1) / per; }

static void matmul(const Matrix *m, Activations a, int rows, float *y, int add, int threads) {
    int outputs = outputs_of(m), tiles = outputs / LANES,
        per = tiles >= 64 * threads ? 16
        : tiles >= 16 * threads     ? 4
                                    : 2;
    Multiply context = {m, a, {y, outputs, add}, rows, per, tasks_of(tiles, per)};
    run(multiply, &context, context.tasks * tasks_of(rows, AT_ONCE), threads);
}
