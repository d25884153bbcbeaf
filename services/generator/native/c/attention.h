/* Attention of a step's nodes to the cache and to each other, in chunks of positions that are tasks
   of their own. */

#pragma once

#include "model.h"

#define CHUNK 256 /* positions whose keys one task reads */

typedef struct {
    const Model *m;
    const Step *s;
    const Buffers *b;
    int layer, chunks; /* of a row, the most */
} Attend;

/* Queries whose scores come before those of this task; `first` is the row's first node, `count` its
   nodes. */
static size_t part_at(const Attend *c, int first, int count, int head, int chunk) {
    return ((size_t)first * c->m->kv_heads * c->chunks + ((size_t)head * c->chunks + chunk) * count) *
        (c->m->heads / c->m->kv_heads);
}

static int visible(const Step *s, int row, int query, int key) {
    return s->mask ? s->mask[((size_t)row * s->width + query) * s->width + key] : key <= query;
}

/* Scores of `queries` on up to 16 keys, `count` of them real, into out[query][LANES], `stride`
   apart. */
INLINE void score(const void *kv, const size_t *at, int count, const Query *q, const int *which, int queries,
    int shared, int heads, float *out, int stride, const int dim, const int bf16) {
    static const int32_t lanes[LANES] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    Keys keys;
    turn_keys(&keys, kv, at, dim, bf16);
    const i32 real = *(const i32 *)lanes < (i32){} + count;
    for (int i0 = 0; i0 < queries; i0 += 3) {
        const int some = queries - i0 < 3 ? queries - i0 : 3;
        const Query *own[3];
        f32 scores[3];
        for (int i = 0; i < 3; i++) {
            int query = i0 + (i < some ? i : 0);
            own[i] = q + ((size_t)which[query / shared] * heads + query % shared) * dim;
        }
        scores_of(&keys, own, 3, dim, scores);
        for (int i = 0; i < some; i++)
            store(out + (size_t)(i0 + i) * stride, choose(real, scores[i], splat(-INFINITY)));
    }
}

/* Exponentials of a query's scores in place, their maximum and sum behind its part. 0: nothing is
   seen in this chunk. Without slots, where another row of the step is longer than this one, there
   are no scores to look at. */
static int soften(float *own, int slots, float *maximum_and_sum) {
    maximum_and_sum[0] = -INFINITY, maximum_and_sum[1] = 0;
    if (!slots) return 0;
    f32 best = load(own), total = splat(0);
    for (int k = LANES; k < slots; k += LANES) best = choose(load(own + k) > best, load(own + k), best);
    float most = -INFINITY, lanes[LANES];
    memcpy(lanes, &best, sizeof lanes);
    for (int k = 0; k < LANES; k++) most = lanes[k] > most ? lanes[k] : most;
    maximum_and_sum[0] = most;
    if (most == -INFINITY) return 0;
    for (int k = 0; k < slots; k += LANES) {
        f32 score = load(own + k), e = choose(score == splat(-INFINITY), splat(0), exponential(score - most));
        store(own + k, e);
        total += e;
    }
    maximum_and_sum[1] = sum(total);
    return 1;
}

#define TOGETHER 6 /* queries that share one reading of a value */

/* The queries of one row and one key/value head on the keys of one chunk of positions. */
INLINE void attend_dim(const Attend *c, int index, const int dim, const int bf16) {
    const Model *m = c->m;
    const Step *s = c->s;
    const int shared = m->heads / m->kv_heads, vectors = dim / LANES;
    int chunk = index % c->chunks, head = index / c->chunks % m->kv_heads, row = index / c->chunks / m->kv_heads,
        first = 0;
    for (int r = 0; r < row; r++) first += s->nodes[r];
    const int count = s->nodes[row], from = chunk * CHUNK, queries = count * shared, drafted = s->drafted,
              all = drafted + count;
    const int64_t *positions = s->positions + first - drafted; /* of all nodes whose keys are behind `start` */
    const int kept = s->start[row] - from < 0 ? 0 : s->start[row] - from < CHUNK ? s->start[row] - from : CHUNK;
    const void *kv = s->kv;
    const size_t keys = kv_at(m, s, c->layer, 0, s->slot[row], head, 0),
                 values = kv_at(m, s, c->layer, 1, s->slot[row], head, 0);
    const size_t before = part_at(c, first, count, head, chunk);
    float *scores = c->b->scores + before * (CHUNK + LANES); /* [queries, CHUNK], by position */
    float *fresh = scores + (size_t)queries * CHUNK;         /* [queries, LANES] */
    float *parts = c->b->parts + before * (dim + 2);
    const Query *q = c->b->queries + (size_t)head * shared * dim;
    int which[count], own[all], mine = 0, slots = kept;
    for (int n = 0; n < count; n++) which[n] = first + n;
    for (int n = 0; n < all; n++) {
        int64_t place = positions[n] - from;
        if (place < 0 || place >= CHUNK) continue;
        own[mine++] = n;
        if (place >= slots) slots = (int)place + 1;
    }
    slots = (slots + LANES - 1) / LANES * LANES;
    for (int i = 0; i < queries; i++)
        for (int k = kept / LANES * LANES; k < slots; k += LANES)
            store(scores + (size_t)i * CHUNK + k, splat(-INFINITY));
    for (int k = 0; k < kept; k += LANES) {
        size_t at[LANES];
        for (int i = 0; i < LANES; i++) at[i] = keys + (size_t)(from + (k + i < kept ? k + i : kept - 1)) * dim;
        score(kv, at, kept - k, q, which, queries, shared, m->heads, scores + k, CHUNK, dim, bf16);
    }
    for (int n = 0; n < mine; n += LANES) {
        size_t at[LANES];
        int some = mine - n < LANES ? mine - n : LANES;
        for (int i = 0; i < LANES; i++) at[i] = keys + (size_t)(s->start[row] + own[n + (i < some ? i : 0)]) * dim;
        score(kv, at, some, q, which, queries, shared, m->heads, fresh, LANES, dim, bf16);
        for (int k = 0; k < some; k++)
            for (int i = 0; i < queries; i++)
                if (visible(s, row, drafted + i / shared, own[n + k]))
                    scores[(size_t)i * CHUNK + positions[own[n + k]] - from] = fresh[i * LANES + k];
    }
    for (int i0 = 0; i0 < queries; i0 += TOGETHER) {
        const int several = queries - i0 < TOGETHER ? queries - i0 : TOGETHER;
        int seen[TOGETHER] = {0};
        f32 mixed[TOGETHER][8];
        for (int i = 0; i < TOGETHER; i++)
            for (int v = 0; v < vectors; v++) mixed[i][v] = splat(0);
        float *chosen[TOGETHER];
        for (int i = 0; i < TOGETHER; i++) {
            /* what is too much is computed and dropped */
            chosen[i] = scores + (size_t)(i0 + (i < several ? i : 0)) * CHUNK;
            if (i < several) seen[i] = soften(chosen[i], slots, parts + (size_t)(i0 + i) * (dim + 2) + dim);
        }
#define VALUES(some)                                                                                          \
    for (int k = 0; k < kept; k++)                                                                            \
        for (int v = 0; v < vectors; v++) {                                                                   \
            f32 value = load_kv(kv, values + (size_t)(from + k) * dim + v * LANES, bf16);                     \
            _Pragma("GCC unroll 6") for (int i = 0; i < some; i++) mixed[i][v] += value * chosen[i][k];       \
        }
        if (several <= 3) {
            VALUES(3)
        } else {
            VALUES(TOGETHER)
        }
        for (int n = 0; n < mine; n++)
            for (int i = 0; i < several; i++)
                if (visible(s, row, drafted + (i0 + i) / shared, own[n]))
                    for (int v = 0; v < vectors; v++)
                        mixed[i][v] += load_kv(kv, values + (size_t)(s->start[row] + own[n]) * dim + v * LANES, bf16) *
                                       chosen[i][positions[own[n]] - from];
        for (int i = 0; i < several; i++)
            for (int v = 0; v < vectors && seen[i]; v++)
                store(parts + (size_t)(i0 + i) * (dim + 2) + v * LANES, mixed[i][v]);
    }
}

static void attend(void *context, int index) {
    const Attend *c = context;
    if (c->m->head_dim == 64 && c->m->kv_bf16) attend_dim(c, index, 64, 1);
    else if (c->m->head_dim == 128 && c->m->kv_bf16) attend_dim(c, index, 128, 1);
    else if (c->m->kv_bf16) attend_dim(c, index, c->m->head_dim, 1);
    else attend_dim(c, index, c->m->head_dim, 0);
}

/* The chunks of a head's queries become one, in the order of positions: in b->mixed [total, heads *
   head_dim]. */
static void mix(void *context, int h) {
    const Attend *c = context;
    const Model *m = c->m;
    const int dim = m->head_dim, shared = m->heads / m->kv_heads;
    for (int row = 0, first = 0; row < c->s->rows; first += c->s->nodes[row++])
        for (int n = 0; n < c->s->nodes[row]; n++) {
            const int count = c->s->nodes[row];
            const size_t step = (size_t)count * shared * (dim + 2); /* from chunk to chunk */
            const float *part = c->b->parts +
                (part_at(c, first, count, h / shared, 0) + n * shared + h % shared) * (dim + 2);
            float most = -INFINITY, total = 0, *y = c->b->mixed + ((size_t)(first + n) * m->heads + h) * dim;
            for (int k = 0; k < c->chunks; k++) most = part[k * step + dim] > most ? part[k * step + dim] : most;
            for (int i = 0; i < dim; i += LANES) store(y + i, splat(0));
            for (int k = 0; k < c->chunks; k++) {
                if (part[k * step + dim] == -INFINITY) continue;
                float weight = expf(part[k * step + dim] - most);
                total += weight * part[k * step + dim + 1];
                for (int i = 0; i < dim; i += LANES) store(y + i, load(y + i) + load(part + k * step + i) * weight);
            }
            for (int i = 0; i < dim; i += LANES) store(y + i, load(y + i) / total);
        }
}
