/*
 * A clause as a list of operations.
 *
 * In the machine, the results of a tuple reach registers while the tuple behind it runs: that one
 * still reads the old values, and has the new ones as temporaries. The register block of a tuple
 * therefore names the destinations of the tuple before, and the first one's those of the last. Here
 * a result goes straight to its register when nobody can see the difference, and whoever reads it as
 * a temporary reads the register. Otherwise it goes to a slot of its own, and a copy at the end of
 * the next tuple moves it.
 *
 * The decoder passes twice over a clause: first to see who reads what, then to make operations.
 *
 * Bounds      a clause: GPU_MAX_TUPLES tuples, GPU_POOL_SLOTS words of the shader's pool
 */
#include "runtime/gpu/shader/core.h"

#include <stdlib.h>

#include "runtime/base/alloc.h"

/* ---- operations of the engine itself --------------------------------------------------------- */

/* Copies a result to a register, or the bits of `mask`. */
struct move_op {
    struct gpu_op op;
    uint32_t mask;
    uint16_t to, from;
    uint16_t active; /* slot of the active lanes */
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

/* What the first pass finds about an instruction. */
struct usage {
    uint64_t registers[GPU_MAX_REGISTERS / 64]; /* it reads */
    uint8_t same;     /* bit a unit of the same tuple whose result it reads */
    uint8_t previous; /* the same of the tuple before */
    uint8_t klass;    /* enum gpu_form_class */
    /* Its own result. */
    uint8_t destination;
    bool low, high; /* halves of the register that it writes; none: no register */
    bool direct;    /* straight into the register */
};

struct gpu_decode {
    const struct gpu_decoder *decoder;
    struct gpu_shader *shader;
    const struct gpu_clause *clause;
    struct gpu_profile *profile;
    struct usage usage[GPU_MAX_TUPLES][GPU_MAX_UNITS];
    unsigned tuple, unit;
    uint32_t flags;
    uint16_t staging;
    bool first_pass;
    bool invalid;
    /* Words for which the pool has no room. */
    struct gpu_pool_word spill[GPU_SPILL_SLOTS];
    unsigned spill_count;
    /* Output. */
    uint8_t *out;
    size_t used, last;
};

static unsigned slot_number(const struct gpu_decode *d, unsigned slot)
{
    return d->decoder->isa->register_count + slot;
}

static uint16_t offset_of(const struct gpu_decode *d, unsigned slot)
{
    return gpu_slot_offset(d->decoder->lanes, slot);
}

static bool same_word(const struct gpu_pool_word *a, const struct gpu_pool_word *b)
{
    return a->uniform == b->uniform && a->value == b->value;
}

/* The slot of a constant or uniform, made when there is none yet. */
static uint16_t pool_slot(struct gpu_decode *d, struct gpu_pool_word word)
{
    struct gpu_shader *s = d->shader;
    unsigned base = slot_number(d, GPU_SLOT_POOL);

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

static struct usage *current(struct gpu_decode *d)
{
    return &d->usage[d->tuple][d->unit];
}

/* Where the result of a unit of tuple `tuple` is found by those who read it as a temporary. Before
 * the first tuple stand the slots that the clause before may have left. */
static uint16_t result_offset(const struct gpu_decode *d, unsigned tuple, unsigned unit)
{
    if (tuple < GPU_MAX_TUPLES && d->usage[tuple][unit].direct)
        return offset_of(d, d->usage[tuple][unit].destination);
    return offset_of(d, slot_number(d, GPU_SLOT_RESULT) + (tuple & 1) * GPU_MAX_UNITS + unit);
}

static uint16_t embedded(struct gpu_decode *d, uint32_t value)
{
    const struct gpu_clause *c = d->clause;
    uint32_t index = value & 0xff;
    struct gpu_pool_word word = {0};

    if (index >= c->constants) {
        d->invalid = true;
        return 0;
    }
    word.value = d->decoder->isa->embedded_constant(c->constant[index], c->modifier[index],
                                                    value >> 8 & 0xff, value >> 16 & 1, c->address);
    if (d->first_pass)
        d->profile->constant_reads++;
    return pool_slot(d, word);
}

static void name_register(struct gpu_decode *d, unsigned number)
{
    if (number >= d->profile->registers)
        d->profile->registers = (uint8_t)(number < UINT8_MAX ? number + 1 : number);
}

static uint16_t register_source(struct gpu_decode *d, uint32_t number)
{
    if (number >= d->decoder->isa->register_count) {
        d->invalid = true;
        return 0;
    }
    if (d->first_pass) {
        current(d)->registers[number / 64] |= UINT64_C(1) << number % 64;
        name_register(d, number);
        d->profile->register_reads++;
    }
    return offset_of(d, number);
}

static uint16_t temporary_source(struct gpu_decode *d, enum gpu_place_kind kind, uint32_t unit)
{
    bool same = kind == GPU_PLACE_SAME;

    if (unit >= d->decoder->isa->unit_count || (same && unit >= d->unit)) {
        d->invalid = true;
        return 0;
    }
    if (d->first_pass) {
        d->profile->temporary_reads++;
        *(same ? &current(d)->same : &current(d)->previous) |= (uint8_t)(1u << unit);
    }
    return result_offset(d, same ? d->tuple : d->tuple - 1, unit);
}

uint16_t gpu_decode_source(struct gpu_decode *d, uint32_t selector)
{
    uint64_t place = d->decoder->isa->operand_place(
        d->unit, selector, d->clause->tuple[d->tuple].block, d->tuple == 0);
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
        return embedded(d, value);
    case GPU_PLACE_SAME:
    case GPU_PLACE_PREVIOUS:
        return temporary_source(d, kind, value);
    case GPU_PLACE_SPECIAL:
        if (value >= GPU_SPECIAL_COUNT)
            break;
        if (d->first_pass)
            d->profile->special_reads++;
        return offset_of(d, slot_number(d, GPU_SLOT_SPECIAL) + value);
    case GPU_PLACE_INVALID:
        break;
    }
    d->invalid = true;
    return 0;
}

uint64_t gpu_decode_header(const struct gpu_decode *d)
{
    return d->clause->header;
}

uint64_t gpu_decode_address(const struct gpu_decode *d)
{
    return d->clause->address;
}

/* Decodes the current instruction at `op`; false: it is none. */
static bool decode_unit(struct gpu_decode *d, struct gpu_op *op)
{
    const struct gpu_unit *unit = d->decoder->isa->unit[d->unit];
    struct usage *u = current(d);

    *op = (struct gpu_op){
        .result = result_offset(d, d->tuple, d->unit),
        .staging = d->staging,
        .unit = (uint8_t)d->unit,
        .tuple = (uint8_t)d->tuple,
        .flags = (uint8_t)d->flags,
    };
    if (!unit->decode(d, d->clause->tuple[d->tuple].word[d->unit], op) || d->invalid ||
        op->form >= unit->form_count)
        return false;
    u->klass = d->decoder->classes[d->unit][op->form];
    return true;
}

/* The register that a result goes to, from the block of the next tuple, or of the first one. */
static bool find_destination(struct gpu_decode *d)
{
    unsigned last = d->tuple + 1 == d->clause->tuples;
    uint64_t block = d->clause->tuple[last ? 0 : d->tuple + 1].block;
    uint32_t place = d->decoder->isa->result_place(d->unit, block, last);
    struct usage *u = current(d);

    u->low = place & GPU_RESULT_LOW;
    u->high = place & GPU_RESULT_HIGH;
    u->destination = (uint8_t)place;
    if (!u->low && !u->high)
        return true;
    d->profile->register_writes++;
    name_register(d, u->destination);
    return u->destination < d->decoder->isa->register_count;
}

static bool reads_register(const struct usage *u, unsigned number)
{
    return u->registers[number / 64] >> number % 64 & 1;
}

static bool writes_register(const struct usage *u, unsigned number)
{
    return (u->low || u->high) && u->destination == number;
}

/* Whether a result may go straight to its register. */
static bool may_be_direct(const struct gpu_decode *d, unsigned tuple, unsigned unit)
{
    const struct usage *u = &d->usage[tuple][unit];
    unsigned units = d->decoder->isa->unit_count;

    if (!u->low || !u->high)
        return false;
    for (unsigned v = 0; v < units; v++) {
        const struct usage *other = &d->usage[tuple][v];

        if (v != unit && writes_register(other, u->destination))
            return false;
        if (v > unit && reads_register(other, u->destination))
            return false;
        /* A copy at the end of this tuple would undo it. */
        if (tuple && writes_register(&d->usage[tuple - 1][v], u->destination) &&
            !d->usage[tuple - 1][v].direct)
            return false;
    }
    if (tuple + 1 == d->clause->tuples)
        return true;
    for (unsigned v = 0; v < units; v++) {
        const struct usage *behind = &d->usage[tuple + 1][v];

        if (reads_register(behind, u->destination))
            return false;
        /* Units behind v would find its result instead of the temporary. */
        if (writes_register(behind, u->destination))
            for (unsigned r = v + 1; r < units; r++)
                if (d->usage[tuple + 1][r].previous >> unit & 1)
                    return false;
    }
    return true;
}

static bool is_message(const struct usage *u)
{
    return u->klass == GPU_CLASS_LOAD_STORE || u->klass == GPU_CLASS_ATTRIBUTE;
}

/* Counts the instructions of the current tuple. */
static void count_tuple(struct gpu_decode *d)
{
    bool arithmetic = true, message = false;

    for (unsigned u = 0; u < d->decoder->isa->unit_count; u++)
        message |= is_message(&d->usage[d->tuple][u]);
    if (message)
        arithmetic = false;
    for (unsigned u = 0; u < d->decoder->isa->unit_count; u++) {
        const struct usage *usage = &d->usage[d->tuple][u];

        d->profile->instructions[usage->klass]++;
        arithmetic |= !is_message(usage) && usage->klass != GPU_CLASS_NOP;
    }
    d->profile->arithmetic_tuples += arithmetic;
}

/* First pass: who reads and writes what. */
static bool survey(struct gpu_decode *d)
{
    union {
        struct gpu_op op;
        uint8_t bytes[sizeof(struct gpu_op) + GPU_MAX_OPERANDS];
    } scratch;

    d->first_pass = true;
    for (d->tuple = 0; d->tuple < d->clause->tuples; d->tuple++) {
        for (d->unit = 0; d->unit < d->decoder->isa->unit_count; d->unit++)
            if (!decode_unit(d, &scratch.op) || !find_destination(d))
                return false;
        count_tuple(d);
    }
    for (unsigned t = 0; t < d->clause->tuples; t++)
        for (unsigned u = 0; u < d->decoder->isa->unit_count; u++)
            d->usage[t][u].direct = may_be_direct(d, t, u);
    d->first_pass = false;
    return true;
}

static void *append(struct gpu_decode *d, size_t bytes)
{
    void *at = d->out + d->used;

    d->last = d->used;
    d->used += bytes;
    return at;
}

static void append_fill(struct gpu_decode *d, unsigned index)
{
    const struct gpu_pool_word *word = &d->spill[index];
    struct fill_op *f = append(d, sizeof(*f));

    *f = (struct fill_op){
        .op = {.exec = exec_fill, .bytes = sizeof(*f), .flags = (uint8_t)d->flags},
        .to = offset_of(d, slot_number(d, GPU_SLOT_POOL) + index),
        .uniform = word->uniform ? (uint16_t)word->value : GPU_UNIFORM_WORDS,
        .value = word->value,
    };
}

/* Copies that the results of tuple `tuple` need. */
static void append_moves(struct gpu_decode *d, unsigned tuple)
{
    for (unsigned unit = 0; unit < d->decoder->isa->unit_count; unit++) {
        const struct usage *u = &d->usage[tuple][unit];

        if (u->direct || (!u->low && !u->high))
            continue;
        struct move_op *m = append(d, sizeof(*m));

        *m = (struct move_op){
            .op = {.exec = exec_move, .bytes = sizeof(*m), .flags = (uint8_t)d->flags},
            .to = offset_of(d, u->destination),
            .from = result_offset(d, tuple, unit),
            .active = offset_of(d, slot_number(d, GPU_SLOT_ACTIVE)),
            .mask = (u->low ? 0xffffu : 0) | (u->high ? 0xffff0000u : 0),
        };
    }
}

static void append_nothing(struct gpu_decode *d, gpu_handler *exec)
{
    struct gpu_op *op = append(d, sizeof(*op));

    *op = (struct gpu_op){.exec = exec, .bytes = sizeof(*op), .flags = (uint8_t)d->flags};
}

/* Second pass: the operations. Empty slots make none. */
static bool make_operations(struct gpu_decode *d)
{
    for (unsigned i = 0; i < d->spill_count; i++)
        append_fill(d, i);
    for (d->tuple = 0; d->tuple < d->clause->tuples; d->tuple++) {
        for (d->unit = 0; d->unit < d->decoder->isa->unit_count; d->unit++) {
            struct gpu_op *op = (struct gpu_op *)(void *)(d->out + d->used);

            if (!decode_unit(d, op))
                return false;
            if (current(d)->klass != GPU_CLASS_NOP)
                append(d, op->bytes);
        }
        if (d->tuple)
            append_moves(d, d->tuple - 1);
    }
    append_moves(d, d->clause->tuples - 1);
    if (!d->used)
        append_nothing(d, exec_nothing);
    return true;
}

/* Room for the operations of any clause. */
static size_t largest_clause(const struct gpu_isa *isa)
{
    size_t bytes = GPU_SPILL_SLOTS * sizeof(struct fill_op) + sizeof(struct gpu_op);

    for (unsigned u = 0; u < isa->unit_count; u++)
        bytes += GPU_MAX_TUPLES * (isa->unit[u]->op_bytes + sizeof(struct gpu_op) +
                                   GPU_MAX_OPERANDS + sizeof(struct move_op));
    return bytes;
}

static bool decode_valid(struct gpu_decode *d, const struct gpu_clause *clause)
{
    const struct gpu_isa *isa = d->decoder->isa;

    if (!clause->tuples || clause->tuples > GPU_MAX_TUPLES || clause->constants > GPU_MAX_CONSTANTS)
        return false;
    d->flags = isa->clause_flags(clause->header);
    uint32_t staging = isa->clause_staging(clause->header);

    d->staging = offset_of(d, staging < isa->register_count ? staging : 0);
    d->profile->tuples = (uint8_t)clause->tuples;
    return survey(d) && make_operations(d);
}

struct gpu_code *gpu_decode_clause(const struct gpu_decoder *decoder, struct gpu_shader *shader,
                                   const uint8_t *code, size_t available, uint64_t address,
                                   bool *valid)
{
    struct gpu_clause clause = {0};
    struct gpu_profile profile = {0};
    struct gpu_decode d = {
        .decoder = decoder, .shader = shader, .clause = &clause, .profile = &profile};
    size_t room = largest_clause(decoder->isa);

    d.out = xcalloc(1, room);
    *valid = decoder->isa->unpack(code, available, address, &clause);
    clause.address = address;
    if (*valid)
        *valid = decode_valid(&d, &clause);
    if (!*valid) {
        d.used = 0;
        profile = (struct gpu_profile){0};
        append_nothing(&d, exec_invalid);
        clause.bytes =
            (unsigned)available; /* any of them may be why: when they change, try again */
    }
    ((struct gpu_op *)(void *)(d.out + d.last))->last = 1;

    struct gpu_code *c = xcalloc(1, sizeof(*c) + d.used);

    c->address = address;
    c->next = address + clause.bytes;
    c->flags = d.flags;
    c->pool = shader->pool_count;
    c->cycles = decoder->clause_cycles + decoder->tuple_cycles * profile.tuples;
    c->bytes = clause.bytes < available ? clause.bytes : (uint32_t)available;
    c->profile = profile;
    memcpy(c->raw, code, c->bytes);
    memcpy(c->ops, d.out, d.used);
    free(d.out);
    return c;
}
