/* The command line of a user-mode program: the table of options. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/base/cli.h"
#include "runtime/base/values.h"
#include "runtime/user/user.h"

#define DEFAULT_STACK (UINT64_C(8) << 20)
#define DEFAULT_PS    1000u /* 1,000 million instructions per second */

/* ---- one function an option ------------------------------------------------------------------ */

static bool set_variable(void *options, char *value, struct error *err)
{
    struct user_options *o = options;

    if (!strchr(value, '='))
        return error_set(err, "-E takes NAME=VALUE, not '%s'", value);
    vec_push(&o->set_env, xstrdup(value));
    return true;
}

static bool unset_variable(void *options, char *value, struct error *err)
{
    struct user_options *o = options;

    if (strchr(value, '='))
        return error_set(err, "-U takes the name of a variable, not '%s'", value);
    vec_push(&o->set_env, xstrdup(value));
    return true;
}

static bool set_stack(void *options, char *value, struct error *err)
{
    struct user_options *o = options;
    const uint64_t max = UINT64_C(1) << 30;

    if (!value_size(value, "-s", 1, &o->stack_bytes, err))
        return false;
    return (o->stack_bytes && o->stack_bytes <= max) ||
           error_set(err, "-s takes a size from 1 to %llu bytes, not '%s'", (unsigned long long)max,
                     value);
}

static bool set_icount(void *options, char *value, struct error *err)
{
    struct user_options *o = options;

    if (strncmp(value, "ps=", 3))
        return error_set(err, "-icount takes ps=N, not '%s'", value);
    return value_number(value + 3, "-icount ps", 1, 1000000000, &o->ps_per_tick, err);
}

static bool set_limit(void *options, char *value, struct error *err)
{
    struct user_options *o = options;
    uint64_t seconds = 0;

    if (!value_number(value, "-limit", 1, 1000000000, &seconds, err))
        return false;
    o->limit_ns = seconds * NS_PER_SEC;
    return true;
}

static bool set_clock(void *options, char *value, struct error *err)
{
    struct user_options *o = options;

    if (!strcmp(value, "auto"))
        o->clock = USER_CLOCK_AUTO;
    else if (!strcmp(value, "shared"))
        o->clock = USER_CLOCK_SHARED;
    else if (!strcmp(value, "virtual"))
        o->clock = USER_CLOCK_VIRTUAL;
    else if (!strcmp(value, "host"))
        o->clock = USER_CLOCK_HOST;
    else
        return error_set(err, "-clock knows auto, virtual, shared and host, not '%s'", value);
    return true;
}

static bool set_nofile(void *options, char *value, struct error *err)
{
    struct user_options *o = options;
    char *hard = strchr(value, ':');

    if (hard)
        *hard++ = 0;
    o->nofile_given = true;
    return value_number(value, "-nofile", 0, UINT64_MAX, &o->nofile[0], err) &&
           value_number(hard ? hard : value, "-nofile", 0, UINT64_MAX, &o->nofile[1], err) &&
           (o->nofile[0] <= o->nofile[1] ||
            error_set(err, "-nofile: the soft limit is above the hard one"));
}

#define JIT_OPTION(id, name, arg, help)                                 \
    static bool set_##id(void *options, char *value, struct error *err) \
    {                                                                   \
        struct user_options *o = options;                               \
                                                                        \
        return jit_option(&o->jit, name, value, err);                   \
    }
#include "runtime/jit/options.inc"
#undef JIT_OPTION

/* ---- the table ------------------------------------------------------------------------------- */

#define OPTION(member) struct user_options, member

static const struct cli_option table[] = {
    CLI_TEXT("0", OPTION(argv0), "NAME", "the program's argv[0] (default: its file)"),
    CLI_CALL("E", set_variable, "NAME=VALUE", "sets a variable of the program's environment"),
    CLI_CALL("U", unset_variable, "NAME", "takes a variable out of it"),
    CLI_TEXT("L", OPTION(sysroot), "DIR",
             "files below DIR come first: interpreter and libraries of a dynamic program"),
    CLI_CALL("s", set_stack, "BYTES", "size of the stack, K and M allowed (default 8M)"),
    CLI_CALL("nofile", set_nofile, "SOFT[:HARD]",
             "limits of the program's open files (default: the host's)"),
    CLI_TEXT("cpu", OPTION(cpu), "[NAME,]FEATURE=on|off[,…]",
             "the kind of CPU, and features that it has or not; -cpu help lists them"),
    CLI_TEXT(
        "gpu", OPTION(gpu), "NAME",
        "the program finds a Mali of this name in /dev/dri (default: none); -gpu help lists them"),
    CLI_NUMBER("gpu-threads", OPTION(gpu_threads), 1, 256, "N",
               "host threads on which its shader cores run (default 1)"),
    CLI_TEXT("gpu-snapshot", OPTION(gpu_snapshots), "DIR",
             "writes memory before each chain of the GPU's jobs there, for mali-run"),
    CLI_NUMBER("seed", OPTION(seed), 1, UINT64_MAX, "N",
               "what getrandom() and AT_RANDOM give is made of it (default 1)"),
    CLI_CALL("icount", set_icount, "ps=N",
             "an instruction takes N ps of virtual time (default 1000)"),
    CLI_CALL(
        "clock", set_clock, "auto|virtual|shared|host",
        "virtual: sleeping takes no host time; shared: it does; auto: it does once the program\n"
        "has forked (the default); host: the program sees the host's clocks"),
    CLI_CALL("limit", set_limit, "SECONDS", "end after so much virtual time, with status 124"),
    CLI_SWITCH("strace", OPTION(strace), "print system calls and signals on standard error"),
    CLI_NUMBER("strace-fd", OPTION(strace_fd), 2, INT32_MAX, "N",
               "-strace prints on this open descriptor instead"),
    CLI_NUMBER("handed-over", OPTION(hand_over_fd), 3, INT32_MAX, "N",
               "the open descriptor has what execve() hands over; for the simulator itself"),
    CLI_SWITCH(
        "sandbox", OPTION(sandbox),
        "for programs that are not trusted: they cannot reach the simulator's memory, nor run\n"
        "programs of the host, nor signal others; files and sockets are the user's"),
    CLI_TEXT("d", OPTION(log_channels), "CHANNEL[,CHANNEL…]", "log these; -d help lists them"),
    CLI_TEXT("D", OPTION(log_file), "FILE", "the log goes there instead of standard error"),
    CLI_TEXT("stats", OPTION(stats_dir), "DIR", "write stats.json and stats.txt there at the end"),
#define JIT_OPTION(id, name, arg, help) CLI_CALL(name, set_##id, arg, help),
#include "runtime/jit/options.inc"
#undef JIT_OPTION
};

/* ---- the command line ------------------------------------------------------------------------ */

/* Takes the program and its arguments from the rest of the command line. */
static bool take_program(void *options, char **words, struct error *err)
{
    struct user_options *o = options;

    (void)err;
    o->program = words[0];
    o->args = words + 1;
    return true;
}

static const struct cli command_line = {
    .table = table, .count = ARRAY_SIZE(table), .operand = take_program, .operand_ends = true};

static void print_help(void)
{
    printf("%s: runs Linux programs for %s, %s-endian.\n\n"
           "    %s [OPTION…] PROGRAM [ARGUMENT…]\n\n"
           "The status is the program's: its exit code, or its death by the same signal. Options\n"
           "may have one dash or two; bad options and files end with status 2. Two runs are\n"
           "alike: threads run in turns, and time is counted in instructions.\n\n",
           user_abi.program, user_abi.machine, user_abi.big_endian ? "big" : "little",
           user_abi.program);
    cli_print(&command_line, stdout);
}

/* Prints a list that an option requests in place of a run; false: no option does. */
static bool print_instead(const struct user_options *o, const struct user_device *device)
{
    if (o->log_channels && !strcmp(o->log_channels, "help"))
        log_help(stdout);
    else if (o->cpu && !strcmp(o->cpu, "help"))
        cpu_choice_help(user_abi.isa, user_abi.cpus, stdout);
    else if (device && o->gpu && !strcmp(o->gpu, "help"))
        device->print_names(stdout);
    else
        return false;
    return true;
}

enum user_parsed user_options_parse(struct user_options *o, char **argv,
                                    const struct user_device *device, struct error *err)
{
    *o = (struct user_options){.seed = 1,
                               .ps_per_tick = DEFAULT_PS,
                               .gpu_threads = 1,
                               .stack_bytes = DEFAULT_STACK,
                               .limit_ns = CLOCK_NEVER,
                               .jit = jit_defaults()};
    switch (cli_read(&command_line, o, argv, err)) {
    case CLI_HELP:
        print_help();
        return USER_DONE;
    case CLI_VERSION:
        cli_print_version(user_abi.program, stdout);
        return USER_DONE;
    case CLI_WRONG:
        return USER_WRONG;
    case CLI_DONE:
        break;
    }
    if (o->gpu && !device) {
        error_set(err, "-gpu: this program has no GPUs");
        return USER_WRONG;
    }
    if (print_instead(o, device))
        return USER_DONE;
    if (o->sandbox && *o->jit.cache) {
        error_set(err, "-jit-cache: its files are executed, and -sandbox is for programs that may "
                       "change files");
        return USER_WRONG;
    }
    o->jit.program = o->program;
    if (o->program)
        return USER_RUN;
    error_set(err, "no program given (try --help)");
    return USER_WRONG;
}

void user_options_free(struct user_options *o)
{
    vec_for_each (&o->set_env, variable)
        free(*variable);
    vec_free(&o->set_env);
}
