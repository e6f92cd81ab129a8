/* System calls: new threads and processes, other programs, the end. */
#include "runtime/base/alloc.h"
#include "runtime/user/user.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/user/event_fd.h"
#include "runtime/user/hand_over.h"

/* Most strings of one exec. */
#define MAX_STRINGS 65536

/* ---- clone ----------------------------------------------------------------------------------- */

struct clone {
    uint64_t flags, stack, parent_tid, tls, child_tid, pidfd;
};

#define THREAD_FLAGS (CLONE_VM | CLONE_THREAD | CLONE_SIGHAND)

/* Copies the parent's registers, and sets the result and clone()'s stack and TLS pointers. */
static void clone_registers(struct thread *child, struct thread *parent, const struct clone *c)
{
    struct cpu *cpu = child->cpu;

    if (child != parent) {
        memcpy(cpu_state(cpu), cpu_state(parent->cpu), cpu_isa_of(cpu)->state_bytes);
        cpu_set_pc(cpu, cpu_pc(parent->cpu));
        cpu_set_mode(cpu, cpu_mode(parent->cpu));
        cpu_state_changed(cpu);
    }
    user_set_result(cpu, 0);
    if (c->stack)
        user_set_stack_pointer(cpu, c->stack);
    if (c->flags & CLONE_SETTLS)
        user_set_tls(cpu, c->tls);
}

static int64_t clone_thread(struct thread *t, const struct clone *c)
{
    struct error err;
    struct thread *child;
    int32_t tid;

    if ((c->flags & CLONE_PARENT_SETTID) && !guest_write(t, c->parent_tid, 4))
        return -EFAULT;
    child = thread_new(t->process, &err);
    if (!child)
        return -EAGAIN;
    memcpy(child->name, t->name, sizeof(child->name));
    child->mask = t->mask;
    clone_registers(child, t, c);
    tid = child->tid;
    if (c->flags & CLONE_PARENT_SETTID)
        guest_put_number(t, c->parent_tid, (uint32_t)tid, 4);
    if (c->flags & CLONE_CHILD_SETTID)
        guest_put_number(t, c->child_tid, (uint32_t)tid, 4);
    if (c->flags & CLONE_CHILD_CLEARTID)
        child->clear_tid = c->child_tid;
    return tid;
}

static void become_child(struct thread *t, const struct clone *c)
{
    struct process *p = t->process;

    p->pid = (int)getpid();
    p->original = false;
    thread_alone(t);
    t->tid = p->pid;
    p->next_tid = p->pid + 1;
    p->pending.set = p->pending.queue.len = 0;
    t->pending.set = t->pending.queue.len = 0;
    for (unsigned n = 0; n < 3; n++)
        clock_cancel(&p->clock, &p->alarm[n]);
    event_fd_after_fork(p);
    served_after_fork(p);
    t->robust = t->robust_len = 0;
    t->clear_tid = c->flags & CLONE_CHILD_CLEARTID ? c->child_tid : 0;
    clone_registers(t, t, c);
    if (c->flags & CLONE_CHILD_SETTID)
        guest_put_number(t, c->child_tid, (uint32_t)p->pid, 4);
}

/* After vfork() the parent continues when the child has ended or called execve(), which closes the
 * child's end of a pipe. */
static void wait_for_vfork(int fd)
{
    char byte;

    while (read(fd, &byte, 1) < 0 && errno == EINTR)
        ;
    close(fd);
}

static int64_t clone_process(struct thread *t, const struct clone *c)
{
    bool vfork = c->flags & CLONE_VFORK;
    int pipe_ends[2] = {-1, -1}, pid;

    nofile_lift(t->process);
    if (vfork && pipe2(pipe_ends, O_CLOEXEC))
        vfork = false;
    nofile_drop(t->process);
    fflush(NULL);
    t->process->related = true;
    jit_before_fork(t->process->jit);
    pid = (int)fork();
    jit_after_fork(t->process->jit, !pid);
    if (pid < 0) {
        int64_t failed = -errno;

        close(pipe_ends[0]);
        close(pipe_ends[1]);
        return failed;
    }
    if (!pid) {
        if (vfork) {
            close(pipe_ends[0]);
            fd_keep(t->process, pipe_ends[1]);
            close(pipe_ends[1]);
        }
        become_child(t, c);
        return CALL_LEAVES;
    }
    if (vfork) {
        close(pipe_ends[1]);
        wait_for_vfork(pipe_ends[0]);
    }
    if (c->flags & CLONE_PARENT_SETTID)
        guest_put_number(t, c->parent_tid, (uint32_t)pid, 4);
    if (c->flags & CLONE_PIDFD)
        guest_put_number(t, c->pidfd, (uint32_t)syscall(SYS_pidfd_open, pid, 0), 4);
    return pid;
}

static int64_t clone_any(struct thread *t, const struct clone *c)
{
    if ((c->flags & THREAD_FLAGS) == THREAD_FLAGS)
        return clone_thread(t, c);
    if ((c->flags & CLONE_THREAD) || ((c->flags & CLONE_VM) && !(c->flags & CLONE_VFORK)) ||
        (c->flags & (CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWUSER | CLONE_NEWNET)))
        return -EINVAL;
    if ((c->flags & CLONE_PIDFD) && !guest_write(t, c->pidfd, sizeof(int32_t)))
        return -EFAULT;
    return clone_process(t, c);
}

int64_t sys_clone(struct thread *t, const uint64_t *arg)
{
    if ((arg[0] & CLONE_PIDFD) && (arg[0] & CLONE_PARENT_SETTID))
        return -EINVAL; /* both results would have the same address */
    return clone_any(t, &(struct clone){arg[0], arg[1], arg[2], arg[3], arg[4], arg[2]});
}

int64_t sys_clone3(struct thread *t, const uint64_t *arg)
{
    struct clone_args a = {0};

    if (arg[1] < CLONE_ARGS_SIZE_VER0)
        return -EINVAL;
    if (guest_get(t, arg[0], &a, arg[1] < sizeof(a) ? arg[1] : sizeof(a)))
        return -EFAULT;
    guest_order_all(&a, sizeof(uint64_t), sizeof(a) / sizeof(uint64_t));
    if ((a.flags & CLONE_INTO_CGROUP) || a.set_tid_size)
        return -EINVAL;
    return clone_any(t, &(struct clone){a.flags, a.stack ? a.stack + a.stack_size : 0, a.parent_tid,
                                        a.tls, a.child_tid, a.pidfd});
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

/* Returns the host arguments that run a guest program: this simulator, its options, and the
 * descriptor of the state that is handed over. The caller frees the array. */
static char **exec_args(const struct process *p, const char *path, char **argv, char **env,
                        int handed_over)
{
    const struct user_options *o = p->options;
    VEC(char *) v = {0};
    char *number;

    vec_push(&v, xstrdup(user_abi.program));
    if (o->strace)
        vec_push(&v, xstrdup("-strace"));
    if (o->sandbox)
        vec_push(&v, xstrdup("-sandbox"));
    for (; o->sandbox && *env; env++) { /* hidden from the host's loader: LD_PRELOAD */
        if (!strchr(*env, '='))
            continue;
        vec_push(&v, xstrdup("-E"));
        vec_push(&v, xstrdup(*env));
    }
#define PASS(option, value)            \
    if (value) {                       \
        vec_push(&v, xstrdup(option)); \
        vec_push(&v, xstrdup(value));  \
    }
    PASS("-d", o->log_channels)
    PASS("-cpu", o->cpu)
    PASS("-L", o->sysroot)
    PASS("-gpu", o->gpu)
    PASS("-gpu-snapshot", o->gpu_snapshots)
    PASS("-stats", p->original ? o->stats_dir : NULL)
    PASS("-jit-cache", *o->jit.cache ? o->jit.cache : NULL)
    PASS("-jit-tier", o->jit.enabled ? jit_tier_names[o->jit.tier] : NULL)
#undef PASS
#define PASS_NUMBER(option, value)                              \
    if (asprintf(&number, "%" PRIu64, (uint64_t)(value)) > 0) { \
        vec_push(&v, xstrdup(option));                          \
        vec_push(&v, number);                                   \
    }
    if (asprintf(&number, "%" PRIu64 ":%" PRIu64, (uint64_t)p->nofile.rlim_cur,
                 (uint64_t)p->nofile.rlim_max) > 0) {
        vec_push(&v, xstrdup("-nofile"));
        vec_push(&v, number);
    }
    if (p->strace_fd >= 0)
        PASS_NUMBER("-strace-fd", p->strace_fd)
    if (handed_over >= 0)
        PASS_NUMBER("-handed-over", handed_over)
    if (o->limit_ns != CLOCK_NEVER)
        PASS_NUMBER("-limit", o->limit_ns / NS_PER_SEC)
    if (asprintf(&number, "ps=%" PRIu64, o->ps_per_tick) > 0) {
        vec_push(&v, xstrdup("-icount"));
        vec_push(&v, number);
    }
    if (o->gpu)
        PASS_NUMBER("-gpu-threads", o->gpu_threads)
    PASS_NUMBER("-seed", o->seed)
    PASS_NUMBER("-s", o->stack_bytes)
    PASS_NUMBER("-jit-threshold", o->jit.threshold)
    if (o->jit.quick_threshold) /* otherwise by the host */
        PASS_NUMBER("-jit-quick-threshold", o->jit.quick_threshold)
    PASS_NUMBER("-jit-threads", o->jit.threads)
    PASS_NUMBER("-jit-budget", o->jit.budget >> 20)
#undef PASS_NUMBER
    vec_push(&v, xstrdup("-accel"));
    vec_push(&v, xstrdup(o->jit.enabled ? "jit" : "interp"));
    if (o->jit.sync)
        vec_push(&v, xstrdup("-jit-sync"));
    if (o->jit.handlers)
        vec_push(&v, xstrdup("-jit-handlers"));
    if (o->jit.base)
        vec_push(&v, xstrdup("-jit-base"));
    vec_push(&v, xstrdup("-clock"));
    vec_push(&v, xstrdup(o->clock == USER_CLOCK_HOST                   ? "host"
                         : o->clock == USER_CLOCK_VIRTUAL              ? "virtual"
                         : p->related || o->clock == USER_CLOCK_SHARED ? "shared"
                                                                       : "auto"));
    vec_push(&v, xstrdup("-0"));
    vec_push(&v, xstrdup(argv[0] ? argv[0] : ""));
    /* A path that begins with '-' would be read as an option. */
    if (*path == '-' && asprintf(&number, "./%s", path) > 0)
        vec_push(&v, number);
    else
        vec_push(&v, xstrdup(path));
    for (size_t n = 0; argv[0] && argv[n + 1]; n++)
        vec_push(&v, xstrdup(argv[n + 1]));
    vec_push(&v, NULL);
    return v.data;
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

/* ---- waiting for children -------------------------------------------------------------------- */

int64_t sys_wait4(struct thread *t, const uint64_t *arg)
{
    int options = (int)arg[2], status = 0;
    struct rusage usage;
    pid_t pid;

    if (t->wait.why == RESUME_SIGNAL)
        return CALL_RESTART;
    pid = wait4((pid_t)arg[0], &status, options | WNOHANG, &usage);
    if (pid < 0)
        return -errno;
    if (!pid)
        return options & WNOHANG ? 0 : thread_wait(t, WAIT_CHILD, CLOCK_NEVER);
    if ((arg[1] && guest_put_number(t, arg[1], (uint32_t)status_to_guest(status), 4)) ||
        (arg[3] && guest_put_struct(t, arg[3], &layout_rusage, &usage)))
        return -EFAULT;
    return pid;
}

int64_t sys_waitid(struct thread *t, const uint64_t *arg)
{
    int options = (int)arg[3];
    siginfo_t info = {0};

    if (t->wait.why == RESUME_SIGNAL)
        return CALL_RESTART;
    if (waitid((idtype_t)arg[0], (id_t)arg[1], &info, options | WNOHANG))
        return -errno;
    if (!info.si_pid && !(options & WNOHANG) && arg[0] == P_PIDFD &&
        (fcntl((int)arg[1], F_GETFL) & O_NONBLOCK))
        return -EAGAIN;
    if (!info.si_pid && !(options & WNOHANG))
        return thread_wait(t, WAIT_CHILD, CLOCK_NEVER);
    return arg[2] ? guest_put_siginfo(t, arg[2], &info) : 0;
}

/* ---- the end --------------------------------------------------------------------------------- */

int64_t sys_exit(struct thread *t, const uint64_t *arg)
{
    thread_end(t, (int)arg[0] & 0xff);
    return CALL_LEAVES;
}

int64_t sys_exit_group(struct thread *t, const uint64_t *arg)
{
    process_end(t->process, (int)arg[0] & 0xff, 0);
    cpu_set_power(t->cpu, false);
    return CALL_LEAVES;
}
