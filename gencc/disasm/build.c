/*
 * Disassembly functions: the asm lines of an instruction as IR.
 */
#include "gencc/disasm/disasm.h"
#include "gencc/disasm/maps.h"
#include "gencc/disasm/syntax.h"

enum { SMALL_MAP = 256 }; /* largest key range that is checked for gaps */

struct builder {
    struct lower *lo;
    struct isa *isa;
    struct instr *instr;
    struct arena *arena;
    struct ir_builder b;
    struct ir_block *next; /* block of the next asm line */
    struct ir_callee *text, *map, *list, *has, *number;
    bool failed;
};

static struct ir_callee *intrinsic_callee(struct builder *d, enum ir_intrinsic i)
{
    return ir_intrinsic(d->arena, i, ir_type(IR_UINT, d->isa->model->word_bits, 1));
}

/* Continues if `cond` is true; otherwise with the next asm line. */
static void require_condition(struct builder *d, struct ir_value *cond)
{
    struct ir_block *ok = ir_block_new(d->b.func, "ok");

    ir_cbr(&d->b, cond, ok, d->next);
    d->b.block = ok;
}

static struct ir_value *field_value(struct builder *d, const struct ast_expr *e)
{
    struct ir_value *v = lower_field_expr(d->lo, &d->b, d->instr->format, e);

    if (!v) {
        d->failed = true;
    } else if (ir_is_vector(v->type) || !ir_is_int(v->type)) {
        diag_error(d->isa->model->diag, e->pos, "an asm line prints integers; this is %s",
                   ir_is_vector(v->type) ? "a vector" : "a floating-point number");
        d->failed = true;
        v = NULL;
    }
    return v;
}

/* `v - min`; span + 1 if the map has no such key: see map_packing. */
static struct ir_value *key_distance(struct builder *d, struct ir_value *v, int64_t min,
                                     uint64_t span)
{
    struct ir_builder *b = &d->b;
    struct ir_value *dist = ir_convert(b, ir_convert(b, v, IR_T_S64), IR_T_U64);
    struct ir_value *outside;

    if (min)
        dist = ir_binary(b, IR_SUB, dist, ir_const(b, IR_T_U64, (uint64_t)min));
    if (ir_value_range(dist).max <= span)
        return dist;
    outside = ir_binary(b, IR_GT, dist, ir_const(b, IR_T_U64, span));
    return ir_select(b, outside, ir_const(b, IR_T_U64, span + 1), dist);
}

static struct ir_value *map_key(struct builder *d, const struct asm_piece *piece)
{
    struct ir_builder *b = &d->b;
    struct ir_value *all = NULL;
    struct map_packing p;

    if (!map_packing_of(piece->map, &p)) {
        diag_error(d->isa->model->diag, piece->map->pos,
                   "map '%s' cannot be a table: at most %d keys, which fit into 63 bits together",
                   piece->map->name, MAP_MAX_KEYS);
        return NULL;
    }
    if (piece->values.len != p.arity) {
        diag_error(d->isa->model->diag, piece->pos, "map '%s' takes %u value%s, not %u",
                   piece->map->name, p.arity, p.arity == 1 ? "" : "s", piece->values.len);
        return NULL;
    }
    for (unsigned i = 0; i < p.arity; i++) {
        struct ir_value *v = field_value(d, piece->values.data[i]);

        if (!v)
            return NULL;
        if (p.arity == 1)
            return ir_convert(b, v, IR_T_S64);
        v = key_distance(d, v, p.min[i], p.span[i]);
        if (p.shift[i])
            v = ir_binary(b, IR_SHL, v, ir_const(b, IR_T_U64, p.shift[i]));
        all = all ? ir_binary(b, IR_OR, all, v) : v;
    }
    return ir_convert(b, all, IR_T_S64);
}

/* Whether the map has an entry for every possible value of the key. */
static bool always_found(const struct asm_map *map, const struct ir_value *key)
{
    struct ir_range r = ir_value_range(key);
    bool seen[SMALL_MAP] = {false};
    struct map_packing p;
    unsigned missing;

    if (map->is_text)
        return true;
    if (r.max - r.min >= SMALL_MAP || !map_packing_of(map, &p))
        return false;
    missing = (unsigned)(r.max - r.min) + 1;
    vec_for_each (&map->entries, e) {
        u128 at = (u128)(uint64_t)map_pack(&p, e->keys.data) - r.min;

        if (at > r.max - r.min || seen[(unsigned)at])
            continue;
        seen[(unsigned)at] = true;
        missing--;
    }
    return !missing;
}

/* The offset of a target, with its region packed above. */
static struct ir_value *region_value(struct builder *d, const struct asm_piece *piece,
                                     struct ir_value *offset)
{
    uint64_t mask = ((uint64_t)1 << ASM_REGION_AHEAD_AT) - 1;
    uint64_t above = asm_region_packed(piece->region_bits, piece->region_ahead);
    struct ir_value *low = ir_binary(&d->b, IR_AND, offset, ir_const(&d->b, IR_T_S64, mask));

    return ir_binary(&d->b, IR_OR, low, ir_const(&d->b, IR_T_S64, above));
}

static struct ir_value *sysreg_code(struct builder *d, const struct asm_piece *piece)
{
    const struct sysreg_space *space = &d->isa->model->sysreg_space;
    struct ir_value *all = NULL;

    if (piece->values.len != space->widths.len || !space->widths.len) {
        diag_error(d->isa->model->diag, piece->pos, "%%sysreg takes the %u fields of the space",
                   space->widths.len);
        return NULL;
    }
    for (unsigned i = 0; i < piece->values.len; i++) {
        struct ir_value *v = field_value(d, piece->values.data[i]);

        if (!v)
            return NULL;
        v = ir_convert(&d->b, v, IR_T_U64);
        if (all) {
            all = ir_binary(&d->b, IR_SHL, all, ir_const(&d->b, IR_T_U64, space->widths.data[i]));
            v = ir_binary(&d->b, IR_OR, all, v);
        }
        all = v;
    }
    return ir_convert(&d->b, all, IR_T_S64);
}

/* The number that a piece prints, or the key that it looks up. NULL for literal text and after an
 * error. */
static struct ir_value *piece_value(struct builder *d, const struct asm_piece *piece)
{
    struct ir_value *v;

    if (piece->text)
        return NULL;
    if (piece->map)
        v = map_key(d, piece);
    else if (piece->number == ASM_SYSREG)
        v = sysreg_code(d, piece);
    else if (piece->values.len == 1)
        v = field_value(d, piece->values.data[0]);
    else
        v = NULL, diag_error(d->isa->model->diag, piece->pos, "a number takes one value");
    if (!v)
        d->failed = true;
    if (v && !piece->map)
        v = ir_convert(&d->b, v, IR_T_S64);
    return v && !piece->map && piece->number == ASM_REGION ? region_value(d, piece, v) : v;
}

static void put_piece(struct builder *d, const struct asm_piece *piece, struct ir_value *v)
{
    if (piece->text)
        ir_call_fn(&d->b, d->text, piece->text, 0, NULL);
    else if (piece->map)
        ir_call_fn(&d->b, piece->list ? d->list : d->map, piece->map->name, 1, &v);
    else
        ir_call_fn(&d->b, d->number, syntax_format_name(syntax_format(piece->number)), 1, &v);
}

static void one_syntax(struct builder *d, const struct asm_syntax *s)
{
    struct ir_value **values = arena_alloc(d->arena, (s->pieces.len + 1) * sizeof(*values));
    struct expr_list conditions = {0};
    struct ir_value *one;

    d->b.pos = s->pos;
    d->next = ir_block_new(d->b.func, "next");
    syntax_conditions(d->arena, s, &conditions);
    vec_for_each (&conditions.list, c) {
        struct ir_value *v = field_value(d, *c);

        if (v)
            require_condition(d, v);
    }
    for (unsigned i = 0; i < s->pieces.len; i++) {
        const struct asm_piece *piece = &s->pieces.data[i];

        values[i] = piece_value(d, piece);
        if (values[i] && piece->map && !piece->list && !always_found(piece->map, values[i]))
            require_condition(d, ir_call_fn(&d->b, d->has, piece->map->name, 1, &values[i]));
    }
    if (!d->failed) {
        for (unsigned i = 0; i < s->pieces.len; i++)
            put_piece(d, &s->pieces.data[i], values[i]);
    }
    one = ir_const(&d->b, IR_T_U8, 1);
    ir_ret(&d->b, 1, &one);
    d->b.block = d->next;
}

static struct ir_func *build_disasm(struct lower *lo, struct isa *isa, struct instr *instr)
{
    struct arena *a = isa->model->arena;
    struct builder d = {.lo = lo, .isa = isa, .instr = instr, .arena = a};
    struct ir_func *f = ir_func_new(a, arena_printf(a, "disasm_%s", instr->name), IR_FUNC_DISASM);
    struct ir_value *zero;

    f->format = instr->format;
    f->pos = instr->pos;
    f->result = IR_T_U8;
    d.b = (struct ir_builder){f, ir_block_new(f, "entry"), instr->pos};
    d.text = intrinsic_callee(&d, IR_I_ASM_TEXT);
    d.map = intrinsic_callee(&d, IR_I_ASM_MAP);
    d.list = intrinsic_callee(&d, IR_I_ASM_LIST);
    d.has = intrinsic_callee(&d, IR_I_ASM_HAS);
    d.number = intrinsic_callee(&d, IR_I_ASM_NUMBER);
    vec_for_each (&instr->syntax, s) {
        one_syntax(&d, s);
    }
    if (d.failed)
        return NULL;
    zero = ir_const(&d.b, IR_T_U8, 0);
    ir_ret(&d.b, 1, &zero);
    ir_compute_preds(f);
    ir_optimise(f, isa->model->diag);
    return f;
}

struct ir_func *text_disasm_function(struct lower *lo, struct isa *isa, struct instr *instr)
{
    struct ir_func **kept = instr->ast->syntax.len ? &instr->text : &instr->format->text;

    if (!*kept)
        *kept = build_disasm(lo, isa, instr);
    return *kept;
}
