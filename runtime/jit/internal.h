/*
 * What the files of the JIT room share with each other.
 *
 * A region is a guest block that runs often, and what follows it along ways that the guest has gone
 * before; it becomes one host function, which stands in place of the block's first handler. The
 * thread that runs the guest makes regions (engine.c) and copies of all that translation needs;
 * compile threads (queue.c) turn them into code (region.c, build*.c, compile.c, object.c).
 */
#ifndef RUNTIME_JIT_INTERNAL_H
#define RUNTIME_JIT_INTERNAL_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>

#include "runtime/base/bits.h"
#include "runtime/base/vec.h"
#include "runtime/cpu/exec.h"
#include "runtime/cpu/tier.h"
#include "runtime/jit/build.h"
#include "runtime/jit/jit.h"
#include "runtime/jit/llvm.h"

enum {
    REGION_MAX_BLOCKS = 64,
    REGION_MAX_INSNS = 512,
    REGION_MAX_SLOTS = 256, /* registers one region keeps in variables */
};

/* ---- what is known of an ISA (isa.c) --------------------------------------------------------- */

/* A piece of cpu->state that is one variable in a region: a register with all that overlaps it. */
struct slot {
    uint32_t offset;
    uint16_t size; /* 1, 2, 4, 8 or 16 */
};

struct isa_map {
    const struct cpu_isa *isa;
    VEC(struct slot) slots;
    struct slot zero, sink; /* never anything but 0; never read (size 0: there is none) */
    uint16_t *slot_at;      /* by byte of the state: slot number + 1, or 0 */
    const struct cpu_translator **hash;
    size_t hash_size; /* a power of two */
    struct isa_map *next;
};

struct isa_map *isa_map_new(const struct cpu_isa *isa);
void isa_map_free(struct isa_map *m);
/* The handler's translator, or NULL. */
insn_translate_fn *isa_map_translator(const struct isa_map *m, insn_fn *handler);

/* ---- memory for code (arena.c) --------------------------------------------------------------- */

struct chunk;
struct arena { /* for all threads */
    pthread_mutex_t lock;
    struct chunk *chunks, *current;
    size_t mapped; /* bytes of all chunks */
};
void arena_init(struct arena *a);
void arena_drop(struct arena *a);
/* Executable memory of that size, and the chunk it is from; NULL: there is none. */
void *arena_take(struct arena *a, size_t size, struct chunk **from);
/* The piece has another user. */
void arena_share(struct arena *a, struct chunk *from);
/* One use of a piece of the chunk ends. */
void arena_give(struct arena *a, struct chunk *from);
/* Bytes of chunks in use. */
size_t arena_bytes(struct arena *a);

/* ---- regions --------------------------------------------------------------------------------- */

/* A guest block of a region, as translation sees it. */
struct source {
    struct block *block; /* an address: translation does not look into it */
    int64_t delta;       /* virtual address, from the region's first */
    uint64_t pa;
    uint32_t count, bytes;
    int32_t next[BLOCK_NEXT]; /* as in struct block; 0: none */
    uint8_t *insns;           /* a copy */
};

struct region {
    struct jit *jit;
    const struct isa_map *map;
    struct source *sources; /* [0]: the entry */
    unsigned source_count, insn_count;
    uint32_t features[CPU_MAX_FEATURES];
    uint8_t mode, ring;
    uint64_t pc; /* virtual address for which it was asked, for listings */

    atomic_bool killed; /* a block died: not to be used, or used any more */
    bool done;          /* translation has ended, in whichever way */
    bool live;          /* stands in its entry block */

    /* What translation leaves behind. */
    void *code;  /* NULL: failed */
    void *entry; /* the function */
    struct chunk *chunk;
    size_t code_size; /* with its constants */
    size_t text_size;
    VEC(void *) copies; /* what the code has the addresses of */
    char failure[96];
    unsigned built, interpreted; /* blocks in the code; instructions that call their handler */
    uint64_t build_ns, optimise_ns, emit_ns;

    struct region *queue_next;          /* waiting, or translated */
    struct region *all_next, *all_prev; /* every region of the engine */
};

void region_free(struct region *r);

/* ---- compile threads ------------------------------------------------------------------------- */

/* What one thread translates with. */
struct compiler {
    struct jit *jit;
    const struct llvm *l;
    LLVMContextRef context;
    LLVMTargetMachineRef machine;
    unsigned used; /* regions that the context has seen */
};

/* compile.c: prepares a thread's compiler; translates regions that are linked by queue_next, leaving
 * its code in each. */
bool compiler_init(struct compiler *c, struct jit *jit, struct error *err);
void compiler_free(struct compiler *c);
void compiler_translate(struct compiler *c, struct region *list);

/* region.c: adds the region's function to a module; false, without one, and with r->failure. */
bool region_build(struct compiler *c, LLVMModuleRef module, struct region *r);
enum { REGION_NAME = 32 };
/* The function's name. */
void region_name(char name[REGION_NAME], const struct region *r);

/*
 * slow.c: a place in the code that accesses guest memory, and what it calls where the soft TLB does
 * not serve it.
 */
struct site {
    const struct insn *insn; /* in its block */
    struct block *block;
    int64_t delta;
    uint32_t iface, size;
};
uint64_t jit_read_slow(struct cpu *cpu, uint64_t va, const struct site *s);
void jit_write_slow(struct cpu *cpu, uint64_t va, const struct site *s, uint64_t value);
uint128_t jit_read128_slow(struct cpu *cpu, uint64_t va, const struct site *s);
void jit_write128_slow(struct cpu *cpu, uint64_t va, const struct site *s, uint128_t value);

/* object.c: maps the code of an ELF object and binds it; those of the listed regions that it holds
 * get their code, or r->failure. */
void object_load(struct region *list, const char *data, size_t size);

/* ---- the engine ------------------------------------------------------------------------------ */

struct jit {
    struct jit_options options;
    uint32_t warm_from; /* executions from which on it is noted what follows a block */
    struct code_tier tier;
    struct log *log;
    struct code_cache *cache;
    struct isa_map *maps;
    struct region *newest, *oldest; /* all, linked by all_next from the newest */
    struct arena arena;
    size_t dead_count;
    FILE *perf_map;
    struct jit_counters counters;

    /* The block that was counted last: what is counted next has followed it. */
    struct cpu *last_cpu; /* NULL: none */
    struct block *last;
    uint64_t last_pc, last_insns;

    struct compiler own; /* of the thread that runs the guest (sync) */

    /* Shared with compile threads. */
    pthread_mutex_t lock, llvm_lock;
    pthread_cond_t work, idle;
    struct region *queue, **queue_end;
    struct region *finished;
    atomic_bool has_finished;
    unsigned busy, waiting; /* threads at work; regions in the queue */
    bool stop, hold;
    pthread_t *threads;
    unsigned thread_count;
    struct llvm llvm;
    bool llvm_tried, llvm_ok;
    struct error llvm_error;
};

/* queue.c */
void queue_start(struct jit *jit);
void queue_stop(struct jit *jit);
/* Whether another region may be handed in; a region handed in comes back, whatever happens. */
bool queue_has_room(struct jit *jit);
void queue_add(struct jit *jit, struct region *r);
/* Puts a region that still waits before all others. */
void queue_hurry(struct jit *jit, struct region *r);
/* Takes all that have come back, linked by queue_next. */
struct region *queue_finished(struct jit *jit);

/* engine.c: where a region goes that is left, with cpu->pc and insns set: the next block, if nobody
 * wants attention, or back to run_blocks(). */
void jit_leave(struct cpu *cpu, const struct insn *i);

/* Whether the block's own translation stands in its place. */
bool block_is_translated(const struct block *b);

/* report.c: the region's host code, to log channel out_asm. */
void jit_list_code(struct jit *jit, const struct region *r);

/* ---- translation of one region (region.c, build*.c) ------------------------------------------ */

struct set { /* of a region's variables */
    uint64_t bits[REGION_MAX_SLOTS / 64];
};

struct variable { /* a slot in use */
    struct slot slot;
    LLVMTypeRef type;
    LLVMValueRef at; /* its alloca */
};

struct pc_write {
    LLVMBasicBlockRef block;
    LLVMValueRef value;
};

struct jit_build {
    const struct llvm *l;
    struct compiler *c;
    struct region *r;
    LLVMContextRef x;
    LLVMModuleRef module;
    LLVMBuilderRef b, entry_builder;
    LLVMValueRef fn, cpu, entry_pc;
    LLVMValueRef counter_at; /* of the CPU's counter, from a block */
    LLVMTypeRef i1, i8, i16, i32, i64, i128, f32, f64, bytes /* i8 * */;
    LLVMBasicBlockRef entry, exit;
    LLVMValueRef exit_pc; /* variable: where the guest goes on */
    LLVMValueRef next_pc; /* variable: what the last instruction of a block has written */
    LLVMValueRef unlikely, likely;
    unsigned prof;
    bool failed;

    struct variable vars[REGION_MAX_SLOTS];
    unsigned var_count;
    uint16_t *var_of; /* by slot number: variable + 1 */

    VEC(LLVMValueRef) reloads; /* instructions behind which all variables are loaded anew */

    struct per_source {
        LLVMBasicBlockRef head, body;
        bool wanted, built;
    } * of;

    /* The instruction being translated. */
    unsigned source, index;
    struct set dirty;        /* variables that differ from memory */
    const struct insn *insn; /* the copy */
    bool last, interpreted;
    bool branched; /* not on a way that every execution of it takes */
    VEC(struct pc_write) writes;
    VEC(LLVMBasicBlockRef) dones;
};

/* build.c */
void build_fail(struct jit_build *j, const char *why);
LLVMTypeRef build_type(struct jit_build *j, jit_type t);
LLVMValueRef build_int(struct jit_build *j, LLVMTypeRef t, uint64_t v);
/* Zero-extends or cuts an integer. */
LLVMValueRef build_resize(struct jit_build *j, LLVMValueRef v, LLVMTypeRef t);
LLVMValueRef build_intrinsic(struct jit_build *j, const char *name, unsigned types,
                             LLVMTypeRef *overloads, unsigned n, LLVMValueRef *args);
LLVMValueRef build_variable(struct jit_build *j, LLVMTypeRef t);
unsigned type_bits(LLVMTypeRef t, struct jit_build *j);

/* keep.c */
void jit_keep_avx(void);
void jit_keep2_avx(void);
void jit_keep_sse(void);
void jit_keep2_sse(void);
enum { KEEP_WORDS = 5 };
/* Whether build_keep() passes these: at most KEEP_WORDS words of integers and pointers, with a
 * result of such a type or none. */
bool build_can_keep(struct jit_build *j, LLVMTypeRef result, unsigned n, LLVMValueRef *args);
/* Calls fn, which is rarely done: the code around it loses no registers. */
LLVMValueRef build_keep(struct jit_build *j, const void *fn, LLVMTypeRef result, unsigned n,
                        LLVMValueRef *args);

/* build_state.c */
/* Pointer to a byte offset behind `base` (i8 *), as a pointer to t. */
LLVMValueRef build_at(struct jit_build *j, LLVMValueRef base, uint64_t offset, LLVMTypeRef t);
LLVMValueRef build_cpu_load(struct jit_build *j, size_t offset, LLVMTypeRef t);
void build_cpu_store(struct jit_build *j, size_t offset, LLVMValueRef v);
/* Stores the variables that the block has changed. */
void build_store_all(struct jit_build *j);
/* The same on a way that other ways join that have not done it. */
void build_store_cold(struct jit_build *j);
/* Before a call that looks at the guest: as build_store_all(), and cpu->block and block_pc are as
 * the interpreter has them. */
void build_context(struct jit_build *j);
/* Behind an instruction that may have changed any register. */
void build_reload(struct jit_build *j, LLVMValueRef after);
/* Address of the instruction being translated, in its block. */
const struct insn *build_insn_address(const struct jit_build *j);
/* Fills the places that build_reload() noted, when all variables are known. */
void build_reloads(struct jit_build *j);

/* build_memory.c: calls fn(args…), with the arguments' own types. */
LLVMValueRef build_call(struct jit_build *j, const void *fn, LLVMTypeRef result, unsigned n,
                        LLVMValueRef *args);
/* One of the engine's functions, by its name in object.c, as a pointer to a function of that type. */
LLVMValueRef build_own_function(struct jit_build *j, const char *name, LLVMTypeRef type);

/* build_flow.c */
/* If the value is the region's first address plus a constant: that. */
bool build_known_pc(const struct jit_build *j, LLVMValueRef v, int64_t *delta);
LLVMValueRef build_pc(struct jit_build *j, int64_t delta);
LLVMBasicBlockRef build_block(struct jit_build *j, const char *name);
void build_cond(struct jit_build *j, LLVMValueRef cond, LLVMBasicBlockRef yes, LLVMBasicBlockRef no,
                LLVMValueRef weights);

#endif
