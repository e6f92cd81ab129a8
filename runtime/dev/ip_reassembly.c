/*
 * The reassembly of the guest's IPv4 fragments: a datagram is a buffer with one bit per eight
 * bytes.
 *
 * Bounds      REASSEMBLY_MAX datagrams of 64 KB at a time, each for REASSEMBLY_NS; a fragment is
 *             compared with each of them and copied
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/dev/ip_reassembly.h"

enum { ETHERNET = 14, HEADER_MIN = 20, HEADER_MAX = 60, DATAGRAM_MAX = 65535, UNIT = 8 };
enum { TYPE_IPV4 = 0x0800, MORE = 0x2000, OFFSET = 0x1fff };

/* Offsets of the fields of an IP header. */
enum { LENGTH = 2, IDENTIFICATION = 4, FLAGS = 6, PROTOCOL = 9, CHECKSUM = 10, ADDRESSES = 12 };

struct datagram {
    uint64_t began;
    size_t header;  /* bytes of `head`, with Ethernet's; 0: the first fragment is missing */
    size_t content; /* bytes of the whole; 0: the last fragment is missing */
    size_t end;     /* end of the furthest fragment */
    size_t units;   /* received units */
    uint8_t key[11];
    uint8_t head[ETHERNET + HEADER_MAX];
    uint8_t received_units[DATAGRAM_MAX / UNIT / 8 + 1]; /* bit u: unit u was received */
    uint8_t bytes[ETHERNET + HEADER_MAX + DATAGRAM_MAX]; /* content from HEADER_MAX on */
};

/* A fragment, as its header describes it. */
struct piece {
    const uint8_t *ip;
    size_t header, offset, len;
    bool more;
};

static unsigned get_be16(const uint8_t *bytes)
{
    return (unsigned)bytes[0] << 8 | bytes[1];
}

static void put_be16(uint8_t *bytes, unsigned value)
{
    bytes[0] = (uint8_t)(value >> 8);
    bytes[1] = (uint8_t)value;
}

/* Zero for a header with a right checksum. */
static unsigned header_checksum(const uint8_t *ip, size_t header)
{
    uint32_t sum = 0;

    for (size_t at = 0; at < header; at += 2)
        sum += get_be16(ip + at);
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return ~sum & 0xffff;
}

bool ip_is_fragment(const uint8_t *frame, size_t len)
{
    return len >= ETHERNET + HEADER_MIN && get_be16(frame + 12) == TYPE_IPV4 &&
           get_be16(frame + ETHERNET + FLAGS) & (MORE | OFFSET);
}

static bool parse_fragment(struct piece *p, const uint8_t *frame, size_t len)
{
    size_t total;

    p->ip = frame + ETHERNET;
    p->header = (p->ip[0] & 15u) * 4;
    total = get_be16(p->ip + LENGTH);
    if (p->ip[0] >> 4 != 4 || p->header < HEADER_MIN || total <= p->header ||
        total > len - ETHERNET || header_checksum(p->ip, p->header))
        return false;
    p->len = total - p->header;
    p->offset = (size_t)(get_be16(p->ip + FLAGS) & OFFSET) * UNIT;
    p->more = get_be16(p->ip + FLAGS) & MORE;
    return p->header + p->offset + p->len <= DATAGRAM_MAX && (!p->more || p->len % UNIT == 0);
}

/* The datagram of the fragment: same addresses, protocol and identification. */
static struct datagram *find_datagram(struct ip_reassembly *r, uint64_t now, const struct piece *p)
{
    uint8_t key[sizeof(r->datagrams[0]->key)];
    struct datagram **place = NULL;

    memcpy(key, p->ip + ADDRESSES, 8);
    memcpy(key + 8, p->ip + IDENTIFICATION, 2);
    key[10] = p->ip[PROTOCOL];
    for (size_t n = 0; n < REASSEMBLY_MAX; n++) {
        struct datagram **d = &r->datagrams[n];

        if (*d && now - (*d)->began >= REASSEMBLY_NS) {
            free(*d);
            *d = NULL;
        }
        if (*d && !memcmp((*d)->key, key, sizeof(key)))
            return *d;
        if (!place || (*place && (!*d || (*d)->began < (*place)->began)))
            place = d;
    }
    free(*place);
    *place = xcalloc(1, sizeof(**place));
    (*place)->began = now;
    memcpy((*place)->key, key, sizeof(key));
    return *place;
}

/* Adds the fragment; what has come before stays as it is. */
static void add_fragment(struct datagram *d, const uint8_t *frame, const struct piece *p)
{
    const uint8_t *from = p->ip + p->header;

    if (!p->offset) {
        d->header = ETHERNET + p->header;
        memcpy(d->head, frame, d->header);
    }
    if (!p->more)
        d->content = p->offset + p->len;
    if (d->end < p->offset + p->len)
        d->end = p->offset + p->len;
    for (size_t at = 0; at < p->len; at += UNIT) {
        size_t unit = (p->offset + at) / UNIT, part = p->len - at < UNIT ? p->len - at : UNIT;

        if (d->received_units[unit / 8] & 1u << unit % 8)
            continue;
        d->received_units[unit / 8] |= (uint8_t)(1u << unit % 8);
        d->units++;
        memcpy(d->bytes + sizeof(d->head) + unit * UNIT, from + at, part);
    }
}

static void take_out(struct ip_reassembly *r, const struct datagram *d)
{
    for (size_t n = 0; n < REASSEMBLY_MAX; n++) {
        if (r->datagrams[n] == d)
            r->datagrams[n] = NULL;
    }
}

/* Makes a frame of the content and the first fragment's header. */
static const uint8_t *finish_datagram(struct datagram *d, size_t *len)
{
    uint8_t *frame = d->bytes + sizeof(d->head) - d->header, *ip = frame + ETHERNET;
    size_t header = d->header - ETHERNET;

    memcpy(frame, d->head, d->header);
    put_be16(ip + LENGTH, (unsigned)(header + d->content));
    put_be16(ip + FLAGS, 0);
    put_be16(ip + CHECKSUM, 0);
    put_be16(ip + CHECKSUM, header_checksum(ip, header));
    *len = d->header + d->content;
    return frame;
}

const uint8_t *ip_reassemble(struct ip_reassembly *r, uint64_t now, const uint8_t *frame,
                             size_t len, size_t *whole_len)
{
    struct datagram *d;
    struct piece p;

    free(r->last_returned);
    r->last_returned = NULL;
    if (!parse_fragment(&p, frame, len))
        return NULL;
    d = find_datagram(r, now, &p);
    add_fragment(d, frame, &p);
    if (!d->header || !d->content || d->units < (d->content + UNIT - 1) / UNIT)
        return NULL;
    take_out(r, d);
    r->last_returned = d;
    /* Fragments that contradict each other make no datagram. */
    if (d->end > d->content || d->header - ETHERNET + d->content > DATAGRAM_MAX)
        return NULL;
    return finish_datagram(d, whole_len);
}

void ip_reassembly_clear(struct ip_reassembly *r)
{
    free(r->last_returned);
    for (size_t n = 0; n < REASSEMBLY_MAX; n++)
        free(r->datagrams[n]);
    *r = (struct ip_reassembly){0};
}
