/*
 * The words that Linux treats as breakpoints of debuggers, BKPT, and undefined words next to them,
 * in A32 and T32: the signal, its code, and whether its address is the word's.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <ucontext.h>

static volatile int width;

static void on_signal(int signal, siginfo_t *info, void *context)
{
    ucontext_t *u = context;

    printf(" signal %d, code %d, at the PC %d\n", signal, signal == SIGTRAP ? info->si_code : 0,
           (uintptr_t)info->si_addr == u->uc_mcontext.arm_pc);
    u->uc_mcontext.arm_pc += width;
}

/* Defines a function that executes one word of `bytes` bytes, written by a directive. */
#define WORD(name, set, bytes, directive)                         \
    __attribute__((noinline, target(set))) static void name(void) \
    {                                                             \
        width = bytes;                                            \
        printf("%s %s:", set, directive);                         \
        fflush(stdout);                                           \
        __asm__ volatile(directive ::: "memory");                 \
    }

WORD(break_a32, "arm", 4, ".inst 0xe7f001f0")
WORD(next_a32, "arm", 4, ".inst 0xe7f001f1")
WORD(bkpt_a32, "arm", 4, "bkpt #0x1234")
WORD(break_t16, "thumb", 2, ".inst.n 0xde01")
WORD(next_t16, "thumb", 2, ".inst.n 0xde02")
WORD(break_t32, "thumb", 4, ".inst.w 0xf7f0a000")
WORD(next_t32, "thumb", 4, ".inst.w 0xf7f0a001")
WORD(bkpt_t16, "thumb", 2, "bkpt #0x12")

int main(void)
{
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};

    sigaction(SIGTRAP, &action, NULL);
    sigaction(SIGILL, &action, NULL);
    break_a32();
    next_a32();
    bkpt_a32();
    break_t16();
    next_t16();
    break_t32();
    next_t32();
    bkpt_t16();
    return 0;
}
