/*
 * A CPU: its state, and the contract between the runtime and the code that gencc generates.
 *
 * gencc emits one `struct cpu_isa` an architecture: for each of its ISAs a decoder that turns words
 * into decoded instructions (struct insn plus operands), one handler a decoded instruction, and the
 * description's exported helpers. The runtime keeps decoded blocks, runs them, and gives handlers memory. Numbers that both
 * sides use are in gencc/prelude.
 *
 * Nothing here knows an instruction, a register or an exception of any architecture.
 */
#ifndef RUNTIME_CPU_CPU_H
#define RUNTIME_CPU_CPU_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/prelude/cpu.h"
#include "runtime/base/error.h"
#include "runtime/base/log.h"
#include "runtime/mem/bus.h"
#include "runtime/obs/stats.h"
#include "runtime/time/clock.h"

struct cpu;
struct insn;
struct block;
struct code_cache; /* decoded code of a bus: what runtime/jit translates */
struct asm_out;

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
    uint32_t word;        /* the encoding's low 32 bits, for logs */
    uint16_t offset : 12; /* bytes from the start of the block */
    uint16_t bytes : 4;   /* of guest code */
    uint16_t form;        /* which form was decoded: index into cpu_isa.forms */
    /* the form's operands follow, laid out by gencc */
};

/* A place in guest code, as decoders see it. */
struct cpu_fetch {
    const uint8_t *bytes;
    unsigned available;   /* how many there are, at least one unit */
    uint8_t context;      /* the decode context (ac_context); 0 without one */
    uint8_t next_context; /* set by decoding: of the instruction behind */
};

enum decode_flag {
    DECODE_ENDS_BLOCK = 1, /* the handler sets the PC and does not call a next one */
    DECODE_MORE = 2,       /* the instruction has more bytes than there are; nothing but insn.bytes
                              was set, to as many as it has */
};

/*
 * A translator builds code for what the handler of one decoded instruction does (runtime/jit). ISAs
 * have them that were generated with --jit.
 */
struct jit_build;
typedef void insn_translate_fn(struct jit_build *j, const struct insn *i);

/* An ISA of a CPU: what it has of its own. Its number is that of the mode in which it decodes. */
struct cpu_decoder {
    const char *name;
    unsigned unit_bytes; /* instructions begin at multiples of it; one tells how long they are */
    unsigned max_bytes;  /* of an instruction */
    unsigned insn_bytes; /* of a decoded instruction with its operands */
    bool has_context;
    unsigned context;    /* place in cpu->state of the decode context */
    unsigned context_at; /* where in a decoded instruction its own is kept */
    /* Decodes one instruction: its handler, operands, word, bytes and form. An undefined word becomes
     * a handler that raises that exception. Returns enum decode_flag, or-ed. */
    unsigned (*decode)(struct cpu *cpu, struct cpu_fetch *at, struct insn *out);
    /* Writes assembly text; false: undefined, or more than there is. */
    bool (*disasm)(const struct cpu_fetch *at, uint64_t address, struct asm_out *out);
};

/* What is known of a decoded instruction by its form. */
struct cpu_form {
    const char *name;
    const char *klass;            /* statistics class of the description */
    uint16_t ticks;               /* of time that it takes, at least 1 */
    insn_translate_fn *translate; /* NULL: the form has no translator */
};

/* ---- registers, for debugger, snapshots and tests -------------------------------------------- */

struct cpu_register {
    const char *name;
    const char *tag;    /* "PC", "SP", "C" … or NULL */
    unsigned offset;    /* in cpu->state, or CPU_NO_STORAGE; not used for the one tagged PC */
    unsigned count;     /* registers of a bank, 1 for a slot */
    unsigned stride;    /* bytes from one to the next */
    unsigned elem_bits; /* of one element */
    unsigned lanes;     /* elements of one register */
    char kind;          /* 'u', 's' or 'f' */
    bool is_sysreg;
    uint32_t sysreg_code; /* of a system register */
};

/* Offset of a system register that is computed when it is read. */
#define CPU_NO_STORAGE (~0u)

struct cpu_view { /* one register to read and write; see cpu_register_find */
    const struct cpu_register *reg;
    unsigned index;
};

/* ---- translation ----------------------------------------------------------------------------- */

/*
 * Answers for a virtual address: 0, or a fault code that only the description understands, smaller
 * than those of enum cpu_fault. `access` is an enum cpu_access. Of *pa the runtime takes the page, so
 * the offset in it may be there or not; *flags are of enum translate_flag.
 */
typedef uint32_t translate_fn(struct cpu *cpu, uint64_t va, uint32_t access, uint32_t ring,
                              uint64_t *pa, uint32_t *flags);

enum {
    TLB_BITS = 14,
    TLB_SIZE = 1 << TLB_BITS,
    TLB_LARGE_BITS = 21,
    TLB_NEAR_BITS = 12,
    CPU_RINGS = 4,
    CPU_BANKS = 2, /* sets of tables, with a soft TLB for each ring */
    CPU_MAX_IFACES = 8,
    CPU_MAX_FEATURES = 32,
    CPU_BREAKPOINTS = 32, /* that a description can set */
    CPU_WATCHPOINTS = 16,
    CPU_MAX_BLOCK = 64, /* instructions */
    CPU_MAX_INSN_BYTES = 8,
    JUMP_CACHE_BITS = 16,
    CPU_PAGE_BITS = 12,
};
#define CPU_PAGE_SIZE (UINT64_C(1) << CPU_PAGE_BITS)
#define CPU_PAGE_MASK (CPU_PAGE_SIZE - 1)

/* One page of the soft TLB. A tag is the page's virtual address; an entry that does not allow the
 * access holds a tag that cannot match there (another index). Memory that does not allow misaligned
 * accesses has the page's address with TLB_ALIGNED flipped, for who has looked at the alignment. */
struct tlb_entry {
    uint64_t read_tag, write_tag;
    uintptr_t addend; /* host address = guest virtual address + addend */
    uint64_t info;    /* physical page | log2 of the page size << 5 | TRANSLATE_* (bits 4:0) */
};

/*
 * The entries that the inline path looks at, and what only filling and flushing need. An entry
 * whose tags do not match may still be valid: devices and pages with code are served by the slow
 * path.
 */
struct tlb {
    struct tlb_entry entry[TLB_SIZE];
    uint64_t va[TLB_SIZE];          /* page address of a valid entry, else TLB_EMPTY */
    uint64_t filled[TLB_SIZE / 64]; /* bit an entry: valid */
    uint64_t large[TLB_SIZE / 64];  /* bit an entry: part of a page larger than CPU_PAGE_SIZE */
    /* Which pages these are, as flushes compare addresses: all lie from the first to the last (high 0: none);
     * while none has more than 1 << TLB_LARGE_BITS bytes, what surrounds them is in `near`, hashed. */
    uint64_t large_low, large_high;
    unsigned large_most; /* log2 of the largest one's size */
    uint64_t near[(1 << TLB_NEAR_BITS) / 64];
    uint64_t
        space; /* what entries that are not global belong to: cpu->space when it was current last */
    bool in_use; /* false: nothing in it is set */
};
#define TLB_EMPTY   UINT64_C(1)
#define TLB_ALIGNED CPU_PAGE_SIZE

/* ---- what is generated ----------------------------------------------------------------------- */

struct cpu_isa {
    const char *name;
    size_t state_bytes;    /* of cpu->state */
    unsigned address_bits; /* that name a byte: those above, copies or a tag, are not compared when
                              translations of an address are forgotten; 12 to 64 */
    bool narrow_pc;        /* the PC has 32 bits: it goes on at 0 behind the last address */
    unsigned iface_count;  /* memory interfaces (ac_mem) */
    unsigned feature_count;
    const uint32_t *feature_values; /* after reset */
    const char *const *feature_names;
    const char *const
        *feature_about;        /* what it is, of those that are chosen for a CPU; else NULL */
    const uint8_t *iface_ring; /* ring an interface always uses, or 255: the current one;
                                       NULL: all the current one */

    const struct cpu_decoder *decoders; /* by mode */
    unsigned decoder_count;
    const struct cpu_form *forms; /* of all decoders */
    unsigned form_count;
    const struct cpu_register *registers;
    unsigned register_count;

    /* The description's exported helpers; NULL where it has none. cpu->pc is the PC. */
    void (*reset)(struct cpu *cpu);
    void (*handle_exception)(struct cpu *cpu, uint32_t klass, uint64_t code);
    void (*undefined)(struct cpu *cpu);
    void (*memory_fault)(struct cpu *cpu, uint64_t va, uint32_t access, uint32_t code);
    translate_fn *translate;
    uint8_t (*interrupt)(struct cpu *cpu, uint32_t lines);
    void (*clear_monitor)(struct cpu *cpu);
    /* Before each instruction while cpu->single_step: 1 when it took an exception instead. */
    uint8_t (*step)(struct cpu *cpu);
    /* Before an instruction whose address may have a breakpoint: 1 when it took an exception instead. */
    uint8_t (*breakpoint)(struct cpu *cpu);
    /* An access that nothing else stops touches a watchpoint: 0, or a fault code for memory_fault(). */
    uint32_t (*watchpoint)(struct cpu *cpu, uint64_t va, uint32_t size, uint32_t access,
                           uint32_t ring);
    uint8_t (*sysreg_access)(struct cpu *cpu, uint32_t code, uint32_t level, uint32_t is_write);
    uint64_t (*sysreg_read)(struct cpu *cpu, uint32_t code, uint32_t level);
    void (*sysreg_write)(struct cpu *cpu, uint32_t code, uint32_t level, uint64_t value);
    /* What Linux tells programs of the CPU: the words of AT_HWCAP (0) and AT_HWCAP2 (1). */
    uint64_t (*hwcaps)(struct cpu *cpu, uint32_t word);
};

/* The address that the CPU takes `pc` for. */
static inline uint64_t cpu_wrap(const struct cpu_isa *isa, uint64_t pc)
{
    return isa->narrow_pc ? (uint32_t)pc : pc;
}

/* All PCs are multiples of this, in any mode. */
static inline unsigned cpu_unit_bytes(const struct cpu_isa *isa)
{
    unsigned unit = isa->decoders->unit_bytes;

    for (unsigned n = 1; n < isa->decoder_count; n++)
        unit = isa->decoders[n].unit_bytes < unit ? isa->decoders[n].unit_bytes : unit;
    return unit;
}

/* Room for a decoded instruction of any mode. */
static inline unsigned cpu_insn_bytes(const struct cpu_isa *isa)
{
    unsigned most = 0;

    for (unsigned n = 0; n < isa->decoder_count; n++)
        most = isa->decoders[n].insn_bytes > most ? isa->decoders[n].insn_bytes : most;
    return most;
}

/* ---- what surrounds a CPU -------------------------------------------------------------------- */

/* A device on the CPU's own port (read_device/write_device intrinsics). */
struct cpu_device {
    void *opaque;
    uint64_t (*read)(void *opaque, unsigned cpu, uint32_t reg);
    void (*write)(void *opaque, unsigned cpu, uint32_t reg, uint64_t value);
};

/* What the machine or a user-mode runner plugs in. Any may be NULL. */
struct cpu_hooks {
    void *opaque;
    /* Instead of the description's handle_exception/undefined/memory_fault: user-mode runners.
     * Called outside of any block, with cpu->pc = the instruction's address. */
    void (*exception)(struct cpu *cpu, uint32_t klass, uint64_t code);
    void (*undefined)(struct cpu *cpu);
    void (*memory_fault)(struct cpu *cpu, uint64_t va, uint32_t access, uint32_t code);
    translate_fn *translate;
    /* firmware_call: true when served. It may power CPUs on and off and reset any CPU, this one
     * included. */
    bool (*firmware)(struct cpu *cpu, uint32_t conduit, uint32_t imm);
    void (*debug_stop)(struct cpu *cpu, int why); /* enum debug_why of debug.h */
};

/*
 * What memory takes of a CPU's time besides its instructions' ticks. Each access to memory is told, by
 * its physical address, once for each page that it lies in, and the answer is picoseconds.
 */
struct cpu_delays {
    void *opaque;
    uint64_t (*access)(void *opaque, uint64_t pa, unsigned size, enum cpu_access access);
};

/* Why a CPU must look up at a block boundary, or-ed. */
enum cpu_attention {
    CPU_ATT_IRQ = 1,     /* a line is up, or masks changed */
    CPU_ATT_STOP = 2,    /* leave cpu_run */
    CPU_ATT_HALT = 4,    /* waits for an interrupt */
    CPU_ATT_STEP = 8,    /* the description wants step() before each instruction */
    CPU_ATT_KEY = 16,    /* ring, mode, features or context changed: cpu->key is stale */
    CPU_ATT_DEBUG = 32,  /* a debugger steps, or resumes from a breakpoint */
    CPU_ATT_EVENT = 64,  /* waits for an event, or yields, until its turn ends */
    CPU_ATT_TRACE = 128, /* log channel exec is on */
    CPU_ATT_CODE = 256,  /* translated code must look up where it goes on */
};

struct cpu_counters {
    uint64_t exceptions, interrupts, undefined, memory_faults;
    uint64_t tlb_misses, tlb_flushes, walks;
    uint64_t tlb_spaces; /* times that translations made room for those of another address space */
    uint64_t mmio_reads, mmio_writes;
    uint64_t blocks_decoded, block_lookups, code_writes;
    uint64_t exception_class[64]; /* by klass, the last entry for larger ones */
};

struct jump_entry { /* of 32 bytes, so that its place is a shift away from its number */
    uint64_t pc;
    uint64_t key; /* cpu->key when it was made, generation 0: not right any more; 0: empty */
    struct block *block;
    uint64_t unused;
};

/*
 * What flushing must know of the jump cache: all entries die by a new generation in cpu->key, those
 * of pages that are not global by their bit here, and a page without entries costs nothing.
 */
enum { JUMP_BLOOM_BITS = 14, JUMP_LARGE = 8 };
struct jump_pages {
    uint64_t generation;                              /* bits 63:16 of cpu->key */
    uint64_t not_global[(1 << JUMP_CACHE_BITS) / 64]; /* bit an entry */
    uint64_t bloom[(1 << JUMP_BLOOM_BITS) / 64];      /* 4 KB pages with entries, hashed */
    struct {
        uint64_t va;
        unsigned shift;
    } large[JUMP_LARGE];  /* larger pages with entries */
    unsigned large_count; /* more than JUMP_LARGE: unknown ones */
};

/* Why an instruction was left in the middle. */
enum cpu_leave {
    LEAVE_EXCEPTION,
    LEAVE_UNDEFINED,
    LEAVE_FAULT,
    LEAVE_DEBUG,   /* watchpoint; the instruction has not been executed */
    LEAVE_RESTART, /* the firmware model reset this CPU: cpu->pc is set */
    LEAVE_REPEAT,  /* the firmware model has not finished: the instruction is executed again */
};

/* Offsets in their page at which breakpoints are, in order: blocks begin there. */
struct cpu_stops {
    uint16_t count;
    uint16_t offset[CPU_BREAKPOINTS];
};

struct cpu_range {
    uint64_t first, last;
};

/* What the description set (runtime/cpu/points.h). */
struct cpu_points {
    uint32_t breaks, watches; /* bit a number: it is set */
    struct cpu_stops stops;
    uint16_t break_at[CPU_BREAKPOINTS];
    struct cpu_range watch[CPU_WATCHPOINTS];
};

enum cpu_debug_state {
    CPU_DEBUG_NONE,
    CPU_DEBUG_STEP,
    CPU_DEBUG_STEPPED,
    CPU_DEBUG_SKIP,
    CPU_DEBUG_SKIPPED
};

struct cpu {
    uint64_t pc;
    uint64_t block_pc;                 /* address of the running block */
    struct tlb *iface[CPU_MAX_IFACES]; /* table each memory interface uses now */
    uint32_t attention;                /* enum cpu_attention */
    uint32_t ring;                     /* execution ring: privilege, 0 lowest */
    uint64_t ticks;                    /* of time used so far, exact at block boundaries */
    uint64_t stop_at;                  /* cpu_run ends when ticks reaches it */
    uint64_t key;                      /* identity of code: bank, ring, mode, features and decode
                                          context (bits 15:0, never 0), generation of the jump
                                          cache */
    uintptr_t flat_base;               /* guest address 0 on the host, whose pages have the guest's
                                          permissions (runtime/mem/flat.h); 0: none */
    struct block *block;               /* running, or NULL outside of blocks */
    const struct insn *current;        /* instruction that called the runtime, in a block */
    uint64_t region_pc;                /* where the running translation was entered */
    uint64_t left_base;                /* ticks when a counter that the quick tier counts down
                                          from here on reaches 0 */
    uint64_t over;                     /* how many more ticks than instructions there were */
    const struct insn *alone;          /* copy of one of the block's instructions that translated
                                          code runs by itself, or NULL */

    uint32_t features[CPU_MAX_FEATURES];
    uint32_t mode;    /* which of the ISA's decoders decodes */
    uint32_t bank;    /* whose soft TLBs are current */
    uint32_t lines;   /* bit an interrupt input: asserted */
    bool halted;      /* waits for one of them */
    bool powered;     /* cpu_set_power() */
    bool event;       /* an event has come that wait_event() has not taken */
    bool single_step; /* description asked for step() */
    bool reserved;    /* mem_monitor_acquire() reserved an address, and nothing ended it */

    const struct cpu_isa *isa;
    struct code_cache *code;
    struct cpu_group *group;
    struct bus *bus;
    struct clock *clock;
    struct log *log;
    unsigned number;
    uint64_t reservation;                      /* that address */
    uint32_t fp_rounding;                      /* what the description set, for it to get */
    uint32_t fp_flush;                         /* likewise */
    uint64_t page_names;                       /* address bits that tell pages apart */
    uint32_t reset_features[CPU_MAX_FEATURES]; /* after reset: the ISA's, or as was chosen */
    struct cpu_hooks hooks;
    struct cpu_device devices[8];
    uint64_t config[8]; /* cpu_config(n): what the machine configured */
    struct cpu_counters counters;

    /* Set by whoever leaves a block in the middle, read by cpu_run. */
    struct {
        enum cpu_leave why;
        uint32_t klass, access, code;
        uint64_t value;
    } left;
    jmp_buf leave;
    bool guarded;    /* `leave` may be jumped to */
    bool restarted;  /* reset from inside of its own block */
    unsigned nested; /* exceptions taken while one was being taken */

    uint16_t recent_key[4]; /* bits 15:0 of the key that was found last, by mode; 0: none */
    struct {
        uint64_t from, to; /* keys before and after; from is 0: none */
    } mode_change[4];      /* the last change to each mode, while its decode context was 0 */
    unsigned slot;         /* which of the code cache's execution counters are this CPU's */
    bool counts;           /* executions of blocks are counted, for statistics */
    struct block *scratch; /* where blocks are decoded and shortened */

    /* For cpu_group. */
    uint64_t ps_per_tick; /* virtual picoseconds that a tick takes; 0: the group's */
    int64_t ahead_ps;     /* how far this CPU is past clock->now, outside of its turn */
    uint64_t turn_from;   /* ticks when its turn began */
    bool frozen;          /* the debugger does not let it run */

    bool repeats;  /* cpu_repeat(): its next instruction is the last one once more */
    bool repeated; /* to firmware: this call is such a one */

    const struct cpu_delays *delays; /* NULL: memory takes no time */
    uint64_t delayed_ps;             /* by it, so far */
    uint64_t turn_delayed;           /* what delayed_ps was when its turn began */

    struct class_stat *class_stats; /* what cpu_register_stats() handed out */
    void *memory;                   /* where the CPU's begins */
    size_t memory_bytes;

    /* Stores what translated code keeps of the registers while it has the runtime access memory; before
     * anybody looks at `state`. NULL: `state` is complete. */
    void (*settle)(struct cpu *cpu, const void *arg);
    const void *settle_arg;

    struct debug *debug; /* NULL: no debugger */
    enum cpu_debug_state debug_state;
    struct cpu_points points;

    struct {
        uint64_t tables; /* as cpu_set_address_space() has them */
        bool known;
    } banks[CPU_BANKS];
    uint64_t space; /* likewise */
    struct jump_pages jump_pages;
    struct tlb tlbs[CPU_BANKS * CPU_RINGS]; /* by cpu_table() */
    struct jump_entry jumps[1 << JUMP_CACHE_BITS];
    /* Code that has just stored registers reads members at the struct's beginning. Hosts compare the low 12
     * bits of addresses first, and wait where a store and a load have the same. */
    _Alignas(4096) uint8_t apart[1024];
    _Alignas(64) uint8_t state[]; /* registers, laid out by gencc */
};

/* Number of a ring's soft TLB in a bank. */
static inline unsigned cpu_table(unsigned bank, unsigned ring)
{
    return bank * CPU_RINGS + ring;
}

/* The decoder of the CPU's present mode. */
static inline const struct cpu_decoder *cpu_decoder(const struct cpu *cpu)
{
    return &cpu->isa->decoders[cpu->mode];
}

/* ---- life ------------------------------------------------------------------------------------ */

/* Makes CPU `number`, powered off, state zero. bus, clock (NULL: no time) and log are borrowed. */
struct cpu *cpu_new(const struct cpu_isa *isa, unsigned number, struct bus *bus,
                    struct clock *clock, struct log *log, struct error *err);
/* The same, for machines: its tables lie in large pages of the host if it has such, 8 MB a CPU. */
struct cpu *cpu_new_large(const struct cpu_isa *isa, unsigned number, struct bus *bus,
                          struct clock *clock, struct log *log, struct error *err);
void cpu_free(struct cpu *cpu);

/*
 * Power-on state: registers zero, features to their values, PC 0, then the description's reset().
 * Interrupt inputs and the power state stay as they are. A firmware hook may reset the CPU that
 * called it: the CPU then goes on at cpu->pc.
 */
void cpu_reset(struct cpu *cpu);

/*
 * For a firmware hook, whose work would take too long: the instruction that called it is executed again `ps` of
 * virtual time later, and calls it with cpu->repeated. Nothing else of the CPU happens in between, no interrupt is
 * taken, unless it is reset. What the hook returns does not count.
 */
void cpu_repeat(struct cpu *cpu, uint64_t ps);

/* Exclusive accesses of the CPU start anew: another may have written what it watches. */
void cpu_clear_monitor(struct cpu *cpu);

/*
 * Switches a CPU on or off. One that is off does not run; switched on, it goes on with the state it
 * has, at the virtual time of the CPU that switched it on. A running CPU that is switched off ends
 * its turn after the block.
 */
void cpu_set_power(struct cpu *cpu, bool on);

/* Memory takes time from now on, or, NULL, none. Of a CPU in a group; the structure is borrowed. Every
 * access then goes the slow way. */
void cpu_set_delays(struct cpu *cpu, const struct cpu_delays *delays);

/* Virtual picoseconds that a CPU's instructions and memory took so far, exact also inside of a block. */
uint64_t cpu_used_ps(const struct cpu *cpu);

/* After cpu->state, ring, mode or features were changed from outside (a snapshot was loaded):
 * forgets translations and what depends on them. */
void cpu_state_changed(struct cpu *cpu);

/*
 * Several CPUs that share memory, code and time. The pointers are borrowed. All CPUs of one bus
 * belong to one thread.
 */
struct cpu_group {
    struct cpu **cpu; /* copied array */
    unsigned count;
    struct code_cache *code;
    struct clock *clock;
    uint64_t quantum;     /* ticks of a turn, on the fastest CPU that is on: 10,000, at least 1 */
    uint64_t alone;       /* instead, while only one CPU is switched on; 0 (default): quantum */
    uint64_t ps_per_tick; /* of CPUs that have no speed of their own: 1000, at least 1 */
    struct cpu *running;  /* in its turn, or NULL */
    bool stop;            /* set by cpu_group_stop */

    /* A turn that cpu_group_stop() interrupted is finished by the next cpu_group_turn(). */
    bool open;
    unsigned next;   /* whose part of the turn is next */
    int64_t turn_ps; /* its length, from clock->now */
    uint64_t turns;
    struct debug *debug; /* NULL: no debugger */
};

/*
 * clock may be NULL (user-mode runners: no time, no events); its offset and sooner hooks belong to
 * the group until cpu_group_free(), which must come before cpu_free() of its CPUs.
 */
bool cpu_group_init(struct cpu_group *g, struct cpu **cpus, unsigned count, struct bus *bus,
                    struct clock *clock, struct error *err);
void cpu_group_free(struct cpu_group *g);

/* Adds a CPU later (threads of a user-mode program), or takes one out. Not from inside a turn. */
void cpu_group_add(struct cpu_group *g, struct cpu *cpu);
void cpu_group_remove(struct cpu_group *g, struct cpu *cpu);

/*
 * One turn: every powered CPU runs from the turn's start for a quantum, no further than the next
 * event; then the clock advances to the turn's end and due events run. An event that a CPU programs
 * for an earlier time shortens the turn; CPUs that are past that time already run less in the next
 * one. When all CPUs wait, time jumps to the next event. Returns false when nothing can happen
 * without the outside: all wait, and there is no event. The caller runs posted work
 * (clock_run_posted) between turns.
 */
bool cpu_group_turn(struct cpu_group *g);

/* Ends the running CPU's turn at its next block boundary, and cpu_group_turn with it. The next
 * cpu_group_turn() goes on where this one stopped, so that a stop changes nothing the guest sees.
 */
void cpu_group_stop(struct cpu_group *g);

/*
 * Runs instructions until they have taken `budget` ticks; returns how many they took: more than the
 * budget when the last one takes several. Stops early when the CPU waits, on power-off, a debugger's
 * stop or cpu_stop(). An instruction that ends in an exception counts, as does a failed instruction
 * fetch. Without a group the CPU shares the code cache of its bus.
 */
uint64_t cpu_run(struct cpu *cpu, uint64_t budget);

/* Ends cpu_run at the next block boundary. */
static inline void cpu_stop(struct cpu *cpu)
{
    cpu->attention |= CPU_ATT_STOP;
}

/* Drives interrupt input `line`, 0 to 31; the `set` of a struct irq_line. What a number means is the
 * description's. */
void cpu_set_line(void *cpu, unsigned line, bool level);

/* Instructions executed so far, exact at block boundaries. */
static inline uint64_t cpu_insns(const struct cpu *cpu)
{
    return cpu->ticks - cpu->over;
}

/* Instructions executed, and ticks that they took, exact also inside of a block. */
uint64_t cpu_insns_now(const struct cpu *cpu);
uint64_t cpu_ticks_now(const struct cpu *cpu);
/* Whether it is within an instruction, which these do not count yet. */
bool cpu_within(const struct cpu *cpu);

/* Virtual picoseconds that a tick of the CPU takes. */
uint64_t cpu_tick_ps(const struct cpu *cpu);

/* ---- registers by name ----------------------------------------------------------------------- */

/* Finds "PC", "X3" (bank X, number 3), a system register, in either case; false when there is
 * none. */
bool cpu_register_find(const struct cpu_isa *isa, const char *name, struct cpu_view *out);
/* Bytes of one register, at most CPU_REGISTER_BYTES. */
enum { CPU_REGISTER_BYTES = 16 };
unsigned cpu_register_bytes(struct cpu_view v);
/* Up to 16 bytes, little-endian, in `value`; returns the number of bytes. A system register without
 * storage is computed by the description. */
unsigned cpu_register_read(struct cpu *cpu, struct cpu_view v, void *value);
/* Writes cpu_register_bytes(); system registers are written as the guest would at the highest
 * level, with what follows from it. */
void cpu_register_write(struct cpu *cpu, struct cpu_view v, const void *value);
/* The low 64 bits by name; 0 and no effect when there is no such register. */
uint64_t cpu_register_get(struct cpu *cpu, const char *name);
void cpu_register_set(struct cpu *cpu, const char *name, uint64_t value);

/* ---- memory, for the debugger, firmware and loaders ------------------------------------------ */

/* Copies guest virtual memory without side effects (no fault is taken, devices are not touched);
 * false when a part is not mapped. */
bool cpu_memory_read(struct cpu *cpu, uint64_t va, void *buf, uint64_t len);
bool cpu_memory_write(struct cpu *cpu, uint64_t va, const void *buf, uint64_t len);

/* The physical address behind a virtual one; false when it is not mapped. Likewise without side
 * effects. */
bool cpu_memory_find(struct cpu *cpu, uint64_t va, uint64_t *pa);

/* Bytes of the instruction at an address, as the CPU would decode it now; 0 when it is not mapped.
 * Not from inside of a block. */
unsigned cpu_instruction_bytes(struct cpu *cpu, uint64_t va);

/* Forgets translations; `global` too or only those marked not global. */
void cpu_tlb_flush(struct cpu *cpu, bool global);
void cpu_tlb_flush_page(struct cpu *cpu, uint64_t va);
/* Forgets all decoded code (breakpoints changed). */
void cpu_code_flush(struct cpu *cpu);

/* Bounds the memory of decoded code, all CPUs of the bus together; default 256 MB. */
void cpu_code_set_budget(struct cpu *cpu, size_t bytes);

/*
 * Registers the CPU's counters, and instructions by class and ring, under "cpuN". The CPU must be
 * in its group, or have run, and live until the last stats_write().
 */
void cpu_register_stats(struct cpu *cpu, struct stats *stats);

/* Whether instructions are counted by class and ring, on all CPUs of the group, from now on;
 * default: true. Without, those statistics are 0. Before the CPUs run. */
void cpu_group_count(struct cpu_group *g, bool on);

#endif
