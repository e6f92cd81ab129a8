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
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/virtio_slot.h"

enum { OP_BYTES = 6, MAX_OPS = 2000, MAX_WAIT = 200000 };

/* Kinds of operations, in the lower part of the number. */
enum { WRITE, READ, WAIT, MEMORY, DESCRIPTOR, OFFER, NOTIFY, RECEIVE, KINDS };

/* A first byte of SCREEN_FROM or more is the screen; smaller ones are the other functions by their
 * rest. */
enum { BLOCK, BLOCK_SNAPSHOT, BLOCK_READ_ONLY, NET, ENTROPY, FOLDER, FUNCTIONS, SCREEN };
enum { SCREEN_FROM = 0xc0 };

#define DISK_BYTES 65536

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

/* ---- operations ------------------------------------------------------------------------------ */

/* Writes a descriptor: queue, index and next from `number`; address, length, flags from `value`. */
static void write_descriptor(struct virtio_slot *s, unsigned number, uint32_t value)
{
    uint64_t at = SLOT_DESC(number & 1) + 16 * (number >> 1 & 15);

    bus_write(s->bus, at, 8, SLOT_BUFFERS + (value & 0xffff), 0);
    bus_write(s->bus, at + 8, 4, value >> 16 & 0x7ff, 0);
    bus_write(s->bus, at + 12, 2, value >> 27 & 7, 0);
    bus_write(s->bus, at + 14, 2, number >> 5 & 15, 0);
}

static void receive_frame(struct virtio_slot *s, uint32_t value)
{
    static const uint8_t frame[4096];

    if (!strcmp(s->function->cls->name, "virtio-net"))
        net_receive(&wire, frame, value % sizeof(frame));
}

static void run_access(struct virtio_slot *s, const uint8_t *data)
{
    unsigned number = (unsigned)le_get(data, 2) / KINDS, kind = (unsigned)le_get(data, 2) % KINDS;
    uint32_t value = (uint32_t)le_get(data + 2, 4);
    uint64_t read;

    switch (kind) {
    case WRITE:
        virtio_slot_write(s, 4 * (number % 0x80), value);
        break;
    case READ:
        bus_read(s->bus, SLOT_BASE + number % 0x200, 1u << value % 3, &read, 0);
        break;
    case WAIT:
        clock_advance_to(&s->clock, s->clock.now + value % MAX_WAIT);
        break;
    case MEMORY:
        bus_write(s->bus, SLOT_RAM + 4 * (uint64_t)number, 4, value, 0);
        break;
    case DESCRIPTOR:
        write_descriptor(s, number, value);
        break;
    case OFFER:
        virtio_slot_offer(s, number % SLOT_QUEUES, value % (SLOT_QUEUE + 1));
        break;
    case NOTIFY:
        virtio_slot_write(s, 0x50, number % 4);
        break;
    case RECEIVE:
        receive_frame(s, value);
        break;
    }
}

/* What a snapshot's file may hold in place of the function's state. */
static void load_anything(struct virtio_slot *s, const uint8_t *data, size_t size)
{
    const struct virtio_function_class *cls = s->function->cls;
    struct error err;

    if (cls->load && cls->load(s->function, data, size, true, &err))
        virtio_slot_look(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct virtio_slot s;

    if (!size)
        return 0;
    if (virtio_slot_open(&s, function_of(data[0] < SCREEN_FROM ? data[0] % FUNCTIONS : SCREEN))) {
        load_anything(&s, data + 1, size - 1);
        virtio_slot_start(&s, data[0] / FUNCTIONS);
        size--;
        data++;
        for (unsigned i = 0; i < MAX_OPS && size >= OP_BYTES; i++) {
            run_access(&s, data);
            data += OP_BYTES;
            size -= OP_BYTES;
        }
        clock_advance_to(&s.clock, s.clock.now + MAX_WAIT);
        virtio_slot_look(&s);
    }
    virtio_slot_close(&s);
    return 0;
}
