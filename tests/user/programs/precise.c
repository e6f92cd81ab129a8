/*
 * A fault within a hot loop: the handler finds all registers, flags and the PC as they are at the
 * instruction, even those that translated code keeps in host registers, and its changes take
 * effect.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define PAGE   4096
#define ROUNDS 400

extern char at_load[], at_store[], at_vector[], at_pair[];

/* Hash of what the handler found, in the order of the faults. */
static uint64_t digest = 1469598103934665603u;
static unsigned faults, wrong;
static uint64_t page;

static void add_to_digest(const void *data, size_t bytes)
{
    for (size_t n = 0; n < bytes; n++)
        digest = (digest ^ ((const uint8_t *)data)[n]) * 1099511628211u;
}

static struct fpsimd_context *fp_of(ucontext_t *u)
{
    struct _aarch64_ctx *c = (void *)u->uc_mcontext.__reserved;

    while (c->magic != FPSIMD_MAGIC)
        c = (void *)((char *)c + c->size);
    return (void *)c;
}

/* Checks registers that the loop computes from the round (x20) alone. */
static void check_registers(const ucontext_t *u, const struct fpsimd_context *fp)
{
    const unsigned long long *x = u->uc_mcontext.regs;
    uint64_t round = x[20];

    for (unsigned n = 0; n < 16; n++)
        wrong += x[n] != round * (n + 3) + n;
    for (unsigned n = 0; n < 32; n++) {
        uint64_t lanes[2];

        memcpy(lanes, &fp->vregs[n], sizeof(lanes));
        wrong += lanes[0] != round + n || lanes[1] != round - n;
    }
    /* cmp x20, #200 */
    wrong += (u->uc_mcontext.pstate >> 31 & 1) != (round < 200);
    wrong += (u->uc_mcontext.pstate >> 30 & 1) != (round == 200);
    wrong += (u->uc_mcontext.pstate >> 29 & 1) != (round >= 200);
    wrong += u->uc_mcontext.pstate >> 28 & 1;
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
    ucontext_t *u = context;
    struct fpsimd_context *fp = fp_of(u);
    uint64_t pc = u->uc_mcontext.pc, flags = u->uc_mcontext.pstate & 0xf0000000;
    uint64_t at = (uint64_t)info->si_addr - page;
    int what[2] = {signal, info->si_code};

    faults++;
    check_registers(u, fp);
    wrong += pc != (uint64_t)at_load && pc != (uint64_t)at_store && pc != (uint64_t)at_vector &&
             pc != (uint64_t)at_pair;
    wrong += u->uc_mcontext.fault_address != (uint64_t)info->si_addr;
    add_to_digest(u->uc_mcontext.regs,
                  17 * sizeof(uint64_t)); /* x0 to x16; the others hold addresses */
    add_to_digest(&u->uc_mcontext.regs[20], 4 * sizeof(uint64_t));
    add_to_digest(&u->uc_mcontext.regs[26], 2 * sizeof(uint64_t));
    add_to_digest(fp->vregs, sizeof(fp->vregs));
    add_to_digest(&flags, sizeof(flags));
    add_to_digest(&at, sizeof(at));
    add_to_digest(what, sizeof(what));
    u->uc_mcontext.pc += 4;
    /* Changes registers that the loop adds up: x16, and lane 1 of v31. */
    u->uc_mcontext.regs[16] ^= faults * UINT64_C(0x0101010101);
    u->uc_mcontext.pstate ^= UINT64_C(1) << 29;
    ((uint64_t *)&fp->vregs[31])[1] ^= faults;
}

#define X(n)                  \
    "mov x17, #" #n " + 3\n"  \
    "mul x" #n ", x20, x17\n" \
    "add x" #n ", x" #n ", #" #n "\n"
#define V(n)                  \
    "add x17, x20, #" #n "\n" \
    "fmov d" #n ", x17\n"     \
    "sub x17, x20, #" #n "\n" \
    "mov v" #n ".d[1], x17\n"
/* Adds the values that the handler left to x21 to x23. */
#define AFTER                     \
    "cset x17, cs\n"              \
    "ror x21, x21, #7\n"          \
    "add x21, x21, x16\n"         \
    "add x22, x17, x22, lsl #1\n" \
    "mov x17, v31.d[1]\n"         \
    "ror x23, x23, #11\n"         \
    "add x23, x23, x17\n"         \
    "sub x17, x20, #31\n"         \
    "mov v31.d[1], x17\n"         \
    "cmp x20, #200\n"

/* good and bad alternate with a period of eight rounds, so that the usual path has no fault. */
static void run_loop(uint64_t *sums, char *good, char *bad)
{
    register uint64_t sum0 __asm__("x21") = 0, sum1 __asm__("x22") = 0, sum2 __asm__("x23") = 0;
    register char *fine __asm__("x24") = good, *fault __asm__("x25") = bad;

    __asm__ volatile(
        "mov x20, #0\n"
        "mov x16, #0\n"
        "mov x27, #0\n"
        "1:\n" X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
            V(0) V(1) V(2) V(3) V(4) V(5) V(6) V(7) V(8) V(9) V(10) V(11) V(12) V(13) V(14) V(15)
                V(16) V(17) V(18) V(19) V(20) V(21) V(22) V(23) V(24) V(25) V(26) V(27) V(28) V(29)
                    V(30) V(31) "tst x20, #7\n"
                                "csel x18, x25, x24, eq\n"
                                "add x19, x18, #4088\n"
                                "mov x26, #77\n"
                                "cmp x20, #200\n"
                                ".globl at_load\nat_load:\n"
                                "ldr x26, [x18, #24]\n" AFTER ".globl at_store\nat_store:\n"
                                "str x3, [x18, #40]\n" AFTER ".globl at_vector\nat_vector:\n"
                                "str q7, [x18, #64]\n" AFTER ".globl at_pair\nat_pair:\n"
                                "ldp x26, x27, [x19]\n" AFTER "add x20, x20, #1\n"
                                "cmp x20, %[rounds]\n"
                                "b.lt 1b\n"
        : "+r"(sum0), "+r"(sum1), "+r"(sum2), "+r"(fine), "+r"(fault)
        : [rounds] "i"(ROUNDS)
        : "memory", "cc", "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11",
          "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x26", "x27", "v0", "v1",
          "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15",
          "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28",
          "v29", "v30", "v31");
    sums[0] = sum0;
    sums[1] = sum1;
    sums[2] = sum2;
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    char *p = mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t sums[3];

    page = (uint64_t)p;
    mprotect(p + 4 * PAGE, PAGE, PROT_NONE);
    mprotect(p + 6 * PAGE, 2 * PAGE, PROT_READ);
    sigaction(SIGSEGV, &action, NULL);
    for (unsigned n = 0; n < 3; n++) {
        /*
         * Pages without read access; pairs whose second page has none; pages without write access.
         */
        static const unsigned bad[] = {4 * PAGE, 3 * PAGE, 6 * PAGE};

        run_loop(sums, p, p + bad[n]);
        printf("%u faults, %u wrong, registers %016lx, sums %016lx %016lx %016lx\n", faults, wrong,
               digest, sums[0], sums[1], sums[2]);
    }
    return 0;
}
