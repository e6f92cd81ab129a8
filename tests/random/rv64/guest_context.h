/* A signal's context in RV64GC guests. */
#ifndef TESTS_RANDOM_GUEST_CONTEXT_H
#define TESTS_RANDOM_GUEST_CONTEXT_H

#include <ucontext.h>

#define BREAKPOINT ".option push\n.option norvc\nebreak\n.option pop"
enum { BREAKPOINT_CODE = 0x00100073, BREAKPOINT_BYTES = 4 };

static inline uint64_t context_pc(const ucontext_t *context)
{
    return context->uc_mcontext.__gregs[REG_PC];
}

static inline void context_skip(ucontext_t *context, unsigned bytes)
{
    context->uc_mcontext.__gregs[REG_PC] += bytes;
}

static inline void context_leave(ucontext_t *context)
{
    context->uc_mcontext.__gregs[REG_PC] = CODE + STUB;
}

/*
 * Copies registers between contexts, without the end that QEMU's contexts lack: floating-point
 * registers of twice the width.
 */
static inline void context_copy(ucontext_t *to, const ucontext_t *from)
{
    memcpy(to->uc_mcontext.__gregs, from->uc_mcontext.__gregs, sizeof(to->uc_mcontext.__gregs));
    to->uc_mcontext.__fpregs.__d = from->uc_mcontext.__fpregs.__d;
}

static inline void context_load(ucontext_t *context, const struct state *s)
{
    mcontext_t *m = &context->uc_mcontext;

    for (unsigned n = 1; n < 32; n++)
        m->__gregs[n] = s->x[n];
    m->__gregs[REG_PC] = CODE;
    for (unsigned n = 0; n < 32; n++)
        m->__fpregs.__d.__f[n] = s->f[n];
    m->__fpregs.__d.__fcsr = (unsigned)s->fcsr;
}

static inline void context_save(const ucontext_t *context, struct state *s)
{
    const mcontext_t *m = &context->uc_mcontext;

    *s = (struct state){.fcsr = m->__fpregs.__d.__fcsr};
    for (unsigned n = 1; n < 32; n++)
        s->x[n] = m->__gregs[n];
    for (unsigned n = 0; n < 32; n++)
        s->f[n] = m->__fpregs.__d.__f[n];
}

#include "guest_trap.h"

#endif
