/*
 * Copies by pairs of general registers, which translated code makes by vector registers: loads and
 * stores that fault in their first or their second half, and registers that are read only behind a
 * rare branch, some of them while many vectors are live.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { PAGE = 4096, BYTES = 2 * PAGE, ROUNDS = 2000, PERIOD = 8 };

static uint64_t digest = 1469598103934665603u;
static unsigned faults;
static char *low, *none; /* two pages, and an inaccessible one behind them */

static void add_to_digest(const void *data, size_t bytes)
{
    for (size_t n = 0; n < bytes; n++)
        digest = (digest ^ ((const uint8_t *)data)[n]) * 1099511628211u;
}

/* What the handler finds: the registers that are loaded and stored, where it faults, and memory. */
static void on_fault(int signal, siginfo_t *info, void *context)
{
    ucontext_t *u = context;
    uint64_t at = (uint64_t)((char *)info->si_addr - low);

    (void)signal;
    faults++;
    add_to_digest(&u->uc_mcontext.regs[3], 6 * sizeof(uint64_t));
    add_to_digest(&at, sizeof(at));
    add_to_digest(none - 64, 64);
    u->uc_mcontext.regs[3] += faults;
    u->uc_mcontext.pc += 4;
}

/* Each eighth round has a bad address, so that the usual path has no fault. */
static uint64_t copy(const char *from[PERIOD], char *to[PERIOD], uint64_t rounds)
{
    register uint64_t sum __asm__("x0") = 0, left __asm__("x1") = rounds;
    register const char **source __asm__("x11") = from;
    register char **target __asm__("x12") = to;

    __asm__ volatile("1: and x13, x1, #7\n"
                     "ldr x14, [x11, x13, lsl #3]\n"
                     "ldr x15, [x12, x13, lsl #3]\n"
                     "ldp x3, x4, [x14]\n"
                     "ldp x5, x6, [x14, #-16]!\n"
                     "stp x3, x4, [x15]\n"
                     "stp x5, x6, [x15, #-16]!\n"
                     "ldp x7, x8, [x14], #24\n"
                     "stp x7, x8, [x15, #-24]\n"
                     "tst x1, #0xf\n"
                     "b.ne 2f\n"
                     "eor x0, x3, x0, ror #5\n"
                     "add x0, x0, x4\n"
                     "eor x0, x5, x0, ror #7\n"
                     "add x0, x0, x6, lsl #1\n"
                     "eor x0, x7, x0, ror #9\n"
                     "add x0, x0, x8, lsl #2\n"
                     "2: add x0, x0, x14\n"
                     "subs x1, x1, #1\n"
                     "b.ne 1b\n"
                     : "+r"(sum), "+r"(left)
                     : "r"(source), "r"(target)
                     : "x3", "x4", "x5", "x6", "x7", "x8", "x13", "x14", "x15", "memory", "cc");
    return sum;
}

#define PAIRS(insn, base)                                                                      \
    insn " x2, x3, [" base "]\n" insn " x4, x5, [" base ", #16]\n" insn " x6, x7, [" base      \
         ", #32]\n" insn " x8, x9, [" base ", #48]\n" insn " x10, x11, [" base ", #64]\n" insn \
         " x12, x13, [" base ", #80]\n"
#define VECTORS(f)                                                                          \
    f("16") f("17") f("18") f("19") f("20") f("21") f("22") f("23") f("24") f("25") f("26") \
        f("27") f("28") f("29") f("30") f("31")
#define LOAD(n) "ldr q" n ", [x16], #16\n"
#define ADD(n)  "add v0.2d, v0.2d, v" n ".2d\nadd v" n ".2d, v" n ".2d, v0.2d\n"

/* Pairs that are live together with many vectors. */
static uint64_t copy_all(const uint64_t *from, uint64_t *to, uint64_t rounds)
{
    register uint64_t sum __asm__("x0") = 0, left __asm__("x1") = rounds;
    register const uint64_t *source __asm__("x14") = from;
    register uint64_t *target __asm__("x15") = to;

    __asm__ volatile("mov x16, x14\n"
                     "movi v0.2d, #0\n" VECTORS(LOAD) "1: add x14, x14, #8\n" PAIRS("ldp", "x14")
                         VECTORS(ADD) PAIRS("stp", "x15") "tst x1, #0x1f\n"
                                                          "b.ne 2f\n"
                                                          "sub x14, x14, #256\n"
                                                          "add x0, x0, x2\n"
                                                          "eor x0, x3, x0, ror #3\n"
                                                          "add x0, x0, x4\n"
                                                          "eor x0, x5, x0, ror #5\n"
                                                          "add x0, x0, x7\n"
                                                          "eor x0, x11, x0, ror #9\n"
                                                          "add x0, x0, x12\n"
                                                          "eor x0, x13, x0, ror #11\n"
                                                          "2: subs x1, x1, #1\n"
                                                          "b.ne 1b\n"
                                                          "fmov x2, d0\n"
                                                          "add x0, x0, x2\n"
                     : "+r"(sum), "+r"(left), "+r"(source)
                     : "r"(target)
                     : "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13",
                       "x16", "v0", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24",
                       "v25", "v26", "v27", "v28", "v29", "v30", "v31", "memory", "cc");
    return sum;
}

static void fill(void)
{
    for (int n = 0; n < BYTES; n++)
        low[n] = (char)(n * 7 + n / 256 + 1);
}

/* Copies with one bad source or target, `inside` bytes before the inaccessible page. Others lie
 * over the border of two pages. */
static void copy_at_border(int inside, int bad_source)
{
    const char *from[PERIOD];
    char *to[PERIOD];
    uint64_t sum;

    fill();
    for (int n = 0; n < PERIOD; n++) {
        from[n] = low + 128 + n * 24;
        to[n] = low + 1024 + n * 40;
    }
    from[5] = low + PAGE - inside;
    to[6] = low + PAGE + 128;
    to[7] = low + PAGE - inside;
    if (bad_source)
        from[3] = none - inside;
    else
        to[3] = none - inside;
    sum = copy(from, to, ROUNDS);
    add_to_digest(low, BYTES);
    printf("%d %d: sum %llx, digest %llx, %u faults\n", inside, bad_source, (unsigned long long)sum,
           (unsigned long long)digest, faults);
}

int main(void)
{
    static uint64_t words[512], copies[16];
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};

    low = mmap((void *)0x20000000, BYTES + PAGE, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (low == MAP_FAILED)
        return 1;
    none = low + BYTES;
    mprotect(none, PAGE, PROT_NONE);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    for (int inside = 0; inside <= 16; inside += 4) {
        copy_at_border(inside, 0);
        copy_at_border(inside, 1);
    }
    for (int n = 0; n < 512; n++)
        words[n] = (uint64_t)n * UINT64_C(0x9e3779b97f4a7c15);
    printf("%llx\n", (unsigned long long)copy_all(words, copies, ROUNDS));
    add_to_digest(copies, sizeof(copies));
    printf("%llx\n", (unsigned long long)digest);
    return 0;
}
