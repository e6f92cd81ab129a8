/*
 * Addresses in a trace's code that differ from run to run: those of its sites and blocks, of C
 * functions, and of thunks. They are noted while the code is emitted, and set when the code of an
 * earlier run was copied into this one (kept.h).
 */
#include "runtime/jit/quick/target.h"

#include "runtime/jit/quick/emit.h"

static void add_fix(struct quick *q, const uint8_t *at, enum q_fix_kind kind, size_t ref)
{
    vec_push(&q->code->fixes, (struct q_fix){.at = (uint32_t)(at - q->out.start),
                                             .ref = (uint32_t)ref,
                                             .kind = (uint8_t)kind});
}

/* ---- pointers -------------------------------------------------------------------------------- */

/* The number of a site, which several exits may have. */
static size_t site_number(struct q_code *code, const void *site)
{
    size_t n = code->sites.len;

    while (n > 0 && code->sites.data[n - 1] != site)
        n--;
    if (n)
        return n - 1;
    vec_push(&code->sites, (struct q_site *)(uintptr_t)site);
    return code->sites.len - 1;
}

static size_t block_number(const struct region *r, const void *block)
{
    size_t n = 0;

    while (r->sources[n].block != block)
        n++;
    return n;
}

void q_fix_pointer(struct quick *q, enum q_fix_kind kind, const void *to)
{
    size_t ref = 0;

    if (!q->tier->image)
        return;
    if (kind == Q_FIX_SITE)
        ref = site_number(q->code, to);
    else if (kind == Q_FIX_BLOCK)
        ref = block_number(q->r, to);
    else if (!program_image_has(q->tier->image, to, &ref) || ref > UINT32_MAX)
        q->code->is_bound = true;
    add_fix(q, q->out.at, kind, ref);
}

/* ---- thunks ---------------------------------------------------------------------------------- */

enum { THUNKS = 6 };

/* Thunk number n of those that traces jump to or call. */
static const void *thunk_at(const struct q_thunks *t, unsigned n)
{
    const void *const all[THUNKS] = {t->lookup, t->search,       t->handler,
                                     t->trap,   t->trap_general, t->link};

    return all[n];
}

void q_jump_to_thunk(struct quick *q, uint8_t *jump, const void *thunk)
{
    unsigned n = 0;

    q_target.patch(jump, thunk, q->out.write);
    if (!q->tier->image || !jump)
        return;
    while (n < THUNKS && thunk_at(&q->tier->thunks, n) != thunk)
        n++;
    q->code->is_bound |= n == THUNKS;
    add_fix(q, jump, Q_FIX_THUNK, n);
}

void q_trap_now(struct quick *q, const struct q_site *site)
{
    const struct q_thunks *t = &q->tier->thunks;

    q_target.call_thunk(q, site->vectors ? t->trap : t->trap_general, site);
}

/* ---- another run ----------------------------------------------------------------------------- */

static const void *pointer_of(const struct region *r, const struct q_fix *f)
{
    if (f->kind == Q_FIX_SITE)
        return r->quick->sites.data[f->ref];
    if (f->kind == Q_FIX_BLOCK)
        return r->sources[f->ref].block;
    return (const void *)(r->jit->quick->image->base + f->ref);
}

void quick_apply_fixes(const struct region *r)
{
    const struct q_code *code = r->quick;
    const struct q_tier *t = r->jit->quick;
    ptrdiff_t write = r->jit->arena.write;

    for (size_t n = 0; n < code->fixes.len; n++) {
        const struct q_fix *f = &code->fixes.data[n];
        uint8_t *at = (uint8_t *)r->code + f->at;

        if (f->kind == Q_FIX_THUNK)
            q_target.patch(at, thunk_at(&t->thunks, f->ref), write);
        else
            q_target.set_pointer(at, pointer_of(r, f), write);
    }
}

bool quick_fix_is_sound(const struct q_fix *f, size_t code_bytes, size_t sites, size_t blocks,
                        size_t program_bytes)
{
    enum { LONGEST = 12 }; /* bytes that a fix changes, at most */
    const size_t ends[] = {[Q_FIX_SITE] = sites,
                           [Q_FIX_BLOCK] = blocks,
                           [Q_FIX_FUNCTION] = program_bytes,
                           [Q_FIX_THUNK] = THUNKS};

    return f->kind <= Q_FIX_THUNK && f->ref < ends[f->kind] && f->at < code_bytes &&
           code_bytes - f->at >= (f->kind == Q_FIX_THUNK ? 4 : LONGEST);
}
