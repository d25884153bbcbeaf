/* What the host passes (step.py has the same structs), and what one node needs on its own: norms,
   rotation, a place in the cache. */

#pragma once

#include "matrices.h"

/* 16 keys turned so that one is in each lane; their scores then need no sums across lanes. */
#ifdef DOT_BF16
typedef struct {
    __m512i pair[64]; /* by pair of dimensions */
} Keys;
typedef uint16_t Query;

INLINE void transpose(const __m512i *rows, __m512i *columns) {
    __m512i a[16], b[16];
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++)
        a[2 * i] = _mm512_unpacklo_epi32(rows[2 * i], rows[2 * i + 1]),
              a[2 * i + 1] = _mm512_unpackhi_epi32(rows[2 * i], rows[2 * i + 1]);
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        b[4 * i] = _mm512_unpacklo_epi64(a[4 * i], a[4 * i + 2]),
              b[4 * i + 1] = _mm512_unpackhi_epi64(a[4 * i], a[4 * i + 2]);
        b[4 * i + 2] = _mm512_unpacklo_epi64(a[4 * i + 1], a[4 * i + 3]),
                  b[4 * i + 3] = _mm512_unpackhi_epi64(a[4 * i + 1], a[4 * i + 3]);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        a[i] = _mm512_shuffle_i32x4(b[i], b[4 + i], 0x88), a[4 + i] = _mm512_shuffle_i32x4(b[i], b[4 + i], 0xDD);
        a[8 + i] = _mm512_shuffle_i32x4(b[8 + i], b[12 + i], 0x88),
              a[12 + i] = _mm512_shuffle_i32x4(b[8 + i], b[12 + i], 0xDD);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        columns[i] = _mm512_shuffle_i32x4(a[i], a[8 + i], 0x88),
        columns[8 + i] = _mm512_shuffle_i32x4(a[i], a[8 + i], 0xDD);
        columns[4 + i] = _mm512_shuffle_i32x4(a[4 + i], a[12 + i], 0x88),
                    columns[12 + i] = _mm512_shuffle_i32x4(a[4 + i], a[12 + i], 0xDD);
    }
}

INLINE void turn_keys(Keys *keys, const void *kv, const size_t *at, const int dim, const int bf16) {
    for (int d = 0; d < dim; d += 32) {
        __m512i rows[16];
#pragma GCC unroll 16
        for (int k = 0; k < 16; k++) {
            if (bf16) rows[k] = _mm512_loadu_si512((const uint16_t *)kv + at[k] + d);
            else {
                const float *row = (const float *)kv + at[k] + d;
                rows[k] = (__m512i)_mm512_cvtne2ps_pbh(_mm512_loadu_ps(row + 16), _mm512_loadu_ps(row));
            }
        }
        transpose(rows, keys->pair + d / 2);
    }
}

/* `some` queries, a constant, at a time: a key that was loaded serves them all. */
INLINE void scores_of(const Keys *keys, const Query *const *q, const int some, const int dim, f32 *scores) {
    f32 even[3], odd[3]; /* two sums each, lest a product wait for the one before */
    for (int i = 0; i < some; i++) even[i] = odd[i] = splat(0);
#pragma GCC unroll 8
    for (int d = 0; d < dim / 2; d += 2)
#pragma GCC unroll 3
        for (int i = 0; i < some; i++) {
            even[i] = dot(even[i], (Pairs)keys->pair[d], q[i] + 2 * d);
            odd[i] = dot(odd[i], (Pairs)keys->pair[d + 1], q[i] + 2 * d + 2);
        }
    for (int i = 0; i < some; i++) scores[i] = even[i] + odd[i];
}

static void as_query(const float *q, Query *y, int size) {
    for (int i = 0; i < size; i += LANES) *(u16 *)(y + i) = narrow(load(q + i));
}
#else
typedef struct {
    f32 by_dim[128];
} Keys;
typedef float Query;

INLINE void turn_keys(Keys *keys, const void *kv, const size_t *at, const int dim, const int bf16) {
    for (int k = 0; k < 16; k++)
        for (int d = 0; d < dim; d++)
            keys->by_dim[d][k] = bf16 ? widened(((const uint16_t *)kv)[at[k] + d]) : ((const float *)kv)[at[k] + d];
}

INLINE void scores_of(const Keys *keys, const Query *const *q, const int some, const int dim, f32 *scores) {
    for (int i = 0; i < some; i++) scores[i] = splat(0);
    for (int d = 0; d < dim; d++)
        for (int i = 0; i < some; i++) scores[i] += keys->by_dim[d] * q[i][d];
}

static void as_query(const float *q, Query *y, int size) { memcpy(y, q, size * sizeof *q); }
#endif

typedef struct {
    const float *attention_norm, *mlp_norm; /* [hidden] */
    const float *q_norm, *k_norm;           /* [head_dim] or NULL */
    Matrix qkv, output, gate_up, down;
} Layer;

typedef struct {
    const Layer *layers;
    const float *norm;
    const float *rotations; /* [positions, head_dim / 2] complex */
    int32_t count, hidden, inner, heads, kv_heads, head_dim;
    float eps;
    int32_t kv_bf16; /* else fp32 */
    int32_t halves;  /* rotated are dimensions i and i + head_dim / 2, else neighbours */
} Model;

enum { DELTAS = 7, MOST_RANK = 64 }; /* of a layer: those of q, k, v, output, gate, up, down */
enum { QKV, OUTPUT = 3, GATE_UP, DOWN = 6 };

/* What an adapter adds to outputs [first, first + outputs) of a matrix; rank 0: nothing. */
typedef struct {
    const float *down; /* [rank, inputs] */
    const float *up;   /* [rank, outputs], scaled */
    int32_t rank, first, outputs, padding;
} Delta;

/* An adapter and the nodes [first, end) that it works on. */
typedef struct {
    const Delta *deltas; /* [layers, DELTAS] */
    int32_t first, end;
} Working;

typedef struct {
    void *kv;              /* [layers, 2, slots, kv_heads, length, head_dim] */
    int64_t slots, length; /* of that cache */
    const int64_t *positions; /* [nodes] */
    const int32_t *slot, *start, *nodes; /* [rows]: the cache's slot, positions before the step, nodes */
    const uint8_t *mask;   /* [rows, width, width]: node sees node; NULL: chains */
    float *x;              /* [nodes, hidden]: embeddings in, normed output out */
    float *streams;        /* [3, nodes, hidden] or NULL */
    const Working *working; /* [workings] */
    int32_t stream[3];     /* layers before which they are taken */
    int32_t rows, width, total, threads;
    /* nodes of steps before this one, between `start` and its own; their positions stand before
       positions[0] */
    int32_t drafted;
    int32_t workings;
} Step;

/* Of the last step, kept: asking for memory at every step costs more than the step's arithmetic at
   one node. */
static struct {
    void *memory;
    size_t size;
} scratch;

typedef struct {
    Activations a; /* [total, widest] */
    float *qkv, *inner, *mixed;
    float *low; /* [total, 2, MOST_RANK] */
    Query *queries; /* [total, heads * head_dim], scaled */
    float *scores; /* per query of a task: CHUNK, by position, and LANES */
    float *parts;  /* per query of a task: head_dim values, maximum, sum */
} Buffers;

static void rms_norm(const float *x, const float *weight, float *y, int size, float eps) {
    f32 squares = splat(0);
    for (int i = 0; i < size; i += LANES) squares += load(x + i) * load(x + i);
    float scale = 1.0f / sqrtf(sum(squares) / size + eps);
    for (int i = 0; i < size; i += LANES) store(y + i, load(x + i) * scale * load(weight + i));
}

static void rms_norms(const float *x, const float *weight, float *y, int rows, int size, int stride, float eps) {
    for (int r = 0; r < rows; r++) rms_norm(x + (size_t)r * size, weight, y + (size_t)r * stride, size, eps);
}

INLINE f32 load_kv(const void *base, size_t at, int bf16) {
    return bf16 ? widen(*(const u16 *)((const uint16_t *)base + at)) : load((const float *)base + at);
}

INLINE void store_kv(void *base, size_t at, f32 value, int bf16) {
    if (bf16) *(u16 *)((uint16_t *)base + at) = narrow(value);
    else store((float *)base + at, value);
}

static size_t kv_at(const Model *m, const Step *s, int layer, int value, int slot, int head, int64_t position) {
    return (((((size_t)layer * 2 + value) * s->slots + slot) * m->kv_heads + head) * s->length + position) *
        m->head_dim;
}

static void rotate(float *head, const float *angles, int dim, float scale, int halves) {
    const int step = halves ? 1 : 2, apart = halves ? dim / 2 : 1;
    for (int i = 0; i < dim / 2; i++) {
        float *at = head + i * step, real = at[0], imaginary = at[apart], c = angles[2 * i] * scale,
              d = angles[2 * i + 1] * scale;
        at[0] = real * c - imaginary * d;
        at[apart] = real * d + imaginary * c;
    }
}

/* Queries and keys are normed and rotated, keys and values go into the cache. */
static void place(const Model *m, const Step *s, const Layer *l, int layer, float *qkv, Query *queries) {
    int dim = m->head_dim, all = m->heads + 2 * m->kv_heads, node = 0;
    for (int r = 0; r < s->rows; r++)
        for (int n = 0; n < s->nodes[r]; n++, node++) {
            float *heads = qkv + (size_t)node * all * dim;
            const float *angles = m->rotations + (size_t)s->positions[node] * dim;
            for (int h = 0; h < m->heads + m->kv_heads; h++) {
                const float *norm = h < m->heads ? l->q_norm : l->k_norm;
                if (norm) rms_norm(heads + h * dim, norm, heads + h * dim, dim, m->eps);
                rotate(heads + h * dim, angles, dim, h < m->heads ? 1.0f / sqrtf((float)dim) : 1.0f, m->halves);
            }
            for (int h = 0; h < 2 * m->kv_heads; h++) {
                size_t at = kv_at(
                    m, s, layer, h >= m->kv_heads, s->slot[r], h % m->kv_heads, s->start[r] + s->drafted + n);
                for (int i = 0; i < dim; i += LANES)
                    store_kv(s->kv, at + i, load(heads + (m->heads + h) * dim + i), m->kv_bf16);
            }
            as_query(heads, queries + (size_t)node * m->heads * dim, m->heads * dim);
        }
}

