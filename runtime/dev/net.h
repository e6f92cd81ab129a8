/*
 * Back ends of network cards: a back end takes the frames that a card sends, and delivers frames
 * for the card by net_receive(). All functions are called on the machine's thread. Frames are
 * Ethernet's, from the destination address on, without checksum.
 */
#ifndef RUNTIME_DEV_NET_H
#define RUNTIME_DEV_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/error.h"
#include "runtime/base/log.h"
#include "runtime/base/state.h"
#include "runtime/time/clock.h"

struct net_backend {
    const char *name;
    /* A frame from the guest. It may call net_receive() before it returns. */
    void (*send)(struct net_backend *net, const uint8_t *frame, size_t len);
    void (*destroy)(struct net_backend *net);
    /* In snapshots: save() appends what load() needs, which is called when the card has its state,
     * and ends all connections. Both ends of them see that. NULL: there are no connections. */
    void (*save)(const struct net_backend *net, struct state_buf *buf);
    void (*load)(struct net_backend *net, const uint8_t *bytes, size_t len);

    /* Set by the card. NULL: there is no card, and frames for it are lost. */
    void (*receive)(void *card, const uint8_t *frame, size_t len);
    void *card;
};

/* Delivers a frame to the card; machine's thread only. */
static inline void net_receive(const struct net_backend *net, const uint8_t *frame, size_t len)
{
    if (net->receive)
        net->receive(net->card, frame, len);
}

struct journal;

/* A back end for card `number` of a recording, which takes over `inner`; of a replay if `inner` is
 * NULL. */
struct net_backend *net_journal_new(struct net_backend *inner, struct journal *journal,
                                    uint32_t number);

/*
 * User-mode network (libslirp): the guest is 10.0.2.15, the host 10.0.2.2, a name server 10.0.2.3.
 * `forward` are `count` strings "tcp:HOSTADDR:PORT-GUESTADDR:PORT" (or udp). An empty host address
 * is 127.0.0.1, out of reach of other hosts; an empty guest address is 10.0.2.15. The strings must
 * live as long as the back end.
 */
struct net_backend *net_user_new(struct clock *clock, struct log *log, bool restricted,
                                 char *const *forward, size_t count, struct error *err);

#endif
