/*
 * What distinguishes one Linux ABI from another: numbers of system calls and where their arguments
 * are, registers, the data model, the signal frame. The rest of the room knows none of it.
 *
 * Structures are described in layout.h, once for all data models. What is laid out alike on the
 * host and on all ABIs here (little-endian, without words: statx, termios, sockaddr …) is passed
 * through as it is.
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

/* A system call, known to all ABIs; calls.inc lists them. */
struct user_call {
    const char *name;
    const char *format; /* for -strace: a letter an argument, see strace.c */
    int64_t (*fn)(struct thread *t, const uint64_t *arg);
};

/* ---- from the guest's registers to the arguments of a call ------------------------------------ */

enum { USER_ARGS = 6 };

enum user_arg_kind {
    ARG_CONSTANT, /* in no register */
    ARG_REGISTER,
    ARG_SIGNED,    /* the register's 32 bits are signed */
    ARG_PAIR,      /* 64 bits: the low half in this register, the other in the next */
    ARG_PAIR_HIGH, /* the high half in this register */
    ARG_PAGES,     /* a number of 4096 bytes */
};

struct user_arg {
    enum user_arg_kind kind;
    int32_t value; /* number of the register, or the constant */
};

/* A number of an ABI. */
struct user_row {
    const struct user_call *call; /* NULL: the number is not known */
    bool long_time;               /* times have 64 bits, whatever a word has */
    bool mapped;                  /* arguments are as `arg` says, else register by register */
    struct user_arg arg[USER_ARGS];
};

/* Rows of numbers side by side. */
struct user_numbers {
    uint32_t first, count;
    const struct user_row *row;
};

/* Numbers of include/uapi/asm-generic/unistd.h; the file is calls_generic.c. */
enum { USER_GENERIC_COUNT = 440 };
extern const struct user_row user_generic_rows[USER_GENERIC_COUNT];

/* ---- signals ---------------------------------------------------------------------------------- */

/* How a thread is to enter the handler of a signal, and what it goes back to. */
struct user_frame {
    int signal;
    const siginfo_t *info;
    uint64_t handler, restorer; /* restorer 0: none given */
    stack_t alt;                /* as sigaltstack() would report it, pointers as the guest's */
    uint64_t mask;              /* blocked signals to go back to */
    uint64_t fault_address;
    bool with_info; /* SA_SIGINFO */
};

/* The frame of a handler, which lies where the stack pointer is. */
struct user_frames {
    unsigned bytes[2]; /* without and with siginfo */
    unsigned align;
    /* Fills it, at `at` for the guest and full of zeros, and has registers hold what handlers get
     * but for the stack pointer and where they begin. */
    void (*push)(struct thread *t, const struct user_frame *frame, void *to, uint64_t at);
    /* Restores all registers; the mask and the stack to go back to. False: a bad frame. */
    bool (*pop)(struct thread *t, bool with_info, const void *from, uint64_t *mask, stack_t *alt);
};

/* ---- registers -------------------------------------------------------------------------------- */

/* By their names in the description. */
struct user_registers {
    const char *number, *arg[USER_ARGS]; /* of a call; the result is where the first argument was */
    const char *stack, *tls;             /* of a thread */
};

/* What an exception is to the program, at the PC, or at the address that came with it. */
struct user_exception {
    uint32_t klass;
    int signal, code; /* si_code */
    bool at_address;
};

/* An undefined word that the kernel takes for a breakpoint, as debuggers set them. */
struct user_breakpoint {
    uint32_t mode;        /* cpu->mode that it stands in */
    unsigned bytes;       /* of the word, at most 4 */
    uint32_t mask, value; /* of its bytes as a little-endian number */
};

/* ---- an ABI ----------------------------------------------------------------------------------- */

struct user_abi {
    const char *program;  /* name for --help: "aarch64-user" */
    const char *machine;  /* of uname() */
    const char *platform; /* AT_PLATFORM; NULL: none */
    uint16_t elf_machine;
    const struct cpu_isa *isa;
    const char *const *cpus; /* names that -cpu takes, the usual one first; ends with NULL */

    unsigned word_bytes;    /* of pointers and longs: 4 or 8 */
    unsigned address_bits;  /* of addresses that a process may use */
    uint64_t stack_top;     /* end of the first stack; 0: a page below the highest address */
    bool tagged;            /* the top byte of data addresses is ignored */
    unsigned segment_align; /* SHMLBA: of the addresses that shmat() takes */
    bool exec_by_default;   /* all that can be read can be executed without PT_GNU_STACK */
    uint32_t personality;   /* of a new program */

    /* A page that the kernel provides: the code that returns from handlers, and whatever else the
     * ABI has there. It is at `page_address`, or 0: anywhere; thread->process->sigpage says where. */
    uint64_t page_address;
    void (*fill_page)(void *page);

    /* Values of open() flags that differ: O_DIRECTORY, O_NOFOLLOW, O_DIRECT, O_LARGEFILE. */
    struct {
        uint32_t directory, nofollow, direct, largefile;
    } open;
    const struct layout *stat, *action; /* of fstatat() and rt_sigaction() */
    struct user_numbers numbers[3];

    struct user_registers registers;
    uint32_t call_class; /* of the exception that is a system call */
    /* What other exceptions are: those that it does not list are SIGILL. */
    unsigned exception_count;
    const struct user_exception *exceptions;
    unsigned breakpoint_count;
    const struct user_breakpoint *breakpoints;

    /* Looks up what the ABI needs for itself; false when the ISA lacks it. */
    bool (*init)(struct error *err);
    /* Puts a CPU that was reset into user mode. */
    void (*start)(struct cpu *cpu);
    /* Where a program or a handler begins; NULL: that is the PC. */
    void (*branch)(struct cpu *cpu, uint64_t address);

    /* Bytes of a call's instruction; NULL: 4. */
    unsigned (*call_bytes)(const struct cpu *cpu);
    /* What else than the PC changes behind that instruction; NULL: nothing. */
    void (*leave_call)(struct cpu *cpu);

    const struct user_frames *frames;
};

/* The ABI that the program was built for. */
extern const struct user_abi user_abi;

/* registers.c: those of the ABI. Before all else; false when the description lacks one. */
bool user_find_registers(struct error *err);
/* Where in cpu->state the registers BANK0, BANK1 … lie. */
bool user_find_bank(const char *bank, unsigned count, unsigned *offset, struct error *err);
uint64_t user_stack_pointer(const struct cpu *cpu);
void user_set_stack_pointer(struct cpu *cpu, uint64_t sp);
/* Goes on where a program or a handler begins. */
void user_branch(struct cpu *cpu, uint64_t address);
void user_set_tls(struct cpu *cpu, uint64_t tls);
/* The number and the arguments of a call; the PC is behind its instruction then. */
uint64_t user_begin_call(struct cpu *cpu, uint64_t reg[USER_ARGS]);
void user_set_result(struct cpu *cpu, int64_t result);
/* The PC is at the call's instruction again, with what its first argument was. */
void user_repeat_call(struct cpu *cpu, uint64_t first);

/* open_flags.c: flags of open(), from the guest's to the host's and back. */
int open_flags_to_host(uint64_t guest);
uint64_t open_flags_to_guest(int host);

#endif
