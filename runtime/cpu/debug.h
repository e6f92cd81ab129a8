/*
 * Debugging of CPUs, for a front end: breakpoints, watchpoints, single steps, and the reason of a
 * stop. CPUs without a debugger run at full speed.
 *
 * The front end stops and resumes the CPUs; the machine calls cpu_group_turn(), which returns early
 * after each stop, while debug_is_stopped() is false.
 */
#ifndef RUNTIME_CPU_DEBUG_H
#define RUNTIME_CPU_DEBUG_H

#include "runtime/cpu/group.h"

struct debug;

enum debug_why {
    DEBUG_NONE,
    DEBUG_REQUEST,    /* debug_stop() */
    DEBUG_BREAKPOINT, /* about to execute the instruction at the address */
    DEBUG_WATCHPOINT, /* the instruction at the PC is about to access the address */
    DEBUG_STEP,       /* the step is done */
    DEBUG_GOAL,       /* debug_set_goal() */
    DEBUG_HELD,       /* something else that the front end debugs has stopped */
};

enum debug_watch { DEBUG_WATCH_READ = 1 << CPU_READ, DEBUG_WATCH_WRITE = 1 << CPU_WRITE };

struct debug_stop {
    enum debug_why why;
    struct cpu *cpu;
    uint64_t address;       /* the breakpoint, or the watched address that was accessed */
    enum debug_watch watch; /* kinds of access that the hit watchpoint stops */
    const char *note;       /* what its user should read, valid until CPUs resume; NULL: nothing */
};

/* Attaches a debugger to a group that has none; the CPUs run on. */
struct debug *debug_attach(struct cpu_group *g);
/* Removes all breakpoints and watchpoints, and lets all CPUs run. NULL is allowed. */
void debug_detach(struct debug *d);

/* Breakpoints are by virtual address, for all CPUs. Adding one again has no effect. False: there is
 * none to remove, or there are too many to add one. */
bool debug_add_breakpoint(struct debug *d, uint64_t va);
bool debug_remove_breakpoint(struct debug *d, uint64_t va);

/* Watches `len` > 0 bytes of virtual memory that do not wrap around; `kinds` is enum debug_watch,
 * or-ed. False as for breakpoints, or the range wraps. */
bool debug_add_watchpoint(struct debug *d, uint64_t va, uint64_t len, unsigned kinds);
bool debug_remove_watchpoint(struct debug *d, uint64_t va, uint64_t len, unsigned kinds);

/* The n-th watchpoint; false: there are fewer. */
bool debug_watchpoint(const struct debug *d, size_t n, uint64_t *va, uint64_t *len,
                      unsigned *kinds);

/* Stops all CPUs at their next block boundary; nothing when they are stopped. */
void debug_stop(struct debug *d);

/*
 * Whether runs with stops are the same as runs without, for recordings and reverse execution;
 * default: false. If so, a step takes the interrupts that are due before or after its instruction,
 * and no CPU is frozen.
 */
void debug_set_exact(struct debug *d, bool exact);

/* Stops when the CPU has used this many ticks and is about to execute its next instruction; 0: no
 * such stop. */
void debug_set_goal(struct debug *d, struct cpu *cpu, uint64_t ticks);
/* As debug_set_goal(), but stops right behind the instruction before: if the CPU's turn ends there,
 * the other CPUs have not run yet, and the next instruction's interrupts have not been taken. */
void debug_set_goal_behind(struct debug *d, struct cpu *cpu, uint64_t ticks);

/* Sets the CPUs to be stopped, with this reason; between calls of cpu_group_turn(), or in an event
 * that lets them resume before it ends. */
void debug_set_stop(struct debug *d, const struct debug_stop *stop);

/* Whether all CPUs are stopped, and the reason of the last stop. */
bool debug_is_stopped(const struct debug *d);
const struct debug_stop *debug_last_stop(const struct debug *d);

enum debug_resume { DEBUG_CONTINUE, DEBUG_STEP_ONE, DEBUG_FREEZE };

/* Whether a CPU is to stop behind its next instruction. */
bool debug_is_stepping(const struct debug *d);

/* Sets what a CPU does after the next debug_resume(); default: DEBUG_CONTINUE. */
void debug_set_action(struct debug *d, struct cpu *cpu, enum debug_resume action);

/*
 * Lets the CPUs run by their actions, and sets all actions to DEBUG_CONTINUE. A CPU at a
 * breakpoint, or at an instruction that a watchpoint stopped, first executes that instruction.
 */
void debug_resume(struct debug *d);

#endif
