/*
 * The signal frames of 32-bit Arm Linux: arch/arm/include/uapi/asm/sigcontext.h,
 * arch/arm/include/asm/ucontext.h. A handler with SA_SIGINFO gets siginfo and ucontext, any other
 * handler only ucontext.
 */
#include <string.h>

#include "runtime/base/bits.h"
#include "runtime/user/abi_arm.h"
#include "runtime/user/user.h"

#define VFP_MAGIC 0x56465001u

struct vfp {
    uint32_t magic, size;
    uint64_t d[32];
    uint32_t fpscr, pad;
    uint32_t exceptions[3]; /* FPEXC, FPINST, FPINST2 */
    uint32_t pad2;
};
_Static_assert(sizeof(struct vfp) == 288, "VFP_STORAGE_SIZE");

struct context {
    uint32_t flags, link;
    uint32_t alt[3]; /* stack_t */
    /* struct sigcontext */
    uint32_t trap, error, old_mask;
    uint32_t r[15], pc, cpsr, fault_address;
    /* rest of struct ucontext; sigset_t may grow to 1024 bits */
    uint32_t mask[2], unused[30];
    union {
        uint32_t space[128]; /* uc_regspace */
        struct vfp vfp;      /* a zero word behind it ends the list */
    } __attribute__((aligned(8)));
    uint32_t code[4];
};
_Static_assert(offsetof(struct context, trap) == 20, "ucontext.uc_mcontext");
_Static_assert(offsetof(struct context, mask) == 20 + 84, "ucontext.uc_sigmask");
_Static_assert(offsetof(struct context, space) == 232, "ucontext.uc_regspace");

struct frame {
    uint8_t info[SIGINFO_BYTES];
    struct context context;
};

/* ---- into a handler ----------------------------------------------------------------------------- */

static void save_context(struct thread *t, const struct user_frame *frame, struct context *c)
{
    struct cpu *cpu = t->cpu;

    layout_to_guest(&layout_stack, guest_widths(t), c->alt, &frame->alt);
    memcpy(c->mask, &frame->mask, sizeof(c->mask));
    c->old_mask = c->mask[0];
    for (unsigned n = 0; n < ARRAY_SIZE(c->r); n++)
        c->r[n] = *arm_r(cpu, n);
    c->pc = (uint32_t)cpu_pc(cpu);
    c->cpsr = arm_get_cpsr(cpu);
    c->fault_address = (uint32_t)frame->fault_address;
    c->vfp.magic = VFP_MAGIC;
    c->vfp.size = sizeof(c->vfp);
    for (unsigned n = 0; n < ARRAY_SIZE(c->vfp.d); n++)
        c->vfp.d[n] = *arm_d(cpu, n);
    c->vfp.fpscr = arm_get_fpscr(cpu);
    c->vfp.exceptions[0] = ARM_FPEXC_ON;
}

static void push(struct thread *t, const struct user_frame *frame, void *to, uint64_t at)
{
    struct cpu *cpu = t->cpu;

    if (frame->with_info)
        layout_put_siginfo(guest_widths(t), to, frame->info);
    save_context(t, frame, (void *)((uint8_t *)to + (frame->with_info ? SIGINFO_BYTES : 0)));

    *arm_r(cpu, 0) = (uint32_t)frame->signal;
    if (frame->with_info) {
        *arm_r(cpu, 1) = (uint32_t)at;
        *arm_r(cpu, 2) = (uint32_t)at + SIGINFO_BYTES;
    }
    *arm_r(cpu, ARM_LR) =
        frame->restorer ? (uint32_t)frame->restorer : arm_return_code(frame->with_info);
    arm_set_cpsr(cpu, arm_get_cpsr(cpu) & ~ARM_CPSR_IT);
}

/* ---- and back ----------------------------------------------------------------------------------- */

static bool pop(struct thread *t, bool with_info, const void *from, uint64_t *mask, stack_t *alt)
{
    struct cpu *cpu = t->cpu;
    const struct context *c =
        (const void *)((const uint8_t *)from + (with_info ? SIGINFO_BYTES : 0));

    if ((c->cpsr & ARM_CPSR_MODE) != ARM_USER_MODE || c->vfp.magic != VFP_MAGIC ||
        c->vfp.size != sizeof(c->vfp))
        return false;
    memcpy(mask, c->mask, sizeof(*mask));
    if (with_info)
        layout_to_host(&layout_stack, guest_widths(t), c->alt, alt);
    for (unsigned n = 0; n < ARRAY_SIZE(c->r); n++)
        *arm_r(cpu, n) = c->r[n];
    arm_set_cpsr(cpu, c->cpsr);
    cpu_set_pc(cpu, c->pc);
    for (unsigned n = 0; n < ARRAY_SIZE(c->vfp.d); n++)
        *arm_d(cpu, n) = c->vfp.d[n];
    arm_set_fpscr(cpu, c->vfp.fpscr);
    return true;
}

const struct user_frames arm_frames = {
    .bytes = {sizeof(struct context), sizeof(struct frame)},
    .align = 8,
    .push = push,
    .pop = pop,
};
