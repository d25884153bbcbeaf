/* A decoding step of a Llama-family model on a CPU, for as many nodes as a draft tree has, and the
   draft of an EAGLE-3 head.

   The host calls bedside_step once per step, so that nothing but reading the weights is left to
   cost. Every node's result is computed by the same operations in the same order whatever else is
   in the step: nodes are rows that do not meet, keys are summed in the order of their positions,
   not of their places in the tree. So a drafted step gives the very bits that plain decoding gives.

   Weights lie in tiles of 16 outputs. Those in bf16 (kind 0): per tile and pair of inputs (x[2k],
   x[2k + 1]) 32 weights, as AVX512-BF16's dot product wants them. Quantised ones as their GGUF file
   has them, no larger (kind: the bits of a code and what else there is): per tile and group of 32
   inputs
     codes in 64 bytes per bit: byte 4 * lane + i is of inputs 4k + i; the low four bits of k are at
     4 * (k / 4) in the k % 4-th 64 bytes, a fifth one at k in those behind, a fifth and sixth at 2
     * (k % 4) in the k / 4-th there; all 8 are in the k-th 64 bytes; 16 scales, twice where each 16
     inputs have their own (HALVES), and 16 minima (MINIMUM), in halves; w = code * scale + minimum
   Where 8 groups share a scale and a minimum by which theirs are multiplied (SUPER), a group's are
   signed bytes, and behind the 8 are the halves. Without minima half their range is to be taken
   from codes. Activations are rounded where they meet weights, to bf16 or to 8 bits of a group of
   32, and are fp32 elsewhere. */

#define _GNU_SOURCE
#include "drafts/blend.h"
#include "blocks.h"
#include "drafts/frequent.h"
#include "head.h"
#include "drafts/merge.h"

static void step(const Model *m, const Step *s, Attend *attention, const Buffers *b) {
    const size_t row = m->hidden, total = s->total;
    for (int l = 0; l < m->count; l++) {
        for (int k = 0; s->streams && k < 3; k++)
            if (s->stream[k] == l) memcpy(s->streams + k * total * row, s->x, total * row * sizeof *s->x);
        rms_norms(s->x, m->layers[l].attention_norm, b->mixed, s->total, m->hidden, m->hidden, m->eps);
        project(m, s, l, b);
        finish(m, s, l, attention, b);
    }
    rms_norms(s->x, m->norm, s->x, s->total, m->hidden, m->hidden, m->eps);
}

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

/* 0, or 1 when there is no memory. */
int bedside_step(const Model *m, const Step *s) {
    pthread_mutex_lock(&turn);
    ensure_workers(s->threads);
    Attend attention = {.m = m, .s = s, .chunks = chunks_of(s)};
    Buffers b;
    attention.b = &b;
    int failed = buffers(m, s, &attention, m->hidden, &b);
    if (!failed) step(m, s, &attention, &b);
    pthread_mutex_unlock(&turn);
    return failed;
}

/* 0, or 1 when there is no memory. */
int bedside_draft(const Head *h, Draft *d) {
    pthread_mutex_lock(&turn);
    ensure_workers(d->threads);
    int failed = draft(h, d);
    pthread_mutex_unlock(&turn);
    return failed;
}

/* y [rows, outputs] = x [rows, inputs] W^T + b, all fp32; 0, or 1 when there is no memory. */
int bedside_multiply(const Matrix *m, const float *x, float *y, int rows, int threads) {
    const size_t size = (size_t)rows * m->inputs, groups = size / GROUP;
    char *memory = malloc(groups * BYTES_OF_GROUP + 4 * 64), *at = memory;
    if (!memory) return 1;
    Activations a = activations_in(&at, groups);
    pthread_mutex_lock(&turn);
    ensure_workers(threads);
    round_rows(m, x, a, rows, threads);
    matmul(m, a, rows, y, 0, threads);
    pthread_mutex_unlock(&turn);
    free(memory);
    return 0;
}

/* Bytes of a matrix's tiles, those of what follows it left out. */
int64_t bedside_tile_bytes(const Matrix *m) { return m->outputs / LANES * (int64_t)tile_bytes(m); }

/* Lays out a quantised matrix's blocks as its tiles: `data` has room for them. */
void bedside_pack(const Matrix *m, const uint8_t *raw, uint8_t *data, int threads) {
    Pack context = {m, raw, data};
    pthread_mutex_lock(&turn);
    ensure_workers(threads);
    run(pack, &context, m->outputs / LANES, threads);
    pthread_mutex_unlock(&turn);
}
