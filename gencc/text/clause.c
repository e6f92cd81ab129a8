#include "gencc/text/clause.h"
#include "gencc/text/internal.h"

/* ---- unpacking ------------------------------------------------------------------------------- */

static u128 take_bits(u128 q, unsigned lsb, unsigned width)
{
    return q >> lsb & (((u128)1 << width) - 1);
}

static u128 read_quadword(const uint8_t *p)
{
    u128 q = 0;

    for (unsigned i = CLAUSE_QUADWORD_BYTES; i-- > 0;)
        q = q << 8 | p[i];
    return q;
}

static void store(struct clause_bits *c, const struct clause_piece *p, u128 q, unsigned first)
{
    uint64_t bits = (uint64_t)take_bits(q, p->lsb, p->width) << p->low;

    switch (p->what) {
    case CLAUSE_HEADER:
        c->header |= bits;
        break;
    case CLAUSE_BLOCK:
        c->block[p->number] |= bits;
        break;
    case CLAUSE_UNIT:
        c->word[p->number][p->unit] |= (uint32_t)bits;
        break;
    case CLAUSE_CONSTANT:
        c->constant[first + p->number] |= bits;
        break;
    default:
        break;
    }
}

/* Number of the first constant in a quadword with positions; false when it does not belong here. */
static bool find_first(const struct clause_bits *c, const struct clause_quadword *q, u128 bits,
                       unsigned *first)
{
    u128 key = take_bits(bits, q->position->lsb, q->position->width);

    vec_for_each (&q->ast->positions, r) {
        if (r->key != key)
            continue;
        *first = r->first;
        return r->tuples == c->tuples && r->first == c->constants;
    }
    return false;
}

static const struct ir_func *exported(const struct isa *isa, const char *name)
{
    vec_for_each (&isa->exports, f)
        if (!strcmp((*f)->name, name))
            return *f;
    return NULL;
}

enum { MAX_ARGS = 32 };

static bool modify(struct text *t, struct clause_bits *c, const struct clause_quadword *q,
                   u128 bits, unsigned first)
{
    vec_for_each (&q->modifiers, m) {
        const struct ir_func *f = exported(t->isa, m->helper);
        struct ir_data args[MAX_ARGS], result;
        unsigned n = 0;

        if (!f || q->fields.count + q->held > MAX_ARGS)
            return false;
        vec_for_each (&q->fields, field)
            args[n++].lane[0] = take_bits(bits, (*field)->lsb, (*field)->width);
        for (unsigned i = 0; i < q->held; i++)
            args[n++].lane[0] = c->constant[first + i];
        if (ir_eval(&t->machine, f, args, &result) != IR_DONE)
            return false;
        c->modifier[first + m->constant] = (uint8_t)result.lane[0];
        if (c->modifier[first + m->constant] == CLAUSE_BAD_MODIFIER)
            return false;
    }
    return true;
}

static bool take(struct text *t, struct clause_bits *c, const struct clause_quadword *q, u128 bits)
{
    unsigned first = 0;

    if (q->position && !find_first(c, q, bits, &first))
        return false;
    vec_for_each (&q->pieces, p)
        store(c, p, bits, first);
    if (q->position) {
        c->constants = first + q->held;
    } else if (q->end) {
        c->tuples = q->tuples;
        c->constants = q->constants;
    }
    return modify(t, c, q, bits, first);
}

static const struct clause_quadword *choose(struct clause_quadword *const *at, unsigned count,
                                            u128 bits)
{
    for (unsigned i = 0; i < count; i++)
        if ((bits & at[i]->mask) == at[i]->value)
            return at[i];
    return NULL;
}

static bool has_literals(const struct clause *c, const struct clause_bits *b)
{
    bool ok = (b->header & c->header->mask) == c->header->value;

    for (unsigned i = 0; i < b->tuples; i++)
        ok &= (b->block[i] & c->block->mask) == c->block->value;
    return ok;
}

bool text_clause_unpack(struct text *t, const uint8_t *code, size_t available,
                        struct clause_bits *out)
{
    const struct clause *c = t->isa->clause;
    const struct clause_quadword *q = NULL;
    u128 bits;

    memset(out, 0, sizeof *out);
    do {
        if (available - out->bytes < CLAUSE_QUADWORD_BYTES)
            return false;
        bits = read_quadword(code + out->bytes);
        if (!q)
            q = choose(c->first.at, c->first.count, bits);
        else if (q->end)
            q = choose(c->constants.at, c->constants.count, bits);
        else
            q = choose(q->next.at, q->next.count, bits);
        if (!q || !take(t, out, q, bits))
            return false;
        out->bytes += CLAUSE_QUADWORD_BYTES;
    } while (!q->end || !take_bits(bits, q->end->lsb, 1));
    return has_literals(c, out);
}

/* ---- text ------------------------------------------------------------------------------------ */

struct text_clause {
    struct text *text;
    struct text *unit[CLAUSE_MAX_UNITS];
    /* What is being written. */
    struct clause_bits bits;
    unsigned index, tuple, at_unit;
};

static uint64_t value_of(const struct text_clause *tc, enum clause_context context,
                         const char *name, int64_t key)
{
    const struct clause_bits *c = &tc->bits;
    bool last = tc->tuple + 1 == c->tuples;

    if (!strcmp(name, "block"))
        return c->block[context == CLAUSE_OF_BLOCK ? tc->tuple : last ? 0 : tc->tuple + 1];
    if (!strcmp(name, "unit"))
        return tc->at_unit;
    if (!strcmp(name, "first"))
        return tc->tuple == 0;
    if (!strcmp(name, "last"))
        return last;
    if (!strcmp(name, "raw"))
        return c->constant[key & 0xff];
    return !strcmp(name, "modifier") ? c->modifier[key & 0xff] : tc->index;
}

/* Runs the function of a line; the text of another may be being written, so its state is kept. */
static bool run_line(struct text *t, const struct ir_func *f, u128 word, u128 *fields,
                     struct asm_out *out)
{
    struct ir_machine before = t->machine;
    struct asm_out other = t->out, now = *out;
    struct ir_data result;
    bool written;

    t->out = now;
    t->machine.word = word;
    t->machine.fields = fields;
    written = ir_eval(&t->machine, f, NULL, &result) == IR_DONE && (result.lane[0] & 0xff);
    now = t->out;
    t->out = other;
    t->machine = before;
    *out = now; /* which may be t->out */
    return written;
}

enum { MAX_FIELDS = 64 };

static bool write_text(struct text_clause *tc, const struct clause_text *text, int64_t key,
                       struct asm_out *out)
{
    const struct instr *in = text->lines.at[0];
    u128 fields[MAX_FIELDS] = {0};
    u128 word = text->context == CLAUSE_OF_HEADER     ? tc->bits.header
                : text->context == CLAUSE_OF_CONSTANT ? 0
                                                      : value_of(tc, text->context, "block", key);

    if (in->format->fields.count > MAX_FIELDS ||
        (text->context == CLAUSE_OF_CONSTANT && (key & 0xff) >= CLAUSE_MAX_CONSTANTS))
        return false;
    fields[format_field(in->format, text->key)->index] = (uint64_t)key;
    for (const char *const *v = clause_context_values(text->context); *v; v++)
        fields[format_field(in->format, *v)->index] = value_of(tc, text->context, *v, key);
    return run_line(tc->text, tc->text->clause_lines.at[in->index], word, fields, out);
}

static bool resolve(struct asm_out *out, const char *map, int64_t key)
{
    struct text_clause *tc = out->resolve_data;

    vec_for_each (&tc->text->isa->clause->texts, t)
        if (t->key && !strcmp(t->name, map))
            return write_text(tc, t, key, out);
    return false;
}

static void write_header(struct text_clause *tc, struct asm_out *out)
{
    vec_for_each (&tc->text->isa->clause->texts, t)
        if (!t->key)
            vec_for_each (&t->lines, in)
                run_line(tc->text, tc->text->clause_lines.at[(*in)->index], tc->bits.header, NULL,
                         out);
    asm_put_text(out, "\n");
}

static void write_unit(struct text_clause *tc, struct asm_out *out)
{
    const struct clause_unit *u = &tc->text->isa->clause->units.at[tc->at_unit];
    struct text *t = tc->unit[tc->at_unit];
    uint32_t word = tc->bits.word[tc->tuple][tc->at_unit];
    const struct form *form = text_decode(t, word, u->bits);

    asm_put_text(out, "    ");
    asm_put_text(out, u->mark);
    if (!form || !run_line(t, t->disasm[form->instr->index], word, t->fields, out)) {
        asm_put_text(out, ".inst ");
        asm_put_hex(out, word);
        asm_put_text(out, " // undefined");
    }
    asm_put_text(out, "\n");
}

size_t text_clause_disasm(struct text_clause *tc, const uint8_t *code, size_t available,
                          unsigned index, struct asm_out *out)
{
    if (!text_clause_unpack(tc->text, code, available, &tc->bits))
        return 0;
    tc->index = index;
    out->resolve = resolve;
    out->resolve_data = tc;
    write_header(tc, out);
    asm_put_text(out, "{\n");
    for (tc->tuple = 0; tc->tuple < tc->bits.tuples; tc->tuple++)
        for (tc->at_unit = 0; tc->at_unit < tc->text->isa->clause->units.count; tc->at_unit++)
            write_unit(tc, out);
    asm_put_text(out, "}\n");
    out->resolve = NULL;
    return tc->bits.bytes;
}

struct text_clause *text_clause_prepare(struct text *t)
{
    struct text_clause *tc = arena_new(t->arena, struct text_clause);
    const struct clause *c = t->isa->clause;

    tc->text = t;
    for (unsigned i = 0; i < c->units.count; i++) {
        tc->unit[i] = text_prepare(model_isa(t->isa->model, c->units.at[i].isa));
        if (!tc->unit[i])
            return NULL;
    }
    return tc;
}
