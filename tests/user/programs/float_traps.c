// flags: -frounding-math -ffp-contract=off
/*
 * Floating point in loops that are translated: numbers that raise each exception, NaNs, denormals
 * and results near the least normal number, often and seldom, in all rounding modes. Prints hashes
 * of all results and flags, which another simulator must print, too.
 */
#include <fenv.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define NEVER_INLINE __attribute__((noinline, optimize("no-tree-vectorize")))

static uint64_t hash;

static void mix(uint64_t v)
{
    hash = (hash ^ v) * UINT64_C(0x9e3779b97f4a7c15);
    hash ^= hash >> 29;
}

static void set_control(unsigned control)
{
#ifdef __aarch64__
    __asm__ volatile("msr fpcr, %0" ::"r"((uint64_t)control));
#elif defined(__arm__)
    __asm__ volatile("vmsr fpscr, %0" ::"r"(control));
#else
    (void)control;
#endif
}

#define DEFINE(F, B, suffix, fma, sqrt, fmin, fmax, narrow)                                   \
    static F from_##suffix(B bits)                                                            \
    {                                                                                         \
        F v;                                                                                  \
                                                                                              \
        memcpy(&v, &bits, sizeof(v));                                                         \
        return v;                                                                             \
    }                                                                                         \
    static B bits_##suffix(F v)                                                               \
    {                                                                                         \
        B bits;                                                                               \
                                                                                              \
        memcpy(&bits, &v, sizeof(bits));                                                      \
        return bits;                                                                          \
    }                                                                                         \
    NEVER_INLINE static void all_##suffix(const F *a, const F *b, const F *c, unsigned count) \
    {                                                                                         \
        for (unsigned n = 0; n < count; n++) {                                                \
            F x = a[n], y = b[n], z = c[n];                                                   \
                                                                                              \
            mix(bits_##suffix(x + y));                                                        \
            mix(bits_##suffix(x - z));                                                        \
            mix(bits_##suffix(x *y));                                                         \
            mix(bits_##suffix(-(x * z)));                                                     \
            mix(bits_##suffix(x / y));                                                        \
            mix(bits_##suffix(fma(x, y, z)));                                                 \
            mix(bits_##suffix(fma(-x, z, y)));                                                \
            mix(bits_##suffix(sqrt(x)));                                                      \
            mix(bits_##suffix(fmin(x, y)));                                                   \
            mix(bits_##suffix(fmax(y, z)));                                                   \
            mix((x < y) | (x == y) << 1 | (x >= z) << 2 | (y != z) << 3 |                     \
                (uint64_t)isgreater(x, z) << 4);                                              \
            mix((uint64_t)narrow(x));                                                         \
            mix((uint64_t)fetestexcept(FE_ALL_EXCEPT));                                       \
        }                                                                                     \
    }                                                                                         \
    NEVER_INLINE static void ints_##suffix(const F *a, unsigned count)                        \
    {                                                                                         \
        for (unsigned n = 0; n < count; n++) {                                                \
            if (!(fabs((double)a[n]) < 0x1p31))                                               \
                continue;                                                                     \
            mix((uint64_t)(int32_t)a[n]);                                                     \
            mix((uint64_t)(int64_t)a[n]);                                                     \
            mix((uint64_t)(uint32_t)(a[n] < 0 ? -a[n] : a[n]));                               \
            mix(bits_##suffix((F)(int32_t)a[n] + (F)(int64_t)a[n]));                          \
        }                                                                                     \
    }

static uint64_t narrowed(double v)
{
    float f = (float)v;
    uint32_t bits;

    memcpy(&bits, &f, sizeof(bits));
    return bits;
}

static uint64_t widened(float v)
{
    double d = v;
    uint64_t bits;

    memcpy(&bits, &d, sizeof(bits));
    return bits;
}

DEFINE(double, uint64_t, double, fma, sqrt, fmin, fmax, narrowed)
DEFINE(float, uint32_t, float, fmaf, sqrtf, fminf, fmaxf, widened)

static const uint64_t doubles[] = {
    0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000,
    0x3fe5555555555555, 0x4008000000000001, 0x7ff0000000000000, 0xfff0000000000000,
    0x7ff8000000000000, 0xfff8000000001234, 0x7ff0000000000001, 0xfff4000000000001,
    0x0010000000000000, 0x8010000000000001, 0x0000000000000001, 0x000fffffffffffff,
    0x7fefffffffffffff, 0xffefffffffffffff, 0x3fefffffffffffff, 0x2000000000000000,
    0x1fffffffffffffff, 0x0020000000000000, 0x5fe0000000000001, 0x41dfffffffc00000,
    0xc1e0000000000000, 0x380fffffffffffff, 0x3810000000000000, 0x3690000000000000,
    0x47efffffffffffff, 0x47effffff0000000, 0x3ca0000000000000, 0x001fffffffffffff,
};

static const uint32_t floats[] = {
    0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x3f2aaaab, 0x40400001, 0x7f800000, 0xff800000,
    0x7fc00000, 0xffc01234, 0x7f800001, 0xffa00001, 0x00800000, 0x80800001, 0x00000001, 0x007fffff,
    0x7f7fffff, 0xff7fffff, 0x3f7fffff, 0x20000000, 0x1fffffff, 0x01000000, 0x5f000001, 0x4effffff,
    0xcf000000, 0x33800000, 0x00ffffff, 0x0cffffff, 0x70000000, 0x34000001, 0x4b000001, 0x3effffff,
};

enum { COUNT = 32, LONG = 4000 };

static double da[LONG], db[LONG], dc[LONG];
static float fa[LONG], fb[LONG], fc[LONG];

/* Vectors: of 128 and 64 bits. */
#define VECTORS(name, type, F, G)                                                    \
    typedef type name __attribute__((vector_size(F)));                               \
    NEVER_INLINE static void all_##name(const type *a, const type *b, const type *c) \
    {                                                                                \
        for (unsigned n = 0; n + F / sizeof(type) <= LONG; n += F / sizeof(type)) {  \
            name x, y, z, r[5];                                                      \
            uint64_t v[sizeof(r) / 8];                                               \
            G m[2];                                                                  \
                                                                                     \
            memcpy(&x, a + n, sizeof(x));                                            \
            memcpy(&y, b + n, sizeof(y));                                            \
            memcpy(&z, c + n, sizeof(z));                                            \
            r[0] = x + y;                                                            \
            r[1] = x - z;                                                            \
            r[2] = x * y;                                                            \
            r[3] = y / z;                                                            \
            r[4] = r[0] * z;                                                         \
            m[0] = x < y;                                                            \
            m[1] = x == z;                                                           \
            memcpy(v, r, sizeof(v));                                                 \
            for (unsigned k = 0; k < sizeof(v) / 8; k++)                             \
                mix(v[k]);                                                           \
            memcpy(v, m, sizeof(m));                                                 \
            for (unsigned k = 0; k < sizeof(m) / 8; k++)                             \
                mix(v[k]);                                                           \
            mix((uint64_t)fetestexcept(FE_ALL_EXCEPT));                              \
        }                                                                            \
    }

typedef int64_t two_longs __attribute__((vector_size(16)));
typedef int32_t four_ints __attribute__((vector_size(16)));
typedef int32_t two_ints __attribute__((vector_size(8)));
VECTORS(two_doubles, double, 16, two_longs)
VECTORS(four_floats, float, 16, four_ints)
VECTORS(two_floats, float, 8, two_ints)

static uint64_t state = 1;

static unsigned draw(unsigned n)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (unsigned)(state >> 33) % n;
}

/* Fills the operands: one of `odds` is special, the others are ordinary. */
static void fill(unsigned odds)
{
    for (unsigned n = 0; n < LONG; n++) {
        double *d[] = {da, db, dc};
        float *f[] = {fa, fb, fc};

        for (unsigned k = 0; k < 3; k++) {
            d[k][n] = 1 + draw(1000) / 7.0;
            f[k][n] = (float)(1 + draw(1000) / 7.0);
            if (!draw(odds)) {
                d[k][n] = from_double(doubles[draw(COUNT)]);
                f[k][n] = from_float(floats[draw(COUNT)]);
            }
        }
    }
}

static void run(unsigned rounds, unsigned clear)
{
    for (unsigned n = 0; n < rounds; n++) {
        if (clear)
            feclearexcept(FE_ALL_EXCEPT & ~(clear > 1 ? FE_INEXACT : 0));
        all_double(da, db, dc, LONG);
        all_float(fa, fb, fc, LONG);
        all_two_doubles(da, db, dc);
        all_four_floats(fa, fb, fc);
        all_two_floats(fa, fb, fc);
        ints_double(da, LONG);
        ints_float(fa, LONG);
    }
}

int main(void)
{
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    static const unsigned odds[] = {1, 3, 50, 2000};

    for (unsigned o = 0; o < 4; o++) {
        fill(odds[o]);
        for (unsigned m = 0; m < 4; m++) {
            hash = 1;
            feclearexcept(FE_ALL_EXCEPT);
            fesetround(modes[m]);
            for (unsigned clear = 0; clear < 3; clear++)
                run(m ? 1 : 3, clear);
            printf("%u %u %016llx\n", odds[o], m, (unsigned long long)hash);
        }
        fesetround(FE_TONEAREST);
        for (unsigned control = 1; control < 4; control++) { /* FZ and DN, where there are any */
            hash = 1;
            set_control(control << 24);
            run(2, 1);
            set_control(0);
            printf("%u %u %016llx\n", odds[o], 4 + control, (unsigned long long)hash);
        }
    }
    return 0;
}
