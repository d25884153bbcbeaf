/* The blocks of a GGUF file laid out as tiles: what the bytes of each type mean, and where
   kernels.c wants them. */

#pragma once

#include "matrices.h"

typedef struct {
    uint8_t codes[8 * GROUP];     /* as the file has them: signed in 8 bits, from 0 on in less */
    int8_t scales[16], minima[8]; /* of its groups, where a block has several */
    uint16_t scale, minimum;      /* halves */
} Block;

static int block_inputs(int kind) { return kind & SUPER ? 8 * GROUP : GROUP; }

static int block_bytes(int kind) {
    return (kind & BITS) * block_inputs(kind) / 8 + (kind & MINIMUM ? 4 : 2) +
        (kind & HALVES         ? 16
                : kind & SUPER ? 12
                               : 0);
}

/* Six bits, codes less 32: of each 128 four runs of 32, their low bits in two of 32 bytes, their
   high ones in another. */
INLINE void read_six_bits(const uint8_t *p, Block *b) {
    memcpy(b->scales, p + 192, 16), memcpy(&b->scale, p + 208, 2);
    for (int half = 0; half < 2; half++)
        for (int run = 0; run < 4; run++)
            for (int i = 0; i < GROUP; i++) {
                const int low = p[half * 64 + run % 2 * GROUP + i] >> run / 2 * 4 & 15,
                          high = p[128 + half * GROUP + i] >> run * 2 & 3;
                b->codes[half * 128 + run * GROUP + i] = (uint8_t)(low | high << 4);
            }
}

INLINE void read_block(const int kind, const uint8_t *p, Block *b) {
    const int bits = kind & BITS, size = kind & SUPER ? 8 * GROUP : GROUP, run = kind & SUPER ? GROUP : GROUP / 2;
    if (kind & HALVES) {
        read_six_bits(p, b);
        return;
    }
    memcpy(&b->scale, p, 2), p += 2;
    if (kind & MINIMUM) memcpy(&b->minimum, p, 2), p += 2;
    if (bits == 8) {
        memcpy(b->codes, p, GROUP);
        return;
    }
    /* 6 bits each; the high ones of the last four lie above the first four, and minima are taken
       away */
    if (kind & SUPER) {
        for (int i = 0; i < 4; i++) {
            b->scales[i] = p[i] & 63, b->minima[i] = p[i + 4] & 63;
            b->scales[i + 4] = (int8_t)((p[i + 8] & 15) | p[i] >> 6 << 4),
                          b->minima[i + 4] = (int8_t)(p[i + 8] >> 4 | p[i + 4] >> 6 << 4);
        }
        b->minimum ^= 0x8000, p += 12;
    }
    const uint8_t *high = p, *low = bits == 5 ? p + size / 8 : p;
    for (int from = 0; from < size; from += 2 * run)
        for (int i = 0; i < run; i++) {
            b->codes[from + i] = low[from / 2 + i] & 15;
            b->codes[from + run + i] = low[from / 2 + i] >> 4;
        }
    for (int i = 0; bits == 5 && i < size; i++)
        b->codes[i] |= (kind & SUPER ? high[i % GROUP] >> i / GROUP & 1 : high[i / 8] >> i % 8 & 1) << 4;
}

/* A group of a block becomes one lane's part of a group of a tile, which was all 0. */
INLINE void write_group(const int kind, const Block *b, int group, int lane, uint8_t *to) {
    const int bits = kind & BITS, halves = kind & HALVES ? 2 : 1;
    uint8_t *scales = to + bits * 64;
    for (int k = 0; k < GROUP / 4; k++) {
        uint32_t *lines = (uint32_t *)to + lane, four;
        memcpy(&four, b->codes + group * GROUP + 4 * k, 4);
        if (bits == 8) {
            lines[k * LANES] = four ^ 0x80808080;
            continue;
        }
        lines[k % 4 * LANES] |= (four & 0x0F0F0F0F) << k / 4 * 4;
        if (bits == 5) lines[4 * LANES] |= (four >> 4 & 0x01010101) << k;
        if (bits == 6) lines[(4 + k / 4) * LANES] |= (four >> 4 & 0x03030303) << k % 4 * 2;
    }
    if (kind & SUPER) {
        for (int h = 0; h < halves; h++) scales[h * LANES + lane] = (uint8_t)b->scales[group * halves + h];
        if (kind & MINIMUM) scales[LANES + lane] = (uint8_t)b->minima[group];
        return;
    }
    memcpy(scales + 2 * lane, &b->scale, 2);
    if (kind & MINIMUM) memcpy(scales + 2 * (LANES + lane), &b->minimum, 2);
}

typedef struct {
    const Matrix *m;
    const uint8_t *raw; /* [outputs, blocks of all inputs] */
    uint8_t *data;
} Pack;

INLINE void pack_tile(const int kind, const Pack *c, int tile) {
    const int groups = kind & SUPER ? 8 : 1, blocks = c->m->inputs / (groups * GROUP);
    uint8_t *to = c->data + tile * tile_bytes(c->m);
    for (int k = 0; k < blocks; k++, to += kind & SUPER ? super_bytes(kind) : group_bytes(kind)) {
        memset(to, 0, (size_t)groups * group_bytes(kind));
        for (int lane = 0; lane < LANES; lane++) {
            Block b;
            read_block(kind, c->raw + (((size_t)tile * LANES + lane) * blocks + k) * block_bytes(kind), &b);
            for (int g = 0; g < groups; g++) write_group(kind, &b, g, lane, to + g * group_bytes(kind));
            uint8_t *whole = to + groups * group_bytes(kind) + 2 * lane;
            if (kind & SUPER) memcpy(whole, &b.scale, 2);
            if (kind & SUPER && kind & MINIMUM) memcpy(whole + 2 * LANES, &b.minimum, 2);
        }
    }
}

static void pack(void *context, int tile) {
    const Pack *c = context;
    switch (c->m->kind) {
        case 4: pack_tile(4, c, tile); break;
        case 5: pack_tile(5, c, tile); break;
        case 8: pack_tile(8, c, tile); break;
        case 20: pack_tile(20, c, tile); break;
        case 21: pack_tile(21, c, tile); break;
        case 52: pack_tile(52, c, tile); break;
        case 53: pack_tile(53, c, tile); break;
        default: pack_tile(102, c, tile);
    }
}
