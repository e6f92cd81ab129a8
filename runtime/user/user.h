/*
 * A Linux process in user mode: static programs of another architecture run on generated CPUs,
 * their system calls served by the host. Each guest thread is a CPU of one group and runs in turns
 * on one host thread; a fork is a fork of the host process.
 *
 * What the files of this room share. Guest addresses are uint64_t; system calls return a result or
 * a negative errno (common to all ABIs here).
 */
#ifndef RUNTIME_USER_USER_H
#define RUNTIME_USER_USER_H

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "runtime/base/error.h"
#include "runtime/base/log.h"
#include "runtime/base/vec.h"
#include "runtime/cpu/choice.h"
#include "runtime/cpu/group.h"
#include "runtime/jit/jit.h"
#include "runtime/user/abi.h"
#include "runtime/user/layout.h"
#include "runtime/user/space.h"

enum user_clock {
    USER_CLOCK_AUTO,    /* waiting takes host time once there are other processes */
    USER_CLOCK_VIRTUAL, /* waiting takes no host time */
    USER_CLOCK_SHARED,  /* waiting takes host time: others live there */
    USER_CLOCK_HOST,    /* clocks are the host's */
};

struct user_options {
    VEC(char *) set_env; /* -E NAME=VALUE, -U NAME as NAME */
    /* Borrowed from the command line; NULL: not given. */
    const char *program; /* file */
    const char *argv0;   /* NULL: program */
    char **args;         /* after the program, up to NULL */
    const char *log_channels, *log_file, *stats_dir, *cpu;
    const char *sysroot; /* where a program's interpreter is looked for; NULL: / */
    uint64_t nofile[2];  /* soft and hard limit of open files, where given */
    bool nofile_given;
    uint64_t seed, ps_per_tick, stack_bytes, limit_ns;
    uint64_t strace_fd; /* 0: not given */
    enum user_clock clock;
    bool strace, sandbox;
    struct jit_options jit;
};

/* ---- options.c ------------------------------------------------------------------------------- */

enum user_parsed { USER_RUN, USER_DONE, USER_WRONG };
/* Reads the command line, which ends with NULL and must stay. */
enum user_parsed user_options_parse(struct user_options *o, char **argv, struct error *err);
void user_options_free(struct user_options *o);

/* ---- signals --------------------------------------------------------------------------------- */

enum { SIGNALS = 64 };

struct pending_signals {
    uint64_t set; /* bit signal - 1 */
    VEC(siginfo_t) queue;
};

static inline uint64_t signal_bit(int signal)
{
    return UINT64_C(1) << (signal - 1);
}

/* ---- waiting --------------------------------------------------------------------------------- */

enum wait_kind {
    WAIT_NOT,
    WAIT_FDS,    /* until one of wait.fds is ready */
    WAIT_CHILD,  /* until a child process changes */
    WAIT_FUTEX,  /* until futex_wake() */
    WAIT_SIGNAL, /* until a signal of wait.signals, or one to deliver */
    WAIT_TIME,
    WAIT_RETRY, /* nobody reports it: tried again every millisecond of host time */
};

/* Why a system call's function is called. */
enum resume_why {
    RESUME_FIRST,   /* by the guest */
    RESUME_READY,   /* what it waited for may have happened */
    RESUME_TIMEOUT, /* the deadline has passed */
    RESUME_SIGNAL,  /* a signal interrupts it; it must not wait again */
};

struct wait {
    enum wait_kind kind;
    enum resume_why why;
    const struct user_row *row; /* the call, and its arguments */
    uint64_t arg[USER_ARGS];
    uint64_t first;    /* register of the call */
    uint64_t deadline; /* CLOCK_NEVER: none */
    VEC(struct pollfd) fds;
    uint64_t futex;
    uint32_t bits;
    bool owned;       /* the futex is a lock that has an owner */
    uint64_t requeue; /* the lock that the thread is to have then, or 0 */
    uint64_t signals;
    uint64_t done, until; /* of a call for several messages: how many there were, and its end */
    bool due;             /* the deadline has passed */
    struct event timer;
};

/* Results besides numbers and negative errnos. */
#define CALL_WAITS   INT64_MIN       /* thread_wait() was called: the function is called again */
#define CALL_LEAVES  (INT64_MIN + 1) /* the registers are as they must be */
#define CALL_RESTART (INT64_MIN + 2) /* interrupted; is repeated where the action says SA_RESTART */
#define CALL_REPEAT  (INT64_MIN + 3) /* interrupted; is repeated unless a handler runs */
#define CALL_AGAIN   (INT64_MIN + 4) /* interrupted; is repeated whatever the action */

/* ---- process and threads --------------------------------------------------------------------- */

struct posix_timer;
struct event_fd;

struct thread {
    struct process *process;
    struct cpu *cpu;
    int tid;
    uint64_t mask; /* blocked signals */
    uint64_t saved_mask;
    bool restore_mask; /* saved_mask goes into the next frame, or back when the call ends */
    struct pending_signals pending;
    stack_t alt;        /* ss_sp is a guest address */
    uint64_t clear_tid; /* where 0 is written at the end, or 0 */
    uint64_t robust, robust_len;
    char name[16];
    struct wait wait;
    bool waits;
    int64_t
        restart; /* CALL_RESTART, CALL_REPEAT or CALL_AGAIN of an interrupted call, until delivery */
    bool dead;   /* between its end and the end of the turn */
};

struct process {
    const struct user_options *options;
    struct log *log;
    struct clock clock;
    struct bus *bus;
    struct space space;
    struct cpu_group group;
    struct jit *jit; /* NULL: interpreted only */
    VEC(struct thread *) threads;
    VEC(struct thread *) born; /* join after the turn */
    VEC(struct cpu *) spare;   /* of ended threads */
    unsigned cpus;             /* made so far */
    int pid, next_tid;
    int first_pid; /* of the process that was not forked */
    bool original; /* not a fork */
    bool related;  /* forked, or a fork: others live in host time */

    struct user_action action[SIGNALS + 1];
    struct pending_signals pending;
    struct event alarm[3]; /* ITIMER_* */
    uint64_t alarm_interval[3];
    VEC(struct posix_timer *) timers;
    VEC(struct event_fd *) event_fds; /* timerfd and signalfd: event_fd.h */
    size_t event_fds_limit;           /* unused ones are looked for at so many */
    uint64_t sigpage;
    uint32_t personality;

    VEC(int) own;           /* descriptors of the simulator: own_fds.c */
    int strace_fd;          /* where -strace writes, one of them; -1: nowhere */
    struct rlimit64 nofile; /* the program's limits of open files */
    char *exe;              /* absolute path */
    uint64_t random;        /* state of getrandom() */
    uint64_t start_ns;      /* of CLOCK_REALTIME when virtual time is 0 */
    uint64_t host_start_ns;
    uint64_t cmdline[2], auxv[2]; /* guest addresses, from and to */
    struct cpu_choice choice;     /* of every CPU */
    uint64_t unknown_calls[16];   /* bit a number that was reported */

    bool ended;
    int exit_code;   /* as in exit_group() */
    int exit_signal; /* or 0 */
};

/* process.c: makes the process and loads the program. Free with process_free(). */
struct process *process_new(const struct user_options *o, struct log *log, char **env,
                            struct error *err);
void process_free(struct process *p);
/* Runs until the process ends. */
void process_run(struct process *p);
/* The process ends after the present block; `signal` 0: with the exit code. */
void process_end(struct process *p, int code, int signal);
/* Virtual (or, as the options say, host) time since the start; and CLOCK_REALTIME. */
uint64_t process_now(const struct process *p);
uint64_t process_realtime(const struct process *p);

/* thread.c */
struct thread *thread_new(struct process *p, struct error *err);
/* Ends a thread; the last one ends the process. */
void thread_end(struct thread *t, int code);
struct thread *thread_find(const struct process *p, int tid);
/* After a fork: this thread is the only one. */
void thread_alone(struct thread *t);
/* Between turns: admits new threads, removes ended ones. */
void thread_settle(struct process *p);
/* Between turns: resumes whoever has what it waited for. */
void thread_attend(struct process *p);
bool thread_any_runs(const struct process *p);
/* Nobody runs: time or the host must do something. */
void thread_idle(struct process *p);
/*
 * The running system call waits: the CPU stops, and the call's function is called again. On the
 * first call sets the deadline; later ones keep it. Returns CALL_WAITS, and for
 * RESUME_SIGNAL CALL_RESTART.
 */
int64_t thread_wait(struct thread *t, enum wait_kind kind, uint64_t deadline);
/* As thread_wait() until the file descriptor is ready for poll's `events`. */
int64_t thread_wait_fd(struct thread *t, int fd, short events);
/* Ends the wait of a thread with a result of its call. */
void thread_wake(struct thread *t, int64_t result);

/* call.c */
/* A thread's CPU executed the system call instruction. */
void call_enter(struct thread *t);
/* Calls the function of a waiting thread again. */
void call_resume(struct thread *t, enum resume_why why);

/* strace.c */
void strace_call(struct thread *t, const struct user_call *call, const uint64_t *arg);
void strace_result(struct thread *t, const struct user_call *call, int64_t result);
void strace_unknown(struct thread *t, uint64_t number, const uint64_t *arg);
void strace_signal(struct thread *t, const siginfo_t *info);

/* signal.c */
void signal_to_thread(struct thread *t, const siginfo_t *info);
void signal_to_process(struct process *p, const siginfo_t *info);
/* A synchronous signal: cannot be blocked or ignored. */
void signal_fault(struct thread *t, const siginfo_t *info);
/* Starts the handlers of what is pending and not blocked; outside of blocks only. */
void signal_deliver(struct thread *t);
/* Whether something is pending that would end a wait. */
bool signal_waits(struct thread *t);
/* Takes a pending signal of the set; false: there is none. */
bool signal_take(struct thread *t, uint64_t set, siginfo_t *info);
uint64_t signal_pending(const struct thread *t);
void signal_set_mask(struct thread *t, uint64_t mask);
/* The mask during a waiting call (ppoll, sigsuspend …); ends with the call. */
void signal_borrow_mask(struct thread *t, uint64_t mask);
void signal_call_done(struct thread *t);

/* host_signal.c: signals that the host sends to this process. */
void host_signal_init(struct process *p);
/* Guest memory (NULL: none any more): a file mapped there that gets shorter reads as zeros. */
void host_signal_watch(struct space *space);
/* Passes on what has arrived. */
void host_signal_collect(struct process *p);
/* The guest ignores the signal, or no more. */
void host_signal_ignore(int signal, bool ignore);
/* Sleeps until an fd is ready, a signal arrives or the time is over; as ppoll(). */
int host_signal_poll(struct pollfd *fds, unsigned count, uint64_t timeout_ns);
/* Before exec: what the guest blocks and ignores is what the new program finds. */
void host_signal_restore(uint64_t mask);
/* Ends this process by the signal, as if it had no handler. */
_Noreturn void host_signal_die(int signal);
/* The mask this process was started with. */
uint64_t host_signal_start_mask(void);

/* futex.c */
int futex_wake(struct process *p, uint64_t va, int count, uint32_t bits);
/* futex_pi.c: the thread ends; who waits for its locks gets them. */
void futex_release_all(struct thread *t);

/* elf.c and stack.c: loading */
struct image {
    uint64_t entry, base, phdr, end;
    unsigned phdr_count;
    uint64_t interpreter_base, start; /* start: where to begin, the interpreter's entry maybe */
    bool executable_stack;
};
bool elf_load(struct process *p, const char *path, struct image *image, struct error *err);
/* Whether the file is an ELF program for this ABI. */
bool elf_is_ours(const char *path);
/* Builds the first stack; its pointer, or 0. */
uint64_t stack_build(struct process *p, struct thread *t, const struct image *image, char **env,
                     struct error *err);
uint64_t process_random(struct process *p);

/* own_fds.c: descriptors of the simulator. */
bool fd_is_own(const struct process *p, uint64_t fd);
/* Makes a copy of fd, closed by exec, an own one; -1: it cannot be. */
int fd_keep(struct process *p, int fd);
/* Closes an own descriptor. */
void fd_drop(struct process *p, int fd);
void fd_keep_log(struct process *p);
void fd_keep_strace(struct process *p);
/* The program is to get this number. */
void fd_make_way(struct process *p, uint64_t fd);
int64_t fd_close_range(struct process *p, unsigned first, unsigned last, unsigned flags);
/* The program's RLIMIT_NOFILE: at the start, setrlimit(), and not in force while the simulator opens something. */
void nofile_init(struct process *p);
int64_t nofile_set(struct process *p, const struct rlimit64 *limit);
void nofile_lift(struct process *p);
void nofile_drop(struct process *p);

/* fork.c */
char **exec_args(const struct process *p, const char *path, char **argv, char **env);

/* path.c: the file that a path of the guest names, which is none for the simulator's descriptors; and
 * the one below the sysroot (-L) where there is one with this name. `buf` is for the answer; it has
 * PATH_BYTES. NULL stays NULL. */
enum { PATH_BYTES = 4096 };
const char *path_allowed(const struct process *p, const char *path);
const char *path_in_root(const struct process *p, const char *path, char *buf);
/* Paths that mean this process. An fd (>= 0), -1 with errno, or -2: nothing special. */
int path_open_special(struct process *p, const char *path, int flags);
/* "/proc/self/exe" and its other names. */
bool path_is_exe(const struct process *p, const char *path);

/* sandbox.c: -sandbox. Filters the process's calls of the host from now on, in all its threads. */
bool sandbox_enter(struct error *err);
/* Whether the program may have what was opened, and may send signals as kill() does. */
bool sandbox_may_open(const struct process *p, int fd);
bool sandbox_may_signal(const struct process *p, int pid);

/* ---- for system calls ------------------------------------------------------------------------ */

static inline void *guest_read(struct thread *t, uint64_t va, uint64_t len)
{
    return space_read(&t->process->space, va, len);
}

static inline void *guest_write(struct thread *t, uint64_t va, uint64_t len)
{
    return space_write(&t->process->space, va, len);
}

static inline const char *guest_string(struct thread *t, uint64_t va)
{
    return space_string(&t->process->space, va);
}

/* Declares a path argument; a bad one ends the call. */
#define PATH(name, va)                                                      \
    const char *name = path_allowed((t)->process, guest_string((t), (va))); \
    if (!name)                                                              \
    return -EFAULT

/* The same for calls that only look: the sysroot's files come first. */
#define PATH_IN_ROOT(name, va)                                                          \
    char name##_buf[PATH_BYTES];                                                        \
    const char *name = path_in_root((t)->process, guest_string((t), (va)), name##_buf); \
    if (!name)                                                                          \
    return -EFAULT

/* Copies `len` bytes to the guest; 0 or -EFAULT. `va` 0 is allowed when `optional`. */
int64_t guest_put(struct thread *t, uint64_t va, const void *data, uint64_t len);
int64_t guest_get(struct thread *t, uint64_t va, void *data, uint64_t len);
/* The same for structures that the guest lays out its own way, and for words. */
int64_t guest_put_struct(struct thread *t, uint64_t va, const struct layout *l, const void *host);
int64_t guest_get_struct(struct thread *t, uint64_t va, const struct layout *l, void *host);
int64_t guest_put_siginfo(struct thread *t, uint64_t va, const siginfo_t *info);
int64_t guest_get_siginfo(struct thread *t, uint64_t va, siginfo_t *info);
int64_t guest_put_word(struct thread *t, uint64_t va, uint64_t value);
int64_t guest_get_word(struct thread *t, uint64_t va, uint64_t *value);
/* How wide words are, and times in the present call. */
struct layout_widths guest_widths(const struct thread *t);

/* sys_file.c: the host's view of the guest's vector, whose memory the call writes or reads; the
 * count, or a negative errno. `out` has room for IOV_MAX. */
int64_t guest_get_vector(struct thread *t, uint64_t va, uint64_t count, struct iovec *out,
                         bool write);

/* sys_file.c: whether reading (POLLIN) or writing (POLLOUT) must wait first, lest the host does. */
bool fd_must_wait(int fd, short events);
/* Whether it could ever: regular files never do. */
bool fd_may_wait(int fd);

/* sys_poll.c: the deadline of a relative time at `va`, 0: none. 0 or a negative errno. */
int64_t guest_get_deadline(struct thread *t, uint64_t va, uint64_t *deadline);

/* The result of a host call: itself, or -errno. */
int64_t host_result(int64_t result);

/* Prototypes and descriptors of all system calls. */
#define CALL(name, format)                                     \
    int64_t sys_##name(struct thread *t, const uint64_t *arg); \
    extern const struct user_call call_##name;
#include "runtime/user/calls.inc"
#undef CALL

#endif
