/*
 * General registers hold halves of vector registers whose whole values are used later, after calls
 * of the simulator's functions (conversions from fixed point).
 */
// flags: -marm -mfpu=neon-vfpv4 -O1
#include <stdint.h>
#include <stdio.h>

/*
 * In each round the lanes of D17, D19, D21 and D23 become their distances from D25's lanes. Returns
 * the sum of the lanes that general registers held.
 */
static uint32_t sum_distances(uint64_t lanes[4], const uint64_t *from, unsigned rounds)
{
    uint32_t halves = 0;

    __asm__ volatile("vldr d17, [%2]\n\t"
                     "vldr d19, [%2, #8]\n\t"
                     "vldr d21, [%2, #16]\n\t"
                     "vldr d23, [%2, #24]\n\t"
                     "vldr d25, [%3]\n"
                     "1:\n\t"
                     "vmov r0, r1, d17\n\t"
                     "vmov r2, r3, d19\n\t"
                     "vmov r4, r5, d21\n\t"
                     "vmov r6, r8, d23\n\t"
                     "vcvt.f32.u32 q13, q12, #24\n\t"
                     "vabd.s16 d17, d25, d17\n\t"
                     "vabd.s16 d19, d25, d19\n\t"
                     "vabd.s16 d21, d25, d21\n\t"
                     "vabd.s16 d23, d25, d23\n\t"
                     "add %0, r0, %0, ror #1\n\t"
                     "add %0, r1, %0, ror #1\n\t"
                     "add %0, r2, %0, ror #1\n\t"
                     "add %0, r3, %0, ror #1\n\t"
                     "add %0, r4, %0, ror #1\n\t"
                     "add %0, r5, %0, ror #1\n\t"
                     "add %0, r6, %0, ror #1\n\t"
                     "add %0, r8, %0, ror #1\n\t"
                     "subs %1, %1, #1\n\t"
                     "bne 1b\n\t"
                     "vstr d17, [%2]\n\t"
                     "vstr d19, [%2, #8]\n\t"
                     "vstr d21, [%2, #16]\n\t"
                     "vstr d23, [%2, #24]"
                     : "+&r"(halves), "+&r"(rounds)
                     : "r"(lanes), "r"(from)
                     : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r8", "cc", "q8", "q9", "q10",
                       "q11", "q12", "q13", "memory");
    return halves;
}

int main(void)
{
    uint64_t lanes[4] = {UINT64_C(0x41b8800001e09001), UINT64_C(0x0123456789abcdef), 2, 3};
    uint64_t from = UINT64_C(0x9e3779b97f4a7c15);

    for (uint32_t n = 0; n < 50; n++) {
        printf("%08x", sum_distances(lanes, &from, 4));
        for (uint32_t k = 0; k < 4; k++)
            printf(" %016llx", (unsigned long long)lanes[k]);
        printf("\n");
        from = from << 1 ^ from >> 63;
    }
    return 0;
}
