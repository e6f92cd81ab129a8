/*
 * The memory layout of a CPU and of its soft TLB and jump cache, for code that accesses them
 * inline: generated handlers (exec.h), translated code (runtime/jit) and the files of this room.
 * Others use cpu.h, where struct cpu is opaque.
 */
#ifndef RUNTIME_CPU_LAYOUT_H
#define RUNTIME_CPU_LAYOUT_H

#include <setjmp.h>

#include "runtime/cpu/cpu.h"

struct block;
struct class_stat;
struct idle_table;

enum {
    TLB_BITS = 14,
    TLB_SIZE = 1 << TLB_BITS,
    TLB_LARGE_BITS = 21,
    TLB_NEAR_BITS = 12,
    CPU_BANKS = 2, /* sets of tables, each with a soft TLB per ring */
    JUMP_CACHE_BITS = 16,
};

/* ---- soft TLB -------------------------------------------------------------------------------- */

/*
 * One page of the soft TLB. A tag is the page's virtual address. An entry that does not allow the
 * access holds a tag that cannot match there (another index). In memory that does not allow
 * misaligned accesses the tag is the page's address with TLB_ALIGNED flipped: code that has checked
 * the alignment compares with that.
 */
struct tlb_entry {
    uint64_t read_tag, write_tag;
    uintptr_t addend; /* host address = guest virtual address + addend */
    uint64_t info;    /* physical page | log2 of the page size << 5 | TRANSLATE_* (bits 4:0) */
};

/*
 * One soft TLB: the entries that inline accesses compare with, then what only filling and flushing
 * need. An entry whose tags do not match may still be valid: devices and pages with code are served
 * by the slow path.
 */
struct tlb {
    struct tlb_entry entry[TLB_SIZE];
    uint64_t va[TLB_SIZE];          /* page address of a valid entry, else TLB_EMPTY */
    uint64_t filled[TLB_SIZE / 64]; /* bit e: entry e is valid */
    uint64_t large[TLB_SIZE / 64];  /* bit e: entry e is part of a page > CPU_PAGE_SIZE */
    /* Bounds of the large pages, for flushes of an address: all large pages lie in large_low to
     * large_high (large_high 0: there are none). While all have at most 1 << TLB_LARGE_BITS bytes,
     * the surrounding blocks of that size are in `near`, hashed. */
    uint64_t large_low, large_high;
    unsigned large_most; /* log2 of the size of the largest page */
    uint64_t near[(1 << TLB_NEAR_BITS) / 64];
    uint64_t space; /* address space of the entries that are not global: cpu->space when this table
                       was last current */
    bool in_use;    /* false: no entry and no bit is set */
};
#define TLB_EMPTY   UINT64_C(1)
#define TLB_ALIGNED CPU_PAGE_SIZE

/* Number of a ring's soft TLB in a bank. */
static inline unsigned cpu_table(unsigned bank, unsigned ring)
{
    return bank * CPU_RINGS + ring;
}

/* ---- jump cache ------------------------------------------------------------------------------ */

struct jump_entry { /* 32 bytes, so that its address is the shifted index */
    uint64_t pc;
    uint64_t key; /* cpu->key when the entry was made; with number 0: out of date; 0: empty */
    struct block *block;
    const void *host; /* block->host, so that jumps in translated code need not read the block */
};

/*
 * What flushes of the jump cache need. A flush of all entries gives all soft TLBs a new number in
 * cpu->key. Entries of another address space keep theirs, which returns with the space. A flush of
 * pages that are not global finds their entries by one bit per entry. A flush of a page without
 * entries costs one look at `bloom`.
 */
enum { JUMP_BLOOM_BITS = 14, JUMP_LARGE = 8 };
struct jump_pages {
    uint64_t generation; /* the last number that was given */
    /* By cpu_table(): number of the entries that are valid now in this soft TLB, in bits 63:16 of
     * their keys; and whether one of them has a page that is not global, so that another address
     * space needs another number. */
    uint64_t number[CPU_BANKS * CPU_RINGS];
    bool local[CPU_BANKS * CPU_RINGS];
    bool waiting[CPU_BANKS * CPU_RINGS]; /* the same, of pages in common.waiting */
    /* bit e: entry e has a page that is not global */
    uint64_t not_global[(1 << JUMP_CACHE_BITS) / 64];
    uint64_t bloom[(1 << JUMP_BLOOM_BITS) / 64]; /* 4 KB pages with entries, hashed */
    struct {
        uint64_t va;
        unsigned shift;
    } large[JUMP_LARGE];  /* larger pages with entries */
    unsigned large_count; /* more than JUMP_LARGE: some are not in `large` */
};

/* What walks read for pages that are common to address spaces (common.h). */
enum { COMMON_READS = 8, COMMON_PAGES = 16 };

/* Some pages; count > COMMON_PAGES: there are more. */
struct common_list {
    unsigned count;
    uint64_t va[COMMON_PAGES];
};

struct common_pages {
    bool stale;          /* what was read for a common page has changed */
    uint64_t from;       /* value of cpu->ticks from which on there may be common pages again */
    unsigned read_count; /* of the latest walk; more than COMMON_READS: not all are in `read` */
    uint64_t read[COMMON_READS]; /* physical addresses */
    struct common_list waiting;  /* to be common as soon as their tables are noted */
    struct common_list changed;  /* whose tables have changed */
};

/* ---- leaving and stopping -------------------------------------------------------------------- */

/* What a CPU must handle at the next block boundary, or-ed. */
enum cpu_attention {
    CPU_ATT_IRQ = 1,     /* an interrupt input is asserted, or masks changed */
    CPU_ATT_STOP = 2,    /* leave cpu_run */
    CPU_ATT_HALT = 4,    /* waits for an interrupt */
    CPU_ATT_STEP = 8,    /* step() is to be called before each instruction */
    CPU_ATT_KEY = 16,    /* ring, mode, features or context changed: cpu->key is out of date */
    CPU_ATT_DEBUG = 32,  /* a debugger steps, or resumes from a breakpoint */
    CPU_ATT_EVENT = 64,  /* waits for an event, or yields, until its turn ends */
    CPU_ATT_TRACE = 128, /* log channel exec is on */
    CPU_ATT_CODE = 256,  /* translated code must look up its next block */
};

/* Why an instruction was left before its end. */
enum cpu_leave {
    LEAVE_EXCEPTION,
    LEAVE_UNDEFINED,
    LEAVE_FAULT,
    LEAVE_DEBUG,   /* watchpoint; the instruction has not been executed */
    LEAVE_RESTART, /* the firmware model reset this CPU: cpu->pc is set */
    LEAVE_REPEAT,  /* the firmware model has not finished: the instruction is executed again */
};

/* Page offsets of breakpoints, in ascending order: blocks begin there. */
struct cpu_stops {
    uint16_t count;
    uint16_t offset[CPU_BREAKPOINTS];
};

struct cpu_range {
    uint64_t first, last;
};

/* Breakpoints and watchpoints that the description set (runtime/cpu/points.h). */
struct cpu_points {
    uint32_t breaks, watches; /* bit n: breakpoint or watchpoint n is set */
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

struct cpu_counters {
    uint64_t exceptions, interrupts, undefined, memory_faults;
    uint64_t tlb_misses, tlb_flushes, walks;
    uint64_t tlb_spaces; /* times that a table got another address space */
    uint64_t mmio_reads, mmio_writes;
    uint64_t blocks_decoded, block_lookups, code_writes;
    uint64_t exception_class[64]; /* by klass, the last entry for larger ones */
};

/* ---- a CPU ----------------------------------------------------------------------------------- */

struct cpu {
    uint64_t pc;
    uint64_t block_pc;                 /* address of the running block */
    struct tlb *iface[CPU_MAX_IFACES]; /* by memory interface: its current table */
    uint32_t attention;                /* enum cpu_attention */
    uint32_t ring;                     /* execution ring: privilege, 0 lowest */
    uint64_t ticks;                    /* time used so far, exact at block boundaries */
    uint64_t stop_at;                  /* blocks must fit before it: turn_end, or `goal` */
    uint64_t key;                      /* identity of code: bank, ring, mode, features and decode
                                          context (bits 15:0, never 0), and a number
                                          (struct jump_pages) */
    uintptr_t flat_base;               /* host address of guest address 0 in flat memory
                                          (runtime/mem/flat.h), whose pages have the guest's
                                          permissions */
    struct block *block;               /* running, or NULL outside of blocks */
    const struct insn *current;        /* instruction that called the runtime, in a block */
    uint64_t region_pc;                /* entry address of the running translation */
    uint64_t left_base;                /* value of `ticks` at which a counter that the quick tier
                                          counts down reaches 0 */
    uint32_t host_float;               /* floating-point control, as the host has it, of the
                                          translated code that runs or has called C */
    bool flat;                         /* memory is flat */
    _Alignas(16) double half[2];       /* 0.5 in each lane: translated code multiplies by it */
    float half_single[4];
    uint64_t over;            /* ticks so far minus instructions so far */
    const struct insn *alone; /* copy of one of the block's instructions that translated
                                          code runs by itself, or NULL */

    uint32_t features[CPU_MAX_FEATURES];
    uint32_t mode;    /* index of the current decoder in isa->decoders */
    uint32_t bank;    /* index of the bank whose soft TLBs are current */
    uint32_t lines;   /* bit n: interrupt input n is asserted */
    bool halted;      /* waits for an interrupt input */
    bool powered;     /* cpu_set_power() */
    bool event;       /* an event has come that wait_event() has not consumed */
    bool single_step; /* the description has enabled step() */
    bool reserved;    /* the exclusive monitor holds `reservation` */

    const struct cpu_isa *isa;
    struct code_cache *code;
    struct cpu_group *group;
    struct bus *bus;
    struct clock *clock;
    struct log *log;
    unsigned number;
    uint64_t reservation;                      /* address in the exclusive monitor */
    uint32_t fp_rounding;                      /* intrinsics' rounding mode, as last set */
    uint32_t fp_flush;                         /* intrinsics' flush mode, as last set */
    uint64_t page_names;                       /* address bits that distinguish pages */
    uint32_t reset_features[CPU_MAX_FEATURES]; /* after reset: the ISA's, or those of -cpu */
    struct cpu_hooks hooks;
    struct cpu_device devices[CPU_DEVICES];
    uint64_t config[CPU_CONFIGS]; /* cpu_config(n): set by the machine */
    struct cpu_counters counters;

    /* Set by code that leaves a block before its end, read by cpu_run. */
    struct {
        enum cpu_leave why;
        uint32_t klass, access, code;
        uint64_t value;
    } left;
    jmp_buf leave;
    bool guarded;    /* `leave` may be jumped to */
    bool looks;      /* a translation is only looked at: walks change nothing */
    bool restarted;  /* reset from inside of its own block */
    unsigned nested; /* exceptions taken while one was being taken */

    uint16_t recent_key[4]; /* bits 15:0 of the key that was found last, by mode; 0: none */
    struct {
        uint64_t from, to; /* keys before and after; from is 0: none */
    } mode_change[4];      /* the last change to each mode, while its decode context was 0 */
    unsigned slot;         /* index of this CPU's execution counters in the code cache */
    bool counts;           /* executions of blocks are counted, for statistics */
    struct block *scratch; /* buffer in which blocks are decoded and shortened */

    /* For cpu_group. */
    uint64_t ps_per_tick; /* virtual picoseconds that a tick takes; 0: the group's */
    int64_t ahead_ps;     /* how far this CPU is past clock->now, outside of its turn */
    uint64_t turn_from;   /* ticks at the beginning of the CPU's turn */
    bool frozen;          /* the debugger does not let the CPU run */

    bool repeats;  /* cpu_repeat(): the CPU executes its last instruction again */
    bool repeated; /* the firmware hook is called by a repeated instruction */

    const struct cpu_delays *delays; /* NULL: memory takes no time */
    uint64_t delayed_ps;             /* sum of all delays so far */
    uint64_t turn_delayed;           /* value of delayed_ps when the turn began */

    struct class_stat *class_stats; /* allocated by cpu_register_stats() */
    void *memory;                   /* start of the mapping that holds this structure */
    size_t memory_bytes;

    /* Stores guest registers that translated code holds elsewhere while the runtime accesses memory
     * for it. Called before `state` is read. NULL: `state` is complete. */
    void (*settle)(struct cpu *cpu, const void *arg);
    const void *settle_arg;

    struct debug *debug; /* NULL: no debugger */
    enum cpu_debug_state debug_state;
    uint64_t turn_end; /* cpu_run() ends when `ticks` reaches it */
    uint64_t goal;     /* value of `ticks` at which the debugger stops the CPU; 0: none */
    bool goal_behind;  /* the goal is also reported where a turn ends */
    /* A stop in the midst of a block: number of instructions that are left of it, and the address
     * of the first. They run before anything is attended to, as they would without the stop. */
    unsigned rest;
    uint64_t rest_pc;
    bool attended; /* stopped after attending to what comes before the next instruction */
    struct cpu_points points;

    struct {
        uint64_t tables; /* as in cpu_set_address_space() */
        bool known;
    } banks[CPU_BANKS];
    uint64_t space;          /* as in cpu_set_address_space() */
    struct idle_table *idle; /* by cpu_table(): spaces that are not current (idle.h) */
    uint64_t retags;         /* how often tags of soft TLB entries may have changed */
    struct common_pages common;
    struct jump_pages jump_pages;
    struct tlb tlbs[CPU_BANKS * CPU_RINGS]; /* by cpu_table() */
    struct jump_entry jumps[1 << JUMP_CACHE_BITS];
    /* Keeps `state` and the first members of this structure at different values of address bits
     * 11:0. Hosts compare these bits first, and delay a load after a store with equal ones. */
    _Alignas(4096) uint8_t apart[1024];
    _Alignas(64) uint8_t state[]; /* registers, laid out by gencc */
};

/* The decoder of the CPU's current mode. */
static inline const struct cpu_decoder *cpu_decoder(const struct cpu *cpu)
{
    return &cpu->isa->decoders[cpu->mode];
}

/* Instructions executed so far, exact at block boundaries. */
static inline uint64_t cpu_insns(const struct cpu *cpu)
{
    return cpu->ticks - cpu->over;
}

#endif
