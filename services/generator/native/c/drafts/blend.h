/* A draft from all that was said before: every earlier occurrence of the last tokens says something
   for the token that followed it, and the tree is grown best first over what they say together. How
   much one says depends on how many tokens agree there, on where it stands - just behind the last
   token that was copied from the prompt, or elsewhere - and on how many others agree as far; beside
   it the commonest tokens stand, and what comes next in the prompt though nothing agrees (a copy
   goes on behind a changed word). A token's chance is its share of all that is said. No
   floating-point sum depends on threads, so the same texts give the same tree. */

#pragma once

#include <math.h>

#include "text.h"

#define LIKELIEST .999f
#define ENOUGH 16.0f /* places by how far a path's chance is above what is not kept */
#define HARDLY .5f /* chance that none has where many places agree on one token only */
/* share of a closing mark that goes to how the answer writes it, where its source writes it
   otherwise */
#define RESPELT .8f
enum { MOST = 512, FEWEST = 24, ELSEWHERE = 4, BEGINNING = 7, SAID = 8, SKIPPED = 8, ZONES = 9, SEEN = 6 };

/* All in units of one; the second rows are for two and more tokens that agree. */
typedef struct {
    float order[ORDERS];            /* by how many tokens agree */
    float zone[2][ZONES];           /* by where the place is */
    float seen[2][SEEN];            /* by how many places agree as far */
    float shorter[2];               /* where more tokens agree elsewhere */
    float form[FORMS][FORMS];       /* by the form of the last token, and of what follows it */
    float common[ORDERS + 1];       /* of the commonest tokens together, by the longest agreement there is */
    float near[NEAR];               /* of the next tokens of the prompt, by how far they are from the last copied one */
    float near_of[ORDERS + 1];      /* and by the longest agreement */
} Evidence;

typedef struct {
    const Text *const *texts; /* [sources], the weakest first; the last is the context, whose last token is the root */
    Evidence *evidence;
    const float *doubt;       /* [sources]: of what a source says, the share that counts */
    const int32_t *said;      /* [length]: the context; what `texts` lacks of it is appended first */
    /* out [nodes - 1]; parents: 0 the root, 1 the first; origins: places in their source, -1
       none */
    int32_t *tokens, *parents, *origins, *sources;
    float *chances;           /* out: of the paths */
    int32_t length, weight, sources_count, nodes, depth, scan;
    int32_t pointer;          /* in and out: place in the context of the last token copied from the prompt, -1 */
    float least, rate;
    float fade;    /* share of a chance that counts, for what is a node, at each token of a path */
    int32_t found; /* out */
} Blend;

static int zone_of(const Text *t, int32_t place, int pointer) {
    if (place >= t->prompt) return SAID;
    if (pointer < 0) return BEGINNING;
    const int32_t ahead = place - pointer;
    if (ahead < 0) return ahead > -16 ? 5 : 6;
    return ahead == 0 ? 0 : ahead < 5 ? 1 : ahead < 16 ? 2 : ahead <= 60 ? 3 : ELSEWHERE;
}

/* Where something was said: rows and columns of Evidence. */
typedef struct {
    int longest, seen[2]; /* agreement; of one token, and of more: how many places, as a column of `seen` */
} Agreement;

static int seen_of(int count) { return count < 4 ? (count > 1 ? count - 1 : 0) : count < 8 ? 3 : count < 16 ? 4 : 5; }

static Agreement agreement_of(const Occurrence *seen, int count, int longer) {
    int longest = count > 0, more = 0;
    for (int n = longer; n < count; n++) {
        more += seen[n].order > 1;
        if (seen[n].order > longest) longest = seen[n].order;
    }
    return (Agreement){longest, {seen_of(count), seen_of(more)}};
}

static float says_of(const Evidence *e, const Agreement *a, int order, int zone, int last, int next) {
    const int more = order > 1;
    return e->order[order - 1] * e->zone[more][zone] * e->seen[more][a->seen[more]] *
        (order < a->longest ? e->shorter[more] : 1) * e->form[last][next];
}

/* A place says so much for a token. Nonzero: there is no room for it. */
static int hold(Votes *v, int32_t token, float says, int32_t place, int source) {
    Vote *vote = vote_of(v, token);
    if (!vote) return 1;
    vote->chance += says;
    if (says > vote->best || (says == vote->best && source != vote->source))
        vote->place = place, vote->source = source, vote->best = says;
    return 0;
}

/* What the places of one text say, as votes; returns all of it together. */
static float tell(const Blend *b, int source, const Occurrence *seen, int count, int pointer, int last,
    const Agreement *a, Votes *v) {
    const Text *t = b->texts[source], *context = b->texts[b->sources_count - 1];
    const int own = t == context;
    float total = 0;
    for (int n = 0; n < count; n++) {
        const int32_t place = seen[n].place + 1, token = t->tokens[place], spelt = respelt(context, token);
        const int zone = own ? zone_of(t, seen[n].place, pointer) : ELSEWHERE;
        const float says = b->doubt[source] *
            says_of(b->evidence, a, seen[n].order, zone, last, form_of(context, token));
        const float other = spelt == token ? 0 : RESPELT * says;
        if (hold(v, token, says - other, place, source) || (other > 0 && hold(v, spelt, other, place, source))) break;
        total += says;
    }
    return total;
}

typedef struct {
    int32_t token, parent, depth, origin, source, pointer;
    float chance; /* of its path, faded */
} Node;

/* The likeliest so far: `order` has the places of their nodes, the best first, `chances` theirs. A
   node stays where it is while others come and go. */
typedef struct {
    Node nodes[MOST];
    float chances[MOST];
    int16_t order[MOST];
    int count, most;
} Best;

static float worst_of(const Best *best) { return best->count == best->most ? best->chances[best->count - 1] : 0; }

/* Where to write a node of this chance, behind those that are as likely and behind the first
   `from`; NULL: it is not among the likeliest. */
static Node *room_for(Best *best, int from, float chance) {
    if (best->count == best->most && chance <= worst_of(best)) return NULL;
    const int16_t place = best->count < best->most ? (int16_t)best->count++ : best->order[best->count - 1];
    const int last = best->count - 1;
    int at = from;
    for (int n = from; n < last; n++) at += best->chances[n] >= chance; /* they fall: those come first */
    memmove(best->order + at + 1, best->order + at, (size_t)(last - at) * sizeof *best->order);
    memmove(best->chances + at + 1, best->chances + at, (size_t)(last - at) * sizeof *best->chances);
    best->order[at] = place, best->chances[at] = chance;
    return &best->nodes[place];
}

/* What follows this tail by all that is known, into `v`, as far as it may have a chance of `least`;
   returns what one of the context's commonest tokens has for each time it was counted. */
static float weigh(
    const Blend *b, const int32_t *tail, int tails, int scan, int pointer, float least, Votes *v, Occurrence *seen) {
    const Text *context = b->texts[b->sources_count - 1];
    const Evidence *e = b->evidence;
    int longest = 0;
    float total = 0;
    for (int s = 0, longer; s < b->sources_count; s++) {
        const int count = occurrences(
            b->texts[s], tail, tails, scan, s == b->sources_count - 1 ? pointer : -1, seen, &longer);
        const Agreement a = agreement_of(seen, count, longer);
        if (a.longest > longest) longest = a.longest;
        /* many say little each */
        if (b->sources_count == 1 && longest < 2 && least > HARDLY && count >= FEWEST / 2) return 0;
        total += tell(b, s, seen, count, pointer, form_of(context, tail[0]), &a, v);
    }
    total += e->common[longest];
    for (int d = 0; least <= HARDLY && pointer >= 0 && d < NEAR && pointer + 1 + d < context->prompt; d++) {
        const float says = e->near[d] * e->near_of[longest];
        if (hold(v, context->tokens[pointer + 1 + d], says, pointer + 1 + d, b->sources_count - 1)) break;
        total += says;
    }
    const float once = e->common[longest] / (float)(context->total ? context->total : 1), share = 1.0f / total;
    for (int n = 0; n < v->count; n++) {
        Vote *vote = &v->votes[n];
        if (vote->token < context->vocabulary) vote->chance += once * (float)context->counts[vote->token];
        vote->chance *= share;
    }
    return once * share;
}

/* What follows this tail, and the likeliest of it into `best`; the commonest tokens, too. Where
   only what is nearly certain could still be among them, fewer places are looked at: many that
   agree on a token say little each. */
static void grow(const Blend *b, const int32_t *tail, int tails, int parent, Node from_node, Votes *v, Occurrence *seen,
    Best *best, int from) {
    const Text *context = b->texts[b->sources_count - 1];
    const float chance = from_node.chance, worst = worst_of(best), least = worst > b->least ? worst : b->least;
    const int enough = least > 0 && ENOUGH * chance < least * (float)b->scan ? (int)(ENOUGH * chance / least) : b->scan;
    const float once = weigh(
        b, tail, tails, enough < FEWEST ? FEWEST : enough, from_node.pointer, least / chance, v, seen);
    for (int n = 0; n < v->count; n++) {
        const Vote *vote = &v->votes[n];
        const float path = chance * b->fade * (vote->chance < LIKELIEST ? vote->chance : LIKELIEST);
        if (path < b->least) continue;
        const int own = vote->source == b->sources_count - 1;
        const int moved = own && vote->place < context->prompt ? vote->place : from_node.pointer;
        Node *room = room_for(best, from, path);
        if (room) *room = (Node){vote->token, parent, from_node.depth + 1, vote->place, vote->source, moved, path};
    }
    for (int n = 0; n < context->commons; n++) {
        const int32_t token = context->common[n];
        const float alone = once * (float)context->counts[token],
                    path = chance * b->fade * (alone < LIKELIEST ? alone : LIKELIEST);
        if (path < b->least || (best->count == best->most && path <= worst_of(best))) break;
        Node *room = voted(v, token) ? NULL : room_for(best, from, path);
        if (room) *room = (Node){token, parent, from_node.depth + 1, -1, -1, from_node.pointer, path};
    }
    forget(v);
}

/* In the order in which a tree is handed on: the likeliest branch first, everything else as it was
   found. Nodes stand in falling order, so the first child that is found is the best. Chances are
   handed on whole, and places only of what stands there letter by letter. */
static void hand_on(Blend *b, const Best *best) {
    int16_t kept[MOST], number[MOST]; /* of the nodes; the root is 0 */
    int last = -1, count = 0;
    memset(number, 0, sizeof number);
    for (int n = 0; n < best->count; n++)
        if (best->nodes[best->order[n]].parent == last)
            last = kept[count] = best->order[n], number[last] = (int16_t)++count;
    for (int n = 0; n < best->count; n++)
        if (!number[best->order[n]]) kept[count] = best->order[n], number[kept[count]] = (int16_t)(count + 1), count++;
    for (int n = 0; n < count; n++) {
        const Node *node = &best->nodes[kept[n]];
        const int exact = node->origin >= 0 && b->texts[node->source]->tokens[node->origin] == node->token;
        b->tokens[n] = node->token, b->parents[n] = node->parent < 0 ? 0 : number[node->parent];
        b->chances[n] = b->fade == 1 ? node->chance : node->chance / powf(b->fade, (float)node->depth);
        b->origins[n] = exact ? node->origin : -1, b->sources[n] = node->source;
    }
    b->found = count;
}

static float bounded(float value) { return value < 1e-3f ? 1e-3f : value > 50.0f ? 50.0f : value; }

static float bounded_step(float slope) { return slope < -2.0f ? -2.0f : slope > 2.0f ? 2.0f : slope; }

/* The next token is known: move every number that had a part in what was said of it a little up the
   slope of its likelihood, as when they were fitted, and follow where in the prompt it was copied
   from. What is learnt are these few numbers, never a token. */
static void hear(Blend *b, const Text *t, int32_t token, Occurrence *seen) {
    Evidence *e = b->evidence, step = {0};
    float *values = (float *)e, *steps = (float *)&step, best = 0, right = 0, total = 0;
    const int pointer = b->pointer, tails = t->length < ORDERS ? t->length : ORDERS;
    int32_t tail[ORDERS];
    int longer;
    const int32_t kind = kind_of(t, token);
    const int last = form_of(t, t->tokens[t->length - 1]);
    for (int n = 0; n < tails; n++) tail[n] = t->tokens[t->length - 1 - n];
    const int count = occurrences(t, tail, tails, b->scan, pointer, seen, &longer);
    const Agreement a = agreement_of(seen, count, longer);
    const int ahead = pointer < 0 ? 0 : t->prompt - pointer - 1 < NEAR ? t->prompt - pointer - 1 : NEAR;
    const float common = t->total ? e->common[a.longest] * (float)t->counts[token] / (float)t->total : 0;
    for (int n = 0; n < count; n++) {
        const float says = says_of(
            e, &a, seen[n].order, zone_of(t, seen[n].place, pointer), last, form_of(t, t->tokens[seen[n].place + 1]));
        total += says;
        if (t->kinds[seen[n].place + 1] != kind) continue;
        right += says;
        if (says > best && seen[n].place + 1 < t->prompt) best = says, b->pointer = seen[n].place + 1;
    }
    for (int d = 0; d < ahead; d++) {
        const int same = t->kinds[pointer + 1 + d] == kind;
        total += e->near[d] * e->near_of[a.longest], right += same ? e->near[d] * e->near_of[a.longest] : 0;
        if (same && best == 0 && d < SKIPPED) best = 1, b->pointer = pointer + 1 + d;
    }
    total += e->common[a.longest], right += common;
    for (int n = 0; n < count && b->rate > 0; n++) {
        const int more = seen[n].order > 1, zone = zone_of(t, seen[n].place, pointer),
                  next = form_of(t, t->tokens[seen[n].place + 1]);
        const float says = says_of(e, &a, seen[n].order, zone, last, next);
        const float slope = (t->kinds[seen[n].place + 1] == kind ? says / right : 0) - says / total;
        step.order[seen[n].order - 1] += slope, step.zone[more][zone] += slope, step.seen[more][a.seen[more]] += slope;
        /* that one is what the others are measured by */
        if (last != OTHER || next != OTHER) step.form[last][next] += slope;
        if (seen[n].order < a.longest) step.shorter[more] += slope;
    }
    for (int d = 0; d < ahead; d++) {
        const float says = e->near[d] * e->near_of[a.longest];
        step.near_of[a.longest] += (t->kinds[pointer + 1 + d] == kind ? says / right : 0) - says / total;
    }
    /* a new token: the commonest stand for it */
    step.common[a.longest] += (right > 0 ? common / right : 1) - e->common[a.longest] / total;
    for (size_t n = 0; n < sizeof step / sizeof(float); n++)
        if (steps[n] != 0) values[n] = bounded(values[n] * (1 + b->rate * bounded_step(steps[n])));
}

/* Append what the context has more. Nonzero: there is no room. */
static int follow_said(Blend *b, Occurrence *seen) {
    Text *t = (Text *)b->texts[b->sources_count - 1];
    for (; t->length < b->length;) {
        const int32_t token = b->said[t->length];
        if (token < 0 || t->length == t->room || token >= t->vocabulary) return 1;
        hear(b, t, token, seen);
        if (bedside_text_extend(t, &token, 1, b->weight)) return 1;
    }
    return 0;
}

typedef struct {
    Votes votes;
    Occurrence seen[2 * VOTE_SLOTS + NEAR];
    Best best;
    int ready;
} Workplace;

/* Of this thread. Never inlined: who knows that it is a thread's own asks for its address again and
   again. */
static __attribute__((noinline)) Workplace *workplace(void) {
    static _Thread_local Workplace own;
    if (!own.ready) memset(own.votes.heads, -1, sizeof own.votes.heads), own.ready = 1;
    return &own;
}

/* The `nodes` - 1 likeliest continuations, parents and the likeliest branch first. 1: out of
   bounds; 2: no room for what was said. */
int bedside_blend(Blend *b) {
    const Text *context = b->texts[b->sources_count - 1];
    Workplace *w = workplace();
    Best *best = &w->best;
    b->found = 0;
    if (b->nodes > MOST || b->scan > VOTE_SLOTS || b->length < 1 || !context->length) return 1;
    if (follow_said(b, w->seen)) return 2;
    if (b->nodes < 2) return 0;
    int32_t tail[ORDERS];
    const int tails = context->length < ORDERS ? context->length : ORDERS;
    for (int n = 0; n < tails; n++) tail[n] = context->tokens[context->length - 1 - n];
    best->count = 0, best->most = b->nodes - 1;
    grow(b, tail, tails, -1, (Node){.pointer = b->pointer, .chance = 1.0f}, &w->votes, w->seen, best, 0);
    for (int at = 0; at < best->count; at++) {
        const int place = best->order[at];
        const Node node = best->nodes[place];
        if (node.depth >= b->depth || LIKELIEST * node.chance <= worst_of(best)) continue;
        int length = 0;
        for (int back = place; back >= 0 && length < ORDERS; back = best->nodes[back].parent)
            tail[length++] = best->nodes[back].token;
        for (int n = 1; length < ORDERS && n <= context->length; n++)
            tail[length++] = context->tokens[context->length - n];
        grow(b, tail, length, place, node, &w->votes, w->seen, best, at + 1);
    }
    hand_on(b, best);
    return 0;
}
