/*
 * What a signal handler finds in its context on each architecture, and which changes to it take
 * effect.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__aarch64__)
#define PC(u)          ((u)->uc_mcontext.pc)
#define RESULT(u)      ((u)->uc_mcontext.regs[0])
#define UNDEFINED      ".inst 0"
#define RESULT_NAME    "x0"
#define INSTRUCTION(u) 4
#elif defined(__riscv)
#define PC(u)          ((u)->uc_mcontext.__gregs[REG_PC])
#define RESULT(u)      ((u)->uc_mcontext.__gregs[REG_A0])
#define UNDEFINED      ".word 0x0000000b"
#define RESULT_NAME    "a0"
#define INSTRUCTION(u) 4
#else
#define PC(u)          ((u)->uc_mcontext.arm_pc)
#define RESULT(u)      ((u)->uc_mcontext.arm_r0)
#define RESULT_NAME    "r0"
#define UNDEFINED      "udf #7"
#define INSTRUCTION(u) ((u)->uc_mcontext.arm_cpsr & 0x20 ? 2 : 4)
#endif

static volatile double clobbered;
static volatile int nested;

static void on_undefined(int signal, siginfo_t *info, void *context)
{
    ucontext_t *u = context;

    printf("signal %d, at the PC: %d\n", signal, (uintptr_t)info->si_addr == PC(u));
    PC(u) += INSTRUCTION(u);
    RESULT(u) = 77;
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
    ucontext_t *u = context;

    printf("signal %d, code %d, address %#lx\n", signal, info->si_code,
           (unsigned long)info->si_addr);
    mprotect((void *)((uintptr_t)info->si_addr & ~(uintptr_t)4095), 4096, PROT_READ | PROT_WRITE);
    (void)u;
}

/*
 * Uses the registers that a handler may use: all floating-point registers that calls do not
 * preserve.
 */
static void on_plain(int signal)
{
    double d[16];

    for (int n = 0; n < 16; n++)
        d[n] = n * 1.25 + signal;
    for (int n = 1; n < 16; n++)
        d[0] += d[n] * d[n - 1];
    clobbered = d[0];
    nested++;
    if (nested < 3)
        raise(signal);
}

static void on_value(int signal, siginfo_t *info, void *context)
{
    printf("signal %d, value %d, from this process: %d\n", signal, info->si_value.sival_int,
           info->si_pid == getpid());
    (void)context;
}

static void on_stack(int signal)
{
    stack_t now;
    char here;

    sigaltstack(NULL, &now);
    printf("signal %d, on the other stack: %d, flags %d\n", signal,
           &here >= (char *)now.ss_sp && &here < (char *)now.ss_sp + now.ss_size, now.ss_flags);
}

static void set_handler(int signal, void *handler, int flags)
{
    struct sigaction action = {.sa_flags = flags};

    action.sa_sigaction = handler;
    sigaction(signal, &action, NULL);
}

/* Floating-point values in call-preserved and other registers across a signal. */
static double compute_across_signal(int signal)
{
    double a = 1.5, b = 2.25, c = 1e100, d = -3;

    for (int n = 0; n < 4; n++) {
        a = a * b - d;
        if (n == 1)
            raise(signal);
        c = c / b + a;
        d = d * 1.0625 + b;
    }
    return a + c / 1e99 + d;
}

int main(void)
{
    static char other[65536];
    stack_t alternate = {.ss_sp = other, .ss_size = sizeof(other)};
    volatile int *page =
        mmap((void *)0x50000000, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    register long result __asm__(RESULT_NAME) = 5;
    union sigval value = {.sival_int = 4711};
    sigset_t set, old;

    set_handler(SIGILL, on_undefined, SA_SIGINFO);
    __asm__ volatile(UNDEFINED : "+r"(result) : : "memory");
    printf("result %ld\n", result);
    set_handler(SIGSEGV, on_fault, SA_SIGINFO);
    page[3] = 17;
    printf("stored %d\n", page[3]);
    set_handler(SIGUSR1, on_plain, SA_NODEFER);
    printf("%.17g\n", compute_across_signal(SIGUSR1));
    printf("%g, %d times\n", clobbered, nested);
    set_handler(SIGRTMIN + 3, on_value, SA_SIGINFO);
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN + 3);
    sigprocmask(SIG_BLOCK, &set, &old);
    sigqueue(getpid(), SIGRTMIN + 3, value);
    value.sival_int = 4712;
    sigqueue(getpid(), SIGRTMIN + 3, value);
    printf("blocked\n");
    sigprocmask(SIG_SETMASK, &old, NULL);
    sigaltstack(&alternate, NULL);
    set_handler(SIGUSR2, on_stack, SA_ONSTACK);
    raise(SIGUSR2);
    sigprocmask(SIG_BLOCK, NULL, &set);
    printf("%d still blocked\n", sigismember(&set, SIGUSR2) + sigismember(&set, SIGRTMIN + 3));
    return 0;
}
