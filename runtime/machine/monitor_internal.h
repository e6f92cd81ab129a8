/* Shared by the files of the monitor: what a command gets, and the commands of other files. */
#ifndef RUNTIME_MACHINE_MONITOR_INTERNAL_H
#define RUNTIME_MACHINE_MONITOR_INTERNAL_H

#include "runtime/machine/monitor.h"

struct monitor_call {
    struct machine *m;
    struct cpu *cpu;
    struct cpu **chosen; /* where `cpu` stores its choice; NULL: the debugger chooses */
    const char *arg;     /* the text behind the command; "": none */
    FILE *out;
};

typedef bool monitor_fn(const struct monitor_call *c, struct error *err);

struct monitor_row {
    const char *name; /* alternatives are separated by '|' */
    const char *arg, *help;
    monitor_fn *run;
    bool needs_arg;
};

/* What `info` prints (monitor_info.c). */
extern const struct monitor_row monitor_infos[];
extern const size_t monitor_info_count;

/* monitor_memory.c */
monitor_fn monitor_translate, monitor_x, monitor_xp;

/* Executes a line, of which the call has everything but `arg` (monitor.c). */
void monitor_line(const struct monitor_call *c, const char *line);

/* As gdb_config.monitor (monitor.c). */
void monitor_command(void *machine, struct cpu *cpu, const char *line, FILE *out);

#endif
