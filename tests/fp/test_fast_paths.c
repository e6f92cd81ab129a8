/*
 * The inlined functions of fp_inline.h against the same functions without a fast path, under
 * every FPCR and with IXC clear and set. It is built twice, once for a host with fused
 * instructions.
 *
 *   test_fast_paths [CASES [SEED]]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "gencc/referee/operands.h"
#include "runtime/fp/fp_inline.h"

static long failures;

struct result {
    uint64_t value;
    uint32_t fpsr;
};

static void report_difference(const char *name, const uint64_t in[3], uint32_t fpcr,
                              uint32_t before, struct result fast, struct result slow)
{
    if (fast.value == slow.value && fast.fpsr == slow.fpsr)
        return;
    if (failures++ < 20)
        printf("%s(%" PRIx64 ", %" PRIx64 ", %" PRIx64 ") fpcr %08x fpsr %x: fast %" PRIx64
               " %x, slow %" PRIx64 " %x\n",
               name, in[0], in[1], in[2], fpcr, before, fast.value, fast.fpsr, slow.value,
               slow.fpsr);
}

/* Calls name##_inline and name##_slow with equal arguments, the last two being FPCR and FPSR. */
#define SAME(name, ...)                                            \
    do {                                                           \
        struct result fast = {.fpsr = fpsr}, slow = fast;          \
        fast.value = name##_inline(__VA_ARGS__, fpcr, &fast.fpsr); \
        slow.value = name##_slow(__VA_ARGS__, fpcr, &slow.fpsr);   \
        report_difference(#name, in, fpcr, fpsr, fast, slow);      \
    } while (0)
#define SAME_BINARY(W, op)    SAME(fp##W##_##op, (uint##W##_t)in[0], (uint##W##_t)in[1]);
#define SAME_TO(W, sign, M)   SAME(fp##W##_to_##sign##M, (uint##W##_t)in[0], fbits, rmode);
#define SAME_FROM(W, sign, M) SAME(fp##W##_from_##sign##M, (uint##M##_t)in[0], fbits);

#define DEFINE_WIDTH(W)                                                                     \
    static void arithmetic##W(const uint64_t in[3], uint32_t fpcr, uint32_t fpsr)           \
    {                                                                                       \
        FP_FAST_BINARY(SAME_BINARY, W)                                                      \
        FP_FAST_COMPARE(SAME_BINARY, W)                                                     \
        SAME(fp##W##_sqrt, (uint##W##_t)in[0]);                                             \
        SAME(fp##W##_muladd, (uint##W##_t)in[2], (uint##W##_t)in[0], (uint##W##_t)in[1]);   \
    }                                                                                       \
                                                                                            \
    static void integers##W(struct random *random, uint32_t fpcr, uint32_t fpsr)            \
    {                                                                                       \
        uint64_t in[3] = {random_integral(random, W), 0, 0};                                \
        uint32_t fbits = random_below(random, 4) ? 0 : random_below(random, 65);            \
        uint32_t rmode = random_below(random, 2) ? FP_ROUND_ZERO : random_below(random, 5); \
                                                                                            \
        FP_FAST_INTEGERS(SAME_TO, W)                                                        \
        in[0] = random_integer(random);                                                     \
        FP_FAST_INTEGERS(SAME_FROM, W)                                                      \
    }
DEFINE_WIDTH(32)
DEFINE_WIDTH(64)

static void compare_conversions(struct random *random, uint32_t fpcr, uint32_t fpsr)
{
    uint64_t in[3] = {random_narrow(random, 64), 0, 0};

    SAME(fp64_to_fp32, in[0]);
    random_floats(random, 32, in);
    SAME(fp32_to_fp64, (uint32_t)in[0]);
}

int main(int argc, char **argv)
{
    uint32_t cases = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 0) : 1000000;
    struct random random = {argc > 2 ? strtoull(argv[2], NULL, 0) : 1};

    printf("seed %" PRIu64 ", %u cases\n", random.state, cases);
    for (uint32_t i = 0; i < cases; i++) {
        uint32_t fpcr =
            random_below(&random, 2)
                ? 0
                : (uint32_t)random_next(&random) &
                      (FP_CONTROL_ROUND | FP_CONTROL_FLUSH | FP_CONTROL_DEFAULT_NAN |
                       FP_CONTROL_ALTERNATIVE_HALF | FP_CONTROL_TIES_AWAY | FP_CONTROL_TINY_AFTER);
        uint32_t fpsr = random_below(&random, 2) ? FP_FLAG_INEXACT : 0;
        uint64_t in[3];

        random_floats(&random, 32, in);
        arithmetic32(in, fpcr, fpsr);
        random_floats(&random, 64, in);
        arithmetic64(in, fpcr, fpsr);
        integers32(&random, fpcr, fpsr);
        integers64(&random, fpcr, fpsr);
        compare_conversions(&random, fpcr, fpsr);
    }
    printf("%ld differences\n", failures);
    return failures != 0;
}
