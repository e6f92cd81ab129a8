/* The program of user mode: reads the options, runs the process, exits as it did. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/obs/stats.h"
#include "runtime/user/user.h"
#include "runtime/user/user_main.h"

extern char **environ;

static bool open_log(struct log *log, const struct user_options *o, struct error *err)
{
    return (!o->log_channels || log_parse_channels(log, o->log_channels, err)) &&
           (!o->log_file || log_open_file(log, o->log_file, err));
}

static void write_stats(const struct process *p)
{
    struct stats *stats = stats_new();
    struct error err;

    for (size_t n = 0; n < p->threads.len; n++)
        cpu_register_stats(p->threads.data[n]->cpu, stats);
    for (size_t n = 0; n < p->free_cpus.len; n++)
        cpu_register_stats(p->free_cpus.data[n], stats);
    jit_register_stats(p->jit, stats);
    if (!jit_write_hot(p->jit, p->options->stats_dir, &err) ||
        !stats_write(stats, p->options->stats_dir, &err))
        fprintf(stderr, "%s: %s\n", user_abi.program, err.text);
    stats_free(stats);
}

int user_main(char **argv, const struct user_device *device)
{
    struct error err = {""};
    struct log log = {0};
    struct user_options o;
    struct process *p = NULL;
    int code, signal;

    switch (user_options_parse(&o, argv, device, &err)) {
    case USER_DONE:
        user_options_free(&o);
        return 0;
    case USER_RUN:
        if (open_log(&log, &o, &err) && (!o.stats_dir || stats_prepare(o.stats_dir, &err)))
            p = process_new(&o, device, &log, environ, &err);
        break;
    case USER_WRONG:
        break;
    }
    if (!p) {
        fprintf(stderr, "%s: %s\n", user_abi.program, err.text);
        log_close(&log);
        user_options_free(&o);
        return 2;
    }
    process_run(p);
    code = p->exit_code;
    signal = p->exit_signal;
    if (o.stats_dir && p->original)
        write_stats(p);
    process_free(p);
    log_close(&log);
    user_options_free(&o);
    if (signal)
        host_signal_die(signal);
    _exit(code);
}
