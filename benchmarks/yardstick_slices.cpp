// The yardstick's loops in short slices, as yardstick.py asks for them on standard input, so that they can take turns
// with the core's.  Commands, one a line, and the last line of each answer:
//
//     playouts SIZE SECONDS                     done WALL_SECONDS CPU_SECONDS      (before it, the yardstick's own row)
//     perft SIZE DEPTH FIRST STRIDE COUNT       done NODES CPU_SECONDS
//
// playouts plays blocks of 2000 games until the time is up.  perft counts the subtrees under COUNT first stones: cell
// FIRST, the cell STRIDE further on (round the board), and so on.
//
// getppid() at both ends of a slice does nothing here.  It is a mark for callgrind, which yardstick.py tells to write its
// counts there.
//
// The yardstick's main is renamed and never called.  GCC 12 makes the same machine code of the loops as without this.
#define main yardstick_main
#include "yardstick.cpp"
#undef main
#include <ctime>
#include <unistd.h>

static double cpu() {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

template <int W> static void play(int size, double seconds) {
    typedef Engine<W> E;
    E::geometry(size);
    getppid();
    double wall = now(), busy = cpu();
    E::template playouts<true>(size, seconds);
    busy = cpu() - busy;
    wall = now() - wall;
    getppid();
    printf("done %.9f %.9f\n", wall, busy);
}

template <int W> static void count(int size, int depth, int first, int stride, int times) {
    typedef Engine<W> E;
    E::geometry(size);
    u64 nodes = 0;
    getppid();
    double busy = cpu();
    for (int k = 0, cell = first % E::cells; k < times; k++, cell = (cell + stride) % E::cells) {
        typename E::Shape child = E::start;
        E::place(&child, cell);
        nodes += E::perft(&child, depth - 1);
    }
    busy = cpu() - busy;
    getppid();
    printf("done %llu %.9f\n", (unsigned long long)nodes, busy);
}

template <int W> static bool answer(const char *line) {
    int size, depth, first, stride, times;
    double seconds;
    if (sscanf(line, "playouts %d %lf", &size, &seconds) == 2) play<W>(size, seconds);
    else if (sscanf(line, "perft %d %d %d %d %d", &size, &depth, &first, &stride, &times) == 5)
        count<W>(size, depth, first, stride, times);
    else return false;
    return fflush(stdout) == 0;
}

int main() {
    char line[200], word[20];
    int size;
    while (fgets(line, sizeof line, stdin)) {
        bool understood = sscanf(line, "%19s %d", word, &size) == 2 && size >= 3 && size <= 10 &&
            (size <= 5 ? answer<1>(line) : size <= 7 ? answer<2>(line) : size == 8 ? answer<3>(line) :
             size == 9 ? answer<4>(line) : answer<5>(line));
        if (!understood) { fprintf(stderr, "not understood: %s", line); return 2; }
    }
}
