/* Kernels in ELF: the loadable segments are copied to their physical addresses. */
#include "runtime/machine/loaders.h"

#include <gelf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"

#define MAX_SEGMENTS 64u

typedef bool segment_fn(const GElf_Phdr *ph, void *opaque, struct error *err);

/* Calls `fn` for each loadable segment whose bytes are inside the file. */
static bool each_segment(Elf *elf, size_t file_len, segment_fn *fn, void *opaque, struct error *err)
{
    size_t count;

    if (elf_getphdrnum(elf, &count) || !count)
        return error_set(err, "the ELF file has no segments to load");
    if (count > MAX_SEGMENTS)
        return error_set(err, "the ELF file has more than %u segments", MAX_SEGMENTS);
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr ph;

        if (!gelf_getphdr(elf, (int)i, &ph))
            return error_set(err, "damaged ELF file: %s", elf_errmsg(-1));
        if (ph.p_type != PT_LOAD || !ph.p_memsz)
            continue;
        if (ph.p_filesz > ph.p_memsz || ph.p_offset > file_len ||
            ph.p_filesz > file_len - ph.p_offset || ph.p_memsz > LOADER_MAX_FILE ||
            ph.p_paddr + ph.p_memsz < ph.p_paddr)
            return error_set(err, "damaged ELF file: segment %zu is not inside it", i);
        if (!fn(&ph, opaque, err))
            return false;
    }
    return true;
}

static bool is_elf(const struct file_bytes *file)
{
    return file->len >= SELFMAG && !memcmp(file->data, ELFMAG, SELFMAG);
}

static Elf *open_elf(const struct kernel *kernel, GElf_Ehdr *eh, struct error *err)
{
    Elf *elf;

    elf_version(EV_CURRENT);
    elf = elf_memory((char *)kernel->file.data, kernel->file.len);
    if (elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, eh))
        return elf;
    elf_end(elf);
    return error_null(err, "a damaged ELF file");
}

/* The physical address of a segment. */
static uint64_t segment_address(const struct kernel *kernel, const GElf_Phdr *ph)
{
    return kernel->elf_window ? ph->p_paddr & kernel->elf_window : ph->p_paddr;
}

/* The extent of all segments, and the entry point's address without translation. */
struct extent {
    const struct kernel *kernel;
    uint64_t start, end, entry;
    uint64_t virtual_entry;
};

static bool extend_to_segment(const GElf_Phdr *ph, void *opaque, struct error *err)
{
    struct extent *x = opaque;
    uint64_t at = segment_address(x->kernel, ph);

    (void)err;
    if (at < x->start)
        x->start = at;
    if (at + ph->p_memsz > x->end)
        x->end = at + ph->p_memsz;
    if (!x->kernel->elf_window && x->virtual_entry - ph->p_vaddr < ph->p_memsz)
        x->entry = x->virtual_entry - ph->p_vaddr + ph->p_paddr;
    return true;
}

static bool read_elf(struct kernel *kernel, struct error *err)
{
    struct extent x = {.kernel = kernel, .start = UINT64_MAX};
    GElf_Ehdr eh;
    Elf *elf = open_elf(kernel, &eh, err);
    bool ok;

    if (!elf)
        return false;
    x.virtual_entry = x.entry = eh.e_entry;
    ok = each_segment(elf, kernel->file.len, extend_to_segment, &x, err);
    elf_end(elf);
    if (ok && x.start >= x.end)
        ok = error_set(err, "the ELF file has no segments to load");
    kernel->start = x.start;
    kernel->end = x.end;
    kernel->entry = x.entry;
    kernel->elf_machine = eh.e_machine;
    kernel->elf_big_endian = eh.e_ident[EI_DATA] == ELFDATA2MSB;
    return ok;
}

struct target {
    const struct kernel *kernel;
    struct bus *bus;
};

static bool copy_segment(const GElf_Phdr *ph, void *opaque, struct error *err)
{
    struct target *t = opaque;
    uint8_t *bytes = xcalloc(ph->p_memsz, 1);
    bool ok;

    memcpy(bytes, t->kernel->file.data + ph->p_offset, ph->p_filesz);
    ok = bus_load(t->bus, segment_address(t->kernel, ph), bytes, ph->p_memsz);
    free(bytes);
    return ok || error_set(err, "no memory at %#" PRIx64 " for the ELF file", ph->p_paddr);
}

static bool load_elf(const struct kernel *kernel, struct bus *bus, struct error *err)
{
    struct target t = {kernel, bus};
    GElf_Ehdr eh;
    Elf *elf = open_elf(kernel, &eh, err);
    bool ok;

    if (!elf)
        return false;
    ok = each_segment(elf, kernel->file.len, copy_segment, &t, err);
    elf_end(elf);
    return ok;
}

const struct kernel_format kernel_elf = {
    .name = "ELF",
    .absolute = true,
    .matches = is_elf,
    .read = read_elf,
    .load = load_elf,
};
