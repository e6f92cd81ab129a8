/* Declarations for the files of the LLVM tier: regions as LLVM functions, and their host code. */
#ifndef RUNTIME_JIT_LLVM_BUILD_H
#define RUNTIME_JIT_LLVM_BUILD_H

#include "runtime/jit/arithmetic.h"
#include "runtime/jit/internal.h"
#include "runtime/jit/llvm.h"

/* ---- compile threads ------------------------------------------------------------------------- */

struct llvm_library {
    pthread_mutex_t lock;
    struct llvm api;
    bool tried, ok;
    struct error error;
};

struct compiler {
    struct jit *jit;
    const struct llvm *l;
    LLVMContextRef context;
    LLVMTargetMachineRef machine;
    unsigned used; /* number of regions translated in the context */
};

/* region.c: adds the region's function to a module; false with r->failure: it has none. */
bool region_build(struct compiler *c, LLVMModuleRef module, struct region *r);
enum { REGION_NAME = 32 };
/* The function's name. */
void region_name(char name[REGION_NAME], const struct region *r);

/* slow.c: an access of guest memory in the code, and the functions of its slow path. */
struct site {
    const struct insn *insn; /* in its block */
    struct block *block;
    int64_t delta;
    uint32_t iface, size;
};
/* Subtracted from j->left when attention is pending after a call, so that the region is left at the
 * next block. It may be subtracted repeatedly: the low LOOK_UP_BITS bits still hold the ticks
 * left. */
enum { LOOK_UP_BITS = 48 };
#define LOOK_UP (INT64_C(1) << LOOK_UP_BITS)
/* jit_write_slow() returns the number to subtract from j->left, 0 or LOOK_UP. jit_read_slow()
 * returns it in the high half, above the value that it has read. */
uint128_t jit_read_slow(struct cpu *cpu, uint64_t va, const struct site *s);
uint64_t jit_write_slow(struct cpu *cpu, uint64_t va, const struct site *s, uint64_t value);
uint128_t jit_read128_slow(struct cpu *cpu, uint64_t va, const struct site *s);
void jit_write128_slow(struct cpu *cpu, uint64_t va, const struct site *s, uint128_t value);

/* object.c: maps and relocates the code of an ELF object. Each listed region that has a function in
 * it gets its code, or r->failure. */
void object_load(struct region *list, const char *data, size_t size);

/* ---- translation of one region (region.c, build*.c) ------------------------------------------ */

struct set { /* a set of a region's variables */
    uint64_t bits[REGION_MAX_SLOTS / 64];
};

struct variable { /* a slot that the region uses */
    struct slot slot;
    LLVMTypeRef type;
    LLVMValueRef at; /* the variable's alloca */
};

struct pc_write {
    LLVMBasicBlockRef block;
    LLVMValueRef value;
};

/* Variables that may differ from memory, by the instructions of the source so far. */
struct changes {
    struct set dirty; /* written since the block began, or since all was stored */
    bool stored;      /* variables written before the block are in memory */
};

/* A place where variables must be stored. The stores are filled in when all dirty sets are
 * known. */
struct store_point {
    LLVMValueRef before; /* an instruction without effect */
    unsigned source;
    struct changes at;
};

/* Kinds of memory that never overlap. */
enum memory_kind { MEMORY_CPU, MEMORY_TLB, MEMORY_GUEST, MEMORY_KINDS };

struct edge {
    unsigned from, to; /* indices of sources */
};

struct jit_build { /* state of the LLVM back end */
    struct jit_head head;
    LLVM_PLACE;
    struct compiler *c;
    struct region *r;
    LLVMBuilderRef entry_builder;
    LLVMValueRef fn, cpu, entry_pc;
    LLVMValueRef counter_at; /* offset of the CPU's counter from a block; NULL: not counted */
    LLVMTypeRef i1, i8, i16, i32, i64, i128, f32, f64, bytes /* i8 * */;
    LLVMBasicBlockRef entry, exit;
    LLVMValueRef next_pc;    /* variable: the PC that a block's last instruction has written */
    LLVMValueRef ticks_left; /* variable: ticks that may still be used; see region.c */
    LLVMValueRef base;       /* cpu->ticks is base - left */
    LLVMValueRef flat;       /* cpu->flat_base, in a flat region */
    LLVMValueRef unlikely, likely;
    LLVMValueRef memory_tag[MEMORY_KINDS];
    unsigned prof, tbaa;
    bool failed;

    struct variable vars[REGION_MAX_SLOTS];
    unsigned var_count;
    uint16_t *var_of; /* by slot number: variable + 1 */

    VEC(LLVMValueRef) reloads; /* instructions after which all variables are reloaded */
    VEC(struct store_point) stores;
    VEC(struct edge) edges;

    struct per_source {
        LLVMBasicBlockRef head, body;
        bool wanted, built;
        struct changes end; /* changes of the whole block */
        struct set dirty;   /* variables that may differ from memory when it begins */
    } * of;

    /* The instruction being translated. */
    unsigned source, index;
    struct changes now;
    const struct insn *insn; /* the source's copy */
    bool last, interpreted;
    bool branched; /* in a block that not every execution of the instruction reaches */
    VEC(struct pc_write) writes;
    VEC(LLVMBasicBlockRef) dones;
};

/* The operations of build.h (build*.c), and their table. */
#define JIT_OPERATION(result, name, params, args) result llvm_##name params;
#include "runtime/jit/ops.inc"
#undef JIT_OPERATION
extern const struct jit_backend llvm_backend;

/* ---- types and constants (build_base.c) ------------------------------------------------------ */

static inline unsigned type_lanes(jit_type t)
{
    return t >> 16;
}

/* The region cannot be translated. The first call's text, copied, becomes r->failure. */
void build_fail(struct jit_build *j, const char *why);
/* LLVM's type for t, and for one lane of it. */
LLVMTypeRef build_type(struct jit_build *j, jit_type t);
LLVMTypeRef build_lane_type(struct jit_build *j, jit_type t);
/* The type of a vector's lanes; t itself when it is no vector. */
LLVMTypeRef build_scalar_type(struct jit_build *j, LLVMTypeRef t);
/* All bits of a type; 64 for pointers. */
unsigned type_bits(LLVMTypeRef t, struct jit_build *j);
LLVMValueRef build_int(struct jit_build *j, LLVMTypeRef t, uint64_t v);
/* Zero-extends or truncates an integer. */
LLVMValueRef build_resize(struct jit_build *j, LLVMValueRef v, LLVMTypeRef t);

/* The region's first guest address + delta. */
LLVMValueRef build_pc(struct jit_build *j, int64_t delta);
/* Whether the value is the region's first address plus a constant, *delta. */
bool build_known_pc(const struct jit_build *j, LLVMValueRef v, int64_t *delta);
/* A new block at the function's end. */
LLVMBasicBlockRef build_block(struct jit_build *j, const char *name);
/* Ends the block with a branch on an i1; weights are j->likely, j->unlikely or NULL. */
void build_cond(struct jit_build *j, LLVMValueRef cond, LLVMBasicBlockRef yes, LLVMBasicBlockRef no,
                LLVMValueRef weights);

/* A C function of the runtime, as a pointer to a function of that type. */
LLVMValueRef build_function_at(struct jit_build *j, const void *fn, LLVMTypeRef type);
/* Calls fn(args…), with at most 8 arguments of their own types. */
LLVMValueRef build_call(struct jit_build *j, const void *fn, LLVMTypeRef result, unsigned n,
                        LLVMValueRef *args);
/* A function of the engine, by its name in object.c, as a pointer to a function of that type. */
LLVMValueRef build_own_function(struct jit_build *j, const char *name, LLVMTypeRef type);

/* keep.c */
/* Thunks that preserve registers, by result and by the host's vector registers. */
void jit_keep_avx(void);
void jit_keep2_avx(void);
void jit_keep_sse(void);
void jit_keep2_sse(void);
enum { KEEP_WORDS = 5 };
/* Whether build_keep() can pass these: at most KEEP_WORDS words of integers and pointers, and a
 * result of such a type or none. */
bool build_can_keep(struct jit_build *j, LLVMTypeRef result, unsigned n, LLVMValueRef *args);
/* Calls fn on a cold path, by a thunk that preserves the registers of the code around it. */
LLVMValueRef build_keep(struct jit_build *j, const void *fn, LLVMTypeRef result, unsigned n,
                        LLVMValueRef *args);

/* build_state.c */
/* A variable of the function, on its stack until LLVM finds a register. */
LLVMValueRef build_variable(struct jit_build *j, LLVMTypeRef t);
/* Pointer to a byte offset behind `base` (i8 *), as a pointer to t. */
LLVMValueRef build_at(struct jit_build *j, LLVMValueRef base, uint64_t offset, LLVMTypeRef t);
/* Loads and stores of a member of struct cpu. */
LLVMValueRef build_cpu_load(struct jit_build *j, size_t offset, LLVMTypeRef t);
void build_cpu_store(struct jit_build *j, size_t offset, LLVMValueRef v);
/* Marks an access with its kind of memory, for alias analysis. Returns it. */
LLVMValueRef build_tag(struct jit_build *j, LLVMValueRef access, enum memory_kind kind);
/* Stores the variables that may differ from memory here. */
void build_store_all(struct jit_build *j);
/* build_store_all() in a cold block, from which the code joins one that has not stored them. */
void build_store_cold(struct jit_build *j);
/* Stores cpu->ticks, computed from j->left. */
void build_store_ticks(struct jit_build *j);
/* Before a call that reads guest state: build_store_all(), and sets cpu->block and block_pc as the
 * interpreter does. */
void build_context(struct jit_build *j);
/* After a call that is no memory access: subtracts LOOK_UP if cpu->stop_at, whose old value is
 * stop_at, has changed or attention is pending. */
void build_look_up(struct jit_build *j, LLVMValueRef stop_at);
/* Subtracts a number from j->left. */
void build_take(struct jit_build *j, LLVMValueRef taken);
/* Reloads variables after an instruction of LLVM that may have changed any guest register. */
void build_reload(struct jit_build *j, LLVMValueRef after);
/* Address of the instruction being translated, in its block. */
const struct insn *build_insn_address(const struct jit_build *j);
/* Fills in the recorded loads and stores of variables, when all dirty sets are known. */
void build_transfers(struct jit_build *j);

/* late.c: an access of flat guest memory. args: cpu->flat_base, the address, and the value to be
 * stored. type: an integer of up to 64 bits, or a vector of two. The result of a store is an i1,
 * whether it faulted; of a load, a structure of the value and the i1. */
LLVMValueRef build_flat(struct jit_build *j, bool store, LLVMTypeRef type, LLVMValueRef *args);
/* Marks the current block as cold: values that only cold blocks need are computed there. */
void build_cold(struct jit_build *j);
/* Lowers these accesses to instructions of the code generator, and sinks cheap computations into
 * cold blocks. */
void late_lower(struct compiler *c, LLVMModuleRef module);

/* shuffles.c: hides shuffles that LLVM's code generator gets wrong; the last pass before it. */
void shuffles_protect(struct compiler *c, LLVMModuleRef module);

#endif
