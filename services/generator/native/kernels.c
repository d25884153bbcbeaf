/* A decoding step of a Llama-family model on a CPU, for as many nodes as a draft tree has, and the draft of an EAGLE-3 head.

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
#include "blend.h"
#include "frequent.h"
#include "head.h"
#include "merge.h"

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
    uint16_t *halves = malloc((size_t)rows * m->inputs * 2);
    float *sums = malloc((size_t)rows * (m->inputs / GROUP) * 4);
    int failed = !halves || !sums;
    if (!failed) {
        round_rows(x, halves, sums, rows, m->inputs);
        pthread_mutex_lock(&turn);
        ensure_workers(threads);
        matmul(m, (Activations){halves, sums}, rows, y, 0, threads);
        pthread_mutex_unlock(&turn);
    }
    free(halves);
    free(sums);
    return failed;
}
