/*
 * A Linux process in user mode: a program of another architecture runs on generated CPUs, and the
 * host serves its system calls. Each guest thread is a CPU of one group; the CPUs run in turns on
 * one host thread. A fork is a fork of the host process.
 *
 * Declarations that the files of this room share. Guest addresses are uint64_t. System calls return
 * a result or a negative errno, whose values are common to all ABIs here.
 */
#ifndef RUNTIME_USER_USER_H
#define RUNTIME_USER_USER_H

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "runtime/base/error.h"
#include "runtime/base/log.h"
#include "common/vec.h"
#include "runtime/cpu/choice.h"
#include "runtime/cpu/group.h"
#include "runtime/jit/jit.h"
#include "runtime/user/abi.h"
#include "runtime/user/layout.h"
#include "runtime/user/served.h"
#include "runtime/user/space.h"

enum user_clock {
    USER_CLOCK_AUTO, /* USER_CLOCK_SHARED once there are other processes, else USER_CLOCK_VIRTUAL */
    USER_CLOCK_VIRTUAL, /* waiting takes no host time */
    USER_CLOCK_SHARED,  /* waiting takes host time, as other processes' waiting does */
    USER_CLOCK_HOST,    /* clocks are the host's */
};

struct user_options {
    VEC(char *) set_env; /* -E NAME=VALUE, -U NAME as NAME */
    /* Borrowed from the command line; NULL: not given. */
    const char *program; /* file */
    const char *argv0;   /* NULL: program */
    char **args;         /* the program's arguments, ended by NULL */
    const char *log_channels, *log_file, *stats_dir, *cpu;
    const char *gpu;           /* NULL: none */
    const char *gpu_snapshots; /* folder for a snapshot of each chain of jobs; NULL: none */
    uint64_t gpu_threads;      /* host threads of its shader cores */
    const char *sysroot;       /* root of the path of a program's interpreter; NULL: / */
    uint64_t nofile[2];        /* soft and hard limit of open files, if given */
    bool nofile_given;
    uint64_t seed, ps_per_tick, stack_bytes, limit_ns;
    uint64_t strace_fd, hand_over_fd; /* descriptors; 0: not given */
    enum user_clock clock;
    bool strace, sandbox;
    struct jit_options jit;
};

/* ---- options.c ------------------------------------------------------------------------------- */

enum user_parsed { USER_RUN, USER_DONE, USER_WRONG };
/* Reads the command line, which ends with NULL and must outlive `o`. `device` knows the names of
 * -gpu; NULL: there are none. */
enum user_parsed user_options_parse(struct user_options *o, char **argv,
                                    const struct user_device *device, struct error *err);
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
    WAIT_FDS,    /* until a descriptor of wait.fds is ready */
    WAIT_CHILD,  /* until a child process changes */
    WAIT_FUTEX,  /* until futex_wake() */
    WAIT_SIGNAL, /* until a signal of wait.signals, or one to deliver */
    WAIT_TIME,
    WAIT_RETRY, /* for a change without notification: retried every millisecond of host time */
};

/* Reason of a call of a system call's function. */
enum resume_why {
    RESUME_FIRST,   /* the guest's call */
    RESUME_READY,   /* the awaited event may have happened */
    RESUME_TIMEOUT, /* the deadline has passed */
    RESUME_SIGNAL,  /* a signal interrupts the call, which must not wait again */
};

struct wait {
    enum wait_kind kind;
    enum resume_why why;
    const struct user_row *row; /* the call, and its arguments */
    uint64_t arg[USER_ARGS];
    uint64_t first;    /* first argument's register at the call */
    uint64_t deadline; /* CLOCK_NEVER: none */
    VEC(struct pollfd) fds;
    uint64_t futex;
    uint32_t bits;
    bool owned;       /* the futex is a lock that has an owner */
    uint64_t requeue; /* lock that the thread is requeued to when woken, or 0 */
    uint64_t signals;
    uint64_t done, until; /* call for several messages: their count so far, and deadline */
    bool due;             /* the deadline has passed */
    struct event timer;
};

/* Results besides numbers and negative errnos. */
#define CALL_WAITS   INT64_MIN /* thread_wait() was called: the function will be called again */
#define CALL_LEAVES  (INT64_MIN + 1) /* the function has set the registers itself */
#define CALL_RESTART (INT64_MIN + 2) /* interrupted; repeated if the action has SA_RESTART */
#define CALL_REPEAT  (INT64_MIN + 3) /* interrupted; repeated unless a handler runs */
#define CALL_AGAIN   (INT64_MIN + 4) /* interrupted; always repeated */

/* ---- process and threads --------------------------------------------------------------------- */

struct posix_timer;
struct event_fd;

/* An open file that the simulator serves. */
struct served_file {
    const struct served_entry *entry;
    void *state; /* of a node; NULL: none, or the parent's before a fork */
    dev_t device;
    ino_t inode; /* device and inode of its memory file */
};

struct thread {
    struct process *process;
    struct cpu *cpu;
    int tid;
    uint64_t mask; /* blocked signals */
    uint64_t saved_mask;
    bool restore_mask; /* saved_mask goes into the next frame, or back when the call ends */
    struct pending_signals pending;
    stack_t alt;        /* ss_sp is a guest address */
    uint64_t clear_tid; /* address of a word that is set to 0 at the end, or 0 */
    uint64_t robust, robust_len;
    char name[16];
    struct wait wait;
    bool waits;
    int64_t restart; /* CALL_RESTART, _REPEAT or _AGAIN of an interrupted call, until delivery */
    bool dead;       /* ended in this turn, not yet freed */
};

struct process {
    const struct user_options *options;
    struct log *log;
    struct clock clock;
    struct bus *bus;
    struct space space;
    struct cpu_group group;
    struct jit *jit; /* NULL: interpreter only */
    VEC(struct thread *) threads;
    VEC(struct thread *) new_threads; /* new threads, added after the turn */
    VEC(struct cpu *) free_cpus;      /* CPUs of ended threads, for reuse */
    unsigned cpus;                    /* CPUs made so far */
    int pid, next_tid;
    int first_pid; /* pid of the first process, which is no fork */
    bool original; /* the process is not a fork */
    bool related;  /* has forked or is a fork: other processes exist in host time */

    struct user_action action[SIGNALS + 1];
    struct pending_signals pending;
    struct event alarm[3]; /* ITIMER_* */
    uint64_t alarm_interval[3];
    VEC(struct posix_timer *) timers;
    VEC(struct event_fd *) event_fds; /* timerfd and signalfd: event_fd.h */
    size_t event_fds_limit;           /* number at which closed ones are collected */
    struct served_device *served;     /* the device of -gpu, or NULL */
    VEC(struct served_file) served_files;
    uint64_t sigpage;
    uint32_t personality;

    VEC(int) own;                 /* descriptors of the simulator: own_fds.c */
    int strace_fd;                /* own descriptor that -strace writes to; -1: none */
    struct rlimit64 nofile;       /* the program's limits of open files */
    char *exe;                    /* absolute path */
    uint64_t random;              /* state of getrandom() */
    uint64_t start_ns;            /* CLOCK_REALTIME at virtual time 0 */
    uint64_t host_start_ns;       /* CLOCK_MONOTONIC of the host then */
    uint64_t cmdline[2], auxv[2]; /* guest addresses, start and end */
    struct cpu_choice choice;     /* from -cpu, for every CPU */
    uint64_t unknown_calls[16];   /* bit n: call n was reported */

    bool ended;
    int exit_code;   /* as in exit_group() */
    int exit_signal; /* signal that ended the process, or 0 */
};

/* process.c: makes the process and loads the program. Free with process_free(). */
struct process *process_new(const struct user_options *o, const struct user_device *device,
                            struct log *log, char **env, struct error *err);
void process_free(struct process *p);
/* Runs until the process ends. */
void process_run(struct process *p);
/* process_state.c: ends the process after the current block, by the signal, or with the exit
 * code if that is 0. */
void process_end(struct process *p, int code, int signal);
/* A clock of the host in nanoseconds. */
uint64_t host_now(clockid_t clock);
/* Nanoseconds since the start, of virtual or host time by the options; and CLOCK_REALTIME. */
uint64_t process_now(const struct process *p);
uint64_t process_realtime(const struct process *p);

/* thread.c: makes a thread, which runs from the next turn on. NULL with the error. */
struct thread *thread_new(struct process *p, struct error *err);
/* Ends a thread; the last one ends the process. */
void thread_end(struct thread *t, int code);
/* Removes all other threads, after a fork. */
void thread_alone(struct thread *t);
/* Between turns: adds new threads and removes ended ones. */
void thread_settle(struct process *p);
/* Between turns: resumes threads whose wait is over. */
void thread_attend(struct process *p);
/* Whether any thread does not wait. */
bool thread_any_runs(const struct process *p);
/* Waits for the host or the next event, when no thread runs. */
void thread_idle(struct process *p);
/* thread_wait.c: the thread of this process with a number, or NULL. */
struct thread *thread_find(const struct process *p, int tid);
/*
 * Makes the running system call wait: the CPU stops, and the call's function is called again later.
 * The first wait of a call sets the deadline; later waits keep it. Returns CALL_WAITS, or
 * CALL_RESTART for RESUME_SIGNAL.
 */
int64_t thread_wait(struct thread *t, enum wait_kind kind, uint64_t deadline);
/* As thread_wait() until the file descriptor is ready for poll's `events`. */
int64_t thread_wait_fd(struct thread *t, int fd, short events);
/* Ends the wait of a thread with a result of its call. */
void thread_wake(struct thread *t, int64_t result);

/* call.c */
/* Serves the system call instruction that the thread's CPU has executed. */
void call_enter(struct thread *t);
/* Calls the function of a waiting thread again. */
void call_resume(struct thread *t, enum resume_why why);

/* strace.c: print lines of -strace: a call that does not return, a result, an unknown call, a
 * signal. */
void strace_call(struct thread *t, const struct user_call *call, const uint64_t *arg);
void strace_result(struct thread *t, const struct user_call *call, int64_t result);
void strace_unknown(struct thread *t, uint64_t number, const uint64_t *arg);
void strace_signal(struct thread *t, const siginfo_t *info);

/* signal.c: makes a signal pending for a thread or for the process. */
void signal_to_thread(struct thread *t, const siginfo_t *info);
void signal_to_process(struct process *p, const siginfo_t *info);
/* A synchronous signal: cannot be blocked or ignored. */
void signal_fault(struct thread *t, const siginfo_t *info);
/* Enters the handlers of signals that are pending and not blocked; outside of blocks only. */
void signal_deliver(struct thread *t);
/* Whether a pending signal would end a wait. */
bool signal_waits(struct thread *t);
/* Takes a pending signal of the set; false: there is none. */
bool signal_take(struct thread *t, uint64_t set, siginfo_t *info);
/* The pending signals of the thread and its process. */
static inline uint64_t signal_pending(const struct thread *t)
{
    return t->pending.set | t->process->pending.set;
}
/* Sets the blocked signals of the thread; SIGKILL and SIGSTOP stay unblocked. */
void signal_set_mask(struct thread *t, uint64_t mask);
/* Sets the mask until the waiting call (ppoll, sigsuspend …) ends. */
void signal_borrow_mask(struct thread *t, uint64_t mask);
/* Restores the mask that signal_borrow_mask() has replaced. */
void signal_call_done(struct thread *t);

/* host_signal.c: signals that the host sends to this process. */
void host_signal_init(struct process *p);
/* Sets the guest memory (NULL: none) whose pages read as zeros after their file became shorter. */
void host_signal_watch(struct space *space);
/* Passes signals that have arrived to the guest. */
void host_signal_collect(struct process *p);
/* Ignores the signal on the host, or not, as the guest does. */
void host_signal_ignore(int signal, bool ignore);
/* As ppoll(): waits until a descriptor is ready, a signal arrives, or the time is over. */
int host_signal_poll(struct pollfd *fds, unsigned count, uint64_t timeout_ns);
/* To be called before exec: the new program inherits the guest's blocked and ignored signals. */
void host_signal_restore(uint64_t mask);
/* Likewise for a program of the host, to which the host delivers the signals that are pending; only
 * where exec fails do they come back, when the caller blocks none. */
void host_signal_give(struct thread *t);
/* Ends this process by the signal, as if it had no handler. */
_Noreturn void host_signal_die(int signal);
/* The signal mask at the start of this process. */
uint64_t host_signal_start_mask(void);

/* futex.c: wakes up to `count` threads that wait at va for any of the bits; returns their
 * number. */
int futex_wake(struct process *p, uint64_t va, int count, uint32_t bits);
/* futex_pi.c: passes the locks of a thread that ends to their waiters. */
void futex_release_all(struct thread *t);

/* elf.c and stack.c: loading */
struct image {
    uint64_t entry, base, phdr, end;
    unsigned phdr_count;
    uint64_t interpreter_base, start; /* start: first PC, the interpreter's entry if there is one */
    bool executable_stack;
};
/* elf.c: loads the program, and its interpreter if it has one. */
bool elf_load(struct process *p, const char *path, struct image *image, struct error *err);
/* Whether the file is an ELF program for this ABI. */
bool elf_is_ours(const char *path);
/* Builds the first stack; returns its pointer, or 0 with the error. */
uint64_t stack_build(struct process *p, struct thread *t, const struct image *image, char **env,
                     struct error *err);
/* process_state.c: the next 64 random bits, by -seed. */
uint64_t process_random(struct process *p);

/* own_fds.c: whether fd is a descriptor of the simulator. */
bool fd_is_own(const struct process *p, uint64_t fd);
/* Makes an own descriptor, a copy of fd that exec closes; -1: not possible. */
int fd_keep(struct process *p, int fd);
/* Makes a descriptor that execve() left open an own one, which the next execve() closes. False: it
 * is not open, or is an own one already. */
bool fd_adopt(struct process *p, int fd);

/* listing.c: writes an entry of a folder, as getdents64(), whose inode is its position + 1. Returns
 * its bytes; 0: it is longer than `room`. */
uint64_t listing_put(uint8_t *to, uint64_t room, uint64_t position, unsigned char type,
                     const char *name);
/* As getdents64() of an open file of the host. Folders of /proc/self have the guest's descriptors
 * and threads, and not the simulator's. */
int64_t listing_read(const struct process *p, int fd, uint8_t *to, uint64_t room);
/* The number of the guest's threads, which /proc/self/task lists. */
unsigned listing_threads(const struct process *p);
/* Closes an own descriptor. */
void fd_drop(struct process *p, int fd);
/* Move the log's descriptor, and copy standard error for -strace, to own descriptors. */
void fd_keep_log(struct process *p);
void fd_keep_strace(struct process *p);
/* Moves an own descriptor with this number, so that the program can use the number. */
void fd_make_way(struct process *p, uint64_t fd);
/* close_range() except own descriptors. */
int64_t fd_close_range(struct process *p, unsigned first, unsigned last, unsigned flags);
/* The program's RLIMIT_NOFILE: at the start, by setrlimit(), and lifted and restored around the
 * simulator's own opening of files. */
void nofile_init(struct process *p);
int64_t nofile_set(struct process *p, const struct rlimit64 *limit);
void nofile_lift(struct process *p);
void nofile_drop(struct process *p);

/* sys_time.c: sets the interval timer `which` (ITIMER_*) to expire at process_now() `when`
 * (CLOCK_NEVER: stops it), and then at each `interval` in ns, unless that is 0. */
void alarm_set(struct process *p, unsigned which, uint64_t when, uint64_t interval);
/* The time left, which is not 0 while the timer runs. */
struct itimerval alarm_state(const struct process *p, int which);

/* path.c: the host path of a guest path. path_allowed() returns a path that does not exist for the
 * simulator's descriptors; path_in_root() also prefers a file below the sysroot (-L), whose path it
 * writes to `buf` of PATH_BYTES. NULL stays NULL. */
enum { PATH_BYTES = 4096 };
/* Returns `path`, or a path that does not exist if it names a descriptor of the simulator. */
const char *path_allowed(const struct process *p, const char *path);
const char *path_in_root(const struct process *p, const char *path, char *buf);
/* Opens files about this process, such as /proc/self/maps. A descriptor (>= 0), -1 with errno, or
 * -2: any other path. */
int path_open_special(struct process *p, const char *path, int flags);
/* Whether the path is "/proc/self/exe" or another name of it. */
bool path_is_exe(const struct process *p, const char *path);

/* sandbox.c: -sandbox. Starts filtering the process's host system calls, in all its threads. */
bool sandbox_enter(struct error *err);
enum { SANDBOX_FILTER = 1024 }; /* instructions of the longest filter */
struct sock_filter;
/* Writes the filter's program, at most SANDBOX_FILTER instructions, and returns its length. 0: the
 * calls of this host are not known. */
size_t sandbox_filter(struct sock_filter *code);
/* Whether the program may use the opened file, and may send a signal to kill()'s argument. */
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

/* As PATH for calls that do not change the file: the sysroot's files come first. */
#define PATH_IN_ROOT(name, va)                                                          \
    char name##_buf[PATH_BYTES];                                                        \
    const char *name = path_in_root((t)->process, guest_string((t), (va)), name##_buf); \
    if (!name)                                                                          \
    return -EFAULT

/* guest.c: copies `len` bytes to the guest; 0 or -EFAULT. `va` 0 is allowed when `optional`. */
int64_t guest_put(struct thread *t, uint64_t va, const void *data, uint64_t len);
int64_t guest_get(struct thread *t, uint64_t va, void *data, uint64_t len);
/* As guest_put() for structures in the guest's layout, and for words. */
int64_t guest_put_struct(struct thread *t, uint64_t va, const struct layout *l, const void *host);
int64_t guest_get_struct(struct thread *t, uint64_t va, const struct layout *l, void *host);
int64_t guest_put_siginfo(struct thread *t, uint64_t va, const siginfo_t *info);
int64_t guest_get_siginfo(struct thread *t, uint64_t va, siginfo_t *info);
/* Sets of signals, of user_abi.set_bytes in the guest. */
int64_t guest_put_signals(struct thread *t, uint64_t va, uint64_t set);
int64_t guest_get_signals(struct thread *t, uint64_t va, uint64_t *set);
/* Numbers of 2, 4 or 8 bytes. */
int64_t guest_put_number(struct thread *t, uint64_t va, uint64_t value, unsigned bytes);
int64_t guest_get_number(struct thread *t, uint64_t va, uint64_t *value, unsigned bytes);
int64_t guest_put_word(struct thread *t, uint64_t va, uint64_t value);
int64_t guest_get_word(struct thread *t, uint64_t va, uint64_t *value);
/* Bytes of words, and of times in the current call. */
struct layout_widths guest_widths(const struct thread *t);

/* sys_file.c: converts the guest's vector, whose memory the call writes or reads, to the host's.
 * Returns the count, or a negative errno. `out` has room for IOV_MAX. */
int64_t guest_get_vector(struct thread *t, uint64_t va, uint64_t count, struct iovec *out,
                         bool write);

/* sys_file.c: whether reading (POLLIN) or writing (POLLOUT) would block the host now. */
bool fd_must_wait(int fd, short events);
/* Whether it may ever block the host; regular files never do. */
bool fd_may_wait(int fd);

enum deadline {
    DEADLINE_RELATIVE,  /* from now on */
    DEADLINE_MONOTONIC, /* as process_now() */
    DEADLINE_REALTIME,  /* as process_realtime() */
};
/* Reads a deadline, as process_now(), from the time at `va` (0: CLOCK_NEVER). 0 or a negative
 * errno. */
int64_t guest_get_deadline(struct thread *t, uint64_t va, enum deadline kind, uint64_t *deadline);

/* The result of a host call, or -errno if that is -1. */
int64_t host_result(int64_t result);

/* Prototypes and descriptors of all system calls. */
#define CALL(name, format)                                     \
    int64_t sys_##name(struct thread *t, const uint64_t *arg); \
    extern const struct user_call call_##name;
#include "common/linux/calls.inc"
#undef CALL

#endif
