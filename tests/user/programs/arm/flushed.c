/*
 * Floating point while denormal numbers are flushed to zero (FPCR.FZ): each operation alone in a
 * loop, so that no other one meets a rare operand before it. All of FPSR is a part of the result.
 */
// flags: -O1
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define NEVER_INLINE __attribute__((noinline))

enum { COUNT = 64, ROUNDS = 12 };

static uint64_t hash = 1, state = 1;
static float fa[COUNT], fb[COUNT], fc[COUNT];
static double da[COUNT], db[COUNT], dc[COUNT];

static void mix(uint64_t v)
{
    hash = (hash ^ v) * UINT64_C(0x9e3779b97f4a7c15);
    hash ^= hash >> 29;
}

/* Returns FPSR, or FPSCR's flags, and sets it, and FZ and DN. */
static uint32_t flags(uint32_t control, uint32_t status)
{
    unsigned long old;

#ifdef __aarch64__
    __asm__ volatile("mrs %0, fpsr\n\tmsr fpsr, %2\n\tmsr fpcr, %1"
                     : "=&r"(old)
                     : "r"((unsigned long)control), "r"((unsigned long)status));
#else
    __asm__ volatile("vmrs %0, fpscr\n\tvmsr fpscr, %1" : "=&r"(old) : "r"(control | status));
#endif
    return old & 0x0800009f;
}

static unsigned draw(unsigned n)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (unsigned)(state >> 33) % n;
}

/* One in `odds` operands is special. */
static void fill(unsigned odds)
{
    static const uint64_t doubles[] = {1,
                                       UINT64_C(0x000fffffffffffff),
                                       UINT64_C(0x8000000000000001),
                                       UINT64_C(0x8008000000000000),
                                       0,
                                       UINT64_C(1) << 63,
                                       UINT64_C(0x0010000000000000),
                                       UINT64_C(0x8010000000000000),
                                       UINT64_C(0x3810000000000000),
                                       UINT64_C(0x3800000000000000),
                                       UINT64_C(0x7ff0000000000000),
                                       UINT64_C(0x7ff8000000000001)};
    static const uint32_t floats[] = {1,          0x007fffff, 0x80000001, 0x80400000,
                                      0,          0x80000000, 0x00800000, 0x80800000,
                                      0x00800001, 0x01000000, 0x7f800000, 0x7fc00001};

    for (unsigned n = 0; n < COUNT; n++) {
        double *d[] = {da, db, dc};
        float *f[] = {fa, fb, fc};

        for (unsigned k = 0; k < 3; k++) {
            d[k][n] = (1 + draw(1000)) / 7.0;
            f[k][n] = (float)d[k][n];
            if (draw(odds))
                continue;
            memcpy(&d[k][n], &doubles[draw(12)], 8);
            memcpy(&f[k][n], &floats[draw(12)], 4);
        }
    }
}

/* A loop of one operation; in it x, y and z are operands. */
#define LOOP(name, F, a, b, c, R, expression)  \
    NEVER_INLINE static void name(void)        \
    {                                          \
        for (unsigned n = 0; n < COUNT; n++) { \
            F x = a[n], y = b[n], z = c[n];    \
            R r = (R)(expression);             \
            uint64_t bits = 0;                 \
                                               \
            (void)x;                           \
            (void)y;                           \
            (void)z;                           \
            memcpy(&bits, &r, sizeof(r));      \
            mix(bits);                         \
        }                                      \
    }
#define BOTH(name, R32, R64, expression)                   \
    LOOP(name##_float, float, fa, fb, fc, R32, expression) \
    LOOP(name##_double, double, da, db, dc, R64, expression)

BOTH(less, int, int, x < y)
BOTH(equal, int, int, x == y)
BOTH(positive, int, int, x >= 0)
BOTH(choice, float, double, x > y ? x : z)
BOTH(to_int, int32_t, int32_t, x)
BOTH(to_long, int64_t, int64_t, x)
BOTH(to_unsigned, uint32_t, uint32_t, x)
BOTH(sum, float, double, x + y)
BOTH(difference, float, double, x - y)
BOTH(product, float, double, x *y)
BOTH(quotient, float, double, x / y)
BOTH(fused, float, double, __builtin_fma(x, y, z))
LOOP(widen, float, fa, fb, fc, double, x)
LOOP(narrow, double, da, db, dc, float, x)
LOOP(from_int, float, fa, fb, fc, float, (int)n - 7)

#ifdef __aarch64__
/* An instruction with two operands and a result of the same kind. */
#define TEXT(name, F, a, b, text)                     \
    NEVER_INLINE static void name(void)               \
    {                                                 \
        for (unsigned n = 0; n < COUNT; n++) {        \
            F x = a[n], y = b[n], r;                  \
            uint64_t bits = 0;                        \
                                                      \
            __asm__(text : "=w"(r) : "w"(x), "w"(y)); \
            memcpy(&bits, &r, sizeof(r));             \
            mix(bits);                                \
        }                                             \
    }
TEXT(max_float, float, fa, fb, "fmax %s0, %s1, %s2")
TEXT(maxnm_double, double, da, db, "fmaxnm %d0, %d1, %d2")
TEXT(min_double, double, da, db, "fmin %d0, %d1, %d2")
TEXT(minnm_float, float, fa, fb, "fminnm %s0, %s1, %s2")
TEXT(cmeq_float, float, fa, fb, "fcmeq %s0, %s1, %s2")
TEXT(facge_double, double, da, db, "facge %d0, %d1, %d2")
TEXT(lanes_add, double, da, fb, "fadd %0.2s, %1.2s, %2.2s")
TEXT(lanes_greater, double, da, fb, "fcmgt %0.2s, %1.2s, %2.2s")
TEXT(lanes_equal, double, da, db, "fcmeq %0.2d, %1.2d, %2.2d")
TEXT(lanes_fused, double, da, db, "fmul %0.2d, %1.2d, %2.2d\n\tfmla %0.2d, %1.2d, %2.2d")
#endif

#define PAIR(name)                     \
    {#name "_float", name##_float},    \
    {                                  \
#name "_double", name##_double \
    }
static const struct {
    const char *name;
    void (*run)(void);
} loops[] = {
    PAIR(less),
    PAIR(equal),
    PAIR(positive),
    PAIR(choice),
    PAIR(to_int),
    PAIR(to_long),
    PAIR(to_unsigned),
    PAIR(sum),
    PAIR(difference),
    PAIR(product),
    PAIR(quotient),
    PAIR(fused),
    {"widen", widen},
    {"narrow", narrow},
    {"from_int", from_int},
#ifdef __aarch64__
    {"max", max_float},
    {"maxnm", maxnm_double},
    {"min", min_double},
    {"minnm", minnm_float},
    {"cmeq", cmeq_float},
    {"facge", facge_double},
    {"lanes_add", lanes_add},
    {"lanes_greater", lanes_greater},
    {"lanes_equal", lanes_equal},
    {"lanes_fused", lanes_fused},
#endif
};

int main(void)
{
    static const unsigned odds[] = {100000, 60, 5};

    /* Ordinary operands first, so that loops are translated before they meet others. */
    for (unsigned l = 0; l < sizeof(loops) / sizeof(loops[0]); l++) {
        printf("%s", loops[l].name);
        for (unsigned o = 0; o < 3; o++) {
            for (uint32_t control = 1; control < 4; control++) {
                hash = 1;
                for (unsigned n = 0; n < ROUNDS; n++) {
                    fill(odds[o]);
                    /* Mostly an inexact result was there before. */
                    flags(control << 24, n % 4 ? 0x10 : 0);
                    loops[l].run();
                    mix(flags(0, 0));
                }
                printf(" %016llx", (unsigned long long)hash);
            }
        }
        printf("\n");
    }
    return 0;
}
