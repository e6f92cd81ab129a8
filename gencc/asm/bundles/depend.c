/*
 * Which words of a bundle read registers that other words write. The behaviours of the description
 * are run to find out.
 */
#include "common/prelude/lane.h"
#include "gencc/asm/bundles/internal.h"

#include <string.h>

enum {
    PLACE_ARGS = 16,
    MAX_STEPS = 100000,
    REGISTERS = 1024, /* distinct register words */
    KIND_LSB = 32,    /* bit of a place at which its kind begins */
};

/* A set of registers: one bit per word. */
struct registers {
    uint64_t bits[REGISTERS / 64];
};

/* Context of a behaviour that is run for its reads. */
struct reader {
    struct text_bundle *tc;
    const struct ir_func *place;
    struct registers *read_registers;
    bool lacks_operation; /* the behaviour ends without a result: the unit lacks the operation */
};

uint64_t bundle_place_of(struct text_bundle *tc, const struct ir_func *helper, uint64_t selector)
{
    struct ir_data args[PLACE_ARGS] = {0}, place;

    for (unsigned i = 0; i < helper->params.len && i < PLACE_ARGS; i++) {
        const char *name = helper->param_names.data[i];

        args[i].lane[0] = !strcmp(name, "unit")       ? tc->at_unit
                          : !strcmp(name, "stage")    ? tc->stage
                          : !strcmp(name, "stages")   ? tc->bits.stages
                          : !strcmp(name, "selector") ? selector
                          : !strcmp(name, "block")    ? tc->bits.block[tc->stage]
                                                      : 0;
    }
    return ir_eval(&tc->text->machine, helper, args, &place) == IR_DONE ? (uint64_t)place.lane[0]
                                                                        : 0;
}

static void add_place(struct registers *to, uint64_t place)
{
    uint64_t slot = place & UINT16_MAX;

    if (place >> KIND_LSB == GPU_PLACE_REGISTER && slot < REGISTERS)
        to->bits[slot / 64] |= (uint64_t)1 << slot % 64;
}

/* Intrinsic callback: records which places a behaviour reads. All values read are 0. */
static bool note_source(void *opaque, const struct ir_callee *fn, const char *text,
                        const struct ir_data *args, struct ir_data *results)
{
    struct reader *r = opaque;

    (void)text;
    memset(results[0].lane, 0, sizeof(results[0].lane));
    if (fn->intrinsic == IR_I_READ_SOURCE || fn->intrinsic == IR_I_READ_SOURCE_LANE)
        add_place(r->read_registers, bundle_place_of(r->tc, r->place, (uint64_t)args[0].lane[0]));
    r->lacks_operation |= (fn->flags & IR_FN_NORETURN) != 0;
    return !(fn->flags & IR_FN_NORETURN);
}

static uint64_t field_of(const struct text *t, const struct form *form, const char *name, u128 word,
                         uint64_t usual)
{
    const struct field *f = format_field(form->instr->format, name);

    if (!f)
        return usual;
    return (uint64_t)(f->computed ? t->fields[f->index] : field_extract(f, word));
}

/* Adds the reads and writes of one of a word's operations. False if the unit cannot execute it. */
static bool add_part(struct bundle_asm *ba, struct form *form, u128 word, struct registers *read,
                     struct registers *written)
{
    struct text *t = bundle_unit_text(ba);
    struct reader r = {ba->tc, bundle_helper_of(ba->t->isa, "operand_place"), read, false};
    const struct ir_func *result_of = bundle_helper_of(ba->t->isa, "result_place");
    const struct ir_func *exec;
    struct ir_machine m = t->machine;
    struct ir_data none;
    uint64_t place;

    if (!text_run_decode(t, form, word))
        return true;
    place =
        result_of ? bundle_place_of(ba->tc, result_of, field_of(t, form, "result", word, 0)) : 0;
    if (place >> GPU_RESULT_BYTES_SHIFT & GPU_RESULT_BYTES)
        add_place(written, place);
    m.opaque = &r;
    m.word = word;
    m.fields = t->fields;
    m.state = ba->state;
    m.max_steps = MAX_STEPS;
    m.intrinsic = note_source;
    exec = r.place ? lower_exec(form) : NULL;
    if (exec)
        ir_eval(&m, exec, NULL, &none);
    return !r.lacks_operation;
}

/* The reads and writes of a placed line's word. False if its unit cannot execute it. */
static bool registers_of(struct bundle_asm *ba, unsigned line, struct registers *read,
                         struct registers *written)
{
    struct text_bundle *tc = ba->tc;
    const struct bundle_unit *u = &ba->c->units.data[ba->slot_unit[line]];
    u128 word = tc->bits.word[ba->slot_stage[line]][ba->slot_unit[line]];
    struct form *form;
    uint64_t parts;
    bool can = true;

    tc->stage = ba->slot_stage[line];
    tc->at_unit = ba->slot_unit[line];
    form = text_decode(bundle_unit_text(ba), word, u->bits);
    if (!form)
        return true;
    parts = field_of(bundle_unit_text(ba), form, "parts", word, 1);
    for (unsigned i = 0; i < 1u << PART_BITS; i++)
        if (parts >> i & 1)
            can &= add_part(ba, form, word | (u128)i << PART_LSB, read, written);
    return can;
}

bool bundle_suits_badly(struct bundle_asm *ba, unsigned line)
{
    struct text_bundle *tc = ba->tc;
    unsigned stage = tc->stage, unit = tc->at_unit;
    struct registers read = {{0}}, written = {{0}}, other = {{0}};
    bool found = false;

    if (!ba->state)
        ba->state = arena_alloc(ba->t->arena, ba->t->isa->model->state_bytes);
    for (unsigned i = 0; i < line; i++)
        if (ba->slot_stage[i] + ba->c->results_after >= ba->slot_stage[line])
            registers_of(ba, i, &other, &written);
    found = !registers_of(ba, line, &read, &other);
    for (unsigned i = 0; i < REGISTERS / 64; i++)
        found |= (read.bits[i] & written.bits[i]) != 0;
    tc->stage = stage;
    tc->at_unit = unit;
    return found;
}
