/*
 * Kernel files: what kind they are, what of them goes where in memory, and where to start.
 *
 * Source: Linux Documentation/arch/arm64/booting.rst (Image); System V ABI, chapter 4 (ELF).
 */
#ifndef RUNTIME_MACHINE_LOADERS_H
#define RUNTIME_MACHINE_LOADERS_H

#include "runtime/machine/file.h"
#include "runtime/mem/bus.h"

#define LOADER_MAX_FILE (1u << 30) /* bytes of a kernel or an initial RAM disk, unpacked */

enum kernel_kind { KERNEL_IMAGE, KERNEL_ELF, KERNEL_RAW };

struct kernel {
    enum kernel_kind kind;
    bool gzipped;
    struct file_bytes file;
    uint64_t entry; /* where execution starts; relative to the place until kernel_place() */
    uint64_t start; /* first byte, and end, of what the kernel occupies, with its bss */
    uint64_t end;
};

/*
 * Reads and recognises a kernel: an arm64 Image, plain or gzipped; an ELF executable (its physical
 * addresses are where it goes); anything else is raw code that starts at its first byte. Release
 * with kernel_free().
 */
bool kernel_read(const char *path, struct kernel *kernel, struct error *err);
void kernel_free(struct kernel *kernel);

/* Decides where it goes in a bank of RAM; false when it does not fit there. */
bool kernel_place(struct kernel *kernel, uint64_t bank, uint64_t bank_size, struct error *err);

/* Copies it to memory, where kernel_place() decided. */
bool kernel_load(const struct kernel *kernel, struct bus *bus, struct error *err);

/* "arm64 Image", "gzipped arm64 Image", "ELF", "raw binary". */
const char *kernel_kind_name(const struct kernel *kernel);

#endif
