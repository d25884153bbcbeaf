/* A draft from all that was said before: every earlier occurrence of the last tokens votes for what followed it, weighed by how many tokens
   agree, and the tree is grown best first over what they say together. Orders are blended as in interpolated context models (Bell, Cleary and
   Witten's PPM): the tokens seen after k agreeing ones, else what fewer say, else the commonest tokens. No floating-point sum depends on
   threads, so the same texts give the same tree. */

#pragma once

#include <stdint.h>
#include <string.h>

enum { ORDERS = 8, COMMON = 64, SLOTS = 2048, NEAR = 16 };
#define LIKELIEST .999f

/* Tokens that may be copied from, indexed by the last one and by the last two. Memory is the caller's. */
typedef struct {
    int32_t *tokens;     /* [room] */
    int32_t *same, *pair; /* [room]: the place before with this token, and with this and the one before it; -1 */
    int32_t *latest;     /* [vocabulary]: the last place of each token, -1 */
    int32_t *counts;     /* [vocabulary]: how often, generated ones more */
    int64_t *keys;       /* [slots] pairs, -1: free */
    int32_t *places;     /* [slots]: the last place of each pair */
    int32_t *common;     /* [COMMON]: the commonest tokens, commonest first */
    int64_t total;       /* of counts */
    int32_t length, prompt, room, vocabulary, slots, commons;
} Text;

typedef struct {
    const Text *const *texts; /* [sources], the weakest first; the last is the context, whose last token is the root */
    const float *strength;    /* [sources, ORDERS]: occurrences that the lower orders count for */
    int32_t *tokens, *parents, *origins, *sources; /* out [nodes - 1]; parents: -1 the root; origins: places in their source, -1 none */
    float *chances;           /* out: of the paths */
    int32_t sources_count, nodes, depth, scan, pointer; /* pointer: place in the context of the last token copied from the prompt, -1 */
    float near_weight, near_share, least;
    int32_t found; /* out */
} Blend;

static uint64_t mixed(uint64_t key) {
    key ^= key >> 31, key *= 0x9E3779B97F4A7C15ull;
    return key ^ key >> 29;
}

static int32_t slot_of(const Text *t, int64_t key) {
    int32_t slot = (int32_t)(mixed((uint64_t)key) & (uint64_t)(t->slots - 1));
    while (t->keys[slot] != -1 && t->keys[slot] != key) slot = (slot + 1) & (t->slots - 1);
    return slot;
}

static int64_t pair_key(int32_t before, int32_t token) { return (int64_t)before << 32 | (uint32_t)token; }

/* Keep the commonest in order, now that this token's count rose. */
static void rank(Text *t, int32_t token) {
    int at = 0;
    while (at < t->commons && t->common[at] != token) at++;
    if (at == t->commons) {
        if (t->commons < COMMON) t->commons++;
        else if (t->counts[t->common[COMMON - 1]] >= t->counts[token]) return;
        at = t->commons - 1;
    }
    for (; at > 0 && t->counts[t->common[at - 1]] < t->counts[token]; at--) t->common[at] = t->common[at - 1];
    t->common[at] = token;
}

/* Append tokens, each counted `weight` times. Nonzero: there is no room, or a token is none of the vocabulary's. */
int bedside_text_extend(Text *t, const int32_t *tokens, int32_t count, int32_t weight) {
    if (count > t->room - t->length) return 1;
    for (int32_t n = 0; n < count; n++) {
        const int32_t token = tokens[n], place = t->length;
        if (token < 0 || token >= t->vocabulary) return 1;
        t->tokens[place] = token, t->same[place] = t->latest[token], t->latest[token] = place, t->pair[place] = -1;
        if (place) {
            const int64_t key = pair_key(t->tokens[place - 1], token);
            const int32_t slot = slot_of(t, key);
            if (t->keys[slot] == key) t->pair[place] = t->places[slot];
            t->keys[slot] = key, t->places[slot] = place;
        }
        t->counts[token] += weight, t->total += weight, t->length++;
        rank(t, token);
    }
    return 0;
}

typedef struct {
    int32_t token, place, order, source;
    float chance;
} Vote;

/* Votes by token; emptied by going through `used`. */
typedef struct {
    int32_t heads[SLOTS], used[SLOTS];
    Vote votes[SLOTS];
    int count;
} Votes;

static Vote *vote_of(Votes *v, int32_t token) {
    int slot = (int)(mixed((uint64_t)token) & (SLOTS - 1));
    while (v->heads[slot] >= 0) {
        Vote *vote = &v->votes[v->heads[slot]];
        if (vote->token == token) return vote;
        slot = (slot + 1) & (SLOTS - 1);
    }
    if (v->count == SLOTS / 2) return NULL;
    v->heads[slot] = v->count, v->used[v->count] = slot;
    Vote *vote = &v->votes[v->count++];
    *vote = (Vote){token, -1, 0, -1, 0.0f};
    return vote;
}

static void forget(Votes *v) {
    for (int n = 0; n < v->count; n++) v->heads[v->used[n]] = -1;
    v->count = 0;
}

typedef struct {
    int32_t place, order;
    float weight;
} Occurrence;

/* The places in `t` after which the tail's last token stands, with how many of its tokens agree there; the latest first, longer ones before
   those that share one token only. */
static int occurrences(const Text *t, const int32_t *tail, int tails, int scan, int pointer, float near_weight, Occurrence *out) {
    int found = 0;
    const int32_t token = tail[0], before = tails > 1 ? tail[1] : -1;
    if (token >= t->vocabulary) return 0;
    if (tails > 1) {
        const int64_t key = pair_key(before, token);
        const int32_t slot = slot_of(t, key);
        for (int32_t at = t->keys[slot] == key ? t->places[slot] : -1; at >= 0 && found < scan; at = t->pair[at]) {
            if (at + 1 >= t->length) continue;
            int order = 2;
            while (order < tails && order <= at && t->tokens[at - order] == tail[order]) order++;
            out[found++] = (Occurrence){at, order, 1.0f};
        }
    }
    int single = 0;
    for (int32_t at = t->latest[token]; at >= 0 && single < scan / 2; at = t->same[at]) {
        if (at + 1 >= t->length || (at && t->tokens[at - 1] == before)) continue;
        out[found++] = (Occurrence){at, 1, 1.0f}, single++;
    }
    if (pointer >= 0)
        for (int n = 0; n < found; n++)
            if (out[n].place >= pointer && out[n].place < pointer + NEAR) out[n].weight = near_weight;
    return found;
}

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

/* What follows this tail, and the likeliest of it into `best`. The commonest tokens stand in where nothing was seen. */
static int grow(const Blend *b, const int32_t *tail, int tails, int parent, int depth, int pointer, float chance, Votes *v,
                Occurrence *seen, Node *best, int count, int from) {
    const Text *context = b->texts[b->sources_count - 1];
    const int most = b->nodes - 1;
    float left = 1.0f;
    for (int s = 0; s < b->sources_count; s++) { /* what stays with the commonest tokens */
        const int last = s == b->sources_count - 1;
        const int n = occurrences(b->texts[s], tail, tails, b->scan, last ? pointer : -1, b->near_weight, seen);
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

/* The `nodes` - 1 likeliest continuations, parents first, likeliest first. Nonzero: out of bounds. */
int bedside_blend(Blend *b) {
    const Text *context = b->texts[b->sources_count - 1];
    enum { MOST = 512 };
    static _Thread_local Votes votes;
    static _Thread_local Occurrence seen[2 * SLOTS];
    static _Thread_local Node best[MOST];
    static _Thread_local int ready;
    b->found = 0;
    if (b->nodes > MOST || b->scan > SLOTS || !context->length) return 1;
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
    for (int at = 0; at < count; at++) {
        b->tokens[at] = best[at].token, b->parents[at] = best[at].parent, b->chances[at] = best[at].chance;
        b->origins[at] = best[at].origin, b->sources[at] = best[at].source;
    }
    b->found = count;
    return 0;
}
