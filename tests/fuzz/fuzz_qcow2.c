/*
 * Images of disks in the format qcow2: the input is the file. It is opened and read at its
 * beginning, at its end, behind it and at places that its size gives; a range that is read in parts
 * must be what it is when read at once. Then it is written there, if it can be.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/dev/qcow2.h"
#include "tests/fuzz/fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

enum {
    RANGE = 6000, /* bytes, some clusters of the smallest size */
    PART = 700,
    PLACES = 16,
};

static void read_in_parts(struct qcow2 *q, uint64_t at)
{
    static uint8_t whole[RANGE], parts[RANGE];

    if (!qcow2_read(q, whole, RANGE, at))
        return;
    for (unsigned i = 0; i < RANGE; i += PART) {
        unsigned len = RANGE - i < PART ? RANGE - i : PART;

        if (!qcow2_read(q, parts + i, len, at + i))
            abort(); /* the whole range was read */
    }
    if (memcmp(whole, parts, RANGE))
        abort(); /* a byte depends on how it is read */
}

static void write_there(struct qcow2 *q, uint64_t at)
{
    static const uint8_t bytes[PART] = {1, 2, 3};

    if (at + RANGE < qcow2_size(q) && qcow2_write(q, bytes, PART, at))
        qcow2_zero(q, RANGE, at + PART / 2);
}

/* What is behind the image: a byte everywhere. */
static bool read_behind(void *opaque, uint8_t *to, uint64_t len, uint64_t at)
{
    (void)opaque, (void)at;
    memset(to, 0x5a, len);
    return true;
}

/* Sets a backing file where the image names one. */
static void back(struct qcow2 *q)
{
    char name[QCOW2_NAME], format[QCOW2_FORMAT];
    struct error err;

    if (qcow2_read_backing(q, name, format, &err) && *name && strlen(format) < sizeof(format))
        qcow2_set_backing(q, &(struct qcow2_backing){NULL, read_behind, qcow2_size(q) / 2});
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("image", 0);
    struct error err;
    struct qcow2 *q;

    if (fd < 0)
        return 0;
    q = write(fd, data, size) == (ssize_t)size && qcow2_is(fd) ? qcow2_open(fd, &err) : NULL;
    if (q) {
        back(q);
        for (uint64_t i = 0; i <= PLACES; i++)
            read_in_parts(q, qcow2_size(q) / PLACES * i);
        read_in_parts(q, qcow2_size(q) - 1);
        if (qcow2_allow_writing(q, &err))
            for (uint64_t i = 0; i < PLACES; i++)
                write_there(q, qcow2_size(q) / PLACES * i);
        qcow2_close(q);
    }
    close(fd);
    return 0;
}
