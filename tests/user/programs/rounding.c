/*
 * A64's rounding to integral numbers, conversions to and from integers and fixed point, minima and
 * maxima, and steps of reciprocals, in loops that are translated: numbers around halves, of all
 * magnitudes, NaNs and denormals, in all rounding modes, with and without flushing and default
 * NaNs, with flags that are clear or set before. Prints a hash of results and flags for each
 * setting, which another simulator must print, too.
 */
#include <arm_neon.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 96 };

static uint64_t hash;

static void mix(uint64_t v)
{
    hash = (hash ^ v) * UINT64_C(0x9e3779b97f4a7c15);
    hash ^= hash >> 29;
}

static void set_control(uint64_t control)
{
    __asm__ volatile("msr fpcr, %0" ::"r"(control));
}

static void set_status(uint64_t status)
{
    __asm__ volatile("msr fpsr, %0" ::"r"(status));
}

static uint64_t status(void)
{
    uint64_t status;

    __asm__ volatile("mrs %0, fpsr" : "=r"(status));
    return status;
}

/* Flags are looked at after each number, or once. */
#define EACH(statement)                   \
    do {                                  \
        set_status(before);               \
        for (int n = 0; n < COUNT; n++) { \
            if (singly)                   \
                set_status(before);       \
            statement;                    \
            if (singly)                   \
                mix(status());            \
        }                                 \
        mix(status());                    \
    } while (0)
#define VECTOR(text)                                             \
    EACH(uint64x2_t r; __asm__ volatile(text                     \
                                        : "=w"(r)                \
                                        : "w"(a[n]), "w"(b[n])); \
         mix(r[0]); mix(r[1]))
#define INTEGER(text) EACH(uint64_t r; __asm__ volatile(text : "=r"(r) : "w"(a[n])); mix(r))
#define FROM_INTEGER(text) \
    EACH(uint64x2_t r; __asm__ volatile(text : "=w"(r) : "r"(a[n][0])); mix(r[0]))

#define ROUND(name)               \
    VECTOR(name " %s0, %s1");     \
    VECTOR(name " %d0, %d1");     \
    VECTOR(name " %0.2s, %1.2s"); \
    VECTOR(name " %0.4s, %1.4s"); \
    VECTOR(name " %0.2d, %1.2d")
#define TO_INTEGER(name)       \
    INTEGER(name " %w0, %s1"); \
    INTEGER(name " %w0, %d1"); \
    INTEGER(name " %x0, %s1"); \
    INTEGER(name " %x0, %d1"); \
    ROUND(name)
#define STEP(name)                       \
    VECTOR(name " %s0, %s1, %s2");       \
    VECTOR(name " %d0, %d1, %d2");       \
    VECTOR(name " %0.2s, %1.2s, %2.2s"); \
    VECTOR(name " %0.4s, %1.4s, %2.4s"); \
    VECTOR(name " %0.2d, %1.2d, %2.2d")

__attribute__((noinline)) static void round_all(const uint64x2_t *a, const uint64x2_t *b,
                                                uint64_t before, int singly)
{
    ROUND("frintn");
    ROUND("frintp");
    ROUND("frintm");
    ROUND("frintz");
    ROUND("frinta");
    ROUND("frintx");
    ROUND("frinti");
    ROUND("fsqrt");
    STEP("frecps");
    STEP("frsqrts");
    STEP("fmulx");
    STEP("fmax");
    STEP("fmin");
    STEP("fmaxnm");
    STEP("fminnm");
}

__attribute__((noinline)) static void convert_all(const uint64x2_t *a, const uint64x2_t *b,
                                                  uint64_t before, int singly)
{
    TO_INTEGER("fcvtns");
    TO_INTEGER("fcvtnu");
    TO_INTEGER("fcvtps");
    TO_INTEGER("fcvtpu");
    TO_INTEGER("fcvtms");
    TO_INTEGER("fcvtmu");
    TO_INTEGER("fcvtas");
    TO_INTEGER("fcvtau");
    TO_INTEGER("fcvtzs");
    TO_INTEGER("fcvtzu");
    ROUND("scvtf");
    ROUND("ucvtf");
    FROM_INTEGER("scvtf %s0, %w1");
    FROM_INTEGER("scvtf %d0, %x1");
    FROM_INTEGER("ucvtf %s0, %x1");
    FROM_INTEGER("ucvtf %d0, %w1");
    FROM_INTEGER("ucvtf %d0, %x1");
    FROM_INTEGER("scvtf %s0, %w1, #7");
    FROM_INTEGER("scvtf %d0, %x1, #63");
    FROM_INTEGER("ucvtf %s0, %x1, #64");
    FROM_INTEGER("ucvtf %d0, %x1, #53");
    FROM_INTEGER("ucvtf %d0, %w1, #32");
    VECTOR("ucvtf %0.4s, %1.4s, #16");
    VECTOR("scvtf %0.4s, %1.4s, #31");
    VECTOR("ucvtf %0.2s, %1.2s, #32");
    VECTOR("fcvtzs %0.4s, %1.4s, #8");
    VECTOR("fcvtzs %0.2s, %1.2s, #32");
    VECTOR("fcvtzu %0.4s, %1.4s, #3");
    VECTOR("fcvtzu %0.2s, %1.2s, #31");
    VECTOR("fcvtzs %0.2d, %1.2d, #9");
    INTEGER("fcvtzs %x0, %d1, #4");
    INTEGER("fcvtzs %w0, %s1, #31");
    INTEGER("fcvtzu %w0, %d1, #5");
    INTEGER("fcvtzu %x0, %s1, #40");
}

static const double numbers[] = {
    0.0,
    -0.0,
    0.5,
    -0.5,
    1.5,
    -1.5,
    2.5,
    -2.5,
    0.49999999999999994,
    -0.49999999999999994,
    0.25,
    -0.75,
    3.0,
    1e-300,
    -1e-300,
    5e-324,
    0x1p-1022,
    0x1p51 + 0.5,
    -0x1p51 - 0.5,
    0x1p52 + 1,
    0x1p52 - 0.5,
    0x1p53,
    0x1p62,
    -0x1p63,
    0x1p63,
    0x1p64,
    0x1p31,
    -0x1p31,
    0x1p31 - 0.5,
    -0x1p31 - 0.5,
    0x1p32 - 0.5,
    0x1p32,
    1e300,
    -1e300,
    1.0 / 3,
    1e9 + 0.5,
};
static const uint64_t patterns[] = {
    0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000001, 0xfff8000000001234,
    0x7ff0000000000001, 0xfff4000000000002, 0x000fffffffffffff, 0x800fffffffffffff,
};
static const float singles[] = {
    0.0f,         -0.0f,          0.5f,        -0.5f,      1.5f,    2.5f,     -2.5f,   0.49999997f,
    -0.49999997f, 0x1p22f + 0.5f, 0x1p23f + 1, 8388607.5f, 0x1p31f, -0x1p31f, 0x1p32f, 0x1p63f,
    0x1p64f,      1e-44f,         -1e-44f,     0x1p-126f,  1e38f,   0.75f,    -3.25f,  1e9f,
};
static const uint32_t single_patterns[] = {0x7f800000, 0xff800000, 0x7fc00001, 0xffc01234,
                                           0x7f800001, 0xffa00002, 0x007fffff, 0x807fffff};

static uint64_t random64(void)
{
    static uint64_t state = 88172645463325252;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static uint64_t a_double(void)
{
    unsigned n = random64() % (LENGTH(numbers) + LENGTH(patterns) + 30);
    uint64_t bits;

    if (n < LENGTH(numbers))
        memcpy(&bits, &numbers[n], sizeof(bits));
    else if (n < LENGTH(numbers) + LENGTH(patterns))
        bits = patterns[n - LENGTH(numbers)];
    else /* of a magnitude at which rounding matters */
        bits = (random64() & UINT64_C(0x800fffffffffffff)) | (1019 + random64() % 64) << 52;
    return bits;
}

static uint32_t a_single(void)
{
    unsigned n = random64() % (LENGTH(singles) + LENGTH(single_patterns) + 20);
    uint32_t bits;

    if (n < LENGTH(singles))
        memcpy(&bits, &singles[n], sizeof(bits));
    else if (n < LENGTH(singles) + LENGTH(single_patterns))
        bits = single_patterns[n - LENGTH(singles)];
    else
        bits = (uint32_t)((random64() & 0x807fffff) | (123 + random64() % 64) << 23);
    return bits;
}

/* Numbers for a double and two singles of a register at once would be rare in both: they take
 * turns. */
static uint64_t a_word(unsigned n)
{
    return n & 1 ? a_double() : a_single() | (uint64_t)a_single() << 32;
}

int main(void)
{
    static const uint32_t controls[] = {0,          0x01000000, 0x02000000, 0x03000000,
                                        0x00400000, 0x00800000, 0x00c00000, 0x01400000};
    uint64x2_t a[COUNT], b[COUNT];

    for (unsigned round = 0; round < 2; round++)
        for (unsigned c = 0; c < LENGTH(controls); c++)
            for (unsigned mode = 0; mode < 4; mode++) {
                for (unsigned n = 0; n < COUNT; n++) {
                    a[n] = (uint64x2_t){a_word(n), a_word(n)};
                    b[n] = (uint64x2_t){a_word(n), a_word(n)};
                }
                set_control(controls[c]);
                round_all(a, b, mode & 1 ? 0x10 : 0, mode & 2);
                convert_all(a, b, mode & 1 ? 0x10 : 0, mode & 2);
                set_control(0);
                printf("%08x %u %016lx\n", controls[c], mode, hash);
            }
    return 0;
}
