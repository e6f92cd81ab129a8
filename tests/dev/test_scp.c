/* The control processor of a Juno: its mailbox, and its firmware over SCPI and SCMI. */
#include "tests/dev/bench.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/bits.h"
#include "runtime/dev/mhu.h"
#include "runtime/dev/scp.h"
#include "runtime/gpu/gpu.h"
#include "runtime/gpu/variant.h"

static int setup(void **state)
{
    *state = bench_new();
    return 0;
}

static int teardown(void **state)
{
    bench_free(*state);
    return 0;
}

/* ---- the mailbox ----------------------------------------------------------------------------- */

#define SHMEM   UINT64_C(0x2e000200)
#define HIGH_TX 0x120
#define HIGH_RX 0x020

static uint32_t rung;

static void on_doorbell(void *opaque, enum mhu_channel channel, uint32_t bits)
{
    assert_int_equal(channel, *(enum mhu_channel *)opaque);
    rung = bits;
}

static void test_mailbox(void **state)
{
    struct bench *b = *state;
    enum mhu_channel high = MHU_HIGH;

    b->env.irq_count = 2;
    bench_create(b, "mhu");
    mhu_set_doorbell(b->dev, MHU_HIGH, on_doorbell, &high);
    bench_write(b, HIGH_TX + 8, 0x5);
    assert_int_equal(rung, 0x5);
    assert_int_equal(bench_read(b, HIGH_TX), 0x5);
    rung = 0;
    bench_write(b, HIGH_TX + 8, 0x4); /* no new bit */
    assert_int_equal(rung, 0);
    mhu_clear(b->dev, MHU_HIGH, 0x5);
    assert_int_equal(bench_read(b, HIGH_TX), 0);
    mhu_ring(b->dev, MHU_HIGH, 0x3);
    assert_true(b->level[1]);
    assert_false(b->level[0]);
    assert_int_equal(bench_read(b, HIGH_RX), 3);
    bench_save_and_load(b);
    assert_true(b->level[1]);
    bench_write(b, HIGH_RX + 0x10, 1);
    assert_true(b->level[1]);
    bench_write(b, HIGH_RX + 0x10, 2);
    assert_false(b->level[1]);
}

/* All three channels by their offsets; a reset drops what firmware has not received. */
static void test_mailbox_channels(void **state)
{
    static const uint16_t rx[] = {0x000, 0x020, 0x200}, tx[] = {0x100, 0x120, 0x300};
    struct bench *b = *state;

    b->env.irq_count = 3;
    bench_create(b, "mhu");
    bench_listen(b);
    for (enum mhu_channel c = 0; c < MHU_CHANNELS; c++) {
        mhu_set_doorbell(b->dev, c, on_doorbell, &c);
        bench_write(b, tx[c] + 8, 0x100u << c);
        assert_int_equal(rung, 0x100u << c);
        assert_int_equal(bench_read(b, tx[c]), 0x100u << c);
        bench_write(b, tx[c] + 0x10, 0x100u << c); /* cleared again */
        assert_int_equal(bench_read(b, tx[c]), 0);
        bench_write(b, tx[c] + 8, 1);
        bench_write(b, rx[c] + 8, 6); /* software may ring its own doorbell */
        assert_int_equal(bench_read(b, rx[c]), 6);
        for (unsigned line = 0; line < 3; line++)
            assert_int_equal(b->level[line], line <= c);
        mhu_set_doorbell(b->dev, c, NULL, NULL);
    }
    mhu_ring(b->dev, MHU_CHANNELS, 1); /* channel MHU_CHANNELS does not exist */
    mhu_clear(b->dev, MHU_CHANNELS, 1);
    assert_string_equal(bench_heard(b), "");
    bench_write(b, tx[0], 1); /* the status register is read-only */
    assert_non_null(strstr(bench_heard(b), "write of 0x1 to offset 0x100"));
    assert_int_equal(bench_read(b, 0x040), 0);
    assert_non_null(strstr(bench_heard(b), "read of offset 0x40"));
    b->cls->reset(b->dev);
    for (unsigned c = 0; c < 3; c++) {
        assert_int_equal(bench_read(b, tx[c]) | bench_read(b, rx[c]), 0);
        assert_false(b->level[c]);
    }
}

struct firmware {
    struct bench *b; /* the mailbox; its bench is also the firmware's environment */
    struct device_env env;
    const struct device_class *cls; /* class of the SCPI or the SCMI firmware */
    void *dev;
};

static struct firmware fw;

static void *by_phandle(void *opaque, uint32_t phandle, const struct device_class **cls)
{
    (void)opaque;
    *cls = fw.b->cls;
    return phandle == 0x39 ? fw.b->dev : NULL;
}

static uint64_t shmem_size = 0x200;

static bool reg_by_phandle(void *opaque, uint32_t phandle, unsigned index, struct device_reg *reg)
{
    (void)opaque;
    *reg = (struct device_reg){SHMEM, shmem_size};
    return phandle == 0x3a && index == 0;
}

/* Properties of the control processor in the device tree. */
static const char points[] =
    "\x1a\xd2\x74\x80\0\0\x03\x34\0\0\x01\x2c"                      /* 450 MHz, 820 mV, 300 mW */
    "\x2f\xaf\x08\0\0\0\x03\x84\0\0\x02\xbc"                        /* 800, 900, 700 */
    "\x38\x9f\xd9\x80\0\0\x03\xd4\0\0\x03\xe8";                     /* 950, 980, 1000 */
static const char clock_rates[] = "\0\0\0\x05\0\0\x10\0\0\0\x08\0"; /* 5, 4096, 2048 Hz */
static const char sensors[] = "pmic temperature 35000\0vsys voltage 980\0isys current 400\0"
                              "soc temperature 40000\0psys power 392000\0esys energy 392000";

static void give_properties(struct bench *b)
{
    bench_prop(b, "operating-points", points, sizeof(points) - 1);
    bench_prop(b, "transition-latency", "\0\0\0\x64", 4);
    bench_prop(b, "clock-rates", clock_rates, sizeof(clock_rates) - 1);
    bench_prop(b, "sensors", sensors, sizeof(sensors));
}

static const struct gpu_variant variant = {.clock_mhz = 600};
static struct gpu_supply supply = {
    .offers = {{{450, 820}, 300}, {{600, 900}, 900}}, .count = 2, .initial = 1};
static const struct gpu_config gpu = {.variant = &variant, .supply = &supply};
static const struct gpu_config without_supply = {.variant = &variant};

static int protocol_setup(void **state, const char *protocol, const void *mboxes, size_t len,
                          bool has_gpu)
{
    struct bench *b = bench_new();
    struct error err = {""};

    b->env.irq_count = 2;
    bench_create(b, "mhu");
    assert_non_null(bus_add_ram(b->bus, "sram", 0x2e000000, 0x8000, NULL));
    bench_prop(b, "mboxes", mboxes, len);
    bench_prop(b, "shmem", "\0\0\0\x3a", 4);
    give_properties(b);
    if (has_gpu) {
        bench_prop(b, "gpu-domain", "\0\0\0\x02", 4);
        bench_prop(b, "gpu-sensors", "vsys\0isys\0soc\0psys\0esys", 24);
        b->env.gpu = &gpu;
    }
    fw = (struct firmware){b, b->env, device_class_by_name(protocol), NULL};
    fw.env.device_by_phandle = by_phandle;
    fw.env.reg_by_phandle = reg_by_phandle;
    fw.dev = fw.cls->create(&fw.env, &err);
    if (!fw.dev)
        fail_msg("%s", err.text);
    *state = b;
    return 0;
}

static int firmware_setup(void **state)
{
    return protocol_setup(state, "scpi", "\0\0\0\x39\0\0\0\x01", 8, false);
}

static int firmware_gpu_setup(void **state)
{
    return protocol_setup(state, "scpi", "\0\0\0\x39\0\0\0\x01", 8, true);
}

static int scmi_setup(void **state)
{
    return protocol_setup(state, "scmi", "\0\0\0\x39\0\0\0\x01\0\0\0\x02", 12, false);
}

static int scmi_gpu_setup(void **state)
{
    return protocol_setup(state, "scmi", "\0\0\0\x39\0\0\0\x01\0\0\0\x02", 12, true);
}

static int firmware_teardown(void **state)
{
    fw.cls->destroy(fw.dev);
    bench_free(*state);
    return 0;
}

/* Sends an SCPI command as Linux does. Returns the status; the answer is in `out`. */
static uint32_t send_scpi(struct bench *b, unsigned command, const void *in, unsigned in_len,
                          void *out, unsigned out_len)
{
    uint8_t header[8];

    le_put(header, 4, command | 0x42 << 8 | in_len << 16);
    le_put(header + 4, 4, 0xffffffff);
    bus_copy_to(b->bus, SHMEM + 0x100, header, 8);
    bus_copy_to(b->bus, SHMEM + 0x108, in, in_len);
    bench_write(b, HIGH_TX + 8, 1);
    assert_int_equal(bench_read(b, HIGH_TX), 1); /* the command takes time */
    bench_run_to(b, clock_now(&b->clock) + 100000);
    assert_int_equal(bench_read(b, HIGH_TX), 0);
    assert_true(b->level[1]);
    bench_write(b, HIGH_RX + 0x10, 1);
    assert_false(b->level[1]);
    bus_copy_from(b->bus, SHMEM, header, 8);
    /* the answer repeats command and token */
    assert_int_equal(le_get(header, 2), command | 0x42 << 8);
    if (!le_get(header + 4, 4))
        assert_int_equal(le_get(header + 2, 2), out_len);
    bus_copy_from(b->bus, SHMEM + 8, out, out_len);
    return (uint32_t)le_get(header + 4, 4);
}

static void test_scpi(void **state)
{
    struct bench *b = *state;
    uint8_t out[256] = {0};

    assert_int_equal(send_scpi(b, 0x02, "", 0, out, 28), 0);
    assert_int_equal(le_get(out, 4), 0x00010000);                /* protocol 1.0 */
    assert_int_equal(send_scpi(b, 0x09, "\x02", 1, out, 28), 0); /* operating points of domain 2 */
    assert_int_equal(out[1], 3);
    assert_int_equal(le_get(out + 2, 2), 100); /* transition time in us */
    assert_int_equal(le_get(out + 4, 4), 450000000);
    assert_int_equal(le_get(out + 24, 4), 980);
    assert_int_equal(send_scpi(b, 0x0a, "\x02\x01", 2, out, 0), 0);
    assert_int_equal(send_scpi(b, 0x0b, "\x02", 1, out, 1), 0);
    assert_int_equal(out[0], 1);
    assert_int_equal(send_scpi(b, 0x0a, "\x02\x03", 2, out, 0), 6);
    assert_int_equal(send_scpi(b, 0x0b, "\xff", 1, out, 0), 1);
    assert_int_equal(send_scpi(b, 0x0f, "\x03\0\0\0\x40\x42\x0f\0", 8, out, 0), 0);
    assert_int_equal(send_scpi(b, 0x10, "\x03\0", 2, out, 4), 0);
    assert_int_equal(le_get(out, 4), 1000000);
    assert_int_equal(send_scpi(b, 0x10, "\x04\0", 2, out, 4), 0);
    assert_int_equal(le_get(out, 4), 2048);
    assert_int_equal(send_scpi(b, 0x0e, "\x03\0", 2, out, 32), 0);
    assert_int_equal(le_get(out + 4, 4), 5);
    assert_int_equal(le_get(out + 8, 4), 4096);
    assert_int_equal(send_scpi(b, 0x1c, "\x01\0", 2, out, 1), 0);
    assert_int_equal(out[0], 3); /* off */
    assert_int_equal(send_scpi(b, 0x1b, "\x01\0\0", 3, out, 0), 0);
    assert_int_equal(send_scpi(b, 0x1c, "\x01\0", 2, out, 1), 0);
    assert_int_equal(out[0], 0);
    assert_int_equal(send_scpi(b, 0x15, "", 0, out, 2), 0);
    assert_int_equal(le_get(out, 2), 6);
    assert_int_equal(send_scpi(b, 0x16, "\x04\0", 2, out, 24), 0);
    assert_int_equal(out[2], 3); /* sensor class: power */
    assert_int_equal(send_scpi(b, 0x16, "\x03\0", 2, out, 24), 0);
    assert_int_equal(out[2], 0);
    assert_string_equal((const char *)out + 4, "soc");
    assert_int_equal(send_scpi(b, 0x17, "\x03\0", 2, out, 8), 0);
    assert_int_equal(le_get(out, 8), 40000);
    assert_int_equal(send_scpi(b, 0x17, "\x06\0", 2, out, 0), 1);
    bench_run_to(b, UINT64_C(2000000000));
    assert_int_equal(send_scpi(b, 0x17, "\x05\0", 2, out, 8), 0);
    assert_int_equal(le_get(out, 8), 784000);                /* energy of 392 mW in two seconds */
    assert_int_equal(send_scpi(b, 0x7e, "", 0, out, 0), 10); /* unknown command */
}

/* An SCMI command of a protocol, as in a message's header. */
static unsigned scmi_header(unsigned protocol, unsigned command)
{
    return command | protocol << 10;
}

/* Sends an SCMI command as Linux does. Returns its status; the values after it are in `out`. */
static int32_t send_scmi(struct bench *b, unsigned header, const void *in, unsigned in_len,
                         void *out, unsigned out_len)
{
    /* words: reserved, status, 2 reserved, flags, length, header, first value */
    uint8_t words[32] = {0};

    le_put(words + 16, 4, 1);
    le_put(words + 20, 4, 4 + in_len);
    le_put(words + 24, 4, header | 5u << 18);
    bus_copy_to(b->bus, SHMEM, words, 28);
    bus_copy_to(b->bus, SHMEM + 28, in, in_len);
    bench_write(b, HIGH_TX + 8, 4);
    assert_int_equal(bench_read(b, HIGH_TX), 4);
    bench_run_to(b, clock_now(&b->clock) + 100000);
    assert_int_equal(bench_read(b, HIGH_TX), 0);
    assert_int_equal(bench_read(b, HIGH_RX), 4);
    bench_write(b, HIGH_RX + 0x10, 4);
    bus_copy_from(b->bus, SHMEM, words, 32);
    assert_int_equal(le_get(words + 4, 4), 1); /* the channel is free again */
    assert_int_equal(le_get(words + 24, 4), header | 5u << 18);
    if (!le_get(words + 28, 4))
        assert_int_equal(le_get(words + 20, 4), 8 + out_len);
    bus_copy_from(b->bus, SHMEM + 32, out, out_len);
    return (int32_t)le_get(words + 28, 4);
}

static void test_scmi(void **state)
{
    struct bench *b = *state;
    uint8_t out[128] = {0};

    bench_run_to(b, 10000);
    assert_int_equal(send_scmi(b, scmi_header(0x10, 0), "", 0, out, 4), 0);
    assert_int_equal(le_get(out, 4), 0x10000);
    assert_int_equal(send_scmi(b, scmi_header(0x10, 6), "\0\0\0", 4, out, 8),
                     0); /* list of protocols */
    assert_int_equal(le_get(out, 4), 4);
    assert_memory_equal(out + 4, "\x11\x13\x14\x15", 4);
    /* list of performance levels */
    assert_int_equal(send_scmi(b, scmi_header(0x13, 4), "\2\0\0\0\0\0\0", 8, out, 40), 0);
    assert_int_equal(le_get(out, 2), 3);
    assert_int_equal(le_get(out + 4, 4), 450);
    assert_int_equal(send_scmi(b, scmi_header(0x13, 7), "\2\0\0\0\x20\3\0", 8, out, 0),
                     0); /* 800 */
    assert_int_equal(send_scmi(b, scmi_header(0x13, 8), "\2\0\0", 4, out, 4), 0);
    assert_int_equal(le_get(out, 4), 800);
    assert_int_equal(send_scmi(b, scmi_header(0x13, 7), "\2\0\0\0\1\0\0", 8, out, 0), -7);
    assert_int_equal(send_scmi(b, scmi_header(0x11, 5), "\x09\0\0", 4, out, 4),
                     0); /* state of a power domain */
    assert_int_equal(send_scmi(b, scmi_header(0x11, 5), "\x20\0\0", 4, out, 0), -4);
    assert_int_equal(send_scmi(b, scmi_header(0x15, 6), "\x03\0\0\0\0\0\0", 8, out, 8), 0);
    assert_int_equal(le_get(out, 8), 40000);
    /* descriptions of three sensors */
    assert_int_equal(send_scmi(b, scmi_header(0x15, 3), "\x00\0\0", 4, out, 88), 0);
    /* number of remaining ones */
    assert_int_equal(le_get(out + 2, 2), 3);
    assert_int_equal(le_get(out + 12, 4), 2 | (uint32_t)(-3 & 0x1f) << 11); /* unit: millidegrees */
    assert_string_equal((const char *)out + 16, "pmic");
    assert_int_equal(send_scmi(b, scmi_header(0x19, 0), "", 0, out, 0), -1);
}

static void test_scmi_base(void **state)
{
    struct bench *b = *state;
    uint8_t out[128] = {0};

    assert_int_equal(send_scmi(b, scmi_header(0x10, 1), "", 0, out, 4), 0);
    assert_int_equal(le_get(out, 4), 0x104); /* bits 15:8: 1 agent; 7:0: 4 protocols */
    assert_int_equal(send_scmi(b, scmi_header(0x10, 2), "\7\0\0", 4, out, 4), 0);
    assert_int_equal(send_scmi(b, scmi_header(0x10, 2), "\x08\0\0", 4, out, 0), -4);
    assert_int_equal(send_scmi(b, scmi_header(0x10, 3), "", 0, out, 16), 0);
    assert_string_equal((const char *)out, "gencc");
    assert_int_equal(send_scmi(b, scmi_header(0x10, 4), "", 0, out, 16), 0);
    assert_string_equal((const char *)out, "");
    assert_int_equal(send_scmi(b, scmi_header(0x10, 5), "", 0, out, 4), 0);
    assert_int_equal(le_get(out, 4), 1);
    assert_int_equal(send_scmi(b, scmi_header(0x10, 6), "\3\0\0", 4, out, 8),
                     0); /* protocols after the third */
    assert_int_equal(le_get(out, 4), 1);
    assert_memory_equal(out + 4, "\x15\0\0\0", 4);
    assert_int_equal(send_scmi(b, scmi_header(0x10, 6), "\4\0\0", 4, out, 4), 0);
    assert_int_equal(le_get(out, 4), 0);
    assert_int_equal(send_scmi(b, scmi_header(0x10, 6), "\5\0\0", 4, out, 0), -2);
    assert_int_equal(send_scmi(b, scmi_header(0x10, 7), "\0\0\0", 4, out, 16), 0);
    assert_string_equal((const char *)out, "platform");
    assert_int_equal(send_scmi(b, scmi_header(0x10, 7), "\1\0\0", 4, out, 16), 0);
    assert_string_equal((const char *)out, "system");
    assert_int_equal(send_scmi(b, scmi_header(0x10, 7), "\2\0\0", 4, out, 0), -4);
    assert_int_equal(send_scmi(b, scmi_header(0x10, 9), "", 0, out, 0), -4);
    /* The commands that all protocols have. */
    for (unsigned i = 0; i < 4; i++) {
        static const uint8_t protocol[] = {0x11, 0x13, 0x14, 0x15}, commands[] = {6, 9, 8, 7};
        uint8_t in[4] = {(uint8_t)(commands[i] - 1)};

        assert_int_equal(send_scmi(b, scmi_header(protocol[i], 0), "", 0, out, 4), 0);
        assert_int_equal(le_get(out, 4), 0x10000);
        assert_int_equal(send_scmi(b, scmi_header(protocol[i], 2), in, 4, out, 4), 0);
        assert_int_equal(le_get(out, 4), 0);
        in[0]++;
        assert_int_equal(send_scmi(b, scmi_header(protocol[i], 2), in, 4, out, 0), -4);
        assert_int_equal(send_scmi(b, scmi_header(protocol[i], 0x20), "", 0, out, 0), -4);
    }
}

/* Sections 4.3 and 4.5: power domains are initially off, performance is at its maximum. */
static void test_scmi_domains(void **state)
{
    struct bench *b = *state;
    uint8_t out[128] = {0};

    assert_int_equal(send_scmi(b, scmi_header(0x11, 1), "", 0, out, 16), 0);
    assert_int_equal(le_get(out, 4), 16);
    assert_int_equal(send_scmi(b, scmi_header(0x11, 3), "\x0c\0\0", 4, out, 20), 0);
    assert_int_equal(le_get(out, 4), 0);
    assert_string_equal((const char *)out + 4, "power12");
    assert_int_equal(send_scmi(b, scmi_header(0x11, 5), "\x0c\0\0", 4, out, 4), 0);
    assert_int_equal(le_get(out, 4), 1 << 30); /* off */
    assert_int_equal(send_scmi(b, scmi_header(0x11, 4), "\0\0\0\0\x0c\0\0\0\5\0\0", 12, out, 0), 0);
    assert_int_equal(send_scmi(b, scmi_header(0x11, 5), "\x0c\0\0", 4, out, 4), 0);
    assert_int_equal(le_get(out, 4), 5);
    assert_int_equal(send_scmi(b, scmi_header(0x11, 5), "\x0b\0\0", 4, out, 4), 0);
    assert_int_equal(le_get(out, 4), 1 << 30);
    assert_int_equal(send_scmi(b, scmi_header(0x11, 5), "\x10\0\0", 4, out, 0), -4);
    assert_int_equal(send_scmi(b, scmi_header(0x13, 1), "", 0, out, 16), 0);
    assert_int_equal(le_get(out, 4), 1 << 16 | 16); /* power in mW */
    assert_int_equal(send_scmi(b, scmi_header(0x13, 3), "\1\0\0", 4, out, 32), 0);
    assert_int_equal(le_get(out, 8), 1 << 30);    /* the level can be set; rate limit */
    assert_int_equal(le_get(out + 8, 4), 950000); /* kHz */
    assert_int_equal(le_get(out + 12, 4), 950);
    assert_string_equal((const char *)out + 16, "perf1");
    assert_int_equal(send_scmi(b, scmi_header(0x13, 4), "\1\0\0\0\1\0\0", 8, out, 28),
                     0); /* starts at level 1 */
    assert_int_equal(le_get(out, 4), 2);
    assert_int_equal(le_get(out + 4, 4), 800);
    assert_int_equal(le_get(out + 8, 4), 700);
    assert_int_equal(le_get(out + 12, 4), 100); /* transition time in us */
    assert_int_equal(le_get(out + 16, 4), 950);
    assert_int_equal(send_scmi(b, scmi_header(0x13, 4), "\1\0\0\0\3\0\0", 8, out, 0), -7);
    assert_int_equal(send_scmi(b, scmi_header(0x13, 5), "\1\0\0", 4, out, 0), -1);
    assert_int_equal(send_scmi(b, scmi_header(0x13, 6), "\1\0\0", 4, out, 8), 0);
    assert_int_equal(le_get(out, 4), 950);
    assert_int_equal(le_get(out + 4, 4), 450);
    assert_int_equal(send_scmi(b, scmi_header(0x13, 8), "\1\0\0", 4, out, 4), 0);
    assert_int_equal(le_get(out, 4), 950);
    assert_int_equal(send_scmi(b, scmi_header(0x13, 8), "\x10\0\0", 4, out, 0), -4);
}

/* Sections 4.6 and 4.7: a range of rates of 64 bits each; sensors in several parts. */
static void test_scmi_clocks_and_sensors(void **state)
{
    static const uint32_t kinds[] = {2 | 0x1du << 11, 5 | 0x1du << 11, 6 | 0x1du << 11,
                                     2 | 0x1du << 11, 7 | 0x1au << 11, 8 | 0x1au << 11};
    struct bench *b = *state;
    uint8_t out[128] = {0};

    assert_int_equal(send_scmi(b, scmi_header(0x14, 1), "", 0, out, 4), 0);
    assert_int_equal(le_get(out, 4), 8);
    assert_int_equal(send_scmi(b, scmi_header(0x14, 4), "\7\0\0\0\0\0\0", 8, out, 28), 0);
    assert_int_equal(le_get(out, 4), 1 << 12 | 3); /* lowest, highest, step */
    assert_int_equal(le_get(out + 4, 8), 5);
    assert_int_equal(le_get(out + 12, 8), 4096);
    assert_int_equal(le_get(out + 20, 8), 1);
    assert_int_equal(send_scmi(b, scmi_header(0x14, 6), "\7\0\0", 4, out, 8), 0);
    assert_int_equal(le_get(out, 8), 2048);
    assert_int_equal(
        send_scmi(b, scmi_header(0x14, 5), "\0\0\0\0\7\0\0\0\1\2\0\0\3\0\0", 16, out, 0), 0);
    assert_int_equal(send_scmi(b, scmi_header(0x14, 6), "\7\0\0", 4, out, 8), 0);
    assert_int_equal(le_get(out, 8), UINT64_C(0x300000201));
    assert_int_equal(send_scmi(b, scmi_header(0x14, 6), "\6\0\0", 4, out, 8), 0);
    assert_int_equal(le_get(out, 8), 2048);
    assert_int_equal(send_scmi(b, scmi_header(0x14, 7), "\7\0\0\0\3\0\0", 8, out, 0), 0); /* on */
    assert_int_equal(send_scmi(b, scmi_header(0x14, 3), "\7\0\0", 4, out, 20), 0);
    assert_int_equal(le_get(out, 4), 1);
    assert_string_equal((const char *)out + 4, "clock7");
    assert_int_equal(send_scmi(b, scmi_header(0x14, 3), "\6\0\0", 4, out, 20), 0);
    assert_int_equal(le_get(out, 4), 0);
    assert_int_equal(send_scmi(b, scmi_header(0x14, 6), "\x08\0\0", 4, out, 0), -4);
    assert_int_equal(send_scmi(b, scmi_header(0x15, 1), "", 0, out, 16), 0);
    assert_int_equal(le_get(out, 4), 6);
    for (uint8_t i = 0; i < 6; i++) {
        const uint8_t in[4] = {i};
        unsigned count = i < 3 ? 3 : 6 - i; /* a reply has room for 3 */

        assert_int_equal(send_scmi(b, scmi_header(0x15, 3), in, 4, out, 4 + 28 * count), 0);
        assert_int_equal(le_get(out, 2), count);
        assert_int_equal(le_get(out + 2, 2), 6 - i - count);
        assert_int_equal(le_get(out + 4, 4), i);
        assert_int_equal(le_get(out + 8, 4), 0);
        assert_int_equal(le_get(out + 12, 4), kinds[i]);
    }
    assert_int_equal(send_scmi(b, scmi_header(0x15, 3), "\6\0\0", 4, out, 0), -7);
    assert_int_equal(send_scmi(b, scmi_header(0x15, 6), "\6\0\0\0\0\0\0", 8, out, 0), -4);
    assert_int_equal(send_scmi(b, scmi_header(0x15, 6), "", 0, out, 8),
                     0); /* missing arguments are read as 0 */
    assert_int_equal(le_get(out, 8), 35000);
}

/*
 * Without the flag there is no interrupt; other doorbell bits are ignored; a snapshot keeps a
 * pending answer.
 */
static void test_scmi_doorbell(void **state)
{
    struct bench *b = *state;
    struct state_buf buf = {0};
    uint8_t words[32] = {0};
    struct error err = {""};

    bench_run_to(b, 999);
    bus_copy_from(b->bus, SHMEM, words, 8);
    assert_int_equal(le_get(words + 4, 4), 0);
    bench_run_to(b, 1000); /* the channel is free once firmware has started */
    bus_copy_from(b->bus, SHMEM, words, 8);
    assert_int_equal(le_get(words + 4, 4), 1);
    le_put(words + 4, 4, 0);
    le_put(words + 20, 4, 4);
    le_put(words + 24, 4, 0x10 << 10);
    bus_copy_to(b->bus, SHMEM, words, 32);
    bench_write(b, HIGH_TX + 8, 2);
    assert_true(clock_next(&b->clock) == CLOCK_NEVER);
    bench_write(b, HIGH_TX + 8, 4);
    state_save(&buf, "scmi", fw.cls->fields, fw.dev);
    fw.cls->reset(fw.dev);
    assert_true(state_load(&buf, "scmi", fw.cls->fields, fw.dev, &err));
    fw.cls->post_load(fw.dev, &err);
    state_buf_free(&buf);
    bench_run_to(b, 1000000);
    assert_int_equal(bench_read(b, HIGH_TX), 2);
    assert_int_equal(bench_read(b, HIGH_RX), 0);
    bus_copy_from(b->bus, SHMEM, words, 32);
    assert_int_equal(le_get(words + 4, 4), 1);
    assert_int_equal(le_get(words + 20, 4), 4 + 4 + 4); /* header, status, version */
    assert_int_equal(le_get(words + 28, 4), 0);
    fw.cls->post_load(fw.dev, &err); /* no answer is pending any more */
    assert_true(clock_next(&b->clock) == CLOCK_NEVER);
}

/* Channel, doorbell and 128 bytes of memory, and the longest message, of 100 bytes. */
static void test_scmi_mailboxes(void **state)
{
    static const struct {
        const char *mboxes, *message;
        uint64_t size;
    } rows[] = {
        {"\0\0\0\x39\0\0\0\3\0\0\0\2", "channel and doorbell", 0x200},
        {"\0\0\0\x39\0\0\0\1\0\0\0\x20", "channel and doorbell", 0x200},
        {"\0\0\0\x38\0\0\0\1\0\0\0\2", "not a message handling unit", 0x200},
        {"\0\0\0\x39\0\0\0\1\0\0\0\2", "or is small", 0x7f},
    };
    struct bench *b = *state;
    uint8_t in[100] = {0}, out[8] = {0};
    struct error err;

    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        b->prop_count = 0;
        bench_prop(b, "mboxes", rows[i].mboxes, 12);
        bench_prop(b, "shmem", "\0\0\0\x3a", 4);
        give_properties(b);
        shmem_size = rows[i].size;
        assert_null(fw.cls->create(&fw.env, &err));
        assert_non_null(strstr(err.text, rows[i].message));
    }
    fw.cls->destroy(fw.dev);
    shmem_size = 0x80;
    fw.dev = fw.cls->create(&fw.env, &err);
    assert_non_null(fw.dev);
    shmem_size = 0x200;
    bench_run_to(b, 10000);
    assert_int_equal(
        send_scmi(b, scmi_header(0x14, 5), "\0\0\0\0\7\0\0\0\1\2\0\0\0\0\0", 16, out, 0), 0);
    in[0] = 7;
    assert_int_equal(send_scmi(b, scmi_header(0x14, 6), in, 100, out, 8), 0);
    assert_int_equal(le_get(out, 8), 0x201);
}

static void test_scmi_random_messages(void **state)
{
    struct bench *b = *state;
    uint64_t seed = 0x9e3779b97f4a7c15;
    uint8_t message[0x80];

    for (unsigned i = 0; i < 20000; i++) {
        for (unsigned k = 0; k < sizeof(message); k++)
            message[k] = (uint8_t)((seed = seed * 6364136223846793005u + 1) >> 56) >> (k & 7);
        le_put(message + 24, 4, (seed >> 20 & 0xf) | (0x10 + (seed >> 30 & 7)) << 10);
        bus_copy_to(b->bus, SHMEM, message, sizeof(message));
        bench_write(b, HIGH_TX + 8, 4);
        bench_run_to(b, clock_now(&b->clock) + 100000);
        assert_int_equal(bench_read(b, HIGH_TX), 0);
    }
}

/*
 * DUI 0922, table 3-2: supported commands, the last number of each kind, and the longest command.
 */
static void test_scpi_limits(void **state)
{
    struct bench *b = *state;
    uint8_t out[256] = {0}, in[0xf8] = {0};
    struct state_buf buf = {0};
    struct error err = {""};

    assert_int_equal(send_scpi(b, 0x02, "", 0, out, 28), 0);
    assert_int_equal(le_get(out + 4, 4), 0);
    assert_int_equal(le_get(out + 8, 4), 0x01000000);
    assert_int_equal(le_get(out + 12, 4), 0x18e1ef04); /* bit n: command n exists */
    assert_int_equal(le_get(out + 16, 8) | le_get(out + 24, 4), 0);
    assert_int_equal(send_scpi(b, 0x08, "", 0, out, 1), 0);
    assert_int_equal(out[0], 8);
    assert_int_equal(send_scpi(b, 0x0d, "", 0, out, 2), 0);
    assert_int_equal(le_get(out, 2), 16);
    assert_int_equal(send_scpi(b, 0x09, "\x07", 1, out, 28), 0);
    assert_int_equal(out[0], 7);
    assert_int_equal(send_scpi(b, 0x09, "\x08", 1, out, 0), 1);
    assert_int_equal(send_scpi(b, 0x0a, "\x08\0", 2, out, 0), 1);
    assert_int_equal(send_scpi(b, 0x0b, "\x08", 1, out, 0), 1);
    assert_int_equal(send_scpi(b, 0x0b, "\x07", 1, out, 1), 0);
    assert_int_equal(out[0], 2); /* the fastest operating point */
    assert_int_equal(send_scpi(b, 0x0e, "\x0f\0", 2, out, 32), 0);
    assert_int_equal(le_get(out, 4), 3 << 16 | 15);
    assert_string_equal((const char *)out + 12, "clock");
    assert_int_equal(send_scpi(b, 0x0e, "\x10\0", 2, out, 0), 1);
    assert_int_equal(send_scpi(b, 0x0f, "\x10\0\0\0\1\0\0\0", 8, out, 0), 1);
    assert_int_equal(send_scpi(b, 0x10, "\x10\0", 2, out, 0), 1);
    assert_int_equal(send_scpi(b, 0x1b, "\x08\0\0", 3, out, 0), 1);
    assert_int_equal(send_scpi(b, 0x1c, "\x08\0", 2, out, 0), 1);
    assert_int_equal(send_scpi(b, 0x16, "\x06\0", 2, out, 0), 1);
    in[0] = 3; /* half of the shared memory, without the header */
    assert_int_equal(send_scpi(b, 0x10, in, sizeof(in), out, 4), 0);
    /* An answer that was pending in a snapshot comes after the load. */
    le_put(in, 4, 0x08);
    bus_copy_to(b->bus, SHMEM + 0x100, in, 8);
    bus_copy_to(b->bus, SHMEM, in + 8, 16);
    bench_write(b, HIGH_TX + 8, 1);
    state_save(&buf, "scpi", fw.cls->fields, fw.dev);
    fw.cls->reset(fw.dev);
    bench_run_to(b, clock_now(&b->clock) + 100000);
    assert_int_equal(bench_read(b, HIGH_TX), 1);
    assert_true(state_load(&buf, "scpi", fw.cls->fields, fw.dev, &err));
    fw.cls->post_load(fw.dev, &err);
    state_buf_free(&buf);
    bench_run_to(b, clock_now(&b->clock) + 100000);
    assert_int_equal(bench_read(b, HIGH_TX), 0);
    bus_copy_from(b->bus, SHMEM, out, 9);
    assert_int_equal(le_get(out, 8), 1 << 16 | 0x08);
    assert_int_equal(out[8], 8);
    bench_write(b, HIGH_RX + 0x10, 1);
    bench_run_to(b, clock_now(&b->clock) + 100000); /* the reply is sent once */
    assert_false(b->level[1]);
}

/* A command whose stated size is larger than the memory is refused. */
static void test_scpi_size_is_checked(void **state)
{
    struct bench *b = *state;
    uint8_t header[8];

    le_put(header, 4, 0x02 | 0x1ffu << 16);
    bus_copy_to(b->bus, SHMEM + 0x100, header, 4);
    bench_write(b, HIGH_TX + 8, 1);
    bench_run_to(b, 1000000);
    bus_copy_from(b->bus, SHMEM, header, 8);
    assert_int_equal(le_get(header + 4, 4), 3);
}

/* Random commands with random payloads: there is always an answer, and it fits in the memory. */
static void test_scpi_random_messages(void **state)
{
    struct bench *b = *state;
    uint64_t seed = 0x9e3779b97f4a7c15;
    uint8_t guard[16], half[0x100];

    bus_copy_to(b->bus, SHMEM + 0x200, "guarded bytes...", 16);
    for (unsigned i = 0; i < 20000; i++) {
        for (unsigned k = 0; k < sizeof(half); k++)
            half[k] = (uint8_t)((seed = seed * 6364136223846793005u + 1) >> 56) >> (k & 7);
        half[0] &= 0x1f;
        bus_copy_to(b->bus, SHMEM + 0x100, half, sizeof(half));
        bench_write(b, HIGH_TX + 8, 1);
        bench_run_to(b, clock_now(&b->clock) + 100000);
        assert_int_equal(bench_read(b, HIGH_TX), 0);
        bus_copy_from(b->bus, SHMEM, half, 8);
        assert_true(le_get(half + 2, 2) <= 0xf8);
    }
    bus_copy_from(b->bus, SHMEM + 0x200, guard, 16);
    assert_memory_equal(guard, "guarded bytes...", 16);
}

/* Missing or malformed properties of the control processor are errors. */
static void test_scp_properties_are_checked(void **state)
{
    static const struct {
        const char *name;
        const char *value;
        size_t len;
    } wrong[] = {
        {"operating-points", "", 0},
        {"operating-points", points, 16},
        {"transition-latency", "\0\x01\0\0", 4},
        {"clock-rates", clock_rates, 8},
        {"sensors", "soc temperature", 16},
        {"sensors", "soc warmth 40000", 17},
        {"sensors", "soc temperature 40000 C", 24},
        {"sensors", "a_name_too_long_for_it voltage 1", 33},
        {"sensors", "soc voltage 1", 13}, /* without its NUL */
    };
    static char many[257 * 12];
    struct bench *b = *state;
    struct error err = {""};
    struct scp scp;

    give_properties(b);
    assert_true(scp_read(&scp, &b->env, &err));
    assert_int_equal(scp.default_points.count, 3);
    assert_int_equal(scp.sensors, 6);
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        b->prop_count = 0;
        /* the first property of a name counts */
        bench_prop(b, wrong[i].name, wrong[i].value, wrong[i].len);
        give_properties(b);
        assert_false(scp_read(&scp, &b->env, &err));
        assert_non_null(strstr(err.text, i < 4 ? wrong[i].name : "sensor"));
    }
    for (unsigned i = 0; i < 257; i++)
        memcpy(many + 12 * i, "a voltage 1", 12);
    b->prop_count = 0;
    bench_prop(b, "sensors", many, sizeof(many));
    give_properties(b);
    assert_false(scp_read(&scp, &b->env, &err));
    assert_non_null(strstr(err.text, "256"));
    b->prop_count = 0;
    bench_prop(b, "operating-points", many, sizeof(many) / 12 * 12);
    give_properties(b);
    assert_false(scp_read(&scp, &b->env, &err));
    assert_non_null(strstr(err.text, "16"));
}

/*
 * The GPU's domain has one operating point, the GPU's clock, if there is a GPU and the tree names
 * the domain.
 */
static void test_scp_gpu_domain(void **state)
{
    struct bench *b = *state;
    struct error err = {""};
    struct scp scp;

    give_properties(b);
    b->env.gpu = &gpu;
    assert_true(scp_read(&scp, &b->env, &err));
    assert_int_equal(scp_fastest(&scp, 2)->hz, 950000000);
    bench_prop(b, "gpu-domain", "\0\0\0\x02", 4);
    assert_true(scp_read(&scp, &b->env, &err));
    assert_int_equal(scp_points(&scp, 1)->count, 3);
    assert_int_equal(scp_points(&scp, 2)->count, 2);
    assert_int_equal(scp_fastest(&scp, 2)->hz, 600000000);
    assert_int_equal(scp_fastest(&scp, 2)->millivolt, 900);
    assert_int_equal(scp_initial(&scp, 2)->hz, 600000000);
    b->env.gpu = &without_supply; /* a single operating point, at the GPU's own clock */
    assert_true(scp_read(&scp, &b->env, &err));
    assert_int_equal(scp_points(&scp, 2)->count, 1);
    assert_int_equal(scp_initial(&scp, 2)->hz, 600000000);
    assert_int_equal(scp_initial(&scp, 2)->millivolt, 980);
    b->env.gpu = NULL;
    assert_true(scp_read(&scp, &b->env, &err));
    assert_int_equal(scp_points(&scp, 2)->count, 3);
    bench_prop(b, "gpu-sensors", "vsys\0pgpu", 10);
    assert_false(scp_read(&scp, &b->env, &err));
    assert_non_null(strstr(err.text, "gpu-sensors: no sensor is called 'pgpu'"));
}

/* Both protocols report the domain. */
static bool read_supply(void *opaque, struct gpu_reading *out)
{
    *out = (struct gpu_reading){450000, 77};
    return opaque == &supply;
}

/* The GPU's domain has the points of its supply, which follows. */
static void test_scpi_gpu_domain(void **state)
{
    struct bench *b = *state;
    uint8_t out[256] = {0};

    supply.at = supply.offers[1].at;
    assert_int_equal(send_scpi(b, 0x09, "\x02", 1, out, 20), 0);
    assert_int_equal(out[1], 2);
    assert_int_equal(le_get(out + 4, 4), 450000000);
    assert_int_equal(le_get(out + 8, 4), 820);
    assert_int_equal(le_get(out + 12, 4), 600000000);
    assert_int_equal(send_scpi(b, 0x0b, "\x02", 1, out, 1), 0);
    assert_int_equal(out[0], 1);
    assert_int_equal(send_scpi(b, 0x0a, "\x02\x02", 2, out, 0), 6);
    assert_int_equal(send_scpi(b, 0x0a, "\x01\x00", 2, out, 0), 0);
    assert_int_equal(supply.at.mhz, 600);
    assert_int_equal(send_scpi(b, 0x0a, "\x02\x00", 2, out, 0), 0);
    assert_int_equal(supply.at.mhz, 450);
}

/* Sensors of the supply: vsys and isys stand for them here. Others keep their values. */
static void test_scpi_gpu_sensors(void **state)
{
    static const struct {
        uint8_t sensor;
        uint32_t constant, of_gpu;
    } want[] = {{1, 980, 900}, {2, 400, 500}, {3, 40000, 40000}, {4, 392000, 450000}};
    struct bench *b = *state;
    uint8_t out[8] = {0}, in[2] = {0};

    for (unsigned metered = 0; metered < 2; metered++) {
        supply.at = supply.offers[1].at;
        supply.read = metered ? read_supply : NULL;
        supply.gpu = &supply;
        for (unsigned i = 0; i < ARRAY_SIZE(want); i++) {
            in[0] = want[i].sensor;
            assert_int_equal(send_scpi(b, 0x17, in, 2, out, 8), 0);
            assert_int_equal(le_get(out, 8), metered || i == 0 ? want[i].of_gpu : want[i].constant);
        }
    }
    in[0] = 5;
    assert_int_equal(send_scpi(b, 0x17, in, 2, out, 8), 0);
    assert_int_equal(le_get(out, 8), 77);
    supply.read = NULL;
}

static void test_scmi_gpu_domain(void **state)
{
    struct bench *b = *state;
    uint8_t out[128] = {0};

    assert_int_equal(send_scmi(b, scmi_header(0x13, 8), "\2\0\0", 4, out, 4), 0);
    assert_int_equal(le_get(out, 4), 600);
    assert_int_equal(send_scmi(b, scmi_header(0x13, 7), "\2\0\0\0\x20\3\0", 8, out, 0),
                     -7); /* 800 */
    assert_int_equal(send_scmi(b, scmi_header(0x13, 4), "\2\0\0\0\0\0\0", 8, out, 28), 0);
    assert_int_equal(le_get(out, 2), 2);
    assert_int_equal(le_get(out + 4, 4), 450);
    assert_int_equal(le_get(out + 8, 4), 300); /* mW */
    assert_int_equal(le_get(out + 16, 4), 600);
    supply.at = supply.offers[1].at;
    assert_int_equal(send_scmi(b, scmi_header(0x13, 7), "\2\0\0\0\xc2\1\0", 8, out, 0),
                     0); /* 450 */
    assert_int_equal(supply.at.mhz, 450);
    assert_int_equal(send_scmi(b, scmi_header(0x13, 7), "\3\0\0\0\x20\3\0", 8, out, 0),
                     0); /* domain 3 is not the GPU's */
    assert_int_equal(supply.at.mhz, 450);
}

static void test_scpi_needs_its_mailbox(void **state)
{
    struct bench *b = *state;
    struct error err;

    bench_prop(b, "mboxes", "\0\0\0\x01\0\0\0\x01", 8);
    assert_null(device_class_by_name("scpi")->create(&b->env, &err));
    assert_non_null(strstr(err.text, "shmem"));
    bench_prop(b, "shmem", "\0\0\0\x01", 4);
    assert_null(device_class_by_name("scpi")->create(&b->env, &err));
    assert_non_null(strstr(err.text, "mailbox"));
}

/* Firmware that was destroyed, or was never made, is not called by the doorbell. */
static void test_goes_with_its_doorbell(void **state)
{
    struct bench *b = *state;
    struct error err = {""};
    char *other;

    fw.cls->destroy(fw.dev);
    other = calloc(1, 4096); /* possibly the memory of the first one */
    bench_write(b, HIGH_TX + 8, 2);
    assert_int_equal(bench_read(b, HIGH_TX), 2);
    assert_true(clock_next(&b->clock) == CLOCK_NEVER);
    bench_write(b, HIGH_TX + 0x10, 2);
    b->prop_count = 0;
    bench_prop(b, "sensors", "soc warmth 40000", 17);
    bench_prop(b, "mboxes", "\0\0\0\x39\0\0\0\x01\0\0\0\x02", fw.cls->name[2] == 'm' ? 12 : 8);
    bench_prop(b, "shmem", "\0\0\0\x3a", 4);
    give_properties(b);
    assert_null(fw.cls->create(&fw.env, &err));
    assert_non_null(strstr(err.text, "sensor"));
    bench_write(b, HIGH_TX + 8, 2);
    assert_true(clock_next(&b->clock) == CLOCK_NEVER);
    b->props[0] = (struct bench_prop){"none", "", 0};
    fw.dev = fw.cls->create(&fw.env, &err);
    assert_non_null(fw.dev);
    free(other);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_mailbox),
        TEST(test_mailbox_channels),
        cmocka_unit_test_setup_teardown(test_scpi_limits, firmware_setup, firmware_teardown),
        cmocka_unit_test_setup_teardown(test_goes_with_its_doorbell, firmware_setup,
                                        firmware_teardown),
        cmocka_unit_test_setup_teardown(test_goes_with_its_doorbell, scmi_setup, firmware_teardown),
        cmocka_unit_test_setup_teardown(test_scmi_base, scmi_setup, firmware_teardown),
        cmocka_unit_test_setup_teardown(test_scmi_domains, scmi_setup, firmware_teardown),
        cmocka_unit_test_setup_teardown(test_scmi_clocks_and_sensors, scmi_setup,
                                        firmware_teardown),
        cmocka_unit_test_setup_teardown(test_scmi_doorbell, scmi_setup, firmware_teardown),
        cmocka_unit_test_setup_teardown(test_scmi_mailboxes, scmi_setup, firmware_teardown),
        cmocka_unit_test_setup_teardown(test_scpi, firmware_setup, firmware_teardown),
        cmocka_unit_test_setup_teardown(test_scmi, scmi_setup, firmware_teardown),
        cmocka_unit_test_setup_teardown(test_scpi_gpu_sensors, firmware_gpu_setup,
                                        firmware_teardown),
        cmocka_unit_test_setup_teardown(test_scpi_gpu_domain, firmware_gpu_setup,
                                        firmware_teardown),
        cmocka_unit_test_setup_teardown(test_scmi_gpu_domain, scmi_gpu_setup, firmware_teardown),
        cmocka_unit_test_setup_teardown(test_scmi_random_messages, scmi_setup, firmware_teardown),
        cmocka_unit_test_setup_teardown(test_scpi_size_is_checked, firmware_setup,
                                        firmware_teardown),
        cmocka_unit_test_setup_teardown(test_scpi_random_messages, firmware_setup,
                                        firmware_teardown),
        TEST(test_scp_properties_are_checked),
        TEST(test_scp_gpu_domain),
        TEST(test_scpi_needs_its_mailbox),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
