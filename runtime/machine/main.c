/* The main program of all platform binaries: reads the options and runs the machine. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "runtime/machine/leave.h"
#include "runtime/machine/monitor.h"
#include "runtime/machine/history.h"
#include "runtime/machine/replay.h"
#include "runtime/machine/snapshot.h"

#define STATUS_BAD_INPUT 2

static int report_error(const struct platform *platform, const struct error *err)
{
    fprintf(stderr, "%s: %s\n", platform->name, err->text);
    return STATUS_BAD_INPUT;
}

static bool dump_tree(const struct machine *m, struct error *err)
{
    FILE *file = fopen(m->options->dump_dtb, "wb");
    size_t len = dt_size(m->dt);
    bool ok;

    if (!file)
        return error_set(err, "%s: %s", m->options->dump_dtb, strerror(errno));
    ok = fwrite(m->dt->blob, 1, len, file) == len;
    ok = !fclose(file) && ok;
    return ok || error_set(err, "%s: %s", m->options->dump_dtb, strerror(errno));
}

/* -loadvm and -snapshot-every */
static bool start_snapshots(struct machine *m, struct error *err)
{
    uint64_t every = m->options->snapshot_every;
    bool broken, later;

    if (m->options->loadvm && !machine_load(m, m->options->loadvm, &broken, err)) {
        error_prefix(err, "-loadvm: ");
        return false;
    }
    if (!every)
        return true;
    machine_snapshots(m)->next = (m->clock.now / every + 1) * every;
    return machine_can_save(m, &later, err);
}

static int run_machine(struct machine *m, struct error *err)
{
    int status;

    if (m->options->stats_dir && !stats_prepare(m->options->stats_dir, err))
        return report_error(m->platform, err);
    machine_announce(m);
    if (!machine_reset(m, err))
        return report_error(m->platform, err);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* writes past RLIMIT_FSIZE are errors to the guest */
    machine_register_stats(m);
    if (!start_snapshots(m, err) || !machine_begin_journal(m, err) || !history_open(m, err))
        return report_error(m->platform, err);
    status = machine_run(m);
    if (!machine_end_journal(m, err))
        return report_error(m->platform, err);
    if (!machine_finish_display(m) && !status)
        status = STATUS_BAD_INPUT;
    if (!machine_finish_sampler(m, err))
        return report_error(m->platform, err);
    if (m->options->stats_dir &&
        (!jit_write_hot(m->jit, m->options->stats_dir, err) ||
         !stats_write(m->stats, m->options->stats_dir, err) || !machine_write_gpu_stats(m, err)))
        return report_error(m->platform, err);
    if (!machine_finish_report(m, err))
        return report_error(m->platform, err);
    return status;
}

static void stop_machine(void *opaque)
{
    machine_stop(opaque, 0);
}

static int run_options(const struct platform *platform, const struct options *options)
{
    struct error err = {0};
    struct leave *leave = leave_new(platform->name, &err);
    struct machine *m = leave ? machine_new(platform, options, leave, monitor_open, &err) : NULL;
    int status;

    if (!m) {
        status = report_error(platform, &err);
    } else {
        leave_watch(leave, &m->clock, stop_machine, m);
        if (options->dump_dtb)
            status = dump_tree(m, &err) ? 0 : report_error(platform, &err);
        else
            status = run_machine(m, &err);
        leave_stopped(leave, status);
        history_close(m);
        machine_free(m);
    }
    leave_free(leave);
    return status;
}

int platform_main(const struct platform *platform, char **argv)
{
    struct platform_info info;
    struct options options;
    struct error err = {0};
    int status = 0;

    if (!platform_open(platform, &info, &err))
        return report_error(platform, &err);
    switch (options_parse(&options, platform->name, info.summary, argv, &err)) {
    case OPTIONS_WRONG:
        status = report_error(platform, &err);
        break;
    case OPTIONS_RUN:
        if (options.cpu && !strcmp(options.cpu, "help"))
            cpu_choice_help(platform->isa, info.cpus, stdout);
        else
            status = run_options(platform, &options);
        break;
    case OPTIONS_DONE:
        break;
    }
    options_free(&options);
    platform_close(&info);
    return status;
}
