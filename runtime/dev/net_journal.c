/*
 * A network back end that records what another one delivers, or delivers what was recorded. A frame
 * that answers one of the guest's at once is delivered at once in a replay as well, others come
 * between two turns.
 *
 * Bounds      a frame of the guest is delivered the answers that were recorded for it
 */
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/dev/net.h"
#include "runtime/obs/journal.h"

struct net_journal {
    struct net_backend backend;
    struct net_backend *inner; /* NULL: a replay */
    struct journal *journal;
    uint32_t number;
    bool sending; /* the guest's frame is being handled */
};

static void record_frame(void *opaque, const uint8_t *frame, size_t len)
{
    struct net_journal *net = opaque;

    if (journal_is_replay(net->journal))
        return; /* it comes while the machine is back in its past */
    journal_write(net->journal, net->sending ? JOURNAL_FRAME_BACK : JOURNAL_FRAME, net->number,
                  frame, len);
    net_receive(&net->backend, frame, len);
}

/* Delivers the answers to the guest's frame. */
static void replay_answers(struct net_journal *net)
{
    const struct journal_entry *e;

    /* One of the guest's frames in a turn may have answers, and another none. */
    while ((e = journal_peek(net->journal)) != NULL && e->kind == JOURNAL_FRAME_BACK &&
           e->source == net->number) {
        struct journal_entry now = *e;

        journal_step(net->journal);
        net_receive(&net->backend, now.bytes, now.len);
    }
    if (journal_take(net->journal, JOURNAL_SENT, net->number))
        journal_step(net->journal);
}

static void send_live(struct net_journal *net, const uint8_t *frame, size_t len)
{
    net->inner->send(net->inner, frame, len);
    journal_write(net->journal, JOURNAL_SENT, net->number, NULL, 0);
}

static void send_frame(struct net_backend *backend, const uint8_t *frame, size_t len)
{
    struct net_journal *net = (struct net_journal *)(void *)backend;

    net->sending = true;
    if (!journal_is_replay(net->journal))
        send_live(net, frame, len);
    else
        replay_answers(net);
    net->sending = false;
}

static void destroy(struct net_backend *backend)
{
    struct net_journal *net = (struct net_journal *)(void *)backend;

    if (net->inner)
        net->inner->destroy(net->inner);
    free(net);
}

struct net_backend *net_journal_new(struct net_backend *inner, struct journal *journal,
                                    uint32_t number)
{
    struct net_journal *net = xcalloc(1, sizeof(*net));

    net->backend = (struct net_backend){.name = "recorded", .send = send_frame, .destroy = destroy};
    net->inner = inner;
    net->journal = journal;
    net->number = number;
    if (inner) {
        inner->receive = record_frame;
        inner->card = net;
    }
    return &net->backend;
}
