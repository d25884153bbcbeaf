/* A draft from all that was said before: every earlier occurrence of the last tokens votes for what followed it, weighed by how many tokens
   agree, and the tree is grown best first over what they say together. Orders are blended as in interpolated context models (Bell, Cleary and
   Witten's PPM): the tokens seen after k agreeing ones, else what fewer say, else the commonest tokens. No floating-point sum depends on
   threads, so the same texts give the same tree. */

#pragma once

#include "text.h"

#define LIKELIEST .999f
#define SMALL .1f /* chance of a path behind which a quarter of the places is looked at: what they add is small */
enum { MOST = 512 };

typedef struct {
    const Text *const *texts; /* [sources], the weakest first; the last is the context, whose last token is the root */
    const float *strength;    /* [sources, ORDERS]: occurrences that the lower orders count for */
    int32_t *tokens, *parents, *origins, *sources; /* out [nodes - 1]; parents: 0 the root, 1 the first; origins: places in their source, -1 none */
    float *chances;           /* out: of the paths */
    int32_t sources_count, nodes, depth, scan, pointer; /* pointer: place in the context of the last token copied from the prompt, -1 */
    float near_weight, near_share, least;
    int32_t found; /* out */
} Blend;

/* Let one text's occurrences vote, on top of what weaker sources said: every order takes its share of what the lower ones left. Returns what is
   left to the weaker ones. */
static float blend_in(const Text *t, int source, const Occurrence *seen, int count, const float *strength, Votes *v) {
    float totals[ORDERS + 1] = {0}, share[ORDERS + 1], weight[ORDERS + 1], left = 1.0f;
    int longest = 0;
    for (int n = 0; n < count; n++) {
        totals[seen[n].order] += seen[n].weight;
        if (seen[n].order > longest) longest = seen[n].order;
    }
    for (int k = longest - 1; k > 0; k--) totals[k] += totals[k + 1];
    for (int k = longest; k > 0; k--) { /* of one occurrence in order k, before the higher ones */
        share[k] = left * totals[k] / (totals[k] + strength[k - 1]) / totals[k];
        left *= strength[k - 1] / (totals[k] + strength[k - 1]);
    }
    weight[0] = 0.0f;
    for (int k = 1; k <= longest; k++) weight[k] = weight[k - 1] + share[k];
    for (int n = 0; n < v->count; n++) v->votes[n].chance *= left;
    for (int n = 0; n < count; n++) {
        Vote *vote = vote_of(v, t->tokens[seen[n].place + 1]);
        if (!vote) break;
        vote->chance += seen[n].weight * weight[seen[n].order];
        if (vote->source != source || seen[n].order > vote->order)
            vote->place = seen[n].place + 1, vote->order = seen[n].order, vote->source = source;
    }
    return left;
}

typedef struct {
    int32_t token, parent, depth, origin, source, pointer;
    float chance;
} Node;

/* Into the best so far, behind those that are as likely; returns how many there are now. */
static int keep(Node *best, int count, int most, int from, Node node) {
    if (count == most && node.chance <= best[most - 1].chance) return count;
    int at = count < most ? count : most - 1;
    for (; at > from && best[at - 1].chance < node.chance; at--) best[at] = best[at - 1];
    best[at] = node;
    return count < most ? count + 1 : count;
}

/* The order in which a tree is handed on: the likeliest branch first, everything else as it was found; `place[n]`: where node n stands then, the
   root being 0. Nodes stand in falling order, so the first child found is the best. */
static void arrange(const Node *best, int count, int32_t *order, int32_t *place) {
    int last = -1, kept = 0;
    for (int n = 0; n < count; n++) {
        place[n] = 0;
        if (best[n].parent == last) last = n, order[kept++] = n, place[n] = kept;
    }
    for (int n = 0; n < count; n++)
        if (!place[n]) order[kept++] = n, place[n] = kept;
}

/* What follows this tail, and the likeliest of it into `best`. The commonest tokens stand in where nothing was seen. */
static int grow(const Blend *b, const int32_t *tail, int tails, int parent, int depth, int pointer, float chance, Votes *v,
                Occurrence *seen, Node *best, int count, int from) {
    const Text *context = b->texts[b->sources_count - 1];
    const int most = b->nodes - 1;
    const int scan = chance < SMALL ? (b->scan + 3) / 4 : b->scan;
    float left = 1.0f;
    for (int s = 0; s < b->sources_count; s++) { /* what stays with the commonest tokens */
        const int last = s == b->sources_count - 1;
        const int n = occurrences(b->texts[s], tail, tails, scan, last ? pointer : -1, b->near_weight, seen);
        if (n) left *= blend_in(b->texts[s], s, seen, n, b->strength + s * ORDERS, v);
    }
    const int voted = v->count, near = pointer >= 0 && pointer + 1 < context->prompt;
    const float common = left * (near ? 1 - b->near_share : 1) / (float)(context->total ? context->total : 1);
    for (int n = 0; n < voted; n++) v->votes[n].chance += common * (float)context->counts[v->votes[n].token];
    if (near) {
        float sum = 0;
        for (int d = 1; d < NEAR; d++) sum += 1.0f / (float)(d + 1);
        for (int d = 1; d < NEAR && pointer + d < context->prompt; d++) {
            Vote *vote = vote_of(v, context->tokens[pointer + d]);
            if (!vote) break;
            if (vote - v->votes >= voted && vote->chance == 0) vote->chance = common * (float)context->counts[vote->token];
            vote->chance += left * b->near_share / ((float)(d + 1) * sum);
        }
    }
    for (int n = 0; n < context->commons; n++) {
        const int32_t token = context->common[n];
        const float alone = chance * common * (float)context->counts[token];
        if (alone < b->least || (count == most && alone <= best[most - 1].chance)) break;
        Vote *vote = vote_of(v, token);
        if (!vote) break;
        if (vote->chance == 0) vote->chance = common * (float)context->counts[token];
    }
    for (int n = 0; n < v->count; n++) {
        const Vote *vote = &v->votes[n];
        const float path = chance * (vote->chance < LIKELIEST ? vote->chance : LIKELIEST);
        if (path < b->least) continue;
        const int own = vote->source == b->sources_count - 1;
        const int moved = own && vote->place < context->prompt ? vote->place : pointer;
        count = keep(best, count, most, from, (Node){vote->token, parent, depth, vote->place, vote->source, moved, path});
    }
    forget(v);
    return count;
}

/* The `nodes` - 1 likeliest continuations, parents and the likeliest branch first. Nonzero: out of bounds. */
int bedside_blend(Blend *b) {
    const Text *context = b->texts[b->sources_count - 1];
    static _Thread_local Votes votes;
    static _Thread_local Occurrence seen[2 * VOTE_SLOTS];
    static _Thread_local Node best[MOST];
    static _Thread_local int ready;
    b->found = 0;
    if (b->nodes > MOST || b->scan > VOTE_SLOTS || !context->length) return 1;
    if (b->nodes < 2) return 0;
    if (!ready) memset(votes.heads, -1, sizeof votes.heads), ready = 1;
    int32_t tail[ORDERS];
    int tails = context->length < ORDERS ? context->length : ORDERS, count;
    for (int n = 0; n < tails; n++) tail[n] = context->tokens[context->length - 1 - n];
    count = grow(b, tail, tails, -1, 1, b->pointer, 1.0f, &votes, seen, best, 0, 0);
    for (int at = 0; at < count; at++) {
        const Node node = best[at];
        if (node.depth >= b->depth || (count == b->nodes - 1 && LIKELIEST * node.chance <= best[count - 1].chance)) continue;
        int length = 0, back = at;
        for (; back >= 0 && length < ORDERS; back = best[back].parent) tail[length++] = best[back].token;
        for (int n = 1; length < ORDERS && n <= context->length; n++) tail[length++] = context->tokens[context->length - n];
        count = grow(b, tail, length, at, node.depth + 1, node.pointer, node.chance, &votes, seen, best, count, at + 1);
    }
    int32_t order[MOST], place[MOST];
    arrange(best, count, order, place);
    for (int at = 0; at < count; at++) {
        const Node *node = &best[order[at]];
        b->tokens[at] = node->token, b->parents[at] = node->parent < 0 ? 0 : place[node->parent], b->chances[at] = node->chance;
        b->origins[at] = node->origin, b->sources[at] = node->source;
    }
    b->found = count;
    return 0;
}
