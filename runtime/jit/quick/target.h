/*
 * The host's part of the quick tier: a table of constants and functions, one folder per host
 * (x64/), chosen when the simulator is built. Nothing else in runtime/jit/quick names a register,
 * an instruction or a feature of a host.
 *
 * A host has general registers of 64 bits and vector registers of 128 bits. Allocatable registers
 * hold values; scratch registers hold nothing between nodes. Three general registers are fixed: the
 * struct cpu, the ticks that may still be used, and the base of flat memory. The stack pointer
 * points to struct q_frame.
 *
 * To emit is to append code to q->out. Registers are numbered as in q_node.host: general ones from
 * 0, vector ones from Q_V. Functions that emit moves preserve the host's condition flags. A jump is
 * represented by the address that patch() changes when its target is known; NULL: the buffer was
 * full.
 */
#ifndef RUNTIME_JIT_QUICK_TARGET_H
#define RUNTIME_JIT_QUICK_TARGET_H

#include <ucontext.h>

#include "runtime/cpu/stamp.h"
#include "runtime/jit/quick/tier.h"

enum { Q_MAX_ARGUMENTS = 8 };

struct q_target {
    const char *name; /* name of the architecture, for messages */
    size_t reach;     /* range of jumps, which bounds the memory for code */
    /* Whether the host that runs this process has the needed features; *err says which are
     * missing. */
    bool (*is_supported)(struct error *err);
    /* What the host has beyond that, as bits for q_buffer.features; NULL: nothing. */
    unsigned (*find_features)(void);

    /* ---- registers ---- */

    q_hosts allocatable;    /* registers for values, of both kinds */
    q_hosts without_base;   /* additional ones when flat memory is near, or memory is not flat */
    q_hosts with_features;  /* additional ones when the host has features */
    q_hosts preserved;      /* allocatable registers that C functions preserve completely */
    uint8_t left;           /* counts the ticks that may still be used */
    uint8_t scratch;        /* general */
    uint8_t vector_scratch; /* both may be changed by any function below */

    /* Whether accesses of flat memory can have this base as a displacement in the instruction,
     * together with q_node.disp and a shifted index. */
    bool (*is_near)(uintptr_t flat_base);

    /* ---- the calling convention of C ---- */

    uint8_t arguments[Q_MAX_ARGUMENTS]; /* general registers that pass arguments */
    uint8_t argument_count;   /* their number; further arguments are passed in q_frame.out */
    uint8_t vector_arguments; /* number of vector registers that pass arguments */
    uint8_t result, vector_result;

    /* ---- moves, none of them of a node ---- */

    /* Between two general registers (64 bits) or two vector registers (128). */
    void (*move)(struct quick *q, unsigned dst, unsigned src);
    /* General registers: 8 to 64 bits, zero-extended. Vector registers: 32 to 128. */
    void (*load)(struct quick *q, unsigned bits, unsigned dst, struct q_place from);
    /* General registers: their low 8 to 64 bits. Vector registers: their low 32 to 128. */
    void (*store)(struct quick *q, unsigned bits, struct q_place to, unsigned src);
    void (*store_constant)(struct quick *q, unsigned bits, struct q_place to, uint64_t value);
    /* The value of a Q_CONST. */
    void (*load_constant)(struct quick *q, unsigned dst, const struct q_node *n);
    /* The trace's first address + delta, which fits 32 bits. */
    void (*load_pc)(struct quick *q, unsigned dst, int64_t delta);
    /* The address of a byte of the frame. */
    void (*load_address)(struct quick *q, unsigned dst, size_t frame_offset);

    /* ---- selection: each emits node q->at, by q_use() and q_def() ---- */

    /*
     * Whether nodes of this kind, with result or operands in vector registers, can be emitted.
     * Called when they are recorded, so that instructions with others are left to their handlers.
     * `n` has op, sub, type, from, imm, and for Q_EXTRACT and Q_INSERT a lane imm. Operands may be
     * constants. Nodes of integers of 32 and 64 bits can always be emitted.
     */
    bool (*can_select)(const struct quick *q, const struct q_node *n);
    /*
     * The first of the upper bits that are zero in the vector register of a node's value, if
     * operand n's register has zeros from bit operands[n] on; Q_ALL_BITS: nothing is known. NULL:
     * no node keeps zeros.
     */
    uint8_t (*zeros_from)(const struct quick *q, const struct q_node *n, const uint8_t operands[3]);
    /* Two accesses side by side are dearer than one of 16 bytes (join.c). */
    bool joins_halves;
    /* UNARY to CONCAT, and LOW; in general registers, bits from node.known on are zero. */
    void (*select)(struct quick *q);
    /* LOAD and STORE, with the sites of memory.c, including conditional ones (q_node.when). */
    void (*select_load)(struct quick *q);
    void (*select_store)(struct quick *q);
    /* ADDEND: q_detour_later() or q_clear_later() where the soft TLB does not serve all bytes. A
     * LOAD or STORE that has one tests it, and leads to q_detour_later() or q_look_up_later() if it
     * is 0. NULL: all accesses look their own address up. */
    void (*select_addend)(struct quick *q);
    /* For cold code of such an access, whose address is in `base`: looks the address up as an
     * access without ADDEND does, and leaves what is added to it in `dst`, or with Q_NO_HOST where
     * the access expects it. Hosts without detours have no `dst`. The returned jump is taken on a
     * miss. */
    uint8_t *(*look_up)(struct quick *q, unsigned base, unsigned dst);
    /* GUARD and GUARD_TEST: q_leave_prepare() before the jump, q_leave_jump() with it. */
    void (*select_guard)(struct quick *q);
    /* The tests of a TRAP, each an instruction that traps itself: q_may_trap_here(). Or, on hosts
     * whose floats do not trap, the test of the flags that they raise: returns the jump that is
     * taken if there are any, else NULL. NULL: the host has neither. */
    uint8_t *(*select_trap)(struct quick *q);

    /* ---- pieces of other nodes ---- */

    /* Whether traps can be used: some debuggers and emulators swallow the signal for exceptions of
     * floats. */
    bool (*has_traps)(void);
    /* At the head of a trace with floats: unmasks all their exceptions but inexact (q->traps), or
     * masks all. Thunks mask them while C runs. A trace that only compares (q->compares) leaves
     * inexact as it is: traces with and without it may follow each other often. */
    void (*set_traps)(struct quick *q);
    /* Whether an inexact result alone has led to the site of a TRAP. NULL: the signal tells. */
    bool (*was_inexact)(const struct q_frame *f);
    /* Subtracts a number from `left`; the returned jump is taken when `left` was smaller. */
    uint8_t *(*take)(struct quick *q, unsigned count);
    /* GIVE_BACK. NULL: traces go one way only. */
    void (*refund)(struct quick *q);
    /* Adds a number to `left`. NULL: traces pass guest registers through memory only. */
    void (*give_back)(struct quick *q, unsigned count);
    /* A guard's jump does not reach all memory for code, so another one leads to a bridge. */
    bool near_guards;
    /* For bridges; NULL: exits into other pages have none. Compares the stamp of a soft TLB, and
     * cpu->region_pc, with the pin's, and notes in the pin where the code has them; fails: jumps
     * that are taken when they differ. */
    void (*check_stamp)(struct quick *q, unsigned table, struct q_pin *p, uint8_t *fails[2]);
    /* With check_stamp, for what its jumps lead to: asks a soft TLB, by a thunk, whether the
     * trace's first address + delta, which fits 32 bits, lies in the physical page of `pa`. The
     * returned jump is taken if not, and one of 1 << Q_TURN_SHIFT times if it does. */
    uint8_t *(*check_mapped)(struct quick *q, unsigned table, int64_t delta, uint64_t pa);
    /* The returned jump is taken one of 1 << shift times. At an exit's end. */
    uint8_t *(*now_and_then)(struct quick *q, unsigned shift);
    /* Writes the pin's stamp and address into such code. */
    void (*set_stamp)(const struct q_pin *p, ptrdiff_t write);
    /* For bridges, NULL as give_back: compares an address with the trace's first address + delta,
     * which fits 32 bits; the returned jump is taken when they differ. */
    uint8_t *(*differs)(struct quick *q, struct q_where address, int64_t delta);
    /* For bridges: sets the bits of a vector register above its low 32 or 64 to zero; those of a
     * general register above its low 32 to bit 31. */
    void (*keep_low)(struct quick *q, unsigned host, unsigned bits);
    /* Adds delta, which fits 32 bits, to a member of struct cpu of 64 bits. */
    void (*add_to_member)(struct quick *q, size_t offset, int64_t delta);
    /* Counts an execution of the block in the CPU's counter (block_runs()). */
    void (*count_run)(struct quick *q, const struct block *b);
    /* Calls a C function whose arguments are in place. */
    void (*call)(struct quick *q, const void *fn);
    /* Leaves (q_leave_jump()) unless the jump cache has the block for the trace's first address +
     * delta. */
    void (*check_page)(struct quick *q, int64_t delta, const struct block *to, uint32_t leave);

    /* ---- ways out: any scratch register may change ---- */

    /* Stores guest registers from their locations, and computes expressions. */
    void (*store_map)(struct quick *q, const struct q_map_entry *map, size_t count);
    /* Calls a thunk with the site: trap or handler. */
    void (*call_thunk)(struct quick *q, const void *thunk, const struct q_site *s);
    /* A jump, whose target patch() sets. */
    uint8_t *(*jump)(struct quick *q);
    /* Stores the address in cpu->region_pc. */
    void (*set_address)(struct quick *q, struct q_where address);
    /* set_address(), and a jump to the trace at the address, by the jump cache. */
    void (*jump_to_value)(struct quick *q, struct q_where address);

    /* ---- code that is there ---- */

    /* Makes a jump lead to `to`, which is within reach; nothing for NULL. The jump is written
     * `write` bytes further on. */
    void (*patch)(uint8_t *jump, const void *to, ptrdiff_t write);
    /* Changes the pointer that the instruction loads for which q_fix_pointer() was called. NULL:
     * traces are not kept for later runs. */
    void (*set_pointer)(uint8_t *at, const void *to, ptrdiff_t write);
    /* Writes a trace's pool of constants behind its code. NULL: the host has none. */
    void (*emit_pool)(struct q_buffer *out);
    /* Emits the code that is made once (tier.h) into the buffer. */
    void (*make_thunks)(struct q_thunks *t, struct q_buffer *out);
    /* The PC that a signal has interrupted; and setting it. */
    uintptr_t (*signal_pc)(const ucontext_t *context);
    void (*set_signal_pc)(ucontext_t *context, uintptr_t pc);
};

/* The table of the host, in its folder's target.c. */
extern const struct q_target q_target;

#endif
