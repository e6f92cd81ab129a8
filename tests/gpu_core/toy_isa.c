/* The toy shader ISA: unpacking of bundles and the handlers of its operations. */

#include "tests/gpu_core/toy_isa.h"

#include <string.h>

#include "runtime/gpu/ends.h"
#include "runtime/gpu/lane.h"

enum { FLAGS_SHIFT = 8, DESTINATION_SHIFT = 32, HALVES_SHIFT = 48 };

void (*toy_dump)(const struct gpu_warp *w);

/* ---- making bundles -------------------------------------------------------------------------- */

void toy_read(struct toy_bundle *c, unsigned stage, unsigned selector, unsigned reg)
{
    c->block[stage] &= ~(UINT64_C(0xff) << 8 * selector);
    c->block[stage] |= (uint64_t)reg << 8 * selector;
}

void toy_write(struct toy_bundle *c, unsigned stage, unsigned unit, unsigned reg, unsigned halves)
{
    uint64_t *block = &c->block[stage + 1 == c->stages ? 0 : stage + 1];

    *block &= ~(UINT64_C(0xff) << (DESTINATION_SHIFT + 8 * unit));
    *block &= ~(UINT64_C(3) << (HALVES_SHIFT + 2 * unit));
    *block |= (uint64_t)reg << (DESTINATION_SHIFT + 8 * unit);
    *block |= (uint64_t)halves << (HALVES_SHIFT + 2 * unit);
}

static size_t bundle_bytes(unsigned stages, unsigned constants)
{
    return (8 + 16 * (size_t)stages + 8 * (size_t)constants + 15) & ~(size_t)15;
}

size_t toy_pack(const struct toy_bundle *c, uint8_t *to)
{
    uint64_t header = c->stages | c->constants << 4 | c->flags << FLAGS_SHIFT;
    uint8_t *at = to + 8;

    memset(to, 0, bundle_bytes(c->stages, c->constants));
    memcpy(to, &header, 8);
    for (unsigned t = 0; t < c->stages; t++, at += 16) {
        memcpy(at, &c->block[t], 8);
        memcpy(at + 8, c->word[t], 8);
    }
    memcpy(at, c->constant, 8 * (size_t)c->constants);
    return bundle_bytes(c->stages, c->constants);
}

static bool unpack_bundle(const uint8_t *code, size_t available, uint64_t address,
                          struct gpu_bundle *out)
{
    uint64_t header;

    if (available < 16)
        return false;
    memcpy(&header, code, 8);
    *out = (struct gpu_bundle){
        .header = header, .address = address, .stages = header & 15, .constants = header >> 4 & 15};
    out->bytes = (unsigned)bundle_bytes(out->stages, out->constants);
    if (!out->stages || out->stages > TOY_MAX_STAGES || out->constants > GPU_MAX_CONSTANTS ||
        out->bytes > available)
        return false;
    code += 8;
    for (unsigned t = 0; t < out->stages; t++, code += 16) {
        memcpy(&out->stage[t].block, code, 8);
        out->stage[t].present = 3;
        for (unsigned u = 0; u < 2; u++) {
            uint32_t word;

            memcpy(&word, code + 8 + 4 * u, 4);
            out->stage[t].word[u] = word;
        }
    }
    memcpy(out->constant, code, 8 * (size_t)out->constants);
    return true;
}

/* ---- helpers of the description -------------------------------------------------------------- */

static uint64_t make_place(enum gpu_place_kind kind, uint32_t value)
{
    return (uint64_t)kind << 32 | value;
}

static uint64_t operand_place(const struct gpu_bundle *b, const struct gpu_at *at,
                              uint32_t selector)
{
    uint64_t block = b->stage[at->stage].block;

    switch (selector) {
    case TOY_SAME:
        return make_place(GPU_PLACE_SAME, 0);
    case TOY_PREVIOUS_0:
        return make_place(GPU_PLACE_PREVIOUS, 0);
    case TOY_PREVIOUS_1:
        return make_place(GPU_PLACE_PREVIOUS, 1);
    case TOY_ZERO:
        return make_place(GPU_PLACE_VALUE, 0);
    case TOY_UNIFORM_0:
        return make_place(GPU_PLACE_UNIFORM, 0);
    case TOY_UNIFORM_1:
        return make_place(GPU_PLACE_UNIFORM, 1);
    case TOY_CONSTANT_0:
        return make_place(GPU_PLACE_CONSTANT, 0);
    case TOY_CONSTANT_1:
        return make_place(GPU_PLACE_CONSTANT, 1);
    case TOY_LANE_ID:
        return make_place(GPU_PLACE_SPECIAL, GPU_SPECIAL_LANE_ID);
    default:
        return selector < 4 ? make_place(GPU_PLACE_REGISTER, block >> 8 * selector & 0xff) : 0;
    }
}

static uint64_t result_place(const struct gpu_bundle *b, const struct gpu_at *at, uint32_t selector)
{
    uint64_t next = b->stage[at->stage + 1 < b->stages ? at->stage + 1 : 0].block;
    uint32_t halves = next >> (HALVES_SHIFT + 2 * at->unit) & 3;
    uint32_t bytes = (halves & 1 ? 3 : 0) | (halves & 2 ? 12 : 0);

    (void)selector;
    return make_place(GPU_PLACE_REGISTER,
                      (uint32_t)(next >> (DESTINATION_SHIFT + 8 * at->unit) & 0xff) |
                          bytes << GPU_RESULT_BYTES_SHIFT);
}

static uint32_t staging_place(const struct gpu_bundle *b, const struct gpu_at *at,
                              uint32_t selector)
{
    (void)b;
    (void)at;
    return selector;
}

static uint32_t constant_value(uint64_t raw, uint32_t modifier, uint32_t where, uint64_t address)
{
    (void)modifier;
    (void)address;
    return (uint32_t)(where >> 16 ? raw >> 32 : raw);
}

static uint32_t bundle_flags(const struct gpu_bundle *b)
{
    return b->header >> FLAGS_SHIFT & 0xff;
}

static uint32_t bundle_staging(const struct gpu_bundle *b)
{
    return b->header >> 16 & 0xff;
}

static uint32_t preload_register(uint32_t what)
{
    return what == GPU_PRELOAD_LOCAL_ID_XY   ? 8
           : what == GPU_PRELOAD_GROUP_ID_X  ? 9
           : what == GPU_PRELOAD_GLOBAL_ID_X ? 10
                                             : 255;
}

/* ---- operations ------------------------------------------------------------------------------ */

struct toy_operands {
    struct gpu_op op;
    uint16_t source[2];
    int16_t immediate;
    uint16_t unused;
};

static const struct toy_operands *operands_of(const struct gpu_op *op)
{
    return (const void *)op;
}

/* Executes `statement` for each active lane; in it a and b are the sources, r the result. */
#define LANES(statement)                                    \
    do {                                                    \
        const struct toy_operands *o = operands_of(op);     \
        const uint32_t *a_ = GPU_SLOT(w, o->source[0]);     \
        const uint32_t *b_ = GPU_SLOT(w, o->source[1]);     \
        uint32_t *r_ = GPU_SLOT(w, op->result);             \
                                                            \
        for (unsigned l = 0; l < w->lanes; l++)             \
            if (w->active >> l & 1) {                       \
                uint32_t a = a_[l], b = b_[l], *r = &r_[l]; \
                int32_t imm = o->immediate;                 \
                                                            \
                (void)a, (void)b, (void)r, (void)imm;       \
                statement;                                  \
            }                                               \
        GPU_NEXT(w, op);                                    \
    } while (0)

#define HANDLER(name, statement)                                         \
    static void exec_##name(struct gpu_warp *w, const struct gpu_op *op) \
    {                                                                    \
        LANES(statement);                                                \
    }

HANDLER(add, *r = a + b + (uint32_t)imm)
HANDLER(branch, if (a) gpu_branch(w, l, w->address + (uint64_t)(imm * 16)))
HANDLER(end, if (a) gpu_end_lane(w, l))
HANDLER(barrier, gpu_barrier(w))
HANDLER(atomic, *r = gpu_atomic32(w, op, l, GPU_ATOMIC_ADD, a, b))
HANDLER(load, *r = gpu_read32(w, op, l, a))
HANDLER(store, gpu_write32(w, op, l, a, b))
HANDLER(raise, gpu_refuse(w, op, NULL))
HANDLER(nop, )
HANDLER(local, *r = (uint32_t)gpu_local_base(w))
HANDLER(thread, *r = (uint32_t)gpu_thread_base(w, l))
HANDLER(uniform, *r = (uint32_t)gpu_uniform_buffer(w, a, b, 4))

static void exec_dump(struct gpu_warp *w, const struct gpu_op *op)
{
    toy_dump(w);
    GPU_NEXT(w, op);
}

static const struct gpu_form forms[] = {
    [TOY_NOP] = {"NOP", "nop", "NOP"},
    [TOY_ADD] = {"ADD", "arithmetic", "ADD"},
    [TOY_BRANCH] = {"BRANCH", "control", "BRANCH"},
    [TOY_END] = {"END", "control", "END"},
    [TOY_BARRIER] = {"BARRIER", "control", "BARRIER"},
    [TOY_ATOMIC] = {"ATOMIC", "load_store", "ATOMIC"},
    [TOY_LOAD] = {"LOAD", "load_store", "LOAD"},
    [TOY_STORE] = {"STORE", "load_store", "STORE"},
    [TOY_RAISE] = {"RAISE", "arithmetic", "RAISE"},
    [TOY_DUMP] = {"DUMP", "arithmetic", "DUMP"},
    [TOY_LOCAL] = {"LOCAL", "arithmetic", "LOCAL"},
    [TOY_THREAD] = {"THREAD", "arithmetic", "THREAD"},
    [TOY_UNIFORM] = {"UNIFORM", "arithmetic", "UNIFORM"},
};

static gpu_handler *const handlers[] = {
    exec_nop,   exec_add,   exec_branch, exec_end,   exec_barrier, exec_atomic,  exec_load,
    exec_store, exec_raise, exec_dump,   exec_local, exec_thread,  exec_uniform,
};

/* Returns the number of sources of an operation. */
static unsigned source_count(unsigned op)
{
    switch (op) {
    case TOY_ADD:
    case TOY_ATOMIC:
    case TOY_STORE:
    case TOY_UNIFORM:
        return 2;
    case TOY_BRANCH:
    case TOY_END:
    case TOY_LOAD:
        return 1;
    default:
        return 0;
    }
}

static void tell_end(struct gpu_decode *d, uint32_t word)
{
    if (word >> 16 == TOY_ENDS)
        gpu_decode_ends(d, true);
    else if (word >> 16 == TOY_ENDS_AT_ZERO)
        gpu_decode_ends_at_zero(d, word >> 8 & 15);
}

static bool decode_op(struct gpu_decode *d, gpu_word whole, struct gpu_op *op)
{
    const uint32_t word = (uint32_t)whole;
    struct toy_operands *o = (void *)op;
    unsigned which = word & 15;

    if (which >= TOY_OPS)
        return false;
    op->exec = handlers[which];
    op->form = (uint16_t)which;
    op->bytes = sizeof(*o);
    o->source[0] = source_count(which) > 0 ? gpu_decode_source(d, word >> 4 & 15) : 0;
    o->source[1] = source_count(which) > 1 ? gpu_decode_source(d, word >> 8 & 15) : 0;
    o->immediate = (int16_t)(word >> 16);
    if (which == TOY_END)
        tell_end(d, word);
    return true;
}

static const struct gpu_unit unit = {
    .name = "toy",
    .forms = forms,
    .form_count = TOY_OPS,
    .op_bytes = sizeof(struct toy_operands),
    .decode = decode_op,
};

const struct gpu_isa toy_isa = {
    .name = "toy",
    .bundle_name = "bundle",
    .stage_name = "stage",
    .register_count = TOY_REGISTERS,
    .work_registers = TOY_REGISTERS,
    .register_slots = 1,
    .grain_bytes = 16,
    .max_bytes = 256,
    .parts = 1,
    .results_after = 1,
    .unit_count = 2,
    .unit = {&unit, &unit},
    .unpack = unpack_bundle,
    .operand_place = operand_place,
    .result_place = result_place,
    .staging_place = staging_place,
    .constant_value = constant_value,
    .bundle_flags = bundle_flags,
    .bundle_staging = bundle_staging,
    .preload = preload_register,
};
