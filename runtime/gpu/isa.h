/*
 * What gencc's output for a shader ISA offers, and what its handlers run on.
 *
 * A shader is a string of clauses; a clause a few tuples; a tuple one instruction word for each
 * unit of the shader core, and a block of bits that both share (register slots). Bits and their
 * meaning are in the description. Here stands what is common: a decoded clause is a list of
 * operations that execute one after the other, each for all lanes of a warp.
 *
 * Lane state is an array of word slots, each 4 bytes a lane, lane by lane: word slot k of lane l
 * stands at warp->state + (k * lanes + l) * 4. The first slots are the registers of the description
 * (ac_lane_regspace); behind them stand what enum gpu_slot lists, and then the pool of constants and
 * uniforms of the running shader. An operand is the byte offset of a slot, found at decode time.
 */
#ifndef RUNTIME_GPU_ISA_H
#define RUNTIME_GPU_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct asm_out;
struct gpu_core;
struct gpu_group;
struct gpu_op;
struct gpu_warp;
struct gpu_decode;

enum {
    GPU_MAX_TUPLES = 8,
    GPU_MAX_CONSTANTS = 8,
    GPU_MAX_UNITS = 2,
    GPU_MAX_LANES = 32,
    GPU_LANE_CHUNK = 4,    /* a warp's width is a multiple; generated loops work on so many */
    GPU_MAX_OPERANDS = 96, /* bytes of operands behind an operation */
};

/* ---- a clause as bits ------------------------------------------------------------------------ */

struct gpu_clause {
    uint64_t header;
    uint64_t address; /* of its first byte in GPU memory */
    unsigned bytes;   /* it takes there */
    unsigned tuples;
    unsigned constants;
    struct {
        uint64_t block; /* what the units of the tuple share */
        uint32_t word[GPU_MAX_UNITS];
    } tuple[GPU_MAX_TUPLES];
    uint64_t constant[GPU_MAX_CONSTANTS];
    uint8_t modifier[GPU_MAX_CONSTANTS]; /* how a constant is to be changed, as the description
                                            numbers it; 0 = not */
};

/* ---- places ---------------------------------------------------------------------------------- */

/* What an operand names: kind << 32 | value, as the description's operand_place() gives it. */
enum gpu_place_kind {
    GPU_PLACE_INVALID,  /* reserved: the instruction faults */
    GPU_PLACE_REGISTER, /* value = register (word slot) */
    GPU_PLACE_VALUE,    /* value = the 32 bits themselves */
    GPU_PLACE_UNIFORM,  /* value = index of a 32-bit word among the push uniforms */
    GPU_PLACE_CONSTANT, /* embedded: bits 7:0 index, 15:8 low bits to insert, bit 16 upper half */
    GPU_PLACE_SAME,     /* result of unit `value` of this tuple */
    GPU_PLACE_PREVIOUS, /* result of unit `value` of the tuple before */
    GPU_PLACE_SPECIAL,  /* value = enum gpu_special */
};

enum gpu_special {
    GPU_SPECIAL_LANE_ID,
    GPU_SPECIAL_WARP_ID,
    GPU_SPECIAL_CORE_ID,
    GPU_SPECIAL_FRAMEBUFFER_SIZE,
    GPU_SPECIAL_ATEST_DATUM,
    GPU_SPECIAL_SAMPLE_POSITIONS,      /* and + 1: upper word */
    GPU_SPECIAL_BLEND_DESCRIPTOR = 16, /* + 2 * target, + 1 for the upper word */
    GPU_SPECIAL_COUNT = 32,
};

/* Where a result goes besides the next tuple, as result_place() gives it: register | mask << 8,
 * mask bit 0: low half, bit 1: high half; 0 = nowhere. */
enum { GPU_RESULT_LOW = 1 << 8, GPU_RESULT_HIGH = 2 << 8, GPU_RESULT_FULL = 3 << 8 };

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

/* Flags of clause_flags(). */
enum gpu_clause_flag {
    GPU_CLAUSE_END = 1,     /* the shader ends with it */
    GPU_CLAUSE_MESSAGE = 2, /* its last instructions send a message */
    GPU_CLAUSE_FLUSH = 4,   /* subnormal fp32 operands and results are zero */
};

/* ---- decoded --------------------------------------------------------------------------------- */

typedef void gpu_handler(struct gpu_warp *w, const struct gpu_op *op);

/*
 * An operation: an instruction for all lanes of a warp. Its operands follow it (generated
 * structures; source operands are uint16_t offsets into warp->state). Operations of a clause stand
 * behind each other; a handler ends by calling the next one (GPU_NEXT), the last one returns.
 */
struct gpu_op {
    gpu_handler *exec;
    uint16_t bytes;   /* of this operation with its operands, a multiple of 8 */
    uint16_t form;    /* index in the unit's forms */
    uint16_t result;  /* offset of the slot that write_result writes */
    uint16_t staging; /* offset of the first staging register */
    uint8_t unit;
    uint8_t tuple;
    uint8_t flags; /* the clause's: enum gpu_clause_flag */
    uint8_t last;  /* the clause ends with it */
    uint32_t unused;
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
 * One unit's instructions. decode() finds the form of a word, sets op->exec, bytes and form, and
 * fills the operands; for each source it calls gpu_decode_source(). It returns false for a word that
 * is no instruction.
 */
struct gpu_unit {
    const char *name;
    const struct gpu_form *forms;
    unsigned form_count;
    size_t op_bytes; /* of the largest operation */
    bool (*decode)(struct gpu_decode *d, uint32_t word, struct gpu_op *op);
    /* Writes assembly text of a word alone; false: no instruction. */
    bool (*disasm)(uint32_t word, uint64_t address, struct asm_out *out);
};

/* Offset of the slot that source selector `selector` of the instruction being decoded names. The
 * engine implements it; an invalid place makes decoding of the clause fail. */
uint16_t gpu_decode_source(struct gpu_decode *d, uint32_t selector);
/* Header of the clause being decoded, and its address: fixed values for behaviours. */
uint64_t gpu_decode_header(const struct gpu_decode *d);
uint64_t gpu_decode_address(const struct gpu_decode *d);

/* A shader ISA, generated. */
struct gpu_isa {
    const char *name;        /* "bifrost" */
    unsigned register_count; /* word slots of the description's lane registers */
    unsigned unit_count;
    const struct gpu_unit *unit[GPU_MAX_UNITS];

    /* Takes a clause out of `available` bytes of code; false: no valid clause. `address` is not
     * looked at by it, only kept. */
    bool (*unpack)(const uint8_t *code, size_t available, uint64_t address, struct gpu_clause *out);

    /* The description's exported helpers, all pure. */
    uint64_t (*operand_place)(uint32_t unit, uint32_t selector, uint64_t block, uint32_t first);
    uint32_t (*result_place)(uint32_t unit, uint64_t next_block, uint32_t last);
    uint32_t (*embedded_constant)(uint64_t raw, uint32_t modifier, uint32_t low_bits, uint32_t high,
                                  uint64_t address);
    uint32_t (*clause_flags)(uint64_t header);
    uint32_t (*clause_staging)(uint64_t header); /* first staging register */
    uint32_t (*preload)(uint32_t what);          /* enum gpu_preload */

    /* Text of a whole clause, header line and braces, as Mesa prints it. `index` is the number of
     * the 16-byte word it begins at, from the shader's first. Returns the bytes it takes, 0 when it
     * is no valid clause. */
    size_t (*disasm_clause)(const uint8_t *code, size_t available, unsigned index,
                            struct asm_out *out);
};

/* ---- running --------------------------------------------------------------------------------- */

/* Slots behind the description's registers, from gpu_isa.register_count. */
enum gpu_slot {
    GPU_SLOT_ACTIVE,                                        /* ~0 in active lanes, else 0 */
    GPU_SLOT_SCRATCH,                                       /* results nobody reads */
    GPU_SLOT_RESULT,                                        /* results of units, two tuples */
    GPU_SLOT_SPECIAL = GPU_SLOT_RESULT + 2 * GPU_MAX_UNITS, /* enum gpu_special */
    GPU_SLOT_POOL = GPU_SLOT_SPECIAL + GPU_SPECIAL_COUNT,
};

/* Why a warp does not go on at the next clause. */
enum gpu_warp_wait { GPU_WARP_RUNS, GPU_WARP_BARRIER, GPU_WARP_ENDED };

struct gpu_warp {
    struct gpu_core *core;   /* host thread's context: memory, shader, counters */
    struct gpu_group *group; /* its work-group */
    unsigned lanes;          /* of a warp: a multiple of GPU_LANE_CHUNK */
    uint32_t active;         /* bit a lane that executes this clause */
    uint32_t live;           /* bit a lane that has not ended */
    uint32_t branched;       /* bit a lane whose `target` was set in this clause */
    uint32_t ended;          /* bit a lane that ended in this clause (discard, end) */
    uint32_t faulted;        /* an instruction faulted: enum gpu_shader_fault, 0 none */
    enum gpu_warp_wait wait;
    uint64_t address;               /* of the running clause */
    uint64_t target[GPU_MAX_LANES]; /* where a lane that branched goes on */
    uint64_t pc[GPU_MAX_LANES];     /* where each live lane goes on */
    uint64_t tls[GPU_MAX_LANES];    /* thread-local storage of each lane */
    uint32_t index;                 /* of the warp in its group */
    uint32_t pool;                  /* words of the constant pool that are in its slots */
    uint64_t pool_job;              /* number of the job that they belong to */
    _Alignas(64) uint8_t state[];
};

enum gpu_shader_fault {
    GPU_FAULT_NONE,
    GPU_FAULT_UNIMPLEMENTED, /* `raise` in a behaviour */
    GPU_FAULT_ENCODING,      /* no valid clause, word or operand */
    GPU_FAULT_MEMORY,        /* a page fault that the driver did not mend */
    GPU_FAULT_PC,            /* execution left mapped code */
};

#endif
