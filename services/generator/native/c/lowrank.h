/* What adapters add to a layer's matrices: up (down x), in fp32, for the nodes that they work
   on. */

#pragma once

#include "model.h"

static const Delta *delta_of(const Working *w, int layer, int which) {
    return w->deltas + (size_t)layer * DELTAS + which;
}

/* x down^T -> low [rank]. */
static void lower(const Delta *d, const float *x, int inputs, float *low) {
    int r = 0;
    for (; r + 4 <= d->rank; r += 4) {
        f32 total[4] = {splat(0), splat(0), splat(0), splat(0)};
        const float *down = d->down + (size_t)r * inputs;
        for (int i = 0; i < inputs; i += LANES)
#pragma GCC unroll 4
            for (int k = 0; k < 4; k++) total[k] = fused(load(x + i), load(down + (size_t)k * inputs + i), total[k]);
        for (int k = 0; k < 4; k++) low[r + k] = sum(total[k]);
    }
    for (; r < d->rank; r++) {
        f32 total = splat(0);
        for (int i = 0; i < inputs; i += LANES)
            total = fused(load(x + i), load(d->down + (size_t)r * inputs + i), total);
        low[r] = sum(total);
    }
}

/* Adds low up to y, the delta's outputs [first, first + count). */
static void raise_to(const Delta *d, const float *low, int first, int count, float *y) {
    for (int o = 0; o < count; o += LANES) {
        f32 total = load(y + o);
        for (int r = 0; r < d->rank; r++)
            total = fused(splat(low[r]), load(d->up + (size_t)r * d->outputs + first + o), total);
        store(y + o, total);
    }
}

typedef struct {
    const Working *w;
    const float *x; /* [nodes, inputs] */
    float *y;       /* [nodes, stride], or NULL: */
    float *low;     /* [nodes, some, MOST_RANK] */
    int inputs, stride, layer, which, some;
} LowRank;

static void low_rank_some(void *context, int index) {
    const LowRank *c = context;
    int first = c->w->first + index * ROWS, end = first + ROWS < c->w->end ? first + ROWS : c->w->end;
    for (int node = first; node < end; node++)
        for (int k = 0; k < c->some; k++) {
            const Delta *d = delta_of(c->w, c->layer, c->which + k);
            float own[MOST_RANK], *low = c->y ? own : c->low + ((size_t)node * c->some + k) * MOST_RANK;
            if (!d->rank) continue;
            lower(d, c->x + (size_t)node * c->inputs, c->inputs, low);
            if (c->y) raise_to(d, low, 0, d->outputs, c->y + (size_t)node * c->stride + d->first);
        }
}

/* For `some` of a layer's deltas from `which` on, whose matrix has the inputs x: added to y, or
   their lower halves into `low`. */
static void low_rank(
    const Step *s, int layer, int which, int some, const float *x, int inputs, float *y, int stride, float *low) {
    for (int i = 0; i < s->workings; i++) {
        LowRank context = {s->working + i, x, y, low, inputs, stride, layer, which, some};
        run(low_rank_some, &context, (s->working[i].end - s->working[i].first + ROWS - 1) / ROWS, s->threads);
    }
}
