/*
 * Internals of the translator of shaders. A trace is the bundles that a row of lanes executed one
 * after the other, with all its active lanes. It becomes one host function, in which shader
 * registers are values. The function exits where a row leaves the recorded path; the interpreter
 * can continue at any bundle. Operations without a translator are left to their handlers.
 *
 *     engine.c  LLVM, traces                  trace.c   the function of a trace
 *     object.c  passes, code kept in files
 *     lanes.c   operations on values          state.c   registers, branches inside an operation
 *     memory.c  accesses of a row             numeric.c functions that behaviours call
 *     read.c    reads, of words together      strided.c strides of two to four words
 *     address.c addresses in halves           line.c    numbers that count up from lane to lane
 *     diverge.c divergence in a trace         rows.c    initial registers of threads
 *     quad.c    words of lanes without order, four at once
 *     write.c   writes, of words together     thread.c  memory that each thread has for itself
 *     near.c    rows of words near others       atomic.c  atomic operations
 *     merge.c   stores of several bundles to words side by side
 *     loop.c    registers of loops that are the same in all lanes
 *     pairs.c   numbers of 64 bits that are computed as two words
 *     sink.c    values that only unlikely blocks use    fork.c    branches with code for both ways
 *     interleave.c  the order of operations that wait for each other
 *     abreast.c loops of several rows at once    row_slots.c  the memory of these rows
 */
#ifndef RUNTIME_GPU_TRANSLATE_INTERNAL_H
#define RUNTIME_GPU_TRANSLATE_INTERNAL_H

#include <pthread.h>

#include "runtime/base/file_cache.h"
#include "runtime/gpu/shader/code.h"
#include "runtime/gpu/shader/host.h"
#include "runtime/gpu/shader/job.h"
#include "runtime/gpu/shader/page_map.h"
#include "runtime/gpu/shader/visit.h"
#include "runtime/gpu/translate/build.h"
#include "runtime/gpu/translate/translate.h"
#include "runtime/jit/arithmetic.h"
#include "runtime/jit/backend.h"
#include "runtime/jit/llvm.h"

struct gpu_translator {
    pthread_mutex_t lock;
    struct llvm api;
    bool tried, works;
    char *cpu, *features; /* the host's, as LLVM names them */
    bool gathers;         /* the host gathers and scatters words under masks */
    LLVMTargetMachineRef machine;
    struct file_cache *cache; /* host code of earlier runs; NULL: none is kept */
    bool keeps;               /* the user's cache is to be opened for the first trace */
    struct gpu_host_functions functions;
    unsigned room, room_used; /* in the unit of GPU_HOST_CODE; room_used is atomic */
};

enum { LANES_MAX_SLOTS = 1024, LANES_MAX_BLOCKS = 64, LANES_MAX_EDGES = 16 };

enum { LANES_NEAR = 4 };
/* A read of a row in a line, of which later ones may be a known distance away (near.c). */
struct lanes_near {
    const struct access *access;
    LLVMValueRef host; /* variable: the first byte, or NULL if it was not found so */
    LLVMValueRef room; /* access_found.room */
};

enum { LANES_MERGED_PARTS = 4 };
/* A write to strides of a few words, which later ones may join (merge.c). */
struct lanes_merging {
    const struct access *first; /* NULL: none */
    LLVMValueRef host;          /* variable: the first byte, or NULL if it was not found so */
    LLVMValueRef data[LANES_MERGED_PARTS]; /* the words of each stride; NULL: not written */
    unsigned parts;                        /* words of a stride */
    LLVMValueRef stored;                   /* the instruction that stores the words */
};

struct lanes_value;
/* Makes a deferred value at its first use: sets v->v and v->uniform. */
typedef void lanes_make_fn(struct jit_build *j, struct lanes_value *v);

/* What a word is to a number of 64 bits that is computed as two words (pairs.c). NULL: nothing. */
struct lanes_pair {
    /* The word is a sum of this word and of a uniform one. */
    const struct lanes_value *addend;
    LLVMValueRef added;
    /* The word is the carry of such a sum: 1, or -1 if `negative`, in lanes where it overflows. */
    const struct lanes_value *carry_addend;
    LLVMValueRef carry_added;
    bool negative;
    /* The word is the high half of this number, times 2^`shift` modulo 2^32, plus a uniform word
     * (NULL: 0). */
    const struct lanes_value *high_of;
    unsigned shift;
    LLVMValueRef high_added;
};

/* A value of all lanes. `v` is a scalar if the value is uniform, else a vector with one element per
 * lane. Calls and numbers in halves are made when they are first used. */
struct lanes_value {
    LLVMValueRef v;
    bool uniform;
    lanes_make_fn *make;             /* NULL: `v` is made */
    struct lanes_block *block;       /* block of a phi; NULL: not a phi */
    const struct jit_callee *callee; /* function of a call that is not made yet */
    const struct lanes_value *args[4];
    /* A number of 64 bits that is not made yet: its halves (NULL: 0), or in their place a vector; a
     * uniform addend (NULL: none) and a constant addend. Of the three at least one is present. */
    const struct lanes_value *low, *high;
    LLVMValueRef whole;
    LLVMValueRef base;
    uint64_t offset;
    /* Of a sum of `whole`: a word, extended and scaled, that is added, too; NULL: none. */
    const struct lanes_value *index;
    bool shifted; /* the low half is 0 */
    /* The number is its low half, extended by its sign, times 2^scale. */
    bool is_signed;
    unsigned scale;
    /* The number that the halves are, without the addends: an extended word (pairs.c), by zeros
     * unless it `is_signed`, under a condition (i1; NULL: always). NULL: not known. */
    const struct lanes_value *pair_of;
    LLVMValueRef only_if;
    /* The vector of which this word has the sign in all its bits, lane by lane; NULL: not known. */
    LLVMValueRef sign_of;
    /* A word that is `line` + lane * `step`, modulo its size. NULL: not known, or uniform. */
    LLVMValueRef line;
    uint32_t step;
    bool packed; /* of a word in a line: its upper 16 bits are the same in all lanes */
    struct lanes_pair pair;
};

static inline struct lanes_value *lanes_value_of(jit_value v)
{
    return (struct lanes_value *)(void *)v;
}

/* One side of a branch whose condition is the same in all lanes, though known only when the
 * function runs. */
struct lanes_choice {
    LLVMValueRef cond;                /* scalar of i1 */
    bool on;                          /* the side's value of `cond` */
    LLVMValueRef mask;                /* the lanes that reach the branch; NULL: all */
    const struct lanes_choice *outer; /* the side that contains the branch; NULL: none */
};

/* A block of a behaviour, with the lanes that reach it. Each is built once, after its
 * predecessors. */
struct lanes_block {
    LLVMValueRef mask;                 /* vector of i1; NULL: all lanes */
    const struct lanes_choice *choice; /* the innermost side that contains it; NULL: none */
    bool reached, filled;
};

/* The value of a phi on an edge that is about to be built. */
struct lanes_pending {
    struct lanes_value *phi;
    const struct lanes_value *value;
};

/* A place in a uniform buffer, which the function looks up at its entry. */
struct lanes_buffer_place {
    LLVMValueRef index, offset, bytes; /* constants */
    LLVMValueRef address;
};

enum { LANES_BUFFER_PLACES = 32, LANES_THREAD_WORDS = 64 };

/* A word in the memory of threads whose value is known in the active lanes. */
struct lanes_thread_word {
    uint64_t offset; /* from the start of the thread's memory on */
    LLVMValueRef v, active;
    unsigned kind; /* of the memory that the bundle met when it was recorded */
};

/* A slot whose words are kept at a barrier: its number in gpu_trace.kept, from 1; 0: it is not.
 * What is known of the words: they are the same in all lanes, or grow by `step` (0: not known) from
 * lane to lane. */
struct lanes_kept {
    unsigned number;
    bool is_uniform;
    uint32_t step;
};

/* Whether the first lane's word alone is kept, from which the others follow. */
static inline bool lanes_keeps_first(const struct lanes_kept *kept)
{
    return kept->is_uniform || kept->step;
}

struct jit_build { /* the build of one function */
    struct jit_head head;
    LLVM_PLACE;
    struct gpu_translator *t;
    LLVMBuilderRef entry_builder;
    LLVMValueRef fn, core, links; /* `core` and `links` are i8 * */
    /* The row, and the one that the function was called with, as i8 *. They are the same but in
     * functions for rows in memory. */
    LLVMValueRef warp, first_warp;
    LLVMValueRef map;        /* gpu_core.distance, as i64 * */
    LLVMValueRef regions;    /* gpu_core.regions, as i8 * */
    LLVMValueRef place_bits; /* gpu_core.place_bits */
    uint64_t *link;          /* addresses of this process that the function uses */
    size_t link_count, link_capacity;
    LLVMTypeRef i1, i8, i16, i32, i64, f32, f64, bytes;
    /* Masks as integers of one bit per lane: the lanes for which code is built, and the lanes that
     * were active at the function's start. */
    LLVMValueRef active, entered;
    unsigned lanes;     /* of all values: those of a row, or of several rows abreast */
    unsigned row_lanes; /* of a row in memory */
    /* The rows that the function runs at once (abreast.c), as i8 *; 0: one after the other. */
    unsigned abreast;
    LLVMValueRef row_abreast[GPU_ABREAST_ROWS];
    const struct gpu_decoder *decoder;
    const struct gpu_shader *shader;
    bool failed;      /* the trace cannot be built */
    bool patterned;   /* it is a loop with gpu_trace.patterns */
    bool build_again; /* registers have lost their patterns (loop.c) */
    bool op_failed;   /* the operation is left to its handler */
    bool op_effects;  /* the operation being built has an effect */

    /* The shape, number and first thread of rows that begin. `rows` is NULL in a function for one
     * row. */
    const struct gpu_rows_shape *rows;
    LLVMValueRef row_range; /* struct gpu_row_range, as i8 * */
    LLVMValueRef row, thread;
    /* inserts at the start of a row; in a function for one row, at the entry */
    LLVMBuilderRef row_builder;

    /* Registers: */
    LLVMValueRef slot[LANES_MAX_SLOTS];   /* variables of used slots */
    LLVMValueRef uniform[GPU_POOL_SLOTS]; /* uniforms that were read */
    bool dirty[LANES_MAX_SLOTS];
    bool is_read[LANES_MAX_SLOTS];
    bool is_carried[LANES_MAX_SLOTS]; /* it is read before it is written */
    /* uniform value that the slot has now, as a scalar; NULL: not known */
    LLVMValueRef known[LANES_MAX_SLOTS];
    LLVMValueRef value[LANES_MAX_SLOTS];   /* the slot's current value; NULL: not known */
    LLVMValueRef sign_of[LANES_MAX_SLOTS]; /* lanes_value.sign_of of it */
    LLVMValueRef line[LANES_MAX_SLOTS];    /* lanes_value.line of the slot's current value */
    uint32_t step[LANES_MAX_SLOTS];
    bool packed[LANES_MAX_SLOTS]; /* lanes_value.packed of it */
    struct lanes_pair pair[LANES_MAX_SLOTS];
    /* Registers that were kept at a barrier (barriers.c). */
    struct lanes_kept kept[LANES_MAX_SLOTS];
    /* A side, executed by diverged lanes: the block before its branch (NULL: no side is being
     * built), and the former values of slots that it writes. The row's other lanes compute as well,
     * and the former values are restored for them at the side's end. */
    LLVMBasicBlockRef side;
    LLVMValueRef outside[LANES_MAX_SLOTS];
    struct lanes_buffer_place buffer_place[LANES_BUFFER_PLACES];
    unsigned buffer_place_count;          /* places beyond the array are looked up again */
    LLVMValueRef local_base, thread_base; /* the latter a vector; NULL: not used yet */
    /* the first and the last lane's `thread_base`, and its step from lane to lane */
    LLVMValueRef thread_first, thread_last, thread_step;
    struct lanes_thread_word thread_word[LANES_THREAD_WORDS]; /* thread.c */
    unsigned thread_words;

    /* The operation being built: */
    struct lanes_block *current_block;
    struct lanes_pending pending[LANES_MAX_EDGES];
    unsigned pending_count;
    struct lanes_near near[LANES_NEAR]; /* near.c */
    unsigned near_count;
    struct lanes_merging merging; /* merge.c */
    struct access *reading; /* read to which further words can be added (read.c); NULL: none */
    struct access *writing; /* words that are to be written (write.c); NULL: none */

    /* The bundle: lanes that branch, their target, and lanes that end. */
    LLVMValueRef branching, ending;   /* vectors of i1; NULL: none */
    const struct lanes_value *target; /* NULL: several branches with different targets */
    bool waiting;                     /* the warp is at a barrier */
    bool handled;                     /* a handler executes part of the bundle */
    bool memory;                      /* an access of the bundle may fault */
    struct gpu_trace_cost *cost;      /* counts the accesses of the bundle */
    unsigned note_count;              /* notes of the bundle's accesses (struct gpu_access_note) */
    size_t note_bytes;                /* bytes of notes per round, so far */
    unsigned access_count;            /* accesses of the function, so far */
    unsigned region_count;            /* those of them that have regions */
    bool loops;                       /* the trace is a loop */
    LLVMValueRef slow_accesses;       /* variable that counts them in a loop; NULL: not used yet */
    uint64_t address;

    void **allocations; /* memory of values, freed when the trace is built */
    size_t kept_count, kept_capacity;
};

/* What is known of slots at a fork, for its other way (fork.c): members of struct jit_build. Not of
 * pairs, whose values may be made in one way. */
struct lanes_saved {
    LLVMValueRef known[LANES_MAX_SLOTS], value[LANES_MAX_SLOTS], sign_of[LANES_MAX_SLOTS],
        line[LANES_MAX_SLOTS];
    uint32_t step[LANES_MAX_SLOTS];
    bool packed[LANES_MAX_SLOTS];
};

/* Forgets the words that are known of the memory of threads. */
static inline void lanes_forget_words(struct jit_build *j)
{
    j->thread_words = 0;
}

/* Lets no later write join those that were built. */
static inline void lanes_end_merging(struct jit_build *j)
{
    j->merging = (struct lanes_merging){0};
}

/* Forgets all that is known of memory from earlier accesses. */
static inline void lanes_forget_accesses(struct jit_build *j)
{
    lanes_end_merging(j);
    lanes_forget_words(j);
    j->near_count = 0;
}

/* ---- lanes.c --------------------------------------------------------------------------------- */

#define JIT_OPERATION(result, name, params, args) result lanes_op_##name params;
#include "runtime/jit/ops.inc"
#undef JIT_OPERATION
extern const struct jit_backend lanes_backend;

/* ---- values.c -------------------------------------------------------------------------------- */

/* Calls LLVM's intrinsic of a name for a type. */
LLVMValueRef lanes_intrinsic(struct jit_build *j, const char *name, LLVMTypeRef type, unsigned n,
                             LLVMValueRef *args);

/* The LLVM value as a value of lanes; `uniform`: it is the same in all lanes. */
jit_value lanes_wrap(struct jit_build *j, LLVMValueRef v, bool uniform);
/* The value as an LLVM value, made now if it is not made yet. */
LLVMValueRef lanes_scalar(struct jit_build *j, jit_value v);
/* The value as a vector with one element per lane. */
LLVMValueRef lanes_wide(struct jit_build *j, jit_value v);
bool lanes_is_uniform(struct jit_build *j, jit_value v);
LLVMTypeRef lanes_type(struct jit_build *j, jit_type t);
LLVMTypeRef lanes_vector(struct jit_build *j, LLVMTypeRef t);
LLVMValueRef lanes_int(LLVMTypeRef t, uint64_t v, struct jit_build *j);
LLVMValueRef lanes_splat(struct jit_build *j, LLVMValueRef scalar);
void lanes_fail_op(struct jit_build *j, const char *why);
void *lanes_keep(struct jit_build *j, size_t bytes);
/* Pointer to a slot in the row's memory, and its words. */
LLVMValueRef lanes_slot_pointer(struct jit_build *j, LLVMBuilderRef b, unsigned slot,
                                LLVMTypeRef type);
LLVMValueRef lanes_load_slot(struct jit_build *j, LLVMBuilderRef b, unsigned slot);
LLVMValueRef lanes_load_uniform(struct jit_build *j, LLVMBuilderRef b, unsigned slot);

/* ---- state.c --------------------------------------------------------------------------------- */

/* Forgets what is known of the registers' values, and of memory. */
void lanes_forget_values(struct jit_build *j);
/* The variable of a slot at a byte offset; NULL after a failure. */
LLVMValueRef lanes_slot(struct jit_build *j, size_t offset);
LLVMValueRef lanes_read(struct jit_build *j, size_t offset);
/* Writes a slot in the lanes of the mask (NULL: all). */
void lanes_write(struct jit_build *j, size_t offset, LLVMValueRef v, LLVMValueRef mask);
/* The lanes that reach the operation's current block; NULL: all. */
LLVMValueRef lanes_mask(struct jit_build *j);
/* The value of a slot, with what is known of it (uniform, line). */
jit_value lanes_read_value(struct jit_build *j, size_t offset);
void lanes_write_value(struct jit_build *j, size_t offset, jit_value value, LLVMValueRef mask);
void lanes_begin(struct jit_build *j);
/* Whether an effect must be built: some lane may reach it, and the operation is not left to its
 * handler already. */
bool lanes_takes_effect(const struct jit_build *j);
/* Begins a side behind a block; lanes_end_side() ends it in its last block. */
void lanes_begin_side(struct jit_build *j, LLVMBasicBlockRef block);
void lanes_end_side(struct jit_build *j);
/* Stores the slots that differ from the row's state in the lanes `bits`; lanes_reload() loads all
 * of them again, in all lanes. */
void lanes_store(struct jit_build *j, LLVMValueRef bits);
void lanes_reload(struct jit_build *j);
/* Saves what is known of slots, and makes it known again. */
struct lanes_saved *lanes_save(struct jit_build *j);
void lanes_restore(struct jit_build *j, const struct lanes_saved *s);
/* Pointer to a member of the row, by its offset. */
LLVMValueRef lanes_member(struct jit_build *j, size_t offset, LLVMTypeRef type);
LLVMValueRef lanes_at(struct jit_build *j, LLVMValueRef base, LLVMValueRef offset,
                      LLVMTypeRef type);
/* A vector of i1 as an integer, and whether any bit is set. */
LLVMValueRef lanes_bits(struct jit_build *j, LLVMValueRef mask);
LLVMValueRef lanes_from_bits(struct jit_build *j, LLVMValueRef bits);
LLVMValueRef lanes_variable(struct jit_build *j, LLVMTypeRef t);
/* An address of this process, as i64. The code reads it from its links. */
LLVMValueRef lanes_link(struct jit_build *j, uint64_t address);
LLVMValueRef lanes_call_c(struct jit_build *j, const void *fn, LLVMTypeRef result, unsigned n,
                          LLVMValueRef *args);
LLVMBasicBlockRef lanes_new_block(struct jit_build *j);
/* Branches to `yes` if the condition holds, which is the likely case: code that only `no` needs is
 * moved there. */
void lanes_branch_likely(struct jit_build *j, LLVMValueRef cond, LLVMBasicBlockRef yes,
                         LLVMBasicBlockRef no);

/* Whether the function is for rows that have memory of their own (gpu_trace_add_phase()). */
static inline bool lanes_has_phase(const struct jit_build *j)
{
    return j->rows && j->rows->in_memory;
}

/* ---- abreast.c ------------------------------------------------------------------------------- */

/* The number of rows for which the loop's function abreast is made, as many as have room in the
 * host's registers; 0: it is not made. */
unsigned abreast_rows(const struct gpu_translator *t, const struct gpu_decoder *decoder,
                      const struct gpu_trace *trace);

/* ---- row_slots.c ----------------------------------------------------------------------------- */

/* Finds the memory of the rows at the function's entry. */
void abreast_find_rows(struct jit_build *j);
/* The words of a slot of all rows. */
LLVMValueRef abreast_load_slot(struct jit_build *j, LLVMBuilderRef b, unsigned slot);
void abreast_store_slot(struct jit_build *j, unsigned slot, LLVMValueRef v);

/* ---- rows.c ---------------------------------------------------------------------------------- */

/* The initial value of a slot in the lanes of a row that begins. *known becomes the scalar if it is
 * uniform. */
LLVMValueRef lanes_row_slot(struct jit_build *j, unsigned slot, LLVMValueRef *known);
/* Place of a kept register of the current row, as gpu_kept_register() has it; `type`: of what is
 * kept there. */
LLVMValueRef lanes_kept_place(struct jit_build *j, LLVMBuilderRef b, unsigned number,
                              LLVMTypeRef type);
/* Pointer to a member of struct gpu_row_range. */
LLVMValueRef lanes_rows_member(struct jit_build *j, LLVMBuilderRef b, size_t offset,
                               LLVMTypeRef type);

/* ---- address.c ------------------------------------------------------------------------------- */

/* A conversion, or another operation, whose result is a number in halves; NULL: it is not. */
jit_value lanes_halves_convert(struct jit_build *j, jit_type to, jit_type from, jit_value a);
jit_value lanes_halves_binary(struct jit_build *j, enum jit_op op, jit_type t, jit_value a,
                              jit_value b);
/* Notes that a word consists of copies of its operand's sign. */
void lanes_note_sign(struct jit_build *j, enum jit_op op, jit_type t, jit_value a, jit_value b,
                     jit_value result);
/* A vector of numbers of 64 bits, to which addends can be added without making the sum. */
jit_value lanes_addable(struct jit_build *j, LLVMValueRef whole);
/* Whether the address is in the memory that each thread has for itself, so that the words of lanes
 * are never side by side. */
bool lanes_in_thread_memory(const struct jit_build *j, jit_value address);
/* Whether the address is at a known place of that memory, *offset bytes from its start on. */
bool lanes_thread_offset(const struct jit_build *j, jit_value address, uint64_t *offset);
/* Whether the address is one of that memory plus an index, a word that may differ from lane to
 * lane. */
bool lanes_is_indexed(jit_value address);
/* The word of such an address: extended, and shifted to the left by *scale, it is added. */
LLVMValueRef lanes_thread_index(struct jit_build *j, jit_value address, unsigned *scale);
/* The address, of that memory and without its index, of the thread whose memory starts at `thread`.
 */
LLVMValueRef lanes_thread_sum(struct jit_build *j, jit_value address, LLVMValueRef thread);
/* All lanes' addresses, made at the place of the call and for that block only. */
LLVMValueRef lanes_address(struct jit_build *j, jit_value address);
/* Mask of the lanes whose address is that of the first lane, left in *first, plus lane * `step`, if
 * *only_if (i1; NULL: always) holds. If it holds all lanes and the bytes from *first on are in one
 * page, no address has overflowed. */
LLVMValueRef lanes_in_step(struct jit_build *j, jit_value address, unsigned step,
                           LLVMValueRef *first, LLVMValueRef *only_if);
/* Whether `to` - `from`, modulo 2^64, is known and the same in all lanes; *bytes becomes the
 * difference. */
bool lanes_distance(struct jit_build *j, jit_value from, jit_value to, uint64_t *bytes);

/* ---- line.c ---------------------------------------------------------------------------------- */

/* Determines whether the result of an operation is in a line; copies what is known of a word to the
 * word that it is converted to. */
void lanes_line_binary(struct jit_build *j, enum jit_op op, jit_type t, jit_value a, jit_value b,
                       jit_value result);
void lanes_line_convert(jit_type to, jit_type from, jit_value a, jit_value result);
/* The result of an operation that reads the upper half of packed words alone; NULL: it does not. */
jit_value lanes_line_upper(struct jit_build *j, enum jit_op op, jit_type t, jit_value a,
                           jit_value b);

/* ---- pairs.c --------------------------------------------------------------------------------- */

/* Notes what the result of an operation is to a number of 64 bits that words are computed for. */
void lanes_pairs_binary(struct jit_build *j, enum jit_op op, jit_type t, jit_value a, jit_value b,
                        jit_value result);
void lanes_pairs_convert(jit_type to, jit_type from, jit_value a, jit_value result);
void lanes_pairs_select(struct jit_build *j, jit_value cond, jit_value a, jit_value b,
                        jit_value result);
/* The number, an extended word, times 2^scale, plus a uniform addend, of which the words are known
 * to be the halves; NULL: not known. */
const struct lanes_value *lanes_pairs_join(struct jit_build *j, const struct lanes_value *low,
                                           const struct lanes_value *high);

/* ---- nans.c ---------------------------------------------------------------------------------- */

/* Removes tests for NaNs of the function from what computes floats of their results. */
void lanes_drop_nan_tests(struct jit_build *j);

/* ---- sink.c ---------------------------------------------------------------------------------- */

/* Moves values of the function that only unlikely blocks use into these blocks. */
void lanes_sink(struct jit_build *j);

/* ---- interleave.c ---------------------------------------------------------------------------- */

/* Orders operations of the function so that many can run side by side, on a host with `registers`
 * of which a vector of the row takes `per_vector`. */
void lanes_interleave(struct jit_build *j, unsigned registers, unsigned per_vector);

/* ---- memory.c -------------------------------------------------------------------------------- */

/* Counts an access, or a handler, after which pages that a loop has found may be elsewhere. */
void lanes_count_slow(struct jit_build *j);

/* The note of an access while its code is built: the stored head, and the bytes per lane in it. */
struct lanes_noted {
    LLVMValueRef store, head;
    unsigned bytes;
};

/* Logs an access of the lanes `bits` at `va`, one address or a vector. NULL: the handler's own
 * notes follow. */
struct lanes_noted lanes_note(struct jit_build *j, LLVMValueRef bits, LLVMValueRef va, bool uniform,
                              unsigned bytes, unsigned access);
/* Adds to a note the next `bytes` bytes of each lane, `ahead` bytes behind the lane's first byte.
 * false: they do not follow the bytes of the note. */
bool lanes_note_more(struct jit_build *j, struct lanes_noted *noted, uint64_t ahead,
                     unsigned bytes);

/* ---- write.c --------------------------------------------------------------------------------- */

/* Writes the words that the operation has collected. */
void lanes_finish_writes(struct jit_build *j);

/* ---- numeric.c ------------------------------------------------------------------------------- */

/* Builds a call of a function of runtime/gpu/numeric; NULL: there is no code for it. */
jit_value lanes_numeric(struct jit_build *j, const char *name,
                        const struct lanes_value *const *args);

/* ---- trace.c --------------------------------------------------------------------------------- */

/* Builds the function LANES_FUNCTION of a trace into the module. false: it cannot be built. */
#define LANES_FUNCTION "trace"
bool lanes_build_trace(struct jit_build *j, struct gpu_trace *trace);

/* ---- object.c -------------------------------------------------------------------------------- */

/* The module as host code, from the cache if it has it, loaded. *engine becomes LLVM's object,
 * which lanes_object_free() frees. NULL: there is no code. */
void *lanes_object_load(struct jit_build *j, void **engine);
void lanes_object_free(struct gpu_translator *t, void *engine);

#endif
