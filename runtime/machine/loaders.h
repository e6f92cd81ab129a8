/*
 * Kernel files: what kind they are, what of them goes where in memory, and how they are started.
 *
 * ELF (System V ABI, chapter 4) and raw code are files anywhere. What differs from one architecture
 * to another, a format of its own and the registers at the start, is a boot protocol: one file with a
 * row in boot_protocols.inc, bound by the `compatible` of the platform's node /gencc/boot.
 */
#ifndef RUNTIME_MACHINE_LOADERS_H
#define RUNTIME_MACHINE_LOADERS_H

#include "runtime/machine/file.h"
#include "runtime/mem/bus.h"

#define LOADER_MAX_FILE (1u << 30) /* bytes of a kernel or an initial RAM disk, unpacked */

struct kernel;

/* A format of kernel files. */
struct kernel_format {
    const char *name; /* "ELF", as in "gzipped ELF" */
    bool absolute;    /* the file says where it goes, else at what distance from a round address */
    bool (*matches)(const struct file_bytes *file);
    /* Finds kernel->entry, start and end; false when the file is damaged. */
    bool (*read)(struct kernel *kernel, struct error *err);
    /* NULL: the file's bytes go to kernel->start. */
    bool (*load)(const struct kernel *kernel, struct bus *bus, struct error *err);
};

extern const struct kernel_format kernel_elf, kernel_raw;

/* What the CPU that starts finds. */
struct boot_entry {
    uint64_t dtb_at; /* physical address of the device tree */
    uint64_t cpu_id; /* `reg` of its node */
};

struct boot_protocol {
    const char *architecture;                   /* as Linux calls it */
    uint16_t elf_machines[3];                   /* e_machine of its ELF files; 0 ends them */
    const char *const *compatible;              /* ends with NULL */
    const struct kernel_format *const *formats; /* looked for before ELF; ends with NULL */
    /* Fills the argument registers (PLATFORM_ARGS of them, in their order); returns how many. */
    unsigned (*arguments)(const struct boot_entry *entry, uint64_t *args);
};

/* The protocol that lists this compatible string, or NULL. */
const struct boot_protocol *boot_protocol_find(const char *compatible);

struct kernel {
    const struct kernel_format *format;
    bool gzipped;
    uint16_t elf_machine; /* of an ELF file */
    struct file_bytes file;
    uint64_t entry; /* where execution starts; relative to the place until kernel_place() */
    uint64_t start; /* first byte, and end, of what the kernel occupies, with its bss */
    uint64_t end;
};

/*
 * Reads and recognises a kernel, plain or gzipped: a format of the boot protocol; an ELF executable
 * (its physical addresses are where it goes); anything else is raw code that starts at its first
 * byte. A kernel of another architecture is refused, by name if it is one of boot_protocols.inc.
 * Release with kernel_free().
 */
bool kernel_read(const char *path, const struct boot_protocol *protocol, struct kernel *kernel,
                 struct error *err);
void kernel_free(struct kernel *kernel);

/* Decides where it goes in a bank of RAM; false when it does not fit there. */
bool kernel_place(struct kernel *kernel, uint64_t bank, uint64_t bank_size, struct error *err);

/* Copies it to memory, where kernel_place() decided. */
bool kernel_load(const struct kernel *kernel, struct bus *bus, struct error *err);

#endif
