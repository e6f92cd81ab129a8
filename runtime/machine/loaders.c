#include "runtime/machine/loaders.h"

#include <inttypes.h>
#include <string.h>

#include "runtime/base/bits.h"
#include "runtime/machine/loader_elf.h"

#define TWO_MB (UINT64_C(2) << 20)

/* The header of an arm64 Image, booting.rst section 4. */
enum {
    IMAGE_TEXT_OFFSET = 8,
    IMAGE_SIZE = 16,
    IMAGE_MAGIC = 56,
    IMAGE_HEADER = 64,
};
#define MAGIC UINT32_C(0x644d5241) /* "ARM\x64" */

/* An Image of before Linux 3.17 has no size and goes here. */
#define OLD_TEXT_OFFSET UINT64_C(0x80000)

const char *kernel_kind_name(const struct kernel *kernel)
{
    static const char *const names[][2] = {
        [KERNEL_IMAGE] = {"arm64 Image", "gzipped arm64 Image"},
        [KERNEL_ELF] = {"ELF", "gzipped ELF"},
        [KERNEL_RAW] = {"raw binary", "gzipped raw binary"},
    };

    return names[kernel->kind][kernel->gzipped];
}

static bool read_image_header(struct kernel *k, struct error *err)
{
    uint64_t offset = le_get(k->file.data + IMAGE_TEXT_OFFSET, 8);
    uint64_t size = le_get(k->file.data + IMAGE_SIZE, 8);

    k->kind = KERNEL_IMAGE;
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

static bool recognise(struct kernel *k, struct error *err)
{
    if (!file_gunzip(&k->file, LOADER_MAX_FILE, &k->gzipped, err))
        return false;
    if (!k->file.len)
        return error_set(err, "the file is empty");
    if (k->file.len >= IMAGE_HEADER && le_get(k->file.data + IMAGE_MAGIC, 4) == MAGIC)
        return read_image_header(k, err);
    if (k->file.len >= 4 && !memcmp(k->file.data, "\177ELF", 4))
        return loader_elf_read(k, err);
    k->kind = KERNEL_RAW;
    k->end = k->file.len;
    return true;
}

bool kernel_read(const char *path, struct kernel *kernel, struct error *err)
{
    *kernel = (struct kernel){0};
    if (!file_read(path, LOADER_MAX_FILE, &kernel->file, err))
        return false;
    if (recognise(kernel, err))
        return true;
    error_prefix(err, "%s: ", path);
    kernel_free(kernel);
    return false;
}

void kernel_free(struct kernel *kernel)
{
    file_free(&kernel->file);
}

bool kernel_place(struct kernel *kernel, uint64_t bank, uint64_t bank_size, struct error *err)
{
    uint64_t base = align_up(bank, TWO_MB);

    if (kernel->kind != KERNEL_ELF) {
        kernel->entry += base;
        kernel->start += base;
        kernel->end += base;
    }
    if (kernel->start < bank || kernel->end > bank + bank_size)
        return error_set(err,
                         "the kernel needs memory %#" PRIx64 "..%#" PRIx64
                         ", the machine has %#" PRIx64 "..%#" PRIx64,
                         kernel->start, kernel->end - 1, bank, bank + bank_size - 1);
    return true;
}

bool kernel_load(const struct kernel *kernel, struct bus *bus, struct error *err)
{
    if (kernel->kind == KERNEL_ELF)
        return loader_elf_load(kernel, bus, err);
    if (!bus_load(bus, kernel->start, kernel->file.data, kernel->file.len))
        return error_set(err, "the kernel does not fit into memory");
    return true;
}
