/* System operations that EL0 may use: registers, caches, alignment, exclusives. */
#include <fenv.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define READ(name)                                        \
    ({                                                    \
        uint64_t value_;                                  \
        __asm__ volatile("mrs %0, " name : "=r"(value_)); \
        value_;                                           \
    })

static char block[4096] __attribute__((aligned(4096)));

int main(void)
{
    uint64_t first = READ("cntvct_el0"), second, value = 5, status;
    volatile double zero = 0, third = 3, one = 1;
    volatile float small = 1e-38f;
    char *p = block + 100;

    for (volatile int n = 0; n < 100000; n++)
        ;
    second = READ("cntvct_el0");
    printf("counter runs %d, dczid %lx, frequency %d\n", second > first, READ("dczid_el0"),
           READ("cntfrq_el0") != 0);
    printf("lines %lu %lu\n", READ("ctr_el0") & 15, READ("ctr_el0") >> 16 & 15);
    memset(block, 1, sizeof(block));
    __asm__ volatile("dc zva, %0" : : "r"(p) : "memory");
    printf("zva %d %d %d %d\n", block[63], block[64], block[127], block[128]);
    __asm__ volatile("dc civac, %0\n dc cvau, %0\n dsb ish\n ic ivau, %0\n isb" : : "r"(p));
    memcpy(p + 1, &value, 8);
    __asm__ volatile("ldr %0, [%1, #1]" : "=r"(value) : "r"(p));
    printf("unaligned %lu\n", value);
    __asm__ volatile("ldxr %0, [%2]\n add %0, %0, #1\n stxr %w1, %0, [%2]"
                     : "=&r"(value), "=&r"(status)
                     : "r"(block)
                     : "memory");
    printf("exclusive %lx %lu\n", value, status & 1);
    __asm__ volatile("clrex\n stxr %w0, %1, [%2]" : "=&r"(status) : "r"(value), "r"(block));
    printf("without load %lu\n", status & 1);
    __asm__ volatile("sevl\n wfe\n yield\n hint #20\n dmb ish\n nop");
    for (int mode = 0; mode < 4; mode++) {
        static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

        fesetround(modes[mode]);
        printf("%a %a %ld\n", one / third, -one / third, lrint(2.5 * one));
    }
    fesetround(FE_TONEAREST);
    feclearexcept(FE_ALL_EXCEPT);
    printf("%f %d\n", one / zero, fetestexcept(FE_ALL_EXCEPT));
    printf("%f %d\n", sqrt(-one), fetestexcept(FE_ALL_EXCEPT));
    printf("%g %d\n", small * small, fetestexcept(FE_ALL_EXCEPT));
    printf("fpcr %lx\n", READ("fpcr"));
    return 0;
}
