/*
 * Decodes a bundle to a list of operations.
 *
 * In the machine, the results of a stage reach registers when the stage has read its sources, or,
 * where the description says `results after 1`, when the next stage has. Until then a result is
 * available as a temporary only. Here a result goes directly to its register if no operation can
 * observe the difference, and readers of the temporary read the register. Otherwise the result goes
 * to a slot of its own, and a copy moves it in time.
 *
 * The decoder passes twice over a bundle: the first pass finds the readers of each result, the
 * second makes operations.
 *
 * Bounds      a bundle: GPU_MAX_STAGES stages of GPU_MAX_UNITS words, GPU_MAX_PARTS operations
 * each;
 *             GPU_POOL_SLOTS words of the shader's pool
 */
#include "runtime/gpu/shader/core.h"

#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/gpu/ends.h"
#include "runtime/gpu/features.h"
#include "runtime/gpu/shader/visit.h"
#include "runtime/gpu/variant.h"

/* ---- operations of the engine itself --------------------------------------------------------- */

/* Copies a result to a register, or its bits in `mask`. */
struct move_op {
    struct gpu_op op;
    uint32_t mask;
    uint16_t to, from;
    uint16_t active; /* slot with the mask of active lanes */
};

/* Fills a slot with a constant or a uniform. */
struct fill_op {
    struct gpu_op op;
    uint16_t to;
    uint16_t uniform;
    uint32_t value;
};

static inline void next_op(struct gpu_warp *w, const struct gpu_op *op)
{
    const struct gpu_op *next;

    if (op->last)
        return;
    next = (const struct gpu_op *)(const void *)((const uint8_t *)op + op->bytes);
    next->exec(w, next);
}

static uint32_t *state_at(struct gpu_warp *w, uint16_t offset)
{
    return (uint32_t *)(void *)(w->state + offset);
}

typedef uint32_t lane_chunk __attribute__((vector_size(4 * GPU_LANE_CHUNK), may_alias));

static void exec_move(struct gpu_warp *w, const struct gpu_op *op)
{
    const struct move_op *m = (const struct move_op *)(const void *)op;
    const lane_chunk *active = (const lane_chunk *)(const void *)(w->state + m->active);
    const lane_chunk *from = (const lane_chunk *)(const void *)(w->state + m->from);
    lane_chunk *to = (lane_chunk *)(void *)(w->state + m->to);
    unsigned chunks = w->lanes / GPU_LANE_CHUNK;

    for (unsigned i = 0; i < chunks; i++)
        to[i] ^= (to[i] ^ from[i]) & active[i] & m->mask;
    next_op(w, op);
}

static void exec_fill(struct gpu_warp *w, const struct gpu_op *op)
{
    const struct fill_op *f = (const struct fill_op *)(const void *)op;
    uint32_t *to = state_at(w, f->to);
    uint32_t v = f->uniform < GPU_UNIFORM_WORDS
                     ? w->core->worker->cores->job->job.uniform[f->uniform]
                     : f->value;

    for (unsigned l = 0; l < w->lanes; l++)
        to[l] = v;
    next_op(w, op);
}

static void exec_nothing(struct gpu_warp *w, const struct gpu_op *op)
{
    next_op(w, op);
}

static void exec_invalid(struct gpu_warp *w, const struct gpu_op *op)
{
    (void)op;
    w->faulted = GPU_FAULT_ENCODING;
}

/* ---- decoding -------------------------------------------------------------------------------- */

/* A set of results of a stage: bit unit * GPU_MAX_PARTS + part. */
struct results {
    uint64_t bits[GPU_MAX_UNITS * GPU_MAX_PARTS / 64];
};

/* An operation to be made, with the findings of the first pass. */
struct step {
    uint64_t registers[GPU_MAX_REGISTERS / 64]; /* registers that it reads */
    struct results previous;                    /* results of the previous stage that it reads */
    uint8_t stage, unit, part;
    uint8_t klass; /* enum gpu_form_class */
    /* The result of the operation: */
    uint16_t destination;
    uint8_t bytes; /* mask of the written bytes of the register; 0: no register */
    bool direct;   /* the result is written to the register and not to a temporary */
};

struct gpu_decode {
    const struct gpu_decoder *decoder;
    struct gpu_shader *shader;
    const struct gpu_bundle *bundle;
    struct gpu_profile *profile;
    struct step *steps; /* in order of execution */
    unsigned step_count, step_capacity;
    /* index of each stage's first step, then the number of steps */
    unsigned first[GPU_MAX_STAGES + 1];
    struct step *step;                              /* step that is being decoded */
    uint32_t selector;                              /* selector of its result */
    uint16_t words[GPU_MAX_STAGES * GPU_MAX_UNITS]; /* numbers of the instructions (mix.h) */
    unsigned word_count;
    unsigned ends; /* instructions that end lanes */
    uint32_t flags;
    uint16_t staging;
    bool first_pass;
    bool invalid;
    const char *missing; /* required feature that the GPU lacks; NULL: none */
    /* Words for which the pool has no room. */
    struct gpu_pool_word spill[GPU_SPILL_SLOTS];
    unsigned spill_count;
    gpu_visitor *visit; /* receives the operations; may be NULL */
    void *opaque;
    /* Output: */
    uint8_t *out;
    size_t used, last, capacity;
};

static uint16_t offset_of(const struct gpu_decode *d, unsigned slot)
{
    return gpu_slot_offset(d->decoder->lanes, slot);
}

static uint16_t engine_slot(const struct gpu_decode *d, enum gpu_slot slot, unsigned n)
{
    return offset_of(d, d->decoder->isa->register_count + slot + n);
}

static bool same_word(const struct gpu_pool_word *a, const struct gpu_pool_word *b)
{
    return a->uniform == b->uniform && a->value == b->value;
}

/* The slot of a constant or uniform, allocated at its first use. */
static uint16_t pool_slot(struct gpu_decode *d, struct gpu_pool_word word)
{
    struct gpu_shader *s = d->shader;
    unsigned base = gpu_pool_slot(d->decoder->isa);

    for (unsigned i = 0; i < s->pool_count; i++)
        if (same_word(&s->pool[i], &word))
            return offset_of(d, base + GPU_SPILL_SLOTS + i);
    for (unsigned i = 0; i < d->spill_count; i++)
        if (same_word(&d->spill[i], &word))
            return offset_of(d, base + i);
    if (s->pool_count < d->decoder->pool_slots) {
        s->pool[s->pool_count] = word;
        return offset_of(d, base + GPU_SPILL_SLOTS + s->pool_count++);
    }
    if (d->spill_count == GPU_SPILL_SLOTS) {
        d->invalid = true;
        return offset_of(d, base);
    }
    d->spill[d->spill_count] = word;
    return offset_of(d, base + d->spill_count++);
}

/* ---- results --------------------------------------------------------------------------------- */

static struct step *find_step(const struct gpu_decode *d, unsigned stage, unsigned unit,
                              unsigned part)
{
    if (stage >= d->bundle->stages)
        return NULL;
    for (unsigned i = d->first[stage]; i < d->step_count && d->steps[i].stage == stage; i++)
        if (d->steps[i].unit == unit && d->steps[i].part == part)
            return &d->steps[i];
    return NULL;
}

/* Place of a result for operations that read it as a temporary. The slots of stage -1 are those
 * that the previous bundle may have left. */
static uint16_t result_offset(const struct gpu_decode *d, unsigned stage, unsigned unit,
                              unsigned part)
{
    const struct gpu_isa *isa = d->decoder->isa;
    const struct step *s = d->first_pass ? NULL : find_step(d, stage, unit, part);

    if (s && s->direct)
        return offset_of(d, s->destination);
    return engine_slot(d, GPU_SLOT_RESULT,
                       ((stage & 1) * isa->unit_count + unit) * isa->parts + part);
}

void gpu_decode_result(struct gpu_decode *d, struct gpu_op *op, uint32_t selector)
{
    (void)op;
    d->selector = selector;
}

static struct gpu_at place_of(const struct gpu_decode *d)
{
    return (struct gpu_at){d->step->stage, d->step->unit, d->shader->uniforms, d->decoder->traits};
}

void gpu_decode_staging(struct gpu_decode *d, struct gpu_op *op, uint32_t selector)
{
    const struct gpu_at at = place_of(d);
    uint32_t number = d->decoder->isa->staging_place(d->bundle, &at, selector);

    if (number >= d->decoder->isa->register_count)
        d->invalid = true;
    else
        op->staging = offset_of(d, number);
}

/* ---- sources --------------------------------------------------------------------------------- */

static uint16_t embedded_constant(struct gpu_decode *d, uint32_t value)
{
    const struct gpu_bundle *b = d->bundle;
    uint32_t index = value & 0xff;
    struct gpu_pool_word word = {0};

    if (index >= b->constants) {
        d->invalid = true;
        return 0;
    }
    word.value =
        d->decoder->isa->constant_value(b->constant[index], b->modifier[index], value, b->address);
    if (d->first_pass)
        d->profile->constant_reads++;
    return pool_slot(d, word);
}

static void name_register(struct gpu_decode *d, unsigned number)
{
    const struct gpu_isa *isa = d->decoder->isa;
    unsigned at = number / isa->register_slots;

    if (at < isa->work_registers && at >= d->profile->registers)
        d->profile->registers = (uint8_t)(at < UINT8_MAX ? at + 1 : at);
}

static uint16_t register_source(struct gpu_decode *d, uint32_t number)
{
    if (number >= d->decoder->isa->register_count) {
        d->invalid = true;
        return 0;
    }
    if (d->first_pass) {
        d->step->registers[number / 64] |= UINT64_C(1) << number % 64;
        name_register(d, number);
        d->profile->register_reads++;
    }
    return offset_of(d, number);
}

static void add_result(struct results *r, unsigned unit, unsigned part)
{
    unsigned n = unit * GPU_MAX_PARTS + part;

    r->bits[n / 64] |= UINT64_C(1) << n % 64;
}

static bool has_result(const struct results *r, unsigned unit, unsigned part)
{
    unsigned n = unit * GPU_MAX_PARTS + part;

    return r->bits[n / 64] >> n % 64 & 1;
}

static uint16_t temporary_source(struct gpu_decode *d, enum gpu_place_kind kind, uint32_t value)
{
    bool same = kind == GPU_PLACE_SAME;
    unsigned unit = value & 0xff, part = value >> 8, stage = d->step->stage;

    if (unit >= d->decoder->isa->unit_count || part >= d->decoder->isa->parts ||
        (same && unit >= d->step->unit)) {
        d->invalid = true;
        return 0;
    }
    if (d->first_pass) {
        d->profile->temporary_reads++;
        if (!same)
            add_result(&d->step->previous, unit, part);
    }
    return result_offset(d, same ? stage : stage - 1, unit, part);
}

uint16_t gpu_decode_source(struct gpu_decode *d, uint32_t selector)
{
    const struct gpu_at at = place_of(d);
    uint64_t place = d->decoder->isa->operand_place(d->bundle, &at, selector);
    uint32_t value = (uint32_t)place;
    enum gpu_place_kind kind = (enum gpu_place_kind)(place >> 32);

    switch (kind) {
    case GPU_PLACE_REGISTER:
        return register_source(d, value);
    case GPU_PLACE_VALUE:
        if (d->first_pass)
            d->profile->constant_reads++;
        return pool_slot(d, (struct gpu_pool_word){false, value});
    case GPU_PLACE_UNIFORM:
        if (value >= GPU_UNIFORM_WORDS)
            break;
        if (d->first_pass)
            d->profile->uniform_reads++;
        return pool_slot(d, (struct gpu_pool_word){true, value});
    case GPU_PLACE_CONSTANT:
        return embedded_constant(d, value);
    case GPU_PLACE_SAME:
    case GPU_PLACE_PREVIOUS:
        return temporary_source(d, kind, value);
    case GPU_PLACE_SPECIAL:
        if (value >= GPU_SPECIAL_COUNT)
            break;
        if (d->first_pass)
            d->profile->special_reads++;
        return engine_slot(d, GPU_SLOT_SPECIAL, value);
    case GPU_PLACE_INVALID:
        break;
    }
    d->invalid = true;
    return 0;
}

uint64_t gpu_decode_header(const struct gpu_decode *d)
{
    return d->bundle->header;
}

uint64_t gpu_decode_address(const struct gpu_decode *d)
{
    return d->bundle->address;
}

uint64_t gpu_decode_end(const struct gpu_decode *d)
{
    return d->bundle->address + d->bundle->bytes;
}

bool gpu_decode_has(struct gpu_decode *d, const char *feature)
{
    bool has = gpu_variant_has(d->decoder->variant, feature);

    if (!has)
        d->missing = feature;
    return has;
}

/* ---- ends of lanes --------------------------------------------------------------------------- */

void gpu_decode_ends(struct gpu_decode *d, bool ends)
{
    d->ends += d->first_pass && ends;
}

/* A constant that depends on an address is left out: it is the target of a branch. */
static bool is_zero(const struct gpu_decode *d, enum gpu_place_kind kind, uint32_t value)
{
    const struct gpu_bundle *b = d->bundle;
    uint32_t index = value & 0xff;

    if (kind == GPU_PLACE_CONSTANT && index < b->constants && !b->modifier[index])
        return !d->decoder->isa->constant_value(b->constant[index], 0, value, b->address);
    return kind == GPU_PLACE_VALUE && !value;
}

void gpu_decode_ends_at_zero(struct gpu_decode *d, uint32_t selector)
{
    const struct gpu_at at = place_of(d);
    uint64_t place = d->decoder->isa->operand_place(d->bundle, &at, selector);

    gpu_decode_ends(d, is_zero(d, (enum gpu_place_kind)(place >> 32), (uint32_t)place));
}

/* ---- first pass: readers and writers of registers and results -------------------------------- */

/* Decodes a step to `op`. false: it is no instruction. */
static bool decode_step(struct gpu_decode *d, struct step *s, struct gpu_op *op)
{
    const struct gpu_unit *unit = d->decoder->isa->unit[s->unit];
    gpu_word word = d->bundle->stage[s->stage].word[s->unit];

    d->step = s;
    d->selector = 0;
    *op = (struct gpu_op){
        .result = result_offset(d, s->stage, s->unit, s->part),
        .staging = d->staging,
        .unit = s->unit,
        .stage = s->stage,
        .flags = (uint8_t)d->flags,
        .parts = 1,
    };
    if (!unit->decode(d, word | (gpu_word)s->part << GPU_PART_SHIFT, op) || d->invalid ||
        op->form >= unit->form_count)
        return false;
    s->klass = d->decoder->classes[s->unit][op->form] & ~(unsigned)GPU_CLASS_IS_BARRIER;
    d->profile->barrier |= d->decoder->classes[s->unit][op->form] & GPU_CLASS_IS_BARRIER;
    return true;
}

/* Finds the register that a result goes to. */
static bool find_destination(struct gpu_decode *d, struct step *s)
{
    const struct gpu_at at = place_of(d);
    uint64_t place = d->decoder->isa->result_place(d->bundle, &at, d->selector);

    s->destination = (uint16_t)place;
    s->bytes = place >> GPU_RESULT_BYTES_SHIFT & GPU_RESULT_BYTES;
    if (place >> 32 == GPU_PLACE_INVALID || !s->bytes) {
        s->bytes = 0;
        return true;
    }
    d->profile->register_writes++;
    name_register(d, s->destination);
    return place >> 32 == GPU_PLACE_REGISTER && s->destination < d->decoder->isa->register_count;
}

static struct step *new_step(struct gpu_decode *d, unsigned stage, unsigned unit, unsigned part)
{
    struct step *s;

    if (d->step_count == d->step_capacity) {
        d->step_capacity = d->step_capacity ? 2 * d->step_capacity : 16;
        d->steps = xrealloc(d->steps, d->step_capacity, sizeof(*d->steps));
    }
    s = &d->steps[d->step_count++];
    *s = (struct step){.stage = (uint8_t)stage, .unit = (uint8_t)unit, .part = (uint8_t)part};
    return s;
}

/* Makes steps of a word's operations. Their number is known when the first is decoded. *klass
 * becomes the class of all of them. */
static bool survey_word(struct gpu_decode *d, unsigned stage, unsigned unit, unsigned *klass)
{
    union {
        struct gpu_op op;
        uint8_t bytes[sizeof(struct gpu_op) + GPU_MAX_OPERANDS];
    } scratch;
    struct gpu_profile before = *d->profile;
    struct step *s = new_step(d, stage, unit, 0);
    unsigned parts;

    if (!decode_step(d, s, &scratch.op))
        return false;
    parts = scratch.op.parts;
    *klass = s->klass;
    if (s->klass != GPU_CLASS_NOP)
        d->words[d->word_count++] = d->decoder->form_base[unit] + scratch.op.form;
    if (parts >> d->decoder->isa->parts)
        return false;
    if (!(parts & 1)) {
        d->step_count--;
        *d->profile = before;
    } else if (!find_destination(d, s)) {
        return false;
    }
    for (parts >>= 1; parts; parts &= parts - 1) {
        s = new_step(d, stage, unit, (unsigned)__builtin_ctz(parts) + 1);
        if (!decode_step(d, s, &scratch.op) || !find_destination(d, s))
            return false;
    }
    return true;
}

static bool is_message(unsigned klass)
{
    return klass == GPU_CLASS_LOAD_STORE || klass == GPU_CLASS_ATTRIBUTE;
}

/* Sets *control if the stage has a control instruction and nothing else. */
static bool survey_stage(struct gpu_decode *d, unsigned stage, bool *control)
{
    bool arithmetic = false, message = false, controls = false, others = false;
    unsigned klass;

    d->first[stage] = d->step_count;
    for (unsigned u = 0; u < d->decoder->isa->unit_count; u++) {
        if (!(d->bundle->stage[stage].present >> u & 1))
            continue;
        if (!survey_word(d, stage, u, &klass))
            return false;
        d->profile->instructions[klass]++;
        message |= is_message(klass);
        arithmetic |= !is_message(klass) && klass != GPU_CLASS_NOP;
        controls |= klass == GPU_CLASS_CONTROL;
        others |= klass != GPU_CLASS_CONTROL && klass != GPU_CLASS_NOP;
    }
    *control |= controls && !others;
    d->profile->arithmetic_stages += arithmetic || !message;
    return true;
}

/* ---- which results may go straight to their registers ---------------------------------------- */

static bool reads_register(const struct step *s, unsigned number)
{
    return s->registers[number / 64] >> number % 64 & 1;
}

static bool writes_register(const struct step *s, unsigned number)
{
    return s->bytes && s->destination == number;
}

/* Whether the step may write its register early as far as its own stage, and the copies at the
 * stage's end, are concerned. */
static bool alone_in_stage(const struct gpu_decode *d, const struct step *s)
{
    const struct step *end = d->steps + d->first[s->stage + 1];

    for (const struct step *o = d->steps + d->first[s->stage]; o < end; o++) {
        if (o != s && writes_register(o, s->destination))
            return false;
        if (o > s && reads_register(o, s->destination))
            return false;
    }
    if (!d->decoder->isa->results_after || !s->stage)
        return true;
    for (const struct step *o = d->steps + d->first[s->stage - 1]; o->stage < s->stage; o++)
        if (writes_register(o, s->destination) && !o->direct)
            return false;
    return true;
}

/* Whether the next stage reads the same values if the step writes its register early. */
static bool unseen_behind(const struct gpu_decode *d, const struct step *s)
{
    const struct step *end;

    if (s->stage + 1u >= d->bundle->stages)
        return true;
    end = d->steps + d->first[s->stage + 2];
    for (const struct step *o = d->steps + d->first[s->stage + 1]; o < end; o++) {
        if (d->decoder->isa->results_after && reads_register(o, s->destination))
            return false;
        /* Later operations would find its result instead of the temporary. */
        if (writes_register(o, s->destination))
            for (const struct step *reader = o + 1; reader < end; reader++)
                if (has_result(&reader->previous, s->unit, s->part))
                    return false;
    }
    return true;
}

static bool survey_steps(struct gpu_decode *d)
{
    const uint16_t *instructions = d->profile->instructions;
    bool control = false;

    d->first_pass = true;
    for (unsigned stage = 0; stage < d->bundle->stages; stage++)
        if (!survey_stage(d, stage, &control))
            return false;
    /* The message of such a bundle is a control instruction, such as a barrier. */
    if (control && d->flags & GPU_BUNDLE_MESSAGE && !instructions[GPU_CLASS_LOAD_STORE] &&
        !instructions[GPU_CLASS_ATTRIBUTE])
        d->profile->arithmetic_stages--;
    d->first[d->bundle->stages] = d->step_count;
    for (unsigned i = 0; i < d->step_count; i++) {
        struct step *s = &d->steps[i];

        s->direct = s->bytes == GPU_RESULT_BYTES && alone_in_stage(d, s) && unseen_behind(d, s);
    }
    d->first_pass = false;
    return true;
}

/* ---- second pass: the operations ------------------------------------------------------------- */

/* Allocates `bytes` bytes at the end of the output. */
static void *reserve_output(struct gpu_decode *d, size_t bytes)
{
    if (d->capacity - d->used < bytes) {
        d->capacity = 2 * d->capacity + bytes;
        d->out = xrealloc(d->out, d->capacity, 1);
        memset(d->out + d->used, 0, d->capacity - d->used);
    }
    return d->out + d->used;
}

static void *append_output(struct gpu_decode *d, size_t bytes)
{
    void *at = reserve_output(d, bytes);

    d->last = d->used;
    d->used += bytes;
    return at;
}

static void visit_operation(struct gpu_decode *d, const struct gpu_visit *v)
{
    if (d->visit)
        d->visit(d->opaque, d, v);
}

static void append_fill(struct gpu_decode *d, unsigned index)
{
    const struct gpu_pool_word *word = &d->spill[index];
    struct fill_op *f = append_output(d, sizeof(*f));

    *f = (struct fill_op){
        .op = {.exec = exec_fill, .bytes = sizeof(*f), .flags = (uint8_t)d->flags},
        .to = offset_of(d, gpu_pool_slot(d->decoder->isa) + index),
        .uniform = word->uniform ? (uint16_t)word->value : GPU_UNIFORM_WORDS,
        .value = word->value,
    };
    visit_operation(d, &(struct gpu_visit){.kind = GPU_VISIT_FILL, .op = &f->op});
}

static uint32_t bits_of_bytes(unsigned bytes)
{
    uint32_t bits = 0;

    for (unsigned i = 0; i < 4; i++)
        bits |= bytes >> i & 1 ? UINT32_C(0xff) << 8 * i : 0;
    return bits;
}

/* Appends the copies that the results of a stage need. */
static void append_moves(struct gpu_decode *d, unsigned stage)
{
    for (unsigned i = d->first[stage]; i < d->first[stage + 1]; i++) {
        const struct step *s = &d->steps[i];

        if (s->direct || !s->bytes)
            continue;
        struct move_op *m = append_output(d, sizeof(*m));

        *m = (struct move_op){
            .op = {.exec = exec_move, .bytes = sizeof(*m), .flags = (uint8_t)d->flags},
            .to = offset_of(d, s->destination),
            .from = result_offset(d, s->stage, s->unit, s->part),
            .active = engine_slot(d, GPU_SLOT_ACTIVE, 0),
            .mask = bits_of_bytes(s->bytes),
        };
        visit_operation(d, &(struct gpu_visit){GPU_VISIT_MOVE, &m->op, .to = m->to, .from = m->from,
                                               .mask = m->mask});
    }
}

static void append_nothing(struct gpu_decode *d, gpu_handler *exec)
{
    struct gpu_op *op = append_output(d, sizeof(*op));

    *op = (struct gpu_op){.exec = exec, .bytes = sizeof(*op), .flags = (uint8_t)d->flags};
}

static void tell_word(struct gpu_decode *d, const struct step *s, const struct gpu_op *op)
{
    gpu_word word = d->bundle->stage[s->stage].word[s->unit];

    visit_operation(d, &(struct gpu_visit){.kind = GPU_VISIT_WORD,
                                           .op = op,
                                           .word = word | (gpu_word)s->part << GPU_PART_SHIFT,
                                           .klass = (enum gpu_form_class)s->klass});
}

/* Appends the operations of a stage. Words without effect make none. */
static bool append_stage(struct gpu_decode *d, unsigned stage)
{
    for (unsigned i = d->first[stage]; i < d->first[stage + 1]; i++) {
        struct gpu_op *op = reserve_output(d, sizeof(*op) + GPU_MAX_OPERANDS);

        if (!decode_step(d, &d->steps[i], op))
            return false;
        if (d->steps[i].klass == GPU_CLASS_NOP)
            continue;
        tell_word(d, &d->steps[i], op);
        append_output(d, op->bytes);
    }
    return true;
}

static bool make_operations(struct gpu_decode *d)
{
    unsigned after = d->decoder->isa->results_after;

    for (unsigned i = 0; i < d->spill_count; i++)
        append_fill(d, i);
    for (unsigned stage = 0; stage < d->bundle->stages; stage++) {
        if (!append_stage(d, stage))
            return false;
        if (stage >= after)
            append_moves(d, stage - after);
    }
    if (after)
        append_moves(d, d->bundle->stages - 1);
    if (!d->used)
        append_nothing(d, exec_nothing);
    return true;
}

static bool decode_valid(struct gpu_decode *d, const struct gpu_bundle *bundle)
{
    const struct gpu_isa *isa = d->decoder->isa;
    uint32_t staging;

    if (!bundle->stages || bundle->stages > GPU_MAX_STAGES || bundle->constants > GPU_MAX_CONSTANTS)
        return false;
    d->flags = isa->bundle_flags(bundle);
    staging = isa->bundle_staging(bundle);
    d->staging = offset_of(d, staging < isa->register_count ? staging : 0);
    d->profile->stages = (uint8_t)bundle->stages;
    return survey_steps(d) && make_operations(d);
}

/* Makes an invalid bundle one operation that faults. */
static void decode_invalid(struct gpu_decode *d)
{
    d->used = 0;
    *d->profile = (struct gpu_profile){0};
    d->word_count = d->ends = 0;
    append_nothing(d, exec_invalid);
}

static struct gpu_code *code_of(const struct gpu_decode *d, const uint8_t *code, size_t bytes)
{
    const struct gpu_decoder *decoder = d->decoder;
    size_t words = d->word_count * sizeof(*d->words);
    struct gpu_code *c = xcalloc(1, sizeof(*c) + d->used + words + bytes);

    c->address = d->bundle->address;
    c->next = d->bundle->address + d->bundle->bytes;
    c->flags = d->flags;
    c->pool = d->shader->pool_count;
    c->cycles = decoder->bundle_cycles + decoder->stage_cycles * d->profile->stages;
    c->bytes = (uint32_t)bytes;
    c->profile = *d->profile;
    c->missing = d->missing;
    c->ends = d->ends;
    memcpy(c->ops, d->out, d->used);
    c->words = (uint16_t *)(void *)((uint8_t *)c->ops + d->used);
    c->word_count = d->word_count;
    memcpy(c->words, d->words, words);
    c->raw = (uint8_t *)c->words + words;
    memcpy(c->raw, code, bytes);
    return c;
}

struct gpu_code *gpu_decode_bundle(const struct gpu_decoder *decoder, struct gpu_shader *shader,
                                   const uint8_t *code, size_t available, uint64_t address,
                                   bool *valid)
{
    struct gpu_bundle bundle;
    struct gpu_profile profile = {0};
    struct gpu_decode d = {
        .decoder = decoder, .shader = shader, .bundle = &bundle, .profile = &profile};
    struct gpu_code *c;

    *valid = decoder->isa->unpack(code, available, address, &bundle);
    bundle.address = address;
    if (*valid)
        *valid = decode_valid(&d, &bundle);
    if (!*valid) {
        decode_invalid(&d);
        bundle.bytes =
            /* each of them may be the cause: a change of any makes the bundle stale */
            (unsigned)available;
    }
    ((struct gpu_op *)(void *)(d.out + d.last))->last = 1;
    c = code_of(&d, code, bundle.bytes < available ? bundle.bytes : available);
    free(d.out);
    free(d.steps);
    return c;
}

bool gpu_decode_visit(const struct gpu_decoder *decoder, struct gpu_shader *shader,
                      const struct gpu_code *code, gpu_visitor *visit, void *opaque)
{
    struct gpu_bundle bundle;
    struct gpu_profile profile = {0};
    struct gpu_decode d = {.decoder = decoder,
                           .shader = shader,
                           .bundle = &bundle,
                           .profile = &profile,
                           .visit = visit,
                           .opaque = opaque};
    bool valid = decoder->isa->unpack(code->raw, code->bytes, code->address, &bundle);

    bundle.address = code->address;
    valid = valid && decode_valid(&d, &bundle);
    free(d.out);
    free(d.steps);
    return valid;
}
