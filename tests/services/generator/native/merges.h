/* Random trees of few tokens, so that many nodes are the same, merged and cut. Every array is as
   long as it is said to be. */

#pragma once

enum { TREES = 4 };

static double merges(void) {
    double total = 0;
    for (int round = 0; round < 400; round++) {
        const int trees = 1 + (int)(draw() % TREES);
        int32_t ends[TREES], all = 0, shared;
        for (int t = 0; t < trees; t++)
            ends[t] = all += 1 + (int32_t)(draw() % (round % 20 ? 70 : MOST_MERGED / TREES));
        const size_t size = (size_t)all;
        int32_t *tokens = room(size * 4), *parents = room(size * 4), *order = room(size * 4),
                *kept_parents = room(size * 4), *pairs = room(size * 8);
        double *scores = room(size * 8), *kept_scores = room(size * 8);
        for (int t = 0, begin = 0; t < trees; begin = ends[t++]) {
            tokens[begin] = 1, parents[begin] = -1, scores[begin] = 1;
            for (int n = begin + 1; n < ends[t]; n++) {
                tokens[n] = (int32_t)(draw() % WORDS), parents[n] = (int32_t)(draw() % (uint32_t)(n - begin));
                scores[n] = (double)(draw() % 1000) / 1000;
            }
        }
        const int budget = round % 3 ? 1 + (int)(draw() % 64) : -1;
        const int kept = bedside_merge(
            tokens, parents, scores, ends, trees, budget, order, kept_parents, kept_scores, pairs, &shared);
        if (kept < 1 || kept > (budget > 0 ? budget : all)) abort();
        for (int n = 1; n < kept; n++)
            if (kept_parents[n] < 0 || kept_parents[n] >= n || kept_scores[n] > kept_scores[kept_parents[n]]) abort();
        total += kept_scores[kept - 1] + shared;
        free(tokens), free(parents), free(order), free(kept_parents), free(pairs), free(scores), free(kept_scores);
    }
    return total;
}
