/*
 * Measures a peer's frames; see calibrate.h.
 */
#include "gencc/test/calibrate.h"

#include <stdio.h>
#include <string.h>

/* A program without instructions: registers are random, and `only`, or each control register if it
 * is NULL, has one bit. */
static void empty_program(struct generator *g, struct program *p, unsigned bit,
                          const struct carried *only)
{
    struct machine *m = g->m;

    machine_reset(m);
    p->start = PAGE_BYTES;
    m->w.pc = m->code_at + PAGE_BYTES;
    vec_for_each (&g->frame->parts, part) {
        u128 value = random_next(&g->random) | (u128)random_next(&g->random) << 64;

        if (!part->control)
            frame_set_part(g->frame, part, value);
        else if (part->kind != ABI_PC && bit < 8 * part->bytes && (part->bits >> bit & 1) &&
                 (!only || only == part))
            frame_set_part(g->frame, part, frame_part(g->frame, part) | (u128)1 << bit);
    }
    m->w.leaving = WENT_ON;
    m->w.mode = g->mode;
    m->w.pc = m->code_at + PAGE_BYTES;
    machine_save(m, &p->before);
    program_run(m, p);
}

/* Parts of a possible frame in the reply that are as in the machine. */
static unsigned matches(const struct peer *peer, const uint8_t *frame, struct program *p)
{
    struct frame *f = peer->harness->frame;
    unsigned count = 0;

    machine_load(f->m, &p->after);
    vec_for_each (&f->parts, part) {
        u128 value = frame_part(f, part);

        count += value && (guest_get(f->facts, frame + part->at, part->bytes) &
                           frame_part_mask(part)) == value;
    }
    return count;
}

/* Finds the frame in the reply; returns its offset, or ALT_BYTES. */
static unsigned find_frame(const struct peer *peer, struct program *p)
{
    const struct abi_facts *f = peer->harness->frame->facts;
    unsigned best = 0, found = ALT_BYTES;

    for (unsigned at = 0; at + peer->harness->frame->extent <= ALT_BYTES; at += f->frame_align) {
        unsigned count = matches(peer, peer->reply + at, p);

        if (count > best) {
            best = count;
            found = at;
        }
    }
    return best >= 4 ? found : ALT_BYTES;
}

/* ---- what frames carry ----------------------------------------------------------------------- */

static bool is_carried(const struct peer *peer, const struct carried *part)
{
    return peer_part(peer, part) == frame_part(peer->harness->frame, part);
}

/* Runs the program; starts the peer again if it has ended, as it may by what is not valid. */
static bool try_run(struct peer *peer, const struct program *p)
{
    return (peer->process.pid || peer_start(peer)) && (peer_run(peer, p) || !peer_start(peer)) &&
           !peer->broke;
}

/* Takes from `bits` of control registers what the peer's frames do not carry, for one bit. */
static void find_bits(struct peer *peer, struct generator *g, struct program *p, unsigned bit)
{
    struct frame *f = peer->harness->frame;
    bool together;

    empty_program(g, p, bit, NULL);
    together = try_run(peer, p);
    vec_for_each (&f->parts, part) {
        bool ok = together;

        if (!part->control || part->kind == ABI_PC || !(part->bits >> bit & 1))
            continue;
        if (bit >= 8 * part->bytes) {
            part->bits &= ~((u128)1 << bit);
            continue;
        }
        if (!together) {
            empty_program(g, p, bit, part);
            ok = try_run(peer, p);
        }
        machine_load(f->m, &p->after);
        if (!ok || !(frame_part(f, part) >> bit & 1) || !is_carried(peer, part))
            part->bits &= ~((u128)1 << bit);
    }
}

static bool find_lost(struct peer *peer, struct generator *g, struct program *p)
{
    struct frame *f = peer->harness->frame;
    unsigned bits = 8;

    vec_for_each (&f->parts, part)
        if (part->control && 8 * part->bytes > bits)
            bits = 8 * part->bytes;
    for (unsigned bit = 0; bit < 128; bit++)
        if (bit < bits)
            find_bits(peer, g, p, bit);
    empty_program(g, p, 128, NULL);
    if (!try_run(peer, p))
        return false;
    machine_load(f->m, &p->after);
    vec_for_each (&f->parts, part) {
        bool control = part->control && part->kind != ABI_PC;

        if (part->lost || (is_carried(peer, part) && !(control && !part->bits)))
            continue;
        part->lost = true;
        printf("signal frames of \"%s\" do not carry %s: it is not compared\n",
               peer->process.command, part->name);
    }
    return true;
}

static bool make(struct harness *h, const char *path)
{
    return harness_build(h) && harness_write(h, path);
}

/* Finds where the peer's frames are; returns ALT_BYTES after reporting that it does not. */
static unsigned locate(struct peer *peer, struct generator *g, struct program *p)
{
    unsigned at = ALT_BYTES;

    empty_program(g, p, 128, NULL);
    if (peer_start(peer) && peer_run(peer, p))
        at = find_frame(peer, p);
    if (at == ALT_BYTES)
        fprintf(stderr, "gencc test: \"%s\": %s\n", peer->process.command,
                peer->broke ? peer->broke : "its signal frames are unlike those of the ABI");
    return at;
}

bool calibrate(struct harness *h, struct peer *peers, unsigned count, struct generator *g,
               const char *path)
{
    static struct program p;
    unsigned at = ALT_BYTES;

    h->dump_at = 0;
    h->dump_bytes = ALT_BYTES;
    if (!make(h, path))
        return false;
    for (unsigned n = 0; n < count; n++) {
        unsigned here = locate(&peers[n], g, &p);

        if (here == ALT_BYTES)
            return false;
        if (n && here != at) {
            fprintf(stderr, "gencc test: \"%s\" has signal frames at another place than \"%s\"\n",
                    peers[n].process.command, peers[0].process.command);
            return false;
        }
        at = here;
    }
    h->dump_at = count ? at : 0;
    h->dump_bytes = g->frame->extent;
    if (!make(h, path))
        return false;
    for (unsigned n = 0; n < count; n++)
        if (!peer_start(&peers[n]) || !find_lost(&peers[n], g, &p) || !peer_start(&peers[n])) {
            fprintf(stderr, "gencc test: \"%s\": %s\n", peers[n].process.command, peers[n].broke);
            return false;
        }
    return machine_reset(g->m) == NULL;
}
