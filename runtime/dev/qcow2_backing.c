/*
 * The backing file of a qcow2 image: its name, and its format, which an extension of the header
 * says.
 *
 * Bounds      the name: QCOW2_NAME - 1 bytes; extensions: within the header's cluster
 * Manual      QEMU's docs/interop/qcow2.txt
 */
#include <string.h>

#include "runtime/base/bits.h"
#include "runtime/base/host_file.h"
#include "runtime/dev/qcow2_internal.h"

#define FORMAT_EXTENSION UINT32_C(0xe2792aca)

enum { OLD_HEADER = 72, EXTENSION_HEAD = 8 };

/* Reads a text without zeros in it. */
static bool read_text(const struct qcow2 *q, char *text, uint64_t len, uint64_t at)
{
    text[len] = 0;
    return host_read_at(q->fd, (uint8_t *)text, len, at) && strlen(text) == len;
}

static bool read_format(const struct qcow2 *q, uint64_t at, char format[QCOW2_FORMAT])
{
    uint8_t head[EXTENSION_HEAD];

    format[0] = 0;
    while (at + sizeof(head) <= qcow2_cluster_bytes(q)) {
        uint64_t type, len;

        if (!host_read_at(q->fd, head, sizeof(head), at))
            return false;
        type = be_get(head, 4);
        len = be_get(head + 4, 4);
        at += sizeof(head);
        if (!type)
            return true;
        if (type == FORMAT_EXTENSION)
            return len < QCOW2_FORMAT && read_text(q, format, len, at);
        at += align_up(len, EXTENSION_HEAD);
    }
    return true;
}

bool qcow2_read_backing(const struct qcow2 *q, char name[QCOW2_NAME], char format[QCOW2_FORMAT],
                        struct error *err)
{
    uint8_t head[QCOW2_HEAD];
    uint64_t at, len, end = OLD_HEADER;

    name[0] = format[0] = 0;
    if (!host_read_at(q->fd, head, sizeof(head), 0))
        return error_set(err, "the image cannot be read");
    at = be_get(head + QCOW2_BACKING, 8);
    len = be_get(head + QCOW2_BACKING_LENGTH, 4);
    if (!at)
        return true;
    if (be_get(head + QCOW2_VERSION, 4) >= 3)
        end = be_get(head + QCOW2_HEADER_LENGTH, 4);
    if (!len || len >= QCOW2_NAME || at > qcow2_cluster_bytes(q) || !read_text(q, name, len, at) ||
        !read_format(q, end, format))
        return error_set(err, "the name of its backing file is damaged");
    return true;
}

void qcow2_set_backing(struct qcow2 *q, const struct qcow2_backing *backing)
{
    q->backing = *backing;
}
