/* The debugger's points and state, for debug.c and debug_points.c. */
#ifndef RUNTIME_CPU_DEBUG_INTERNAL_H
#define RUNTIME_CPU_DEBUG_INTERNAL_H

#include "runtime/cpu/debug.h"
#include "runtime/cpu/internal.h"

struct debug_watchpoint {
    uint64_t va, len;
    unsigned kinds;
};

struct debug {
    struct cpu_group *group;
    VEC(uint64_t) breakpoints;
    VEC(struct debug_watchpoint) watchpoints;
    VEC(enum debug_resume) actions; /* by index in the group */
    struct debug_stop stop;
    bool stopped;
    bool exact; /* debug_set_exact() */
};

#endif
