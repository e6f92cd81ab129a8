/*
 * Encoding of bundles: the reverse of bundle_unpack.c, by the same model. All ways to store the
 * parts are searched. A way is accepted if unpacking its bytes gives the bundle.
 */
#include "gencc/asm/solve/bits.h"
#include "gencc/asm/bundles/parts.h"

#include <string.h>

enum { MAX_FIELD_BITS = 8, OPEN_BITS = 4 };

struct packer {
    struct text *t;
    const struct bundle *c;
    struct bundle_bits *b;
    uint64_t header_mask;              /* settled bits of the header */
    const uint64_t *settled_constants; /* settled bits per constant */
    uint8_t *out;
    size_t bytes;
    bool failed_behind; /* last failure was behind the grain: its other values cannot help */
    unsigned unsuited_constant; /* first constant of a row whose modifiers have no encoding */
};

/* Stores `width` bits at bit offset `at`. */
static void store_bits(struct packer *k, unsigned at, unsigned width, u128 value)
{
    for (unsigned i = 0; i < width; i++)
        if (value >> i & 1)
            k->out[(at + i) / 8] |= (uint8_t)(1u << (at + i) % 8);
}

/* Stores a piece. Its grain or take begins at bit `at`; `first` is the number of the grain's first
 * constant. */
static void put_piece(struct packer *k, const struct bundle_piece *p, unsigned at, unsigned first)
{
    const struct bundle_bits *b = k->b;
    u128 bits = 0;

    switch (p->what) {
    case BUNDLE_HEADER:
        bits = b->header;
        break;
    case BUNDLE_BLOCK:
        bits = b->block[p->number];
        break;
    case BUNDLE_UNIT:
        bits = b->word[p->number][p->unit];
        break;
    case BUNDLE_CONSTANT:
        bits = b->constant[first + p->number];
        break;
    case BUNDLE_LITERAL:
        store_bits(k, at + p->lsb, p->width, p->value);
        return;
    default:
        return;
    }
    store_bits(k, at + p->lsb, p->width, bits >> p->low & low_bits(p->width));
}

/* ---- what was stored ------------------------------------------------------------------------- */

static bool same_words(const struct bundle_bits *a, const struct bundle_bits *b)
{
    for (unsigned s = 0; s < a->stages; s++) {
        if (a->block[s] != b->block[s] || a->present[s] != b->present[s])
            return false;
        for (unsigned u = 0; u < BUNDLE_MAX_UNITS; u++)
            if ((a->present[s] >> u & 1) && a->word[s][u] != b->word[s][u])
                return false;
    }
    return true;
}

/* Whether the stored bytes unpack to the bundle. On success k->b is the unpacked bundle, with
 * constants that were added. */
static bool is_it(struct packer *k)
{
    struct bundle_bits got, *b = k->b;

    if (!text_bundle_unpack(k->t, k->out, k->bytes, &got) || got.bytes != k->bytes ||
        got.stages != b->stages || got.constants < b->constants || !same_words(b, &got) ||
        ((got.header ^ b->header) & k->header_mask))
        return false;
    for (unsigned i = 0; i < b->constants; i++)
        if (got.constant[i] != b->constant[i] || got.modifier[i] != b->modifier[i])
            return false;
    *b = got;
    return true;
}

/* ---- grains ---------------------------------------------------------------------------------- */

static bool pack_grain(struct packer *k, const struct bundle_grain *q, unsigned have);

/* Stores the remaining constants; the first `have` are stored. */
static bool pack_constants(struct packer *k, unsigned have)
{
    vec_for_each (&k->c->constants, q)
        if (pack_grain(k, *q, have))
            return true;
    return false;
}

static bool is_last(const struct packer *k, unsigned have)
{
    return have >= k->b->constants;
}

/* Stores what follows a grain. The bundle has `have` constants after the grain. */
static bool pack_behind(struct packer *k, const struct bundle_grain *q, unsigned at, unsigned have)
{
    if (!q->end) {
        vec_for_each (&q->next, n)
            if (pack_grain(k, *n, have))
                return true;
        return false;
    }
    if (is_last(k, have)) {
        store_bits(k, at + q->end->lsb, 1, 1);
        return is_it(k);
    }
    return pack_constants(k, have);
}

/* Stores what follows a grain, if the grain encodes the right modifiers of its constants. `first`
 * is the number of the first of them. */
static bool pack_next(struct packer *k, const struct bundle_grain *q, unsigned at, unsigned first,
                      unsigned have)
{
    bool suits = bundle_grain_suits(k->t, k->b, q, k->out + at / 8, first);

    if (suits && pack_behind(k, q, at, have))
        return true;
    k->failed_behind = suits;
    return false;
}

/* Tries all values of a grain's fields from number `field` on. */
static bool pack_fields(struct packer *k, const struct bundle_grain *q, unsigned field, unsigned at,
                        unsigned first, unsigned have)
{
    uint8_t before[BUNDLE_GRAIN_BITS / 8];
    const struct field *f;
    unsigned size = k->c->grain_bits / 8;

    while (field < q->fields.len && q->fields.data[field] == q->position)
        field++;
    if (field == q->fields.len)
        return pack_next(k, q, at, first, have);
    f = q->fields.data[field];
    memcpy(before, k->out + at / 8, size);
    for (unsigned v = 0; f->width <= MAX_FIELD_BITS && v < 1u << f->width; v++) {
        size_t bytes = k->bytes;

        store_bits(k, at + f->lsb, f->width, v);
        if (pack_fields(k, q, field + 1, at, first, have))
            return true;
        if (k->failed_behind)
            return false;
        k->bytes = bytes;
        memset(k->out + at / 8, 0, BUNDLE_MAX_BYTES - at / 8);
        memcpy(k->out + at / 8, before, size);
    }
    return false;
}

/* Stores a grain. Its position, if any, encodes which constants it holds. */
static bool pack_pieces(struct packer *k, const struct bundle_grain *q, unsigned first,
                        const struct ast_position *position, unsigned have)
{
    unsigned at = (unsigned)k->bytes * 8, size = k->c->grain_bits / 8;

    k->failed_behind = false;
    if (k->bytes + size > BUNDLE_MAX_BYTES)
        return false;
    memset(k->out + k->bytes, 0, BUNDLE_MAX_BYTES - k->bytes);
    vec_for_each (&q->pieces, p)
        put_piece(k, p, at, first);
    if (position)
        store_bits(k, at + q->position->lsb, q->position->width, position->key);
    k->bytes += size;
    if (pack_fields(k, q, 0, at, first, have))
        return true;
    k->bytes -= size;
    return false;
}

/* The highest OPEN_BITS bits of a constant that are not settled. */
static uint64_t open_bits(const struct packer *k, unsigned constant)
{
    uint64_t open = (uint64_t)(low_bits(k->c->constant_high + 1) & ~low_bits(k->c->constant_low));
    uint64_t some = 0;

    if (constant < k->b->constants)
        open &= ~k->settled_constants[constant];
    for (unsigned n = 0; open && n < OPEN_BITS; n++) {
        uint64_t top = (uint64_t)1 << (63 - __builtin_clzll(open));

        some |= top;
        open ^= top;
    }
    return some;
}

/* Stores constants whose modifiers are encoded by a difference of their values. Open bits are
 * varied until the difference fits. Constants that only fill a place are copies of the first one in
 * the grain. */
static bool pack_constant_row(struct packer *k, const struct bundle_grain *q,
                              const struct ast_position *row, unsigned have)
{
    struct bundle_bits before = *k->b;
    uint64_t open[BUNDLE_MAX_CONSTANTS];
    unsigned bits = 0;

    for (unsigned i = 0; i < q->held_constants; i++) {
        if (have + i >= BUNDLE_MAX_CONSTANTS)
            return false;
        if (have + i >= before.constants)
            k->b->constant[have + i] = k->b->constant[have];
        open[i] = open_bits(k, have + i);
        bits += (unsigned)__builtin_popcountll(open[i]);
    }
    before = *k->b;
    for (unsigned v = 0; v < 1u << bits; v++) {
        unsigned used = 0;

        for (unsigned i = q->held_constants; i-- > 0;) {
            k->b->constant[have + i] =
                before.constant[have + i] ^ (uint64_t)bits_scatter(v >> used, open[i]);
            used += (unsigned)__builtin_popcountll(open[i]);
        }
        if (pack_pieces(k, q, have, row, have + q->held_constants))
            return true;
        if (k->failed_behind)
            break;
    }
    if (!k->failed_behind)
        k->unsuited_constant = have;
    *k->b = before;
    return false;
}

static bool pack_grain(struct packer *k, const struct bundle_grain *q, unsigned have)
{
    if (!q->position) {
        if (q->end && q->stages != k->b->stages)
            return false;
        return pack_pieces(k, q, 0, NULL, q->end ? q->constants : have);
    }
    vec_for_each (&q->ast->positions, r)
        if (r->stages == k->b->stages && r->first == have && pack_constant_row(k, q, r, have))
            return true;
    return false;
}

/* ---- strings --------------------------------------------------------------------------------- */

static bool has_part(const struct bundle_bits *b, const struct bundle_piece *p)
{
    switch (p->what) {
    case BUNDLE_UNIT:
        return p->number < b->stages && b->present[p->number] >> p->unit & 1;
    case BUNDLE_CONSTANT:
        return p->number < b->constants;
    default:
        return true;
    }
}

static bool has_parts(const struct bundle_bits *b, const struct bundle_take *line)
{
    vec_for_each (&line->pieces, p)
        if (!has_part(b, p))
            return false;
    return true;
}

/* Stores the lines of a string for a settled header. Constants are stored where a line has room for
 * them. */
static bool pack_lines(struct packer *k, const struct bundle_string *s)
{
    unsigned at = 0, end;
    uint32_t bytes = k->c->grain_bits / 8;

    if (s->bytes_helper && !bundle_ask(k->t, s->bytes_helper, k->b->header, 0, &bytes))
        return false;
    if (!bytes || bytes > BUNDLE_MAX_BYTES)
        return false;
    end = bytes * 8;
    memset(k->out, 0, BUNDLE_MAX_BYTES);
    vec_for_each (&s->takes, line) {
        uint32_t holds = 1;

        if (line->align) {
            at = (at + line->align - 1) / line->align * line->align;
            at = at < end ? at : end;
            continue;
        }
        if (line->helper && !bundle_ask(k->t, line->helper, k->b->header, end - at, &holds))
            return false;
        if (!(holds & 0xff))
            continue;
        if (end - at < line->bits)
            return false;
        vec_for_each (&line->pieces, p)
            put_piece(k, p, at, 0);
        at += line->bits;
    }
    k->bytes = bytes;
    return is_it(k);
}

/* Bits of the header that a helper reads. */
static uint64_t header_bits(const struct packer *k, const char *helper)
{
    const struct ir_func *f = helper ? bundle_helper_of(k->t->isa, helper) : NULL;
    uint64_t all = 0;
    unsigned n = 0;

    vec_for_each (&k->c->header->fields, field) {
        if ((*field)->computed)
            continue;
        for (unsigned i = 0; f && i < f->blocks.len; i++)
            for (const struct ir_value *v = f->blocks.data[i]->first; v; v = v->next)
                if (v->op == IR_PARAM && v->imm == n)
                    all |= (uint64_t)field_mask(*field);
        n++;
    }
    return all;
}

/* Settles header bits for the conditions of the lines from `line` on, then for the string's
 * size. */
static bool settle_header(struct packer *k, const struct bundle_string *s, unsigned line)
{
    const struct bundle_take *take = line < s->takes.len ? &s->takes.data[line] : NULL;
    const char *helper = take ? take->helper : s->where_helper;
    uint64_t before = k->b->header, mask = k->header_mask, open;

    if (take && !header_bits(k, helper))
        return settle_header(k, s, line + 1);
    open = (header_bits(k, helper) | (take ? 0 : header_bits(k, s->bytes_helper))) & ~mask;
    if (__builtin_popcountll(open) > 16)
        return false;
    for (unsigned v = 0; v < 1u << __builtin_popcountll(open); v++) {
        uint32_t holds = 1;

        k->b->header = (before & ~open) | (uint64_t)bits_scatter(v, open);
        if (helper && !bundle_ask(k->t, helper, k->b->header, 0, &holds))
            break;
        if (!(holds & 0xff) != (take && !has_parts(k->b, take)))
            continue;
        k->header_mask = mask | open;
        if (take ? settle_header(k, s, line + 1) : pack_lines(k, s))
            return true;
        k->header_mask = mask;
    }
    k->b->header = before;
    return false;
}

const struct field *bundle_unsaid_field(struct text *t)
{
    struct packer k = {.t = t, .c = t->isa->bundle};
    uint64_t said = 0;

    if (!k.c->strings.len)
        return NULL;
    vec_for_each (&k.c->texts, text)
        if (!text->key && text->context == BUNDLE_OF_HEADER)
            return NULL;
    vec_for_each (&k.c->strings, s) {
        vec_for_each (&k.c->follows, f)
            said |= (uint64_t)1 << f->field->lsb;
        said |= header_bits(&k, (*s)->where_helper) | header_bits(&k, (*s)->bytes_helper);
        vec_for_each (&(*s)->takes, take)
            said |= header_bits(&k, take->helper);
    }
    vec_for_each (&k.c->header->fields, f)
        if (!(*f)->computed && !(said >> (*f)->lsb & 1))
            return *f;
    return NULL;
}

size_t bundle_pack(struct text *t, struct bundle_bits *b, uint64_t header_mask,
                   const uint64_t *settled, uint8_t *out, unsigned *unsuited)
{
    struct packer k = {.t = t,
                       .c = t->isa->bundle,
                       .b = b,
                       .header_mask = header_mask,
                       .settled_constants = settled,
                       .out = out,
                       .unsuited_constant = BUNDLE_MAX_CONSTANTS};

    b->header |= (uint64_t)k.c->header->value;
    vec_for_each (&k.c->strings, s) {
        uint64_t before = b->header;

        if (settle_header(&k, *s, 0))
            return k.bytes;
        b->header = before;
        k.header_mask = header_mask;
    }
    k.bytes = 0;
    vec_for_each (&k.c->first, q)
        if (pack_grain(&k, *q, 0))
            return k.bytes;
    *unsuited = k.unsuited_constant;
    return 0;
}
