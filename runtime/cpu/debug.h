/*
 * What a debugger front end needs of CPUs: breakpoints, watchpoints, single steps, and who stopped
 * and why. It costs nothing while there is none.
 *
 * The front end stops and resumes; the machine goes on calling cpu_group_turn(), which returns
 * early after each stop. While debug_is_stopped() it does not call it.
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
};

enum debug_watch { DEBUG_WATCH_READ = 1 << CPU_READ, DEBUG_WATCH_WRITE = 1 << CPU_WRITE };

struct debug_stop {
    enum debug_why why;
    struct cpu *cpu;
    uint64_t address;       /* of the breakpoint, or the watched address that was touched */
    enum debug_watch watch; /* kinds the watchpoint that was hit is for */
};

/* Attaches a debugger to a group that has none; everything runs on. */
struct debug *debug_attach(struct cpu_group *g);
/* Forgets all points and lets all CPUs run. NULL is allowed. */
void debug_detach(struct debug *d);

/* Breakpoints are by virtual address, for all CPUs. The same one may be added again; false: it is
 * not there, or (add) there are too many. */
bool debug_add_breakpoint(struct debug *d, uint64_t va);
bool debug_remove_breakpoint(struct debug *d, uint64_t va);

/* Watches `len` > 0 bytes of virtual memory that do not wrap around; `kinds` is or-ed of enum
 * debug_watch. */
bool debug_add_watchpoint(struct debug *d, uint64_t va, uint64_t len, unsigned kinds);
bool debug_remove_watchpoint(struct debug *d, uint64_t va, uint64_t len, unsigned kinds);

/* Stops all CPUs at their next block boundary; nothing when they are stopped. */
void debug_stop(struct debug *d);

bool debug_is_stopped(const struct debug *d);
const struct debug_stop *debug_last_stop(const struct debug *d);

enum debug_resume { DEBUG_CONTINUE, DEBUG_STEP_ONE, DEBUG_FREEZE };

/* What a CPU does after the next debug_resume(); at first all continue. */
void debug_set_action(struct debug *d, struct cpu *cpu, enum debug_resume action);

/*
 * Lets the CPUs run as their actions say. A CPU that stands at a breakpoint, or at an instruction
 * that a watchpoint stopped, executes it first. All actions are then to continue again.
 */
void debug_resume(struct debug *d);

#endif
