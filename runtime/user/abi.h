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

/* A system call, independent of the ABI; common/linux/calls.inc lists them. */
struct user_call {
    const char *name;
    const char *format; /* for -strace: a letter per argument, see calls.inc */
    int64_t (*fn)(struct thread *t, const uint64_t *arg);
};

/* ---- from the guest's registers to the arguments of a call ----------------------------------- */

enum { USER_ARGS = 6, USER_WORDS = 8 }; /* arguments, and words that hold them */

enum user_arg_kind {
    ARG_CONSTANT, /* a constant, in no register */
    ARG_REGISTER,
    ARG_SIGNED,    /* the register's 32 bits are signed */
    ARG_PAIR,      /* 64 bits in this and the next register, in the byte order of memory */
    ARG_PAIR_LOW,  /* 64 bits, with the low half in this register */
    ARG_PAIR_HIGH, /* 64 bits, with the high half in this register */
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

/* ---- numbers that differ between ABIs -------------------------------------------------------- */

enum user_table_kind {
    USER_ERRNO,
    USER_SIGNAL,
    USER_OPEN,   /* flags of open(), pipe2() … */
    USER_MAP,    /* flags of mmap() */
    USER_ACTION, /* sa_flags */
    USER_MASK,   /* SIG_BLOCK … */
    USER_FCNTL,  /* commands */
    USER_SOCKET, /* types of sockets */
    USER_LEVEL,  /* SOL_SOCKET */
    USER_OPTION, /* socket options of SOL_SOCKET */
    USER_IOCTL,  /* requests */
    USER_LIMIT,  /* RLIMIT_* */
    USER_POLL,   /* events of poll() */
    USER_INPUT,  /* termios: c_iflag, c_lflag; the values of c_oflag and c_cflag are common */
    USER_LOCAL,
    USER_CONTROL, /* indices of c_cc */
    USER_TABLES,
};

struct user_pair {
    uint32_t host, guest;
};

/* Values that an ABI has other numbers for. Other values are the same. */
struct user_table {
    unsigned count;
    const struct user_pair *pair;
};

/* ---- signals --------------------------------------------------------------------------------- */

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

/* Items of a frame. The place `at` is relative to the frame, or to the record that has the item. */
enum frame_kind {
    FRAME_INFO,     /* siginfo_t */
    FRAME_STACK,    /* stack_t of sigaltstack() */
    FRAME_MASK,     /* the blocked signals, of set_bytes */
    FRAME_REGISTER, /* registers of the description */
    FRAME_PC,
    FRAME_VALUE,  /* the description's user_value() and set_user_value() */
    FRAME_FAULT,  /* the address of a fault */
    FRAME_NUMBER, /* a constant, which is ignored on return */
    FRAME_LIST,   /* `bytes` bytes for records, each of which begins with two words: magic, size */
    FRAME_RECORD, /* a record; the next `count` items are in it, `value` is its magic */
};

struct frame_item {
    uint8_t kind;
    uint16_t at, bytes; /* bytes: of one element in the frame; of a whole list or record */
    uint16_t count;
    bool saved;       /* the registers are not restored from this item */
    const char *name; /* name of the first register */
    uint64_t value;   /* constant of a number, magic of a record, number of a value */
    uint64_t must;    /* on return, bits of the value that must be equal to `is` */
    uint64_t is;
};

enum enter_kind { ENTER_NUMBER, ENTER_SIGNAL, ENTER_PLACE, ENTER_RETURN, ENTER_HANDLER };

/* The value of a register when a handler begins. */
struct frame_enter {
    const char *name;
    uint8_t kind;
    bool info_only; /* only for handlers with siginfo */
    uint64_t value; /* a number, or a place in the frame */
};

/* The frame of a signal handler, which lies at the stack pointer. */
struct user_frames {
    unsigned bytes, align;
    uint32_t return_at; /* place in the page of the code that returns from the handler */
    unsigned item_count, enter_count;
    const struct frame_item *item;
    const struct frame_enter *enter;
};

/* ---- registers ------------------------------------------------------------------------------- */

enum { USER_ARG_REGISTERS = 6 };

/* Registers of an ABI, by their names in the description. */
struct user_registers {
    const char *number, *arg[USER_ARG_REGISTERS]; /* a call's number and arguments */
    unsigned arg_count;
    uint32_t stack_args;         /* offset at the stack pointer of further arguments; 0: none */
    const char *result, *second; /* second: second result of a call; NULL: none */
    const char *error; /* 1 after an error, whose number is positive; NULL: numbers are negative */
    const char *stack, *tls; /* stack pointer and TLS pointer */
};

/* A register and its value at the beginning of a program. */
struct user_setting {
    const char *name;
    uint64_t value;
};

/* Words at a place of the page. */
struct user_part {
    uint32_t at, count;
    const uint32_t *word;
};

/* The signal of an exception; si_addr is the PC, or the exception's own address (at_address). The
 * first entry that matches is used. */
struct user_exception {
    uint32_t klass;
    int signal, code; /* si_code */
    bool at_address;
    bool is_fault;        /* a memory fault: klass is take_memory_fault()'s code */
    uint32_t mask, value; /* bits of the instruction's word that must be so */
};

/* An undefined word that debuggers set as a breakpoint and Linux reports as SIGTRAP. */
struct user_breakpoint {
    uint32_t mode;        /* cpu->mode in which the word is a breakpoint */
    unsigned bytes;       /* size of the word, at most 4 */
    uint32_t mask, value; /* bits of the word as a little-endian number */
};

/* ---- an ABI ---------------------------------------------------------------------------------- */

struct user_abi {
    const char *program;  /* name for --help: the program's own */
    const char *machine;  /* machine of uname() */
    const char *platform; /* AT_PLATFORM; NULL: none */
    uint16_t elf_machine;
    uint32_t elf_flags, elf_flags_mask; /* e_flags & mask of programs must be this */
    const struct cpu_isa *isa;
    const char *const *cpus; /* names for -cpu, the default first; ends with NULL */

    unsigned word_bytes;    /* size of pointers and longs: 4 or 8 */
    bool big_endian;        /* byte order of data */
    unsigned address_bits;  /* bits of the addresses that a process may use */
    uint64_t stack_top;     /* end of the first stack; 0: one page below the highest address */
    bool tagged;            /* the top byte of data addresses is ignored */
    unsigned segment_align; /* SHMLBA, alignment of shmat()'s addresses */
    bool exec_by_default;   /* without PT_GNU_STACK, readable memory is executable */
    uint32_t personality;   /* initial personality of a program */
    uint64_t no_limit;      /* RLIM_INFINITY; 0: the largest word */
    unsigned set_bytes;     /* size of a set of signals: 8 or 16 */
    bool code_first;        /* si_code is before si_errno */

    /* A page that the kernel provides, with the code that returns from handlers. `page_address` 0:
     * the page has no fixed address. thread->process->sigpage is its actual address. */
    uint64_t page_address;
    unsigned part_count;
    const struct user_part *part;

    struct user_table tables[USER_TABLES];
    const struct layout *layouts[LAYOUT_OWN]; /* NULL: as the host's or by words */
    unsigned number_count;
    const struct user_numbers *numbers;

    struct user_registers registers;
    uint32_t call_class;   /* class of the exception of a system call */
    uint8_t call_bytes[2]; /* size of the system call's instruction, by mode */
    /* Signals of all other exceptions; an exception that is not listed is SIGILL. */
    unsigned exception_count;
    const struct user_exception *exceptions;
    unsigned breakpoint_count;
    const struct user_breakpoint *breakpoints;

    bool mode_bit; /* bit 0 of a program's or handler's address is the CPU's mode */
    unsigned setting_count;
    const struct user_setting *settings; /* in this order */
    unsigned config_count;
    const uint64_t *config;
    /* The device of a port whose registers are a timer's frequency and count. */
    struct user_timer {
        uint64_t hz; /* 0: there is none */
        uint8_t device, frequency, count;
    } timer;

    struct user_frames frames[2]; /* [0]: of handlers without siginfo, [1]: with siginfo */
};

/* The ABI that the program was built for. */
extern const struct user_abi user_abi;

/* registers.c: finds the ABI's registers. To be called first; false: the description lacks one. */
bool user_find_registers(struct error *err);
uint64_t user_stack_pointer(const struct cpu *cpu);
void user_set_stack_pointer(struct cpu *cpu, uint64_t sp);
/* Puts a CPU that was reset into user mode. */
void user_start(struct cpu *cpu);
/* Continues the CPU at the address of a program or a handler. */
void user_branch(struct cpu *cpu, uint64_t address);
void user_set_tls(struct cpu *cpu, uint64_t tls);
/* Returns a call's number, reads the arguments in registers, and advances the PC over its
 * instruction. */
uint64_t user_begin_call(struct cpu *cpu, uint64_t reg[USER_WORDS]);
/* Sets the result of a call: a number, or a negative errno of the host. */
void user_set_result(struct cpu *cpu, int64_t result);
void user_set_second(struct cpu *cpu, uint64_t result);
/* Sets the PC back to the call's instruction, and the first argument's register to `first`. */
void user_repeat_call(struct cpu *cpu, uint64_t first);

/* frame.c: finds the registers of frames. False: the description lacks one. */
bool frame_find(struct error *err);
/* Fills the zeroed frame `to`, whose guest address is `at`. Sets the registers of a
 * handler except the stack pointer and the PC. */
void frame_push(struct thread *t, const struct user_frame *frame, void *to, uint64_t at);
/* Restores all registers, and the frame's mask and stack. False: a bad frame. */
bool frame_pop(struct thread *t, bool with_info, const void *from, uint64_t *mask, stack_t *alt);

/* tables.c: numbers and sets of flags between guest and host. */
uint32_t number_to_host(enum user_table_kind kind, uint32_t guest);
uint32_t number_to_guest(enum user_table_kind kind, uint32_t host);
uint32_t flags_to_host(enum user_table_kind kind, uint32_t guest);
uint32_t flags_to_guest(enum user_table_kind kind, uint32_t host);
uint64_t signals_to_host(uint64_t guest);
uint64_t signals_to_guest(uint64_t host);
/* The status of wait4(), whose signal is the guest's. */
int status_to_guest(int status);

/* open_flags.c: converts flags of open() between guest and host. */
int open_flags_to_host(uint64_t guest);
uint64_t open_flags_to_guest(int host);

#endif
