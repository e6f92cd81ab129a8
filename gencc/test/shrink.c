/*
 * Shortens programs; see shrink.h.
 */
#include "gencc/test/shrink.h"

#include <string.h>

/* Whether both sides differ; the peer is started again if it has ended, or always. */
static bool differs(struct peer *peer, struct program *p, bool always)
{
    struct frame *f = peer->harness->frame;
    struct machine *m = f->m;
    struct snapshot *fresh = &p->step[0].before; /* not needed any more */
    uint64_t pc = m->code_at + p->start;

    /* What frames do not carry begins as after a reset. */
    if (machine_reset(m))
        return false;
    m->w.mode = p->before.w.mode;
    machine_save(m, fresh);
    for (unsigned n = 0; n < f->parts.len; n++) {
        const struct carried *part = &f->parts.data[n];
        u128 value;

        if (part->lost || part->kind == ABI_PC)
            continue;
        machine_load(m, &p->before);
        value = frame_part(f, part);
        machine_load(m, fresh);
        frame_set_part(f, part, value);
        machine_save(m, fresh);
    }
    memcpy(m->w.memory, p->before.w.memory, PAGE_BYTES);
    m->w.mode = p->before.w.mode;
    m->w.pc = pc;
    m->w.leaving = WENT_ON;
    machine_save(m, &p->before);
    if (!program_run(m, p) || ((always || peer->broke) && !peer_start(peer)))
        return false;
    return peer_differs(peer, p);
}

bool differs_afresh(struct peer *peer, struct program *p)
{
    return differs(peer, p, true);
}

/* Keeps the candidate if it differs, and does nothing that is left out. */
static bool keep(struct peer *peer, struct program *p, struct program *candidate, bool fresh)
{
    if (!differs(peer, candidate, fresh) ||
        (!left_out_in(peer->left_out, p) && left_out_in(peer->left_out, candidate)))
        return false;
    p->start = candidate->start;
    p->count = candidate->count;
    memcpy(p->code, candidate->code, PAGE_BYTES);
    p->before.w = candidate->before.w;
    p->after.w = candidate->after.w;
    memcpy(p->before.state, candidate->before.state, peer->harness->frame->m->model->state_bytes);
    memcpy(p->after.state, candidate->after.state, peer->harness->frame->m->model->state_bytes);
    memcpy(p->step, candidate->step, sizeof(p->step));
    return true;
}

/* Copies the program; snapshots are copied too. */
static void copy(struct peer *peer, struct program *to, const struct program *from)
{
    struct machine *m = peer->harness->frame->m;
    struct snapshot before = to->before, after = to->after, *own;

    *to = *from;
    to->before = before;
    to->after = after;
    for (unsigned n = 0; n < MAX_STEPS_OF_PROGRAM; n++)
        to->step[n].before = (struct snapshot){0};
    own = &to->before;
    machine_load(m, &from->before);
    machine_save(m, own);
    machine_load(m, &from->after);
    machine_save(m, &to->after);
}

/* Removes `bytes` bytes at `at`: what precedes them moves up. */
static void cut(struct program *p, unsigned at, unsigned bytes)
{
    memmove(p->code + p->start + bytes, p->code + p->start, at - p->start);
    memset(p->code + p->start, 0, bytes);
    p->start += bytes;
}

static bool cut_one(struct peer *peer, struct program *p, struct program *candidate, bool fresh)
{
    const struct isa *isa = peer->harness->frame->m->isa[p->before.w.mode];
    unsigned unit = isa->fetch_bits / 8;

    /* From the end on: later instructions depend on earlier ones. */
    for (unsigned at = PAGE_BYTES; at > p->start;) {
        unsigned bytes = unit;

        at -= unit;
        for (unsigned n = 0; n < p->count; n++)
            if (at >= p->step[n].at && at < p->step[n].at + p->step[n].bytes) {
                at = p->step[n].at;
                bytes = p->step[n].bytes;
            }
        copy(peer, candidate, p);
        cut(candidate, at, bytes);
        if (candidate->start < PAGE_BYTES && keep(peer, p, candidate, fresh))
            return true;
    }
    return false;
}

/* Sets parts first to first + count - 1 to 0 where both sides still differ: together, or else each
 * half. */
static void clear_parts(struct peer *peer, struct program *p, unsigned first, unsigned count,
                        bool fresh)
{
    static struct program candidate;
    struct frame *f = peer->harness->frame;
    bool any = false;

    copy(peer, &candidate, p);
    machine_load(f->m, &p->before);
    for (unsigned n = first; n < first + count; n++) {
        const struct carried *part = &f->parts.data[n];

        if (part->lost || part->kind == ABI_PC || !(frame_part(f, part) & part->bits))
            continue;
        any = true;
        frame_set_part(f, part, frame_part(f, part) & ~part->bits);
    }
    machine_save(f->m, &candidate.before);
    if (!any || keep(peer, p, &candidate, fresh) || count == 1)
        return;
    clear_parts(peer, p, first, count / 2, fresh);
    clear_parts(peer, p, first + count / 2, count - count / 2, fresh);
}

static void clear_memory(struct peer *peer, struct program *p, struct program *candidate,
                         bool fresh)
{
    static const uint8_t zero[PAGE_BYTES];

    for (unsigned size = PAGE_BYTES; size >= 16; size /= 2)
        for (unsigned at = 0; at < PAGE_BYTES; at += size) {
            if (!memcmp(p->before.w.memory + at, zero, size))
                continue;
            copy(peer, candidate, p);
            memset(candidate->before.w.memory + at, 0, size);
            keep(peer, p, candidate, fresh);
        }
}

/* Restarting the peer for each attempt is slow, and is needed only if its hidden state matters. */
void shrink(struct peer *peer, struct program *p)
{
    static struct program original, candidate;

    copy(peer, &original, p);
    for (int fresh = 0; fresh < 2; fresh++) {
        while (cut_one(peer, p, &candidate, fresh))
            ;
        clear_memory(peer, p, &candidate, fresh);
        clear_parts(peer, p, 0, peer->harness->frame->parts.len, fresh);
        if (differs_afresh(peer, p))
            return;
        copy(peer, p, &original);
    }
    differs_afresh(peer, p);
}
