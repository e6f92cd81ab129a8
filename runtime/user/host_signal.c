/*
 * Signals from the host. A handler notes arriving signals; the process collects them between turns.
 *
 * A handler has no argument for its process, hence the static structure.
 */
#include "runtime/user/user.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/bits.h"
#include "runtime/cpu/fault.h"

/* Most signals that may arrive in one turn; more are lost. A power of two. */
#define RING 256

static struct {
    siginfo_t ring[RING];
    _Atomic unsigned head, tail; /* head is written by the handler, tail by the process */
    sigset_t start_mask;
    struct sigaction segv, bus; /* actions at the start */
    struct space *space;        /* guest memory, or NULL */
} host;

static void on_signal(int signal, siginfo_t *info, void *context)
{
    unsigned head = atomic_load_explicit(&host.head, memory_order_relaxed);

    (void)signal, (void)context;
    if (head - atomic_load_explicit(&host.tail, memory_order_relaxed) >= RING)
        return;
    host.ring[head % RING] = *info;
    atomic_store_explicit(&host.head, head + 1, memory_order_release);
}

/*
 * SIGSEGV and SIGBUS. Another process may have sent them to the guest. If a file that the guest
 * maps has become shorter, zeros replace the lost page. Any other is the simulator's own fault.
 */
static void on_memory_signal(int signal, siginfo_t *info, void *context)
{
    if (info->si_code <= 0)
        on_signal(signal, info, context);
    else if (signal != SIGBUS || !host.space || !space_page_lost(host.space, info->si_addr))
        fault_chain(signal == SIGBUS ? &host.bus : &host.segv, signal, info, context);
}

static bool is_forwarded(int signal)
{
    switch (signal) {
    case SIGKILL:
    case SIGSTOP:
    case SIGSEGV:
    case SIGBUS:
    case SIGILL:
    case SIGFPE:
    case SIGTRAP:
        return false;
    default:
        return signal < 32 || signal >= SIGRTMIN; /* the C library reserves some between */
    }
}

static void listen_to(int signal)
{
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};

    sigfillset(&action.sa_mask);
    sigaction(signal, &action, NULL);
}

void host_signal_init(struct process *p)
{
    struct sigaction old, fault = {.sa_sigaction = on_memory_signal, .sa_flags = SA_SIGINFO};
    sigset_t none;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, &host.start_mask);
    for (int signal = 1; signal <= SIGNALS; signal++) {
        if (sigaction(signal, NULL, &old))
            continue;
        if (old.sa_handler == SIG_IGN)
            p->action[signal].handler = (uint64_t)(uintptr_t)SIG_IGN;
        else if (is_forwarded(signal))
            listen_to(signal);
    }
    sigfillset(&fault.sa_mask);
    sigaction(SIGSEGV, &fault, &host.segv);
    sigaction(SIGBUS, &fault, &host.bus);
}

void host_signal_watch(struct space *space)
{
    host.space = space;
}

uint64_t host_signal_start_mask(void)
{
    uint64_t mask = 0;

    for (int signal = 1; signal <= SIGNALS; signal++) {
        if (sigismember(&host.start_mask, signal) == 1)
            mask |= signal_bit(signal);
    }
    return mask;
}

void host_signal_collect(struct process *p)
{
    unsigned tail = atomic_load_explicit(&host.tail, memory_order_relaxed);

    while (tail != atomic_load_explicit(&host.head, memory_order_acquire)) {
        signal_to_process(p, &host.ring[tail % RING]);
        atomic_store_explicit(&host.tail, ++tail, memory_order_release);
    }
}

void host_signal_ignore(int signal, bool ignore)
{
    if (!is_forwarded(signal))
        return;
    if (!ignore)
        listen_to(signal);
    else if (signal != SIGCHLD) /* always handled, since waiting for children needs it */
        sigaction(signal, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
    if (signal == SIGCHLD) {
        struct sigaction action = {.sa_sigaction = on_signal,
                                   .sa_flags = SA_SIGINFO | (ignore ? SA_NOCLDWAIT : 0)};

        sigaction(signal, &action, NULL);
    }
}

void host_signal_give(struct thread *t)
{
    uint64_t given = 0;
    siginfo_t info;

    host_signal_restore(t->mask);
    for (int signal = 1; signal <= SIGNALS; signal++) {
        if (is_forwarded(signal))
            given |= signal_bit(signal);
    }
    while (signal_take(t, given & t->mask, &info))
        syscall(SYS_rt_sigqueueinfo, getpid(), info.si_signo, &info);
}

int host_signal_poll(struct pollfd *fds, unsigned count, uint64_t timeout_ns)
{
    struct timespec ts = {(time_t)(timeout_ns / NS_PER_SEC), (long)(timeout_ns % NS_PER_SEC)};
    sigset_t all, none;
    int ready = -1;

    sigfillset(&all);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &all, NULL);
    if (atomic_load(&host.head) == atomic_load(&host.tail))
        ready = ppoll(fds, count, timeout_ns == CLOCK_NEVER ? NULL : &ts, &none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    return ready;
}

void host_signal_restore(uint64_t mask)
{
    sigset_t set;

    sigemptyset(&set);
    for (int signal = 1; signal <= SIGNALS; signal++) {
        if (mask & signal_bit(signal))
            sigaddset(&set, signal);
    }
    sigprocmask(SIG_SETMASK, &set, NULL);
}

_Noreturn void host_signal_die(int signal)
{
    const struct rlimit no_core = {0, 0};
    sigset_t set;

    /* A core dump would be the simulator's. */
    setrlimit(RLIMIT_CORE, &no_core);
    sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    sigemptyset(&set);
    sigaddset(&set, signal);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    kill(getpid(), signal);
    _exit(128 + signal);
}
