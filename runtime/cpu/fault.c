/*
 * Faults of the host: signal handlers, and their hooks. The hooks are in a static structure because
 * signal handlers belong to the process and have no argument.
 */
#include "runtime/cpu/fault.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

static struct {
    struct {
        _Atomic(fault_fn *) fn; /* NULL: free */
        void *opaque;
    } hook[FAULT_HOOKS];
    struct sigaction segv, bus, fpe; /* the actions that were replaced */
} faults;

void fault_chain(const struct sigaction *action, int signal, siginfo_t *info, void *context)
{
    if (action->sa_flags & SA_SIGINFO) {
        action->sa_sigaction(signal, info, context);
    } else if (action->sa_handler == SIG_DFL || action->sa_handler == SIG_IGN) {
        bool sent = info->si_code <= 0;

        if (sent && action->sa_handler == SIG_IGN)
            return;
        sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
        if (sent) /* since no instruction will fault again */
            raise(signal);
    } else {
        action->sa_handler(signal);
    }
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
    int saved = errno;
    bool done = false;

    for (unsigned n = 0; n < FAULT_HOOKS && !done && info->si_code > 0; n++) {
        fault_fn *fn = atomic_load_explicit(&faults.hook[n].fn, memory_order_acquire);

        done = fn && fn(faults.hook[n].opaque, info, context);
    }
    if (!done)
        fault_chain(signal == SIGSEGV  ? &faults.segv
                    : signal == SIGBUS ? &faults.bus
                                       : &faults.fpe,
                    signal, info, context);
    errno = saved;
}

/* Makes on_fault() the action of a signal, unless it is. Somebody may have replaced it since, as
 * frameworks of tests do for the time of each test. */
static bool install_handler(int signal, struct sigaction *replaced)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO}, now;

    sigfillset(&action.sa_mask);
    if (sigaction(signal, NULL, &now))
        return false;
    if (now.sa_flags & SA_SIGINFO && now.sa_sigaction == on_fault)
        return true;
    *replaced = now;
    return !sigaction(signal, &action, NULL);
}

static bool install_handlers(void)
{
    return install_handler(SIGSEGV, &faults.segv) && install_handler(SIGBUS, &faults.bus) &&
           install_handler(SIGFPE, &faults.fpe);
}

bool fault_add(fault_fn *fn, void *opaque)
{
    unsigned n = 0;

    while (n < FAULT_HOOKS && atomic_load(&faults.hook[n].fn))
        n++;
    if (n == FAULT_HOOKS || !install_handlers())
        return false;
    faults.hook[n].opaque = opaque;
    atomic_store_explicit(&faults.hook[n].fn, fn, memory_order_release);
    return true;
}

void fault_remove(fault_fn *fn, void *opaque)
{
    for (unsigned n = 0; n < FAULT_HOOKS; n++) {
        if (atomic_load(&faults.hook[n].fn) == fn && faults.hook[n].opaque == opaque) {
            atomic_store(&faults.hook[n].fn, NULL);
            return;
        }
    }
}
