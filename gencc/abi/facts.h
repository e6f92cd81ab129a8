/*
 * What programs that communicate with Linux by themselves need of an ABI: registers of calls,
 * numbers, and the layout of signal frames. abi.h writes the same ABI as C for runtime/user.
 */
#ifndef GENCC_ABI_FACTS_H
#define GENCC_ABI_FACTS_H

#include "common/vec.h"
#include "gencc/model/model.h"

enum abi_item_kind {
    ABI_INFO,     /* siginfo_t */
    ABI_STACK,    /* stack_t of sigaltstack() */
    ABI_MASK,     /* set of blocked signals */
    ABI_REGISTER, /* registers of the description */
    ABI_PC,
    ABI_VALUE,    /* user_value() and set_user_value() of the description */
    ABI_CONSTANT, /* a number that is ignored on return */
    ABI_HEAD,     /* head of a record: magic, then size, 4 bytes each */
};

/* An item of the frame of a handler with siginfo. */
struct abi_item {
    enum abi_item_kind kind;
    unsigned at, bytes, count; /* offset in the frame; bytes of one element; elements */
    bool saved;                /* the registers are not restored from this item */
    const char *name;          /* name of the first register */
    uint64_t value;            /* number of a value; the constant; magic number of a record */
    uint64_t must, is;         /* on return, bits `must` of a value have to be equal to `is` */
};

/* Words at an offset of the page. */
struct abi_part {
    unsigned at;
    VEC(uint32_t) words;
};

/* The signal of an exception class, or of a fault code, if the word's bits `mask` are `value`. */
struct abi_exception {
    bool is_fault;
    uint32_t number, mask, value;
    const char *signal; /* such as "SIGBUS" */
};

struct abi_setting {
    const char *name;
    uint64_t value;
};

/* An undefined word that raises SIGTRAP. */
struct abi_breakpoint {
    unsigned mode, bytes;
    uint32_t mask, value;
};

/* A member of a structure: size in bytes. A gap has no name. */
struct abi_member {
    const char *name;
    unsigned bytes;
};

struct abi_facts {
    unsigned elf_machine, elf_flags, address_bits, set_bytes, word_bytes;
    bool big_endian, code_first, mode_bit, tagged;
    const char *number, *result, *stack, *tls, *argument[6];
    unsigned argument_count;
    uint32_t call_class;
    unsigned call_bytes[2];
    unsigned frame_bytes, frame_align, return_at;
    VEC(struct abi_item) items;
    VEC(struct abi_part) parts;
    VEC(struct abi_exception) exceptions;
    VEC(struct abi_breakpoint) breakpoints;
    VEC(struct abi_setting) settings;
    VEC(uint64_t) config;
    VEC(struct abi_setting) calls;   /* numbers by name */
    VEC(struct abi_member) action;   /* struct sigaction */
    VEC(struct abi_member) stack_t;  /* stack_t */
    VEC(struct abi_setting) flags;   /* sa_flags whose numbers differ from the host's */
    VEC(struct abi_setting) signals; /* signals whose numbers differ from the host's */
};

/* Reads the ABI of the architecture. Returns NULL if it has none, or after reporting errors. */
const struct abi_facts *abi_read_facts(const struct model *m);

/* Returns the number of a system call; UINT32_MAX if the ABI does not have it. */
uint32_t abi_call(const struct abi_facts *f, const char *name);
/* Returns the ABI's number of a signal, such as SIGBUS, that has number `host` on the host. */
uint32_t abi_signal(const struct abi_facts *f, const char *name, uint32_t host);
/* Returns the ABI's number of a flag of sigaction(). */
uint32_t abi_flag(const struct abi_facts *f, const char *name, uint32_t host);

#endif
