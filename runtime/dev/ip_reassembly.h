/*
 * Reassembles the IPv4 fragments of a guest before libslirp receives them: libslirp itself keeps
 * every unfinished datagram, in one list, and crashes when the last fragment comes first (4.7).
 *
 * At most REASSEMBLY_MAX datagrams are unfinished; a new one replaces the oldest. A datagram that
 * is not whole REASSEMBLY_NS after its first fragment is dropped.
 */
#ifndef RUNTIME_DEV_IP_REASSEMBLY_H
#define RUNTIME_DEV_IP_REASSEMBLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REASSEMBLY_MAX 16u
#define REASSEMBLY_NS  UINT64_C(30000000000)

struct datagram;

/* Zero initialises it without fragments. */
struct ip_reassembly {
    struct datagram *datagrams[REASSEMBLY_MAX]; /* NULL: none */
    struct datagram *last_returned;             /* the datagram that was returned last */
};

/* Whether the Ethernet frame is a fragment of an IPv4 datagram. */
bool ip_is_fragment(const uint8_t *frame, size_t len);

/*
 * Takes a fragment at the time `now`. Returns the frame of the whole datagram if it is complete
 * now, valid until the next call; otherwise NULL. A malformed fragment is dropped.
 */
const uint8_t *ip_reassemble(struct ip_reassembly *r, uint64_t now, const uint8_t *frame,
                             size_t len, size_t *whole_len);

/* Releases all unfinished datagrams. */
void ip_reassembly_clear(struct ip_reassembly *r);

#endif
