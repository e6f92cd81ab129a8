/*
 * The IPv4 fragments of a guest, put together to datagrams before libslirp sees them: libslirp itself
 * keeps all that is never finished, in one list, and crashes when the last fragment comes first (4.7).
 *
 * At most REASSEMBLY_MAX are under way; the one that began first makes room for another. One that is not
 * whole REASSEMBLY_NS after its first fragment is given up.
 */
#ifndef RUNTIME_DEV_IP_REASSEMBLY_H
#define RUNTIME_DEV_IP_REASSEMBLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REASSEMBLY_MAX 16u
#define REASSEMBLY_NS  UINT64_C(30000000000)

struct datagram;

/* Zero is one without fragments. */
struct ip_reassembly {
    struct datagram *datagrams[REASSEMBLY_MAX]; /* NULL: none */
    struct datagram *whole;                     /* the one returned last */
};

/* Whether the Ethernet frame is a fragment of an IPv4 datagram. */
bool ip_is_fragment(const uint8_t *frame, size_t len);

/*
 * Takes a fragment at the time `now`. When it completes its datagram, returns the frame of the whole,
 * which is valid until the next call; otherwise NULL. A fragment that is not well formed is dropped.
 */
const uint8_t *ip_reassemble(struct ip_reassembly *r, uint64_t now, const uint8_t *frame,
                             size_t len, size_t *whole_len);

/* Releases what is under way. */
void ip_reassembly_clear(struct ip_reassembly *r);

#endif
