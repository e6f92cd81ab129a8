/*
 * What distinguishes one Linux ABI from another: numbers of system calls, registers, layouts of
 * structures and of the signal frame. The rest of the room knows none of it.
 *
 * Structures that are laid out alike on the host and on all ABIs here (64-bit, little-endian:
 * timespec, iovec, rusage, siginfo, termios, …) are passed through as they are.
 */
#ifndef RUNTIME_USER_ABI_H
#define RUNTIME_USER_ABI_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/stat.h>

#include "runtime/base/error.h"
#include "runtime/cpu/cpu.h"

struct thread;

/* A system call, known to all ABIs; calls.inc lists them. */
struct user_call {
    const char *name;
    const char *format; /* for -strace: a letter an argument, see strace.c */
    int64_t (*fn)(struct thread *t, const uint64_t *arg);
};

/* How a thread is to enter the handler of a signal, and what it goes back to. */
struct user_frame {
    int signal;
    const siginfo_t *info;
    uint64_t handler, restorer; /* restorer 0: none given */
    uint64_t stack;             /* top of the alternate stack, or 0: go on on the present one */
    stack_t alt;                /* as sigaltstack() would report it, pointers as the guest's */
    uint64_t mask;              /* blocked signals to go back to */
    uint64_t fault_address;
    bool with_info; /* SA_SIGINFO */
};

enum user_clone { USER_CLONE_STACK = 1, USER_CLONE_TLS = 2 };

struct user_abi {
    const char *program; /* name for --help: "aarch64-user" */
    const char *machine; /* of uname() */
    const char *platform;
    uint16_t elf_machine;
    const struct cpu_isa *isa;

    /* Code that the kernel provides: `bytes` of it go to a page of the guest, whose address
     * push_frame() finds in thread->process->sigpage. */
    const uint32_t *sigpage;
    unsigned sigpage_bytes;

    /* Looks up registers; false when the ISA lacks one. */
    bool (*init)(struct error *err);
    /* Puts a CPU that was reset into user mode. */
    void (*start)(struct cpu *cpu);
    void (*set_entry)(struct cpu *cpu, uint64_t pc, uint64_t sp);
    uint64_t (*hwcap)(struct cpu *cpu);
    uint64_t (*stack_pointer)(struct cpu *cpu);

    /* The system call of a number; NULL: unknown. */
    const struct user_call *(*call)(uint64_t number);
    void (*get_call)(struct cpu *cpu, uint64_t *number, uint64_t arg[6]);
    void (*set_result)(struct cpu *cpu, int64_t result);
    /* The PC is behind the call's instruction from now on, or at it again. */
    void (*skip_call)(struct cpu *cpu);
    void (*repeat_call)(struct cpu *cpu, uint64_t number, const uint64_t arg[6]);
    /* A new thread's registers: those of the parent, with a result of 0. */
    void (*clone)(struct cpu *cpu, struct cpu *parent, uint64_t stack, uint64_t tls,
                  unsigned flags);
    /* Arguments of clone(), whose order differs: flags, stack, parent_tid, tls, child_tid. */
    void (*clone_args)(const uint64_t *arg, uint64_t out[5]);

    /* What an exception means. True: a system call; else *info says which signal. */
    bool (*exception)(struct cpu *cpu, uint32_t klass, uint64_t code, siginfo_t *info);

    bool (*push_frame)(struct thread *t, const struct user_frame *frame);
    /* Leaves a handler: restores registers; the mask to go back to, false: a bad frame. */
    bool (*pop_frame)(struct thread *t, uint64_t *mask, stack_t *alt);

    int (*open_flags)(uint64_t guest); /* to the host's */
    uint64_t (*guest_open_flags)(int host);
    unsigned stat_bytes;
    void (*put_stat)(void *guest, const struct stat *st);
    unsigned epoll_bytes;
    void (*put_epoll)(void *guest, unsigned n, const struct epoll_event *event);
    struct epoll_event (*get_epoll)(const void *guest, unsigned n);
};

/* The ABI that the program was built for. */
extern const struct user_abi user_abi;

#endif
