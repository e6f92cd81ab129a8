/*
 * Nodes of the quick tier, its register allocator, and the tables that describe a trace's host code
 * to C functions.
 *
 * A trace is made in four steps. Translators record raw nodes of one guest instruction (record.c).
 * The usual path through them is appended to the trace, simplified (commit*.c, simplify*.c,
 * nodes.c). A backward pass finds live nodes and next uses (liveness.c). A forward pass allocates
 * registers and emits code (allocate.c, select.c, exits.c, and the host's folder behind target.h).
 * Cold paths have side tables (struct q_site) in place of code, which trap.c reads.
 */
#ifndef RUNTIME_JIT_QUICK_QUICK_H
#define RUNTIME_JIT_QUICK_QUICK_H

#include "common/vec.h"
#include "runtime/jit/internal.h"
#include "runtime/jit/quick/buffer.h"

/* ---- host registers -------------------------------------------------------------------------- */

enum {
    Q_V = 32, /* number of the first vector register, in the common numbering of both kinds */
    Q_HOSTS = 64,
    Q_NO_HOST = 0xff,
    Q_STACK_ARGS = 6,
    Q_SPILLS = 128,    /* 16-byte spill slots of a frame */
    Q_OWED = 7,        /* values that a bridge keeps */
    Q_OWED_TERMS = 32, /* operations of the expressions that a bridge owes */
};

typedef uint64_t q_hosts; /* a set of registers: one bit each */

struct q_vec {
    uint64_t w[2];
};

/* The stack frame of translated code, at the stack pointer. The trap thunk saves all registers
 * here, so that C can read and change them. */
struct q_frame {
    _Alignas(
        16) uint64_t out[Q_STACK_ARGS]; /* arguments of C functions that do not fit registers */
    /* What the bridge owes that led to the running trace, if that has `late` registers; NULL:
     * nothing. Most bridges store it, so its displacement has one byte. */
    const struct q_owed *owed;
    uint64_t owed_values[Q_OWED];
    struct q_vec spill[Q_SPILLS];
    struct q_vec refs[8]; /* variables whose addresses are passed to a C function */
    struct q_vec vector[Q_HOSTS - Q_V];
    uint64_t general[Q_V];
    uint64_t float_flags; /* when C was called, on hosts whose floats do not trap: their flags */
};
_Static_assert(sizeof(struct q_frame) % 16 == 0, "calls need an aligned stack");
_Static_assert(offsetof(struct q_frame, spill) <= 0x80, "all above it has short displacements");

/* A place in struct cpu or in the frame. */
struct q_place {
    bool in_frame;
    int32_t offset;
};

/* ---- nodes ----------------------------------------------------------------------------------- */

enum q_op {
    Q_NOP,
    Q_CONST, /* imm, and imm2 for 128 bits: the value's bits; of a vector of type t, those of every
                lane (imm; 64-bit lanes at most) unless imm2 is used: Q_CONST with sub 1 */
    Q_REG,   /* register of the state at offset imm, as type */
    Q_PC,    /* the trace's first address + imm */
    Q_CPU_MEMBER, /* imm: offset in struct cpu */
    Q_UNARY,      /* sub: enum jit_op, of type; all with that op's total semantics (build.h) */
    Q_BINARY,     /* sub as for Q_UNARY; for comparisons, type is the operands'. A SHL or SHR in
                     general registers uses the low 5 or 6 bits of its amount only */
    Q_FMA,        /* a * b + c; imm: or-ed enum q_negated */
    Q_SCALED,     /* a + (b << imm), imm from 1 to Q_MAX_SCALE, of 32 or 64 bits */
    Q_SELECT, /* (c sub d) ? a : b, a comparison of integers or ordered floats of type `from`; type:
                  of the result */
    Q_BLEND,  /* a ? b : c by a mask; type: of the result */
    Q_ZEXT,   /* the low imm bits of a (8, 16, 32), zero-extended to 64 */
    Q_SEXT,   /* the low imm bits of a (8, 16, 32), sign-extended to 64 */
    Q_CONVERT, /* lane by lane, from type `from` to type, where ZEXT and SEXT do not do; sub 1: to
                  half the width, and lanes beyond the type's limits become the nearest one */
    Q_BITCAST, /* between general and vector registers; type: of the result */
    Q_SPLAT,   /* a in each lane; type: of the vector. Of a vector type `from`: a's lane imm */
    Q_BUILD2,  /* two lanes a, b; type of the vector */
    Q_EXTRACT, /* lane imm (fixed) of a; type: of the vector */
    Q_INSERT,  /* a with lane imm replaced by b; type: of the vector */
    Q_CONCAT,  /* lanes of a, then those of b; type: of the result, 16 bytes at most */
    Q_EXTRACT_AT, /* lane b (modulo the lanes) of a; type: of the vector */
    Q_SHUFFLE,    /* bytes of a by their numbers, the bytes of b; 0 for numbers from 16 on */
    Q_LOOK_UP,    /* of the 32 bytes of a and, behind them, c, those with the numbers in b; 0 for
                     numbers from 32 on */
    Q_CRYPTO,     /* a step of a cipher or hash, sub: enum crypto_op, of the vectors a, b and c */
    Q_PAIR,   /* a vector of more than 16 bytes, with the halves a and b: never live (halves.c) */
    Q_LOAD,   /* guest memory at a; sub: bytes, imm: interface; imm2: source << 16 | index */
    Q_STORE,  /* b to guest memory at a; fields as for Q_LOAD */
    Q_ADDEND, /* what is added to guest addresses for the host's, if the soft TLB lets inline code
                 access all of the imm2 bytes at a + disp; else 0, or with `when` the trace is left.
                 imm: interface; sub: 1 for writes */
    Q_WRITE,  /* sets slot imm, as a whole, to a */
    Q_CALL,   /* a C function: imm: struct q_call */
    Q_RESULT, /* variable imm of call a (0: its result) */
    Q_LOW,    /* the low imm bits (32, 64) of a, in either kind of register; above them, up to 128,
                     zeros, in a vector register */
    Q_GUARD,  /* leaves by exit imm unless the comparison a sub b of integers, or ordered floats, of
                 type holds */
    Q_GUARD_TEST, /* leaves by exit imm unless (a & b) sub 0; sub is JIT_EQ or JIT_NE. Of type
                     JIT_U128, if can_select() says so, of vector registers */
    Q_TRAP,       /* leaves by exit imm if the float operation a, mostly the node before, raised an
                     exception, or its result is of a kind in sub (enum jit_trap) */
    Q_PAGE,       /* leaves by exit imm unless its target has the first block of source imm2 */
    Q_HEAD,       /* start of a guest block, number imm of the trace. If imm2 is not 0: the node of
                     the address where the guest goes on, which is this block's or one behind its
                     first instructions. disp: the ticks that it takes, of this block and of those
                     behind it whose heads take none (heads.c) */
    Q_REFUND,     /* adds a to the ticks that are left; not reached by exits since the head */
    Q_EXIT,       /* end of the trace, by exit imm */
    Q_HANDLER,    /* calls an instruction's handler; imm: site */
};

/* Comparisons of integers beyond those of build.h, by the difference a - b. */
enum {
    Q_MINUS = JIT_GE + 1, /* a - b is negative */
    Q_PLUS,
    Q_OVERFLOW, /* a - b overflows as a signed number */
    Q_NO_OVERFLOW,
};

/* Operations of Q_BINARY with vectors of integers, beyond those of build.h (simplify_vector.c). */
enum {
    Q_WITHOUT = Q_NO_OVERFLOW + 1, /* a & ~b; from liveness on of general registers, too */
    Q_LEAST,                       /* lanes of at most 32 bits; or of floats that comparisons have
                                      shown to be ordered, -0 being less than +0 */
    Q_GREATEST,
    Q_LOW_PAIRS, /* the lower half's lanes of a and of b, alternately; vectors of 16 bytes */
    Q_HIGH_PAIRS,
    Q_ADD_WITHIN, /* the sum and the difference, or what is next to it of the lane's type */
    Q_SUB_WITHIN,
    Q_EVEN_LANES, /* the lanes of a with even numbers, then those of b; vectors of 16 bytes, lanes
                     of at most 32 bits */
    Q_DISTANCE,   /* the greater lane minus the lesser one; lanes of at most 32 bits */
    Q_AVERAGE,    /* half of the sum, rounded up; unsigned lanes of at most 16 bits */
    Q_ROUNDED_PRODUCT, /* (a * b + 2^14) >> 15, modulo 2^16; signed lanes of 16 bits */
    Q_WORDS,           /* lane n of b if bit n of imm is 1, else of a; lanes of 16 bits */
    Q_BYTES, /* of the 32 bytes of a and, behind them, b: 16 from number imm on; of 128 bits */
};

/*
 * A bit of the type of comparisons of scalar floats that are known to be no NaNs: less, equal and
 * greater exclude each other then, as for integers, so conditions are joined and negated alike.
 * Other operations have no such type.
 */
enum { Q_ORDERED = 0x40 };

/* What a Q_FMA negates: a * b, and c. */
enum q_negated { Q_NEGATED_PRODUCT = 1, Q_NEGATED_SUM = 2 };

enum {
    Q_MAX_SCALE = 3,
    Q_MAX_DISP = (1 << 30) - 1,
    Q_TRAPS = 8,  /* instructions of a node that may trap */
    Q_PASSED = 4, /* last guards whose facts exits use */
};

enum q_flag {
    QF_LIVE = 1,    /* must be computed */
    QF_COLD = 2,    /* used by exits only: computed there */
    QF_SIGNED = 4,  /* LOAD: the host has loaded it with its sign, for the Q_SEXT that follows */
    QF_ENTERED = 8, /* REG: the trace's inner entry has it in a host register (entry.c) */
    QF_HALVES = 16, /* LOAD, STORE: the guest accesses one half of the bytes after the other */
};

enum { Q_NONE = 0, Q_NEVER = UINT32_MAX };
enum { Q_ALL_BITS = 128 }; /* of a vector register */

/* What a trace does to a slot. */
enum q_life {
    Q_WRITTEN = 1,
    /* It is written before the trace can be left, so the old value is not needed then. */
    Q_LOST = 2,
    /* It is written before the trace can be left otherwise than by a fault of flat memory or by
     * deoptimisation. */
    Q_LATE = 4,
};

struct q_node {
    uint8_t op, sub;
    uint8_t known; /* general registers: bits from this one on are zero in the host register */
    uint8_t flags; /* enum q_flag */
    jit_type type, from;
    jit_type result; /* type of the value; 0: none. Users may read a narrower integer */
    uint32_t in[4]; /* operands a, b, c, d: numbers of nodes before this one, or Q_NONE. d of a LOAD
                        or STORE without `when` is its ADDEND, if it has one */
    uint64_t imm, imm2;
    int32_t disp;        /* LOAD and STORE without `when`, or of flat memory: added to the address;
                            ADDEND; HEAD */
    uint8_t scale;       /* LOAD and STORE of flat memory with a near base and without `when`:
                            c << scale is added to the address. ADDEND: 1: looks in
                            large_table */
    uint8_t when;        /* LOAD and STORE: if not 0, executed only if the comparison c when d, of
                            type `from`, holds; otherwise a loaded value is undefined. ADDEND: 1:
                            it is never 0 */
    uint32_t next_in[4]; /* by operand: number of the next node that uses it, or Q_NEVER */
    uint32_t keep;       /* last node whose exits compute values from it */
    uint8_t depth;       /* depth of the expression that exits compute */
    bool by_code;        /* kept for exits whose code computes it, not for C only */
    /* During emission: locations of the value. */
    uint32_t next;    /* number of the next node that uses it; Q_NEVER: dead */
    uint8_t host;     /* general: 0 to Q_V - 1; Q_V + n; or Q_NO_HOST */
    int16_t spill;    /* spill slot that holds it, or -1 */
    int32_t slot;     /* state slot (number in isa_map) whose memory holds it, or -1 */
    int32_t set_slot; /* last state slot that was set to it, or -1 */
};

/* Bits of a type, whether its values are in vector registers (floats, vectors, 128 bits), and other
 * properties. */
static inline unsigned q_lane_bits(jit_type t)
{
    return t >> 8 & 0xff;
}
static inline unsigned q_lanes(jit_type t)
{
    return t >> 16 ? t >> 16 : 1;
}
static inline unsigned q_bits(jit_type t)
{
    return q_lane_bits(t) * q_lanes(t);
}
static inline unsigned q_base(jit_type t)
{
    return t & 0x7f;
}
static inline bool q_in_vector(jit_type t)
{
    return t && (q_base(t) == JIT_FLOAT || q_lanes(t) > 1 || q_bits(t) > 64);
}
static inline bool q_is_signed(jit_type t)
{
    return q_base(t) == JIT_SINT;
}
static inline bool q_is_float_scalar(jit_type t)
{
    return t == JIT_F32 || t == JIT_F64;
}
static inline bool q_is_ordered(jit_type t)
{
    return t & Q_ORDERED;
}
static inline bool q_is_int128(jit_type t)
{
    return t == JIT_U128 || t == JIT_S128;
}
/* Vectors of integers, or of floats, that fit a register: 4, 8 or 16 bytes. */
static inline bool q_is_vector(jit_type t)
{
    return q_lanes(t) > 1 && (q_bits(t) == 32 || q_bits(t) == 64 || q_bits(t) == 128);
}
static inline bool q_is_int_vector(jit_type t)
{
    return q_base(t) != JIT_FLOAT && q_lane_bits(t) <= 64 && q_is_vector(t);
}
static inline bool q_is_float_vector(jit_type t)
{
    return q_base(t) == JIT_FLOAT && q_lane_bits(t) >= 32 && q_is_vector(t);
}
/* Whether a node is a comparison of build.h, of any type. */
static inline bool q_is_comparison(const struct q_node *n)
{
    return n->op == Q_BINARY && n->sub >= JIT_EQ && n->sub <= JIT_GE;
}

/* Whether the node is an operation of floats that may raise exceptions. */
static inline bool q_may_trap(const struct q_node *n)
{
    if (n->op == Q_FMA)
        return true;
    if (n->op == Q_CONVERT)
        return (q_base(n->from) == JIT_FLOAT || q_base(n->type) == JIT_FLOAT) && n->type != n->from;
    return q_base(n->type) == JIT_FLOAT &&
           ((n->op == Q_UNARY && n->sub >= JIT_SQRT && n->sub <= JIT_ROUND_ZERO) ||
            (n->op == Q_BINARY && (n->sub <= JIT_DIV || (n->sub >= JIT_EQ && n->sub <= JIT_GE))));
}

/*
 * * Values in host registers. General registers hold integers of 8 to 64 bits. Bits above the
 * type's width are arbitrary unless node.known says that they are zero. Operations that need them
 * zero- or sign-extended (comparisons, divisions and right shifts of 8 and 16 bits) have a Q_ZEXT
 * or Q_SEXT node as operand. So selection has operations of 32 and 64 bits only, and comparison
 * results, which are uint8 0 or 1 with known 1. Vector registers hold the value in the low bits;
 * the rest is arbitrary.
 */

/* ---- side tables ----------------------------------------------------------------------------- */

/* The location of a value at a place in the code, for C functions. */
struct q_where {
    uint8_t kind; /* enum q_where_kind */
    uint8_t host;
    uint16_t spill;
    uint32_t index;
};
enum q_where_kind {
    Q_IN_HOST,  /* register `host` */
    Q_IN_SPILL, /* spill slot */
    Q_IN_CONST, /* constants[index], two words */
    Q_IN_PC,    /* region_pc + the signed constant */
    Q_IN_EXPR,  /* exprs[index]: computed from others */
    Q_IN_SLOT,  /* in the memory of state slot `index` */
};

struct q_map_entry { /* a guest register whose value is not in memory */
    uint16_t slot;   /* number in isa_map */
    struct q_where at;
};

struct q_expr {
    uint8_t op, sub; /* Q_UNARY, Q_BINARY, Q_SELECT, Q_ZEXT, Q_SEXT, of integers of up to 64 bits;
                        Q_LOW and Q_BITCAST: the low imm bits of a vector register; Q_EXTRACT: its
                        64 bits with number imm */
    jit_type type;
    uint32_t imm;
    struct q_where a, b, c; /* of comparisons with an ordered type: floats, in vector registers */
};

/* Whether it is the low half of a host register with its sign above. */
static inline bool q_extends_host(const struct q_expr *x)
{
    return x->op == Q_SEXT && x->imm == 32 && x->a.kind == Q_IN_HOST && x->a.host < Q_V;
}

enum q_site_kind {
    Q_SITE_READ, /* the slow path of a guest memory access */
    Q_SITE_WRITE,
    Q_SITE_STOP,    /* the budget at a block's head is used up */
    Q_SITE_DEOPT,   /* a guard has failed: deoptimises before the instruction */
    Q_SITE_MODE,    /* continues at cpu->region_pc in another mode */
    Q_SITE_LINK,    /* an exit that is not linked */
    Q_SITE_HANDLER, /* calls the instruction's handler; the trace continues */
    Q_SITE_PAGE,    /* the stamp of a Q_PAGE may have to be renewed; the trace continues */
};

/* A place in a trace's code that calls C: quick_trap() and others (trap.c). */
struct q_site {
    /* What quick_follow() reads comes first, in one line of the host's cache: exits that are not
     * linked are cold. */
    struct region *region;
    const void *object; /* HANDLER: struct insn to run; LINK: struct q_exit; PAGE: struct q_pin */
    uint16_t source;    /* guest block: number in the trace */
    uint16_t index;     /* instruction in it */
    uint8_t kind, bytes, iface;
    uint8_t mode;  /* MODE */
    bool all_ways; /* DEOPT: all translatable paths were (quick_wants_all_ways()) */
    bool shared;   /* DEOPT: by an ADDEND, for writes if `writes` */
    bool writes;
    bool floats;                   /* DEOPT: by an exception of the host's floating point */
    bool aligned;                  /* READ, WRITE: the inline path also handles TLB_ALIGNED */
    bool large;                    /* READ, WRITE, `shared`: the inline path looks in large_table
                                      first */
    bool vectors;                  /* vector registers hold values, or receive one */
    bool with_sign;                /* READ: the value is sign-extended to 64 bits */
    bool halves;                   /* READ, WRITE: of 16 bytes, as two accesses */
    struct q_where address, value; /* READ, WRITE, `shared`; value of a READ: Q_IN_HOST, where it
                                      goes. STOP with `chosen`: where the guest goes on */
    bool chosen;
    uint32_t map, map_count;   /* registers to be stored before: maps[map ...] */
    uint32_t ahead;            /* ticks that the trace has taken for blocks that have not begun */
    uint32_t node;             /* READ, WRITE: the access's node */
    uint32_t traps;            /* count: DEOPT; READ, WRITE of memory that must be aligned */
    uint32_t large_traps;      /* count: READ, WRITE, `shared` in large pages */
    uint64_t first_trap_ticks; /* cpu->ticks at the first trap */
};

enum {
    Q_CASES = 4,
    Q_TURN_SHIFT = 6, /* one of 1 << this times, C may give an exit a new stamp */
};

/* Addresses that an exit to a computed address has led to: each an exit to a known address, whose
 * bridge compares the computed one first (cases.c). */
struct q_cases {
    struct q_where address;       /* of the next instruction, at q_exit.early */
    const void *by_cache;         /* code that goes on by the jump cache */
    struct q_exit *exit[Q_CASES]; /* in the order of their comparisons; NULL: not used yet */
    uint32_t refused;             /* addresses that could not become a case */
};

/* What the bridge of an exit into another page, or a Q_PAGE, compares (pin.c). */
struct q_pin {
    uint32_t stamp;       /* of the CPU */
    uint64_t pc;          /* the trace's first address */
    uint8_t *stamp_at;    /* where the bridge's or the trace's code has the stamp */
    uint8_t *pc_at;       /* where it has the address */
    const uint8_t *waits; /* code for the exit's own jump, which seldom asks C */
};

/* An exit to a known address: a jump that can be linked to another trace. A bridge leads from
 * `early` to the other trace's inner entry, without the stores of the exit's own code. An exit to a
 * computed address is linked to no trace itself, but its cases are. */
struct q_exit {
    struct region *from;
    int64_t delta;                /* target minus the trace's first address */
    struct q_cases *cases;        /* of an exit to a computed address; NULL: it is known */
    uint8_t *jump;                /* the jump to be patched; a case has none */
    const void *unlinked;         /* target while it is not linked */
    struct region *linked_trace;  /* the trace that it is linked to, or NULL */
    struct q_exit *next_incoming; /* in the list of exits that are linked to `to` */
    bool same_page;               /* the target is in the page of the guest block that it leaves */
    uint8_t *early;               /* the jump to the exit's code; NULL: there can be no bridge */
    const void *stores;           /* the exit's code, to which `early` leads without a bridge */
    uint32_t map, dirty, clean;   /* maps[map ...]: guest registers that memory does not have, then
                                     others in host registers. index of a Q_IN_HOST: node.known */
    uint32_t ahead;               /* ticks that its code gives back: as in struct q_site */
    struct chunk *bridge;         /* the bridge's memory; NULL: none */
    uint32_t bridges;             /* how many have been made */
    struct q_exit *of;            /* of a case: the exit to a computed address */
    const uint8_t *compares;      /* of a case: start of its bridge */
    uint8_t *other;               /* of a case: its bridge's jump for another address */
    struct q_pin *pin;            /* of an exit into another page, or NULL */
};

/* A guest register that is in a host register at a trace's inner entry. */
struct q_entry {
    uint16_t slot;
    uint8_t host;
    bool dirty;    /* memory need not have it */
    uint32_t node; /* the Q_REG */
};

/* A guest register that a trace writes before it can be left otherwise than by a fault of flat
 * memory or by deoptimisation. A bridge to the trace may owe its value, which C stores if the trace
 * is left so before the write. */
struct q_late {
    uint16_t slot;
    uint32_t write; /* node of the first write */
};

enum q_owed_kind {
    Q_OWED_CONST, /* value */
    Q_OWED_KEPT,  /* q_frame.owed_values[value] */
    Q_OWED_TERM,  /* q_owed.terms[value] */
};

struct q_owed_value {
    enum q_owed_kind kind;
    uint64_t value;
};

/* One operation of an expression that a bridge owes: Q_BINARY, Q_ZEXT or Q_SEXT, as of struct
 * q_expr. */
struct q_owed_term {
    uint8_t op, sub;
    jit_type type;
    uint32_t imm;
    struct q_owed_value a, b;
};

/* A register that a bridge owes. */
struct q_debt {
    uint16_t slot;
    struct q_owed_value value;
};

/* All that a bridge owes. */
struct q_owed {
    const struct q_owed_term *terms; /* each behind those that it uses */
    uint32_t term_count;             /* at most Q_OWED_TERMS */
    uint32_t count;
    struct q_debt debts[];
};

/* An access of flat guest memory, which may fault, or an operation of floats, which may trap. */
struct q_fault {
    uint32_t at, to; /* offsets from region->code: the instruction, and its slow path */
};

/* A place in a trace's code with an address that differs from run to run of the program. */
struct q_fix {
    uint32_t at;  /* offset from region->code: an instruction that loads a pointer, or a jump */
    uint32_t ref; /* SITE: number in q_code.sites; BLOCK: guest block of the trace; FUNCTION:
                     distance from the program's base; THUNK: number (fixes.c) */
    uint8_t kind; /* enum q_fix_kind */
};
enum q_fix_kind { Q_FIX_SITE, Q_FIX_BLOCK, Q_FIX_FUNCTION, Q_FIX_THUNK };

struct q_maps {
    struct q_map_entry *data;
    unsigned len, cap;
};

/* A trace's tables: region->quick. */
struct q_code {
    VEC(struct q_exit *) exits;
    struct q_maps maps;
    VEC(struct q_expr) exprs;
    VEC(struct q_vec) constants;
    VEC(struct q_fault) faults;
    const void *head; /* target of linked exits: region_pc is set, nothing is accounted for */
    /* Target of bridges, behind the first block's ticks: registers are as `entry` says, and memory
     * has all others but `dead` ones. NULL: there is none. */
    const void *inner;
    bool has_inner;
    bool loops;           /* it ends where it begins */
    uint64_t ran_at;      /* where it ran when an exit to a known address left it last, or 0 */
    uint32_t turns;       /* how often its exits have led to its start, before they are linked */
    uint64_t turns_from;  /* cpu->ticks at the first one whose rate is not checked yet */
    uint32_t first_ticks; /* that the first head takes */
    VEC(struct q_entry) entry;
    uint64_t *dead;          /* by slot, a bit: it is written before the trace can be left */
    VEC(struct q_late) late; /* registers that bridges to the trace may owe */
    struct q_exit *incoming; /* exits of other traces that are linked to it */
    bool inexact;            /* inexact results leave it: the guest's flag was not set */
    bool compares;           /* as in struct quick */
    const void *past_traps;  /* where bridges enter from traces that have set the same
                                exceptions; NULL: at `inner` */
    bool sets_traps;         /* its head sets exceptions of floats */
    uint32_t samples;        /* number of samples taken in it */

    /* For traces that are kept for later runs (kept.h). */
    VEC(struct q_fix) fixes;
    VEC(struct q_site *) sites; /* those that `fixes` refer to */
    bool is_bound;              /* has an address that no fix can describe */
    bool traps;                 /* exceptions of floats leave it */
    uint32_t record;            /* number + 1 of its record; 0: it has none */

    /* Memory of all VECs but `exits` and `pieces`; NULL while the trace is translated. */
    void *tables;

    /* Pieces of memory that tables point to; freed with them. */
    VEC(void *) pieces;
    size_t piece_free; /* free bytes of the last piece */
};

/* tables.c: zeroed memory that is freed with the trace. */
void *q_take(struct q_code *code, size_t bytes);

/* ---- a translation in progress --------------------------------------------------------------- */

/* An exit of the trace. */
struct q_side_exit {
    uint8_t kind;           /* enum q_side_exit_kind */
    uint16_t source, index; /* the guest instruction at which it leaves */
    int64_t delta;          /* TO_KNOWN, and the target of a Q_PAGE */
    uint32_t address;       /* TO_VALUE, TO_MODE: node */
    uint8_t mode;           /* TO_MODE */
    bool all_ways;          /* TO_HANDLER: as in struct q_site */
};
enum q_side_exit_kind { Q_TO_KNOWN, Q_TO_VALUE, Q_TO_MODE, Q_TO_HANDLER /* deoptimisation */ };

/* An access in a detour (detour.c). */
struct q_detour {
    uint32_t node;
    const uint8_t *starts;     /* the trace's code where the detour begins */
    const uint8_t *from;       /* the trace's code behind the access before it */
    const uint8_t *insn, *end; /* the access's own code */
    const struct q_site *site; /* of its slow path */
    uint8_t base, addend;      /* registers of its address and of what is added */
    bool clears;               /* the second one may hold the ADDEND behind it */
};

struct q_call {
    const struct jit_callee *callee;
    uint32_t args[JIT_MAX_PARAMS]; /* nodes, or Q_NONE */
    uint32_t next[JIT_MAX_PARAMS]; /* as next_in */
};

struct q_tier;
struct q_job;

struct quick {
    struct jit_head head; /* first member, for the functions of build.h */
    struct region *r;
    struct q_code *code;
    const struct isa_map *map;
    struct q_buffer out;
    struct q_pool pool;       /* of `out`, on hosts that have one */
    VEC(struct q_node) nodes; /* [0] is unused */
    VEC(struct q_call) calls;
    VEC(struct q_side_exit) side_exits;
    struct q_tier *tier;
    const struct q_job *job;
    uint32_t *next_use;    /* liveness.c: by node */
    uint8_t *lives;        /* liveness.c: by slot, enum q_life */
    uint32_t *first_write; /* liveness.c: by slot, its first Q_WRITE, if it is Q_WRITTEN */
    const char *failure;   /* the trace cannot be translated */

    /* Emission. */
    uint32_t at;               /* node being emitted */
    uint32_t count;            /* nodes; behind them are those that only the entry has */
    uint32_t in_host[Q_HOSTS]; /* value in each register, or Q_NONE */
    q_hosts pinned;            /* registers that node q->at uses */
    q_hosts allocatable;
    uint64_t spills_used[Q_SPILLS / 64];
    uint32_t *slot_value;  /* by slot number: node that is its value; Q_NONE: memory has the
                                   value */
    uint32_t *slot_memory; /* node whose value the memory holds, or Q_NONE */
    VEC(uint32_t) touched; /* slots with a slot_value or slot_memory */
    bool flat;             /* guest memory is at cpu->flat_base */
    bool base_is_near;     /* flat: the base is a displacement in accesses (q_target.is_near()) */

    uint32_t passed_guards[Q_PASSED]; /* last guards, the latest first */
    struct {
        const uint8_t *end; /* behind it; code that begins here finds its flags */
        jit_type type;
        uint32_t a, b;
    } compared;    /* the last comparison of floats into the host's flags */
    bool parts;    /* the trace has the map's parts for the slots that they lie over */
    bool traps;    /* exceptions of floats leave the trace; otherwise they are masked */
    bool compares; /* the trace's operations of floats are comparisons, which are never inexact */
    struct {
        uint32_t node, at[Q_TRAPS], count; /* of a node: offsets of instructions that may trap */
    } may_trap;
    struct {
        uint32_t addend;           /* node; Q_NONE: no further access joins */
        uint32_t first;            /* number of its first access in `detours` */
        size_t uses;               /* of the pool, so far */
        const uint8_t *from, *end; /* the trace's code that it goes round */
    } detour;                      /* the last one (detour.c) */
    VEC(struct q_detour) detours;  /* accesses of all detours */
    uint32_t ahead;                /* ticks taken for blocks that have not begun (heads.c) */
    bool leaves;                   /* locations of values are needed for an exit of node q->at */
    uint32_t last_map, last_count; /* map of the last site */
    struct quick_record *record;   /* record.c: the instruction being recorded */
    struct quick_trace *trace;     /* simplify.c: facts at the end of the trace */
    struct quick_exits *exits;     /* exits.c: cold code to be emitted at the end */
};

/* ---- registers (allocate.c) ------------------------------------------------------------------ */

/*
 * * Operands and results of node q->at in registers. An operand is loaded or computed if it is in
 * none, and is pinned there until the node is emitted. A result has a register of an operand that
 * dies here, or a free one; another value may be spilled for it.
 */
unsigned q_use(struct quick *q, uint32_t node);   /* general register */
unsigned q_use_x(struct quick *q, uint32_t node); /* vector register, without Q_V */
/* The result's register. Operands that die here may share it, so it must be written after they were
 * read for the last time, or in the same instruction. */
unsigned q_def(struct quick *q);
unsigned q_def_x(struct quick *q);
/* A register for the result that no operand shares: for sequences that write it early. */
unsigned q_def_early_x(struct quick *q);
/* The result's register, with a copy of the operand `from` in it, for instructions with two
 * operands. q_use() must be called for other operands before. */
unsigned q_def_copy(struct quick *q, uint32_t from);
/* Whether the result may have the operand's register: its value dies here, and no exit needs it. */
bool q_can_share(const struct quick *q, uint32_t node);
/* A temporary register for this node, besides the scratch registers. */
unsigned q_temp_x(struct quick *q);
/* Whether the node is a constant of up to 64 bits, or a vector of equal lanes: *bits. */
bool q_is_const(const struct quick *q, uint32_t node, uint64_t *bits);
/* Whether a node selects one of two constants, as a branch selects its target: value[0] if the
 * select's comparison holds, else value[1], both in the bits of the select's type. */
bool q_is_choice(const struct quick *q, const struct q_node *n, uint64_t value[2]);
/* Whether the operand is in no register, and can be read as `bits` bits at *place; false: use
 * q_use(). */
bool q_in_memory(struct quick *q, uint32_t node, unsigned bits, struct q_place *place);

static inline struct q_node *q_node(struct quick *q, uint32_t n)
{
    return &q->nodes.data[n];
}

/* Whether an operand is in a vector register. Its type does not tell, since bit casts may have no
 * node. */
static inline bool q_is_in_vector(const struct quick *q, uint32_t node)
{
    return q_in_vector(q->nodes.data[node].result);
}

#endif
