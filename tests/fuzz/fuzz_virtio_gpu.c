/*
 * Commands to the virtio screen, well formed but with any contents: the input's first byte has the
 * features that the driver takes; then come commands: a number in the table below, flags, the
 * number of entries of the list, the 16-bit words that become the command's 32-bit fields, and the
 * list's entries: address in units of 16 bytes, and length. fuzz_virtio.c has what is not well
 * formed.
 */
#include <string.h>

#include "runtime/base/bits.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/virtio_slot.h"

enum {
    MAX_COMMANDS = 200,
    HEADER_BYTES = 24,
    MAX_ENTRIES = 16,
    WAIT = 20000,
    LIST_AT = 0x1000, /* behind the command */
    RESPONSE_AT = 0x2000,
    RESPONSE_BYTES = 2048,
};

/* Flags of a command. */
enum { FENCED = 1, OTHER_QUEUE = 2, SHORT_RESPONSE = 4, NO_LIST = 8, CUT_OFF = 16 };

static const struct {
    uint32_t type;
    unsigned fields, queue;
    bool has_list;
} commands[] = {
    {0x100, 0, 0, false},  /* GET_DISPLAY_INFO */
    {0x101, 4, 0, false},  /* RESOURCE_CREATE_2D */
    {0x102, 2, 0, false},  /* RESOURCE_UNREF */
    {0x103, 6, 0, false},  /* SET_SCANOUT */
    {0x104, 6, 0, false},  /* RESOURCE_FLUSH */
    {0x105, 8, 0, false},  /* TRANSFER_TO_HOST_2D */
    {0x106, 2, 0, true},   /* RESOURCE_ATTACH_BACKING */
    {0x107, 2, 0, false},  /* RESOURCE_DETACH_BACKING */
    {0x10a, 2, 0, false},  /* GET_EDID */
    {0x300, 8, 1, false},  /* UPDATE_CURSOR */
    {0x301, 8, 1, false},  /* MOVE_CURSOR */
    {0xffff, 2, 0, false}, /* no command */
};

struct input {
    const uint8_t *data;
    size_t size;
};

static uint32_t next_bytes(struct input *in, unsigned bytes)
{
    uint32_t v;

    if (in->size < bytes) {
        in->size = 0;
        return 0;
    }
    v = (uint32_t)le_get(in->data, bytes);
    in->data += bytes;
    in->size -= bytes;
    return v;
}

/* A field: a small number, or one close to 2^32. */
static uint32_t next_field(struct input *in)
{
    return (uint32_t)(int32_t)(int16_t)next_bytes(in, 2);
}

static void put_word(struct virtio_slot *s, uint64_t at, uint32_t value)
{
    bus_write(s->bus, SLOT_BUFFERS + at, 4, value, 0);
}

/* Writes descriptor `n`, which the next one follows unless it is the response's. */
static void put_descriptor(struct virtio_slot *s, unsigned queue, unsigned n, uint64_t at,
                           uint32_t len)
{
    uint64_t to = SLOT_DESC(queue) + 16 * (uint64_t)n;
    bool is_last = at == RESPONSE_AT;

    bus_write(s->bus, to, 8, SLOT_BUFFERS + at, 0);
    bus_write(s->bus, to + 8, 4, len, 0);
    bus_write(s->bus, to + 12, 2, is_last ? 2 : 1, 0);
    bus_write(s->bus, to + 14, 2, is_last ? 0 : n + 1, 0);
}

/* Writes the entries of a list; returns their bytes. */
static uint32_t put_list(struct virtio_slot *s, struct input *in, unsigned entries)
{
    for (unsigned i = 0; i < entries; i++) {
        uint64_t at = LIST_AT + 16 * (uint64_t)i;

        put_word(s, at, (uint32_t)SLOT_RAM + next_bytes(in, 2) * 16);
        put_word(s, at + 4, 0);
        put_word(s, at + 8, next_bytes(in, 2));
        put_word(s, at + 12, 0);
    }
    return entries * 16;
}

static void send_command(struct virtio_slot *s, struct input *in)
{
    unsigned which = next_bytes(in, 1) % ARRAY_SIZE(commands), flags = next_bytes(in, 1);
    unsigned entries = next_bytes(in, 1) % (MAX_ENTRIES + 1), n = 0;
    unsigned queue = commands[which].queue ^ (flags & OTHER_QUEUE ? 1 : 0);
    uint32_t bytes = HEADER_BYTES + 4 * commands[which].fields;

    put_word(s, 0, commands[which].type);
    put_word(s, 4, flags & FENCED ? 1 : 0);
    for (unsigned i = 0; i < commands[which].fields; i++)
        put_word(s, HEADER_BYTES + 4 * (uint64_t)i, next_field(in));
    put_descriptor(s, queue, n++, 0, flags & CUT_OFF ? bytes - 4 : bytes);
    if (commands[which].has_list && entries && !(flags & NO_LIST)) {
        uint32_t list = put_list(s, in, entries);

        put_descriptor(s, queue, n++, LIST_AT, list);
    }
    put_descriptor(s, queue, n, RESPONSE_AT, flags & SHORT_RESPONSE ? 20 : RESPONSE_BYTES);
    virtio_slot_offer(s, queue, 0);
    clock_advance_to(&s->clock, s->clock.now + WAIT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct virtio_slot s;
    struct input in = {data, size};
    unsigned features = next_bytes(&in, 1);

    if (virtio_slot_open(&s, virtio_gpu_new(800, 600))) {
        virtio_slot_start(&s, features);
        for (unsigned i = 0; i < MAX_COMMANDS && in.size; i++)
            send_command(&s, &in);
        virtio_slot_look(&s);
    }
    virtio_slot_close(&s);
    return 0;
}
