/*
 * A virtio slot and its functions by VIRTIO 1.2: registers of section 4.2.2, the network card of
 * section 5.1 on a recording wire, and the entropy source of section 5.4.
 */
#include "tests/machine/rig.h"

#include <string.h>

#include "runtime/base/bits.h"
#include "runtime/base/random.h"
#include "runtime/dev/frame_queue.h"
#include "runtime/dev/net.h"

#define HEADER 12u

static const uint8_t mac[6] = {0x52, 0x54, 0, 1, 2, 3};

/* ---- network --------------------------------------------------------------------------------- */

static struct wire {
    struct net_backend backend;
    unsigned frames, destroyed;
    size_t last_len;
    uint8_t last[FRAME_MAX];
} wire;

static void wire_send(struct net_backend *net, const uint8_t *frame, size_t len)
{
    assert_ptr_equal(net, &wire.backend);
    wire.frames++;
    wire.last_len = len;
    memcpy(wire.last, frame, len);
}

static void wire_destroy(struct net_backend *net)
{
    assert_ptr_equal(net, &wire.backend);
    wire.destroyed++;
}

static struct rig *make_card(void)
{
    memset(&wire, 0, sizeof(wire));
    wire.backend = (struct net_backend){.name = "wire", .send = wire_send, .destroy = wire_destroy};
    return rig_new(virtio_net_new(&wire.backend, mac));
}

static uint64_t stat_of(const struct rig *r, const char *name)
{
    return stats_get(r->b->stats, r->b->env.name, name);
}

/* VIRTIO_NET_F_MAC and _STATUS; the address, link up, one pair of queues. */
static void test_card(void **unused)
{
    struct rig *r = make_card();

    (void)unused;
    assert_int_equal(rig_read(r, 0x008), 1);
    rig_write(r, 0x014, 0);
    assert_int_equal(rig_read(r, 0x010) & 0xffffff, 1 << 5 | 1 << 16);
    assert_int_equal(rig_read(r, 0x100), 0x01005452);
    assert_int_equal(rig_read(r, 0x104), 1u << 16 | 0x0302);
    assert_int_equal(rig_read(r, 0x108), 1);
    assert_int_equal(rig_read(r, 0x10c), 0);
    rig_write(r, 0x030, 1);
    assert_int_not_equal(rig_read(r, 0x034), 0);
    rig_write(r, 0x030, 2); /* there is no third queue */
    assert_int_equal(rig_read(r, 0x034), 0);
    rig_free(r);
    assert_int_equal(wire.destroyed, 1);
}

/* Frames of 1 to 65,536 bytes after their header. */
static void test_sending(void **unused)
{
    static const struct {
        uint32_t len;
        bool sent;
    } rows[] = {{HEADER - 1, false},        {HEADER, false},
                {HEADER + 1, true},         {HEADER + 1514, true},
                {HEADER + FRAME_MAX, true}, {HEADER + FRAME_MAX + 1, false}};
    struct rig *r = make_card();
    unsigned sent = 0;
    uint32_t len;

    (void)unused;
    assert_true(rig_start(r, VERSION_1, 1));
    for (unsigned i = 0; i < 64; i++)
        rig_put(r, BUFFER + i, 1, 100 + i);
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        rig_desc(r, rig_entry(DESC, 0), BUFFER, rows[i].len, 0, 0);
        rig_offer(r, 1, 0);
        assert_int_equal(rig_take(r, &len), 0);
        assert_int_equal(len, 0);
        sent += rows[i].sent;
        assert_int_equal(wire.frames, sent);
        if (rows[i].sent) {
            assert_int_equal(wire.last_len, rows[i].len - HEADER);
            assert_int_equal(wire.last[0], 112);
        }
    }
    assert_int_equal(stat_of(r, "frames_sent"), 3);
    assert_int_equal(stat_of(r, "frames_dropped"), 3);
    rig_free(r);
}

/*
 * Frames are received in order into buffers that are just large enough, after a header whose fields
 * are zero but num_buffers.
 */
static void test_receiving(void **unused)
{
    static const uint8_t first[60] = "the first frame", second[20] = "the second one";
    struct rig *r = make_card();
    uint32_t len;

    (void)unused;
    net_receive(&wire.backend, first, sizeof(first)); /* no driver has begun yet */
    assert_true(rig_start(r, VERSION_1, 0));
    net_receive(&wire.backend, first, sizeof(first));
    net_receive(&wire.backend, second, sizeof(second));
    for (unsigned i = 0; i < 80; i++)
        rig_put(r, BUFFER + i, 1, 0xee);
    rig_desc(r, rig_entry(DESC, 0), BUFFER, HEADER + sizeof(first), WRITE, 0);
    rig_offer(r, 0, 0);
    assert_int_equal(rig_take(r, &len), 0);
    assert_int_equal(len, HEADER + sizeof(first));
    assert_int_equal(rig_get(r, BUFFER, 8), 0);
    assert_int_equal(rig_get(r, BUFFER + 8, 4), 1 << 16);
    assert_int_equal(rig_get(r, BUFFER + HEADER, 4), 0x20656874); /* "the " */
    assert_int_equal(rig_get(r, BUFFER + HEADER + sizeof(first), 1), 0xee);
    rig_desc(r, rig_entry(DESC, 0), BUFFER, HEADER + sizeof(second) - 1, WRITE,
             0); /* 1 byte less than the frame */
    rig_offer(r, 0, 0);
    assert_int_equal(rig_take(r, &len), 0);
    assert_int_equal(len, 0);
    assert_int_equal(stat_of(r, "frames_received"), 1);
    assert_int_equal(stat_of(r, "frames_dropped"), 1);
    rig_offer(r, 0, 0); /* the buffer waits for a frame */
    assert_int_equal(rig_take(r, &len), -1);
    net_receive(&wire.backend, second, 7);
    rig_wait(r, 1000000);
    assert_int_equal(rig_take(r, &len), 0);
    assert_int_equal(len, HEADER + 7);
    net_receive(&wire.backend, second, 7); /* a driver's reset drops the buffer */
    assert_true(rig_start(r, VERSION_1, 0));
    rig_offer(r, 0, 0);
    assert_int_equal(rig_take(r, &len), -1);
    rig_free(r);
}

/* A frame that waits for the guest's buffer comes from a snapshot as from the network. */
static void test_saved_frames(void **unused)
{
    static const uint8_t frame[60] = "a frame that waits";
    struct rig *r = make_card();
    const struct virtio_function_class *cls = r->f->cls;
    struct state_buf buf = {0};
    struct error err = {""};
    uint32_t len;

    (void)unused;
    assert_true(rig_start(r, VERSION_1, 0));
    net_receive(&wire.backend, frame, sizeof(frame));
    cls->save(r->f, &buf);
    rig_free(r);
    r = make_card();
    assert_true(rig_start(r, VERSION_1, 0));
    assert_false(cls->load(r->f, buf.data, buf.len - 1, true, &err));
    assert_true(cls->load(r->f, buf.data, buf.len, false, &err));
    rig_desc(r, rig_entry(DESC, 0), BUFFER, HEADER + sizeof(frame), WRITE, 0);
    rig_offer(r, 0, 0);
    assert_int_equal(rig_take(r, &len), -1);
    assert_true(cls->load(r->f, buf.data, buf.len, true, &err));
    rig_offer(r, 0, 0);
    assert_int_equal(rig_take(r, &len), 0);
    assert_int_equal(len, HEADER + sizeof(frame));
    assert_int_equal(rig_get(r, BUFFER + HEADER, 8), 0x20656d6172662061); /* "a frame" */
    state_buf_free(&buf);
    rig_free(r);
}

/* ---- the slot itself: section 4.2.2 ---------------------------------------------------------- */

static void test_registers(void **unused)
{
    static const uint16_t strange[] = {0x018, 0x03c, 0x0c0};
    struct rig *r = make_card();

    (void)unused;
    bench_listen(r->b);
    assert_int_equal(rig_read(r, 0x00c), 0x636e6567); /* "genc" */
    rig_write(r, 0x014, 1);
    assert_int_equal(rig_read(r, 0x010), 1); /* VERSION_1 */
    rig_write(r, 0x014, 2);                  /* there are no features of these numbers */
    assert_int_equal(rig_read(r, 0x010), 0);
    rig_write(r, 0x0ac, 0); /* no shared memory: length and base are all ones */
    for (unsigned offset = 0x0b0; offset <= 0x0bc; offset += 4)
        assert_int_equal(rig_read(r, offset), UINT32_MAX);
    assert_int_equal(rig_read(r, 0x0fc), 0);
    assert_int_equal(bench_read_as(r->b, 0, BENCH_BASE + 0x102, 1),
                     0); /* third byte of the address */
    assert_int_equal(bench_read_as(r->b, 0, BENCH_BASE + 0x101, 1), 0x54);
    assert_int_equal(bench_read_as(r->b, 0, BENCH_BASE + 0x104, 2), 0x0302);
    assert_int_equal(rig_read(r, 0x10c), 0); /* after the configuration */
    assert_string_equal(bench_heard(r->b), "");
    for (unsigned i = 0; i < ARRAY_SIZE(strange); i++) {
        assert_int_equal(rig_read(r, strange[i]), 0);
        assert_non_null(strstr(bench_heard(r->b), "not readable"));
        rig_write(r, strange[i], 1);
        assert_non_null(strstr(bench_heard(r->b), "not writable"));
    }
    assert_int_equal(bench_read_as(r->b, 0, BENCH_BASE + 0x070, 1), 0); /* words only */
    assert_non_null(strstr(bench_heard(r->b), "read of 1 bytes"));
    bench_write_as(r->b, 0, BENCH_BASE + 0x070, 1, 1);
    assert_non_null(strstr(bench_heard(r->b), "write of 1 bytes"));
    rig_write(r, 0x104, 1); /* the configuration is read-only */
    assert_non_null(strstr(bench_heard(r->b), "write of 4 bytes at 0x104"));
    assert_int_equal(rig_read(r, 0x070), 0);
    rig_free(r);
}

/* The driver may change features until FEATURES_OK, and a queue's addresses until it is ready. */
static void test_what_is_fixed(void **unused)
{
    struct rig *r = make_card();

    (void)unused;
    rig_write(r, 0x070, 3);
    rig_write(r, 0x024, 2);
    rig_write(r, 0x020, 1); /* bit without a feature: ignored */
    rig_write(r, 0x024, 1);
    rig_write(r, 0x020, 1);
    rig_write(r, 0x070, 11);
    assert_int_equal(rig_read(r, 0x070), 11);
    rig_write(r, 0x024, 0);
    rig_write(r, 0x020, 0x80); /* a feature that was not offered; too late to have an effect */
    rig_write(r, 0x070, 15);
    assert_int_equal(rig_read(r, 0x070), 15);
    bench_listen(r->b);
    rig_write(r, 0x030, 7);
    rig_write(r, 0x038, 8);
    assert_non_null(strstr(bench_heard(r->b), "queue 7 does not exist"));
    assert_true(rig_start(r, VERSION_1, 1));
    assert_string_equal(bench_heard(r->b), "");
    rig_write(r, 0x080, 0);
    rig_write(r, 0x094, 1);
    rig_write(r, 0x0a0, 0);
    rig_write(r, 0x038, 3);
    assert_non_null(strstr(bench_heard(r->b), "while the queue is ready"));
    rig_desc(r, rig_entry(DESC, 0), BUFFER, HEADER + 60, 0, 0);
    rig_offer(r, 1, 0);
    assert_int_equal(wire.frames, 1);
    rig_write(r, 0x044, 0); /* not ready any more: not served, and its addresses can change */
    assert_int_equal(rig_read(r, 0x044), 0);
    rig_offer(r, 1, 0);
    assert_int_equal(wire.frames, 1);
    rig_free(r);
}

/* A pending request is dropped with the slot. */
static void test_end(void **unused)
{
    struct rig *r = make_card();

    (void)unused;
    assert_true(rig_start(r, VERSION_1, 1));
    rig_desc(r, rig_entry(DESC, 0), BUFFER, HEADER + 60, 0, 0);
    rig_put(r, AVAIL + 4, 2, 0);
    rig_put(r, AVAIL + 2, 2, 1);
    rig_write(r, 0x050, 1);
    assert_int_equal(clock_next(&r->b->clock), 10000);
    r->b->cls->destroy(r->b->dev);
    r->b->dev = NULL;
    assert_true(clock_next(&r->b->clock) == CLOCK_NEVER);
    assert_null(r->f->transport);
    rig_free(r);
}

/* ---- frames that wait ------------------------------------------------------------------------ */

static void test_queue(void **unused)
{
    static uint8_t bytes[FRAME_MAX + 1];
    struct frame_queue q = {0};

    (void)unused;
    assert_false(frame_queue_push(&q, bytes, FRAME_MAX + 1));
    for (unsigned i = 0; i < FRAME_QUEUE_MAX; i++) {
        bytes[0] = (uint8_t)i;
        assert_true(frame_queue_push(&q, bytes, i ? i : FRAME_MAX));
    }
    assert_false(frame_queue_push(&q, bytes, 1));
    assert_int_equal(q.count, FRAME_QUEUE_MAX);
    for (unsigned i = 0; i < 100; i++) {
        assert_int_equal(q.first->len, i ? i : FRAME_MAX);
        assert_int_equal(q.first->bytes[0], i);
        frame_queue_drop(&q);
    }
    assert_true(frame_queue_push(&q, bytes, 5));
    assert_int_equal(q.last->len, 5);
    frame_queue_clear(&q);
    assert_int_equal(q.count, 0);
    assert_null(q.first);
    assert_true(frame_queue_push(&q, bytes, 6));
    assert_ptr_equal(q.first, q.last);
    frame_queue_drop(&q);
    assert_null(q.first);
    assert_true(frame_queue_push(&q, bytes, 7));
    assert_int_equal(q.first->len, 7);
    frame_queue_clear(&q);
}

/* Frames of a snapshot replace those that wait; bytes that are no frames replace nothing. */
static void test_saved_queue(void **unused)
{
    static const uint8_t bytes[1000] = {1, 2, 3};
    struct frame_queue from = {0}, to = {0};
    struct state_buf buf = {0};

    (void)unused;
    frame_queue_push(&from, bytes, 3);
    frame_queue_push(&from, bytes, 0);
    frame_queue_push(&from, bytes + 1, 999);
    frame_queue_save(&from, &buf);
    assert_int_equal(buf.len, 3 * 4 + 3 + 999);
    frame_queue_push(&to, bytes, 7);
    for (size_t len = 0; len < buf.len; len++) {
        bool whole = len == 0 || len == 4 + 3 || len == 4 + 3 + 4;

        assert_int_equal(frame_queue_load(&to, buf.data, len, false), whole);
        assert_true(whole || !frame_queue_load(&to, buf.data, len, true));
        assert_int_equal(to.first->len, 7);
    }
    assert_true(frame_queue_load(&to, buf.data, buf.len, true));
    assert_int_equal(to.count, 3);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(to.first->len, from.first->len);
        assert_memory_equal(to.first->bytes, from.first->bytes, to.first->len);
        frame_queue_drop(&to);
        frame_queue_drop(&from);
    }
    state_buf_free(&buf);
    for (unsigned i = 0; i <= FRAME_QUEUE_MAX; i++)
        state_put(&buf, "\0\0\0", 4);
    assert_false(frame_queue_load(&to, buf.data, buf.len, true));
    assert_true(frame_queue_load(&to, buf.data, buf.len - 4, true));
    assert_int_equal(to.count, FRAME_QUEUE_MAX);
    frame_queue_clear(&to);
    state_buf_free(&buf);
}

/* ---- entropy --------------------------------------------------------------------------------- */

/* Stands for the host's entropy source: bytes that count up. */
static struct {
    unsigned calls;
    uint8_t next;
    int refuses; /* 1: it fails; 2: it returns one byte less */
} host;

ssize_t __wrap_getrandom(void *to, size_t len, unsigned flags);

ssize_t __wrap_getrandom(void *to, size_t len, unsigned flags)
{
    uint8_t *bytes = to;

    assert_int_equal(flags, 0); /* blocks until the host has entropy */
    host.calls++;
    if (host.refuses == 1)
        return -1;
    for (size_t n = 0; n < len; n++)
        bytes[n] = host.next++;
    return (ssize_t)len - (host.refuses == 2);
}

/* Checks the bytes that a request of `len` bytes receives, and those after them. */
static void expect_entropy(struct rig *r, uint32_t len, const uint8_t *wanted)
{
    uint32_t got;

    for (uint32_t n = 0; n < len + 8; n++)
        rig_put(r, BUFFER + n, 1, 0xee);
    rig_desc(r, rig_entry(DESC, 0), BUFFER, len, WRITE, 0);
    rig_offer(r, 0, 0);
    assert_int_equal(rig_take(r, &got), 0);
    assert_int_equal(got, len);
    for (uint32_t n = 0; n < len + 8; n++)
        assert_int_equal(rig_get(r, BUFFER + n, 1), n < len ? wanted[n] : 0xee);
}

/*
 * SplitMix64 from 1; a chain receives up to 256 bytes, and a driver's reset restarts the sequence.
 */
static void test_entropy(void **unused)
{
    static const uint8_t seed[9] = {1, 0, 0, 0, 0, 0, 0, 0, 0xff};
    struct rig *r = rig_new(virtio_rng_new(seed, NULL));
    uint32_t len;

    (void)unused;
    assert_int_equal(rig_read(r, 0x008), 4);
    rig_write(r, 0x030, 1); /* there is one queue only */
    assert_int_equal(rig_read(r, 0x034), 0);
    for (unsigned round = 0; round < 2; round++) {
        assert_true(rig_start(r, VERSION_1, 0));
        rig_put(r, BUFFER + 20, 4, 0x5a5a5a5a);
        rig_desc(r, rig_entry(DESC, 0), BUFFER, 20, WRITE, 0);
        rig_offer(r, 0, 0);
        assert_int_equal(rig_take(r, &len), 0);
        assert_int_equal(len, 20);
        assert_int_equal(rig_get(r, BUFFER, 8), UINT64_C(0x910a2dec89025cc1));
        assert_int_equal(rig_get(r, BUFFER + 8, 8), UINT64_C(0xbeeb8da1658eec67));
        assert_int_equal(rig_get(r, BUFFER + 16, 4), 0xfb32555e);
        assert_int_equal(rig_get(r, BUFFER + 20, 4), 0x5a5a5a5a);
    }
    rig_desc(r, rig_entry(DESC, 0), BUFFER, 257, WRITE, 0);
    rig_put(r, BUFFER + 256, 1, 0x77);
    rig_offer(r, 0, 0);
    assert_int_equal(rig_take(r, &len), 0);
    assert_int_equal(len, 256);
    assert_int_equal(rig_get(r, BUFFER + 256, 1), 0x77);
    rig_free(r);
}

/* Each request continues the sequence, in steps of eight bytes; there are no features. */
static void test_entropy_goes_on(void **unused)
{
    static const uint32_t sizes[] = {8, 5, 16, 1, 23, 256};
    static const uint8_t seed[8] = {1};
    struct rig *r = rig_new(virtio_rng_new(seed, NULL));
    uint64_t state = 1;

    (void)unused;
    assert_true(rig_start(r, VERSION_1, 0));
    rig_write(r, 0x014, 0);
    assert_int_equal(rig_read(r, 0x010) & 0xffffff, 0);
    for (unsigned i = 0; i < ARRAY_SIZE(sizes); i++) {
        uint8_t wanted[256];

        for (uint32_t n = 0; n < sizes[i]; n += 8)
            le_put(wanted + n, 8, random_next(&state));
        expect_entropy(r, sizes[i], wanted);
    }
    assert_int_equal(host.calls, 0);
    rig_free(r);
}

/* The host's random bytes; when the host has none, a generator continues, and nothing waits. */
static void test_entropy_of_the_host(void **unused)
{
    uint8_t wanted[32];
    struct error err = {""};
    uint64_t state = UINT64_C(0x4746454443424140); /* the first bytes of the host */
    struct rig *r;

    (void)unused;
    host.next = 0x40;
    r = rig_new(virtio_rng_new(NULL, &err));
    assert_true(rig_start(r, VERSION_1, 0));
    for (unsigned n = 0; n < 21; n++)
        wanted[n] = (uint8_t)(0x48 + n);
    expect_entropy(r, 21, wanted);
    for (unsigned n = 0; n < 5; n++)
        /* no more bytes were taken from the host than needed */
        wanted[n] = (uint8_t)(0x48 + 21 + n);
    expect_entropy(r, 5, wanted);
    host.refuses = 1;
    le_put(wanted, 8, random_next(&state));
    le_put(wanted + 8, 8, random_next(&state));
    expect_entropy(r, 13, wanted);
    host.refuses = 2;
    le_put(wanted, 8, random_next(&state));
    expect_entropy(r, 8, wanted);
    rig_free(r);
    for (host.refuses = 2; host.refuses; host.refuses--) {
        assert_null(virtio_rng_new(NULL, &err));
        assert_string_equal(err.text, "the host gives no random bytes");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entropy_goes_on),
        cmocka_unit_test(test_entropy_of_the_host),
        cmocka_unit_test(test_card),
        cmocka_unit_test(test_sending),
        cmocka_unit_test(test_receiving),
        cmocka_unit_test(test_saved_frames),
        cmocka_unit_test(test_queue),
        cmocka_unit_test(test_saved_queue),
        cmocka_unit_test(test_registers),
        cmocka_unit_test(test_what_is_fixed),
        cmocka_unit_test(test_end),
        cmocka_unit_test(test_entropy),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
