/* An EAGLE-3 head's draft for one sequence: it reads the features of the tokens verified since the
   last one, and grows a tree by the probability of its paths (EAGLE-2, section 4.1). A path that is
   less likely than `least` is not followed. */

#pragma once

#include "layer.h"

typedef struct {
    Model model; /* of one layer, which reads a token's embedding and a feature side by side */
    Matrix fuse, logits;
    const float *token_norm, *feature_norm; /* [hidden] */
    const uint16_t *embeddings;             /* bf16 [vocabulary, hidden] */
    const int64_t *target_ids;              /* the target's token of each draft token */
    int32_t residual_normed;                /* the residual is the normed feature */
    int32_t output_normed;                  /* what is fed back is what the logits are made of */
} Head;

typedef struct {
    void *kv;              /* [2, slots, kv_heads, length, head_dim], of `length` room for fresh + top_k * depth more */
    int64_t slots, length;
    const float *features; /* [fresh, inputs of fuse] */
    const int64_t *tokens; /* [fresh]: each feature's next token */
    int64_t *drafted;      /* out, [top_k + depth * top_k^2]: tokens, parents before children, */
    int32_t *parents;      /* their parents' places, -1 the root, */
    float *scores;         /* and the log-probabilities of their paths */
    float least;           /* log-probability */
    int32_t slot, start;   /* features read before */
    int32_t origin;        /* position of the first of them */
    int32_t fresh, top_k, depth, threads;
    int32_t found; /* out */
} Draft;

/* The nodes whose children come next. */
typedef struct {
    int count;
    int *pool, *state; /* place in the pool, and among the states of the level before, of the root's children 0 */
    int64_t *tokens;
    float *scores;
} Frontier;

static struct {
    void *memory;
    size_t size;
} spare;

/* Into the `found` best so far, at most k, best first; of equals the first stays first. Returns how
   many there are now. */
static int insert(int *ids, float *scores, int found, int k, int id, float score) {
    if (found == k && score <= scores[k - 1]) return found;
    int at = found < k ? found : k - 1;
    for (; at > 0 && scores[at - 1] < score; at--) ids[at] = ids[at - 1], scores[at] = scores[at - 1];
    ids[at] = id, scores[at] = score;
    return found < k ? found + 1 : k;
}

/* The k likeliest of `size` logits and their log-probabilities. */
static void likeliest(const float *logits, int size, int k, int *ids, float *scores) {
    f32 best = load(logits), total = splat(0);
    for (int i = LANES; i < size; i += LANES) best = choose(load(logits + i) > best, load(logits + i), best);
    float most = -INFINITY, lanes[LANES];
    memcpy(lanes, &best, sizeof lanes);
    for (int i = 0; i < LANES; i++) most = lanes[i] > most ? lanes[i] : most;
    for (int i = 0; i < size; i += LANES) total += exponential(load(logits + i) - most);
    const float whole = most + logf(sum(total));
    int found = 0;
    for (int i = 0; i < size; i += LANES) {
        i32 above = load(logits + i) > splat(found < k ? -INFINITY : scores[k - 1]);
        int any = 0;
        for (int lane = 0; lane < LANES; lane++) any |= above[lane];
        for (int lane = 0; any && lane < LANES; lane++)
            found = insert(ids, scores, found, k, i + lane, logits[i + lane]);
    }
    for (int i = 0; i < k; i++) scores[i] = scores[i] < whole ? scores[i] - whole : 0.0f;
}

/* s->x becomes the head's output for s->total tokens and their features; with `last`, for the last
   of them alone. */
static int read_tokens(const Head *h, const Model *m, Step *s, int32_t *start, int32_t *nodes, const int64_t *tokens,
    const float *features, int last, Buffers *b) {
    const int hidden = m->hidden, q = m->heads * m->head_dim, before = s->total - 1;
    Attend attention = {.m = m, .s = s, .b = b, .chunks = chunks_of(s)};
    if (buffers(m, s, &attention, h->fuse.inputs > 2 * hidden ? h->fuse.inputs : 2 * hidden, b)) return 1;
    if (last) { /* they are the target's */
        round_rows(&h->fuse, features, b->a, s->total, s->threads);
        matmul(&h->fuse, b->a, s->total, s->x, 0, s->threads);
        features = s->x;
    }
    rms_norms(features, h->feature_norm, b->mixed + hidden, s->total, hidden, 2 * hidden, m->eps);
    for (int t = 0; t < s->total; t++) {
        float *y = b->mixed + (size_t)t * 2 * hidden;
        for (int i = 0; i < hidden; i += LANES)
            store(y + i, widen(*(const u16 *)(h->embeddings + tokens[t] * hidden + i)));
        rms_norm(y, h->token_norm, y, hidden, m->eps);
        const float *residual = h->residual_normed ? y + hidden : features + (size_t)t * hidden;
        memmove(s->x + (size_t)t * hidden, residual, hidden * sizeof *y);
    }
    project(m, s, 0, b);
    if (last && before) {
        memmove(s->x, s->x + (size_t)before * hidden, hidden * sizeof *s->x);
        memmove(b->queries, b->queries + (size_t)before * q, q * sizeof *b->queries);
        s->positions += before, *start += before, *nodes = s->total = 1;
    }
    finish(m, s, 0, &attention, b);
    return 0;
}

/* The children of the nodes whose states are in s->x go into the pool. */
static void add_children(const Head *h, Draft *d, const Step *s, const Frontier *f, float *logits, const Buffers *b) {
    const Model *m = &h->model;
    int ids[d->top_k];
    float scores[d->top_k];
    float *said = h->output_normed ? s->x : b->mixed;
    rms_norms(s->x, m->norm, said, s->total, m->hidden, m->hidden, m->eps);
    round_rows(&h->logits, said, b->a, s->total, s->threads);
    matmul(&h->logits, b->a, s->total, logits, 0, s->threads);
    for (int i = 0; i < s->total; i++) {
        likeliest(logits + (size_t)i * h->logits.outputs, h->logits.outputs, d->top_k, ids, scores);
        for (int k = 0; k < d->top_k; k++, d->found++) {
            d->drafted[d->found] = h->target_ids[ids[k]];
            d->parents[d->found] = f->pool[i];
            d->scores[d->found] = f->scores[i] + scores[k];
        }
    }
}

/* The likeliest of the pool's entries from `first` on, top_k per node of the frontier whose
   children they are, take its place. */
static void advance(const Draft *d, int first, Frontier *f) {
    f->count = 0;
    for (int i = first; i < d->found; i++)
        if (d->scores[i] >= d->least) f->count = insert(f->pool, f->scores, f->count, d->top_k, i, d->scores[i]);
    for (int i = 0; i < f->count; i++) {
        f->tokens[i] = d->drafted[f->pool[i]];
        f->state[i] = (f->pool[i] - first) / d->top_k;
    }
}

/* 0, or 1 when there is no memory. */
static int draft(const Head *h, Draft *d) {
    Model m = h->model;
    m.rotations += (size_t)d->origin * m.head_dim;
    const int k = d->top_k, width = k * d->depth, widest = d->fresh > k ? d->fresh : k, hidden = m.hidden;
    const size_t size = ((size_t)widest * hidden + (size_t)2 * k * hidden + (size_t)k * h->logits.outputs) * 4 +
                        (size_t)(width + widest) * 8 + (size_t)width * width + 64 * 8;
    if (spare.size < size) {
        free(spare.memory);
        spare.size = 0;
        if (posix_memalign(&spare.memory, 64, size)) return 1;
        spare.size = size;
    }
    char *at = spare.memory;
    float *x = carve(&at, (size_t)widest * hidden, 4), *states = carve(&at, (size_t)k * hidden, 4),
          *fed = carve(&at, (size_t)k * hidden, 4);
    float *logits = carve(&at, (size_t)k * h->logits.outputs, 4);
    int64_t *positions = (int64_t *)carve(&at, width + widest, 8);
    uint8_t *mask = (uint8_t *)carve(&at, (size_t)width * width, 1);
    int pool[k], state[k];
    int64_t tokens[k];
    float scores[k];
    Frontier f = {1, pool, state, tokens, scores};
    pool[0] = -1, scores[0] = 0;
    int32_t slot = d->slot, start = d->start, nodes = d->fresh;
    for (int i = 0; i < d->fresh; i++) positions[i] = start + i;
    Step s = {.kv = d->kv,
        .slots = d->slots,
        .length = d->length,
        .positions = positions,
        .slot = &slot,
        .start = &start,
        .nodes = &nodes,
        .x = x,
        .rows = 1,
        .width = width,
        .total = d->fresh,
        .threads = d->threads};
    Buffers b;
    d->found = 0;
    if (read_tokens(h, &m, &s, &start, &nodes, d->tokens, d->features, 1, &b)) return 1;
    add_children(h, d, &s, &f, logits, &b);
    advance(d, 0, &f);
    start++, s.mask = mask;
    for (int level = 0; level < d->depth && f.count; level++) {
        const int first = d->found, parents_from = s.drafted, drafted = parents_from + (level ? s.total : 0);
        memcpy(states, x, (size_t)s.total * hidden * sizeof *x);
        for (int i = 0; i < f.count; i++) {
            uint8_t *row = mask + (size_t)(drafted + i) * width;
            memcpy(fed + (size_t)i * hidden, states + (size_t)f.state[i] * hidden, hidden * sizeof *fed);
            if (level) memcpy(row, mask + (size_t)(parents_from + f.state[i]) * width, width);
            else memset(row, 0, width);
            row[drafted + i] = 1;
            positions[drafted + i] = start + level;
        }
        s.drafted = drafted, s.positions = positions + drafted, s.total = nodes = f.count;
        if (read_tokens(h, &m, &s, &start, &nodes, tokens, fed, 0, &b)) return 1;
        add_children(h, d, &s, &f, logits, &b);
        advance(d, first, &f);
    }
    return 0;
}
