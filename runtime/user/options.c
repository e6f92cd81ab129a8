#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/bits.h"
#include "runtime/user/user.h"

#define DEFAULT_STACK (UINT64_C(8) << 20)
#define DEFAULT_PS    1000u /* a CPU of 1,000 million instructions a second */

/* ---- values -----------------------------------------------------------------------------------
 */

static bool number(const char *text, const char *what, uint64_t max, uint64_t *out,
                   struct error *err)
{
    char *end;
    unsigned long long value = strtoull(text, &end, 0);

    if (*end == 'K' || *end == 'k')
        value <<= 10, end++;
    else if (*end == 'M' || *end == 'm')
        value <<= 20, end++;
    if (*text == '-' || *end || !*text || !value || value > max)
        return error_set(err, "%s takes a number from 1 to %llu, not '%s'", what,
                         (unsigned long long)max, text);
    *out = value;
    return true;
}

static void replace(char **where, const char *value)
{
    free(*where);
    *where = xstrdup(value);
}

/* ---- one function an option -------------------------------------------------------------------
 */

#define STRING_OPTION(field)                                                            \
    static bool set_##field(struct user_options *o, const char *value, struct error *e) \
    {                                                                                   \
        (void)e;                                                                        \
        replace(&o->field, value);                                                      \
        return true;                                                                    \
    }
STRING_OPTION(argv0)
STRING_OPTION(log_channels)
STRING_OPTION(log_file)
STRING_OPTION(stats_dir)
STRING_OPTION(features)
STRING_OPTION(sysroot)

static bool set_strace(struct user_options *o, const char *value, struct error *err)
{
    (void)value, (void)err;
    o->strace = true;
    return true;
}

static bool set_variable(struct user_options *o, const char *value, struct error *err)
{
    if (!strchr(value, '='))
        return error_set(err, "-E takes NAME=VALUE, not '%s'", value);
    vec_push(&o->set_env, xstrdup(value));
    return true;
}

static bool unset_variable(struct user_options *o, const char *value, struct error *err)
{
    if (strchr(value, '='))
        return error_set(err, "-U takes the name of a variable, not '%s'", value);
    vec_push(&o->set_env, xstrdup(value));
    return true;
}

static bool set_seed(struct user_options *o, const char *value, struct error *err)
{
    return number(value, "-seed", UINT64_MAX, &o->seed, err);
}

static bool set_stack(struct user_options *o, const char *value, struct error *err)
{
    return number(value, "-s", UINT64_C(1) << 30, &o->stack_bytes, err);
}

static bool set_icount(struct user_options *o, const char *value, struct error *err)
{
    if (strncmp(value, "ps=", 3))
        return error_set(err, "-icount takes ps=N, not '%s'", value);
    return number(value + 3, "-icount ps", 1000000000, &o->ps_per_insn, err);
}

static bool set_limit(struct user_options *o, const char *value, struct error *err)
{
    uint64_t seconds;

    if (!number(value, "-limit", 1000000000, &seconds, err))
        return false;
    o->limit_ns = seconds * NS_PER_SEC;
    return true;
}

static bool set_clock(struct user_options *o, const char *value, struct error *err)
{
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

#define JIT_OPTION(id, name, arg, help)                                                \
    static bool set_##id(struct user_options *o, const char *value, struct error *err) \
    {                                                                                  \
        return jit_option(&o->jit, name, value, err);                                  \
    }
#include "runtime/jit/options.inc"
#undef JIT_OPTION

struct option {
    const char *name, *arg, *help;
    bool (*apply)(struct user_options *o, const char *value, struct error *err);
};

static const struct option table[] = {
    {"0", "NAME", "the program's argv[0] (default: its file)", set_argv0},
    {"E", "NAME=VALUE", "sets a variable of the program's environment", set_variable},
    {"U", "NAME", "takes a variable out of it", unset_variable},
    {"L", "DIR", "files below DIR come first: interpreter and libraries of a dynamic program",
     set_sysroot},
    {"s", "BYTES", "size of the stack, K and M allowed (default 8M)", set_stack},
    {"cpu", "FEATURE=on|off[,…]", "switches features of the CPU; -cpu help lists them",
     set_features},
    {"seed", "N", "what getrandom() and AT_RANDOM give is made of it (default 1)", set_seed},
    {"icount", "ps=N", "an instruction takes N ps of virtual time (default 1000)", set_icount},
    {"clock", "auto|virtual|shared|host",
     "virtual: sleeping takes no host time; shared: it does; auto: it does once the program\n"
     "has forked (the default); host: the program sees the host's clocks",
     set_clock},
    {"limit", "SECONDS", "end after so much virtual time, with status 124", set_limit},
    {"strace", NULL, "print system calls and signals on standard error", set_strace},
    {"d", "CHANNEL[,CHANNEL…]", "log these; -d help lists them", set_log_channels},
    {"D", "FILE", "the log goes there instead of standard error", set_log_file},
    {"stats", "DIR", "write stats.json and stats.txt there at the end", set_stats_dir},
#define JIT_OPTION(id, name, arg, help) {name, arg, help, set_##id},
#include "runtime/jit/options.inc"
#undef JIT_OPTION
};

static void print_help(void)
{
    printf("%s: runs Linux programs for %s.\n\n"
           "    %s [OPTION…] PROGRAM [ARGUMENT…]\n\n"
           "The status is the program's: its exit code, or its death by the same signal. Options\n"
           "may have one dash or two; bad options and files end with status 2. Two runs are\n"
           "alike: threads run in turns, and time is counted in instructions.\n\n",
           user_abi.program, user_abi.machine, user_abi.program);
    for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
        printf("  -%s%s%s\n", table[i].name, table[i].arg ? " " : "",
               table[i].arg ? table[i].arg : "");
        for (const char *line = table[i].help; line; line = strchr(line, '\n')) {
            line += *line == '\n';
            printf("          %.*s\n", (int)strcspn(line, "\n"), line);
        }
    }
    puts("  -help, -h\n          this text");
}

/* Applies argv[*i], and moves *i past its value. */
static bool apply_one(struct user_options *o, int argc, char **argv, int *i, struct error *err)
{
    const char *name = argv[*i] + 1 + (argv[*i][1] == '-');

    for (size_t n = 0; n < ARRAY_SIZE(table); n++) {
        const struct option *opt = &table[n];

        if (strcmp(opt->name, name))
            continue;
        if (!opt->arg)
            return opt->apply(o, NULL, err);
        if (*i + 1 == argc)
            return error_set(err, "-%s needs a value: %s", name, opt->arg);
        return opt->apply(o, argv[++*i], err);
    }
    return error_set(err, "unknown option '%s' (try --help)", argv[*i]);
}

enum user_parsed user_options_parse(struct user_options *o, int argc, char **argv,
                                    struct error *err)
{
    int i;

    *o = (struct user_options){.seed = 1,
                               .ps_per_insn = DEFAULT_PS,
                               .stack_bytes = DEFAULT_STACK,
                               .limit_ns = CLOCK_NEVER,
                               .jit = jit_defaults()};
    for (i = 1; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
        if (!strcmp(argv[i], "--")) {
            i++;
            break;
        }
        if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help") || !strcmp(argv[i], "-help")) {
            print_help();
            return USER_DONE;
        }
        if (!apply_one(o, argc, argv, &i, err))
            return USER_WRONG;
    }
    if (o->log_channels && !strcmp(o->log_channels, "help")) {
        log_help(stdout);
        return USER_DONE;
    }
    if (o->features && !strcmp(o->features, "help")) {
        for (unsigned n = 0; n < user_abi.isa->feature_count; n++)
            puts(user_abi.isa->feature_names[n]);
        return USER_DONE;
    }
    if (i == argc) {
        error_set(err, "no program given (try --help)");
        return USER_WRONG;
    }
    replace(&o->program, argv[i]);
    o->args = argv + i + 1;
    return USER_RUN;
}

void user_options_free(struct user_options *o)
{
    char **variable;

    vec_for_each (variable, &o->set_env)
        free(*variable);
    vec_free(&o->set_env);
    free(o->program);
    free(o->argv0);
    free(o->log_channels);
    free(o->log_file);
    free(o->stats_dir);
    free(o->features);
    free(o->sysroot);
}
