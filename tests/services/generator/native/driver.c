/* Calls everything that kernels.c exports, on random weights of small shapes, for `make sanitize`:
   every buffer is exactly as large as the kernels may use, and several threads call at once. Prints
   a checksum of what was computed. */

#include "kernels.c"

#include <stdio.h>

enum {
    HIDDEN = 96,
    INNER = 160,
    HEADS = 6,
    KV_HEADS = 2,
    DIM = 32,
    LAYERS = 4,
    POSITIONS = 700,
    VOCABULARY = 64,
    SLOTS = 3,
    LENGTH = 640
};

static uint64_t state = 1;

static uint32_t draw(void) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(state >> 33);
}

static float number(void) { return (float)(draw() % 2001) / 1000.0f - 1.0f; }

static void *room(size_t size) {
    void *found = malloc(size);
    if (!found) abort();
    return found;
}

static float *numbers(size_t count, float scale, float offset) {
    float *found = room(count * 4);
    for (size_t i = 0; i < count; i++) found[i] = offset + scale * number();
    return found;
}

static uint16_t half(float value) {
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return (uint16_t)(bits >> 16);
}

static Matrix matrix(int kind, int inputs, int outputs, int bias) {
    Matrix m = {.inputs = inputs, .outputs = outputs, .kind = kind, .bias = bias ? numbers(outputs, 0.1f, 0) : NULL};
    const size_t size = outputs / LANES * tile_bytes(&m);
    uint8_t *data = room(size);
    for (size_t i = 0; i < size; i++) data[i] = (uint8_t)draw();
    if (!kind) {
        for (size_t i = 0; i < size; i += 2) {
            uint16_t weight = half(0.1f * number());
            memcpy(data + i, &weight, 2);
        }
    } else { /* halves of 2^-9 or so wherever there are some */
        const int codes = (kind & BITS) * 64, numbers = LANES * (kind & MINIMUM ? 2 : 1);
        const size_t step = kind & SUPER ? super_bytes(kind) : group_bytes(kind),
                     at = kind & SUPER ? step - 2 * numbers : codes;
        for (size_t from = 0; from < size; from += step)
            for (int i = 0; i < numbers; i++) data[from + at + 2 * i + 1] = 0x18;
    }
    m.data = data;
    return m;
}

/* Queries and keys of one kind, values of another. */
static Matrix joined(int inputs) {
    Matrix first = matrix(5, inputs, (HEADS + KV_HEADS) * DIM, 1), *last = room(sizeof *last);
    *last = matrix(8, inputs, KV_HEADS * DIM, 1);
    first.next = last;
    return first;
}

static Layer layer(int inputs) {
    return (Layer){numbers(HIDDEN, 0.1f, 1), numbers(HIDDEN, 0.1f, 1), numbers(DIM, 0.1f, 1), numbers(DIM, 0.1f, 1),
        joined(inputs), matrix(8, HEADS * DIM, HIDDEN, 0), matrix(20, HIDDEN, 2 * INNER, 1),
        matrix(0, INNER, HIDDEN, 0)};
}

static const float *angles(void) {
    float *found = room((size_t)POSITIONS * DIM * 4);
    for (int p = 0; p < POSITIONS; p++)
        for (int i = 0; i < DIM / 2; i++) {
            float angle = p / powf(10000.0f, 2.0f * i / DIM);
            found[(size_t)p * DIM + 2 * i] = cosf(angle), found[(size_t)p * DIM + 2 * i + 1] = sinf(angle);
        }
    return found;
}

static double sum_of(const float *values, size_t count) {
    double total = 0;
    for (size_t i = 0; i < count; i++) total += values[i];
    if (!(total == total)) abort(); /* not a number */
    return total;
}

/* Tiles of random blocks. */
static double pack_all(int threads) {
    static const int kinds[] = {4, 5, 8, 20, 21, 52, 53, 102};
    double total = 0;
    for (int k = 0; k < 8; k++) {
        Matrix m = {.inputs = 512, .outputs = 96, .kind = kinds[k]};
        const size_t size = (size_t)96 * 512 / block_inputs(m.kind) * block_bytes(m.kind),
                     tiles = bedside_tile_bytes(&m);
        uint8_t *raw = room(size), *data = room(tiles);
        for (size_t i = 0; i < size; i++) raw[i] = (uint8_t)draw();
        bedside_pack(&m, raw, data, threads);
        for (size_t i = 0; i < tiles; i++) total += data[i];
        free(raw), free(data);
    }
    return total;
}

static double multiply_all(int threads) {
    double total = 0;
    static const int kinds[] = {0, 4, 5, 8, 20, 21, 52, 53, 102};
    for (int k = 0; k < 9; k++) {
        Matrix m = matrix(kinds[k], 512, 96, k % 2);
        for (int rows = 1; rows < 16; rows++) {
            float *x = numbers((size_t)rows * 512, 1, 0), *y = room((size_t)rows * 96 * 4);
            if (bedside_multiply(&m, x, y, rows, threads)) abort();
            total += sum_of(y, (size_t)rows * 96);
            free(x), free(y);
        }
        free((void *)m.data), free((void *)m.bias);
    }
    return total;
}

/* Steps of one row and of several, chains and trees, about the borders between chunks of
   positions. */
/* Of all layers and of one more; some add nothing. */
static const Delta *adapter(const Model *m) {
    const int inputs[] = {HIDDEN, HIDDEN, HIDDEN, HEADS * DIM, HIDDEN, HIDDEN, INNER};
    const int outputs[] = {HEADS * DIM, KV_HEADS * DIM, KV_HEADS * DIM, HIDDEN, INNER, INNER, HIDDEN};
    const int first[] = {0, HEADS * DIM, (HEADS + KV_HEADS) * DIM, 0, 0, INNER, 0};
    Delta *found = room((size_t)(m->count + 1) * DELTAS * sizeof *found);
    for (int i = 0; i < (m->count + 1) * DELTAS; i++) {
        const int which = i % DELTAS, rank = i % 5 ? 1 + i % 9 : 0;
        found[i] = (Delta){rank ? numbers((size_t)rank * inputs[which], 0.1f, 0) : NULL,
            rank ? numbers((size_t)rank * outputs[which], 0.1f, 0) : NULL, rank, first[which], outputs[which], 0};
    }
    return found;
}

static double steps(const Model *m, void *kv, int threads) {
    const Delta *deltas = adapter(m);
    static const int32_t starts[] = {0, 1, 15, 17, 255, 256, 257, 505}, counts[] = {1, 3, 8, 24};
    double total = 0;
    for (int at = 0; at < 8; at++)
        for (int size = 0; size < 4; size++) {
            const int rows = at % 2 ? SLOTS : 1, width = counts[size];
            int32_t slot[SLOTS] = {2, 0, 1}, start[SLOTS], nodes[SLOTS], all = 0;
            for (int r = 0; r < rows; r++)
                start[r] = starts[(at + r) % 8], nodes[r] = r ? 1 + width / 2 : width, all += nodes[r];
            int64_t *positions = room((size_t)all * 8);
            uint8_t *mask = room((size_t)rows * width * width);
            memset(mask, 0, (size_t)rows * width * width);
            for (int r = 0, node = 0; r < rows; r++)
                for (int n = 0; n < nodes[r]; n++, node++) {
                    int parent = n ? (int)(draw() % n) : -1;
                    uint8_t *own = mask + ((size_t)r * width + n) * width;
                    positions[node] = start[r];
                    if (n)
                        memcpy(own, mask + ((size_t)r * width + parent) * width, width),
                            positions[node] = positions[node - n + parent] + 1;
                    own[n] = 1;
                }
            float *x = numbers((size_t)all * HIDDEN, 1, 0), *streams = room((size_t)3 * all * HIDDEN * 4);
            const Working working[] = {{deltas, 0, (all + 1) / 2}, {deltas + DELTAS, all / 2, all}};
            Step s = {.working = working,
                .workings = at % 3,
                .kv = kv,
                .slots = SLOTS,
                .length = LENGTH,
                .positions = positions,
                .slot = slot,
                .start = start,
                .nodes = nodes,
                .mask = mask,
                .x = x,
                .streams = streams,
                .stream = {0, 1, 3},
                .rows = rows,
                .width = width,
                .total = all,
                .threads = threads};
            if (bedside_step(m, &s)) abort();
            total += sum_of(x, (size_t)all * HIDDEN) + sum_of(streams, (size_t)3 * all * HIDDEN);
            free(positions), free(mask), free(x), free(streams);
        }
    return total;
}

static double drafts(int normed, int threads) {
    const int inputs = 3 * HIDDEN;
    Layer own = layer(2 * HIDDEN);
    uint16_t *embeddings = room((size_t)VOCABULARY * HIDDEN * 2);
    int64_t *ids = room(VOCABULARY * 8);
    for (int i = 0; i < VOCABULARY * HIDDEN; i++) embeddings[i] = half(number());
    for (int i = 0; i < VOCABULARY; i++) ids[i] = i;
    Head h = {{&own, numbers(HIDDEN, 0.1f, 1), angles(), 1, HIDDEN, INNER, HEADS, KV_HEADS, DIM, 1e-5f, 1, 1},
        matrix(20, inputs, HIDDEN, 0), matrix(20, HIDDEN, VOCABULARY, 0), numbers(HIDDEN, 0.1f, 1),
        numbers(HIDDEN, 0.1f, 1), embeddings, ids, normed, normed};
    double total = 0;
    for (int k = 1; k <= 4; k++)
        for (int depth = 0; depth <= 4; depth++)
            for (int fresh = 1; fresh <= 9; fresh += 4) {
                const int most = k + depth * k * k, start = 250, length = start + fresh + k * depth;
                uint16_t *kv = room((size_t)2 * KV_HEADS * length * DIM * 2);
                memset(kv, 0, (size_t)2 * KV_HEADS * length * DIM * 2);
                float *features = numbers((size_t)fresh * inputs, 1, 0), *scores = room((size_t)most * 4);
                int64_t *tokens = room((size_t)fresh * 8), *drafted = room((size_t)most * 8);
                int32_t *parents = room((size_t)most * 4);
                for (int i = 0; i < fresh; i++) tokens[i] = draw() % VOCABULARY;
                Draft d = {.kv = kv,
                    .slots = 1,
                    .length = length,
                    .features = features,
                    .tokens = tokens,
                    .drafted = drafted,
                    .parents = parents,
                    .scores = scores,
                    .least = depth % 2 ? -INFINITY : -6.0f,
                    .start = start,
                    .origin = 3,
                    .fresh = fresh,
                    .top_k = k,
                    .depth = depth,
                    .threads = threads};
                if (bedside_draft(&h, &d) || d.found < k || d.found > most) abort();
                total += sum_of(scores, d.found) + d.found;
                free(kv), free(features), free(scores), free(tokens), free(drafted), free(parents);
            }
    return total;
}

#include "copies.h"
#include "merges.h"

static void *everything(void *context) {
    const int threads = *(int *)context;
    /* of random numbers, which calls to the kernels may not wait for */
    static pthread_mutex_t drawing = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&drawing);
    Layer layers[LAYERS];
    for (int l = 0; l < LAYERS; l++) layers[l] = layer(HIDDEN);
    Model m = {layers, numbers(HIDDEN, 0.1f, 1), angles(), LAYERS, HIDDEN, INNER, HEADS, KV_HEADS, DIM, 1e-5f, 1, 0};
    double total = pack_all(threads) + multiply_all(threads) + drafts(0, threads) + drafts(1, threads) + copies() +
        merges();
    for (m.kv_bf16 = 0; m.kv_bf16 < 2; m.kv_bf16++) {
        size_t size = (size_t)LAYERS * 2 * SLOTS * KV_HEADS * LENGTH * DIM * (m.kv_bf16 ? 2 : 4);
        void *kv = room(size);
        memset(kv, 0, size);
        total += steps(&m, kv, threads);
        free(kv);
    }
    printf("%d threads: %.3f\n", threads, total);
    pthread_mutex_unlock(&drawing);
    return NULL;
}

/* Products from a thread of their own, beside all the rest. */
static void *products_beside(void *context) {
    const Matrix *m = context;
    float x[5 * 160], y[5 * 96];
    for (int i = 0; i < 5 * 160; i++) x[i] = (float)(i % 7) - 3;
    for (int round = 0; round < 200; round++)
        if (bedside_multiply(m, x, y, 5, 2)) abort();
    return NULL;
}

int main(void) {
    int threads[] = {1, 3};
    Matrix shared = matrix(20, 160, 96, 1);
    for (int i = 0; i < 2; i++) {
        pthread_t one, other;
        if (pthread_create(&one, NULL, everything, threads + i) ||
            pthread_create(&other, NULL, products_beside, &shared))
            abort();
        pthread_join(one, NULL), pthread_join(other, NULL);
    }
    return 0;
}
