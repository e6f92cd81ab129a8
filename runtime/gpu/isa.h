/*
 * The interface of gencc's output for a shader ISA, and the state on which its handlers run.
 *
 * A shader is a sequence of bundles. A bundle is fetched, decoded and executed at once. It has one
 * or more stages. A stage has at most one instruction word per unit of the shader core, and
 * possibly a block of bits that its units share. Bits and their meaning are in the description. A
 * decoded bundle is a list of operations that execute one after the other, each for all lanes of a
 * row.
 *
 * A row is the lanes on which the host works together: lanes / width warps of a work-group, or,
 * where threads are scalar, `lanes` threads. The size of a row is not visible: each warp executes
 * the same bundles with the same lanes as it would alone.
 *
 * Lane state is an array of word slots of 4 bytes per lane, lane by lane: word slot k of lane l is
 * at warp->state + (k * lanes + l) * 4. The first slots are the registers of the description
 * (ac_lane_regspace). They are followed by the slots of enum gpu_slot, the results of words on
 * their way to a register, and the pool of constants and uniforms of the running shader. An operand
 * is the byte offset of a slot, determined by the decoder.
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

/* Bounds; gencc refuses descriptions that need more. */
enum {
    GPU_MAX_STAGES = 16,
    GPU_MAX_CONSTANTS = 16,
    GPU_MAX_UNITS = 16,
    GPU_MAX_PARTS = 16,
    GPU_MAX_BUNDLE_BYTES = 512,
    GPU_MAX_LANES = 32,
    GPU_LANE_CHUNK = 16,   /* divides the width of rows; the length of generated loops */
    GPU_MAX_OPERANDS = 96, /* bytes of operands behind an operation */
};

/* An instruction word. Above its bits is the number of the part for which it is decoded. */
__extension__ typedef unsigned __int128 gpu_word;
enum { GPU_PART_SHIFT = 120 };

/* ---- a bundle as bits ------------------------------------------------------------------------ */

struct gpu_stage {
    uint64_t block;   /* bits that the units of the stage share */
    uint32_t present; /* bit u: unit u has a word */
    gpu_word word[GPU_MAX_UNITS];
};

struct gpu_bundle {
    uint64_t header;
    uint64_t address; /* GPU address of the first byte */
    unsigned bytes;   /* size in memory */
    unsigned stages;
    unsigned constants;
    struct gpu_stage stage[GPU_MAX_STAGES];
    uint64_t constant[GPU_MAX_CONSTANTS];
    /* change of a constant, by the description's number; 0: none */
    uint8_t modifier[GPU_MAX_CONSTANTS];
};

/* ---- places ---------------------------------------------------------------------------------- */

/* The position in a bundle for which a place is computed. */
struct gpu_at {
    unsigned stage, unit;
    uint32_t uniforms; /* words of push uniforms of the job */
    uint32_t traits;   /* traits of the GPU */
};

/* Values that threads have in registers at their start. preload() returns the register; 255:
 * none. */
enum gpu_preload {
    GPU_PRELOAD_LOCAL_ID_XY, /* 16 bits each, x in the low half */
    GPU_PRELOAD_LOCAL_ID_Z,
    GPU_PRELOAD_GROUP_ID_X,
    GPU_PRELOAD_GROUP_ID_Y,
    GPU_PRELOAD_GROUP_ID_Z,
    GPU_PRELOAD_GLOBAL_ID_X,
    GPU_PRELOAD_GLOBAL_ID_Y,
    GPU_PRELOAD_GLOBAL_ID_Z,
    GPU_PRELOAD_VERTEX_ID,
    GPU_PRELOAD_INSTANCE_ID,
    GPU_PRELOAD_POSITION_LOW, /* GPU address to which a vertex shader stores its position */
    GPU_PRELOAD_POSITION_HIGH,
    GPU_PRELOAD_PRIMITIVE_ID,
    GPU_PRELOAD_PRIMITIVE_FLAGS, /* bit 0: back-facing */
    GPU_PRELOAD_PIXEL,           /* bits 15:0: x of the pixel; bits 31:16: y */
    GPU_PRELOAD_COVERAGE,        /* bit s: sample s is covered */
    GPU_PRELOAD_SAMPLE,          /* bits 15:0: covered samples; bits 31:16: number of the sample */
    GPU_PRELOAD_COUNT,
};

/* ---- decoded --------------------------------------------------------------------------------- */

typedef void gpu_handler(struct gpu_warp *w, const struct gpu_op *op);

/*
 * An operation: an instruction, or a part of one, for all lanes of a row. Its operands follow it
 * (generated structures; source operands are uint16_t offsets into warp->state). Operations of a
 * bundle are adjacent. A handler ends by calling the next one (GPU_NEXT); the last one returns.
 */
struct gpu_op {
    gpu_handler *exec;
    uint16_t bytes;   /* size of the operation with its operands, a multiple of 8 */
    uint16_t form;    /* index in the unit's forms */
    uint16_t result;  /* offset of the slot that write_result writes */
    uint16_t staging; /* offset of the first staging register */
    uint8_t unit;
    uint8_t stage;
    uint8_t flags;  /* flags of the bundle: enum gpu_bundle_flag */
    uint8_t last;   /* last operation of the bundle */
    uint16_t parts; /* bit p: part p of the instruction is an operation; used while decoding */
    uint8_t unused[2];
};

/* Classes of instructions in the statistics; `class` in the description. */
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
    const char *instr; /* name of the instruction, shared by a family's rows */
};

/*
 * Builds code for an operation: `op`, as decoded, of the word. Translators are written with
 * runtime/gpu/translate/build.h.
 */
struct jit_build;
typedef void gpu_translate_fn(struct jit_build *j, struct gpu_decode *d, const struct gpu_op *op,
                              gpu_word word);

/*
 * The instructions of a unit. decode() finds the form of a word, sets op->exec, bytes and form, and
 * fills the operands; for each source it calls gpu_decode_source(). It returns false if a word is
 * no instruction.
 */
struct gpu_unit {
    const char *name;
    const struct gpu_form *forms;
    unsigned form_count;
    size_t op_bytes; /* size of the largest operation */
    bool (*decode)(struct gpu_decode *d, gpu_word word, struct gpu_op *op);
    /* Writes the assembly text of a single word. false: no instruction. */
    bool (*disasm)(gpu_word word, uint64_t address, struct asm_out *out);
    /* By form; a NULL element leaves the form to its handler. NULL: there are no translators. */
    gpu_translate_fn *const *translators;
};

/* Offset of the slot that source selector `selector` of the current instruction names. The engine
 * implements it. An invalid place makes decoding of the bundle fail. */
uint16_t gpu_decode_source(struct gpu_decode *d, uint32_t selector);
/* Sets the places of the result, and of the first staging register, that the instruction itself
 * names. */
void gpu_decode_result(struct gpu_decode *d, struct gpu_op *op, uint32_t selector);
void gpu_decode_staging(struct gpu_decode *d, struct gpu_op *op, uint32_t selector);
/* The header of the current bundle, its address, and the next bundle's address: fixed values of
 * behaviours. */
uint64_t gpu_decode_header(const struct gpu_decode *d);
uint64_t gpu_decode_address(const struct gpu_decode *d);
uint64_t gpu_decode_end(const struct gpu_decode *d);

/* A shader ISA, generated. */
struct gpu_isa {
    const char *name;        /* as in a variant's `isa` */
    const char *bundle_name; /* the ISA's words for a bundle and a stage */
    const char *stage_name;
    unsigned register_count; /* word slots of the description's lane registers */
    /* Number of registers for programs, which are the first ones, and slots per register. Other
     * registers have a purpose. */
    unsigned work_registers, register_slots;
    unsigned grain_bytes; /* code is a sequence of grains; bundles begin at one */
    unsigned max_bytes;   /* bytes of the longest bundle */
    unsigned parts;       /* most operations per instruction */
    /* When results reach their registers: after 0 or 1 further stages have read their sources. */
    unsigned results_after;
    bool asks_uniforms; /* places depend on the number of uniforms */
    unsigned unit_count;
    const struct gpu_unit *unit[GPU_MAX_UNITS];

    /* Unpacks a bundle from `available` bytes of code. false: no valid bundle. `address` is stored
     * only. */
    bool (*unpack)(const uint8_t *code, size_t available, uint64_t address, struct gpu_bundle *out);

    /* Pure helpers of the description; places are those of common/prelude/lane.inc. */
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

    /* Writes the text of a whole bundle. `index` is the number of its first grain, counted from the
     * shader's first. `uniforms` is the number of words of push uniforms of its job (0 if unknown).
     * Returns the size of the bundle, 0 if it is invalid. */
    size_t (*disasm_bundle)(const uint8_t *code, size_t available, unsigned index,
                            uint32_t uniforms, struct asm_out *out);
};

/* ---- running --------------------------------------------------------------------------------- */

/* Slots behind the description's registers, from gpu_isa.register_count. */
enum gpu_slot {
    GPU_SLOT_ACTIVE,  /* ~0 in active lanes, else 0 */
    GPU_SLOT_SCRATCH, /* results that are not read */
    GPU_SLOT_SPECIAL, /* enum gpu_special */
    GPU_SLOT_RESULT = GPU_SLOT_SPECIAL + GPU_SPECIAL_COUNT,
};

/* Slots of results, from GPU_SLOT_RESULT: two stages, one slot per part and unit. The pool follows
 * them. */
static inline unsigned gpu_result_slots(const struct gpu_isa *isa)
{
    return 2 * isa->unit_count * isa->parts;
}

static inline unsigned gpu_pool_slot(const struct gpu_isa *isa)
{
    return isa->register_count + GPU_SLOT_RESULT + gpu_result_slots(isa);
}

/* The reason for which a warp does not continue. */
enum gpu_warp_wait { GPU_WARP_RUNS, GPU_WARP_BARRIER, GPU_WARP_ENDED };

/* Slots for which a row records writes; they include all registers. */
enum { GPU_WRITTEN_SLOTS = 512, GPU_WRITTEN_WORDS = GPU_WRITTEN_SLOTS / 64 };

enum { GPU_QUAD_LANES = 4 }; /* lanes of a quad of fragments */

/* A row of warps. */
struct gpu_warp {
    struct gpu_core *core;   /* state of the host thread: memory, shader, counters */
    struct gpu_group *group; /* work-group of the row */
    unsigned lanes;          /* lanes per row: a multiple of GPU_LANE_CHUNK */
    unsigned width;          /* lanes per warp; 1: threads are scalar */
    uint32_t full;           /* mask of one warp's lanes, from bit 0 */
    uint32_t active;         /* lanes that execute this bundle, one bit each */
    uint32_t live;           /* lanes that have not ended */
    uint32_t branched;       /* lanes whose `target` was set in this bundle */
    uint32_t ended;          /* lanes that ended in this bundle (discard, end) */
    uint32_t faulted;        /* an instruction faulted: enum gpu_shader_fault; 0: none */
    /* operation that cannot be executed; NULL: none, or no instruction */
    const struct gpu_op *refused;
    const char *refused_detail;     /* unsupported detail; NULL: all of it */
    uint32_t barred;                /* lanes whose warp waits at the barrier */
    enum gpu_warp_wait wait;        /* whether the row runs, waits or has ended */
    uint64_t address;               /* address of the running bundle */
    uint64_t target[GPU_MAX_LANES]; /* branch target of each lane that branched */
    uint64_t pc[GPU_MAX_LANES];     /* next address of each live lane */
    uint64_t tls[GPU_MAX_LANES];    /* thread-local storage of each lane */
    uint32_t first[GPU_MAX_LANES];  /* first lane of each lane's warp */
    /* A lane can read values of `reach` lanes from near[lane] on: those of its warp, or of its quad
     * of fragments if threads are scalar. */
    uint32_t reach, near[GPU_MAX_LANES];
    uint32_t index;    /* number of the row in its group */
    uint32_t pool;     /* number of pool words that are in their slots */
    uint64_t pool_job; /* number of the job to which these words belong */
    /* Number of the job in which the registers still have their initial values, except for
     * `written`; 0: none. */
    uint64_t unused_in;
    uint64_t written[GPU_WRITTEN_WORDS]; /* bit k: word slot k was written */
    uint32_t thread;                     /* number of the first thread in the group */
    uint32_t helpers; /* fragments: lanes that cover nothing, whose stores have no effect */
    bool fresh;       /* the row has not run: all its lanes are at the shader's first bundle */
    _Alignas(64) uint8_t state[];
};

enum gpu_shader_fault {
    GPU_FAULT_NONE,
    GPU_FAULT_UNIMPLEMENTED, /* `raise` in a behaviour */
    GPU_FAULT_ENCODING,      /* no valid bundle, word or operand */
    GPU_FAULT_MEMORY,        /* a page fault that the driver did not repair */
    GPU_FAULT_PC,            /* execution left mapped code */
};

#endif
