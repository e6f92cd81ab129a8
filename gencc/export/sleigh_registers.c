/*
 * Registers in p-code. A register whose number is in the word is a field with registers attached,
 * or a subtable of them; one whose number is computed at run time is reached through its address in
 * the register space.
 */
#include "gencc/export/sleigh.h"
#include "gencc/ir/pass.h"

#include <string.h>

#define TEXT(...) arena_printf(c->f->s->arena, __VA_ARGS__)

/* An access to a register */
struct access {
    const struct reg_view *view;
    struct ir_type type;
    const char *symbol;  /* the whole register; NULL: by its address */
    const char *address; /* of the register's first byte in the register space */
    const char *within;  /* whether the index is in the bank; NULL: it is */
    bool outside;        /* the index never is */
};

/* ---- symbols --------------------------------------------------------------------------------- */

/* A field with a register for each value; NULL: its bits are not side by side, or there are values
 * beyond the bank. */
static const char *attached(struct sl_code *c, const struct reg_view *v,
                            const struct ir_value *index, u128 bits)
{
    unsigned lsb, count;
    const char *list = "variables [";

    if (!sl_is_run(bits, &lsb, &count) || count > SL_ENUMERATED)
        return NULL;
    for (unsigned n = 0; n < 1u << count; n++) {
        u128 number;

        if (!sl_evaluate(c->f, index, sl_spread(c->f, bits, n), &number) || number >= v->count)
            return NULL;
        list = TEXT("%s %s", list, sl_register(c->f->s, v, (unsigned)number));
    }
    return sl_use(c->f, sl_field(c->f, lsb, count, TEXT("%s ]", list)));
}

static const char *tabled(struct sl_code *c, const struct reg_view *v, const struct ir_value *index,
                          u128 bits)
{
    struct sleigh *s = c->f->s;
    const char *body = "", *name;

    if (count_bits(bits) > SL_ENUMERATED)
        return NULL;
    for (unsigned n = 0; n < 1u << count_bits(bits); n++) {
        u128 word = sl_spread(c->f, bits, n), number;
        const char *reg;

        if (!sl_evaluate(c->f, index, word, &number) || number >= v->count)
            return NULL;
        reg = sl_register(s, v, (unsigned)number);
        body = TEXT("%s@: \"%s\" is %s { export %s; }\n", body, reg,
                    sl_constraint(c->f, bits, word & bits) + 3, reg);
    }
    name = name_map_get(&s->table_names, body);
    if (name)
        return sl_use(c->f, name);
    name = TEXT("_regs%u", ++s->next_table);
    name_map_put(s->arena, &s->table_names, body, (void *)name);
    for (const char *p = body; *p; p++)
        fputs(*p == '@' ? name : (char[]){*p, '\0'}, s->tables);
    return sl_use(c->f, name);
}

/* ---- addresses ------------------------------------------------------------------------------- */

/* The address of a register's part; in a mirrored space, larger numbers are lower. */
static const char *part_address(struct sl_code *c, const struct access *a, unsigned offset,
                                unsigned bytes)
{
    unsigned base = sl_register_offset(c->f->s, a->view->offset + offset, bytes);

    if (!a->address)
        return TEXT("0x%x:4", base);
    return sl_local(c, 4,
                    TEXT("0x%x:4 %c %s", base, c->f->s->model->big_endian ? '-' : '+', a->address));
}

static void find_by_address(struct sl_code *c, struct access *a, const struct ir_value *index,
                            const char *text)
{
    unsigned bits = index->type.bits;
    const char *wide;

    if (ir_value_range(index).max >= a->view->count)
        a->within = sl_local(c, 1, TEXT("%s < %s", text, sl_constant(c, a->view->count, bits / 8)));
    wide = bits < 32 ? TEXT("zext(%s)", text) : bits > 32 ? TEXT("%s:4", text) : text;
    wide = sl_local(c, 4, wide);
    a->address = sl_local(c, 4, TEXT("%s * %u", wide, a->view->reg_stride));
}

/* Bytes from lane to lane */
static unsigned lane_stride(const struct access *a)
{
    const struct reg_view *v = a->view;
    bool own = a->type.lanes == v->type.lanes && a->type.bits == v->type.bits;

    return own && a->type.lanes > 1 ? v->elem_stride : a->type.bits / 8u;
}

/* The symbol of the register, if its number depends on bits of the word. */
static const char *symbol_by_word(struct sl_code *c, const struct reg_view *v,
                                  const struct ir_value *index, u128 bits)
{
    const char *symbol = attached(c, v, index, bits);

    return symbol ? symbol : tabled(c, v, index, bits);
}

/* Whether all of an access lies in the register. */
static bool fits_register(const struct access *a)
{
    return ir_bytes(a->type) <= ir_bytes(a->view->type) && lane_stride(a) == a->type.bits / 8u;
}

const char *sl_register_symbol(struct sl_code *c, const struct ir_value *v)
{
    bool is_write = v->op == IR_REG_WRITE;
    struct access a = {.view = v->view,
                       .type = is_write ? v->ops.data[v->ops.len - 1]->type : v->type};
    u128 bits, number;

    if (v->ops.len == is_write || !sl_depends(c->f, v->ops.data[0], &bits))
        return NULL;
    if (!bits)
        return sl_evaluate(c->f, v->ops.data[0], c->f->value, &number) ? "known" : NULL;
    return fits_register(&a) ? symbol_by_word(c, a.view, v->ops.data[0], bits) : NULL;
}

static void find(struct sl_frame *fr, const struct ir_value *v, struct access *a)
{
    struct sl_code *c = fr->c;
    bool write = v->op == IR_REG_WRITE;
    const struct ir_value *index = v->ops.len > write ? v->ops.data[0] : NULL;
    u128 bits = 0, number = 0;
    bool fits;

    a->view = v->view;
    fits = fits_register(a);
    if (index && !(sl_depends(c->f, index, &bits))) {
        find_by_address(c, a, index, fr->slots[index->id][0]);
        return;
    }
    if (!index || !bits) {
        if (index &&
            (!sl_evaluate(c->f, index, c->f->value, &number) || number >= a->view->count)) {
            a->outside = true;
            return;
        }
        if (fits)
            a->symbol = sl_register(c->f->s, a->view, (unsigned)number);
        else
            a->address = TEXT("0x%x:4", (unsigned)number * a->view->reg_stride);
        return;
    }
    a->symbol = fits ? symbol_by_word(c, a->view, index, bits) : NULL;
    if (!a->symbol)
        find_by_address(c, a, index, fr->slots[index->id][0]);
}

/* ---- accesses -------------------------------------------------------------------------------- */

/* The text of a lane's place, to be read or written */
static const char *place(struct sl_code *c, const struct access *a, unsigned lane)
{
    unsigned bytes = a->type.bits / 8, at = lane * lane_stride(a);

    if (a->symbol && bytes == ir_bytes(a->view->type))
        return a->symbol;
    if (a->symbol && at + bytes <= ir_bytes(a->view->type))
        return TEXT("%s[%u,%u]", a->symbol, 8 * at, 8 * bytes);
    return TEXT("*[register]:%u %s", bytes, part_address(c, a, at, bytes));
}

static const char *const *read(struct sl_code *c, const struct access *a)
{
    const char **to = sl_lanes(c, a->type.lanes);
    unsigned bytes = a->type.bits / 8, done = a->within ? ++c->labels : 0;

    for (unsigned i = 0; i < a->type.lanes; i++)
        to[i] = a->outside || a->within ? sl_local(c, bytes, "0") : NULL;
    if (a->outside)
        return to;
    if (done)
        sl_say(c, "if (%s == 0) goto <_l%u>;", a->within, done);
    for (unsigned i = 0; i < a->type.lanes; i++) {
        const char *from = place(c, a, i);

        if (to[i])
            sl_say(c, "%s = %s;", to[i], from);
        else
            to[i] = sl_local(c, bytes, from);
    }
    if (done)
        sl_say(c, "<_l%u>", done);
    return to;
}

static void write(struct sl_code *c, const struct access *a, const char *const *lanes)
{
    unsigned done = a->within ? ++c->labels : 0;

    if (a->outside)
        return;
    if (done)
        sl_say(c, "if (%s == 0) goto <_l%u>;", a->within, done);
    for (unsigned i = 0; i < a->type.lanes; i++)
        sl_say(c, "%s = %s;", place(c, a, i), lanes[i]);
    if (done)
        sl_say(c, "<_l%u>", done);
}

const char *const *sl_registers(struct sl_frame *fr, const struct ir_value *v)
{
    bool is_write = v->op == IR_REG_WRITE;
    const struct ir_value *value = is_write ? v->ops.data[v->ops.len - 1] : v;
    struct access a = {.type = value->type};

    if (is_write && v->view == fr->c->f->s->isa->context.slot) {
        sl_say(fr->c, "_nextctx = %s;", fr->slots[value->id][0]);
        return NULL;
    }
    find(fr, v, &a);
    if (!is_write)
        return read(fr->c, &a);
    write(fr->c, &a, fr->slots[value->id]);
    return NULL;
}
