/*
 * Kernel files: their formats, where they are loaded, and how they are started.
 *
 * ELF (System V ABI, chapter 4) and raw code work on every architecture. An architecture's own
 * formats and its registers at the start are a boot protocol: one file with a row in
 * boot_protocols.inc, bound by the `compatible` of the platform's node /gencc/boot.
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
    bool absolute;    /* addresses are physical, else relative to an aligned base address */
    bool (*matches)(const struct file_bytes *file);
    /* Sets kernel->entry, start and end; false: the file is damaged. */
    bool (*read)(struct kernel *kernel, struct error *err);
    /* Copies the kernel to memory; NULL: the whole file is copied to kernel->start. */
    bool (*load)(const struct kernel *kernel, struct bus *bus, struct error *err);
};

extern const struct kernel_format kernel_elf, kernel_raw;

/* What a boot protocol passes to a kernel. */
struct boot_entry {
    uint64_t dtb_at; /* physical address of the device tree */
    uint64_t cpu_id; /* `reg` of the first CPU's node */
    uint64_t initrd_at, initrd_len;
    uint64_t memory;     /* bytes of the machine's memory */
    bool big_endian;     /* byte order of the CPUs' numbers */
    const char *command; /* the kernel's command line, "" without one */
};

struct boot_protocol {
    const char *architecture;                   /* as Linux calls it */
    uint16_t elf_machines[3];                   /* e_machine of its ELF files; 0 ends them */
    const char *const *compatible;              /* ends with NULL */
    const struct kernel_format *const *formats; /* matched before ELF; ends with NULL */
    /* Fills `args`, at most PLATFORM_ARGS, in argument register order; returns the count. */
    unsigned (*arguments)(const struct boot_entry *entry, uint64_t *args);
    /* Bits of an address in an ELF file that are physical, where kernels are linked to run in a
     * window on physical memory: the entry point stays as it is. 0: all addresses are physical. */
    uint64_t elf_window;
    /* Writes to memory what a boot loader leaves there besides. May be NULL. */
    bool (*prepare)(const struct boot_entry *entry, struct bus *bus, struct error *err);
};

/* The protocol that lists this compatible string, or NULL. */
const struct boot_protocol *boot_protocol_find(const char *compatible);

struct kernel {
    const struct kernel_format *format;
    bool gzipped;
    bool big_endian;      /* byte order of the CPUs, which an ELF file must have */
    uint16_t elf_machine; /* e_machine of an ELF file */
    bool elf_big_endian;  /* byte order of an ELF file */
    uint64_t elf_window;  /* boot_protocol.elf_window */
    struct file_bytes file;
    uint64_t entry; /* first PC; relative to the base until kernel_place() */
    uint64_t start; /* range that the kernel occupies, bss included */
    uint64_t end;
};

/*
 * Reads and recognises a kernel, plain or gzipped: a format of the boot protocol, or an ELF
 * executable, loaded at its physical addresses. Anything else is raw code that starts at its first
 * byte. A kernel of another architecture is refused, and the error names the architecture if
 * boot_protocols.inc has it; so is an ELF file of the other byte order than that of the machine's
 * CPUs, `big_endian`. Release with kernel_free().
 */
bool kernel_read(const char *path, const struct boot_protocol *protocol, bool big_endian,
                 struct kernel *kernel, struct error *err);
void kernel_free(struct kernel *kernel);

/* Chooses the kernel's address in a bank of RAM; false: it does not fit. */
bool kernel_place(struct kernel *kernel, uint64_t bank, uint64_t bank_size, struct error *err);

/* Copies the kernel to the address that kernel_place() chose. */
bool kernel_load(const struct kernel *kernel, struct bus *bus, struct error *err);

#endif
