/*
 * System calls: the process becomes another program. A program of the guest's is run by this
 * simulator anew, with the same options; one of the host's, unless -sandbox is given, by the host.
 */
#include "runtime/base/alloc.h"
#include "runtime/user/user.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/user/hand_over.h"

/* Most strings of one exec. */
#define MAX_STRINGS 65536

/* ---- the simulator's command line ------------------------------------------------------------ */

/* A command line under construction. The strings are its own. */
struct words {
    VEC(char *) all;
};

static void add(struct words *w, const char *word)
{
    vec_push(&w->all, xstrdup(word));
}

/* Adds an option and its value; neither if the value is NULL. */
static void add_text(struct words *w, const char *option, const char *value)
{
    if (!value)
        return;
    add(w, option);
    add(w, value);
}

static void add_flag(struct words *w, const char *option, bool on)
{
    if (on)
        add(w, option);
}

static void add_number(struct words *w, const char *option, uint64_t value)
{
    char number[24];

    snprintf(number, sizeof(number), "%" PRIu64, value);
    add_text(w, option, number);
}

/* With -sandbox the host's environment is empty, and the program's is passed as options: the host's
 * loader must not see a LD_PRELOAD of the program. */
static void add_environment(struct words *w, char **env)
{
    for (; *env; env++)
        if (strchr(*env, '='))
            add_text(w, "-E", *env);
}

/* The options that the user gave this process, which a program that it executes has as well. */
static void add_user_options(struct words *w, const struct process *p)
{
    const struct user_options *o = p->options;
    char per_tick[32];

    add_flag(w, "-strace", o->strace);
    add_flag(w, "-sandbox", o->sandbox);
    add_text(w, "-d", o->log_channels);
    add_text(w, "-cpu", o->cpu);
    add_text(w, "-L", o->sysroot);
    add_text(w, "-gpu", o->gpu);
    add_text(w, "-gpu-snapshot", o->gpu_snapshots);
    if (o->gpu)
        add_number(w, "-gpu-threads", o->gpu_threads);
    add_text(w, "-stats", p->original ? o->stats_dir : NULL);
    if (o->limit_ns != CLOCK_NEVER)
        add_number(w, "-limit", o->limit_ns / NS_PER_SEC);
    snprintf(per_tick, sizeof(per_tick), "ps=%" PRIu64, o->ps_per_tick);
    add_text(w, "-icount", per_tick);
    add_number(w, "-seed", o->seed);
    add_number(w, "-s", o->stack_bytes);
}

static void add_translation_options(struct words *w, const struct jit_options *jit)
{
    add_text(w, "-accel", jit->enabled ? "jit" : "interp");
    add_text(w, "-jit-tier", jit->enabled ? jit_tier_names[jit->tier] : NULL);
    add_text(w, "-jit-cache", *jit->cache ? jit->cache : NULL);
    add_number(w, "-jit-threshold", jit->threshold);
    if (jit->quick_threshold) /* otherwise by the host */
        add_number(w, "-jit-quick-threshold", jit->quick_threshold);
    add_number(w, "-jit-threads", jit->threads);
    add_number(w, "-jit-budget", jit->budget >> 20);
    add_flag(w, "-jit-sync", jit->sync);
    add_flag(w, "-jit-handlers", jit->handlers);
    add_flag(w, "-jit-base", jit->base);
}

/* What the process has become since its start: its limits, its clock and its descriptors. */
static void add_process_state(struct words *w, const struct process *p, int handed_over)
{
    enum user_clock clock = p->options->clock;
    char limits[48];

    snprintf(limits, sizeof(limits), "%" PRIu64 ":%" PRIu64, (uint64_t)p->nofile.rlim_cur,
             (uint64_t)p->nofile.rlim_max);
    add_text(w, "-nofile", limits);
    if (p->strace_fd >= 0)
        add_number(w, "-strace-fd", (uint64_t)p->strace_fd);
    if (handed_over >= 0)
        add_number(w, "-handed-over", (uint64_t)handed_over);
    add_text(w, "-clock",
             clock == USER_CLOCK_HOST                   ? "host"
             : clock == USER_CLOCK_VIRTUAL              ? "virtual"
             : p->related || clock == USER_CLOCK_SHARED ? "shared"
                                                        : "auto");
}

/* A path that begins with '-' would be read as an option. */
static void add_program(struct words *w, const char *path)
{
    char below[PATH_BYTES + 2];

    snprintf(below, sizeof(below), "%s%s", *path == '-' ? "./" : "", path);
    add(w, below);
}

/* Returns the host arguments that run a guest program: this simulator, its options, and the
 * descriptor of the state that is handed over. The caller frees the array and its strings. */
static char **exec_args(const struct process *p, const char *path, char **argv, char **env,
                        int handed_over)
{
    struct words w = {0};

    add(&w, user_abi.program);
    if (p->options->sandbox)
        add_environment(&w, env);
    add_user_options(&w, p);
    add_translation_options(&w, &p->options->jit);
    add_process_state(&w, p, handed_over);
    add_text(&w, "-0", argv[0] ? argv[0] : "");
    add_program(&w, path);
    for (size_t n = 0; argv[0] && argv[n + 1]; n++)
        add(&w, argv[n + 1]);
    vec_push(&w.all, NULL);
    return w.all.data;
}

/* ---- execve ---------------------------------------------------------------------------------- */

/* The guest's array of strings, ended by NULL; NULL: a bad pointer. The caller frees the array. */
static char **get_strings(struct thread *t, uint64_t va)
{
    char **out = xcalloc(1, sizeof(*out));

    for (size_t n = 0; va && n < MAX_STRINGS; n++) {
        uint64_t at;

        if (guest_get_word(t, va + user_abi.word_bytes * n, &at))
            break;
        out = xrealloc(out, n + 2, sizeof(*out));
        out[n] = at ? (char *)(uintptr_t)guest_string(t, at) : NULL;
        out[n + 1] = NULL;
        if (!at)
            return out;
        if (!out[n])
            break;
    }
    if (!va)
        return out;
    free(out);
    return NULL;
}

/* Reads the interpreter and its argument of a script ("#!"); false: the file is no script. */
static bool read_script(const char *path, char line[256], char **interpreter, char **argument)
{
    FILE *file = fopen(path, "re");
    bool script = file && fgets(line, 256, file) && line[0] == '#' && line[1] == '!';

    if (file)
        fclose(file);
    if (!script)
        return false;
    line[strcspn(line, "\n")] = 0;
    *interpreter = line + 2 + strspn(line + 2, " \t");
    *argument = *interpreter + strcspn(*interpreter, " \t");
    if (**argument)
        *(*argument)++ = 0;
    *argument += strspn(*argument, " \t");
    return true;
}

static int64_t exec_with(struct thread *t, const char *path, char **argv, char **env)
{
    int trace = t->process->strace_fd, handed_over;
    char **args, *none[] = {NULL};
    int64_t failed;

    fflush(NULL);
    nofile_lift(t->process); /* the new simulator process opens libraries */
    host_signal_collect(t->process);
    handed_over = hand_over(t);
    args = exec_args(t->process, path, argv, env, handed_over);
    host_signal_restore(t->mask);
    if (trace >= 0)
        fcntl(trace, F_SETFD, 0);
    execve("/proc/self/exe", args, t->process->options->sandbox ? none : env);
    failed = -errno;
    if (trace >= 0)
        fcntl(trace, F_SETFD, FD_CLOEXEC);
    hand_over_undo(t->process, handed_over);
    nofile_drop(t->process);
    host_signal_restore(0);
    for (size_t n = 0; args[n]; n++)
        free(args[n]);
    free(args);
    return failed;
}

static int64_t exec_file(struct thread *t, const char *path, char **argv, char **env)
{
    char line[256], *interpreter, *argument, buf[PATH_BYTES];
    int64_t failed;
    VEC(char *) v = {0};

    path = path_in_root(t->process, path, buf);
    if (path_is_exe(t->process, path))
        path = t->process->exe;
    if (access(path, X_OK))
        return -errno;
    if (elf_is_ours(path))
        return exec_with(t, path, argv, env);
    if (!read_script(path, line, &interpreter, &argument) || !elf_is_ours(interpreter)) {
        struct given_to_host given;

        if (t->process->options->sandbox)
            return -EACCES;
        fflush(NULL);
        nofile_drop(t->process);
        give_to_host(t, &given);
        execve(path, argv, env); /* a program of the host, or not executable */
        failed = -errno;
        take_back(t->process, &given);
        return failed;
    }
    vec_push(&v, interpreter);
    if (*argument)
        vec_push(&v, argument);
    vec_push(&v, (char *)(uintptr_t)path);
    for (size_t n = 0; argv[0] && argv[n + 1]; n++)
        vec_push(&v, argv[n + 1]);
    vec_push(&v, NULL);
    failed = exec_with(t, interpreter, v.data, env);
    vec_free(&v);
    return failed;
}

int64_t sys_execve(struct thread *t, const uint64_t *arg)
{
    const char *path = guest_string(t, arg[0]);
    char **argv = get_strings(t, arg[1]), **env = get_strings(t, arg[2]);
    int64_t failed;

    nofile_lift(t->process);
    failed = path && argv && env ? exec_file(t, path, argv, env) : -EFAULT;
    nofile_drop(t->process);

    free(argv);
    free(env);
    return failed;
}

int64_t sys_execveat(struct thread *t, const uint64_t *arg)
{
    const char *path = guest_string(t, arg[1]);
    char link[64];
    char **argv = get_strings(t, arg[2]), **env = get_strings(t, arg[3]);
    int64_t failed = -EFAULT;

    if (path && argv && env && !*path && (arg[4] & AT_EMPTY_PATH)) {
        snprintf(link, sizeof(link), "/proc/self/fd/%d", (int)arg[0]);
        failed = exec_file(t, link, argv, env);
    } else if (path && argv && env) {
        failed = *path == '/' || (int)arg[0] == AT_FDCWD ? exec_file(t, path, argv, env) : -ENOSYS;
    }
    free(argv);
    free(env);
    return failed;
}
