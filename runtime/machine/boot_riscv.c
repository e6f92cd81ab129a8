/*
 * Linux on RISC-V: the format Image, and the registers at a kernel's entry. Firmware has put the
 * hart into S-mode, without address translation.
 *
 * Source: Linux Documentation/arch/riscv/boot.rst, boot-image-header.rst.
 */
#include <elf.h>

#include "runtime/machine/linux_image.h"

#define MAGIC             UINT32_C(0x05435352) /* "RSC\x05" */
#define TEXT_OFFSET_LIMIT (UINT64_C(128) << 20)
#define OLD_TEXT_OFFSET   (UINT64_C(2) << 20) /* first large page behind the firmware's */

static bool is_image(const struct file_bytes *file)
{
    return linux_image_matches(file, MAGIC);
}

static bool read_image(struct kernel *k, struct error *err)
{
    return linux_image_read(k, TEXT_OFFSET_LIMIT, OLD_TEXT_OFFSET, err);
}

static const struct kernel_format image = {
    .name = "RISC-V Image",
    .matches = is_image,
    .read = read_image,
};

/* a0 holds the hart's number, a1 the address of the device tree. */
static unsigned entry_arguments(const struct boot_entry *entry, uint64_t *args)
{
    args[0] = entry->cpu_id;
    args[1] = entry->dtb_at;
    return 2;
}

static const char *const compatible[] = {"linux,riscv", NULL};
static const struct kernel_format *const formats[] = {&image, NULL};

const struct boot_protocol boot_riscv = {
    .architecture = "riscv",
    .elf_machines = {EM_RISCV},
    .compatible = compatible,
    .formats = formats,
    .arguments = entry_arguments,
};
