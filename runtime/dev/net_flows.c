/*
 * TCP connections by the segments of the guest: RFC 791, RFC 9293.
 *
 * Bounds      NET_FLOWS connections
 */
#include "runtime/dev/net_flows.h"

#include <string.h>

enum { ETHERNET = 14, IP = 20, TCP = 20, TCP_FLAGS = 13, TYPE_IPV4 = 0x0800, PROTOCOL_TCP = 6 };
enum { FLAG_RST = 4, FLAG_ACK = 16 };

static unsigned get_be16(const uint8_t *bytes)
{
    return (unsigned)bytes[0] << 8 | bytes[1];
}

static void put_be16(uint8_t *bytes, unsigned value)
{
    bytes[0] = (uint8_t)(value >> 8);
    bytes[1] = (uint8_t)value;
}

/* The TCP segment of a frame, whose IP header is at ETHERNET; NULL: it has none. */
static const uint8_t *segment_of(const uint8_t *frame, size_t len)
{
    const uint8_t *ip = frame + ETHERNET;
    size_t head;

    if (len < ETHERNET + IP + TCP || get_be16(frame + 12) != TYPE_IPV4 || ip[0] >> 4 != 4 ||
        ip[9] != PROTOCOL_TCP || get_be16(ip + 6) & 0x3fff)
        return NULL; /* fragments are reassembled before */
    head = (ip[0] & 15u) * 4;
    return head >= IP && len >= ETHERNET + head + TCP ? ip + head : NULL;
}

static struct net_flow flow_of(const uint8_t *frame, const uint8_t *tcp)
{
    struct net_flow flow;

    memcpy(flow.peer_mac, frame, 6);
    memcpy(flow.guest_mac, frame + 6, 6);
    memcpy(flow.guest_ip, frame + ETHERNET + 12, 4);
    memcpy(flow.peer_ip, frame + ETHERNET + 16, 4);
    memcpy(flow.guest_port, tcp, 2);
    memcpy(flow.peer_port, tcp + 2, 2);
    memcpy(flow.expected, tcp + 8, 4);
    return flow;
}

static bool is_same(const struct net_flow *a, const struct net_flow *b)
{
    return !memcmp(a->guest_ip, b->guest_ip, 4) && !memcmp(a->peer_ip, b->peer_ip, 4) &&
           !memcmp(a->guest_port, b->guest_port, 2) && !memcmp(a->peer_port, b->peer_port, 2);
}

/* The place of a connection; f->count: it is not known. */
static unsigned place_of(const struct net_flows *f, const struct net_flow *flow)
{
    unsigned i = 0;

    while (i < f->count && !is_same(&f->flow[i], flow))
        i++;
    return i;
}

void net_flows_note(struct net_flows *f, const uint8_t *frame, size_t len)
{
    const uint8_t *tcp = segment_of(frame, len);
    struct net_flow flow;
    unsigned place;

    if (!tcp)
        return;
    flow = flow_of(frame, tcp);
    place = place_of(f, &flow);
    if (tcp[TCP_FLAGS] & FLAG_RST) {
        if (place < f->count) {
            f->flow[place] = f->flow[--f->count];
            f->oldest = 0;
        }
        return;
    }
    if (!(tcp[TCP_FLAGS] & FLAG_ACK))
        return; /* the first segment, which the guest repeats if there is no answer */
    if (place == NET_FLOWS) {
        place = f->oldest;
        f->oldest = (f->oldest + 1) % NET_FLOWS;
    } else if (place == f->count) {
        f->count++;
    }
    f->flow[place] = flow;
}

/* ---- the probe ------------------------------------------------------------------------------- */

static uint32_t add_words(uint32_t sum, const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i += 2)
        sum += get_be16(bytes + i);
    return sum;
}

static unsigned checksum(uint32_t sum)
{
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return ~sum & 0xffff;
}

/* The number before another, in the order of the wire. */
static void decrement(uint8_t bytes[4])
{
    for (unsigned i = 4; i--;) {
        if (bytes[i]--)
            return;
    }
}

void net_flows_probe(const struct net_flow *flow, uint8_t probe[NET_PROBE_BYTES])
{
    uint8_t *ip = probe + ETHERNET, *tcp = ip + IP;

    memset(probe, 0, NET_PROBE_BYTES);
    memcpy(probe, flow->guest_mac, 6);
    memcpy(probe + 6, flow->peer_mac, 6);
    put_be16(probe + 12, TYPE_IPV4);
    ip[0] = 4 << 4 | IP / 4;
    put_be16(ip + 2, IP + TCP);
    ip[8] = 64; /* hops */
    ip[9] = PROTOCOL_TCP;
    memcpy(ip + 12, flow->peer_ip, 4);
    memcpy(ip + 16, flow->guest_ip, 4);
    put_be16(ip + 10, checksum(add_words(0, ip, IP)));
    memcpy(tcp, flow->peer_port, 2);
    memcpy(tcp + 2, flow->guest_port, 2);
    memcpy(tcp + 4, flow->expected, 4);
    decrement(tcp + 4);
    tcp[12] = TCP / 4 << 4;
    tcp[TCP_FLAGS] = FLAG_ACK;
    put_be16(tcp + 16, checksum(add_words(add_words(PROTOCOL_TCP + TCP, ip + 12, 8), tcp, TCP)));
}

void net_flows_announce(const struct net_flow *flow, uint8_t frame[NET_ARP_BYTES])
{
    static const uint8_t head[] = {0x08, 0x06, 0, 1, 0x08,
                                   0,    6,    4, 0, 1}; /* a request by Ethernet */
    uint8_t *sender = frame + 12 + sizeof(head);

    memset(frame, 0, NET_ARP_BYTES);
    memset(frame, 0xff, 6);
    memcpy(frame + 6, flow->guest_mac, 6);
    memcpy(frame + 12, head, sizeof(head));
    memcpy(sender, flow->guest_mac, 6);
    memcpy(sender + 6, flow->guest_ip, 4);
    memcpy(sender + 16, flow->guest_ip, 4);
}

/* ---- snapshots ------------------------------------------------------------------------------- */

void net_flows_save(const struct net_flows *f, struct state_buf *buf)
{
    state_put(buf, f->flow, f->count * sizeof(*f->flow));
}

void net_flows_load(struct net_flows *f, const uint8_t *bytes, size_t len)
{
    f->count = f->oldest = 0;
    if (len % sizeof(*f->flow) || len > sizeof(f->flow))
        return;
    f->count = (unsigned)(len / sizeof(*f->flow));
    if (len)
        memcpy(f->flow, bytes, len);
}
