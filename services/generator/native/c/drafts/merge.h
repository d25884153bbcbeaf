/* The trie union of draft trees that share a root, cut to its best nodes: what speculation/tree.py
   does node by node, which says what holds. */

#pragma once

#include <stdint.h>
#include <string.h>

enum { MOST_MERGED = 1024, MERGE_SLOTS = 4096 };

/* Nodes 1 .. count - 1, the likelier first, of equals the earlier. Each counts who comes before it:
   comparisons without a branch, of which a processor does several at once, are faster than sorting
   for as few as these. */
static void rank_nodes(const double *score, int count, int16_t *ranked) {
    for (int n = 1; n < count; n++) {
        const double own = score[n];
        int64_t before = 0;
        for (int m = 1; m < n; m++) before += score[m] >= own;
        for (int m = n + 1; m < count; m++) before += score[m] > own;
        ranked[before] = (int16_t)n;
    }
}

/* All trees' nodes one behind the other, `ends` being where each ends; of every tree the first node
   is the root. Out, `budget` at most where it is one: where the nodes that are kept stand in the
   input, their parents among those kept and their scores; and what else is one of these nodes, as
   pairs of its number and a place in the input. Returns how many are kept, `shared` pairs; -1 when
   there is no room. */
int bedside_merge(const int32_t *tokens, const int32_t *parents, const double *scores, const int32_t *ends,
    int32_t trees, int32_t budget, int32_t *order, int32_t *kept_parents, double *kept_scores, int32_t *pairs,
    int32_t *shared) {
    static _Thread_local int16_t slots[MERGE_SLOTS];
    int16_t node_of[MOST_MERGED], parent_of[MOST_MERGED], place[MOST_MERGED], ranked[MOST_MERGED];
    int32_t from[MOST_MERGED];
    double score[MOST_MERGED];
    const int all = ends[trees - 1];
    int count = 1, begin = 0, same = 0;
    if (all > MOST_MERGED) return -1;
    memset(slots, -1, sizeof slots);
    from[0] = 0, parent_of[0] = -1, score[0] = scores[0];
    for (int t = 0; t < trees; begin = ends[t++]) {
        node_of[begin] = 0;
        for (int n = begin + 1; n < ends[t]; n++) {
            const int parent = node_of[begin + parents[n]];
            uint32_t slot = ((uint32_t)tokens[n] * 2654435761u ^ (uint32_t)parent * 40503u) % MERGE_SLOTS;
            while (slots[slot] >= 0 && (tokens[from[slots[slot]]] != tokens[n] || parent_of[slots[slot]] != parent))
                slot = (slot + 1) % MERGE_SLOTS;
            int node = slots[slot];
            if (node < 0) {
                node = slots[slot] = (int16_t)count++;
                from[node] = n, parent_of[node] = (int16_t)parent, score[node] = scores[n];
            } else {
                if (scores[n] > score[node]) score[node] = scores[n];
                pairs[2 * same] = node, pairs[2 * same++ + 1] = n;
            }
            node_of[n] = (int16_t)node;
        }
    }
    if (score[0] != score[0]) score[0] = 1;
    /* no child is likelier than its parent, whatever was rounded; what is no number is as likely */
    for (int n = 1; n < count; n++)
        if (!(score[n] <= score[parent_of[n]])) score[n] = score[parent_of[n]];
    rank_nodes(score, count, ranked);
    const int kept = budget > 0 && budget < count ? budget : count;
    for (int n = 0; n < count; n++) place[n] = -1;
    int last = 0, done = 1;
    order[0] = 0, place[0] = 0;
    for (int n = 0; n < kept - 1; n++) { /* the likeliest branch */
        const int node = ranked[n];
        place[node] = -2;
        if (parent_of[node] == last) last = node, order[done] = node, place[node] = (int16_t)done++;
    }
    for (int n = 1; n < count; n++)
        if (place[n] == -2) order[done] = n, place[n] = (int16_t)done++;
    for (int n = 0; n < done; n++) {
        const int node = order[n];
        kept_parents[n] = node ? place[parent_of[node]] : -1;
        kept_scores[n] = score[node];
        order[n] = from[node];
    }
    *shared = 0;
    for (int n = 0; n < same; n++)
        if (place[pairs[2 * n]] >= 0) {
            pairs[2 * *shared] = place[pairs[2 * n]];
            pairs[2 * (*shared)++ + 1] = pairs[2 * n + 1];
        }
    return done;
}
