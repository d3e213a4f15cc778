/* Trains the networks of games/backgammon by self-play, by temporal differences with lambda 0. README.md has the calls.

   The rules are those of games/backgammon/search.py, written out once more because a game takes 2 ms here and a second
   in Python. A board is seen by the side that has just moved: its own checkers come first, and the other side is to roll. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HITS, PINS, BLOCKS };
enum { BAR = 25, PLACES = 26, OUTPUTS = 5, HIDDEN_MAX = 128 };
enum { WIN, WIN_GAMMON, WIN_BACKGAMMON, LOSE_GAMMON, LOSE_BACKGAMMON };

typedef struct { uint8_t own[2][PLACES], pinned[2][PLACES]; } Board; /* 0 is the mover, or who has just moved */

static int contact, hidden = 40;
static uint64_t chance_state;
static uint64_t next_chance(void) {
    chance_state ^= chance_state << 13; chance_state ^= chance_state >> 7; chance_state ^= chance_state << 17;
    return chance_state * 2685821657736338717ull;
}
static int die(void) { return (int)((next_chance() >> 33) % 6) + 1; }
static int opposite(int place) {
    if (contact == BLOCKS) return (place + 11) % 24 + 1;
    return 25 - place;
}

/* ---- inputs ---- per side: 24 points with 4 units (pins: 5), stock or bar, off */
static int units(void) { return contact == PINS ? 5 : 4; }
static int side_inputs(void) { return 24 * units() + 2; }
static int input_count(void) { return 2 * side_inputs(); }
typedef struct { int count; int index[140]; float value[140]; } Inputs;
static void add(Inputs *in, int index, float value) { in->index[in->count] = index; in->value[in->count++] = value; }
static void inputs_of(const Board *b, Inputs *in) {
    in->count = 0;
    for (int side = 0; side < 2; side++) {
        int base = side * side_inputs(), each = units();
        for (int p = 1; p <= 24; p++) {
            int n = b->own[side][p], at = base + (p - 1) * each;
            if (n == 1) add(in, at, 1);
            if (n >= 2) add(in, at + 1, 1);
            if (n >= 3) add(in, at + 2, 1);
            if (n >= 4) add(in, at + 3, (n - 3) / 2.0f);
            if (each == 5 && b->pinned[side][p]) add(in, at + 4, 1);
        }
        int at = base + 24 * each;
        if (b->own[side][BAR]) add(in, at, b->own[side][BAR] / 2.0f);
        if (b->own[side][0]) add(in, at + 1, b->own[side][0] / 15.0f);
    }
}

static float w1[280][HIDDEN_MAX], b1[HIDDEN_MAX], w2[OUTPUTS][HIDDEN_MAX], b2[OUTPUTS];
static float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }
static void forward(const Inputs *in, float *h, float *out) {
    float sum[HIDDEN_MAX];
    memcpy(sum, b1, sizeof(float) * hidden);
    for (int k = 0; k < in->count; k++) {
        const float *w = w1[in->index[k]]; float v = in->value[k];
        for (int j = 0; j < hidden; j++) sum[j] += v * w[j];
    }
    for (int j = 0; j < hidden; j++) h[j] = sigmoid(sum[j]);
    for (int o = 0; o < OUTPUTS; o++) {
        float s = b2[o];
        for (int j = 0; j < hidden; j++) s += w2[o][j] * h[j];
        out[o] = sigmoid(s);
    }
}
static void learn(const Inputs *in, const float *target, float alpha) {
    float h[HIDDEN_MAX], out[OUTPUTS], dh[HIDDEN_MAX] = {0};
    forward(in, h, out);
    for (int o = 0; o < OUTPUTS; o++) {
        float d = target[o] - out[o]; /* cross entropy: no factor of the slope */
        for (int j = 0; j < hidden; j++) { dh[j] += d * w2[o][j]; w2[o][j] += alpha * d * h[j]; }
        b2[o] += alpha * d;
    }
    for (int j = 0; j < hidden; j++) { dh[j] *= h[j] * (1 - h[j]) * alpha; b1[j] += dh[j]; }
    for (int k = 0; k < in->count; k++) {
        float *w = w1[in->index[k]], v = in->value[k];
        for (int j = 0; j < hidden; j++) w[j] += v * dh[j];
    }
}
static float equity(const float *o) {
    float e = 2 * o[WIN] - 1 + o[WIN_GAMMON] - o[LOSE_GAMMON];
    if (contact == HITS) e += o[WIN_BACKGAMMON] - o[LOSE_BACKGAMMON];
    return e;
}

/* ---- moves ---- */
#define LEAVES_MAX 40000
static Board leaves[LEAVES_MAX], level_a[LEAVES_MAX], level_b[LEAVES_MAX];
static int leaf_count, leaf_depth;
static uint8_t blocked[PLACES];
static int can_bear;

static int mover_over(const Board *b) { return b->own[0][0] == 15 || (contact == PINS && b->pinned[0][24] && b->pinned[1][24]); }
static void find_blocked(const Board *b) {
    can_bear = 1;
    for (int p = 0; p < PLACES; p++) {
        blocked[p] = 0;
        if (b->pinned[0][p]) can_bear = 0;
        if (p < 1 || p > 24) continue;
        int other = b->own[1][opposite(p)];
        if (contact == BLOCKS ? other >= 1 : other >= 2) blocked[p] = 1;
        if (b->pinned[0][p] && other) blocked[p] = 1;
    }
}
static void step(Board *b, int source, int target) {
    b->own[0][source]--; b->own[0][target]++;
    if (contact != BLOCKS && target && b->own[1][opposite(target)] == 1) {
        b->own[1][opposite(target)]--;
        if (contact == HITS) b->own[1][BAR]++; else b->pinned[1][opposite(target)]++;
    }
    if (contact == PINS && source <= 24 && !b->own[0][source] && b->pinned[1][opposite(source)]) {
        b->pinned[1][opposite(source)]--; b->own[1][opposite(source)]++;
    }
}
static int runner(const Board *b) { /* of Fevga: the only place to move from, 0 if any */
    int on = 0, best = 0;
    if (b->own[0][0]) return 0;
    for (int p = 1; p <= 24; p++) on += b->own[0][p];
    if (on >= 3) return 0;
    for (int p = 1; p <= 12; p++) if (b->own[0][p] == 1) return 0;
    for (int p = 1; p <= 24; p++) if (b->own[0][p] == 2) best = p;
    if (!best) for (int p = 1; p <= 23; p++) if (b->own[0][p] == 1) best = p;
    return best ? best : BAR;
}
static int steps_with(const Board *b, int d, Board *out) {
    int count = 0, only = contact == BLOCKS ? runner(b) : b->own[0][BAR] ? BAR : 0;
    for (int p = BAR; p > d; p--) {
        if (!b->own[0][p] || blocked[p - d] || (only && p != only)) continue;
        out[count] = *b; step(&out[count], p, p - d);
        if (contact == BLOCKS) {
            int q = 7; while (q <= 12 && out[count].own[0][q]) q++;
            if (q > 12) continue;
        }
        count++;
    }
    if (can_bear) {
        int far = 0;
        for (int p = 1; p < PLACES; p++) if (b->own[0][p]) far = p;
        int source = d < far && b->own[0][d] ? d : far;
        if (far <= 6 && source > 0 && source <= d) { out[count] = *b; step(&out[count], source, 0); count++; }
    }
    return count;
}
static int table[1 << 17];
static int same(const Board *list, const Board *b) {
    uint64_t hash = 1469598103934665603ull; const uint64_t *words = (const uint64_t *)b;
    for (size_t k = 0; k < sizeof(Board) / 8; k++) hash = (hash ^ words[k]) * 1099511628211ull, hash ^= hash >> 29;
    unsigned at = hash & ((1 << 17) - 1);
    while (table[at] >= 0) { if (!memcmp(&list[table[at]], b, sizeof(Board))) return -1; at = (at + 1) & ((1 << 17) - 1); }
    return (int)at;
}
static int unique(Board *list, int count) {
    static int used[LEAVES_MAX]; int kept = 0;
    for (int k = 0; k < count; k++) {
        int at = same(list, &list[k]);
        if (at < 0) continue;
        if (kept != k) list[kept] = list[k];
        table[at] = kept; used[kept++] = at;
    }
    for (int k = 0; k < kept; k++) table[used[k]] = -1;
    return kept;
}
static void plays(const Board *b, int d1, int d2) {
    find_blocked(b);
    leaf_count = leaf_depth = 0;
    if (d1 == d2) {
        level_a[0] = *b; int n = 1;
        for (int depth = 0; depth < 4 && n; depth++) {
            int m = 0;
            for (int k = 0; k < n && m < LEAVES_MAX - 40; k++) m += mover_over(&level_a[k]) ? 0 : steps_with(&level_a[k], d1, level_b + m);
            m = unique(level_b, m);
            if (!m) break;
            memcpy(level_a, level_b, sizeof(Board) * m); n = m; leaf_depth = depth + 1;
        }
        if (leaf_depth) { memcpy(leaves, level_a, sizeof(Board) * n); leaf_count = n; }
        return;
    }
    int dice[2] = {d1 > d2 ? d1 : d2, d1 > d2 ? d2 : d1};
    static Board firsts[64];
    Board singles[2][64]; int single_count[2];
    for (int way = 0; way < 2; way++) {
        int n = single_count[way] = steps_with(b, dice[way], firsts);
        memcpy(singles[way], firsts, sizeof(Board) * n);
        for (int k = 0; k < n; k++) {
            if (mover_over(&singles[way][k])) { leaves[leaf_count++] = singles[way][k]; leaf_depth = 2; continue; }
            int m = steps_with(&singles[way][k], dice[1 - way], leaves + leaf_count);
            if (m) leaf_depth = 2;
            leaf_count += m;
        }
    }
    if (leaf_depth == 2) { leaf_count = unique(leaves, leaf_count); return; }
    for (int way = 0; way < 2; way++) if (single_count[way]) {
        memcpy(leaves, singles[way], sizeof(Board) * single_count[way]); leaf_count = unique(leaves, single_count[way]);
        leaf_depth = 1; return;
    }
}
static void swap(Board *b) {
    Board c;
    memcpy(c.own[0], b->own[1], PLACES); memcpy(c.own[1], b->own[0], PLACES);
    memcpy(c.pinned[0], b->pinned[1], PLACES); memcpy(c.pinned[1], b->pinned[0], PLACES);
    *b = c;
}
static int result(const Board *b, float *o) { /* of a board that side 0 has just moved on */
    if (b->own[0][0] == 15) {
        memset(o, 0, sizeof(float) * OUTPUTS); o[WIN] = 1;
        if (!b->own[1][0]) {
            o[WIN_GAMMON] = 1;
            if (contact == HITS) for (int p = 19; p <= 25; p++) if (b->own[1][p]) o[WIN_BACKGAMMON] = 1;
        }
        return 1;
    }
    if (contact == PINS && b->pinned[0][24] && b->pinned[1][24]) { memset(o, 0, sizeof(float) * OUTPUTS); o[WIN] = 0.5f; return 1; }
    return 0;
}
static void start(Board *b) {
    memset(b, 0, sizeof *b);
    for (int s = 0; s < 2; s++) {
        if (contact == HITS) { b->own[s][24] = 2; b->own[s][13] = 5; b->own[s][8] = 3; b->own[s][6] = 5; }
        if (contact == PINS) b->own[s][24] = 15;
        if (contact == BLOCKS) { b->own[s][BAR] = 14; b->own[s][24] = 1; }
    }
}
static void value_of(const Board *b, float *o) {
    Inputs in; float h[HIDDEN_MAX];
    if (result(b, o)) return;
    inputs_of(b, &in); forward(&in, h, o);
}
static void flip(const float *o, float *f) { f[0] = 1 - o[0]; f[1] = o[3]; f[2] = o[4]; f[3] = o[1]; f[4] = o[2]; }

static long long turns_played;
/* the best end of the turn for side 0, which is left at rest when nothing can be played; its value in o */
static void best_end(Board *b, int d1, int d2, float *o) {
    plays(b, d1, d2);
    if (!leaf_count) { value_of(b, o); return; }
    int best = 0; float best_equity = -9, each[OUTPUTS];
    for (int k = 0; k < leaf_count; k++) {
        value_of(&leaves[k], each);
        float e = equity(each);
        if (e > best_equity) { best_equity = e; best = k; memcpy(o, each, sizeof each); }
    }
    *b = leaves[best];
}
static void play_game(float alpha) {
    Board b; float o[OUTPUTS], target[OUTPUTS]; Inputs before; int have = 0;
    start(&b);
    for (int turn = 0; turn < 2000; turn++) {
        best_end(&b, die(), die(), o);
        turns_played++;
        flip(o, target);
        if (have) learn(&before, target, alpha); /* the board as the other side left it */
        if (result(&b, o)) return;
        inputs_of(&b, &before); have = 1;
        swap(&b);
    }
}
static void save(const char *path) {
    FILE *f = fopen(path, "wb");
    int n = input_count();
    fwrite(&n, 4, 1, f); fwrite(&hidden, 4, 1, f);
    for (int k = 0; k < n; k++) fwrite(w1[k], sizeof(float), hidden, f);
    fwrite(b1, sizeof(float), hidden, f);
    for (int o = 0; o < OUTPUTS; o++) fwrite(w2[o], sizeof(float), hidden, f);
    fwrite(b2, sizeof(float), OUTPUTS, f);
    fclose(f);
}
static int load(const char *path) {
    FILE *f = fopen(path, "rb"); int n, ok = 1;
    if (!f) return 0;
    ok &= fread(&n, 4, 1, f) == 1; ok &= fread(&hidden, 4, 1, f) == 1;
    for (int k = 0; k < n; k++) ok &= fread(w1[k], sizeof(float), hidden, f) == (size_t)hidden;
    ok &= fread(b1, sizeof(float), hidden, f) == (size_t)hidden;
    for (int o = 0; o < OUTPUTS; o++) ok &= fread(w2[o], sizeof(float), hidden, f) == (size_t)hidden;
    ok &= fread(b2, sizeof(float), OUTPUTS, f) == OUTPUTS;
    fclose(f); return ok;
}
int main(int argc, char **argv) {
    contact = !strcmp(argv[1], "hits") ? HITS : !strcmp(argv[1], "pins") ? PINS : BLOCKS;
    long games = atol(argv[2]); hidden = atoi(argv[3]); chance_state = 88172645463325252ull ^ (uint64_t)atol(argv[4]) << 20;
    const char *out = argv[5];
    float alpha_from = argc > 6 ? atof(argv[6]) : 0.1f, alpha_to = argc > 7 ? atof(argv[7]) : 0.005f;
    memset(table, -1, sizeof table);
    for (int k = 0; k < 100; k++) next_chance();
    if (argc > 8 && load(argv[8])) fprintf(stderr, "goes on from %s\n", argv[8]);
    else {
        for (int k = 0; k < input_count(); k++) for (int j = 0; j < hidden; j++) w1[k][j] = ((next_chance() >> 40) / 16777216.0f - 0.5f) * 0.2f;
        for (int o = 0; o < OUTPUTS; o++) for (int j = 0; j < hidden; j++) w2[o][j] = ((next_chance() >> 40) / 16777216.0f - 0.5f) * 0.2f;
        b2[1] = b2[3] = -1; b2[2] = b2[4] = -3;
    }
    for (long g = 0; g < games; g++) {
        float alpha = alpha_from * powf(alpha_to / alpha_from, (float)g / games);
        play_game(alpha);
        if ((g + 1) % (games / 20 ? games / 20 : 1) == 0) {
            Board b; float o[OUTPUTS]; start(&b); value_of(&b, o);
            fprintf(stderr, "%ld games, %.1f turns a game, alpha %.4f, start: win %.3f gammon %.3f/%.3f backgammon %.3f/%.3f\n",
                    g + 1, (double)turns_played / (g + 1), alpha, o[0], o[1], o[3], o[2], o[4]);
            save(out);
        }
    }
    return 0;
}
