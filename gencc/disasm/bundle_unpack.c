/*
 * Unpacking of bundles by the model, like the C that gencc generates from it.
 */
#include "gencc/disasm/text_bundle.h"

#include <string.h>

/* ---- bits ------------------------------------------------------------------------------------ */

static u128 take_bits(u128 q, unsigned lsb, unsigned width)
{
    return q >> lsb & (((u128)1 << width) - 1);
}

static u128 read_grain(const uint8_t *p, unsigned bytes)
{
    u128 q = 0;

    for (unsigned i = bytes; i-- > 0;)
        q = q << 8 | p[i];
    return q;
}

static void store_piece(struct bundle_bits *c, const struct bundle_piece *p, u128 taken,
                        unsigned first)
{
    u128 bits = taken << p->low;

    switch (p->what) {
    case BUNDLE_HEADER:
        c->header |= (uint64_t)bits;
        break;
    case BUNDLE_BLOCK:
        c->block[p->number] |= (uint64_t)bits;
        break;
    case BUNDLE_UNIT:
        c->word[p->number][p->unit] |= bits;
        c->present[p->number] |= 1u << p->unit;
        break;
    case BUNDLE_CONSTANT:
        c->constant[first + p->number] |= (uint64_t)bits;
        break;
    default:
        break;
    }
}

/* Finds the number of the first constant in a grain with positions. False: the grain is not valid
 * here. */
static bool find_first(const struct bundle_bits *c, const struct bundle_grain *q, u128 bits,
                       unsigned *first)
{
    u128 key = take_bits(bits, q->position->lsb, q->position->width);

    vec_for_each (&q->ast->positions, r) {
        if (r->key != key)
            continue;
        *first = r->first;
        return r->stages == c->stages && r->first == c->constants;
    }
    return false;
}

const struct ir_func *bundle_helper_of(const struct isa *isa, const char *name)
{
    vec_for_each (&isa->exports, f)
        if (!strcmp((*f)->name, name))
            return *f;
    return NULL;
}

enum { MAX_ARGS = 32 };

/* The modifier that the grain encodes for the constant that `m` is about. */
static uint8_t modifier_of(struct text *t, const struct bundle_bits *c,
                           const struct bundle_grain *q, const struct bundle_modifier *m, u128 bits,
                           unsigned first)
{
    const struct ir_func *f = bundle_helper_of(t->isa, m->helper);
    struct ir_data args[MAX_ARGS], result;
    unsigned n = 0;

    if (!f || q->fields.len + q->held_constants > MAX_ARGS)
        return BUNDLE_BAD_MODIFIER;
    vec_for_each (&q->fields, field)
        args[n++].lane[0] = take_bits(bits, (*field)->lsb, (*field)->width);
    for (unsigned i = 0; i < q->held_constants; i++)
        args[n++].lane[0] = c->constant[first + i];
    if (ir_eval(&t->machine, f, args, &result) != IR_DONE)
        return BUNDLE_BAD_MODIFIER;
    return (uint8_t)result.lane[0];
}

static bool apply_modifiers(struct text *t, struct bundle_bits *c, const struct bundle_grain *q,
                            u128 bits, unsigned first)
{
    vec_for_each (&q->modifiers, m) {
        uint8_t is = modifier_of(t, c, q, m, bits, first);

        c->modifier[first + m->constant] = is;
        if (is == BUNDLE_BAD_MODIFIER)
            return false;
    }
    return true;
}

bool bundle_grain_suits(struct text *t, const struct bundle_bits *c, const struct bundle_grain *q,
                        const uint8_t *code, unsigned first)
{
    u128 bits = read_grain(code, t->isa->bundle->grain_bits / 8);

    vec_for_each (&q->modifiers, m) {
        uint8_t is = modifier_of(t, c, q, m, bits, first);

        if (is == BUNDLE_BAD_MODIFIER ||
            (first + m->constant < c->constants && c->modifier[first + m->constant] != is))
            return false;
    }
    return true;
}

static bool take_grain(struct text *t, struct bundle_bits *c, const struct bundle_grain *q,
                       u128 bits)
{
    unsigned first = 0;

    if (q->position && !find_first(c, q, bits, &first))
        return false;
    vec_for_each (&q->pieces, p)
        store_piece(c, p, take_bits(bits, p->lsb, p->width), first);
    if (q->position) {
        c->constants = first + q->held_constants;
    } else if (q->end) {
        c->stages = q->stages;
        c->constants = q->constants;
    }
    return apply_modifiers(t, c, q, bits, first);
}

static const struct bundle_grain *choose_grain(struct bundle_grain *const *at, unsigned count,
                                               u128 bits)
{
    for (unsigned i = 0; i < count; i++)
        if ((bits & at[i]->mask) == at[i]->value)
            return at[i];
    return NULL;
}

static bool has_literals(const struct bundle *c, const struct bundle_bits *b)
{
    bool ok = (b->header & c->header->mask) == c->header->value;

    for (unsigned i = 0; i < b->stages; i++)
        ok &= (b->block[i] & c->block->mask) == c->block->value;
    return ok;
}

static bool unpack_grains(struct text *t, const uint8_t *code, size_t available,
                          struct bundle_bits *out)
{
    const struct bundle *c = t->isa->bundle;
    const struct bundle_grain *q = NULL;
    unsigned bytes = c->grain_bits / 8;
    u128 bits;

    do {
        if (available - out->bytes < bytes)
            return false;
        bits = read_grain(code + out->bytes, bytes);
        if (!q)
            q = choose_grain(c->first.data, c->first.len, bits);
        else if (q->end)
            q = choose_grain(c->constants.data, c->constants.len, bits);
        else
            q = choose_grain(q->next.data, q->next.len, bits);
        if (!q || !take_grain(t, out, q, bits))
            return false;
        out->bytes += bytes;
    } while (!q->end || !take_bits(bits, q->end->lsb, 1));
    return true;
}

/* ---- strings --------------------------------------------------------------------------------- */

bool bundle_ask(struct text *t, const char *helper, uint64_t header, uint32_t left, uint32_t *out)
{
    const struct format *format = t->isa->bundle->header;
    const struct ir_func *f = bundle_helper_of(t->isa, helper);
    struct ir_data args[MAX_ARGS] = {0}, result;
    unsigned n = 0;

    if (!f || f->params.len > MAX_ARGS)
        return false;
    vec_for_each (&format->fields, field)
        if (!(*field)->computed)
            args[n++].lane[0] = take_bits(header, (*field)->lsb, (*field)->width);
    args[n].lane[0] = left;
    if (ir_eval(&t->machine, f, args, &result) != IR_DONE)
        return false;
    *out = (uint32_t)result.lane[0];
    return true;
}

static bool begins_here(struct text *t, const struct bundle_string *s, u128 bits,
                        struct bundle_bits *out)
{
    uint32_t holds = 1;

    out->header = 0;
    if ((bits & s->mask) != s->value)
        return false;
    vec_for_each (&s->takes.data->pieces, p)
        if (p->what == BUNDLE_HEADER)
            store_piece(out, p, take_bits(bits, p->lsb, p->width), 0);
    return !s->where_helper ||
           (bundle_ask(t, s->where_helper, out->header, 0, &holds) && holds & 0xff);
}

/* Reads up to 120 bits at bit offset `at`. */
static u128 bits_at(const uint8_t *code, unsigned at, unsigned width)
{
    return take_bits(read_grain(code + at / 8, (at % 8 + width + 7) / 8), at % 8, width);
}

static void count_piece(struct bundle_bits *out, const struct bundle_piece *p)
{
    unsigned *count = p->what == BUNDLE_CONSTANT                          ? &out->constants
                      : p->what == BUNDLE_UNIT || p->what == BUNDLE_BLOCK ? &out->stages
                                                                          : NULL;

    if (count && *count < p->number + 1)
        *count = p->number + 1;
}

/* Reads the pieces of one line, at bit *at of a string that ends at bit `end`. */
static bool take_pieces(struct text *t, const struct bundle_take *line, const uint8_t *code,
                        unsigned *at, unsigned end, struct bundle_bits *out)
{
    uint32_t holds = 1;

    if (line->align) {
        *at = (*at + line->align - 1) / line->align * line->align;
        *at = *at < end ? *at : end;
        return true;
    }
    if (line->helper && !bundle_ask(t, line->helper, out->header, end - *at, &holds))
        return false;
    if (!(holds & 0xff))
        return true;
    if (end - *at < line->bits)
        return false;
    vec_for_each (&line->pieces, p) {
        if (p->what != BUNDLE_HEADER)
            store_piece(out, p, bits_at(code, *at + p->lsb, p->width), 0);
        count_piece(out, p);
    }
    *at += line->bits;
    return true;
}

static bool unpack_string(struct text *t, const struct bundle_string *s, const uint8_t *code,
                          size_t available, struct bundle_bits *out)
{
    unsigned grain = t->isa->bundle->grain_bits / 8, at = 0;
    uint32_t bytes = grain;

    if (s->bytes_helper && !bundle_ask(t, s->bytes_helper, out->header, 0, &bytes))
        return false;
    if (!bytes || bytes > available || bytes > BUNDLE_MAX_BYTES || bytes % grain)
        return false;
    vec_for_each (&s->takes, line)
        if (!take_pieces(t, line, code, &at, bytes * 8, out))
            return false;
    out->bytes = bytes;
    return out->stages != 0;
}

static bool unpack_bundle(struct text *t, const uint8_t *code, size_t available,
                          struct bundle_bits *out)
{
    const struct bundle *c = t->isa->bundle;
    unsigned grain = c->grain_bits / 8;

    if (available < grain)
        return false;
    vec_for_each (&c->strings, s)
        if (begins_here(t, *s, read_grain(code, grain), out))
            return unpack_string(t, *s, code, available, out);
    out->header = 0;
    return c->first.len && unpack_grains(t, code, available, out);
}

bool text_bundle_unpack(struct text *t, const uint8_t *code, size_t available,
                        struct bundle_bits *out)
{
    memset(out, 0, sizeof(*out));
    return unpack_bundle(t, code, available, out) && has_literals(t->isa->bundle, out);
}
