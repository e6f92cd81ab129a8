/*
 * Runs programs on another simulator; see compare.h.
 */
#include "gencc/test/compare.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>

static bool fail(struct peer *peer, const char *why)
{
    peer->broke = why;
    return false;
}

static bool receive(struct peer *peer)
{
    return process_receive(&peer->process, peer->reply, peer->harness->dump_bytes) &&
           process_receive(&peer->process, peer->reply + peer->harness->dump_bytes, PAGE_BYTES);
}

bool peer_start(struct peer *peer)
{
    struct harness *h = peer->harness;

    process_stop(&peer->process);
    peer->broke = NULL;
    if (!process_start(&peer->process))
        return fail(peer, "it cannot be started");
    if (!process_send(&peer->process, h->image, h->stride) || !receive(peer))
        return fail(peer, "the harness does not answer");
    return true;
}

bool peer_run(struct peer *peer, const struct program *p)
{
    const struct harness *h = peer->harness;
    struct frame *f = h->frame;
    static uint8_t frame[0x10000];

    peer->broke = NULL;
    machine_load(f->m, &p->before);
    frame_write(f, frame, h->base + ALT_AT, ALT_BYTES);
    if (process_send(&peer->process, frame, f->facts->frame_bytes) &&
        process_send(&peer->process, p->code, PAGE_BYTES) &&
        process_send(&peer->process, p->before.w.memory, PAGE_BYTES) && receive(peer))
        return true;
    return fail(peer, "it has ended, or does not answer");
}

/* Whether the peer has memory there, its stack for example: it writes the byte, which fails where
 * there is none. The page of the test's memory, whose last byte is unlike all others, is written
 * behind it, and shows by its place whether the byte came. peer->reply is kept. */
static bool has_memory(struct peer *peer, uint64_t va)
{
    enum { LAST = 0xa5 };
    static const uint8_t code[PAGE_BYTES], memory[PAGE_BYTES] = {[PAGE_BYTES - 1] = LAST};
    static uint8_t bytes[0x10000], reply[ALT_BYTES + PAGE_BYTES];
    const struct harness *h = peer->harness;
    struct frame *f = h->frame;
    struct frame_call call = {"write", 3, {1, va, 1}, h->base, h->base + h->call_at};
    struct peer probe = *peer;
    uint8_t *last = reply + h->dump_bytes + PAGE_BYTES - 1;

    probe.reply = reply;
    if (!frame_write_call(f, bytes, &call, h->base + ALT_AT, ALT_BYTES) ||
        !process_send(&probe.process, bytes, f->facts->frame_bytes) ||
        !process_send(&probe.process, code, PAGE_BYTES) ||
        !process_send(&probe.process, memory, PAGE_BYTES) || !receive(&probe))
        return false;
    return *last != LAST && process_receive(&probe.process, last, 1);
}

/* ---- comparing ------------------------------------------------------------------------------- */

u128 peer_part(const struct peer *peer, const struct carried *part)
{
    return guest_get(peer->harness->frame->facts, peer->reply + part->at, part->bytes) &
           frame_part_mask(part);
}

static uint32_t reply_signal(const struct peer *peer)
{
    const struct frame *f = peer->harness->frame;

    return (uint32_t)guest_get(f->facts, peer->reply + f->info_at, 4);
}

uint32_t signal_expected(const struct frame *f)
{
    const char *name = machine_signal(f->m);

    for (unsigned n = 0; n < HARNESS_SIGNALS; n++)
        if (!strcmp(harness_signals[n].name, name))
            return abi_signal(f->facts, name, harness_signals[n].host);
    return 0;
}

static const char *signal_name(const struct frame *f, uint32_t number)
{
    for (unsigned n = 0; n < HARNESS_SIGNALS; n++)
        if (abi_signal(f->facts, harness_signals[n].name, harness_signals[n].host) == number)
            return harness_signals[n].name;
    return "another signal";
}

static bool agrees(const struct peer *peer, struct program *p)
{
    struct frame *f = peer->harness->frame;

    machine_load(f->m, &p->after);
    if (peer->broke || reply_signal(peer) != signal_expected(f))
        return false;
    vec_for_each (&f->parts, part)
        if (!part->lost && peer_part(peer, part) != frame_part(f, part))
            return false;
    return memcmp(peer->reply + peer->harness->dump_bytes, p->after.w.memory, PAGE_BYTES) == 0;
}

bool peer_differs(struct peer *peer, struct program *p)
{
    if (peer_run(peer, p) && agrees(peer, p))
        return false;
    if (peer->broke || p->after.w.leaving != MISSED)
        return true;
    return !has_memory(peer, p->after.w.va) && !has_memory(peer, p->after.w.va + 15);
}

static void print_value(FILE *out, u128 value, unsigned bytes)
{
    fputs("0x", out);
    if (bytes > 8)
        fprintf(out, "%0*" PRIx64, (int)(bytes - 8) * 2, (uint64_t)(value >> 64));
    fprintf(out, "%0*" PRIx64, (int)(bytes > 8 ? 8 : bytes) * 2, (uint64_t)value);
}

void peer_print(const struct peer *peer, struct program *p, FILE *out)
{
    struct frame *f = peer->harness->frame;
    const uint8_t *memory = peer->reply + peer->harness->dump_bytes;

    machine_load(f->m, &p->after);
    if (peer->broke) {
        fprintf(out, "    %s\n", peer->broke);
        return;
    }
    if (reply_signal(peer) != signal_expected(f))
        fprintf(out, "    signal: %s, there %s\n", machine_signal(f->m),
                signal_name(f, reply_signal(peer)));
    vec_for_each (&f->parts, part) {
        u128 own = frame_part(f, part), other = peer_part(peer, part);

        if (part->lost || own == other)
            continue;
        fprintf(out, "    %s: ", part->name);
        print_value(out, own, part->bytes);
        fputs(", there ", out);
        print_value(out, other, part->bytes);
        fputc('\n', out);
    }
    for (unsigned n = 0; n < PAGE_BYTES; n++)
        if (memory[n] != p->after.w.memory[n])
            fprintf(out, "    byte at %#" PRIx64 ": %02x, there %02x\n", f->m->memory_at + n,
                    p->after.w.memory[n], memory[n]);
}
