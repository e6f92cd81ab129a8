/*
 * Linux on arm64: the format Image, and the registers at a kernel's entry.
 *
 * Source: Linux Documentation/arch/arm64/booting.rst, section 4.
 */
#include <elf.h>

#include "runtime/machine/linux_image.h"

#define MAGIC             UINT32_C(0x644d5241) /* "ARM\x64" */
#define TEXT_OFFSET_LIMIT (UINT64_C(2) << 20)
#define OLD_TEXT_OFFSET   UINT64_C(0x80000) /* text offset of an Image older than Linux 3.17 */

static bool is_image(const struct file_bytes *file)
{
    return linux_image_matches(file, MAGIC);
}

static bool read_image(struct kernel *k, struct error *err)
{
    return linux_image_read(k, TEXT_OFFSET_LIMIT, OLD_TEXT_OFFSET, err);
}

static const struct kernel_format image = {
    .name = "arm64 Image",
    .matches = is_image,
    .read = read_image,
};

/* X0 holds the address of the device tree; the others are zero. */
static unsigned entry_arguments(const struct boot_entry *entry, uint64_t *args)
{
    args[0] = entry->dtb_at;
    return 1;
}

static const char *const compatible[] = {"linux,arm64", NULL};
static const struct kernel_format *const formats[] = {&image, NULL};

const struct boot_protocol boot_arm64 = {
    .architecture = "arm64",
    .elf_machines = {EM_AARCH64},
    .compatible = compatible,
    .formats = formats,
    .arguments = entry_arguments,
};
