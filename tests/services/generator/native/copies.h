/* What drafts from copies call, on random texts of few tokens, so that there are many matches.
   Every array is as long as it is said to be. */

#pragma once

enum { COPIED = 3000, WORDS = 40, GIVEN = 700 };

static int32_t *whole(size_t count, int32_t value) {
    int32_t *found = room(count * 4);
    for (size_t i = 0; i < count; i++) found[i] = value;
    return found;
}

static Text growing(int32_t length) {
    static int32_t kind[WORDS];
    static int8_t form[WORDS];
    for (int i = 0; i < WORDS; i++) kind[i] = i % 3 == 2 ? i - 2 : i, form[i] = (int8_t)(i % 5 ? i % FORMS : CLOSING);
    Text t = {.tokens = room((size_t)length * 4),
        .kinds = room((size_t)length * 4),
        .kind = kind,
        .form = form,
        .known = WORDS - 5,
        .same = room((size_t)length * 4),
        .pair = room((size_t)length * 4),
        .latest = whole(WORDS, -1),
        .counts = whole(WORDS, 0),
        .keys = room(8192 * 8),
        .places = room(8192 * 4),
        .common = whole(COMMON, 0),
        .room = length,
        .vocabulary = WORDS,
        .slots = 8192};
    for (int i = 0; i < 8192; i++) t.keys[i] = -1;
    return t;
}

static const Text *sorting;

static int backwards(const void *one, const void *other) {
    int32_t a = *(const int32_t *)one, b = *(const int32_t *)other;
    for (; a >= 0 && b >= 0; a--, b--)
        if (sorting->tokens[a] != sorting->tokens[b]) return sorting->tokens[a] < sorting->tokens[b] ? -1 : 1;
    return a - b;
}

static Text sorted(int32_t length) {
    Text t = {.tokens = room((size_t)length * 4), .length = length};
    int32_t *order = room((size_t)length * 4);
    for (int32_t i = 0; i < length; i++) t.tokens[i] = draw() % 30 ? (int32_t)(draw() % WORDS) : -1, order[i] = i;
    sorting = &t;
    qsort(order, length, 4, backwards);
    t.order = order;
    return t;
}

static void forget_text(Text *t) {
    free(t->tokens), free(t->kinds), free(t->same), free(t->pair), free(t->latest), free(t->counts), free(t->keys),
        free(t->places), free(t->common);
    free((void *)t->order);
}

/* Trees of all sizes over a context, a text beside it and a datastore, while the context grows. */
static double copies(void) {
    Text context = growing(COPIED), beside = growing(COPIED), store = sorted(COPIED);
    int32_t *said = room(COPIED * 4), *spoken = room(COPIED * 4);
    Evidence evidence;
    for (size_t i = 0; i < sizeof evidence / sizeof(float); i++) ((float *)&evidence)[i] = .1f + (float)(i % ORDERS);
    double total = 0;
    for (int i = 0; i < COPIED; i++) said[i] = draw() % WORDS;
    if (bedside_text_extend(&beside, said, COPIED, 1) || bedside_text_extend(&context, said + 5, GIVEN, 1)) abort();
    context.prompt = GIVEN;
    memcpy(spoken, context.tokens, GIVEN * 4);
    for (int step = 0; step < 300; step++) {
        const int nodes = 1 + (int)(draw() % 70), sources = 1 + step % 3;
        const Text *texts[] = {&store, &beside, &context};
        float doubt[] = {.5f, .7f, 1}, *chances = room((size_t)nodes * 4);
        int32_t *out = room((size_t)nodes * 16), tail[LONGEST];
        memcpy(spoken + context.length, said + draw() % (COPIED - 3), 12);
        Blend b = {texts + 3 - sources, &evidence, doubt + 3 - sources, spoken, out, out + nodes, out + 2 * nodes,
            out + 3 * nodes, chances, context.length + 3, 5, sources, nodes, 16, 64,
            step % 2 ? (int32_t)(draw() % GIVEN) : -1, step % 5 ? 0 : 0.05f, .05f, step % 3 ? 1 : .9f, 0};
        if (bedside_blend(&b) || b.found >= nodes + (nodes < 2)) abort();
        for (int i = 0; i < b.found; i++) total += chances[i] + (out[nodes + i] > i ? abort(), 0 : 0);
        for (int i = 0; i < LONGEST; i++) tail[i] = context.tokens[context.length - 1 - i];
        Frequent f = {
            &store, tail, out, out + nodes, chances, LONGEST, 1, 1 + (int32_t)(draw() % MOST_PLACES), nodes, 10, 0, 0};
        if (bedside_frequent(&f) || f.found >= nodes + (nodes < 2)) abort();
        for (int i = 0; i < f.found; i++) total += chances[i] + (out[nodes + i] > i ? abort(), 0 : 0);
        free(chances), free(out);
    }
    forget_text(&context), forget_text(&beside), forget_text(&store);
    free(said), free(spoken);
    return total;
}
