/*
 * Detours: cold code for accesses that an ADDEND of 0 does not serve. Accesses in a row are tested
 * once, before the first of them. The detour goes round all, with what the trace does between them,
 * and each access in it looks its own address up:
 *
 *     addend 0? ──▶ look up; access; what is between; look up; access; … ──┐
 *     access; what is between; access; …  ◀────────────────────────────────┘
 *
 * All but the look-ups is a copy of the trace's own code. So nothing may stand between two accesses
 * that depends on where its code is, or that cold code leads away from or back to. In a detour the
 * ADDEND's register is 0 but from a look-up to its access: the trace may store the register, or
 * test it again behind the detour.
 */
#include "runtime/jit/quick/emit.h"
#include "runtime/jit/quick/target.h"

enum {
    MOST_ACCESSES = 16, /* of a detour */
    MOST_BYTES = 256,   /* of the trace's code that a detour goes round */
};

void q_detour_begin(struct quick *q, uint32_t addend)
{
    q->detour.addend = addend;
    q->detour.uses = q->pool.uses.len;
    q->detour.first = (uint32_t)q->detours.len;
    q->detour.from = q->detour.end = q->out.at;
}

bool q_detour_goes_on(struct quick *q, uint32_t addend)
{
    return q->detour.addend == addend && q->detour.uses == q->pool.uses.len &&
           q->detours.len - q->detour.first < MOST_ACCESSES &&
           q->out.at - q->detour.from < MOST_BYTES;
}

void q_detour_add(struct quick *q, const struct q_detour *d)
{
    struct q_detour *added;

    vec_push(&q->detours, *d);
    added = &q->detours.data[q->detours.len - 1];
    added->starts = q->detour.from;
    added->from = q->detour.end;
    q->detour.end = q->out.at;
    q->detour.uses = q->pool.uses.len;
}

void q_detour_end(struct quick *q)
{
    q->detour.addend = Q_NONE;
}

static void copy_code(struct quick *q, const uint8_t *from, const uint8_t *to)
{
    struct q_buffer *x = &q->out;
    size_t bytes = (size_t)(to - from);

    if (x->full || (size_t)(x->end - x->at) < bytes) {
        x->full = true;
        return;
    }
    memcpy(x->at + x->write, from + x->write, bytes);
    x->at += bytes;
}

static void clear_register(struct quick *q, unsigned host)
{
    const struct q_node zero = {.op = Q_CONST, .type = JIT_U64, .result = JIT_U64};

    q_target.load_constant(q, host, &zero);
}

/* Emits what is in front of the access, its look-up, and the access. Returns the jump that is taken
 * on a miss. */
static uint8_t *emit_access(struct quick *q, const struct q_detour *d)
{
    uint8_t *miss;

    copy_code(q, d->from, d->insn);
    q->at = d->node;
    miss = q_target.look_up(q, d->base, d->addend);
    copy_code(q, d->insn, d->end);
    return miss;
}

void q_emit_detour(struct quick *q, uint32_t first, unsigned cleared, const uint8_t *from)
{
    uint8_t *miss[MOST_ACCESSES], *back[MOST_ACCESSES], *end;
    const struct q_detour *d = q->detours.data + first;
    uint32_t count = 0;

    if (cleared != Q_NO_HOST)
        clear_register(q, cleared);
    for (; first + count < q->detours.len && d[count].starts == from; count++) {
        miss[count] = emit_access(q, &d[count]);
        back[count] = q->out.at;
        if (d[count].clears)
            clear_register(q, d[count].addend);
    }
    end = q_target.jump(q);
    q_target.patch(end, count ? d[count - 1].end : from, q->out.write);
    for (uint32_t n = 0; n < count; n++) {
        q_target.patch(miss[n], q->out.at, q->out.write);
        q_trap_now(q, d[n].site);
        end = q_target.jump(q);
        q_target.patch(end, back[n], q->out.write);
    }
}
