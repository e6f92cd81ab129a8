/* Packs a clause by a search through the description's table of quadwords. */

#include "pack.h"

struct packer {
    const struct bundle *c;
    const struct gpu_bundle *in;
    pack_field_fn *field;
    void *opaque;
    u128 *out;
    unsigned count;
};

static u128 mask_of(unsigned bits)
{
    return bits == 128 ? ~(u128)0 : ((u128)1 << bits) - 1;
}

static u128 piece_value(const struct packer *k, const struct bundle_piece *p, unsigned first,
                        bool end, const struct bundle_grain *q, unsigned position)
{
    switch (p->what) {
    case BUNDLE_LITERAL:
        return p->value;
    case BUNDLE_ANY:
        return 0;
    case BUNDLE_FIELD:
        return p->field == q->position ? position : k->field(k->opaque, p->field);
    case BUNDLE_END:
        return end;
    case BUNDLE_HEADER:
        return k->in->header >> p->low;
    case BUNDLE_BLOCK:
        return k->in->stage[p->number].block >> p->low;
    case BUNDLE_UNIT:
        return k->in->stage[p->number].word[p->unit] >> p->low;
    case BUNDLE_CONSTANT:
        return k->in->constant[first + p->number] >> p->low;
    }
    return 0;
}

static void put_quadword(struct packer *k, const struct bundle_grain *q, unsigned first, bool end,
                         unsigned position)
{
    u128 all = 0;

    vec_for_each (&q->pieces, p)
        all |= (piece_value(k, p, first, end, q, position) & mask_of(p->width)) << p->lsb;
    k->out[k->count++] = all;
}

/* Packs constants number `done` and up. Returns false if no quadword has room for them. */
static bool put_constants(struct packer *k, unsigned done)
{
    if (done == k->in->constants)
        return true;
    vec_for_each (&k->c->constants, q)
        vec_for_each (&(*q)->ast->positions, r)
            if (r->stages == k->in->stages && r->first == done &&
                done + (*q)->held_constants <= k->in->constants) {
                put_quadword(k, *q, done, done + (*q)->held_constants == k->in->constants, r->key);
                return put_constants(k, done + (*q)->held_constants);
            }
    return false;
}

/* Searches for a sequence of quadwords that holds exactly the clause's number of tuples. */
static bool put_tuples(struct packer *k, const struct bundle_grain *q)
{
    unsigned before = k->count;

    put_quadword(k, q, 0, q->end && q->constants == k->in->constants, 0);
    if (q->end && q->stages == k->in->stages && q->constants <= k->in->constants &&
        put_constants(k, q->constants))
        return true;
    vec_for_each (&q->next, n)
        if (put_tuples(k, *n))
            return true;
    k->count = before;
    return false;
}

unsigned pack_clause(const struct bundle *c, const struct gpu_bundle *in, pack_field_fn *field,
                     void *opaque, u128 *out)
{
    struct packer k = {c, in, field, opaque, out, 0};

    vec_for_each (&c->first, q)
        if (put_tuples(&k, *q))
            return k.count;
    return 0;
}
