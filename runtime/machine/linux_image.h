/*
 * The kernel format Image of arm64 and RISC-V: a header of 64 bytes. Both have at the same offsets
 * the kernel's distance from an aligned base address, and the bytes of memory that it takes.
 *
 * Source: Linux Documentation/arch/arm64/booting.rst, section 4; arch/riscv/boot-image-header.rst.
 */
#ifndef RUNTIME_MACHINE_LINUX_IMAGE_H
#define RUNTIME_MACHINE_LINUX_IMAGE_H

#include "runtime/machine/loaders.h"

/* Whether the file begins with an Image header that has `magic`, little-endian, at byte 56. */
bool linux_image_matches(const struct file_bytes *file, uint32_t magic);

/*
 * Sets the kernel's place from its header; an Image without a size goes to `old_offset`. False: the
 * header's text_offset is `limit` or more, or its size is unreasonable.
 */
bool linux_image_read(struct kernel *k, uint64_t limit, uint64_t old_offset, struct error *err);

#endif
