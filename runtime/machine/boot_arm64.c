/*
 * Linux on arm64: the format Image, and the registers in which a kernel is entered.
 *
 * Source: Linux Documentation/arch/arm64/booting.rst, section 4.
 */
#include <inttypes.h>

#include "runtime/base/bits.h"
#include "runtime/machine/loaders.h"

#define TWO_MB (UINT64_C(2) << 20)

/* The header of an Image. */
enum {
    IMAGE_TEXT_OFFSET = 8,
    IMAGE_SIZE = 16,
    IMAGE_MAGIC = 56,
    IMAGE_HEADER = 64,
};
#define MAGIC UINT32_C(0x644d5241) /* "ARM\x64" */

/* An Image of before Linux 3.17 has no size and goes here. */
#define OLD_TEXT_OFFSET UINT64_C(0x80000)

static bool is_image(const struct file_bytes *file)
{
    return file->len >= IMAGE_HEADER && le_get(file->data + IMAGE_MAGIC, 4) == MAGIC;
}

static bool read_image(struct kernel *k, struct error *err)
{
    uint64_t offset = le_get(k->file.data + IMAGE_TEXT_OFFSET, 8);
    uint64_t size = le_get(k->file.data + IMAGE_SIZE, 8);

    if (!size) {
        offset = OLD_TEXT_OFFSET;
        size = k->file.len;
    }
    if (offset >= TWO_MB)
        return error_set(err, "the Image's text_offset, %#" PRIx64 ", is not below 2 MB", offset);
    if (size < k->file.len)
        size = k->file.len; /* a signature may follow */
    if (size > LOADER_MAX_FILE)
        return error_set(err, "the Image's size, %" PRIu64 " bytes, is unreasonable", size);
    k->start = k->entry = offset;
    k->end = offset + size;
    return true;
}

static const struct kernel_format image = {
    .name = "arm64 Image",
    .matches = is_image,
    .read = read_image,
};

/* X0 holds the address of the device tree; the others are zero. */
static unsigned arguments(const struct boot_entry *entry, uint64_t *args)
{
    args[0] = entry->dtb_at;
    return 1;
}

static const char *const compatible[] = {"linux,arm64", NULL};
static const struct kernel_format *const formats[] = {&image, NULL};

const struct boot_protocol boot_arm64 = {
    .compatible = compatible,
    .formats = formats,
    .arguments = arguments,
};
