/* Fragments in all orders, and malformed ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/dev/ip_reassembly.h"

#define ETHERNET 14u
#define IP       20u
#define UDP      17u
#define LAST     UINT64_C(29999999999)

struct fixture {
    struct ip_reassembly r;
    uint64_t now;
    uint8_t content[65536];
    const uint8_t *whole; /* the packet that the last fragment completed */
    size_t len;
};

static void put_be16(uint8_t *to, size_t value)
{
    to[0] = (uint8_t)(value >> 8);
    to[1] = (uint8_t)value;
}

static unsigned get_be16(const uint8_t *from)
{
    return (unsigned)from[0] << 8 | from[1];
}

static unsigned checksum_header(const uint8_t *ip, size_t header)
{
    uint32_t total = 0;

    for (size_t n = 0; n < header; n += 2)
        total += get_be16(ip + n);
    total = (total & 0xffff) + (total >> 16);
    return (total + (total >> 16)) & 0xffff;
}

static int setup(void **state)
{
    struct fixture *f = xcalloc(1, sizeof(*f));

    for (size_t n = 0; n < sizeof(f->content); n++)
        f->content[n] = (uint8_t)(n * 11 + n / 256);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    ip_reassembly_clear(&f->r);
    for (size_t n = 0; n < REASSEMBLY_MAX; n++)
        assert_null(f->r.datagrams[n]);
    free(f);
    return 0;
}

/* Makes a frame with a valid checksum and an IP header of `header` bytes. Release with free(). */
static uint8_t *make_fragment(const struct fixture *f, unsigned id, size_t header, size_t at,
                              size_t len, bool more)
{
    uint8_t *frame = xcalloc(1, ETHERNET + header + len), *ip = frame + ETHERNET;

    memset(frame, (int)(at / 8) & 0x7f, 12);
    put_be16(frame + 12, 0x0800);
    ip[0] = (uint8_t)(0x40 | header / 4);
    put_be16(ip + 2, header + len);
    put_be16(ip + 4, id);
    put_be16(ip + 6, at / 8 | (more ? 0x2000 : 0));
    ip[8] = 64;
    ip[9] = UDP;
    memset(ip + 12, 0x0a, 8);
    put_be16(ip + 10, ~checksum_header(ip, header) & 0xffff);
    memcpy(ip + header, f->content + at, len);
    return frame;
}

static bool give_fragment(struct fixture *f, uint8_t *frame, size_t len)
{
    f->len = 0;
    f->whole = ip_reassemble(&f->r, f->now, frame, len, &f->len);
    free(frame);
    return f->whole;
}

static bool give_piece(struct fixture *f, unsigned id, size_t at, size_t len, bool more)
{
    return give_fragment(f, make_fragment(f, id, IP, at, len, more), ETHERNET + IP + len);
}

static void expect_whole(const struct fixture *f, size_t header, size_t len)
{
    assert_non_null(f->whole);
    assert_int_equal(f->len, ETHERNET + header + len);
    assert_int_equal(get_be16(f->whole + ETHERNET + 2), header + len);
    assert_int_equal(get_be16(f->whole + ETHERNET + 6), 0);
    assert_int_equal(checksum_header(f->whole + ETHERNET, header), 0xffff);
    assert_int_equal(f->whole[ETHERNET], 0x40 | header / 4);
    assert_int_equal(f->whole[0], 0); /* the first fragment's Ethernet header */
    assert_memory_equal(f->whole + ETHERNET + header, f->content, len);
}

static unsigned under_way(const struct fixture *f)
{
    unsigned count = 0;

    for (size_t n = 0; n < REASSEMBLY_MAX; n++)
        count += f->r.datagrams[n] != NULL;
    return count;
}

static void test_is_fragment(void **state)
{
    struct fixture *f = *state;
    uint8_t *frame = make_fragment(f, 1, IP, 0, 8, true);

    assert_true(ip_is_fragment(frame, ETHERNET + IP));
    assert_false(ip_is_fragment(frame, ETHERNET + IP - 1));
    put_be16(frame + ETHERNET + 6, 1);
    assert_true(ip_is_fragment(frame, ETHERNET + IP));
    put_be16(frame + ETHERNET + 6, 0x1000);
    assert_true(ip_is_fragment(frame, ETHERNET + IP));
    put_be16(frame + ETHERNET + 6, 0xc000);
    assert_false(ip_is_fragment(frame, ETHERNET + IP));
    put_be16(frame + ETHERNET + 6, 0x2000);
    put_be16(frame + 12, 0x0806);
    assert_false(ip_is_fragment(frame, ETHERNET + IP));
    free(frame);
}

/* Three pieces in each of the six orders, the last of an odd length. */
static void test_orders(void **state)
{
    static const uint8_t order[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                       {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    static const size_t at[] = {0, 1000, 2000}, len[] = {1000, 1000, 13};
    struct fixture *f = *state;

    for (size_t n = 0; n < 6; n++) {
        for (size_t k = 0; k < 3; k++) {
            unsigned p = order[n][k];

            assert_int_equal(give_piece(f, 5, at[p], len[p], p < 2), k == 2);
        }
        expect_whole(f, IP, 2013);
        assert_int_equal(under_way(f), 0);
    }
}

/* Options of the first fragment are kept, those of others are ignored. */
static void test_options(void **state)
{
    struct fixture *f = *state;

    assert_false(give_fragment(f, make_fragment(f, 1, 60, 0, 8, true), ETHERNET + 60 + 8));
    assert_true(give_fragment(f, make_fragment(f, 1, 24, 8, 8, false), ETHERNET + 24 + 8));
    expect_whole(f, 60, 16);
}

static void test_overlap(void **state)
{
    struct fixture *f = *state;
    uint8_t *other = make_fragment(f, 1, IP, 8, 24, true);

    assert_false(give_piece(f, 1, 0, 16, true));
    assert_false(give_piece(f, 1, 0, 16, true));
    memset(other + ETHERNET + IP, 0xee, 8); /* overlaps bytes that came before */
    assert_false(give_fragment(f, other, ETHERNET + IP + 24));
    assert_true(give_piece(f, 1, 24, 11, false));
    expect_whole(f, IP, 35);
}

/* Datagrams are told apart by addresses, protocol and number. */
static void test_keys(void **state)
{
    static const size_t place[] = {4, 5, 9, 12, 19};
    struct fixture *f = *state;

    assert_false(give_piece(f, 1, 0, 8, true));
    for (size_t n = 0; n < sizeof(place) / sizeof(place[0]); n++) {
        uint8_t *frame = make_fragment(f, 1, IP, 8, 8, false), *ip = frame + ETHERNET;

        ip[place[n]] ^= 0x40;
        put_be16(ip + 10, 0);
        put_be16(ip + 10, ~checksum_header(ip, IP) & 0xffff);
        assert_false(give_fragment(f, frame, ETHERNET + IP + 8));
        assert_int_equal(under_way(f), n + 2);
    }
    assert_true(give_piece(f, 1, 8, 8, false));
    expect_whole(f, IP, 16);
}

/* With REASSEMBLY_MAX + 1 unfinished datagrams, only the one that began first is dropped. */
static void test_bound(void **state)
{
    struct fixture *f = *state;

    for (unsigned id = 0; id <= REASSEMBLY_MAX; id++) {
        f->now += 10;
        assert_false(give_piece(f, id, 0, 8, true));
    }
    assert_int_equal(under_way(f), REASSEMBLY_MAX);
    for (unsigned id = 1; id <= REASSEMBLY_MAX; id++)
        assert_true(give_piece(f, id, 8, 8, false));
    assert_false(give_piece(f, 0, 8, 8, false));
    assert_int_equal(under_way(f), 1);
}

static void test_time(void **state)
{
    struct fixture *f = *state;

    f->now = 7;
    assert_false(give_piece(f, 1, 0, 8, true));
    assert_false(give_piece(f, 2, 0, 8, true));
    f->now = 7 + LAST;
    assert_true(give_piece(f, 2, 8, 8, false));
    f->now++;
    assert_false(give_piece(f, 1, 8, 8, false));
    assert_int_equal(under_way(f), 1);
}

/* The largest possible datagram, and one byte more. */
static void test_largest(void **state)
{
    struct fixture *f = *state;
    size_t most = 65535 - IP;

    assert_false(give_piece(f, 1, 0, 32768, true));
    assert_false(give_piece(f, 1, most / 8 * 8, most % 8 + 1, false));
    assert_false(give_piece(f, 1, 65528, 8, true));
    assert_true(give_piece(f, 1, 32768, most - 32768, false));
    expect_whole(f, IP, most);
    /* With the first fragment's options it would be too large. */
    assert_false(give_piece(f, 2, 32768, most - 32768, false));
    assert_false(give_fragment(f, make_fragment(f, 2, 24, 0, 32768, true), ETHERNET + 24 + 32768));
    assert_int_equal(under_way(f), 0);
}

static void test_malformed(void **state)
{
    struct fixture *f = *state;
    uint8_t *frame;

    assert_false(give_piece(f, 1, 0, 9, true));
    assert_false(give_piece(f, 1, 0, 0, true));
    assert_false(give_fragment(f, make_fragment(f, 1, 16, 0, 8, true), ETHERNET + 16 + 8));
    assert_false(give_fragment(f, make_fragment(f, 1, IP, 0, 8, true), ETHERNET + IP + 7));
    frame = make_fragment(f, 1, IP, 0, 8, true);
    frame[ETHERNET + 10] ^= 1;
    assert_false(give_fragment(f, frame, ETHERNET + IP + 8));
    frame = make_fragment(f, 1, IP, 0, 8, true);
    frame[ETHERNET] = 0x55;
    frame[ETHERNET + 10] -= 0x10;
    assert_false(give_fragment(f, frame, ETHERNET + IP + 8));
    assert_int_equal(under_way(f), 0);
}

/* Bytes after the length in the IP header are Ethernet padding. */
static void test_padding(void **state)
{
    struct fixture *f = *state;
    uint8_t *frame = xrealloc(make_fragment(f, 1, IP, 8, 3, false), 60, 1);

    assert_false(give_piece(f, 1, 0, 8, true));
    assert_true(give_fragment(f, frame, 60));
    expect_whole(f, IP, 11);
}

/* A fragment after the last one: the datagram is dropped. */
static void test_contradiction(void **state)
{
    struct fixture *f = *state;

    assert_false(give_piece(f, 1, 16, 8, true));
    assert_false(give_piece(f, 1, 0, 8, true));
    assert_false(give_piece(f, 1, 8, 8, false));
    assert_int_equal(under_way(f), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_is_fragment, setup, teardown),
        cmocka_unit_test_setup_teardown(test_orders, setup, teardown),
        cmocka_unit_test_setup_teardown(test_options, setup, teardown),
        cmocka_unit_test_setup_teardown(test_overlap, setup, teardown),
        cmocka_unit_test_setup_teardown(test_keys, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bound, setup, teardown),
        cmocka_unit_test_setup_teardown(test_time, setup, teardown),
        cmocka_unit_test_setup_teardown(test_largest, setup, teardown),
        cmocka_unit_test_setup_teardown(test_malformed, setup, teardown),
        cmocka_unit_test_setup_teardown(test_padding, setup, teardown),
        cmocka_unit_test_setup_teardown(test_contradiction, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
