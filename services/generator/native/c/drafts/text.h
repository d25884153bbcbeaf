/* Texts that drafts are copied from, and where in them the last tokens stand. */

#pragma once

#include <stdint.h>
#include <string.h>

enum { ORDERS = 8, COMMON = 64, VOTE_SLOTS = 2048, NEAR = 16 };

/* Of tokens: a word or its beginning, in small letters or with a capital; what goes on with a word;
   a mark that closes (a full stop, a comma), which some texts write with a space before it; nothing
   but space. */
enum { OTHER, SMALL, CAPITAL, INSIDE, CLOSING, BLANK, FORMS };

/* Tokens that may be copied from. Memory is the caller's. One that grows is indexed by the last
   token and by the last two, each by its kind: " The" and "the" agree. One that does not (a
   datastore) has its places sorted by the tokens that end there, read backwards: those after which
   the longest match ends stand side by side. */
typedef struct {
    int32_t *tokens;     /* [room] */
    int32_t *kinds;      /* [room]: of the tokens */
    int32_t *same, *pair; /* [room]: the place before of this kind, and with the one before it of its kind; -1 */
    int32_t *latest;     /* [vocabulary]: the last place of each kind, -1 */
    int32_t *counts;     /* [vocabulary]: how often each token, generated ones more */
    int64_t *keys;       /* [slots] pairs of kinds, -1: free */
    int32_t *places;     /* [slots]: the last place of each pair */
    int32_t *common;     /* [COMMON]: the commonest tokens, commonest first */
    /* [length]: the sorted places; NULL where there is the index instead. Tokens below 0 stand
       between its texts */
    const int32_t *order;
    /* [known]: of each token of the vocabulary, the least token that is of its kind; one that is
       not known is its own */
    const int32_t *kind;
    const int8_t *form;  /* [known]: of each token of the vocabulary; one that is not known is OTHER */
    int64_t total;       /* of counts */
    int32_t length, prompt, room, vocabulary, slots, commons, known;
} Text;

static int32_t kind_of(const Text *t, int32_t token) { return token >= 0 && token < t->known ? t->kind[token] : token; }

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

static int form_of(const Text *t, int32_t token) { return token >= 0 && token < t->known ? t->form[token] : OTHER; }

/* A closing mark as this text's generated part last wrote it; any other token, and one that was not
   generated yet, as it is. */
static int32_t respelt(const Text *t, int32_t token) {
    if (form_of(t, token) != CLOSING || t->kind[token] >= t->vocabulary) return token;
    const int32_t last = t->latest[t->kind[token]];
    return last >= t->prompt ? t->tokens[last] : token;
}

/* Append tokens, each counted `weight` times. Nonzero: there is no room, or a token is none of the
   vocabulary's. */
int bedside_text_extend(Text *t, const int32_t *tokens, int32_t count, int32_t weight) {
    if (count > t->room - t->length) return 1;
    for (int32_t n = 0; n < count; n++) {
        const int32_t token = tokens[n], place = t->length;
        if (token < 0 || token >= t->vocabulary) return 1;
        const int32_t kind = kind_of(t, token);
        t->tokens[place] = token, t->kinds[place] = kind, t->same[place] = t->latest[kind], t->latest[kind] = place,
        t->pair[place] = -1;
        if (place) {
            const int64_t key = pair_key(t->kinds[place - 1], kind);
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
    float chance, best; /* all that was said for it; and what is said at its place */
} Vote;

/* Votes by token; emptied by going through `used`. */
typedef struct {
    int32_t heads[VOTE_SLOTS], used[VOTE_SLOTS];
    Vote votes[VOTE_SLOTS];
    int count;
} Votes;

static Vote *vote_of(Votes *v, int32_t token) {
    int slot = (int)(mixed((uint64_t)token) & (VOTE_SLOTS - 1));
    while (v->heads[slot] >= 0) {
        Vote *vote = &v->votes[v->heads[slot]];
        if (vote->token == token) return vote;
        slot = (slot + 1) & (VOTE_SLOTS - 1);
    }
    if (v->count == VOTE_SLOTS / 2) return NULL;
    v->heads[slot] = v->count, v->used[v->count] = slot;
    Vote *vote = &v->votes[v->count++];
    *vote = (Vote){token, -1, 0, -1, 0.0f, 0.0f};
    return vote;
}

static int voted(const Votes *v, int32_t token) {
    int slot = (int)(mixed((uint64_t)token) & (VOTE_SLOTS - 1));
    while (v->heads[slot] >= 0 && v->votes[v->heads[slot]].token != token) slot = (slot + 1) & (VOTE_SLOTS - 1);
    return v->heads[slot] >= 0;
}

static void forget(Votes *v) {
    for (int n = 0; n < v->count; n++) v->heads[v->used[n]] = -1;
    v->count = 0;
}

typedef struct {
    int32_t place, order;
} Occurrence;

/* Whether the last `tails` tokens up to a place come before (below 0), are (0) or come after the
   tail, both read backwards. */
static int compare(const Text *t, int32_t place, const int32_t *tail, int tails) {
    for (int n = 0; n < tails; n++) {
        const int32_t token = place >= n ? t->tokens[place - n] : -2;
        if (token != tail[n]) return token < tail[n] ? -1 : 1;
    }
    return 0;
}

/* The first of order[from .. to) that does not come before the tail, or, `past`, that comes after
   it. */
static int32_t bound(const Text *t, int32_t from, int32_t to, const int32_t *tail, int tails, int past) {
    while (from < to) {
        const int32_t middle = from + (to - from) / 2;
        if (compare(t, t->order[middle], tail, tails) < past) from = middle + 1;
        else to = middle;
    }
    return from;
}

/* Where in `order` the places stand that agree with the last 1, 2, ... tokens of the tail; returns
   the longest length that some agree with. */
static int ranges(const Text *t, const int32_t *tail, int tails, int32_t *from, int32_t *to) {
    int32_t low = 0, high = t->length;
    for (int n = 0; n < tails; n++) {
        low = bound(t, low, high, tail, n + 1, 0);
        high = bound(t, low, high, tail, n + 1, 1);
        if (low == high) return n;
        from[n] = low, to[n] = high;
    }
    return tails;
}

/* As `occurrences`, of sorted places: longer matches first, of too many that agree as far every so
   many-th. */
static int sorted_occurrences(const Text *t, const int32_t *tail, int tails, int scan, Occurrence *out) {
    int32_t from[ORDERS], to[ORDERS], low = 0, high = 0;
    int found = 0;
    for (int order = ranges(t, tail, tails, from, to); order > 0 && found < scan; order--) {
        const int inner = low < high;
        const int32_t most = order == 1 ? (scan - found + 1) / 2 : scan - found;
        const int32_t fresh = to[order - 1] - from[order - 1] - (high - low), step = fresh > most ? fresh / most : 1;
        for (int32_t at = from[order - 1], kept = 0; at < to[order - 1] && kept < most; at += step) {
            if (inner && at >= low && at < high) at = high + (at - low) % step;
            if (at >= to[order - 1]) break;
            const int32_t place = t->order[at];
            if (place + 1 < t->length && t->tokens[place + 1] >= 0) out[found++] = (Occurrence){place, order}, kept++;
        }
        low = from[order - 1], high = to[order - 1];
    }
    return found;
}

/* The places in `t` after which the tail's last token stands, with how many of its tokens agree
   there in kind: those that share this one only, of which those just behind the pointer come first,
   and the latest of the others; then the latest that share two or more, whose first is
   `*longer`. */
static int occurrences(
    const Text *t, const int32_t *tail, int tails, int scan, int pointer, Occurrence *out, int *longer) {
    int found = 0, single = 0;
    int32_t kinds[ORDERS];
    *longer = 0;
    if (t->order) return sorted_occurrences(t, tail, tails, scan, out);
    for (int n = 0; n < tails; n++) kinds[n] = kind_of(t, tail[n]);
    const int32_t token = kinds[0], before = tails > 1 ? kinds[1] : -1;
    if (token >= t->vocabulary) return 0;
    const int32_t near = pointer >= 0 ? pointer : t->length, past = near + NEAR;
    for (int32_t at = near; at < past && at + 1 < t->length; at++)
        if (t->kinds[at] == token && !(tails > 1 && at && t->kinds[at - 1] == before))
            out[found++] = (Occurrence){at, 1};
    for (int32_t at = t->latest[token]; at >= 0 && single < scan / 2; at = t->same[at])
        if (at + 1 < t->length && !(tails > 1 && at && t->kinds[at - 1] == before) && (at < near || at >= past))
            out[found++] = (Occurrence){at, 1}, single++;
    *longer = found;
    if (tails < 2) return found;
    const int64_t key = pair_key(before, token);
    const int32_t slot = slot_of(t, key);
    for (int32_t at = t->keys[slot] == key ? t->places[slot] : -1; at >= 0 && found < *longer + scan;
        at = t->pair[at]) {
        if (at + 1 >= t->length) continue;
        int order = 2;
        while (order < tails && order <= at && t->kinds[at - order] == kinds[order]) order++;
        out[found++] = (Occurrence){at, order};
    }
    return found;
}
