/* A64 in the guest's signal handler. Sequences are entered and left by guest_run.S. */
#ifndef TESTS_RANDOM_GUEST_CONTEXT_H
#define TESTS_RANDOM_GUEST_CONTEXT_H

#include <ucontext.h>

extern struct state guest_state;
void run_sequence(void);
void sequence_end(void);

static inline uint64_t context_pc(const ucontext_t *context)
{
    return context->uc_mcontext.pc;
}

static inline void context_skip(ucontext_t *context, unsigned bytes)
{
    context->uc_mcontext.pc += bytes;
}

static inline void context_leave(ucontext_t *context)
{
    context->uc_mcontext.pc = CODE + STUB;
}

/* Whether the signal is of the way in or out. */
static inline bool exchange(int signal, ucontext_t *context)
{
    (void)signal, (void)context;
    return false;
}

static inline void write_stub(uint32_t *stub)
{
    *stub = 0x14000000 | ((uint32_t)(((uintptr_t)sequence_end - (CODE + STUB)) >> 2) & 0x3ffffff);
}

#endif
