/*
 * The contract between the runtime and the code that gencc generates of an architecture.
 *
 * gencc emits one `struct cpu_isa` per architecture. For each of its ISAs it has a decoder, which
 * turns words into decoded instructions (struct insn plus operands), with one handler per decoded
 * instruction; then the description's exported helpers. The runtime keeps decoded blocks, runs
 * them, and gives handlers memory. Numbers that both sides use are in common/prelude.
 *
 * Nothing here depends on an instruction, a register or an exception of any architecture.
 */
#ifndef RUNTIME_CPU_ISA_H
#define RUNTIME_CPU_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/prelude/cpu.h"

struct cpu;
struct insn;
struct asm_out;

enum {
    CPU_RINGS = 4,
    CPU_MAX_IFACES = 8,
    CPU_MAX_FEATURES = 32,
    CPU_BREAKPOINTS = 32, /* breakpoints that a description can set */
    CPU_WATCHPOINTS = 16,
    CPU_MAX_BLOCK = 64, /* instructions */
    CPU_MAX_INSN_BYTES = 8,
    CPU_PAGE_BITS = 12,
};
#define CPU_PAGE_SIZE (UINT64_C(1) << CPU_PAGE_BITS)
#define CPU_PAGE_MASK (CPU_PAGE_SIZE - 1)

/* ---- decoded instructions -------------------------------------------------------------------- */

/* Executes one decoded instruction and, unless it ends the block, calls the next one's handler
 * (a tail call), so that a block runs without a dispatch loop. */
typedef void insn_fn(struct cpu *cpu, const struct insn *i);

/*
 * A decoded instruction is plain data: the runtime copies it to other addresses, together with its
 * operands, and runs it from there.
 */
struct insn {
    insn_fn *fn;
    uint32_t word;        /* low 32 bits of the encoding, for logs */
    uint16_t offset : 12; /* bytes from the start of the block */
    uint16_t bytes : 4;   /* length in guest code */
    uint16_t form;        /* the decoded form: index into cpu_isa.forms */
    /* the form's operands follow, laid out by gencc */
};

/* A place in guest code, as decoders see it. */
struct cpu_fetch {
    const uint8_t *bytes;
    unsigned available;   /* number of `bytes`, at least one unit */
    uint8_t context;      /* the decode context (ac_context); 0 without one */
    uint8_t next_context; /* set by decoding: context of the following instruction */
};

enum decode_flag {
    DECODE_ENDS_BLOCK = 1, /* the handler sets the PC and does not call a next one */
    DECODE_MORE = 2,       /* the instruction is longer than cpu_fetch.available; decoding has set
                              nothing but insn.bytes, its length */
};

/*
 * A translator builds host code that does what the handler of one decoded instruction does
 * (runtime/jit). ISAs that were generated with --jit have translators.
 */
struct jit_build;
typedef void insn_translate_fn(struct jit_build *j, const struct insn *i);

/* An ISA of an architecture. Its index is the number of the mode in which it decodes. */
struct cpu_decoder {
    const char *name;
    /* instructions begin at multiples of it; the first unit determines an instruction's length */
    unsigned unit_bytes;
    unsigned max_bytes;  /* largest length of an instruction */
    unsigned insn_bytes; /* size of a decoded instruction with its operands */
    bool has_context;
    unsigned context;    /* offset of the decode context in the CPU's state */
    unsigned context_at; /* offset in a decoded instruction of its own decode context */
    /* Decodes one instruction: its handler, operands, word, bytes and form. An undefined word
     * becomes a handler that raises that exception. Returns enum decode_flag, or-ed. */
    unsigned (*decode)(struct cpu *cpu, struct cpu_fetch *at, struct insn *out);
    /* Writes assembly text; false: undefined, or longer than at->available. */
    bool (*disasm)(const struct cpu_fetch *at, uint64_t address, struct asm_out *out);
};

/* What is known of a decoded instruction by its form. */
struct cpu_form {
    const char *name;
    const char *klass;            /* statistics class of the description */
    uint16_t ticks;               /* duration, at least 1 */
    insn_translate_fn *translate; /* NULL: the form has no translator */
};

/* What instructions take on a kind of CPU, as the description says (ac_timing). */
struct cpu_class_ticks {
    const char *name;
    uint16_t ticks;
};

struct cpu_timing {
    const char *name; /* NULL behind the last one of a list */
    uint32_t mhz, ticks_per_cycle;
    /* Up to one without a name; classes that are missing take a cycle. */
    const struct cpu_class_ticks *classes;
};

/* ---- registers, for debugger, snapshots and tests -------------------------------------------- */

struct cpu_register {
    const char *name;
    const char *tag; /* "PC", "SP", "C" … or NULL */
    unsigned offset; /* in the CPU's state, or CPU_NO_STORAGE; unused for the register tagged PC */
    unsigned count;  /* registers of a bank, 1 for a slot */
    unsigned stride; /* bytes from one register of the bank to the next */
    unsigned elem_bits; /* bits of one element */
    unsigned lanes;     /* elements of one register */
    char kind;          /* 'u', 's' or 'f' */
    bool is_sysreg;
    uint32_t sysreg_code; /* code of the system register, if is_sysreg */
};

/* Offset of a system register that is computed when it is read. */
#define CPU_NO_STORAGE (~0u)

/* ---- an architecture ------------------------------------------------------------------------- */

/*
 * Translates a virtual address: 0, or a fault code that only the description interprets, smaller
 * than those of enum cpu_fault. `access` is an enum cpu_access. The runtime uses the page of *pa
 * only, so its offset in the page may be anything; *flags are of enum translate_flag.
 */
typedef uint32_t translate_fn(struct cpu *cpu, uint64_t va, uint32_t access, uint32_t ring,
                              uint64_t *pa, uint32_t *flags);

struct cpu_isa {
    const char *name;
    size_t state_bytes; /* size of the CPU's state */
    /* 12 to 64: significant bits of a virtual address. Higher bits, copies or a tag, are ignored
     * when translations of an address are flushed. */
    unsigned address_bits;
    bool big_endian;      /* order of instruction units in memory, and of a debugger's registers */
    bool narrow_pc;       /* the PC has 32 bits: it wraps to 0 behind the last address */
    unsigned iface_count; /* memory interfaces (ac_mem) */
    unsigned feature_count;
    const uint32_t *feature_values; /* after reset */
    const char *const *feature_names;
    const char *const *feature_about; /* text of each feature that -cpu can choose; else NULL */
    const uint8_t *iface_ring; /* by interface: the ring that it always uses, or 255: the current
                                  one; NULL: all use the current one */

    const struct cpu_timing *timings;   /* up to one without a name; NULL: none */
    const struct cpu_decoder *decoders; /* by mode */
    unsigned decoder_count;
    const struct cpu_form *forms; /* forms of all decoders */
    unsigned form_count;
    const struct cpu_register *registers;
    unsigned register_count;

    /* The description's exported helpers; NULL where it has none. They read and set the PC. */
    void (*reset)(struct cpu *cpu);
    void (*handle_exception)(struct cpu *cpu, uint32_t klass, uint64_t code);
    void (*undefined)(struct cpu *cpu);
    void (*memory_fault)(struct cpu *cpu, uint64_t va, uint32_t access, uint32_t code);
    translate_fn *translate;
    uint8_t (*interrupt)(struct cpu *cpu, uint32_t lines);
    void (*clear_monitor)(struct cpu *cpu);
    /* Called before each instruction while the description has set single step: 1 when it took an
     * exception instead. */
    uint8_t (*step)(struct cpu *cpu);
    /* Called before an instruction whose address may have a breakpoint: 1 when it took an exception
     * instead. */
    uint8_t (*breakpoint)(struct cpu *cpu);
    /* Called for an access that causes no fault and touches a watchpoint: 0, or a fault code for
     * memory_fault(). */
    uint32_t (*watchpoint)(struct cpu *cpu, uint64_t va, uint32_t size, uint32_t access,
                           uint32_t ring);
    uint8_t (*sysreg_access)(struct cpu *cpu, uint32_t code, uint32_t level, uint32_t is_write);
    uint64_t (*sysreg_read)(struct cpu *cpu, uint32_t code, uint32_t level);
    void (*sysreg_write)(struct cpu *cpu, uint32_t code, uint32_t level, uint64_t value);
    /* Linux's hardware capabilities of the CPU: the words of AT_HWCAP (0) and AT_HWCAP2 (1). */
    uint64_t (*hwcaps)(struct cpu *cpu, uint32_t word);
    /* In user mode: leaves the instruction of a system call, except that the PC is not moved; reads
     * and sets what a signal frame holds and no register does, by the numbers of ac_abi. */
    void (*leave_call)(struct cpu *cpu);
    uint64_t (*user_value)(struct cpu *cpu, uint32_t number);
    void (*set_user_value)(struct cpu *cpu, uint32_t number, uint64_t value);
};

/* The address that the CPU executes at when its PC is set to `pc`. */
static inline uint64_t cpu_wrap(const struct cpu_isa *isa, uint64_t pc)
{
    return isa->narrow_pc ? (uint32_t)pc : pc;
}

/* Largest number of which all PCs are multiples, in any mode. */
static inline unsigned cpu_unit_bytes(const struct cpu_isa *isa)
{
    unsigned unit = isa->decoders->unit_bytes;

    for (unsigned n = 1; n < isa->decoder_count; n++)
        unit = isa->decoders[n].unit_bytes < unit ? isa->decoders[n].unit_bytes : unit;
    return unit;
}

/* Bytes of the largest decoded instruction of any mode. */
static inline unsigned cpu_insn_bytes(const struct cpu_isa *isa)
{
    unsigned most = 0;

    for (unsigned n = 0; n < isa->decoder_count; n++)
        most = isa->decoders[n].insn_bytes > most ? isa->decoders[n].insn_bytes : most;
    return most;
}

#endif
