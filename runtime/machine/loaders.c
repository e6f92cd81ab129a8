/* Recognises kernel files, and places and loads them. */
#include "runtime/machine/loaders.h"

#include <inttypes.h>
#include <string.h>

#include "runtime/base/bits.h"

#define TWO_MB (UINT64_C(2) << 20) /* alignment that all kernel versions accept */

#define BOOT_PROTOCOL(x) extern const struct boot_protocol boot_##x;
#include "runtime/machine/boot_protocols.inc"
#undef BOOT_PROTOCOL

static const struct boot_protocol *const protocols[] = {
#define BOOT_PROTOCOL(x) &boot_##x,
#include "runtime/machine/boot_protocols.inc"
#undef BOOT_PROTOCOL
};

const struct boot_protocol *boot_protocol_find(const char *compatible)
{
    for (size_t i = 0; i < ARRAY_SIZE(protocols); i++) {
        for (const char *const *name = protocols[i]->compatible; *name; name++) {
            if (!strcmp(*name, compatible))
                return protocols[i];
        }
    }
    return NULL;
}

/* ---- raw code -------------------------------------------------------------------------------- */

static bool is_anything(const struct file_bytes *file)
{
    (void)file;
    return true;
}

static bool read_raw(struct kernel *kernel, struct error *err)
{
    (void)err;
    kernel->end = kernel->file.len;
    return true;
}

const struct kernel_format kernel_raw = {
    .name = "raw binary",
    .matches = is_anything,
    .read = read_raw,
};

/* ---- kernels --------------------------------------------------------------------------------- */

static const struct kernel_format *format_of(const struct file_bytes *file,
                                             const struct boot_protocol *protocol)
{
    for (const struct kernel_format *const *own = protocol->formats; *own; own++) {
        if ((*own)->matches(file))
            return *own;
    }
    return kernel_elf.matches(file) ? &kernel_elf : &kernel_raw;
}

/* The architecture of the other boot protocol that recognises the file, or NULL. */
static const char *foreign_format(const struct file_bytes *file,
                                  const struct boot_protocol *protocol)
{
    for (size_t i = 0; i < ARRAY_SIZE(protocols); i++) {
        for (const struct kernel_format *const *f = protocols[i]->formats; *f; f++) {
            if (protocols[i] != protocol && (*f)->matches(file))
                return protocols[i]->architecture;
        }
    }
    return NULL;
}

static bool has_elf_machine(const struct boot_protocol *protocol, uint16_t machine)
{
    for (const uint16_t *own = protocol->elf_machines; *own; own++) {
        if (*own == machine)
            return true;
    }
    return false;
}

static const char *architecture_of_elf(uint16_t machine)
{
    for (size_t i = 0; i < ARRAY_SIZE(protocols); i++) {
        if (has_elf_machine(protocols[i], machine))
            return protocols[i]->architecture;
    }
    return "another architecture";
}

/* Refuses a kernel of another architecture: its code would run, without output that explains it. */
static bool is_of(const struct kernel *kernel, const struct boot_protocol *protocol,
                  struct error *err)
{
    const char *foreign = NULL;

    if (kernel->format == &kernel_raw)
        foreign = foreign_format(&kernel->file, protocol);
    else if (kernel->format == &kernel_elf && !has_elf_machine(protocol, kernel->elf_machine))
        foreign = architecture_of_elf(kernel->elf_machine);
    return !foreign || error_set(err, "a kernel of %s; this machine starts those of %s", foreign,
                                 protocol->architecture);
}

/* Whether an ELF file has the byte order of the machine's CPUs. */
static bool has_order(const struct kernel *kernel, struct error *err)
{
    static const char *const names[] = {"little", "big"};

    return kernel->format != &kernel_elf || kernel->elf_big_endian == kernel->big_endian ||
           error_set(err, "a %s-endian kernel; this machine's CPUs are %s-endian",
                     names[kernel->elf_big_endian], names[kernel->big_endian]);
}

static bool recognise_kernel(struct kernel *kernel, const struct boot_protocol *protocol,
                             struct error *err)
{
    if (!file_gunzip(&kernel->file, LOADER_MAX_FILE, &kernel->gzipped, err))
        return false;
    if (!kernel->file.len)
        return error_set(err, "the file is empty");
    kernel->format = format_of(&kernel->file, protocol);
    return kernel->format->read(kernel, err) && is_of(kernel, protocol, err) &&
           has_order(kernel, err);
}

bool kernel_read(const char *path, const struct boot_protocol *protocol, bool big_endian,
                 struct kernel *kernel, struct error *err)
{
    *kernel = (struct kernel){.elf_window = protocol->elf_window, .big_endian = big_endian};
    if (!file_read(path, LOADER_MAX_FILE, &kernel->file, err))
        return false;
    if (recognise_kernel(kernel, protocol, err))
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

    if (!kernel->format->absolute) {
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
    if (kernel->format->load)
        return kernel->format->load(kernel, bus, err);
    if (!bus_load(bus, kernel->start, kernel->file.data, kernel->file.len))
        return error_set(err, "the kernel does not fit into memory");
    return true;
}
