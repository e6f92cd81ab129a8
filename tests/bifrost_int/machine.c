/*
 * The machine that runs one instruction word: its slots, its memory, and the functions that
 * generated lane code calls.
 */

#include "tests/bifrost_int/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/asm_text.h"
#include "runtime/gpu/ends.h"
#include "runtime/gpu/features.h"
#include "runtime/gpu/graphics/unit.h"
#include "runtime/gpu/lane.h"
#include "runtime/gpu/lane_memory.h"
#include "runtime/gpu/translate/build.h"

enum {
    SLOTS = 65 + GPU_SLOT_RESULT, /* the description's registers and the engine's slots */
    REGISTERS = 65,
    ENOUGH_REFUSALS = 5000, /* refused words of a form, after which its others are not tried */
};

/* The only machine: lane functions get a warp, from which the machine cannot be found. */
static struct machine *the_machine;

struct gpu_decode {
    unsigned lanes;
};

struct machine *machine_new(unsigned width)
{
    unsigned lanes = (width + GPU_LANE_CHUNK - 1) / GPU_LANE_CHUNK * GPU_LANE_CHUNK;
    struct machine *m = calloc(1, sizeof(*m));
    size_t bytes = sizeof(struct gpu_warp) + SLOTS * lanes * sizeof(uint32_t);
    struct gpu_core *core = aligned_alloc(_Alignof(struct gpu_core), sizeof(*core));

    bytes = (bytes + 63) / 64 * 64;
    m->w = aligned_alloc(64, bytes);
    memset(m->w, 0, bytes);
    gpu_warp_shape(m->w, lanes, width);
    memset(core, 0, sizeof(*core));
    m->w->core = core;
    m->w->address = MACHINE_CLAUSE;
    for (unsigned i = 0; i < GPU_TLB_ENTRIES; i++) {
        gpu_tlb_empty(&core->read[i]);
        gpu_tlb_empty(&core->write[i]);
    }
    for (unsigned i = 0; i < GPU_TLB_ATOMIC_ENTRIES; i++)
        gpu_tlb_empty(&core->atomic[i]);
    core->local_base = MACHINE_LOCAL;
    for (unsigned l = 0; l < lanes; l++)
        m->w->tls[l] = MACHINE_THREAD + 64 * l;
    m->op = calloc(1, sizeof(*m->op) + GPU_MAX_OPERANDS);
    the_machine = m;
    machine_set_active(m, ~UINT32_C(0));
    return m;
}

void machine_free(struct machine *m)
{
    the_machine = NULL;
    free(m->w->core);
    free(m->w);
    free(m->op);
    free(m);
}

uint32_t *machine_slot(struct machine *m, unsigned slot, unsigned lane)
{
    return (uint32_t *)(void *)m->w->state + slot * m->w->lanes + lane;
}

void machine_set_active(struct machine *m, uint32_t lanes)
{
    m->w->active = lanes & m->w->full;
    for (unsigned l = 0; l < m->w->lanes; l++)
        *machine_slot(m, REGISTERS + GPU_SLOT_ACTIVE, l) = m->w->active >> l & 1 ? ~UINT32_C(0) : 0;
}

bool machine_decode(struct machine *m, const struct gpu_unit *unit, uint32_t word)
{
    struct gpu_decode d = {m->w->lanes};
    size_t row = m->w->lanes * sizeof(uint32_t);

    m->word = word;
    memset(m->op, 0, sizeof(*m->op) + GPU_MAX_OPERANDS);
    m->op->result = (uint16_t)(MACHINE_RESULT * row);
    m->op->staging = (uint16_t)(MACHINE_STAGING * row);
    m->op->last = 1;
    return unit->decode(&d, word, m->op);
}

void machine_run(struct machine *m)
{
    m->w->branched = m->w->ended = m->w->faulted = 0;
    m->w->wait = GPU_WARP_RUNS;
    m->bad_access = false;
    m->op->exec(m->w, m->op);
}

uint32_t machine_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 32);
}

/* ---- words ----------------------------------------------------------------------------------- */

extern const struct gpu_unit bifrost_fma_unit, bifrost_add_unit;

const struct machine_unit machine_fma = {
    &bifrost_fma_unit, 23, {"s0", "s1", "s2", "#0", "fau.x", "fau.y", "t0", "t1"}};
const struct machine_unit machine_add = {
    &bifrost_add_unit, 20, {"s0", "s1", "s2", "t", "fau.x", "fau.y", "t0", "t1"}};

unsigned machine_source(const struct machine_unit *u, const char *name)
{
    for (unsigned s = 0; s < 8; s++)
        if (!strcmp(u->sources[s], name))
            return MACHINE_SOURCES + s;
    fail_msg("no source '%s'", name);
    return 0;
}

unsigned machine_each_word(struct machine *m, const struct machine_unit *u, unsigned runs,
                           uint64_t seed, machine_check *check)
{
    unsigned *done = calloc(u->unit->form_count, sizeof(*done));
    unsigned *refused = calloc(u->unit->form_count, sizeof(*refused));
    uint32_t words = UINT32_C(1) << u->word_bits;
    unsigned forms = 0;

    for (uint32_t i = 0; i < words; i++) {
        uint32_t word = i * UINT32_C(0x9e3779b1) % words;
        char text[128] = "";
        struct asm_out out = {.text = text, .size = sizeof(text)};

        if (!machine_decode(m, u->unit, word) || done[m->op->form] >= runs ||
            refused[m->op->form] >= ENOUGH_REFUSALS)
            continue;
        assert_true(u->unit->disasm(word, 0, &out));
        if (check(m, u, text, &seed))
            forms += done[m->op->form]++ == 0;
        else
            refused[m->op->form]++;
    }
    free(done);
    free(refused);
    return forms;
}

/* ---- what an engine gives decoders ----------------------------------------------------------- */

uint16_t gpu_decode_source(struct gpu_decode *d, uint32_t selector)
{
    return (uint16_t)((MACHINE_SOURCES + selector) * d->lanes * sizeof(uint32_t));
}

bool gpu_decode_has(struct gpu_decode *d, const char *feature)
{
    (void)d, (void)feature;
    return true;
}

uint64_t gpu_decode_header(const struct gpu_decode *d)
{
    (void)d;
    return the_machine->header;
}

uint64_t gpu_decode_address(const struct gpu_decode *d)
{
    (void)d;
    return MACHINE_CLAUSE;
}

void gpu_decode_ends_at_zero(struct gpu_decode *d, uint32_t selector)
{
    (void)d, (void)selector;
}

/* ---- what it gives translators: they are linked, but not called here ------------------------- */

jit_value lanes_atomic(struct jit_build *j, unsigned bits, unsigned kind, jit_value address,
                       jit_value value)
{
    (void)j, (void)bits, (void)kind, (void)address;
    return value;
}

jit_value lanes_cmpxchg(struct jit_build *j, unsigned bits, jit_value address, jit_value expected,
                        jit_value value)
{
    (void)j, (void)bits, (void)address, (void)expected;
    return value;
}

/* ---- what it gives handlers ------------------------------------------------------------------ */

static uint8_t *host_address(uint64_t va, unsigned bytes)
{
    if (va >= MACHINE_BASE && va - MACHINE_BASE <= MACHINE_MEMORY - bytes)
        return the_machine->memory + (va - MACHINE_BASE);
    the_machine->bad_access = true;
    return NULL;
}

uint64_t gpu_slow_read(struct gpu_warp *w, uint64_t va, unsigned bytes)
{
    const uint8_t *p = host_address(va, bytes);
    uint64_t v = 0;

    (void)w;
    if (p)
        memcpy(&v, p, bytes);
    return v;
}

void gpu_slow_write(struct gpu_warp *w, uint64_t va, uint64_t v, unsigned bytes)
{
    uint8_t *p = host_address(va, bytes);

    (void)w;
    if (p)
        memcpy(p, &v, bytes);
}

uint8_t *gpu_slow_atomic(struct gpu_warp *w, uint64_t va)
{
    (void)w;
    return host_address(va, 8);
}

/* Uniform buffer 3 is the first 256 bytes of the memory; there is no other. */
uint64_t gpu_uniform_buffer(const struct gpu_warp *w, uint32_t index, uint32_t offset,
                            uint32_t bytes)
{
    (void)w;
    return index == 3 && offset <= 256 - bytes ? MACHINE_BASE + offset : 0;
}

/* Attributes 0 to 9 have 64 bytes per vertex and 16 per instance. */
uint64_t gpu_attribute_address(const struct gpu_warp *w, uint32_t index, uint32_t vertex,
                               uint32_t instance)
{
    (void)w;
    index &= ~GPU_ATTRIBUTE_VARYING;
    return index < 10 ? MACHINE_BASE + UINT64_C(64) * vertex + 16 * instance : 0;
}

uint32_t gpu_attribute_format(const struct gpu_warp *w, uint32_t index)
{
    (void)w;
    return 0xffc00000 | (0x1000 + (index & ~GPU_ATTRIBUTE_VARYING));
}

uint64_t gpu_image_address(const struct gpu_warp *w, uint32_t index, uint32_t xy, uint32_t zw)
{
    (void)w;
    return index < 10 ? MACHINE_BASE + UINT64_C(64) * (xy & 0xffff) + (zw & 0xffff) : 0;
}

uint32_t gpu_pixel_load(struct gpu_warp *w, const struct gpu_op *op, unsigned lane, uint64_t va,
                        uint32_t format, uint32_t register_format, uint32_t component)
{
    (void)w;
    (void)op;
    (void)lane;
    return va ? (uint32_t)va * 31 + format * 7 + register_format * 5 + component : 0;
}

/* Graphics are tested in tests/graphics. A request other than DISCARD does nothing. */
void gpu_graphics_operand(struct gpu_warp *w, uint32_t which, uint32_t value)
{
    (void)w;
    (void)which;
    (void)value;
}

void gpu_graphics_request(struct gpu_warp *w, const struct gpu_op *op, unsigned lane,
                          uint32_t operation)
{
    (void)op;
    if (operation == GPU_GRAPHICS_DISCARD)
        gpu_end_lane(w, lane);
}

uint32_t gpu_graphics_result(const struct gpu_warp *w, uint32_t k)
{
    (void)w;
    (void)k;
    return 0;
}

/* Textures are tested in tests/texture. */
void gpu_texture_operand(struct gpu_warp *w, uint32_t which, uint32_t value)
{
    (void)w;
    (void)which;
    (void)value;
}

void gpu_texture_request(struct gpu_warp *w, const struct gpu_op *op, unsigned lane,
                         uint32_t operation)
{
    (void)w;
    (void)op;
    (void)lane;
    (void)operation;
}

uint32_t gpu_texture_result(const struct gpu_warp *w, uint32_t k)
{
    (void)w;
    return k;
}

void gpu_pixel_store(struct gpu_warp *w, const struct gpu_op *op, unsigned lane, uint64_t va,
                     uint32_t format, uint32_t register_format, uint32_t count, uint32_t c0,
                     uint32_t c1, uint32_t c2, uint32_t c3)
{
    const uint32_t c[4] = {c0, c1, c2, c3};

    (void)w;
    (void)op;
    (void)lane;
    (void)va;
    memcpy(the_machine->texel, c, sizeof(c));
    the_machine->texel_format = format;
    the_machine->texel_register_format = register_format;
    the_machine->texel_count = count;
}
