"""Operations on one 64-bit word, each with a form for every compiler and machine.

The macros of the compiler's target decide: BMI2 gives a one-instruction select, everything else a
search by halving that needs no table and no special instruction.
"""

from libc.stdint cimport uint32_t, uint64_t

cdef extern from *:
    """
    #include <stdint.h>
    #if defined(_MSC_VER) && !defined(__clang__)
      #include <intrin.h>
      #define CATENA_INLINE static __forceinline
      /* MSVC has no macro for BMI2; /arch:AVX2 implies it. */
      #if defined(_M_X64) && defined(__AVX2__)
        #define CATENA_HAS_PDEP 1
      #endif
    #else
      #define CATENA_INLINE static inline __attribute__((always_inline, unused))
      #if defined(__BMI2__) && defined(__x86_64__)
        #include <immintrin.h>
        #define CATENA_HAS_PDEP 1
      #endif
    #endif
    #ifndef CATENA_HAS_PDEP
      #define CATENA_HAS_PDEP 0
    #endif

    /* Masks, all ones or 0, for conditions that nobody can predict: of `a ? b : c` a compiler may
       make a branch. */
    CATENA_INLINE int catena_mask_negative(int number) {
        return -(int)((unsigned)number >> 31);
    }

    CATENA_INLINE int catena_popcount64(uint64_t word) {
    #if defined(__GNUC__) || defined(__clang__)
        return __builtin_popcountll(word);
    #else
        word -= (word >> 1) & 0x5555555555555555u;
        word = (word & 0x3333333333333333u) + ((word >> 2) & 0x3333333333333333u);
        word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu;
        return (int)((word * 0x0101010101010101u) >> 56);
    #endif
    }

    /* The lowest set bit; undefined for 0. */
    CATENA_INLINE int catena_lowest64(uint64_t word) {
    #if defined(__GNUC__) || defined(__clang__)
        return __builtin_ctzll(word);
    #elif defined(_MSC_VER) && defined(_WIN64)
        unsigned long index;
        _BitScanForward64(&index, word);
        return (int)index;
    #else
        return catena_popcount64((word & (0 - word)) - 1);
    #endif
    }

    /* Bit (i + by) % 64 goes to bit i. */
    CATENA_INLINE uint64_t catena_rotate64(uint64_t word, int by) {
        return word >> (by & 63) | word << (-by & 63);
    }

    /* The set bit with exactly `rank` set bits below it; undefined unless 0 <= rank < popcount. */
    CATENA_INLINE int catena_select64(uint64_t word, int rank) {
    #if CATENA_HAS_PDEP
        return catena_lowest64(_pdep_u64((uint64_t)1 << rank, word));
    #else
        uint64_t pairs = word - ((word >> 1) & 0x5555555555555555u);
        uint64_t nibbles = (pairs & 0x3333333333333333u) + ((pairs >> 2) & 0x3333333333333333u);
        uint64_t bytes = (nibbles + (nibbles >> 4)) & 0x0f0f0f0f0f0f0f0fu;
        /* byte i of `sums`: set bits in bytes 0 to i; byte i of `passed`: 128 if sums[i] <= rank */
        uint64_t sums = bytes * 0x0101010101010101u;
        uint64_t passed = (((uint64_t)rank * 0x0101010101010101u | 0x8080808080808080u) - sums)
                          & 0x8080808080808080u;
        int place = (int)(((passed >> 7) * 0x0101010101010101u) >> 56) * 8, count, past;
        rank -= (int)(((sums << 8) >> place) & 255);
        count = (int)((nibbles >> place) & 15);
        past = catena_mask_negative(count - 1 - rank);
        rank -= count & past;
        place += 4 & past;
        count = (int)((pairs >> place) & 3);
        past = catena_mask_negative(count - 1 - rank);
        rank -= count & past;
        place += 2 & past;
        return place + (rank >= (int)((word >> place) & 1));
    #endif
    }
    """
    int popcount64 "catena_popcount64"(uint64_t word) noexcept nogil
    int lowest64 "catena_lowest64"(uint64_t word) noexcept nogil
    uint64_t rotate64 "catena_rotate64"(uint64_t word, int by) noexcept nogil
    int select64 "catena_select64"(uint64_t word, int rank) noexcept nogil
