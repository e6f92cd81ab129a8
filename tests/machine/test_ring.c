/*
 * Split virtqueues by VIRTIO 1.2, section 2.7, as a function sees them: this one records its
 * requests, and answers as a test says.
 */
#include "tests/machine/rig.h"

#include <string.h>

#include "runtime/base/bits.h"

#define RAM_END (RAM + RAM_SIZE)
#define MORE    UINT64_C(0x100000000) /* a second RAM, for long chains */
#define QUARTER (UINT64_C(1) << 28)

struct probe {
    struct virtio_function f;
    struct virtio_chain chain; /* the last chain */
    unsigned served;
    uint32_t written; /* return value of serve_chain() */
    char got[64];     /* bytes of the readable part from `at` on */
    size_t got_len, at;
    const char *put; /* written to the writable part at `at`; NULL: nothing */
    size_t put_len;
};

static uint64_t no_features(struct virtio_function *f)
{
    (void)f;
    return 0;
}

static uint32_t serve_chain(struct virtio_function *f, unsigned queue,
                            const struct virtio_chain *chain)
{
    struct probe *p = (struct probe *)f;

    assert_int_equal(queue, 0);
    p->served++;
    p->chain = *chain;
    p->got_len = virtio_get(chain, p->at, p->got, sizeof(p->got));
    if (p->put)
        p->put_len = virtio_put(f->transport, chain, p->at, p->put, strlen(p->put));
    return p->written;
}

static void destroy_probe(struct virtio_function *f)
{
    (void)f;
}

static const struct virtio_function_class probe_class = {
    .name = "probe",
    .device_id = 4,
    .queue_count = 1,
    .features = no_features,
    .serve = serve_chain,
    .destroy = destroy_probe,
};

static struct rig *probe_rig(struct probe *p, uint64_t features)
{
    struct rig *r;

    *p = (struct probe){.f.cls = &probe_class};
    r = rig_new(&p->f);
    assert_true(rig_start(r, VERSION_1 | features, 0));
    return r;
}

static void put_text(struct rig *r, uint64_t at, const char *text)
{
    assert_true(bus_copy_to(r->b->bus, at, text, strlen(text)));
}

static void expect_text(struct rig *r, uint64_t at, const char *text)
{
    char got[32] = "";

    assert_true(bus_copy_from(r->b->bus, at, got, strlen(text)));
    assert_string_equal(got, text);
}

static bool is_broken(struct rig *r)
{
    return rig_read(r, 0x70) & STATUS_NEEDS_RESET;
}

/* ---- chains ---- */

/*
 * Readable buffers of 3 and 5 bytes, writable ones of 4 and 2, and empty ones, which do not count.
 */
static struct rig *pieces_rig(struct probe *p)
{
    struct rig *r = probe_rig(p, 0);

    put_text(r, BUFFER, "abc_");
    put_text(r, BUFFER + 0x100, "defgh_");
    put_text(r, BUFFER + 0x200, "------");
    put_text(r, BUFFER + 0x300, "------");
    rig_desc(r, rig_entry(DESC, 5), BUFFER, 3, NEXT, 2);
    rig_desc(r, rig_entry(DESC, 2), BUFFER + 0x50, 0, NEXT, 7);
    rig_desc(r, rig_entry(DESC, 7), BUFFER + 0x100, 5, NEXT, 0);
    rig_desc(r, rig_entry(DESC, 0), BUFFER + 0x200, 4, WRITE | NEXT, 1);
    rig_desc(r, rig_entry(DESC, 1), BUFFER + 0x60, 0, WRITE | NEXT, 3);
    rig_desc(r, rig_entry(DESC, 3), BUFFER + 0x300, 2, WRITE, 6);
    return r;
}

static void test_chain(void **unused)
{
    struct probe p;
    struct rig *r = pieces_rig(&p);
    uint32_t len;

    (void)unused;
    p.written = 0x12345;
    rig_offer(r, 0, 5);
    assert_int_equal(rig_take(r, &len), 5);
    assert_int_equal(len, 0x12345);
    assert_int_equal(p.chain.head, 5);
    assert_int_equal(p.chain.out_count, 2);
    assert_int_equal(p.chain.in_count, 2);
    assert_int_equal(p.chain.out_len, 8);
    assert_int_equal(p.chain.in_len, 6);
    assert_int_equal(p.chain.seg[0].addr, BUFFER);
    assert_int_equal(p.chain.seg[1].addr, BUFFER + 0x100);
    assert_int_equal(p.chain.seg[1].len, 5);
    assert_int_equal(p.chain.seg[2].addr, BUFFER + 0x200);
    assert_int_equal(p.chain.seg[3].addr, BUFFER + 0x300);
    assert_int_equal(p.chain.seg[3].len, 2);
    assert_ptr_equal(p.chain.seg[3].host, bus_ram_ptr(r->b->bus, BUFFER + 0x300, 2));
    rig_free(r);
}

/* Offsets count across pieces, up to the last piece's end. */
static void test_bytes_of_a_chain(void **unused)
{
    struct probe p;
    struct rig *r = pieces_rig(&p);
    uint64_t len = 10, addr = 0;

    (void)unused;
    p.at = 1;
    p.put = "12345678";
    rig_offer(r, 0, 5);
    assert_int_equal(p.got_len, 7);
    assert_memory_equal(p.got, "bcdefgh", 7);
    assert_int_equal(p.put_len, 5);
    expect_text(r, BUFFER + 0x200, "-123--");
    expect_text(r, BUFFER + 0x300, "45----");
    p.at = 3; /* just after the first piece, and within it */
    p.put = "xyz";
    rig_offer(r, 0, 5);
    assert_memory_equal(p.got, "defgh", 5);
    assert_int_equal(p.got_len, 5);
    expect_text(r, BUFFER + 0x200, "-12x--");
    expect_text(r, BUFFER + 0x300, "yz----");
    assert_int_equal(p.put_len, 3);
    p.at = 8; /* the end */
    rig_offer(r, 0, 5);
    assert_int_equal(p.got_len, 0);
    assert_int_equal(p.put_len, 0);
    assert_ptr_equal(virtio_span(&p.chain, true, 1, &len, &addr), p.chain.seg[2].host + 1);
    assert_int_equal(len, 3);
    assert_int_equal(addr, BUFFER + 0x201);
    len = 1;
    assert_ptr_equal(virtio_span(&p.chain, false, 4, &len, NULL), p.chain.seg[1].host + 1);
    assert_int_equal(len, 1);
    assert_null(virtio_span(&p.chain, false, 8, &len, NULL));
    rig_free(r);
}

/* All entries of the table, buffers before an indirect table, and an empty chain. */
static void test_long_chains(void **unused)
{
    struct probe p;
    struct rig *r = probe_rig(&p, INDIRECT_DESC);

    (void)unused;
    for (unsigned i = 0; i < QUEUE; i++)
        rig_desc(r, rig_entry(DESC, i), BUFFER + i, 1, i + 1 < QUEUE ? NEXT : 0, i + 1);
    rig_offer(r, 0, 0);
    assert_int_equal(p.chain.out_count, QUEUE);
    rig_desc(r, rig_entry(DESC, 0), BUFFER, 7, NEXT, 1);
    rig_desc(r, rig_entry(DESC, 1), TABLE, 32, INDIRECT, 0);
    rig_desc(r, rig_entry(TABLE, 0), BUFFER + 8, 9, NEXT, 1);
    rig_desc(r, rig_entry(TABLE, 1), BUFFER, 1, WRITE, 0);
    rig_offer(r, 0, 0);
    assert_int_equal(p.chain.out_len, 16);
    assert_int_equal(p.chain.in_len, 1);
    rig_desc(r, rig_entry(DESC, 0), BUFFER, 0, 0, 0);
    rig_offer(r, 0, 0);
    assert_int_equal(p.chain.out_count + p.chain.in_count, 0);
    for (unsigned i = 0; i < VIRTIO_MAX_SEGMENTS + 1; i++)
        rig_desc(r, rig_entry(TABLE, i), BUFFER, 1, i + 1 < VIRTIO_MAX_SEGMENTS ? NEXT : 0, i + 1);
    rig_desc(r, rig_entry(DESC, 0), TABLE, 16 * VIRTIO_MAX_SEGMENTS, INDIRECT, 0);
    rig_offer(r, 0, 0);
    assert_int_equal(p.chain.out_count, VIRTIO_MAX_SEGMENTS);
    assert_false(is_broken(r));
    rig_desc(r, rig_entry(TABLE, VIRTIO_MAX_SEGMENTS - 1), BUFFER, 1, NEXT, VIRTIO_MAX_SEGMENTS);
    rig_desc(r, rig_entry(DESC, 0), TABLE, 16 * (VIRTIO_MAX_SEGMENTS + 1), INDIRECT, 0);
    rig_offer(r, 0, 0);
    assert_true(is_broken(r));
    assert_int_equal(p.served, 4);
    rig_free(r);
}

/* Section 2.7.5.2: at most 2^32 bytes, in any pieces. */
static void test_most_bytes(void **unused)
{
    struct probe p;
    struct rig *r = probe_rig(&p, INDIRECT_DESC);

    (void)unused;
    assert_non_null(bus_add_ram(r->b->bus, "more", MORE, QUARTER, NULL));
    for (unsigned i = 0; i < 16; i++)
        rig_desc(r, rig_entry(TABLE, i), MORE, QUARTER, (i < 15 ? NEXT : 0) | (i > 7 ? WRITE : 0),
                 i + 1);
    rig_desc(r, rig_entry(DESC, 0), TABLE, 16 * 16, INDIRECT, 0);
    rig_offer(r, 0, 0);
    assert_int_equal(p.chain.out_len, UINT64_C(1) << 31);
    assert_int_equal(p.chain.in_len, UINT64_C(1) << 31);
    rig_desc(r, rig_entry(TABLE, 15), MORE, QUARTER, NEXT | WRITE, 16);
    rig_desc(r, rig_entry(TABLE, 16), MORE, 1, WRITE, 0);
    rig_desc(r, rig_entry(DESC, 0), TABLE, 17 * 16, INDIRECT, 0);
    rig_offer(r, 0, 0);
    assert_int_equal(p.served, 1);
    assert_true(is_broken(r));
    rig_free(r);
}

/* ---- rings ---- */

/* Queue addresses that just fit in memory, and that just do not. */
static void test_places(void **unused)
{
    static const struct {
        uint32_t size;
        uint64_t desc, avail, used;
        bool good;
    } rows[] = {
        {256, BUFFER, BUFFER + 0x1000, BUFFER + 0x2000, true},
        {1, BUFFER, BUFFER + 0x1000, BUFFER + 0x2000, true},
        {5, BUFFER, BUFFER + 0x1000, BUFFER + 0x2000, false},
        {8, RAM_END - 128, AVAIL, USED, true},
        {8, RAM_END - 112, AVAIL, USED, false},
        {8, DESC + 8, AVAIL, USED, false},
        {8, DESC, RAM_END - 22, USED, true},
        {8, DESC, RAM_END - 20, USED, false},
        {8, DESC, AVAIL, RAM_END - 72, true},
        {8, DESC, AVAIL, RAM_END - 68, false},
        {8, DESC, AVAIL, USED + 1, false},
    };
    struct probe p;
    struct rig *r = probe_rig(&p, 0);

    (void)unused;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        rig_write(r, 0x70, 0);
        rig_write(r, 0x38, rows[i].size);
        for (unsigned half = 0; half < 2; half++) {
            rig_write(r, 0x80 + 4 * half, (uint32_t)(rows[i].desc >> (32 * half)));
            rig_write(r, 0x90 + 4 * half, (uint32_t)(rows[i].avail >> (32 * half)));
            rig_write(r, 0xa0 + 4 * half, (uint32_t)(rows[i].used >> (32 * half)));
        }
        rig_write(r, 0x44, 1);
        if (rig_read(r, 0x44) != rows[i].good)
            fail_msg("row %zu", i);
    }
    rig_free(r);
}

/* The rings are used in a circle, while the indices count on. */
static void test_around(void **unused)
{
    struct probe p;
    struct rig *r = probe_rig(&p, 0);
    uint32_t len;

    (void)unused;
    for (unsigned i = 0; i < QUEUE; i++)
        rig_desc(r, rig_entry(DESC, i), BUFFER + 16 * i, 1 + i, 0, 0);
    for (unsigned i = 0; i < 20; i++) {
        unsigned head = (3 * i) % QUEUE;

        p.written = 100 + i;
        rig_offer(r, 0, head);
        assert_int_equal(p.chain.seg[0].addr, BUFFER + 16 * head);
        assert_int_equal(p.chain.out_len, 1 + head);
        assert_int_equal(rig_take(r, &len), head);
        assert_int_equal(len, 100 + i);
        assert_int_equal(rig_get(r, USED, 2), 0);
        assert_int_equal(rig_get(r, USED + 2, 2), i + 1);
    }
    assert_int_equal(stats_get(r->b->stats, r->b->env.name, "chains"), 20);
    rig_free(r);
}

/* A driver may offer QUEUE chains, one per entry; one more breaks the device. */
static void test_full(void **unused)
{
    struct probe p;
    struct rig *r = probe_rig(&p, 0);

    (void)unused;
    for (unsigned i = 0; i < QUEUE; i++) {
        rig_desc(r, rig_entry(DESC, i), BUFFER, 1, 0, 0);
        rig_put(r, AVAIL + 4 + 2 * i, 2, i);
    }
    rig_put(r, AVAIL + 2, 2, QUEUE);
    rig_write(r, 0x50, 0);
    rig_wait(r, 1000000);
    assert_int_equal(p.served, QUEUE);
    assert_false(is_broken(r));
    rig_put(r, AVAIL + 2, 2, 2 * QUEUE + 1);
    rig_write(r, 0x50, 0);
    rig_wait(r, 1000000);
    assert_int_equal(p.served, QUEUE);
    assert_true(is_broken(r));
    rig_free(r);
}

/* Nothing is served before DRIVER_OK, nor in a queue that is not ready. */
static void test_not_yet(void **unused)
{
    struct probe p;
    struct rig *r = probe_rig(&p, 0);

    (void)unused;
    rig_desc(r, rig_entry(DESC, 0), BUFFER, 1, 0, 0);
    rig_write(r, 0x70, 0);
    rig_write(r, 0x70, 3);
    rig_offer(r, 0, 0);
    assert_int_equal(p.served, 0);
    rig_write(r, 0x70, STATUS_OK);
    rig_offer(r, 0, 0);
    assert_int_equal(p.served, 0);
    rig_free(r);
}

/* ---- who is to be told ---- */

/* Section 2.7.7.2 without event indices: the flag decides; their fields are not written. */
static void test_interrupts_by_flag(void **unused)
{
    struct probe p;
    struct rig *r = probe_rig(&p, 0);

    (void)unused;
    rig_put(r, USED + 4 + 8 * QUEUE, 4, 0x1234abcd);
    rig_desc(r, rig_entry(DESC, 0), BUFFER, 1, 0, 0);
    rig_put(r, AVAIL, 2, 1);
    rig_offer(r, 0, 0);
    assert_int_equal(rig_read(r, 0x60), 0);
    assert_false(r->b->level[0]);
    rig_put(r, AVAIL, 2, 0xfffe); /* only bit 0 is the flag */
    rig_offer(r, 0, 0);
    assert_int_equal(rig_read(r, 0x60), 1);
    assert_true(r->b->level[0]);
    assert_int_equal(rig_get(r, USED + 4 + 8 * QUEUE, 4), 0x1234abcd);
    assert_int_equal(stats_get(r->b->stats, r->b->env.name, "interrupts"), 1);
    rig_free(r);
}

/* Section 2.7.7.2 with them: an interrupt when the entry that the driver names was passed. */
static void test_interrupts_by_index(void **unused)
{
    static const bool interrupts[] = {false, false, true, false, false, true};
    struct probe p;
    struct rig *r = probe_rig(&p, EVENT_IDX);

    (void)unused;
    rig_put(r, USED + 4 + 8 * QUEUE, 4, 0x1234abcd);
    rig_desc(r, rig_entry(DESC, 0), BUFFER, 1, 0, 0);
    rig_put(r, AVAIL, 2, 1); /* has no meaning then */
    rig_put(r, AVAIL + 4 + 2 * QUEUE, 2, 2);
    for (unsigned i = 0; i < ARRAY_SIZE(interrupts); i++) {
        rig_offer(r, 0, 0);
        assert_int_equal(rig_read(r, 0x60), interrupts[i]);
        rig_write(r, 0x64, 1);
        if (i == 2)
            rig_put(r, AVAIL + 4 + 2 * QUEUE, 2, 5);
        /* The device requests a notification of the next entry; indices have 16 bits. */
        assert_int_equal(rig_get(r, USED + 4 + 8 * QUEUE, 4), 0x12340000 + i + 1);
    }
    rig_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_bytes_of_a_chain),
        cmocka_unit_test(test_long_chains),
        cmocka_unit_test(test_most_bytes),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_around),
        cmocka_unit_test(test_full),
        cmocka_unit_test(test_not_yet),
        cmocka_unit_test(test_interrupts_by_flag),
        cmocka_unit_test(test_interrupts_by_index),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
