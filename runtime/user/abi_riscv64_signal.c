/*
 * The signal frame of Linux/riscv64: arch/riscv/include/uapi/asm/sigcontext.h and ucontext.h. From
 * low to high addresses: siginfo, and ucontext with the registers.
 */
#include <string.h>

#include "runtime/base/bits.h"
#include "runtime/user/abi_riscv64.h"
#include "runtime/user/user.h"

struct frame {
    uint8_t info[SIGINFO_BYTES];
    /* struct ucontext */
    uint64_t flags, link;
    stack_t alt;
    uint64_t mask;
    uint8_t unused[120]; /* sigset_t may grow to 1024 bits */
    uint64_t pad;        /* aligns struct sigcontext to 16 bytes */
    /* struct sigcontext; x[0] holds the PC */
    uint64_t x[32];
    union {
        struct {
            uint64_t f[32];
            uint32_t fcsr;
        };
        uint8_t quad[528]; /* size of the union in Linux, for quad precision */
    };
};
_Static_assert(offsetof(struct frame, x) == 128 + 176, "ucontext.uc_mcontext");
_Static_assert(sizeof(struct frame) == 128 + 176 + 256 + 528, "struct rt_sigframe");

enum { CALL_SIGRETURN = 139 };

void riscv64_fill_page(void *page)
{
    static const uint32_t code[] = {
        0x00000893u | CALL_SIGRETURN << 20, /* li a7, CALL_SIGRETURN */
        0x00000073u,                        /* ecall */
    };

    memcpy(page, code, sizeof(code));
}

static void push(struct thread *t, const struct user_frame *frame, void *to, uint64_t at)
{
    struct cpu *cpu = t->cpu;
    struct frame *f = to;

    layout_put_siginfo(guest_widths(t), f->info, frame->info);
    f->alt = frame->alt;
    f->mask = frame->mask;
    f->x[0] = cpu_pc(cpu);
    for (unsigned n = 1; n < ARRAY_SIZE(f->x); n++)
        f->x[n] = *riscv64_x(cpu, n);
    for (unsigned n = 0; n < ARRAY_SIZE(f->f); n++)
        f->f[n] = *riscv64_f(cpu, n);
    f->fcsr = (uint32_t)(cpu_register_get(cpu, "FRM") << 5 | cpu_register_get(cpu, "FFLAGS"));

    *riscv64_x(cpu, RISCV64_A0) = (uint64_t)frame->signal;
    *riscv64_x(cpu, RISCV64_A0 + 1) = at;
    *riscv64_x(cpu, RISCV64_A0 + 2) = at + offsetof(struct frame, flags);
    *riscv64_x(cpu, RISCV64_RA) = t->process->sigpage;
}

static bool pop(struct thread *t, bool with_info, const void *from, uint64_t *mask, stack_t *alt)
{
    enum { FLAGS = 31, ROUNDING = 7 };
    struct cpu *cpu = t->cpu;
    const struct frame *f = from;

    (void)with_info; /* every frame has siginfo */
    *mask = f->mask;
    *alt = f->alt;
    cpu_set_pc(cpu, f->x[0]);
    for (unsigned n = 1; n < ARRAY_SIZE(f->x); n++)
        *riscv64_x(cpu, n) = f->x[n];
    for (unsigned n = 0; n < ARRAY_SIZE(f->f); n++)
        *riscv64_f(cpu, n) = f->f[n];
    cpu_register_set(cpu, "FFLAGS", f->fcsr & FLAGS);
    cpu_register_set(cpu, "FRM", f->fcsr >> 5 & ROUNDING);
    return true;
}

const struct user_frames riscv64_frames = {
    .bytes = {sizeof(struct frame), sizeof(struct frame)},
    .align = 16,
    .push = push,
    .pop = pop,
};
