/*
 * What gencc's output for a shader ISA offers, and what its handlers run on.
 *
 * A shader is a string of bundles: what is fetched, decoded and executed at once. A bundle is one or more
 * stages; a stage has an instruction word, or none, for each unit of the shader core, and perhaps a block
 * of bits that its units share. Bits and their meaning are in the description. Here stands what is common:
 * a decoded bundle is a list of operations that execute one after the other, each for all lanes of a row.
 * A row of lanes is what the host works on together: as many warps of a work-group as have room in it, or,
 * where threads are scalar, threads. How wide it is shows nowhere: each warp executes the same bundles with
 * the same lanes as it would alone.
 *
 * Lane state is an array of word slots, each 4 bytes a lane, lane by lane: word slot k of lane l
 * stands at warp->state + (k * lanes + l) * 4. The first slots are the registers of the description
 * (ac_lane_regspace); behind them stand what enum gpu_slot lists, the results of words that are on their
 * way to a register, and then the pool of constants and uniforms of the running shader. An operand is the
 * byte offset of a slot, found at decode time.
 */
#ifndef RUNTIME_GPU_ISA_H
#define RUNTIME_GPU_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/prelude/lane.h"

struct asm_out;
struct gpu_core;
struct gpu_group;
struct gpu_op;
struct gpu_warp;
struct gpu_decode;

/* gencc refuses descriptions that need more. */
enum {
    GPU_MAX_STAGES = 16,
    GPU_MAX_CONSTANTS = 16,
    GPU_MAX_UNITS = 16,
    GPU_MAX_PARTS = 16,
    GPU_MAX_BUNDLE_BYTES = 512,
    GPU_MAX_LANES = 32,
    GPU_LANE_CHUNK = 16,   /* a row's width is a multiple; generated loops work on so many */
    GPU_MAX_OPERANDS = 96, /* bytes of operands behind an operation */
};

/* An instruction word. Above its bits stands which part of the instruction it is decoded for. */
__extension__ typedef unsigned __int128 gpu_word;
enum { GPU_PART_SHIFT = 120 };

/* ---- a bundle as bits ------------------------------------------------------------------------ */

struct gpu_stage {
    uint64_t block;   /* what the units of the stage share */
    uint32_t present; /* bit a unit that has a word */
    gpu_word word[GPU_MAX_UNITS];
};

struct gpu_bundle {
    uint64_t header;
    uint64_t address; /* of its first byte in GPU memory */
    unsigned bytes;   /* it takes there */
    unsigned stages;
    unsigned constants;
    struct gpu_stage stage[GPU_MAX_STAGES];
    uint64_t constant[GPU_MAX_CONSTANTS];
    uint8_t modifier[GPU_MAX_CONSTANTS]; /* how a constant is to be changed, as the description
                                            numbers it; 0 = not */
};

/* ---- places ---------------------------------------------------------------------------------- */

/* Where in a bundle a place is asked for. */
struct gpu_at {
    unsigned stage, unit;
    uint32_t uniforms; /* words of push uniforms that the job has */
    uint32_t traits;   /* of the GPU */
};

/* What preload() is asked for: the register in which a thread finds … when it starts; 255: none. */
enum gpu_preload {
    GPU_PRELOAD_LOCAL_ID_XY, /* 16 bits each, x low */
    GPU_PRELOAD_LOCAL_ID_Z,
    GPU_PRELOAD_GROUP_ID_X,
    GPU_PRELOAD_GROUP_ID_Y,
    GPU_PRELOAD_GROUP_ID_Z,
    GPU_PRELOAD_GLOBAL_ID_X,
    GPU_PRELOAD_GLOBAL_ID_Y,
    GPU_PRELOAD_GLOBAL_ID_Z,
    GPU_PRELOAD_VERTEX_ID,
    GPU_PRELOAD_INSTANCE_ID,
    GPU_PRELOAD_COUNT,
};

/* ---- decoded --------------------------------------------------------------------------------- */

typedef void gpu_handler(struct gpu_warp *w, const struct gpu_op *op);

/*
 * An operation: an instruction for all lanes of a warp. Its operands follow it (generated
 * structures; source operands are uint16_t offsets into warp->state). Operations of a bundle stand
 * behind each other; a handler ends by calling the next one (GPU_NEXT), the last one returns.
 */
struct gpu_op {
    gpu_handler *exec;
    uint16_t bytes;   /* of this operation with its operands, a multiple of 8 */
    uint16_t form;    /* index in the unit's forms */
    uint16_t result;  /* offset of the slot that write_result writes */
    uint16_t staging; /* offset of the first staging register */
    uint8_t unit;
    uint8_t stage;
    uint8_t flags;  /* the bundle's: enum gpu_bundle_flag */
    uint8_t last;   /* the bundle ends with it */
    uint16_t parts; /* of its instruction: bit an operation that it becomes; used while decoding */
    uint8_t unused[2];
};

/* What the statistics count; `class` in the description. */
enum gpu_form_class {
    GPU_CLASS_ARITHMETIC,
    GPU_CLASS_LOAD_STORE,
    GPU_CLASS_CONTROL,
    GPU_CLASS_NOP,
    GPU_CLASS_ATTRIBUTE, /* attributes, varyings, textures, tile buffer */
};

struct gpu_form {
    const char *name;
    const char *klass; /* as written in the description */
    const char *instr; /* name of the instruction; a family's rows share it */
};

/*
 * Builds code for an operation: `op`, as decoded, of the word. runtime/gpu/translate/build.h has what translators are
 * written in.
 */
struct jit_build;
typedef void gpu_translate_fn(struct jit_build *j, struct gpu_decode *d, const struct gpu_op *op,
                              gpu_word word);

/*
 * One unit's instructions. decode() finds the form of a word, sets op->exec, bytes and form, and
 * fills the operands; for each source it calls gpu_decode_source(). It returns false for a word that
 * is no instruction.
 */
struct gpu_unit {
    const char *name;
    const struct gpu_form *forms;
    unsigned form_count;
    size_t op_bytes; /* of the largest operation */
    bool (*decode)(struct gpu_decode *d, gpu_word word, struct gpu_op *op);
    /* Writes assembly text of a word alone; false: no instruction. */
    bool (*disasm)(gpu_word word, uint64_t address, struct asm_out *out);
    /* By form; NULL in it: there is none, the handler does it. NULL: there are none at all. */
    gpu_translate_fn *const *translators;
};

/* Offset of the slot that source selector `selector` of the instruction being decoded names. The
 * engine implements it; an invalid place makes decoding of the bundle fail. */
uint16_t gpu_decode_source(struct gpu_decode *d, uint32_t selector);
/* What the instruction says itself of its result, and of its first staging register. */
void gpu_decode_result(struct gpu_decode *d, struct gpu_op *op, uint32_t selector);
void gpu_decode_staging(struct gpu_decode *d, struct gpu_op *op, uint32_t selector);
/* Header of the bundle being decoded, its address, that behind it: fixed values for behaviours. */
uint64_t gpu_decode_header(const struct gpu_decode *d);
uint64_t gpu_decode_address(const struct gpu_decode *d);
uint64_t gpu_decode_end(const struct gpu_decode *d);

/* A shader ISA, generated. */
struct gpu_isa {
    const char *name;        /* as in a variant's `isa` */
    const char *bundle_name; /* what it calls a bundle, and a stage */
    const char *stage_name;
    unsigned register_count; /* word slots of the description's lane registers */
    /* A program's registers are the first so many, each of so many slots; others have a purpose. */
    unsigned work_registers, register_slots;
    unsigned grain_bytes; /* code is a string of grains; bundles begin at one */
    unsigned max_bytes;   /* of a bundle */
    unsigned parts;       /* operations that an instruction may become */
    /* When results reach their registers: when so many stages behind their own have read theirs (0 or 1). */
    unsigned results_after;
    bool asks_uniforms; /* places depend on how many uniforms there are */
    unsigned unit_count;
    const struct gpu_unit *unit[GPU_MAX_UNITS];

    /* Takes a bundle out of `available` bytes of code; false: no valid bundle. `address` is not
     * looked at by it, only kept. */
    bool (*unpack)(const uint8_t *code, size_t available, uint64_t address, struct gpu_bundle *out);

    /* The description's helpers, all pure: places as common/prelude/lane.inc has them. */
    uint64_t (*operand_place)(const struct gpu_bundle *b, const struct gpu_at *at,
                              uint32_t selector);
    uint64_t (*result_place)(const struct gpu_bundle *b, const struct gpu_at *at,
                             uint32_t selector);
    uint32_t (*staging_place)(const struct gpu_bundle *b, const struct gpu_at *at,
                              uint32_t selector); /* number of the first staging register */
    uint32_t (*constant_value)(uint64_t raw, uint32_t modifier, uint32_t place, uint64_t address);
    uint32_t (*bundle_flags)(const struct gpu_bundle *b);
    uint32_t (*bundle_staging)(const struct gpu_bundle *b); /* first staging register */
    uint32_t (*preload)(uint32_t what);                     /* enum gpu_preload */

    /* Text of a whole bundle, as the description says. `index` is the number of the grain it begins at, from
     * the shader's first; `uniforms` how many words of push uniforms its job has (0 where that is not known).
     * Returns the bytes it takes, 0 when it is no valid bundle. */
    size_t (*disasm_bundle)(const uint8_t *code, size_t available, unsigned index,
                            uint32_t uniforms, struct asm_out *out);
};

/* ---- running --------------------------------------------------------------------------------- */

/* Slots behind the description's registers, from gpu_isa.register_count. */
enum gpu_slot {
    GPU_SLOT_ACTIVE,  /* ~0 in active lanes, else 0 */
    GPU_SLOT_SCRATCH, /* results nobody reads */
    GPU_SLOT_SPECIAL, /* enum gpu_special */
    GPU_SLOT_RESULT = GPU_SLOT_SPECIAL + GPU_SPECIAL_COUNT,
};

/* Slots of results, from GPU_SLOT_RESULT: two stages, a slot for each part of each unit. The pool stands
 * behind them. */
static inline unsigned gpu_result_slots(const struct gpu_isa *isa)
{
    return 2 * isa->unit_count * isa->parts;
}

static inline unsigned gpu_pool_slot(const struct gpu_isa *isa)
{
    return isa->register_count + GPU_SLOT_RESULT + gpu_result_slots(isa);
}

/* Why a warp does not go on at the next bundle. */
enum gpu_warp_wait { GPU_WARP_RUNS, GPU_WARP_BARRIER, GPU_WARP_ENDED };

/* Slots of which a row remembers which were written: the registers are among them. */
enum { GPU_WRITTEN_SLOTS = 320, GPU_WRITTEN_WORDS = GPU_WRITTEN_SLOTS / 64 };

/* A row of warps. */
struct gpu_warp {
    struct gpu_core *core;          /* host thread's context: memory, shader, counters */
    struct gpu_group *group;        /* its work-group */
    unsigned lanes;                 /* of the row: a multiple of GPU_LANE_CHUNK */
    unsigned width;                 /* lanes of a warp; 1: threads are scalar */
    uint32_t full;                  /* bits of a warp's lanes, the first one at bit 0 */
    uint32_t active;                /* bit a lane that executes this bundle */
    uint32_t live;                  /* bit a lane that has not ended */
    uint32_t branched;              /* bit a lane whose `target` was set in this bundle */
    uint32_t ended;                 /* bit a lane that ended in this bundle (discard, end) */
    uint32_t faulted;               /* an instruction faulted: enum gpu_shader_fault, 0 none */
    const struct gpu_op *refused;   /* that cannot be executed; NULL: none, or no instruction */
    const char *refused_detail;     /* what of it, or NULL: all */
    uint32_t barred;                /* bit a lane whose warp waits at the barrier */
    enum gpu_warp_wait wait;        /* of all live ones */
    uint64_t address;               /* of the running bundle */
    uint64_t target[GPU_MAX_LANES]; /* where a lane that branched goes on */
    uint64_t pc[GPU_MAX_LANES];     /* where each live lane goes on */
    uint64_t tls[GPU_MAX_LANES];    /* thread-local storage of each lane */
    uint32_t first[GPU_MAX_LANES];  /* the first lane of each lane's warp */
    uint32_t index;                 /* of the row in its group */
    uint32_t pool;                  /* words of the constant pool that are in its slots */
    uint64_t pool_job;              /* number of the job that they belong to */
    /* Number of the job in which nothing was written to its registers but what threads find there; 0: none. */
    uint64_t unused_in;
    uint64_t written[GPU_WRITTEN_WORDS]; /* bit a slot that was, nevertheless */
    uint32_t thread;                     /* the first one, in the group */
    bool fresh; /* it has not run: all its lanes are at the shader's first bundle */
    _Alignas(64) uint8_t state[];
};

enum gpu_shader_fault {
    GPU_FAULT_NONE,
    GPU_FAULT_UNIMPLEMENTED, /* `raise` in a behaviour */
    GPU_FAULT_ENCODING,      /* no valid bundle, word or operand */
    GPU_FAULT_MEMORY,        /* a page fault that the driver did not mend */
    GPU_FAULT_PC,            /* execution left mapped code */
};

#endif
