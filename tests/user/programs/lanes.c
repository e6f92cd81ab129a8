/*
 * Vectors combined from two results of one operation with different lane sizes: each half must come
 * from its own instruction. And a double of known sign that is read as several numbers.
 */
#include <stdint.h>
#include <stdio.h>

enum { ROUNDS = 400 };

/* Two vectors of 16 bytes go in, the results' halves come out. */
#ifdef __aarch64__
#define HALVES(name, low, high)                                                       \
    __attribute__((noinline)) static void name(const uint64_t in[4], uint64_t out[2]) \
    {                                                                                 \
        __asm__ volatile("ldp q16, q17, [%0]\n\t" low "\n\t" high "\n\t"              \
                         "mov v0.d[1], v1.d[1]\n\t"                                   \
                         "movi v1.2d, #0\n\t"                                         \
                         "str q0, [%1]"                                               \
                         :                                                            \
                         : "r"(in), "r"(out)                                          \
                         : "v0", "v1", "v2", "v16", "v17", "x9", "memory");           \
    }

HALVES(negated, "neg v0.8h, v16.8h", "neg v1.16b, v17.16b")
HALVES(subtracted, "sub v0.4s, v16.4s, v17.4s", "sub v1.16b, v16.16b, v17.16b")
HALVES(added, "add v0.16b, v16.16b, v17.16b", "add v1.2d, v16.2d, v17.2d")
HALVES(compared, "cmgt v0.16b, v16.16b, #0", "cmgt v1.4s, v17.4s, #0")
HALVES(largest, "smax v0.4s, v16.4s, v17.4s", "smax v1.16b, v16.16b, v17.16b")
HALVES(multiplied, "mul v0.4s, v16.4s, v17.4s", "mul v1.8h, v16.8h, v17.8h")
HALVES(sums, "fadd v0.4s, v16.4s, v16.4s", "fadd v1.2d, v17.2d, v17.2d")
HALVES(pieces,
       "neg v0.8h, v16.8h\n\tmovi v2.16b, #255\n\tmov v2.d[1], xzr\n\tand v0.16b, v0.16b, v2.16b",
       "neg v1.16b, v17.16b\n\tbic v1.16b, v1.16b, v2.16b\n\torr v0.16b, v0.16b, v1.16b\n\t"
       "mov v1.16b, v0.16b")
HALVES(converted, "fmov x9, d16\n\tucvtf d0, w9\n\tabs v0.4h, v0.4h",
       "fmov x9, d17\n\tucvtf d1, w9\n\tcmlt v1.8b, v1.8b, #0")
#else
#define HALVES(name, low, high)                                                            \
    __attribute__((noinline)) static void name(const uint64_t in[4], uint64_t out[2])      \
    {                                                                                      \
        __asm__ volatile(".fpu neon\n\tvld1.64 {d16-d19}, [%0]\n\t" low "\n\t" high "\n\t" \
                         "vst1.64 {d20-d21}, [%1]"                                         \
                         :                                                                 \
                         : "r"(in), "r"(out)                                               \
                         : "d0", "d16", "d17", "d18", "d19", "d20", "d21", "d22", "d23",   \
                           "memory");                                                      \
    }

HALVES(negated, "vneg.s16 d20, d16", "vneg.s8 d21, d19")
HALVES(subtracted, "vmov.i8 d22, #1\n\tvsub.i32 d20, d16, d22", "vsub.i8 d21, d19, d22")
HALVES(added, "vmov.i8 d22, #255\n\tvadd.i8 d20, d16, d22", "vadd.i64 d21, d19, d22")
HALVES(compared, "vcgt.s8 d20, d16, #0", "vcgt.s32 d21, d19, #0")
HALVES(largest, "vmov.i8 d22, #1\n\tvmax.s32 d20, d16, d22", "vmax.s8 d21, d19, d22")
HALVES(multiplied, "vmov.i8 d22, #3\n\tvmul.i32 d20, d16, d22", "vmul.i16 d21, d19, d22")
HALVES(sums, "vsub.i16 d20, d16, d18", "vmul.i8 d16, d17, d19\n\tvsub.i8 d21, d19, d16")
HALVES(pieces, "vneg.s16 q10, q8\n\tvneg.s8 q11, q9", "vmov d21, d23\n\tvmov.i8 q11, #0")
HALVES(converted, "vmov d0, d16\n\tvcvt.f64.u32 d20, s0\n\tvabs.s16 d20, d20",
       "vmov d0, d19\n\tvcvt.f64.u32 d21, s0\n\tvclt.s8 d21, d21, #0")
#endif

static uint64_t random = 88172645463325252u;

static uint64_t draw_float_bits(void)
{
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    /* Bits that are ordinary numbers both as float and as double. */
    return (random & 0x807fffff800fffffu) | 0x3f8000003f800000u;
}

static void digest_halves(void (*halves)(const uint64_t in[4], uint64_t out[2]), const char *name)
{
    uint64_t in[4], out[2], sum = 1469598103934665603u;

    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned n = 0; n < 4; n++)
            in[n] = draw_float_bits();
        halves(in, out);
        for (unsigned n = 0; n < 2; n++)
            sum = (sum ^ out[n]) * 1099511628211u;
    }
    printf("%s: %016llx\n", name, (unsigned long long)sum);
}

int main(void)
{
    digest_halves(negated, "negated");
    digest_halves(subtracted, "subtracted");
    digest_halves(added, "added");
    digest_halves(compared, "compared");
    digest_halves(largest, "largest");
    digest_halves(multiplied, "multiplied");
    digest_halves(sums, "sums");
    digest_halves(pieces, "pieces");
    digest_halves(converted, "converted");
    return 0;
}
