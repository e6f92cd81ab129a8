/*
 * Pure operations, fields and registers on terms; see symbolic.h. What operations mean is said in
 * gencc/ir/ir.h and computed by gencc/ir/arith.c.
 */
#include "gencc/export/symbolic.h"
#include "gencc/ir/arith.h"
#include "gencc/ir/pass.h"

#include <string.h>

const struct term **symbolic_lanes(struct symbolic *s, unsigned n)
{
    return arena_alloc(s->arena, (n ? n : 1) * sizeof(const struct term *));
}

/* ---- integers -------------------------------------------------------------------------------- */

/* The amount of a shift, as wide as `bits`; amounts that do not fit stay at least `bits`. */
static const struct term *shift_amount(struct terms *t, const struct term *y, unsigned bits)
{
    const struct term *limit;

    if (y->sort.bits <= bits)
        return term_resize(t, y, bits, false);
    if (y->kind == TERM_NUMBER)
        return term_number(t, bits, y->value > bits ? bits : y->value);
    limit = term_number(t, y->sort.bits, bits);
    return term_resize(t, term_ite(t, term_test(t, "bvult", y, limit), y, limit), bits, false);
}

/* Widths are powers of two, so the low bits of the amount are its remainder. */
static const struct term *rotate(struct terms *t, bool left, const struct term *x,
                                 const struct term *y)
{
    unsigned bits = x->sort.bits;
    const struct term *amount = term_resize(t, y, bits, false),
                      *mask = term_number(t, bits, bits - 1);
    const struct term *other;
    char head[40];

    if (y->kind == TERM_NUMBER) {
        snprintf(head, sizeof(head), "(_ rotate_%s %u)", left ? "left" : "right",
                 (unsigned)(y->value % bits));
        return term_op1(t, head, x->sort, x);
    }
    amount = term_op2(t, "bvand", amount, mask);
    /* A shift by the width gives 0. */
    other = term_op2(t, "bvsub", term_number(t, bits, bits), amount);
    return term_op2(t, "bvor", term_op2(t, left ? "bvshl" : "bvlshr", x, amount),
                    term_op2(t, left ? "bvlshr" : "bvshl", x, other));
}

static const struct term *divide(struct terms *t, bool is_signed, const struct term *x,
                                 const struct term *y)
{
    return term_ite(t, term_nonzero(t, y), term_op2(t, is_signed ? "bvsdiv" : "bvudiv", x, y),
                    term_number(t, x->sort.bits, 0));
}

static const struct term *integer_lane(struct terms *t, enum ir_op op, struct ir_type type,
                                       const struct term *x, const struct term *y)
{
    bool is_signed = type.base == IR_SINT;
    static const char *const heads[IR_OP_COUNT] = {
        [IR_ADD] = "bvadd", [IR_SUB] = "bvsub", [IR_MUL] = "bvmul",
        [IR_AND] = "bvand", [IR_OR] = "bvor",   [IR_XOR] = "bvxor",
    };

    switch (op) {
    case IR_NEG:
        return term_op1(t, "bvneg", x->sort, x);
    case IR_NOT:
        return term_op1(t, "bvnot", x->sort, x);
    case IR_DIV:
        return divide(t, is_signed, x, y);
    case IR_MOD:
        return term_op2(t, is_signed ? "bvsrem" : "bvurem", x, y);
    case IR_SHL:
        return term_op2(t, "bvshl", x, shift_amount(t, y, x->sort.bits));
    case IR_SHR:
        return term_op2(t, is_signed ? "bvashr" : "bvlshr", x, shift_amount(t, y, x->sort.bits));
    case IR_ROL:
    case IR_ROR:
        return rotate(t, op == IR_ROL, x, y);
    default:
        return term_op2(t, heads[op], x, y);
    }
}

/* ---- floats ---------------------------------------------------------------------------------- */

static const char *float_name(struct ir_type t)
{
    return t.bits == 32 ? "float" : "double";
}

/* Arithmetic is a function by name: which NaN it gives is the host's choice. */
static const struct term *float_lane(struct symbolic *s, enum ir_op op, struct ir_type type,
                                     const struct term *x, const struct term *y)
{
    const struct term *args[] = {x, y};

    if (op == IR_NEG)
        return term_op2(s->terms, "bvxor", x,
                        term_number(s->terms, type.bits, (u128)1 << (type.bits - 1)));
    return term_apply(s->terms, arena_printf(s->arena, "%s.%s", float_name(type), ir_ops[op].name),
                      x->sort, y ? 2 : 1, args);
}

static const struct term *as_float(struct terms *t, const struct term *x)
{
    return term_op1(t, x->sort.bits == 32 ? "(_ to_fp 8 24)" : "(_ to_fp 11 53)",
                    sort_float(x->sort.bits), x);
}

static const struct term *compare(struct terms *t, enum ir_op op, struct ir_type type,
                                  const struct term *x, const struct term *y)
{
    static const char *const heads[3][4] = {
        {"bvult", "bvule", "bvugt", "bvuge"},
        {"bvslt", "bvsle", "bvsgt", "bvsge"},
        {"fp.lt", "fp.leq", "fp.gt", "fp.geq"},
    };
    unsigned kind = type.base == IR_FLOAT ? 2 : type.base == IR_SINT;

    if (kind == 2) {
        x = as_float(t, x);
        y = as_float(t, y);
    }
    if (op == IR_EQ || op == IR_NE) {
        const struct term *equal = kind == 2 ? term_test(t, "fp.eq", x, y) : term_equal(t, x, y);

        return op == IR_EQ ? equal : term_not(t, equal);
    }
    return term_test(t, heads[kind][op - IR_LT], x, y);
}

static const struct term *convert(struct symbolic *s, struct ir_type from, struct ir_type to,
                                  const struct term *x)
{
    char a[24], b[24];

    if (from.base != IR_FLOAT && to.base != IR_FLOAT)
        return term_resize(s->terms, x, to.bits, from.base == IR_SINT);
    if (ir_type_eq(from, to))
        return x;
    return term_apply(
        s->terms, arena_printf(s->arena, "%s.to.%s", ir_type_name(from, a), ir_type_name(to, b)),
        sort_bits(to.bits), 1, &x);
}

/* ---- whole values ---------------------------------------------------------------------------- */

static const struct term *one_lane(struct symbolic *s, const struct ir_value *v,
                                   const struct term *x, const struct term *y)
{
    struct ir_type from = v->ops.data[0]->type;

    if (v->op == IR_CONVERT)
        return convert(s, ir_lane(from), ir_lane(v->type), x);
    if (v->op >= IR_EQ && v->op <= IR_GE) {
        const struct term *c = compare(s->terms, v->op, from, x, y);

        return v->type.lanes == 1
                   ? term_from_bool(s->terms, c, v->type.bits)
                   : term_ite(s->terms, c, term_number(s->terms, v->type.bits, ~(u128)0),
                              term_number(s->terms, v->type.bits, 0));
    }
    if (v->type.base == IR_FLOAT)
        return float_lane(s, v->op, v->type, x, y);
    return integer_lane(s->terms, v->op, v->type, x, y);
}

static const struct term *pick_lane(struct terms *t, sym_lanes x, unsigned lanes,
                                    const struct term *index)
{
    const struct term *r = x[0];

    if (index->kind == TERM_NUMBER)
        return x[(unsigned)(index->value % lanes)];
    for (unsigned i = 1; i < lanes; i++)
        r = term_ite(
            t,
            term_equal(t, term_op2(t, "bvurem", index, term_number(t, index->sort.bits, lanes)),
                       term_number(t, index->sort.bits, i)),
            x[i], r);
    return r;
}

/* The bits of lanes that follow each other, cut into lanes of the new type */
static void bitcast(struct terms *t, const struct ir_value *v, sym_lanes x, const struct term **to)
{
    unsigned from = v->ops.data[0]->type.bits, bits = v->type.bits;

    for (unsigned i = 0; i < v->type.lanes; i++) {
        unsigned at = i * bits;

        if (bits <= from) {
            to[i] = term_extract(t, x[at / from], at % from, bits);
            continue;
        }
        to[i] = x[at / from];
        for (unsigned k = 1; k < bits / from; k++)
            to[i] = term_concat(t, x[at / from + k], to[i]);
    }
}

static void arrange(struct sym_frame *fr, const struct ir_value *v, const struct term **to)
{
    struct terms *t = fr->s->terms;
    sym_lanes x = fr->slots[v->ops.data[0]->id];
    unsigned lanes = v->ops.data[0]->type.lanes;
    const struct term *at;

    for (unsigned i = 0; i < v->type.lanes; i++) {
        switch (v->op) {
        case IR_SPLAT:
            to[i] = x[0];
            break;
        case IR_EXTRACT:
            to[i] = pick_lane(t, x, lanes, fr->slots[v->ops.data[1]->id][0]);
            break;
        case IR_INSERT:
            at = fr->slots[v->ops.data[1]->id][0];
            at = term_op2(t, "bvurem", at, term_number(t, at->sort.bits, lanes));
            if (fr->slots[v->ops.data[1]->id][0]->kind == TERM_NUMBER)
                at = term_number(t, 8, fr->slots[v->ops.data[1]->id][0]->value % lanes);
            to[i] = term_ite(t, term_equal(t, at, term_number(t, at->sort.bits, i)),
                             fr->slots[v->ops.data[2]->id][0], x[i]);
            break;
        case IR_BUILD:
            to[i] = fr->slots[v->ops.data[i]->id][0];
            break;
        default: /* CONCAT */
            to[i] = i < lanes ? x[i] : fr->slots[v->ops.data[1]->id][i - lanes];
            break;
        }
    }
}

/* Computes an operation on numbers, which decides branches and rounds of loops. */
static bool fold(struct sym_frame *fr, const struct ir_value *v, const struct term **to)
{
    struct ir_operand args[4];
    static const u128 none[IR_MAX_LANES];
    u128 in[4][IR_MAX_LANES], out[IR_MAX_LANES];

    if (v->ops.len > 4 || v->op < IR_ADD || v->op > IR_CONCAT || v->type.base == IR_FLOAT)
        return false;
    for (unsigned i = 0; i < v->ops.len; i++) {
        struct ir_type type = v->ops.data[i]->type;

        memcpy(in[i], none, sizeof(in[i]));
        for (unsigned l = 0; l < type.lanes; l++) {
            const struct term *x = fr->slots[v->ops.data[i]->id][l];

            if (x->kind != TERM_NUMBER)
                return false;
            in[i][l] = x->value;
        }
        args[i] = (struct ir_operand){type, in[i]};
    }
    if (!ir_arith(v->op, v->type, v->ops.len, args, out))
        return false;
    for (unsigned l = 0; l < v->type.lanes; l++)
        to[l] = term_number(fr->s->terms, v->type.bits, out[l]);
    return true;
}

static void operate(struct sym_frame *fr, const struct ir_value *v, const struct term **to)
{
    struct terms *t = fr->s->terms;
    sym_lanes x = v->ops.len ? fr->slots[v->ops.data[0]->id] : NULL;

    if (fold(fr, v, to))
        return;
    if (v->op == IR_BITCAST) {
        bitcast(t, v, x, to);
    } else if (v->op == IR_SELECT) {
        for (unsigned i = 0; i < v->type.lanes; i++)
            to[i] = term_ite(t, term_nonzero(t, x[v->ops.data[0]->type.lanes == 1 ? 0 : i]),
                             fr->slots[v->ops.data[1]->id][i], fr->slots[v->ops.data[2]->id][i]);
    } else if (v->op >= IR_SPLAT) {
        arrange(fr, v, to);
    } else {
        for (unsigned i = 0; i < v->type.lanes; i++) {
            const struct term *y = NULL;

            if (v->ops.len > 1)
                y = fr->slots[v->ops.data[1]->id][v->ops.data[1]->type.lanes == 1 ? 0 : i];
            to[i] = one_lane(fr->s, v, x[i], y);
        }
    }
}

/* ---- fields and registers -------------------------------------------------------------------- */

const struct term *symbolic_field(struct symbolic *s, const struct field *f)
{
    if (f->lsb >= CONTEXT_LSB && f->lsb >= s->word->sort.bits)
        return s->context ? term_extract(s->terms, s->context, f->lsb - CONTEXT_LSB, f->width)
                          : term_number(s->terms, f->width, 0);
    return term_extract(s->terms, s->word, f->lsb, f->width);
}

static const struct term *field_term(struct symbolic *s, const struct ir_value *v)
{
    const struct term *x;

    if (v->field->computed) {
        x = s->fields[v->field->index];
        x = x ? x : term_number(s->terms, v->type.bits, 0);
    } else {
        x = symbolic_field(s, v->field);
    }
    return term_resize(s->terms, x, v->type.bits, false);
}

/* Whether the index is within the bank: a term only where that is not certain. */
static const struct term *in_bank(struct terms *t, const struct reg_view *view,
                                  const struct ir_value *index, const struct term *at)
{
    if (!at || ir_value_range(index).max < view->count)
        return term_bool(t, true);
    if (at->kind == TERM_NUMBER)
        return term_bool(t, at->value < view->count);
    if (at->sort.bits < 32 && view->count >> at->sort.bits)
        return term_bool(t, true);
    return term_test(t, "bvult", at, term_number(t, at->sort.bits, view->count));
}

static sym_lanes read_register(struct sym_frame *fr, const struct ir_value *v,
                               const struct term **to)
{
    struct symbolic *s = fr->s;
    const struct term *index = v->ops.len ? fr->slots[v->ops.data[0]->id][0] : NULL, *all = NULL;
    unsigned bytes = ir_bytes(v->type), n = cells_parts(s->cells, v->view, bytes);
    const struct term *there =
        in_bank(s->terms, v->view, v->ops.len ? v->ops.data[0] : NULL, index);
    const struct term *now = symbolic_group(s, &fr->state, s->cells->group_of[v->view->index]);

    for (unsigned i = 0; i < n; i++) {
        struct cell_place p = cells_place(s->terms, s->cells, v->view, index, i, bytes);
        const struct term *part = cells_read(s->terms, &p, now);

        all = all ? term_concat(s->terms, part, all) : part;
    }
    all = term_ite(s->terms, there, all, term_number(s->terms, 8 * bytes, 0));
    for (unsigned i = 0; i < v->type.lanes; i++)
        to[i] = term_extract(s->terms, all, i * v->type.bits, v->type.bits);
    return to;
}

static void write_register(struct sym_frame *fr, const struct ir_value *v)
{
    struct symbolic *s = fr->s;
    const struct ir_value *value = v->ops.data[v->ops.len - 1];
    const struct ir_value *number = v->ops.len > 1 ? v->ops.data[0] : NULL;
    const struct term *index = number ? fr->slots[number->id][0] : NULL;
    sym_lanes lanes = fr->slots[value->id];
    unsigned bytes = ir_bytes(value->type), n = cells_parts(s->cells, v->view, bytes), at = 0;
    unsigned group = s->cells->group_of[v->view->index];
    const struct term *there = in_bank(s->terms, v->view, number, index), *all = lanes[0];
    const struct term *before = symbolic_group(s, &fr->state, group), *now = before;

    for (unsigned i = 1; i < value->type.lanes; i++)
        all = term_concat(s->terms, lanes[i], all);
    for (unsigned i = 0; i < n; i++) {
        struct cell_place p = cells_place(s->terms, s->cells, v->view, index, i, bytes);

        now = cells_write(s->terms, &p, now, term_extract(s->terms, all, at, p.bits));
        at += p.bits;
    }
    fr->state.groups[group] = term_ite(s->terms, there, now, before);
}

/* Whether the lanes of an access lie behind each other. */
static bool is_compact(const struct ir_value *v)
{
    struct ir_type t = v->op == IR_REG_READ ? v->type : v->ops.data[v->ops.len - 1]->type;
    bool own = t.lanes == v->view->type.lanes && t.bits == v->view->type.bits;

    return t.lanes == 1 || !own || v->view->elem_stride == t.bits / 8u;
}

sym_lanes symbolic_value(struct sym_frame *fr, const struct ir_value *v)
{
    struct symbolic *s = fr->s;
    const struct term **to = symbolic_lanes(s, v->type.lanes);

    switch (v->op) {
    case IR_CONST:
        for (unsigned i = 0; i < v->type.lanes; i++)
            to[i] = term_number(s->terms, v->type.bits, v->imm);
        return to;
    case IR_PARAM:
        return fr->args[(unsigned)v->imm];
    case IR_FIELD:
        to[0] = field_term(s, v);
        return to;
    case IR_WORD:
        to[0] = term_resize(s->terms, s->word, v->type.bits, false);
        return to;
    case IR_FIELD_WRITE:
        s->fields[v->field->index] =
            s->fields[v->field->index]
                ? term_ite(s->terms, fr->guard, fr->slots[v->ops.data[0]->id][0],
                           s->fields[v->field->index])
                : fr->slots[v->ops.data[0]->id][0];
        return to;
    case IR_RESULT:
        return symbolic_output(fr, v->ops.data[0], (unsigned)v->imm);
    case IR_REG_READ:
    case IR_REG_WRITE:
        if (!is_compact(v)) {
            symbolic_refuse(s, v, "it uses registers whose elements do not lie side by side");
            return NULL;
        }
        if (v->op == IR_REG_READ)
            return read_register(fr, v, to);
        write_register(fr, v);
        return to;
    case IR_VAR_READ:
        for (unsigned i = 0; i < v->type.lanes; i++)
            to[i] = fr->vars[v->var->id] ? fr->vars[v->var->id][i]
                                         : term_number(s->terms, v->type.bits, 0);
        return to;
    case IR_VAR_WRITE:
        symbolic_refuse(s, v, "it was not optimised");
        return NULL;
    case IR_TEXT:
        return to;
    default:
        operate(fr, v, to);
        return to;
    }
}
