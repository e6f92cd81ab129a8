/*
 * Virtio slots with hostile drivers: rings, descriptors and registers. The first byte of the input
 * says which function is in the slot and which features the driver takes; then come 6-byte
 * operations, each a kind with a number, and a value. The device starts with its driver active and
 * all queues ready, so that an input need not contain the set-up.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/bits.h"
#include "runtime/dev/virtio.h"
#include "runtime/display/display.h"
#include "tests/fuzz/fuzz.h"

enum { OP_BYTES = 6, MAX_OPS = 2000, MAX_WAIT = 200000 };

/* Kinds of operations, in the lower part of the number. */
enum { WRITE, READ, WAIT, MEMORY, DESCRIPTOR, OFFER, NOTIFY, RECEIVE, KINDS };

/* A first byte of SCREEN_FROM or more is the screen; smaller ones are the other functions by their
 * rest. */
enum { BLOCK, BLOCK_SNAPSHOT, BLOCK_READ_ONLY, NET, ENTROPY, FOLDER, FUNCTIONS, SCREEN };
enum { SCREEN_FROM = 0xc0 };

#define BASE       UINT64_C(0x10000000)
#define RAM        UINT64_C(0x80000000)
#define RAM_SIZE   UINT64_C(0x20000)
#define QUEUE      16u /* entries */
#define QUEUES     2u
#define DESC(q)    (RAM + 0x1000 * (q))
#define AVAIL(q)   (DESC(q) + 0x400)
#define USED(q)    (DESC(q) + 0x800)
#define BUFFERS    (RAM + 0x2000)
#define DISK_BYTES 65536

struct slot {
    struct bus *bus;
    struct clock clock;
    struct log log;
    struct device_reg reg;
    struct device_env env;
    const struct device_class *cls;
    void *dev;
    struct virtio_function *function;
    bool is_net;
    uint16_t offered[QUEUES];
};

/* ---- what is behind the functions ------------------------------------------------------------ */

/* Makes the disk, once for all inputs: sector n holds bytes of the value n. */
static const char *make_disk(void)
{
    static char path[32];
    static int fd = -1;
    uint8_t bytes[DISK_BYTES];

    if (fd < 0) {
        fd = memfd_create("disk", 0);
        snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    }
    for (unsigned i = 0; i < DISK_BYTES; i++)
        bytes[i] = (uint8_t)(i / 512);
    return pwrite(fd, bytes, sizeof(bytes), 0) == DISK_BYTES ? path : "";
}

static char folder_path[] = "/tmp/gencc-fuzz-XXXXXX";

static void remove_folder(void)
{
    char path[64];

    snprintf(path, sizeof(path), "%s/file", folder_path);
    unlink(path);
    rmdir(folder_path);
}

/* A folder with a file, which the guest may only read. */
static const char *make_folder(void)
{
    static bool made;
    char path[64];

    if (!made && mkdtemp(folder_path)) {
        made = true;
        snprintf(path, sizeof(path), "%s/file", folder_path);
        close(open(path, O_CREAT | O_WRONLY, 0600));
        atexit(remove_folder);
    }
    return folder_path;
}

/* A wire that sends everything back. */
static void echo_frame(struct net_backend *net, const uint8_t *frame, size_t len)
{
    net_receive(net, frame, len);
}

static void no_destroy(struct net_backend *net)
{
    (void)net;
}

static struct net_backend wire = {.name = "wire", .send = echo_frame, .destroy = no_destroy};

static struct virtio_function *function_of(unsigned kind)
{
    static const uint8_t seed[8] = {1}, mac[6] = {0x52, 0x54, 0, 1, 2, 3};

    switch (kind) {
    case BLOCK:
    case BLOCK_SNAPSHOT:
    case BLOCK_READ_ONLY:
        return virtio_blk_new(
            disk_open(make_disk(), kind == BLOCK_READ_ONLY, kind == BLOCK_SNAPSHOT, NULL));
    case NET:
        return virtio_net_new(&wire, mac);
    case ENTROPY:
        return virtio_rng_new(seed, NULL);
    case SCREEN:
        return virtio_gpu_new(800, 600);
    default:
        return virtio_9p_new(make_folder(), "tag", NINEP_NONE, true, NULL);
    }
}

/* ---- a slot and its driver ------------------------------------------------------------------- */

static void write_register(struct slot *s, unsigned offset, uint32_t value)
{
    bus_write(s->bus, BASE + offset, 4, value, 0);
}

static bool open_slot(struct slot *s, unsigned kind)
{
    struct error err;

    *s = (struct slot){.is_net = kind == NET, .reg = {BASE, 0x200}};
    s->bus = bus_new(&s->log);
    clock_init(&s->clock);
    s->function = function_of(kind);
    s->env = (struct device_env){
        .name = "slot",
        .path = "/slot",
        .compatible = VIRTIO_MMIO_COMPATIBLE,
        .reg_count = 1,
        .reg = &s->reg,
        .cpu_count = 1,
        .bus = s->bus,
        .clock = &s->clock,
        .log = &s->log,
        .virtio = s->function,
        .display = display_new(s->bus),
    };
    if (!s->function || !bus_add_ram(s->bus, "ram", RAM, RAM_SIZE, &err))
        return false;
    s->cls = device_class_by_name("virtio_mmio");
    s->dev = s->cls->create(&s->env, &err);
    return s->dev != NULL;
}

static void close_slot(struct slot *s)
{
    virtio_function_free(s->function);
    if (s->dev)
        s->cls->destroy(s->dev);
    display_free(s->env.display);
    clock_free(&s->clock);
    bus_free(s->bus);
}

static void start_queue(struct slot *s, unsigned queue)
{
    write_register(s, 0x30, queue);
    write_register(s, 0x38, QUEUE);
    write_register(s, 0x80, (uint32_t)DESC(queue));
    write_register(s, 0x90, (uint32_t)AVAIL(queue));
    write_register(s, 0xa0, (uint32_t)USED(queue));
    write_register(s, 0x44, 1);
}

/* Section 3.1.1, with indirect descriptors and event indices as the bits say. */
static void start_driver(struct slot *s, unsigned features)
{
    write_register(s, 0x70, 3);
    write_register(s, 0x20, (features & 3) << 28);
    write_register(s, 0x24, 1);
    write_register(s, 0x20, 1);
    write_register(s, 0x70, 11);
    for (unsigned queue = 0; queue < QUEUES; queue++)
        start_queue(s, queue);
    write_register(s, 0x70, 15);
}

/* Writes a descriptor: queue, index and next from `number`; address, length, flags from `value`. */
static void write_descriptor(struct slot *s, unsigned number, uint32_t value)
{
    uint64_t at = DESC(number & 1) + 16 * (number >> 1 & 15);

    bus_write(s->bus, at, 8, BUFFERS + (value & 0xffff), 0);
    bus_write(s->bus, at + 8, 4, value >> 16 & 0x7ff, 0);
    bus_write(s->bus, at + 12, 2, value >> 27 & 7, 0);
    bus_write(s->bus, at + 14, 2, number >> 5 & 15, 0);
}

static void offer_chain(struct slot *s, unsigned queue, unsigned head)
{
    uint16_t *offered = &s->offered[queue];

    bus_write(s->bus, AVAIL(queue) + 4 + 2 * (uint64_t)(*offered % QUEUE), 2, head, 0);
    bus_write(s->bus, AVAIL(queue) + 2, 2, ++*offered, 0);
    write_register(s, 0x50, queue);
}

static void receive_frame(struct slot *s, uint32_t value)
{
    static const uint8_t frame[4096];

    if (s->is_net)
        net_receive(&wire, frame, value % sizeof(frame));
}

static void run_access(struct slot *s, const uint8_t *data)
{
    unsigned number = (unsigned)le_get(data, 2) / KINDS, kind = (unsigned)le_get(data, 2) % KINDS;
    uint32_t value = (uint32_t)le_get(data + 2, 4);
    uint64_t read;

    switch (kind) {
    case WRITE:
        write_register(s, 4 * (number % 0x80), value);
        break;
    case READ:
        bus_read(s->bus, BASE + number % 0x200, 1u << value % 3, &read, 0);
        break;
    case WAIT:
        clock_advance_to(&s->clock, s->clock.now + value % MAX_WAIT);
        break;
    case MEMORY:
        bus_write(s->bus, RAM + 4 * (uint64_t)number, 4, value, 0);
        break;
    case DESCRIPTOR:
        write_descriptor(s, number, value);
        break;
    case OFFER:
        offer_chain(s, number % QUEUES, value % (QUEUE + 1));
        break;
    case NOTIFY:
        write_register(s, 0x50, number % 4);
        break;
    case RECEIVE:
        receive_frame(s, value);
        break;
    }
}

/* The picture of the screen, and a snapshot of what is behind it, which must be sound. */
static void look_at(struct slot *s)
{
    const struct virtio_function_class *cls = s->function->cls;
    struct state_buf contents = {0};
    struct image image = {0};
    struct error err;

    display_grab(s->env.display, &image);
    image_free(&image);
    if (!cls->save)
        return;
    cls->save(s->function, &contents);
    if (!cls->load(s->function, contents.data, contents.len, true, &err))
        abort();
    state_buf_free(&contents);
}

/* What a snapshot's file may hold in place of the function's state. */
static void load_anything(struct slot *s, const uint8_t *data, size_t size)
{
    const struct virtio_function_class *cls = s->function->cls;
    struct error err;

    if (cls->load && cls->load(s->function, data, size, true, &err))
        look_at(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct slot s;

    if (!size)
        return 0;
    if (open_slot(&s, data[0] < SCREEN_FROM ? data[0] % FUNCTIONS : SCREEN)) {
        load_anything(&s, data + 1, size - 1);
        start_driver(&s, data[0] / FUNCTIONS);
        size--;
        data++;
        for (unsigned i = 0; i < MAX_OPS && size >= OP_BYTES; i++) {
            run_access(&s, data);
            data += OP_BYTES;
            size -= OP_BYTES;
        }
        clock_advance_to(&s.clock, s.clock.now + MAX_WAIT);
        look_at(&s);
    }
    close_slot(&s);
    return 0;
}
