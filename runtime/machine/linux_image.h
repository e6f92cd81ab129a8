/*
 * What the kernel format Image of arm64 and of RISC-V have in common: a header of 64 bytes, at the same
 * places how far from the round address below it the kernel wants to be, and how much memory it takes.
 *
 * Source: Linux Documentation/arch/arm64/booting.rst, section 4; arch/riscv/boot-image-header.rst.
 */
#ifndef RUNTIME_MACHINE_LINUX_IMAGE_H
#define RUNTIME_MACHINE_LINUX_IMAGE_H

#include "runtime/machine/loaders.h"

/* Whether the file begins with such a header that holds `magic`, little-endian, at byte 56. */
bool linux_image_matches(const struct file_bytes *file, uint32_t magic);

/*
 * Sets the kernel's place from its header; an Image without a size goes to `old_offset`. False when the
 * header asks for what cannot be: a text_offset of `limit` or more, or a size past all reason.
 */
bool linux_image_read(struct kernel *k, uint64_t limit, uint64_t old_offset, struct error *err);

#endif
