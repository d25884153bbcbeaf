/* A decoding step of a Llama-family model on a CPU, for as many nodes as a draft tree has.

   The host calls bedside_step once per step, so that nothing but reading the weights is left to cost. Every node's
   result is computed by the same operations in the same order whatever else is in the step: nodes are rows that do not
   meet, keys are summed in the order of their positions, not of their places in the tree. So a drafted step gives the
   very bits that plain decoding gives.

   Weights lie in tiles of 16 outputs, inputs in pairs (x[2k], x[2k + 1]), as AVX512-BF16's dot product wants them:
     kind 4: per tile and group of 32 inputs 256 bytes of codes, 16 scales and 16 zeros in bf16; w = (code - 8) * scale + zero
     kind 8: per tile and group 512 bytes of codes and 16 scales in fp32; w = code * scale
     kind 16: per tile and pair 32 weights in bf16
   Activations are rounded to bf16 where they meet weights, and are fp32 elsewhere. */

#define _GNU_SOURCE
#include "attention.h"

typedef struct {
    const Matrix *m;
    Activations a;
    float *y; /* [rows, inner] */
    int rows;
} Gated;

/* silu(gate) * up of 32 inner dimensions. */
static void gate(void *context, int index) {
    Gated *c = context;
    const int inner = c->m->outputs / 2, tile = index * 2;
    float gates[ROWS * GROUP], ups[ROWS * GROUP];
    for (int r = 0; r < c->rows; r += ROWS) {
        int rows = c->rows - r < ROWS ? c->rows - r : ROWS;
        Activations a = {c->a.x + (size_t)r * c->m->inputs, c->a.sums + (size_t)r * (c->m->inputs / GROUP)};
        products(c->m, tile, 2, a, rows, gates, GROUP);
        products(c->m, tile + inner / LANES, 2, a, rows, ups, GROUP);
        for (int i = 0; i < rows; i++)
            for (int k = 0; k < GROUP; k += LANES) {
                f32 g = load(gates + i * GROUP + k);
                store(c->y + (size_t)(r + i) * inner + tile * LANES + k, g / (1.0f + exponential(-g)) * load(ups + i * GROUP + k));
            }
    }
}

static float *carve(char **at, size_t count, size_t each) {
    float *found = (float *)*at;
    *at += (count * each + 63) / 64 * 64;
    return found;
}

/* 0, or 1 when there is no memory. */
static int buffers(const Model *m, const Step *s, const Attend *a, Buffers *b) {
    size_t total = s->total, widest = m->inner > m->hidden ? m->inner : m->hidden, q = (size_t)m->heads * m->head_dim;
    if (q > widest) widest = q;
    size_t all = q + 2 * (size_t)m->kv_heads * m->head_dim, queries = total * m->heads * a->chunks;
    size_t size = total * (widest * 2 + widest / GROUP * 4 + (all + m->inner + widest) * 4) +
                  queries * (CHUNK + LANES + m->head_dim + 2) * 4 + total * q * sizeof(Query) + 64 * 16;
    if (scratch.size < size) {
        free(scratch.memory);
        scratch.size = 0;
        if (posix_memalign(&scratch.memory, 64, size)) return 1;
        scratch.size = size;
    }
    char *at = scratch.memory;
    b->halves = (uint16_t *)carve(&at, total * widest, 2);
    b->sums = carve(&at, total * (widest / GROUP), 4);
    b->qkv = carve(&at, total * all, 4);
    b->inner = carve(&at, total * m->inner, 4);
    b->mixed = carve(&at, total * widest, 4);
    b->queries = (Query *)carve(&at, total * q, sizeof(Query));
    b->scores = carve(&at, queries * (CHUNK + LANES), 4);
    b->parts = carve(&at, queries * (m->head_dim + 2), 4);
    return 0;
}

static void step(const Model *m, const Step *s, Attend *attention, const Buffers *b) {
    const int total = s->total, hidden = m->hidden, threads = s->threads;
    for (int l = 0; l < m->count; l++) {
        const Layer *layer = m->layers + l;
        for (int k = 0; s->streams && k < 3; k++)
            if (s->stream[k] == l) memcpy(s->streams + (size_t)k * total * hidden, s->x, (size_t)total * hidden * 4);
        for (int t = 0; t < total; t++) rms_norm(s->x + (size_t)t * hidden, layer->attention_norm, b->mixed + (size_t)t * hidden, hidden, m->eps);
        round_rows(b->mixed, b->halves, b->sums, total, hidden);
        Activations a = {b->halves, b->sums};
        matmul(&layer->qkv, a, total, b->qkv, 0, threads);
        place(m, s, layer, l, b->qkv, b->queries);
        attention->layer = l;
        run(attend, attention, s->rows * m->kv_heads * attention->chunks, threads);
        mix(attention, b->mixed);
        round_rows(b->mixed, b->halves, b->sums, total, m->heads * m->head_dim);
        matmul(&layer->output, a, total, s->x, 1, threads);
        for (int t = 0; t < total; t++) rms_norm(s->x + (size_t)t * hidden, layer->mlp_norm, b->mixed + (size_t)t * hidden, hidden, m->eps);
        round_rows(b->mixed, b->halves, b->sums, total, hidden);
        Gated gated = {&layer->gate_up, a, b->inner, total};
        run(gate, &gated, m->inner / GROUP, threads);
        round_rows(b->inner, b->halves, b->sums, total, m->inner);
        matmul(&layer->down, a, total, s->x, 1, threads);
    }
    for (int t = 0; t < total; t++) rms_norm(s->x + (size_t)t * hidden, m->norm, s->x + (size_t)t * hidden, hidden, m->eps);
}

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

/* 0, or 1 when there is no memory. */
int bedside_step(const Model *m, const Step *s) {
    pthread_mutex_lock(&turn);
    hire(s->threads);
    int end = 0;
    for (int r = 0, node = 0; r < s->rows; r++)
        for (int n = 0; n < s->nodes[r]; n++, node++)
            if (s->positions[node] >= end) end = (int)s->positions[node] + 1;
    for (int r = 0; r < s->rows; r++)
        if (s->start[r] > end) end = s->start[r];
    Attend attention = {.m = m, .s = s, .chunks = (end + CHUNK - 1) / CHUNK};
    Buffers b;
    attention.b = &b;
    int failed = buffers(m, s, &attention, &b);
    if (!failed) step(m, s, &attention, &b);
    pthread_mutex_unlock(&turn);
    return failed;
}

/* y [rows, outputs] = x [rows, inputs] W^T + b, all fp32; 0, or 1 when there is no memory. */
int bedside_multiply(const Matrix *m, const float *x, float *y, int rows, int threads) {
    uint16_t *halves = malloc((size_t)rows * m->inputs * 2);
    float *sums = malloc((size_t)rows * (m->inputs / GROUP) * 4);
    int failed = !halves || !sums;
    if (!failed) {
        round_rows(x, halves, sums, rows, m->inputs);
        pthread_mutex_lock(&turn);
        hire(threads);
        matmul(m, (Activations){halves, sums}, rows, y, 0, threads);
        pthread_mutex_unlock(&turn);
    }
    free(halves);
    free(sums);
    return failed;
}
