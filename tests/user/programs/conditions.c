/*
 * Each condition after comparisons of numbers at the edges, of 32 and of 64 bits: as a value, as a
 * choice, as a branch, with constants, and read after a branch that has nothing to do with it. So
 * each comparison of the translators, and each of a host, is wrong for some pair if it is another
 * one.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { CONDITIONS = 14, PASSES = 3 };

static const char *const names[] = {"eq", "ne", "hs", "lo", "mi", "pl", "vs",
                                    "vc", "hi", "ls", "ge", "lt", "gt", "le"};

static const uint64_t edges[] = {
    0,
    1,
    2,
    4095,
    0x7ffffffe,
    0x7fffffff,
    0x80000000,
    0x80000001,
    0xffffefff,
    0xffffffff,
    0x100000000,
    0x7fffffffffffffff,
    0x8000000000000000,
    0x8000000000000001,
    0xfffffffffffffffe,
    0xffffffffffffffff,
};

enum { EDGES = sizeof(edges) / sizeof(edges[0]) };

#define EACH(M) \
    M(eq, 0)    \
    M(ne, 1)    \
    M(hs, 2)    \
    M(lo, 3)    \
    M(mi, 4)    \
    M(pl, 5) M(vs, 6) M(vc, 7) M(hi, 8) M(ls, 9) M(ge, 10) M(lt, 11) M(gt, 12) M(le, 13)

/* What is done by a condition: stores whether it holds. */
#define VALUE(cc, n)  "cset w9, " #cc "\n\tstrb w9, [%0, #" #n "]\n\t"
#define CHOICE(cc, n) "csel w9, %w3, wzr, " #cc "\n\tstrb w9, [%0, #" #n "]\n\t"
#define BRANCH(cc, n) "b." #cc " 1f\n\tstrb wzr, [%0, #" #n "]\n1:\n\t"

/* The same with a comparison before each. */
#define VALUE_X(cc, n)  "cmp %1, %2\n\t" VALUE(cc, n)
#define VALUE_W(cc, n)  "cmp %w1, %w2\n\t" VALUE(cc, n)
#define CHOICE_X(cc, n) "cmp %1, %2\n\t" CHOICE(cc, n)
#define CHOICE_W(cc, n) "cmp %w1, %w2\n\t" CHOICE(cc, n)
#define BRANCH_X(cc, n) "cmp %1, %2\n\t" BRANCH(cc, n)
#define BRANCH_W(cc, n) "cmp %w1, %w2\n\t" BRANCH(cc, n)
#define CONST_X(cc, n)  "cmp %1, #1\n\t" BRANCH(cc, n)
#define CONST_W(cc, n)  "cmn %w1, #1\n\t" BRANCH(cc, n)
/* The branch on W4 leaves a trace that went the other way. */
#define LATER_X(cc, n) "cmp %1, %2\n\tcbz %w4, 1f\n\teor x10, x10, x11\n1:\n\t" VALUE(cc, n)
#define LATER_W(cc, n) "cmp %w1, %w2\n\tcbz %w4, 1f\n\teor x10, x10, x11\n1:\n\t" VALUE(cc, n)

#define FORM(name, M)                                                                             \
    __attribute__((noinline)) static void name(uint8_t *out, uint64_t a, uint64_t b, uint64_t go) \
    {                                                                                             \
        __asm__ volatile(EACH(M)                                                                  \
                         :                                                                        \
                         : "r"(out), "r"(a), "r"(b), "r"(1), "r"(go)                              \
                         : "x9", "x10", "x11", "cc", "memory");                                   \
    }

FORM(value_x, VALUE_X)
FORM(value_w, VALUE_W)
FORM(choice_x, CHOICE_X)
FORM(choice_w, CHOICE_W)
FORM(branch_x, BRANCH_X)
FORM(branch_w, BRANCH_W)
FORM(const_x, CONST_X)
FORM(const_w, CONST_W)
FORM(later_x, LATER_X)
FORM(later_w, LATER_W)

static const struct {
    const char *name;
    void (*form)(uint8_t *out, uint64_t a, uint64_t b, uint64_t go);
} forms[] = {
    {"value x", value_x},   {"value w", value_w},   {"choice x", choice_x}, {"choice w", choice_w},
    {"branch x", branch_x}, {"branch w", branch_w}, {"const x", const_x},   {"const w", const_w},
    {"later x", later_x},   {"later w", later_w},
};

/* For each condition a bit for each second number. */
static void run(unsigned form, uint64_t a, uint64_t held[CONDITIONS])
{
    uint8_t out[CONDITIONS];

    memset(held, 0, CONDITIONS * sizeof(held[0]));
    for (unsigned b = 0; b < EDGES; b++) {
        memset(out, 1, sizeof(out));
        forms[form].form(out, a, edges[b], b % 3 != 0);
        for (unsigned n = 0; n < CONDITIONS; n++)
            held[n] |= (uint64_t)out[n] << b;
    }
}

int main(void)
{
    uint64_t held[CONDITIONS];

    for (unsigned form = 0; form < sizeof(forms) / sizeof(forms[0]); form++) {
        for (unsigned pass = 0; pass < PASSES; pass++) {
            for (unsigned a = 0; a < EDGES; a++) {
                run(form, edges[a], held);
                printf("%s %u %016" PRIx64 ":", forms[form].name, pass, edges[a]);
                for (unsigned n = 0; n < CONDITIONS; n++)
                    printf(" %s %04" PRIx64, names[n], held[n]);
                printf("\n");
            }
        }
    }
    return 0;
}
