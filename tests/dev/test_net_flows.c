/* The connections of a guest by its segments: which are known, and in snapshots. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/dev/net_flows.h"

enum { SYN = 2, RST = 4, ACK = 16, BYTES = 54 };

/* A segment from 10.0.2.15, port `port`, to 10.0.2.2, port 80, that acknowledges `acknowledged`. */
static void note(struct net_flows *f, unsigned port, unsigned acknowledged, unsigned flags)
{
    uint8_t frame[BYTES] = {[0] = 0x52, 0x55, 10, 0, 2, 2,    0x52,      0x54,       0,
                            1,          2,    3,  8, 0, 0x45, [23] = 6,  [26] = 10,  0,
                            2,          15,   10, 0, 2, 2,    [37] = 80, [46] = 0x50};

    frame[34] = (uint8_t)(port >> 8);
    frame[35] = (uint8_t)port;
    frame[44] = (uint8_t)(acknowledged >> 8);
    frame[45] = (uint8_t)acknowledged;
    frame[47] = (uint8_t)flags;
    net_flows_note(f, frame, sizeof(frame));
}

static unsigned port_of(const struct net_flow *flow)
{
    return flow->guest_port[0] << 8 | flow->guest_port[1];
}

static void connections_are_known_until_a_reset(void **state)
{
    static struct net_flows f;

    (void)state;
    note(&f, 1000, 0, SYN);
    assert_int_equal(f.count, 0);
    note(&f, 1000, 7, ACK);
    note(&f, 1001, 8, ACK);
    note(&f, 1000, 9, ACK);
    assert_int_equal(f.count, 2);
    assert_int_equal(port_of(&f.flow[0]), 1000);
    assert_int_equal(f.flow[0].expected[3], 9);
    note(&f, 1000, 0, RST);
    assert_int_equal(f.count, 1);
    assert_int_equal(port_of(&f.flow[0]), 1001);
    note(&f, 1000, 0, RST | ACK);
    assert_int_equal(f.count, 1);
}

static void other_frames_are_ignored(void **state)
{
    static struct net_flows f;
    uint8_t frame[BYTES] = {[12] = 8, 0, 0x45, [23] = 6, [47] = ACK};

    (void)state;
    net_flows_note(&f, frame, BYTES - 1);
    frame[14] = 0x44; /* a header of 16 bytes */
    net_flows_note(&f, frame, BYTES);
    frame[14] = 0x46; /* one with options, which leave no room for the segment */
    net_flows_note(&f, frame, BYTES);
    frame[14] = 0x45;
    frame[20] = 0x20; /* a fragment */
    net_flows_note(&f, frame, BYTES);
    frame[20] = 0;
    frame[23] = 17;
    net_flows_note(&f, frame, BYTES);
    frame[23] = 6;
    frame[13] = 6;
    net_flows_note(&f, frame, BYTES);
    assert_int_equal(f.count, 0);
    frame[13] = 0;
    net_flows_note(&f, frame, BYTES);
    assert_int_equal(f.count, 1);
}

static void the_oldest_is_replaced(void **state)
{
    static struct net_flows f;

    (void)state;
    for (unsigned port = 0; port < NET_FLOWS + 2; port++)
        note(&f, 1000 + port, port, ACK);
    assert_int_equal(f.count, NET_FLOWS);
    assert_int_equal(port_of(&f.flow[0]), 1000 + NET_FLOWS);
    assert_int_equal(port_of(&f.flow[1]), 1001 + NET_FLOWS);
    assert_int_equal(port_of(&f.flow[2]), 1002);
}

static void snapshots_keep_them(void **state)
{
    static struct net_flows f, loaded;
    struct state_buf buf = {0};

    (void)state;
    note(&f, 1000, 7, ACK);
    note(&f, 1001, 8, ACK);
    net_flows_save(&f, &buf);
    note(&loaded, 5, 5, ACK);
    net_flows_load(&loaded, buf.data, buf.len);
    assert_memory_equal(&f, &loaded, sizeof(f));
    net_flows_load(&loaded, buf.data, buf.len - 1);
    assert_int_equal(loaded.count, 0);
    net_flows_load(&loaded, buf.data, sizeof(f.flow) + sizeof(*f.flow));
    assert_int_equal(loaded.count, 0);
    state_buf_free(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(connections_are_known_until_a_reset),
        cmocka_unit_test(other_frames_are_ignored),
        cmocka_unit_test(the_oldest_is_replaced),
        cmocka_unit_test(snapshots_keep_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
