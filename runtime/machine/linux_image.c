/* The common header of the kernel format Image. */
#include "runtime/machine/linux_image.h"

#include <inttypes.h>

#include "runtime/base/bits.h"

enum {
    IMAGE_TEXT_OFFSET = 8,
    IMAGE_SIZE = 16,
    IMAGE_MAGIC = 56,
    IMAGE_HEADER = 64,
};

bool linux_image_matches(const struct file_bytes *file, uint32_t magic)
{
    return file->len >= IMAGE_HEADER && le_get(file->data + IMAGE_MAGIC, 4) == magic;
}

bool linux_image_read(struct kernel *k, uint64_t limit, uint64_t old_offset, struct error *err)
{
    uint64_t offset = le_get(k->file.data + IMAGE_TEXT_OFFSET, 8);
    uint64_t size = le_get(k->file.data + IMAGE_SIZE, 8);

    if (!size) {
        offset = old_offset;
        size = k->file.len;
    }
    if (offset >= limit)
        return error_set(err, "the Image's text_offset, %#" PRIx64 ", is not below %" PRIu64 " MB",
                         offset, limit >> 20);
    if (size < k->file.len)
        size = k->file.len; /* the file may be larger than `size`: a signature follows */
    if (size > LOADER_MAX_FILE)
        return error_set(err, "the Image's size, %" PRIu64 " bytes, is unreasonable", size);
    k->start = k->entry = offset;
    k->end = offset + size;
    return true;
}
