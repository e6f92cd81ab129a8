/*
 * Vector instructions that translations do by shuffles of bytes, by halves of vectors of more than
 * 16 bytes, or by instructions of the host: table lookups, structures of three elements, doubling
 * products, AES and SHA-256. Each runs in a loop on numbers that favour special values; all results
 * and FPSR.QC are printed.
 */
// flags: -O1
#include <arm_neon.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 300 };

static uint64_t seed = 1, sum;

/* A random number; often one with a byte that begins or ends a table, or the least or greatest
 * number. */
static uint64_t next(void)
{
    static const uint64_t special[] = {0x0f100f101f202f30, 0x8000800080008000, 0x7fff7fff80008000,
                                       0x8000000080000000, 0x7fffffff80000000, 0x3f403f4001000200};

    seed = seed * 6364136223846793005 + 1442695040888963407;
    if (seed >> 61 < 2)
        return special[seed >> 40 & 0xff ? (seed >> 33) % 6 : 0];
    return (seed >> 8 ^ seed << 29) & (seed >> 60 & 1 ? 0x3f3f3f3f3f3f3f3f : UINT64_MAX);
}

static uint8x16_t any(void)
{
    uint64_t low = next(), high = next();

    return vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(low), vcreate_u64(high)));
}

static void add(uint8x16_t v)
{
    uint64x2_t w = vreinterpretq_u64_u8(v);

    sum = (sum << 7 | sum >> 57) ^ vgetq_lane_u64(w, 0);
    sum = (sum << 11 | sum >> 53) + vgetq_lane_u64(w, 1);
}

static void add_half(uint8x8_t v)
{
    add(vcombine_u8(v, vcreate_u8(0)));
}

/* FPSR.QC, or FPSCR's, which becomes 0. */
static unsigned saturated(void)
{
    unsigned long v;

#ifdef __aarch64__
    __asm__ volatile("mrs %0, fpsr\n\tmsr fpsr, xzr" : "=r"(v));
#else
    __asm__ volatile("vmrs %0, fpscr\n\tvmsr fpscr, %1" : "=&r"(v) : "r"(0));
#endif
    return v >> 27 & 1;
}

static void show(const char *name)
{
    printf("%s %016llx\n", name, (unsigned long long)sum);
    sum = 0;
}

static void tables(void)
{
    for (int n = 0; n < ROUNDS; n++) {
        uint8x16_t a = any(), b = any(), c = any();
        uint8x8_t l = vget_low_u8(a), h = vget_high_u8(a), m = vget_low_u8(b), i = vget_high_u8(b);
        uint8x8x2_t two = {{l, h}};
        uint8x8x3_t three = {{l, h, m}};
        uint8x8x4_t four = {{l, h, m, vget_low_u8(c)}};

        add_half(vtbl1_u8(l, i));
        add_half(vtbl2_u8(two, i));
        add_half(vtbl3_u8(three, i));
        add_half(vtbl4_u8(four, i));
        add_half(vtbx1_u8(h, l, i));
        add_half(vtbx2_u8(m, two, i));
        add_half(vtbx3_u8(h, three, i));
        add_half(vtbx4_u8(l, four, i));
    }
    show("tables of halves");
}

#ifdef __aarch64__
static void wide_tables(void)
{
    for (int n = 0; n < ROUNDS; n++) {
        uint8x16_t a = any(), b = any(), c = any(), d = any(), i = any(), o = any();
        uint8x16x2_t two = {{a, b}};
        uint8x16x3_t three = {{a, b, c}};
        uint8x16x4_t four = {{a, b, c, d}};

        add(vqtbl1q_u8(a, i));
        add(vqtbl2q_u8(two, i));
        add(vqtbl3q_u8(three, i));
        add(vqtbl4q_u8(four, i));
        add(vqtbx1q_u8(o, a, i));
        add(vqtbx2q_u8(o, two, i));
        add(vqtbx3q_u8(o, three, i));
        add(vqtbx4q_u8(o, four, i));
        add_half(vqtbl1_u8(a, vget_low_u8(i)));
        add_half(vqtbx2_u8(vget_low_u8(o), two, vget_high_u8(i)));
    }
    /* The table wraps, and the destination is a part of it. */
    for (int n = 0; n < ROUNDS; n++) {
        register uint8x16_t a __asm__("v31") = any();
        register uint8x16_t b __asm__("v0") = any();
        register uint8x16_t c __asm__("v1") = any();

        __asm__("tbl v1.16b, {v31.16b, v0.16b}, v1.16b\n\ttbx v0.16b, {v31.16b, v0.16b}, v1.16b"
                : "+w"(a), "+w"(b), "+w"(c));
        add(a);
        add(b);
        add(c);
    }
    show("tables");
}
#endif

#define STRUCTURES(name, type, size, lanes, load, store)       \
    static void name(void)                                     \
    {                                                          \
        type##size##_t memory[3 * (lanes)], back[3 * (lanes)]; \
                                                               \
        for (int n = 0; n < ROUNDS; n++) {                     \
            for (unsigned k = 0; k < 3 * (lanes); k++)         \
                memory[k] = (type##size##_t)next();            \
            type##size##x##lanes##x3_t v = load(memory);       \
                                                               \
            for (unsigned k = 0; k < 3; k++) {                 \
                type##size##_t one[lanes];                     \
                                                               \
                memcpy(one, &v.val[k], sizeof(one));           \
                for (unsigned e = 0; e < (lanes); e++)         \
                    sum = sum * 31 + one[e];                   \
            }                                                  \
            v.val[0] += v.val[2];                              \
            store(back, v);                                    \
            for (unsigned k = 0; k < 3 * (lanes); k++)         \
                sum = sum * 33 + back[k];                      \
        }                                                      \
        show(#name);                                           \
    }

STRUCTURES(three_u8x8, uint, 8, 8, vld3_u8, vst3_u8)
STRUCTURES(three_u8x16, uint, 8, 16, vld3q_u8, vst3q_u8)
STRUCTURES(three_u16x4, uint, 16, 4, vld3_u16, vst3_u16)
STRUCTURES(three_u16x8, uint, 16, 8, vld3q_u16, vst3q_u16)
STRUCTURES(three_u32x2, uint, 32, 2, vld3_u32, vst3_u32)
STRUCTURES(three_u32x4, uint, 32, 4, vld3q_u32, vst3q_u32)

static void doubling(void)
{
    unsigned often = 0;

    for (int n = 0; n < ROUNDS; n++) {
        uint8x16_t x = any(), y = n % 5 ? any() : x;
        int16x8_t a = vreinterpretq_s16_u8(x), b = vreinterpretq_s16_u8(y);
        int32x4_t c = vreinterpretq_s32_u8(x), d = vreinterpretq_s32_u8(y);

        add(vreinterpretq_u8_s16(vqdmulhq_s16(a, b)));
        often = often * 3 + saturated();
        add(vreinterpretq_u8_s32(vqdmulhq_s32(c, d)));
        often = often * 3 + saturated();
        add(vreinterpretq_u8_s16(vqrdmulhq_s16(a, b)));
        often = often * 3 + saturated();
        add(vreinterpretq_u8_s32(vqrdmulhq_s32(c, d)));
        often = often * 3 + saturated();
        add_half(vreinterpret_u8_s16(vqdmulh_s16(vget_low_s16(a), vget_high_s16(b))));
        add_half(vreinterpret_u8_s32(vqrdmulh_s32(vget_low_s32(c), vget_high_s32(d))));
        add(vreinterpretq_u8_s16(vqdmulhq_lane_s16(a, vget_low_s16(b), 3)));
        add(vreinterpretq_u8_s32(vqrdmulhq_lane_s32(c, vget_high_s32(d), 1)));
        often = often * 3 + saturated();
        add(vreinterpretq_u8_s32(vqdmull_s16(vget_low_s16(a), vget_low_s16(b))));
        add(vreinterpretq_u8_s64(
            vqdmlal_s32(vreinterpretq_s64_u8(x), vget_low_s32(c), vget_low_s32(d))));
        often = often * 3 + saturated();
    }
    sum ^= often;
    show("doubling products");
}

#ifdef __aarch64__
#define STEP_2(name, text)                                             \
    static uint8x16_t name(uint8x16_t d, uint8x16_t n)                 \
    {                                                                  \
        __asm__(".arch_extension crypto\n\t" text : "+w"(d) : "w"(n)); \
        return d;                                                      \
    }
#define STEP_3(name, text)                                                     \
    static uint8x16_t name(uint8x16_t d, uint8x16_t n, uint8x16_t m)           \
    {                                                                          \
        __asm__(".arch_extension crypto\n\t" text : "+w"(d) : "w"(n), "w"(m)); \
        return d;                                                              \
    }
STEP_2(aese, "aese %0.16b, %1.16b")
STEP_2(aesd, "aesd %0.16b, %1.16b")
STEP_2(aesmc, "aesmc %0.16b, %1.16b")
STEP_2(aesimc, "aesimc %0.16b, %1.16b")
STEP_2(su0, "sha256su0 %0.4s, %1.4s")
STEP_3(su1, "sha256su1 %0.4s, %1.4s, %2.4s")
STEP_3(h, "sha256h %q0, %q1, %2.4s")
STEP_3(h2, "sha256h2 %q0, %q1, %2.4s")

static void ciphers(void)
{
    for (int n = 0; n < ROUNDS; n++) {
        uint8x16_t a = any(), b = any(), c = any(), s, t;

        s = aese(a, b);
        add(aesmc(a, s)); /* one instruction of the host for both */
        add(aesmc(a, c));
        add(s);
        s = aesd(b, c);
        add(aesimc(a, s));
        add(aesimc(b, c));
        add(aese(c, c));
        s = h(a, b, c);
        t = h2(b, a, c);
        add(s);
        add(t);
        add(h(c, s, c));
        add(h2(t, t, a));
        add(su0(a, b));
        add(su1(a, b, c));
        add(su1(b, s, s));
    }
    /* The words of a hash in the host's XMM0, or the result there. */
    for (int n = 0; n < ROUNDS; n++) {
        register uint8x16_t a __asm__("v0") = any();
        register uint8x16_t b __asm__("v1") = any();
        register uint8x16_t c __asm__("v2") = any();

        __asm__(".arch_extension crypto\n\t"
                "sha256h q0, q1, v2.4s\n\tsha256h2 q1, q0, v2.4s\n\tsha256h q2, q1, v0.4s\n\t"
                "sha256su1 v1.4s, v0.4s, v2.4s\n\tsha256su0 v0.4s, v1.4s"
                : "+w"(a), "+w"(b), "+w"(c));
        add(a);
        add(b);
        add(c);
    }
    show("ciphers");
}
#endif

int main(void)
{
    saturated();
    tables();
#ifdef __aarch64__
    wide_tables();
    ciphers();
#endif
    three_u8x8();
    three_u8x16();
    three_u16x4();
    three_u16x8();
    three_u32x2();
    three_u32x4();
    doubling();
    return 0;
}
