/* A decoder layer: what every node goes through once its input has been normed. */

#pragma once

#include "attention.h"
#include "lowrank.h"

typedef struct {
    const Matrix *m;
    Activations a;
    float *y; /* [rows, inner] */
    int rows;
    const Step *s;
    const float *low;
    int layer;
} Gated;

/* Adds to gates and ups [rows, GROUP], columns from `column` on of nodes from `first` on, what
   adapters make of them. */
static void gate_deltas(const Gated *c, int first, int rows, int column, float *gates, float *ups) {
    for (int w = 0; w < c->s->workings; w++) {
        const Working *one = c->s->working + w;
        int from = first > one->first ? first : one->first, end = first + rows < one->end ? first + rows : one->end;
        for (int half = 0; half < 2; half++) {
            const Delta *d = delta_of(one, c->layer, GATE_UP + half);
            for (int node = from; d->rank && node < end; node++)
                raise_to(d, c->low + ((size_t)node * 2 + half) * MOST_RANK, column, GROUP,
                    (half ? ups : gates) + (node - first) * GROUP);
        }
    }
}

/* silu(gate) * up of 32 inner dimensions. */
static void gate(void *context, int index) {
    Gated *c = context;
    const int inner = outputs_of(c->m) / 2, tile = index * 2;
    float gates[AT_ONCE * GROUP], ups[AT_ONCE * GROUP];
    for (int r = 0; r < c->rows; r += AT_ONCE) {
        int rows = c->rows - r < AT_ONCE ? c->rows - r : AT_ONCE;
        Activations a = from_group(c->a, (size_t)r * (c->m->inputs / GROUP));
        products(c->m, tile, 2, a, rows, (Results){gates, GROUP, 0});
        products(c->m, tile + inner / LANES, 2, a, rows, (Results){ups, GROUP, 0});
        gate_deltas(c, r, rows, tile * LANES, gates, ups);
        for (int i = 0; i < rows; i++)
            for (int k = 0; k < GROUP; k += LANES) {
                f32 g = load(gates + i * GROUP + k);
                store(c->y + (size_t)(r + i) * inner + tile * LANES + k,
                    g / (1.0f + exponential(-g)) * load(ups + i * GROUP + k));
            }
    }
}

static float *carve(char **at, size_t count, size_t each) {
    float *found = (float *)*at;
    *at += (count * each + 63) / 64 * 64;
    return found;
}

#define BYTES_OF_GROUP (2 * GROUP + 16) /* of activations: bf16, or integers and what belongs to them */

static Activations activations_in(char **at, size_t groups) {
    uint16_t *x = (uint16_t *)carve(at, groups * GROUP, 2);
    float *scales = carve(at, groups, 4), *sums = carve(at, groups, 4);
    return (Activations){x, (int8_t *)x, scales, sums, (int32_t *)carve(at, groups * 2, 4)};
}

/* For inputs of up to `widest` numbers; 0, or 1 when there is no memory. */
static int buffers(const Model *m, const Step *s, const Attend *a, size_t widest, Buffers *b) {
    size_t total = s->total, q = (size_t)m->heads * m->head_dim;
    if ((size_t)m->inner > widest) widest = m->inner;
    if (q > widest) widest = q;
    size_t all = q + 2 * (size_t)m->kv_heads * m->head_dim, queries = total * m->heads * a->chunks;
    size_t size = total * (widest / GROUP * BYTES_OF_GROUP + (all + m->inner + widest + 2 * MOST_RANK) * 4) +
                  queries * (CHUNK + LANES + m->head_dim + 2) * 4 + total * q * sizeof(Query) + 64 * 18;
    if (scratch.size < size) {
        free(scratch.memory);
        scratch.size = 0;
        if (posix_memalign(&scratch.memory, 64, size)) return 1;
        scratch.size = size;
    }
    char *at = scratch.memory;
    b->a = activations_in(&at, total * (widest / GROUP));
    b->qkv = carve(&at, total * all, 4);
    b->inner = carve(&at, total * m->inner, 4);
    b->mixed = carve(&at, total * widest, 4);
    b->low = carve(&at, total * 2 * MOST_RANK, 4);
    b->queries = (Query *)carve(&at, total * q, sizeof(Query));
    b->scores = carve(&at, queries * (CHUNK + LANES), 4);
    b->parts = carve(&at, queries * (m->head_dim + 2), 4);
    return 0;
}

/* Queries, keys and values of b->mixed [total, inputs of qkv]; the keys and values go into the
   cache. */
static void project(const Model *m, const Step *s, int l, const Buffers *b) {
    const Layer *layer = m->layers + l;
    round_rows(&layer->qkv, b->mixed, b->a, s->total, s->threads);
    matmul(&layer->qkv, b->a, s->total, b->qkv, 0, s->threads);
    low_rank(s, l, QKV, 3, b->mixed, m->hidden, b->qkv, outputs_of(&layer->qkv), NULL);
    place(m, s, layer, l, b->qkv, b->queries);
}

/* What the nodes see, and then the rest of the layer, is added to s->x. */
static void finish(const Model *m, const Step *s, int l, Attend *attention, const Buffers *b) {
    const Layer *layer = m->layers + l;
    const int total = s->total, threads = s->threads;
    attention->layer = l;
    run(attend, attention, s->rows * m->kv_heads * attention->chunks, threads);
    run(mix, attention, m->heads, total > ROWS ? threads : 1);
    round_rows(&layer->output, b->mixed, b->a, total, threads);
    matmul(&layer->output, b->a, total, s->x, 1, threads);
    low_rank(s, l, OUTPUT, 1, b->mixed, layer->output.inputs, s->x, m->hidden, NULL);
    rms_norms(s->x, layer->mlp_norm, b->mixed, total, m->hidden, m->hidden, m->eps);
    round_rows(&layer->gate_up, b->mixed, b->a, total, threads);
    low_rank(s, l, GATE_UP, 2, b->mixed, m->hidden, NULL, 0, b->low);
    Gated gated = {&layer->gate_up, b->a, b->inner, total, s, b->low, l};
    run(gate, &gated, m->inner / GROUP, threads);
    round_rows(&layer->down, b->inner, b->a, total, threads);
    matmul(&layer->down, b->a, total, s->x, 1, threads);
    low_rank(s, l, DOWN, 1, b->inner, m->inner, s->x, m->hidden, NULL);
}

/* Chunks of positions that attention looks at. */
static int chunks_of(const Step *s) {
    int64_t end = 0;
    for (int r = 0, node = 0; r < s->rows; r++)
        for (int n = 0; n < s->nodes[r]; n++, node++)
            if (s->positions[node] >= end) end = s->positions[node] + 1;
    for (int r = 0; r < s->rows; r++)
        if (s->start[r] > end) end = s->start[r];
    return (int)((end + CHUNK - 1) / CHUNK);
}
