/*
 * Linux on 32-bit Arm: the format zImage, and the registers at a kernel's entry, in SVC mode with
 * MMU, caches and interrupts off.
 *
 * A zImage unpacks itself to the start of memory. It is loaded behind the bytes that the unpacked
 * kernel takes, as its header states them, so that it need not relocate itself first.
 *
 * Source: Linux Documentation/arch/arm/booting.rst, sections 4 and 5;
 * arch/arm/boot/compressed/head.S.
 */
#include <elf.h>
#include <inttypes.h>

#include "runtime/base/bits.h"
#include "runtime/machine/loaders.h"

/* The header, from its magic number on, and the table that it points to. */
enum {
    ZIMAGE_MAGIC = 0x24,
    ZIMAGE_START = 0x28,
    ZIMAGE_END = 0x2c,
    ZIMAGE_ENDIAN = 0x30,
    ZIMAGE_TABLE_MAGIC = 0x34,
    ZIMAGE_TABLE = 0x38,
    ZIMAGE_HEADER = 0x3c,

    TABLE_TAG = 4,
    TABLE_SIZE_AT = 8, /* offset in the file of the unpacked kernel's size */
    TABLE_BSS = 12,
    TABLE_TEXT_OFFSET = 16,
    TABLE_BYTES = 20,
};
#define MAGIC         UINT32_C(0x016f2818)
#define ENDIAN_LITTLE UINT32_C(0x04030201)
#define TABLE_MAGIC   UINT32_C(0x45454545)
#define TAG_KERNEL    UINT32_C(0x5a534c4b)

#define MB (UINT64_C(1) << 20)
/* Load address: "above 32 MB avoids the need to relocate prior to decompression". The kernel must
 * be in the first 128 MB of memory. */
#define USUAL_PLACE (32 * MB)
#define LAST_PLACE  (128 * MB)
#define OWN_ROOM    MB /* the unpacking code's stack, heap and tables, behind the file's end */

static uint32_t word_at(const struct file_bytes *file, size_t at)
{
    return at <= file->len && file->len - at >= 4 ? (uint32_t)le_get(file->data + at, 4) : 0;
}

static bool is_zimage(const struct file_bytes *file)
{
    return file->len >= ZIMAGE_HEADER && word_at(file, ZIMAGE_MAGIC) == MAGIC;
}

/* Bytes from the start of memory that the unpacked kernel takes; 0: not in the file. */
static uint64_t unpacked_room(const struct file_bytes *file)
{
    size_t table = word_at(file, ZIMAGE_TABLE);

    if (word_at(file, ZIMAGE_TABLE_MAGIC) != TABLE_MAGIC || table >= file->len ||
        file->len - table < TABLE_BYTES || word_at(file, table + TABLE_TAG) != TAG_KERNEL)
        return 0;
    return (uint64_t)word_at(file, table + TABLE_TEXT_OFFSET) + word_at(file, table + TABLE_BSS) +
           word_at(file, word_at(file, table + TABLE_SIZE_AT));
}

static bool read_zimage(struct kernel *k, struct error *err)
{
    uint64_t size = word_at(&k->file, ZIMAGE_END) - (uint64_t)word_at(&k->file, ZIMAGE_START);
    uint64_t room = align_up(unpacked_room(&k->file), MB);

    if (word_at(&k->file, ZIMAGE_ENDIAN) != ENDIAN_LITTLE)
        return error_set(err, "the zImage is not of a little-endian kernel");
    if (size > k->file.len)
        return error_set(err, "the zImage's size, %" PRIu64 " bytes, is not the file's %zu", size,
                         k->file.len);
    k->start = k->entry = room > USUAL_PLACE ? room : USUAL_PLACE;
    if (k->start >= LAST_PLACE)
        return error_set(err, "the zImage unpacks to %" PRIu64 " MB, which is unreasonable",
                         room >> 20);
    k->end = k->start + k->file.len + OWN_ROOM; /* a device tree may be appended */
    return true;
}

static const struct kernel_format zimage = {
    .name = "zImage",
    .matches = is_zimage,
    .read = read_zimage,
};

/* r0: 0; r1: machine type, not needed with a device tree; r2: the device tree's address. */
static unsigned entry_arguments(const struct boot_entry *entry, uint64_t *args)
{
    args[0] = 0;
    args[1] = UINT32_MAX;
    args[2] = entry->dtb_at;
    return 3;
}

static const char *const compatible[] = {"linux,arm", NULL};
static const struct kernel_format *const formats[] = {&zimage, NULL};

const struct boot_protocol boot_arm = {
    .architecture = "arm",
    .elf_machines = {EM_ARM},
    .compatible = compatible,
    .formats = formats,
    .arguments = entry_arguments,
};
