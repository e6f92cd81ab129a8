/* Shared by the files of the monitor: what a command gets, and the commands of other files. */
#ifndef RUNTIME_MACHINE_MONITOR_INTERNAL_H
#define RUNTIME_MACHINE_MONITOR_INTERNAL_H

#include "runtime/machine/monitor.h"

struct monitor_call {
    struct machine *m;
    struct cpu *cpu;
    struct cpu **chosen; /* receives the CPU that `cpu` chooses; NULL: the debugger chooses */
    const char *arg;     /* the text behind the command; "": none */
    FILE *out;
};

typedef bool monitor_fn(const struct monitor_call *c, struct error *err);

struct monitor_table;

struct monitor_row {
    const char *name; /* alternatives are separated by '|' */
    const char *arg, *help;
    monitor_fn *run;
    bool needs_arg;
    const struct monitor_table *words; /* commands that may follow, in the place of `run` */
};

struct monitor_table {
    const struct monitor_row *rows;
    size_t count;
    const char *what; /* noun for the error "no NOUN …" */
};

/* What `info` prints (monitor_info.c), and what `gpu` does (monitor_gpu.c). */
extern const struct monitor_table monitor_infos, monitor_gpu;

/* monitor_gpu.c; `info` has them, too. */
monitor_fn monitor_gpu_state, monitor_gpu_jobs;

/* monitor_memory.c */
monitor_fn monitor_translate, monitor_x, monitor_xp, monitor_print, monitor_memsave,
    monitor_pmemsave;

/* monitor_snapshot.c */
monitor_fn monitor_savevm, monitor_loadvm, monitor_delvm, monitor_snapshots, monitor_history,
    monitor_goto;

/* Executes a line, of which the call has everything but `arg` (monitor.c). */
void monitor_line(const struct monitor_call *c, const char *line);

/* As gdb_config.monitor (monitor.c). */
void monitor_command(void *machine, struct cpu *cpu, const char *line, FILE *out);

#endif
