/*
 * The TCP connections of a guest, known by the segments that it sends. After a snapshot was loaded
 * the other sides of its connections are gone. A probe makes the guest say what it expects next,
 * and the network then answers that there is no such connection: the guest sees a reset.
 */
#ifndef RUNTIME_DEV_NET_FLOWS_H
#define RUNTIME_DEV_NET_FLOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/state.h"

enum {
    NET_FLOWS = 256,      /* most connections that are known: a new one replaces the oldest */
    NET_PROBE_BYTES = 54, /* of a probe: Ethernet, IPv4 and TCP, without options */
    NET_ARP_BYTES = 42,   /* of an announcement: Ethernet and ARP */
};

/* A connection; fields are in the order of bytes on the wire. */
struct net_flow {
    uint8_t guest_mac[6], peer_mac[6];
    uint8_t guest_ip[4], peer_ip[4];
    uint8_t guest_port[2], peer_port[2];
    uint8_t expected[4]; /* the sequence number that the guest acknowledged last */
};

/* Zero knows no connection. */
struct net_flows {
    struct net_flow flow[NET_FLOWS];
    unsigned count, oldest;
};

/* Notes a frame that the guest sends; frames without a TCP segment are ignored. */
void net_flows_note(struct net_flows *f, const uint8_t *frame, size_t len);

/* The probe for a connection: an empty segment in front of what the guest expects (RFC 9293,
 * section 3.10.7.4: it is answered by an acknowledgement). */
void net_flows_probe(const struct net_flow *flow, uint8_t probe[NET_PROBE_BYTES]);

/* The guest's announcement of its address (RFC 5227, section 3), by which a network that begins
 * anew knows where the guest is. */
void net_flows_announce(const struct net_flow *flow, uint8_t frame[NET_ARP_BYTES]);

/* Appends the connections to a snapshot, and replaces them by those of one. Bytes that are no
 * connections leave none. */
void net_flows_save(const struct net_flows *f, struct state_buf *buf);
void net_flows_load(struct net_flows *f, const uint8_t *bytes, size_t len);

#endif
