/*
 * Devices whose saved state holds anything, as a damaged or hostile snapshot's does. The first byte
 * of the input says which device. Then come edits of its state, up to a byte of END_OF_EDITS: a
 * field, a place in it (2 bytes), and a value of 4 bytes. The device is loaded, and the rest of the
 * input are accesses of OP_BYTES: a kind with a number, and a value.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/base/bits.h"
#include "runtime/dev/chardev.h"
#include "runtime/dev/disk.h"
#include "runtime/dev/net.h"
#include "runtime/dev/virtio.h"
#include "tests/fuzz/fuzz.h"

enum {
    END_OF_EDITS = 0xff,
    EDIT_BYTES = 7,
    OP_BYTES = 6,
    MAX_OPS = 500,
    MAX_WAIT = 100000, /* ns */
    LINES = 32,
    CPUS = 2,
    REGIONS = 8,
    DISK_BYTES = 1 << 19,
};

/* Kinds of accesses, in the lower part of the number. */
enum { WRITE, READ, WAIT, INPUT, PORT_READ, PORT_WRITE, KINDS };

#define BASE        UINT64_C(0x10000000)
#define REGION_SIZE UINT64_C(0x10000)
#define RAM         UINT64_C(0x80000000)
#define RAM_SIZE    UINT64_C(0x20000)
#define RAM_HANDLE  2

struct rig {
    struct bus *bus;
    struct clock clock;
    struct log log;
    struct device_reg reg[2 * REGIONS]; /* the device's, and its peer's */
    struct irq_line lines[LINES];
    uint64_t hz;
    struct device_env env, peer_env;
    const struct device_class *cls, *peer_cls;
    void *dev, *peer; /* `peer`: the one that the device's node names; NULL: none */
};

/* ---- what a device finds around it ----------------------------------------------------------- */

/* Devices whose nodes name another. */
static const struct {
    const char *name, *peer;
} peers[] = {{"scpi", "mhu"}, {"scmi", "mhu"}, {"gt64120", "i8259"}};

static void no_irq(void *opaque, unsigned n, bool level)
{
    (void)opaque;
    (void)n;
    (void)level;
}

static struct irq_line cpu_input(void *opaque, unsigned cpu, unsigned n)
{
    (void)cpu;
    return (struct irq_line){no_irq, opaque, n};
}

/* What devices need in order to be made: their peer and the RAM; a screen; points of operation. */
static const void *find_prop(void *opaque, const char *name, bool inherit, size_t *len)
{
    static const struct {
        const char *name;
        uint8_t bytes[12];
        size_t len;
    } props[] = {
        {"mboxes", {0, 0, 0, 1, 0, 0, 0, 0}, 8},
        {"shmem", {0, 0, 0, RAM_HANDLE}, 4},
        {"interrupt-acknowledge", {0, 0, 0, 1}, 4},
        {"width", {0, 0, 0, 64}, 4},
        {"height", {0, 0, 0, 16}, 4},
        {"stride", {0, 0, 1, 0}, 4},
        {"format", "a8r8g8b8", 9},
        {"transition-latency", {0, 0, 0, 100}, 4},
        {"clock-rates", {0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0}, 12},
        {"sensors", "a power 1", 10},
        {"operating-points", {0, 1, 0, 0, 0, 0, 3, 0, 0, 0, 1, 0}, 12},
    };

    (void)opaque;
    (void)inherit;
    for (size_t i = 0; i < sizeof(props) / sizeof(*props); i++) {
        if (strcmp(props[i].name, name) != 0)
            continue;
        if (len)
            *len = props[i].len;
        return props[i].bytes;
    }
    return NULL;
}

static void *device_by_phandle(void *opaque, uint32_t phandle, const struct device_class **cls)
{
    const struct rig *r = opaque;

    (void)phandle;
    *cls = r->peer_cls;
    return r->peer;
}

static bool reg_by_phandle(void *opaque, uint32_t phandle, unsigned index, struct device_reg *reg)
{
    (void)opaque;
    *reg = (struct device_reg){RAM, RAM_SIZE};
    return phandle == RAM_HANDLE && !index;
}

static void echo_frame(struct net_backend *net, const uint8_t *frame, size_t len)
{
    net_receive(net, frame, len);
}

static void no_destroy(struct net_backend *net)
{
    (void)net;
}

static struct disk *make_disk(void)
{
    static char path[32];
    static int fd = -1;

    if (fd < 0) {
        fd = memfd_create("disk", 0);
        snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
        if (ftruncate(fd, DISK_BYTES))
            return NULL;
    }
    return disk_open(path, false, true, NULL);
}

static void fill_env(struct rig *r, struct device_env *env)
{
    *env = (struct device_env){
        .name = "device",
        .path = "/device",
        .compatible = "",
        .reg_count = REGIONS,
        .reg = r->reg,
        .irq_count = LINES / CPUS,
        .irq = r->lines,
        .irq_cpu = r->lines,
        .clock_count = 1,
        .clock_hz = &r->hz,
        .cpu_count = CPUS,
        .cpu_input = cpu_input,
        .bus = r->bus,
        .clock = &r->clock,
        .log = &r->log,
        .prop = find_prop,
        .device_by_phandle = device_by_phandle,
        .reg_by_phandle = reg_by_phandle,
        .opaque = r,
    };
}

static void make_peer(struct rig *r)
{
    struct error err;

    for (size_t i = 0; i < sizeof(peers) / sizeof(*peers); i++) {
        if (strcmp(peers[i].name, r->cls->name) != 0)
            continue;
        fill_env(r, &r->peer_env);
        r->peer_env.reg = r->reg + REGIONS;
        r->peer_cls = device_class_by_name(peers[i].peer);
        r->peer = r->peer_cls->create(&r->peer_env, &err);
    }
}

/* ---- a device and its life ------------------------------------------------------------------- */

static struct virtio_function *make_function(struct rig *r, unsigned kind)
{
    static const uint8_t seed[8] = {1}, mac[6] = {0x52, 0x54, 0, 1, 2, 3};

    switch (kind % 3) {
    case 0:
        return virtio_blk_new(r->env.disk);
    case 1:
        return virtio_net_new(r->env.net, mac);
    default:
        return virtio_rng_new(seed, NULL);
    }
}

static bool open_rig(struct rig *r, struct net_backend *wire, unsigned which)
{
    unsigned count = 0;
    struct error err;

    *r = (struct rig){.hz = 1000000};
    while (device_classes[count])
        count++;
    r->cls = device_classes[which % count];
    r->bus = bus_new(&r->log);
    clock_init(&r->clock);
    for (unsigned i = 0; i < 2 * REGIONS; i++)
        r->reg[i] = (struct device_reg){BASE + i * REGION_SIZE, REGION_SIZE};
    for (unsigned i = 0; i < LINES; i++)
        r->lines[i] = (struct irq_line){no_irq, r, i};
    fill_env(r, &r->env);
    bus_add_ram(r->bus, "ram", RAM, RAM_SIZE, &err);
    make_peer(r);
    r->env.chardev = chardev_open("null", &(struct chardev_host){.clock = &r->clock}, &err);
    r->env.disk = make_disk();
    r->env.net = wire;
    if (!strcmp(r->cls->name, "virtio_mmio"))
        r->env.virtio = make_function(r, which / count);
    r->dev = r->cls->create(&r->env, &err);
    return r->dev != NULL;
}

static void close_rig(struct rig *r)
{
    bool owned = r->env.virtio && !strcmp(r->env.virtio->cls->name, "virtio-blk");

    virtio_function_free(r->env.virtio);
    if (!owned)
        disk_close(r->env.disk);
    if (r->dev && r->cls->destroy)
        r->cls->destroy(r->dev);
    if (r->peer && r->peer_cls->destroy)
        r->peer_cls->destroy(r->peer);
    chardev_close(r->env.chardev);
    clock_free(&r->clock);
    bus_free(r->bus);
}

/* Changes the fields of an object as the edit says. */
static void edit_fields(const struct state_field *fields, void *object, const uint8_t *edit)
{
    unsigned count = 0;
    const struct state_field *field;

    while (fields && fields[count].name)
        count++;
    if (!count)
        return;
    field = &fields[edit[0] % count];
    for (unsigned i = 0; i < 4; i++)
        ((uint8_t *)object)[field->offset + (le_get(edit + 1, 2) + i) % field->size] = edit[3 + i];
}

/* Loads the edited state as a machine does: in two rounds. Returns the bytes of the edits. */
static size_t load_edited(struct rig *r, const uint8_t *data, size_t size, bool *loaded)
{
    const struct virtio_function_class *inner = r->env.virtio ? r->env.virtio->cls : NULL;
    struct state_buf buf = {0};
    struct error err = {0};
    size_t at = 0;

    for (; at + EDIT_BYTES <= size && data[at] != END_OF_EDITS; at += EDIT_BYTES) {
        if (inner && data[at] & 0x80)
            edit_fields(inner->fields, r->env.virtio, data + at);
        else
            edit_fields(r->cls->fields, r->dev, data + at);
    }
    if (r->cls->fields)
        state_save(&buf, "device", r->cls->fields, r->dev);
    if (inner)
        state_save(&buf, "function", inner->fields, r->env.virtio);
    if (r->cls->reset)
        r->cls->reset(r->dev);
    for (unsigned round = 0; round < 2 && !*err.text; round++) {
        if (r->cls->fields)
            state_load(&buf, "device", r->cls->fields, r->dev, &err);
        if (inner)
            state_load(&buf, "function", inner->fields, r->env.virtio, &err);
        if (r->cls->post_load)
            r->cls->post_load(r->dev, &err);
    }
    *loaded = !*err.text;
    state_buf_free(&buf);
    return at + 1 < size ? at + 1 : size;
}

static void drive_input(struct rig *r, unsigned number, uint32_t value)
{
    const uint32_t cells[3] = {number & 1, number >> 1 & 0x3f, 4};
    struct irq_line line;
    struct error err;

    if (r->cls->irq_input && r->cls->irq_input(r->dev, cells, 3, number % CPUS, &line, &err))
        irq_set(&line, value & 1);
    else if (r->cls->gpio_input && r->cls->gpio_input(r->dev, cells + 1, 2, &line))
        irq_set(&line, value & 1);
}

static void run_access(struct rig *r, const uint8_t *data)
{
    unsigned number = (unsigned)le_get(data, 2) / KINDS, kind = (unsigned)le_get(data, 2) % KINDS;
    uint32_t value = (uint32_t)le_get(data + 2, 4);
    uint64_t pa = BASE + (number >> 10) * REGION_SIZE + 4 * (number & 0x3ff), read;

    switch (kind) {
    case WRITE:
        bus_write(r->bus, pa, 4, value, value % CPUS);
        break;
    case READ:
        bus_read(r->bus, pa + value % 4, 1u << (value >> 2) % 3, &read, value % CPUS);
        break;
    case WAIT:
        clock_advance_to(&r->clock, r->clock.now + value % MAX_WAIT);
        break;
    case INPUT:
        drive_input(r, number, value);
        break;
    case PORT_READ:
        if (r->cls->port_read)
            r->cls->port_read(r->dev, value % CPUS, number);
        break;
    case PORT_WRITE:
        if (r->cls->port_write)
            r->cls->port_write(r->dev, value % CPUS, number, value);
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct net_backend wire = {.name = "wire", .send = echo_frame, .destroy = no_destroy};
    struct rig r;
    bool loaded = false;
    size_t at = 1;

    if (!size)
        return 0;
    if (open_rig(&r, &wire, data[0])) {
        at += load_edited(&r, data + at, size - at, &loaded);
        for (unsigned i = 0; loaded && i < MAX_OPS && at + OP_BYTES <= size; i++, at += OP_BYTES)
            run_access(&r, data + at);
        clock_advance_to(&r.clock, r.clock.now + MAX_WAIT);
    }
    close_rig(&r);
    return 0;
}
