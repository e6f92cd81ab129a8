/* A signal's context in A32 and T32 guests: registers, and how to skip an instruction. */
#ifndef TESTS_RANDOM_GUEST_CONTEXT_H
#define TESTS_RANDOM_GUEST_CONTEXT_H

#include <ucontext.h>

/* The program is compiled for the instruction set of its sequences. */
#define BREAKPOINT "bkpt #0"
#ifdef RANDOM_T32
enum { BREAKPOINT_CODE = 0xbe00, BREAKPOINT_BYTES = 2 };
#else
#define BREAKPOINT_CODE 0xe1200070u
enum { BREAKPOINT_BYTES = 4 };
#endif

#define CPSR_FLAGS 0xf80f0000u
#define CPSR_IT    0x0600fc00u

/* struct vfp_sigframe in uc_regspace. */
struct vfp {
    uint32_t magic, size;
    uint64_t d[32];
    uint32_t fpscr;
};

static inline struct vfp *context_vfp(const ucontext_t *context)
{
    return (struct vfp *)(uintptr_t)context->uc_regspace;
}

static inline uint64_t context_pc(const ucontext_t *context)
{
    return context->uc_mcontext.arm_pc;
}

/* The IT block continues after the skipped instruction (A2.5.2). */
static inline void context_skip(ucontext_t *context, unsigned bytes)
{
    mcontext_t *m = &context->uc_mcontext;
    uint32_t it = (m->arm_cpsr >> 25 & 3) | (m->arm_cpsr >> 8 & 0xfc);

    it = it & 7 ? (it & 0xe0) | (it << 1 & 0x1f) : 0;
    m->arm_cpsr = (m->arm_cpsr & ~CPSR_IT) | (it & 3) << 25 | (it & 0xfc) << 8;
    m->arm_pc += bytes;
}

static inline void context_leave(ucontext_t *context)
{
    context->uc_mcontext.arm_pc = CODE + STUB;
    context->uc_mcontext.arm_cpsr &= ~CPSR_IT;
}

/* Copies registers between contexts. */
static inline void context_copy(ucontext_t *to, const ucontext_t *from)
{
    to->uc_mcontext = from->uc_mcontext;
    *context_vfp(to) = *context_vfp(from);
}

static inline void context_load(ucontext_t *context, const struct state *s)
{
    mcontext_t *m = &context->uc_mcontext;

    memcpy(&m->arm_r0, s->r, sizeof(s->r));
    m->arm_pc = CODE;
    m->arm_cpsr = (m->arm_cpsr & ~CPSR_FLAGS) | s->cpsr;
    memcpy(context_vfp(context)->d, s->d, sizeof(s->d));
    context_vfp(context)->fpscr = s->fpscr;
}

static inline void context_save(const ucontext_t *context, struct state *s)
{
    const mcontext_t *m = &context->uc_mcontext;

    *s = (struct state){.cpsr = m->arm_cpsr & CPSR_FLAGS, .fpscr = context_vfp(context)->fpscr};
    memcpy(s->r, &m->arm_r0, sizeof(s->r));
    memcpy(s->d, context_vfp(context)->d, sizeof(s->d));
}

#include "guest_trap.h"

#endif
