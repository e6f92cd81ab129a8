/*
 * The signal frame of Linux/arm64: arch/arm64/include/uapi/asm/sigcontext.h and ucontext.h. From
 * low to high addresses: siginfo, ucontext with the registers, and a frame record. By the frame
 * record, debuggers unwind to the interrupted function.
 */
#include <string.h>

#include "runtime/base/bits.h"
#include "runtime/user/abi_aarch64.h"
#include "runtime/user/user.h"

#define FPSIMD_MAGIC 0x46508001u

struct context_head {
    uint32_t magic, size;
};

struct fpsimd_context {
    struct context_head head;
    uint32_t fpsr, fpcr;
    uint8_t v[32][16];
};

struct frame {
    siginfo_t info;
    /* struct ucontext */
    uint64_t flags, link;
    stack_t alt;
    uint64_t mask;
    uint8_t unused[120]; /* sigset_t may grow to 1024 bits */
    uint64_t pad;        /* aligns struct sigcontext to 16 bytes */
    /* struct sigcontext */
    uint64_t fault_address, x[31], sp, pc, pstate;
    uint64_t pad2;
    union {
        uint8_t reserved[4096];
        struct fpsimd_context fpsimd; /* a head of zeros behind it ends the list */
    };
    /* the frame record */
    uint64_t fp, lr;
};
_Static_assert(offsetof(struct frame, fault_address) == 128 + 176, "ucontext.uc_mcontext");
_Static_assert(offsetof(struct frame, reserved) == 128 + 176 + 288, "sigcontext.__reserved");
_Static_assert(sizeof(struct frame) == 128 + 176 + 288 + 4096 + 16, "struct rt_sigframe_user");

enum { FRAME_POINTER = 29, LINK = 30, CALL_SIGRETURN = 139 };

void aarch64_fill_page(void *page)
{
    static const uint32_t code[] = {
        0xd2800008u | CALL_SIGRETURN << 5, /* mov x8, #CALL_SIGRETURN */
        0xd4000001u,                       /* svc #0 */
    };

    memcpy(page, code, sizeof(code));
}

static void push(struct thread *t, const struct user_frame *frame, void *to, uint64_t at)
{
    struct cpu *cpu = t->cpu;
    struct frame *f = to;

    f->info = *frame->info;
    f->alt = frame->alt;
    f->mask = frame->mask;
    f->fault_address = frame->fault_address;
    for (unsigned n = 0; n < ARRAY_SIZE(f->x); n++)
        f->x[n] = *aarch64_x(cpu, n);
    f->sp = user_stack_pointer(cpu);
    f->pc = cpu_pc(cpu);
    f->pstate = cpu_register_get(cpu, "NZCV");
    f->fpsimd.head = (struct context_head){FPSIMD_MAGIC, sizeof(f->fpsimd)};
    f->fpsimd.fpsr = (uint32_t)cpu_register_get(cpu, "FPSR");
    f->fpsimd.fpcr = (uint32_t)cpu_register_get(cpu, "FPCR");
    for (unsigned n = 0; n < ARRAY_SIZE(f->fpsimd.v); n++)
        memcpy(f->fpsimd.v[n], aarch64_v(cpu, n), sizeof(f->fpsimd.v[n]));
    f->fp = f->x[FRAME_POINTER];
    f->lr = f->x[LINK];

    *aarch64_x(cpu, 0) = (uint64_t)frame->signal;
    if (frame->with_info) {
        *aarch64_x(cpu, 1) = at;
        *aarch64_x(cpu, 2) = at + offsetof(struct frame, flags);
    }
    *aarch64_x(cpu, FRAME_POINTER) = at + offsetof(struct frame, fp);
    *aarch64_x(cpu, LINK) = frame->restorer ? frame->restorer : t->process->sigpage;
}

/* Restores the FP registers from the list, which the handler may have changed. */
static bool pop_fpsimd(struct cpu *cpu, const struct frame *f)
{
    size_t at = 0;

    while (at + sizeof(struct context_head) <= sizeof(f->reserved)) {
        struct fpsimd_context c;

        memcpy(&c.head, f->reserved + at, sizeof(c.head));
        if (!c.head.magic)
            return false;
        if (c.head.size < sizeof(c.head) || c.head.size % 16 ||
            c.head.size > sizeof(f->reserved) - at)
            return false;
        if (c.head.magic == FPSIMD_MAGIC && c.head.size == sizeof(c)) {
            memcpy(&c, f->reserved + at, sizeof(c));
            cpu_register_set(cpu, "FPSR", c.fpsr);
            cpu_register_set(cpu, "FPCR", c.fpcr);
            for (unsigned n = 0; n < ARRAY_SIZE(c.v); n++)
                memcpy(aarch64_v(cpu, n), c.v[n], sizeof(c.v[n]));
            return true;
        }
        at += c.head.size;
    }
    return false;
}

static bool pop(struct thread *t, bool with_info, const void *from, uint64_t *mask, stack_t *alt)
{
    /* PSTATE bits that a handler must not set: any state but EL0 in 64-bit state. */
    enum { MODE_BITS = 0x3df };
    struct cpu *cpu = t->cpu;
    const struct frame *f = from;

    (void)with_info; /* every frame has siginfo */
    if ((f->pstate & MODE_BITS) || !pop_fpsimd(cpu, f))
        return false;
    *mask = f->mask;
    *alt = f->alt;
    for (unsigned n = 0; n < ARRAY_SIZE(f->x); n++)
        *aarch64_x(cpu, n) = f->x[n];
    user_set_stack_pointer(cpu, f->sp);
    cpu_set_pc(cpu, f->pc);
    cpu_register_set(cpu, "NZCV", f->pstate);
    return true;
}

const struct user_frames aarch64_frames = {
    .bytes = {sizeof(struct frame), sizeof(struct frame)},
    .align = 16,
    .push = push,
    .pop = pop,
};
