/*
 * Sequences that are entered and left by a breakpoint, whose handler exchanges all registers.
 * guest_context.h includes this file after it has defined:
 *
 *     BREAKPOINT, BREAKPOINT_CODE       the instruction, as assembly and as a word
 *     context_pc, context_load, context_save, context_copy
 */
#ifndef TESTS_RANDOM_GUEST_TRAP_H
#define TESTS_RANDOM_GUEST_TRAP_H

static struct state guest_state;
static ucontext_t own; /* the program's registers while a sequence runs */
static bool entered;

/* noipa: the compiler must not assume anything about its effects. */
static void __attribute__((noipa)) run_sequence(void)
{
    __asm__ volatile(BREAKPOINT::: "memory");
}

/* Whether the signal belongs to entering or leaving a sequence. */
static inline bool exchange_context(int signal, ucontext_t *context)
{
    if (signal != SIGTRAP || (entered && context_pc(context) != CODE + STUB))
        return false;
    if (entered) {
        context_save(context, &guest_state);
        context_copy(context, &own);
        context_skip(context, BREAKPOINT_BYTES);
    } else {
        context_copy(&own, context);
        context_load(context, &guest_state);
    }
    entered = !entered;
    return true;
}

static inline void write_stub(uint32_t *stub)
{
    *stub = BREAKPOINT_CODE;
}

#endif
