/*
 * Faults of the host: SIGSEGV and SIGBUS that an instruction of this process caused. Translated
 * code that accesses guest memory directly (cpu->flat_base) is allowed to fault; who made it adds a
 * hook that sends such a fault on to the slow path. All other faults go to whoever handled the
 * signals before, in the end to the default action: a broken simulator dies as it would without.
 */
#ifndef RUNTIME_CPU_FAULT_H
#define RUNTIME_CPU_FAULT_H

#include <signal.h>
#include <stdbool.h>
#include <ucontext.h>

/*
 * Answers for a fault of the instruction at the context's PC, on the thread that executed it: true
 * when that instruction is the hook's own; the thread then goes on with the context as the hook
 * changed it. False changes nothing. It runs as a signal handler, on the stack of the faulting
 * code and with all signals blocked, so it may only call what is async-signal-safe. info->si_addr
 * is 0 where the address was not canonical (a general protection fault): the hook finds the guest
 * address in the registers. Signals that somebody sent do not get here.
 */
typedef bool fault_fn(void *opaque, const siginfo_t *info, ucontext_t *context);

/* Hooks that there may be at once. */
enum { FAULT_HOOKS = 8 };

/*
 * Adds a hook; a PC is the business of one hook at most, so their order does not matter. False:
 * there are too many, or the host does not let this process handle the signals. Adding and removing
 * belong to one thread of the process.
 */
bool fault_add(fault_fn *fn, void *opaque);

/* Removes a hook that fault_add() took; no code of its owner may fault any more. */
void fault_remove(fault_fn *fn, void *opaque);

/*
 * For signal handlers: does what `action`, the one that was replaced, would have done with the
 * signal. Where that is to end the process (ignoring a fault does too), the process dies when the
 * handler returns, of a fault at the faulting instruction.
 */
void fault_chain(const struct sigaction *action, int signal, siginfo_t *info, void *context);

#endif
