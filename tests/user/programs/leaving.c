/*
 * Flags at the exit of a hot loop: for each condition, after single and chained comparisons, for
 * operands on both sides of a change of a flag. Some loops run for many rounds, some for few.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 24 };

struct loop {
    const char *name;
    uint64_t (*run)(const int64_t *p, int64_t y,
                    int64_t z); /* loops while the condition holds; returns the flags */
    int (*holds)(int64_t x, int64_t y, int64_t z);
};

#define LOOP(NAME, COMPARE, CONDITION)                                               \
    static uint64_t run_##NAME##_##CONDITION(const int64_t *p, int64_t y, int64_t z) \
    {                                                                                \
        uint64_t flags;                                                              \
                                                                                     \
        __asm__ volatile("b 1f\n1: ldr x9, [%1], #8\n" COMPARE "\n b." #CONDITION    \
                         " 1b\n mrs %0, nzcv"                                        \
                         : "=r"(flags), "+r"(p)                                      \
                         : "r"(y), "r"(z)                                            \
                         : "x9", "cc", "memory");                                    \
        return flags;                                                                \
    }                                                                                \
    static int holds_##NAME##_##CONDITION(int64_t x, int64_t y, int64_t z)           \
    {                                                                                \
        int holds;                                                                   \
                                                                                     \
        __asm__ volatile("mov x9, %1\n" COMPARE "\n cset %w0, " #CONDITION           \
                         : "=r"(holds)                                               \
                         : "r"(x), "r"(y), "r"(z)                                    \
                         : "x9", "cc");                                              \
        return holds;                                                                \
    }

#define ENTRY(NAME, COMPARE, CONDITION) \
    {#NAME " " #CONDITION, run_##NAME##_##CONDITION, holds_##NAME##_##CONDITION},

#define CONDITIONS(DO, NAME, COMPARE) \
    DO(NAME, COMPARE, eq)             \
    DO(NAME, COMPARE, ne)             \
    DO(NAME, COMPARE, hs)             \
    DO(NAME, COMPARE, lo)             \
    DO(NAME, COMPARE, mi)             \
    DO(NAME, COMPARE, pl)             \
    DO(NAME, COMPARE, vs)             \
    DO(NAME, COMPARE, vc)             \
    DO(NAME, COMPARE, hi)             \
    DO(NAME, COMPARE, ls)             \
    DO(NAME, COMPARE, ge)             \
    DO(NAME, COMPARE, lt)             \
    DO(NAME, COMPARE, gt)             \
    DO(NAME, COMPARE, le)

#define ALL(DO)                                                                      \
    CONDITIONS(DO, cmp, "cmp x9, %2")                                                \
    CONDITIONS(DO, narrow, "cmp w9, %w2")                                            \
    CONDITIONS(DO, turned, "cmp %2, x9")                                             \
    CONDITIONS(DO, none, "tst x9, %2")                                               \
    CONDITIONS(DO, both, "cmp x9, #0\n ccmp x9, %2, #4, ne")                         \
    CONDITIONS(DO, either, "cmp x9, %2\n ccmp x9, %3, #0, hi")                       \
    CONDITIONS(DO, three, "cmp x9, %2\n ccmp x9, %3, #11, le\n ccmp w9, #5, #6, vc") \
    CONDITIONS(DO, brief_one, "cmp x9, %2")                                          \
    CONDITIONS(DO, brief_both, "cmp x9, #0\n ccmp x9, %2, #4, ne")                   \
    CONDITIONS(DO, brief_either, "cmp x9, %2\n ccmp x9, %3, #0, hi")                 \
    CONDITIONS(DO, brief_three, "cmp x9, %2\n ccmp x9, %3, #11, le\n ccmp w9, #5, #6, vc")

ALL(LOOP)

static const struct loop loops[] = {ALL(ENTRY)};

static const int64_t values[] = {
    0,         1,         5,          -1,         -5,         INT64_MAX,     INT64_MIN,
    INT32_MAX, INT32_MIN, 0x80000000, 0xffffffff, 0x7ffffffb, INT64_MIN + 5, INT64_MAX - 4,
};

enum { VALUES = sizeof(values) / sizeof(values[0]) };

static uint64_t digest;

static void add_to_digest(uint64_t v)
{
    digest = (digest ^ v) * 0x9e3779b97f4a7c15;
    digest ^= digest >> 29;
}

/*
 * Runs rounds with values for which the condition holds, then one with each value for which it does
 * not.
 */
static void run_rounds(const struct loop *l, int64_t y, int64_t z)
{
    unsigned brief = !strncmp(l->name, "brief", 5), stay = 0, leave = 0;
    int64_t stays[VALUES], leaves[VALUES], in[ROUNDS + 1];

    for (unsigned n = 0; n < VALUES; n++) {
        if (l->holds(values[n], y, z))
            stays[stay++] = values[n];
        else
            leaves[leave++] = values[n];
    }
    for (unsigned n = 0; n < leave; n++) {
        unsigned rounds = !stay ? 0 : brief ? 1 + n % 4 : ROUNDS - n;

        for (unsigned k = 0; k < rounds; k++)
            in[k] = stays[(k + n) % stay];
        in[rounds] = leaves[n];
        add_to_digest(l->run(in, y, z));
    }
}

int main(void)
{
    for (unsigned n = 0; n < sizeof(loops) / sizeof(loops[0]); n++) {
        digest = n;
        for (unsigned y = 0; y < VALUES; y++)
            for (unsigned z = 0; z < VALUES; z += 3)
                run_rounds(&loops[n], values[y], values[z]);
        printf("%s %016llx\n", loops[n].name, (unsigned long long)digest);
    }
    return 0;
}
