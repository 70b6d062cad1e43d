// What the core's two hot loops are measured against: a program of one file that does nothing else, random playouts
// and perft of placements on the empty board, without button, games, scorings, undo or checks.  It is kept as it was
// handed to the project, below this line, so that figures from different times can be compared; the core has to keep
// up with it, never the other way round.  yardstick.py builds it, through yardstick_slices.cpp, and prints the ratios.
//
// The yardstick: hand-written C++ for Catena's two hot loops, random playouts and perft (stones only,
// no button), on the empty board.  It knows one width of bit set per template instance and nothing
// else.  Build:  g++ -O3 -march=native -o limit limit.cpp     Run:  ./limit [seconds per row]
// Each row prints a figure to divide by, in the same run on the same machine; absolute figures mean
// nothing on a shared machine.  Two checks guard it: perft(4) and the mean of the scores.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <immintrin.h>

typedef uint64_t u64;
static const int MAXC = 271;

static double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
static u64 rng = 88172645463325252ull;
static inline uint32_t below(uint32_t n) {
    rng ^= rng << 13; rng ^= rng >> 7; rng ^= rng << 17;
    return (uint32_t)(((rng >> 32) * n) >> 32);
}

template <int W> struct Engine {
    struct alignas(16) Set { u64 w[W]; };
    struct Shape {                              // all that legality needs
        Set open, stones, deg1, deg2;           // deg1/deg2: cells with at least one/two stone neighbours
        int16_t mate[MAXC + 1];                 // at the end of a lint: its other end
    };
    struct State : Shape {                      // and what the score needs
        int16_t made[MAXC + 1];                 // at an end: 256 * length + black stones
        int16_t born[MAXC + 1];                 // at an end: the ply of its last change
    };
    struct Union { int x1, x2, e1, e2, m; };    // the stones joined, the new ends, how many were joined
    struct Game { Set open[MAXC + 1]; int plies; };
    static Set nbr[MAXC + 1];
    static State start;
    static int cells;

    static void geometry(int n) {
        static int id[32][32];
        int w = 2 * n - 1, k = 0;
        for (int c = 0; c < w; c++) for (int r = 0; r < w; r++) id[c][r] = abs(c - r) <= n - 1 ? k++ : -1;
        cells = k;
        memset(nbr, 0, sizeof nbr); memset(&start, 0, sizeof start);
        const int dc[6] = {1, -1, 0, 0, 1, -1}, dr[6] = {0, 0, 1, -1, 1, -1};
        for (int c = 0; c < w; c++) for (int r = 0; r < w; r++) {
            int i = id[c][r];
            if (i < 0) continue;
            for (int d = 0; d < 6; d++) {
                int a = c + dc[d], b = r + dr[d];
                if (a >= 0 && b >= 0 && a < w && b < w && id[a][b] >= 0) nbr[i].w[id[a][b] >> 6] |= 1ull << (id[a][b] & 63);
            }
            start.open.w[i >> 6] |= 1ull << (i & 63);
            start.mate[i] = i;
        }
        start.mate[k] = k;                      // the sentinel: no stone
    }
    static inline int count(const Set &b) { int t = 0; for (int i = 0; i < W; i++) t += __builtin_popcountll(b.w[i]); return t; }
    static inline int select(const Set &b, int k) {
        int base = 0; u64 w = b.w[0];
        for (int i = 1; i < W; i++) {
            int p = __builtin_popcountll(b.w[i - 1]), go = (k >= p) & (base == (i - 1) * 64);
            k -= go ? p : 0; w = go ? b.w[i] : w; base = go ? i * 64 : base;
        }
        return base + __builtin_ctzll(_pdep_u64(1ull << k, w));
    }
    static inline int lowest(const Set &b) { int j = cells; for (int i = W - 1; i >= 0; i--) j = b.w[i] ? i * 64 + __builtin_ctzll(b.w[i]) : j; return j; }
    static inline int highest(const Set &b) { int j = cells; for (int i = 0; i < W; i++) j = b.w[i] ? i * 64 + 63 - __builtin_clzll(b.w[i]) : j; return j; }

    static inline __attribute__((always_inline)) Union place(Shape *s, int c) {
        const Set &N = nbr[c];
        Set a; int m = 0;
        for (int i = 0; i < W; i++) { a.w[i] = N.w[i] & s->stones.w[i]; m += __builtin_popcountll(a.w[i]); }
        int x1 = lowest(a), x2 = highest(a);
        s->stones.w[c >> 6] |= 1ull << (c & 63);
        s->open.w[c >> 6] &= ~(1ull << (c & 63));
        int f1 = s->mate[x1], f2 = s->mate[x2], e1 = m ? f1 : c, e2 = m == 2 ? f2 : c;
        u64 i1 = -(u64)(f1 != x1), i2 = -(u64)(f2 != x2), i3 = -(u64)(m == 2), ring = -(u64)(m != 0);
        const Set &n1 = nbr[x1], &n2 = nbr[x2], &m1 = nbr[e1], &m2 = nbr[e2];
        for (int i = 0; i < W; i++) {
            u64 n = N.w[i], deg3 = s->deg2.w[i] & n;
            s->deg2.w[i] |= s->deg1.w[i] & n;
            s->deg1.w[i] |= n;
            s->open.w[i] &= ~(deg3 | (n1.w[i] & i1) | (n2.w[i] & i2) | (n & i3) | (m1.w[i] & m2.w[i] & ring));
        }
        s->mate[e1] = e2; s->mate[e2] = e1;
        return Union{x1, x2, e1, e2, m};
    }
    static inline __attribute__((always_inline)) void tally(State *s, const Union &u, int black, int ply) {
        int made = (256 | black) + (u.m ? s->made[u.x1] : 0) + (u.m == 2 ? s->made[u.x2] : 0);
        s->made[u.e1] = s->made[u.e2] = made; s->born[u.e1] = s->born[u.e2] = ply;
    }
    // black minus white stones once every lint is claimed; who closed a tied lint is looked up in the game
    static inline int margin(const State *s, const Game &g) {
        int sum = 0;
        for (int i = 0; i < W; i++) for (u64 x = s->stones.w[i] & ~s->deg2.w[i]; x; x &= x - 1) {
            int e = i * 64 + __builtin_ctzll(x), f = s->mate[e];
            if (f < e) continue;
            int len = s->made[e] >> 8, lead = 2 * (s->made[e] & 255) - len;
            if (__builtin_expect(lead == 0, 0)) {
                int ply = g.plies - 1;
                for (; ply > s->born[e]; ply--) {
                    u64 l = 0;
                    for (int q = 0; q < W; q++) l |= (nbr[e].w[q] | nbr[f].w[q]) & g.open[ply].w[q];
                    if (l) break;
                }
                lead = (ply & 1) ? 1 : -1;      // tied: the opponent of whoever bound it
            }
            sum += lead > 0 ? len : -len;
        }
        return sum;
    }
    static u64 perft(const Shape *s, int d) {
        if (d == 1) return count(s->open);
        u64 t = 0;
        for (int i = 0; i < W; i++) for (u64 x = s->open.w[i]; x; x &= x - 1) {
            Shape c = *s;
            place(&c, i * 64 + __builtin_ctzll(x));
            t += perft(&c, d - 1);
        }
        return t;
    }
    template <bool SCORE> static void playouts(int n, double seconds) {
        long games = 0, moves = 0, sum = 0;
        double t0 = now(), t;
        do {
            for (int q = 0; q < 2000; q++, games++) {
                State s; memcpy(&s, &start, sizeof s);
                Game g; int k = 0, l;
                g.open[0] = s.open;
                while ((l = count(s.open))) {
                    Union u = place(&s, select(s.open, below(l)));
                    if (SCORE) tally(&s, u, !(k & 1), k);
                    g.open[++k] = s.open;
                }
                g.plies = k; moves += k;
                if (SCORE) sum += margin(&s, g);
            }
            t = now() - t0;
        } while (t < seconds);
        printf("size %2d  %-16s %10.0f playouts/s  %6.1f ns/stone  mean length %.2f  mean margin %.2f\n", n,
               SCORE ? "playouts scored" : "playouts unscored", games / t, t * 1e9 / moves, (double)moves / games, (double)sum / games);
    }
    static void run(int n, double seconds) {
        geometry(n);
        playouts<false>(n, seconds);
        playouts<true>(n, seconds);
        int depth = n <= 5 ? 5 : 4;
        double t0 = now(), t; u64 p, k = 0;
        do { p = perft(&start, depth); k += p; t = now() - t0; } while (t < seconds);
        printf("size %2d  perft(%d) stones %12llu  %7.2f Gnodes/s bulk counted\n", n, depth, (unsigned long long)p, k / t / 1e9);
    }
};
template <int W> typename Engine<W>::Set Engine<W>::nbr[MAXC + 1];
template <int W> typename Engine<W>::State Engine<W>::start;
template <int W> int Engine<W>::cells;

int main(int argc, char **argv) {
    double s = argc > 1 ? atof(argv[1]) : 0.5;
    Engine<1>::run(3, s); Engine<1>::run(4, s); Engine<1>::run(5, s);
    Engine<2>::run(6, s); Engine<2>::run(7, s); Engine<3>::run(8, s); Engine<4>::run(9, s); Engine<5>::run(10, s);
}
