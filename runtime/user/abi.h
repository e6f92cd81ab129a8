/*
 * What distinguishes one Linux ABI from another: numbers and argument registers of system calls,
 * the data model, the signal frame. All other files of the room work for every ABI.
 *
 * Structures are described in layout.h, once for all data models. Structures with the same layout
 * on the host and on all ABIs here (little-endian, without words: statx, termios, sockaddr …) are
 * passed through unchanged.
 */
#ifndef RUNTIME_USER_ABI_H
#define RUNTIME_USER_ABI_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/error.h"
#include "runtime/cpu/cpu.h"
#include "runtime/user/layout.h"

struct thread;

/* A system call, independent of the ABI; calls.inc lists them. */
struct user_call {
    const char *name;
    const char *format; /* for -strace: one letter per argument, see calls.inc */
    int64_t (*fn)(struct thread *t, const uint64_t *arg);
};

/* ---- from the guest's registers to the arguments of a call ------------------------------------ */

enum { USER_ARGS = 6 };

enum user_arg_kind {
    ARG_CONSTANT, /* a constant, in no register */
    ARG_REGISTER,
    ARG_SIGNED,    /* the register's 32 bits are signed */
    ARG_PAIR,      /* 64 bits: the low half in this register, the high half in the next */
    ARG_PAIR_HIGH, /* as ARG_PAIR, with the high half in this register */
    ARG_PAGES,     /* a number of units of 4096 bytes */
};

struct user_arg {
    enum user_arg_kind kind;
    int32_t value; /* number of the register, or the constant */
};

/* The system call that has a number in an ABI. */
struct user_row {
    const struct user_call *call; /* NULL: not implemented */
    bool long_time;               /* times have 64 bits, also where words have 32 */
    bool mapped;                  /* `arg` maps the arguments; else register by register */
    struct user_arg arg[USER_ARGS];
};

/* Rows of consecutive numbers. */
struct user_numbers {
    uint32_t first, count;
    const struct user_row *row;
};

/* Numbers of include/uapi/asm-generic/unistd.h; the file is calls_generic.c. */
enum { USER_GENERIC_COUNT = 440 };
extern const struct user_row user_generic_rows[USER_GENERIC_COUNT];

/* ---- signals ---------------------------------------------------------------------------------- */

/* What a signal handler is entered with, and what is restored when it returns. */
struct user_frame {
    int signal;
    const siginfo_t *info;
    uint64_t handler, restorer; /* restorer 0: none */
    stack_t alt;                /* as sigaltstack() reports it, with guest pointers */
    uint64_t mask;              /* blocked signals, restored when the handler returns */
    uint64_t fault_address;
    bool with_info; /* SA_SIGINFO */
};

/* The frame of a signal handler, which lies at the stack pointer. */
struct user_frames {
    unsigned bytes[2]; /* size without and with siginfo */
    unsigned align;
    /* Fills the zeroed frame `to`, whose guest address is `at`. Sets the registers of a handler
     * except the stack pointer and the PC. */
    void (*push)(struct thread *t, const struct user_frame *frame, void *to, uint64_t at);
    /* Restores all registers, and returns the frame's mask and stack. False: a bad frame. */
    bool (*pop)(struct thread *t, bool with_info, const void *from, uint64_t *mask, stack_t *alt);
};

/* ---- registers -------------------------------------------------------------------------------- */

/* Registers of an ABI, by their names in the description. */
struct user_registers {
    const char *number, *arg[USER_ARGS]; /* a call's number and arguments; arg[0] gets the result */
    const char *stack, *tls;             /* stack pointer and TLS pointer */
};

/* The signal of an exception; its address is the PC, or the exception's own address. */
struct user_exception {
    uint32_t klass;
    int signal, code; /* si_code */
    bool at_address;
};

/* An undefined word that debuggers set as a breakpoint and Linux reports as SIGTRAP. */
struct user_breakpoint {
    uint32_t mode;        /* cpu->mode in which the word is a breakpoint */
    unsigned bytes;       /* size of the word, at most 4 */
    uint32_t mask, value; /* bits of the word as a little-endian number */
};

/* ---- an ABI ----------------------------------------------------------------------------------- */

struct user_abi {
    const char *program;  /* name for --help: "aarch64-user" */
    const char *machine;  /* machine of uname() */
    const char *platform; /* AT_PLATFORM; NULL: none */
    uint16_t elf_machine;
    const struct cpu_isa *isa;
    const char *const *cpus; /* names for -cpu, the default first; ends with NULL */

    unsigned word_bytes;    /* size of pointers and longs: 4 or 8 */
    unsigned address_bits;  /* bits of the addresses that a process may use */
    uint64_t stack_top;     /* end of the first stack; 0: one page below the highest address */
    bool tagged;            /* the top byte of data addresses is ignored */
    unsigned segment_align; /* SHMLBA, alignment of shmat()'s addresses */
    bool exec_by_default;   /* without PT_GNU_STACK, readable memory is executable */
    uint32_t personality;   /* initial personality of a program */

    /* A page that the kernel provides, with the code that returns from handlers. `page_address` 0:
     * the page has no fixed address. thread->process->sigpage is its actual address. */
    uint64_t page_address;
    void (*fill_page)(void *page);

    /* Values of open() flags that differ: O_DIRECTORY, O_NOFOLLOW, O_DIRECT, O_LARGEFILE. */
    struct {
        uint32_t directory, nofollow, direct, largefile;
    } open;
    const struct layout *stat, *action; /* structures of fstatat() and rt_sigaction() */
    struct user_numbers numbers[3];

    struct user_registers registers;
    uint32_t call_class; /* class of the exception of a system call */
    /* Signals of all other exceptions; an exception that is not listed is SIGILL. */
    unsigned exception_count;
    const struct user_exception *exceptions;
    unsigned breakpoint_count;
    const struct user_breakpoint *breakpoints;

    /* Looks up the ABI's own registers; false: the ISA lacks one. */
    bool (*init)(struct error *err);
    /* Puts a CPU that was reset into user mode. */
    void (*start)(struct cpu *cpu);
    /* Continues at the address of a program or a handler; NULL: the address is the PC. */
    void (*branch)(struct cpu *cpu, uint64_t address);

    /* Bytes of a call's instruction; NULL: 4. */
    unsigned (*call_bytes)(const struct cpu *cpu);
    /* Updates state other than the PC behind a call's instruction; NULL: nothing to update. */
    void (*leave_call)(struct cpu *cpu);

    const struct user_frames *frames;
};

/* The ABI that the program was built for. */
extern const struct user_abi user_abi;

/* registers.c: finds the ABI's registers. To be called first; false: the description lacks one. */
bool user_find_registers(struct error *err);
/* The offset in cpu->state of the registers BANK0, BANK1 … */
bool user_find_bank(const char *bank, unsigned count, unsigned *offset, struct error *err);
uint64_t user_stack_pointer(const struct cpu *cpu);
void user_set_stack_pointer(struct cpu *cpu, uint64_t sp);
/* Continues the CPU at the address of a program or a handler. */
void user_branch(struct cpu *cpu, uint64_t address);
void user_set_tls(struct cpu *cpu, uint64_t tls);
/* Returns a call's number, reads its arguments, and advances the PC over its instruction. */
uint64_t user_begin_call(struct cpu *cpu, uint64_t reg[USER_ARGS]);
void user_set_result(struct cpu *cpu, int64_t result);
/* Sets the PC back to the call's instruction, and the first argument's register to `first`. */
void user_repeat_call(struct cpu *cpu, uint64_t first);

/* open_flags.c: converts flags of open() between guest and host. */
int open_flags_to_host(uint64_t guest);
uint64_t open_flags_to_guest(int host);

#endif
