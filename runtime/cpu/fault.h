/*
 * Faults of the host: SIGSEGV, SIGBUS and SIGFPE that an instruction of this process caused.
 * Translated code that accesses flat guest memory may fault, and its floating point may raise
 * exceptions; a hook of its translator then continues it on the slow path. All other faults go to
 * the handlers that were installed before, or to the default action, so a broken simulator still
 * dies.
 */
#ifndef RUNTIME_CPU_FAULT_H
#define RUNTIME_CPU_FAULT_H

#include <signal.h>
#include <stdbool.h>
#include <ucontext.h>

/*
 * Handles a fault of the instruction at the context's PC, on the thread that executed it. True: the
 * instruction is of the hook's code, and the thread continues with the context as the hook has
 * changed it. False: it is not, and nothing was changed. The hook runs as a signal handler, on the
 * stack of the faulting code and with all signals blocked, so it may call async-signal-safe
 * functions only. info->si_addr is 0 where the address was not canonical (a general protection
 * fault): the guest address is in the registers then. Signals sent by kill() and the like are not
 * passed to hooks.
 */
typedef bool fault_fn(void *opaque, const siginfo_t *info, ucontext_t *context);

/* Largest number of hooks at a time. */
enum { FAULT_HOOKS = 8 };

/*
 * Adds a hook. Their order does not matter, since each handles PCs of its own. False: there are too
 * many, or the host does not let this process handle the signals. Adding and removing belong to one
 * thread of the process.
 */
bool fault_add(fault_fn *fn, void *opaque);

/* Removes a hook; no code of its owner may fault any more. */
void fault_remove(fault_fn *fn, void *opaque);

/*
 * For signal handlers: passes the signal to the action that was replaced. Where that ends the
 * process, as it does for an ignored fault, the process dies by a fault at the same instruction
 * when the handler returns.
 */
void fault_chain(const struct sigaction *action, int signal, siginfo_t *info, void *context);

#endif
