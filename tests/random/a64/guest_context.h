/* A signal's context in A64 guests. guest_run.S enters and leaves sequences. */
#ifndef TESTS_RANDOM_GUEST_CONTEXT_H
#define TESTS_RANDOM_GUEST_CONTEXT_H

#include <ucontext.h>

extern struct state guest_state;
/* Runs the sequence at CODE with the registers in guest_state; returns at sequence_end. */
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

/* Whether the signal belongs to entering or leaving a sequence: never on A64. */
static inline bool exchange_context(int signal, ucontext_t *context)
{
    (void)signal, (void)context;
    return false;
}

static inline void write_stub(uint32_t *stub)
{
    *stub = 0x14000000 | ((uint32_t)(((uintptr_t)sequence_end - (CODE + STUB)) >> 2) & 0x3ffffff);
}

#endif
