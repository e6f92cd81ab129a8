/*
 * Newton's steps for reciprocals and reciprocal square roots, in a loop that is translated: special
 * numbers, numbers near a step's root and random ones, with FPSCR's bits that AArch32's Advanced
 * SIMD has no use for, and with the flag for inexact results clear and set before. All of the flags
 * are a part of the result.
 */
// flags: -O1
#include <arm_neon.h>
#include <stdint.h>
#include <stdio.h>

static uint64_t hash = 1;
static uint32_t state = 1;

static void mix(uint32_t v)
{
    hash = (hash ^ v) * UINT64_C(0x9e3779b97f4a7c15);
    hash ^= hash >> 29;
}

static uint32_t random32(void)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

static uint32_t a_number(void)
{
    static const uint32_t special[] = {0x00000000, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00001,
                                       0x7f800001, 0x3f800000, 0x40000000, 0x40400000, 0x00800000,
                                       0x00000001, 0x7f7fffff, 0x1f800000, 0x5f000000, 0x3fffffff,
                                       0x20000000, 0x00ffffff};
    enum { SPECIAL = sizeof(special) / sizeof(special[0]) };
    unsigned n = random32() % 30;

    if (n < SPECIAL)
        return special[n];
    return n < SPECIAL + 7 ? (random32() & 0x807fffff) | (120 + random32() % 14) << 23 : random32();
}

static void set_state(uint32_t control, uint32_t flags)
{
#ifdef __aarch64__
    __asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %1" ::"r"((uint64_t)control), "r"((uint64_t)flags));
#else
    __asm__ volatile("vmsr fpscr, %0" ::"r"(control | flags));
#endif
}

static uint32_t flags_now(void)
{
#ifdef __aarch64__
    uint64_t flags;

    __asm__ volatile("mrs %0, fpsr" : "=r"(flags));
#else
    uint32_t flags;

    __asm__ volatile("vmrs %0, fpscr" : "=r"(flags));
#endif
    return (uint32_t)flags;
}

/* Both steps, between the settings of flags before and the look at them behind. */
static void step(uint32x4_t a, uint32x4_t b, uint32x4_t *r, uint32x4_t *s)
{
#ifdef __aarch64__
    __asm__ volatile("frecps %0.4s, %2.4s, %3.4s\n\tfrsqrts %1.4s, %2.4s, %3.4s"
                     : "=&w"(*r), "=&w"(*s)
                     : "w"(a), "w"(b));
#else
    __asm__ volatile("vrecps.f32 %q0, %q2, %q3\n\tvrsqrts.f32 %q1, %q2, %q3"
                     : "=&w"(*r), "=&w"(*s)
                     : "w"(a), "w"(b));
#endif
}

int main(void)
{
    static const uint32_t controls[] = {0, 0x01000000, 0x02000000, 0x00400000, 0x00c00000};

    for (unsigned c = 0; c < sizeof(controls) / sizeof(controls[0]); c++) {
        for (unsigned round = 0; round < 3000; round++) {
            uint32_t a[4], b[4];
            uint32x4_t r, s;

            for (unsigned k = 0; k < 4; k++) {
                a[k] = a_number();
                b[k] = a_number();
            }
            set_state(controls[c], round & 1 ? 0x10 : 0);
            step(vld1q_u32(a), vld1q_u32(b), &r, &s);
            mix(flags_now());
            for (unsigned k = 0; k < 4; k++) {
                mix(r[k]);
                mix(s[k]);
            }
        }
        set_state(0, 0);
        printf("%08x %016llx\n", (unsigned)controls[c], (unsigned long long)hash);
    }
    return 0;
}
