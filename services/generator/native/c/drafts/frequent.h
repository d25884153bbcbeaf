/* REST's draft: of all places where the longest end of the text stands in a datastore, the
   commonest continuations, as one tree. */

#pragma once

#include "blend.h"

enum { MOST_PLACES = 8192, LONGEST = 16 };

typedef struct {
    const Text *store;
    const int32_t *tail; /* [tails], the last token first */
    int32_t *tokens, *parents;          /* out [nodes - 1], as in Blend */
    float *chances;                     /* out: the share of the places that go on so */
    /* of a match; places looked at; of the tree, the root included; of a path */
    int32_t tails, shortest, most, nodes, depth;
    int32_t matched, found;                      /* out: tokens that agree; nodes */
} Frequent;

typedef struct {
    int32_t at[MOST_PLACES], next[MOST_PLACES]; /* where a place's path has come to; the next of its node, -1 */
    Votes votes;
    Node best[MOST];
    int ready;
} Places;

/* Into the best so far, behind those that are as likely; returns how many there are now. */
static int keep(Node *best, int count, int most, int from, Node node) {
    if (count == most && node.chance <= best[most - 1].chance) return count;
    int at = count < most ? count : most - 1;
    for (; at > from && best[at - 1].chance < node.chance; at--) best[at] = best[at - 1];
    best[at] = node;
    return count < most ? count + 1 : count;
}

/* The order in which a tree is handed on: the likeliest branch first, everything else as it was
   found; `place[n]`: where node n stands then, the root being 0. Nodes stand in falling order, so
   the first child found is the best. */
static void arrange(const Node *best, int count, int32_t *order, int32_t *place) {
    int last = -1, kept = 0;
    for (int n = 0; n < count; n++) {
        place[n] = 0;
        if (best[n].parent == last) last = n, order[kept++] = n, place[n] = kept;
    }
    for (int n = 0; n < count; n++)
        if (!place[n]) order[kept++] = n, place[n] = kept;
}

/* Sort the places of a list by the token there: each token's own list and number into `votes`. */
static void divide(const Text *t, Places *p, int32_t head) {
    for (int32_t n = head, after; n >= 0; n = after) {
        after = p->next[n];
        const int32_t token = p->at[n] < t->length ? t->tokens[p->at[n]] : -1;
        Vote *vote = token >= 0 ? vote_of(&p->votes, token) : NULL;
        if (!vote) continue; /* a text ends here, or there are too many tokens */
        p->next[n] = vote->place, vote->place = n, vote->order++;
        p->at[n]++;
    }
}

/* What follows a list of places, `chance` being that of the path so far, into the best. */
static int follow(const Frequent *f, Places *p, int32_t head, int parent, int depth, float each, int count, int from) {
    divide(f->store, p, head);
    for (int n = 0; n < p->votes.count; n++) {
        const Vote *vote = &p->votes.votes[n];
        const Node node = {
            vote->token, parent, depth, p->at[vote->place] - 1, 0, vote->place, each * (float)vote->order};
        count = keep(p->best, count, f->nodes - 1, from, node);
    }
    forget(&p->votes);
    return count;
}

/* 0, or 1 when it is out of bounds. A node's share is of all places that were found. */
int bedside_frequent(Frequent *f) {
    static _Thread_local Places p;
    f->found = f->matched = 0;
    if (f->nodes > MOST || f->tails > LONGEST || f->most > MOST_PLACES || !f->store->order) return 1;
    int32_t from[LONGEST], to[LONGEST];
    const int longest = ranges(f->store, f->tail, f->tails, from, to);
    if (f->nodes < 2 || longest < f->shortest || !longest) return 0;
    if (!p.ready) memset(p.votes.heads, -1, sizeof p.votes.heads), p.ready = 1;
    const int32_t low = from[longest - 1], all = to[longest - 1] - low, step = (all + f->most - 1) / f->most;
    int32_t places = 0;
    for (int32_t n = 0; n < all; n += step, places++)
        p.at[places] = f->store->order[low + n] + 1, p.next[places] = places - 1;
    const float each = 1.0f / (float)places;
    int count = follow(f, &p, places - 1, -1, 1, each, 0, 0);
    for (int at = 0; at < count; at++)
        if (p.best[at].depth < f->depth)
            count = follow(f, &p, p.best[at].pointer, at, p.best[at].depth + 1, each, count, at + 1);
    int32_t order[MOST], place[MOST];
    arrange(p.best, count, order, place);
    for (int at = 0; at < count; at++) {
        const Node *node = &p.best[order[at]];
        f->tokens[at] = node->token, f->parents[at] = node->parent < 0 ? 0 : place[node->parent],
        f->chances[at] = node->chance;
    }
    f->found = count, f->matched = longest;
    return 0;
}
