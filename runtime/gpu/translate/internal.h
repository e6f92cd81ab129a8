/*
 * Inside the translator of shaders. A trace is the bundles that a row of lanes executed one after the other,
 * all its active lanes together; it becomes one host function, in which registers of the shader are values,
 * and which is left where a row goes another way. What it cannot do itself it leaves to handlers and to the
 * interpreter, which goes on at any bundle.
 *
 *     engine.c  LLVM, code in memory          trace.c   the function of a trace
 *     lanes.c   operations on values          state.c   registers, branches inside of an operation
 *     memory.c  accesses of a row             numeric.c functions that behaviours call
 *     read.c    reads, of words together      strided.c one part in two or four
 *     address.c addresses in halves           line.c    numbers that count up from lane to lane
 *     apart.c   lanes that part and meet      rows.c    what threads find when they start
 */
#ifndef RUNTIME_GPU_TRANSLATE_INTERNAL_H
#define RUNTIME_GPU_TRANSLATE_INTERNAL_H

#include "runtime/gpu/shader/core.h"
#include "runtime/gpu/shader/visit.h"
#include "runtime/gpu/translate/build.h"
#include "runtime/gpu/translate/translate.h"
#include "runtime/jit/backend.h"
#include "runtime/jit/llvm.h"

enum { LANES_MAX_SLOTS = 1024, LANES_MAX_BLOCKS = 64, LANES_MAX_EDGES = 16 };

/* What a lane has. `v` is a scalar where all lanes have the same, else a vector of a row's lanes. A call is made when
 * its result is first used. */
struct lanes_value {
    LLVMValueRef v;
    bool uniform;
    struct lanes_block *block;       /* of a phi; NULL: none */
    const struct jit_callee *callee; /* of a call that is not made yet */
    const struct lanes_value *args[4];
    /* Of a number of 64 bits that is not made yet: halves (NULL: 0), of which one is there, and what all lanes have added to it: a
     * scalar (NULL: none) and a constant. */
    const struct lanes_value *low, *high;
    LLVMValueRef base;
    uint64_t offset;
    bool shifted; /* its lower half is 0 */
    /* Of a word that differs from lane to lane by `step`, modulo its size: what the first lane has. NULL: not known, or all have one. */
    LLVMValueRef line;
    uint32_t step;
};

static inline struct lanes_value *lanes_value_of(jit_value v)
{
    return (struct lanes_value *)(void *)v;
}

/* A block of a behaviour: the lanes that come there. Each is built once, behind those it follows. */
struct lanes_block {
    LLVMValueRef mask; /* vector of i1; NULL: all lanes */
    bool reached, filled;
};

/* The value of a phi on an edge that is about to be made. */
struct lanes_pending {
    struct lanes_value *phi;
    const struct lanes_value *value;
};

struct jit_build { /* of lanes */
    struct jit_head head;
    const struct llvm *l;
    struct gpu_translator *t;
    LLVMContextRef x;
    LLVMModuleRef module;
    LLVMBuilderRef b, entry_builder;
    LLVMValueRef fn, warp, core; /* the last two: i8 * */
    LLVMTypeRef i1, i8, i16, i32, i64, f32, f64, bytes;
    /* Bits of the lanes for which it is built, as an integer of as many; of those that were active at the function's start. */
    LLVMValueRef active, entered;
    unsigned lanes;
    const struct gpu_decoder *decoder;
    const struct gpu_shader *shader;
    bool failed;     /* the trace cannot be built */
    bool op_failed;  /* the operation is left to its handler */
    bool op_effects; /* something that the operation built has an effect */

    /* Of rows that begin: what of (NULL: the function is of one row), and their number and thread. */
    const struct gpu_rows_shape *rows;
    LLVMValueRef of_rows; /* struct gpu_row_range, as i8 * */
    LLVMValueRef row, thread;
    LLVMBuilderRef row_builder; /* where a row begins; of one row, the entry's */

    /* Registers. */
    LLVMValueRef slot[LANES_MAX_SLOTS];   /* variables, of those in use */
    LLVMValueRef uniform[GPU_POOL_SLOTS]; /* uniforms that were read */
    bool dirty[LANES_MAX_SLOTS];
    LLVMValueRef known[LANES_MAX_SLOTS]; /* scalar that all lanes have there now; NULL: not known */
    LLVMValueRef line[LANES_MAX_SLOTS];  /* as lanes_value.line, of what is there now */
    uint32_t step[LANES_MAX_SLOTS];
    /* Of lanes that have parted from others: before its branch a side begins (NULL: none is being built), and what slots that it
     * writes held there. Its other lanes compute along, and get that back at its end. */
    LLVMBasicBlockRef side;
    LLVMValueRef outside[LANES_MAX_SLOTS];
    LLVMValueRef local_base;

    /* The operation being built. */
    struct lanes_block *here;
    struct lanes_pending pending[LANES_MAX_EDGES];
    unsigned pending_count;
    struct access *reading; /* what words behind it can be added to (read.c); NULL: nothing */

    /* The bundle: lanes that branch, and where to; lanes that end. */
    LLVMValueRef branching, ending;   /* vectors of i1; NULL: none do */
    const struct lanes_value *target; /* NULL: several branches differ */
    bool waiting;                     /* for all warps of the group */
    bool handled;                     /* a handler did something of it */
    bool memory;                      /* something in it may fault */
    struct gpu_trace_cost *cost;      /* where it counts its accesses */
    unsigned notes;                   /* of its accesses (struct gpu_access_note) */
    size_t note_bytes;                /* in a round, so far */
    uint64_t address;

    void **kept; /* memory of values, until the trace is built */
    size_t kept_count, kept_capacity;
};

/* ---- lanes.c --------------------------------------------------------------------------------- */

#define JIT_OPERATION(result, name, params, args) result lanes_op_##name params;
#include "runtime/jit/ops.inc"
#undef JIT_OPERATION
extern const struct jit_backend lanes_backend;

jit_value lanes_wrap(struct jit_build *j, LLVMValueRef v, bool uniform);
/* The value, made now if it is not yet. */
LLVMValueRef lanes_scalar(struct jit_build *j, jit_value v);
/* The same in all lanes. */
LLVMValueRef lanes_wide(struct jit_build *j, jit_value v);
bool lanes_is_uniform(struct jit_build *j, jit_value v);
LLVMTypeRef lanes_type(struct jit_build *j, jit_type t);
LLVMTypeRef lanes_vector(struct jit_build *j, LLVMTypeRef t);
LLVMValueRef lanes_int(LLVMTypeRef t, uint64_t v, struct jit_build *j);
LLVMValueRef lanes_splat(struct jit_build *j, LLVMValueRef scalar);
LLVMValueRef lanes_intrinsic(struct jit_build *j, const char *name, LLVMTypeRef type, unsigned n,
                             LLVMValueRef *args);
void lanes_fail_op(struct jit_build *j, const char *why);
void *lanes_keep(struct jit_build *j, size_t bytes);

/* ---- state.c --------------------------------------------------------------------------------- */

/* The variable of a slot, by its byte offset; NULL after failing. */
LLVMValueRef lanes_slot(struct jit_build *j, size_t offset);
LLVMValueRef lanes_read(struct jit_build *j, size_t offset);
/* In lanes of the mask only, unless it is NULL. */
void lanes_write(struct jit_build *j, size_t offset, LLVMValueRef v, LLVMValueRef mask);
/* The lanes that are where the operation being built is; NULL: all. */
LLVMValueRef lanes_mask(struct jit_build *j);
/* The same of values, which know whether all lanes have one. */
jit_value lanes_read_value(struct jit_build *j, size_t offset);
void lanes_write_value(struct jit_build *j, size_t offset, jit_value value, LLVMValueRef mask);
void lanes_begin(struct jit_build *j);
/* Whether an effect is to be built: somebody comes there, and the operation is not left to its handler already. */
bool lanes_takes_effect(const struct jit_build *j);
/* A slot's words in the row's memory. */
LLVMValueRef lanes_load_slot(struct jit_build *j, LLVMBuilderRef b, unsigned slot);
LLVMValueRef lanes_load_uniform(struct jit_build *j, LLVMBuilderRef b, unsigned slot);
/* Begins a side behind a block; ends it where its last block does. */
void lanes_begin_side(struct jit_build *j, LLVMBasicBlockRef block);
void lanes_end_side(struct jit_build *j);
/* Stores what differs from the row's state; loads all of it anew. */
void lanes_store(struct jit_build *j);
void lanes_reload(struct jit_build *j);
/* Pointer to a member of the row, by its offset. */
LLVMValueRef lanes_member(struct jit_build *j, size_t offset, LLVMTypeRef type);
LLVMValueRef lanes_at(struct jit_build *j, LLVMValueRef base, LLVMValueRef offset,
                      LLVMTypeRef type);
/* A vector of i1 as an integer, and whether any bit is set. */
LLVMValueRef lanes_bits(struct jit_build *j, LLVMValueRef mask);
LLVMValueRef lanes_from_bits(struct jit_build *j, LLVMValueRef bits);
LLVMValueRef lanes_variable(struct jit_build *j, LLVMTypeRef t);
LLVMValueRef lanes_call_c(struct jit_build *j, const void *fn, LLVMTypeRef result, unsigned n,
                          LLVMValueRef *args);
LLVMBasicBlockRef lanes_new_block(struct jit_build *j);
/* Branches to `yes` if the condition holds, as it nearly always does: what the way to `no` needs costs nothing on the other. */
void lanes_branch_likely(struct jit_build *j, LLVMValueRef cond, LLVMBasicBlockRef yes,
                         LLVMBasicBlockRef no);

/* ---- rows.c ---------------------------------------------------------------------------------- */

/* What lanes of a row that begins find in a slot. Where all find the same, that is left in *known. */
LLVMValueRef lanes_row_slot(struct jit_build *j, unsigned slot, LLVMValueRef *known);
/* A pointer to a member of struct gpu_row_range. */
LLVMValueRef lanes_rows_member(struct jit_build *j, LLVMBuilderRef b, size_t offset,
                               LLVMTypeRef type);

/* ---- address.c ------------------------------------------------------------------------------- */

/* A conversion, or another operation, that gives a number in halves; NULL: it does not. */
jit_value lanes_halves_convert(struct jit_build *j, jit_type to, jit_type from, jit_value a);
jit_value lanes_halves_binary(struct jit_build *j, enum jit_op op, jit_type t, jit_value a,
                              jit_value b);
/* All lanes' addresses, made where it is asked for, for that block alone. */
LLVMValueRef lanes_address(struct jit_build *j, jit_value address);
/* In which lanes the address is that of the first lane, left in *first, and `step` more in each that follows; where it is in all,
 * and the bytes from there on are in one page, none has overflowed. */
LLVMValueRef lanes_in_step(struct jit_build *j, jit_value address, unsigned step,
                           LLVMValueRef *first);
/* So many bytes, modulo their number, `to` is behind `from` in all lanes; false: that is not known. */
bool lanes_distance(struct jit_build *j, jit_value from, jit_value to, uint64_t *bytes);

/* ---- line.c ---------------------------------------------------------------------------------- */

/* Notes whether the result of an operation, of a conversion, is in a line. */
void lanes_line_binary(struct jit_build *j, enum jit_op op, jit_type t, jit_value a, jit_value b,
                       jit_value result);
void lanes_line_convert(jit_type to, jit_type from, jit_value a, jit_value result);

/* ---- memory.c -------------------------------------------------------------------------------- */

/* Notes an access of the lanes of the bits: at `va`, one address or a vector; NULL: of a handler, what follows. */
void lanes_note(struct jit_build *j, LLVMValueRef bits, LLVMValueRef va, bool uniform,
                unsigned bytes, unsigned access);

/* ---- numeric.c ------------------------------------------------------------------------------- */

/* Builds a call of one of the functions that behaviours know; NULL: it is not known here. */
jit_value lanes_numeric(struct jit_build *j, const char *name,
                        const struct lanes_value *const *args);

/* ---- trace.c --------------------------------------------------------------------------------- */

/* Builds the function NAME of a trace into the module; false, with j->why, when that cannot be done. */
bool lanes_build_trace(struct jit_build *j, struct gpu_trace *trace, const char *name);

#endif
