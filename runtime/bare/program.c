/*
 * Programs of the bare runner: raw bytes, or ELF files of either width and byte order.
 */
#include "runtime/bare/bare.h"

#include <errno.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/base/alloc.h"

#define MAX_FILE (UINT64_C(1) << 30) /* bytes */

struct bytes {
    uint8_t *data;
    size_t count;
};

static bool read_file(const char *path, struct bytes *out, struct error *err)
{
    FILE *f = fopen(path, "rb");
    struct stat st;
    bool ok;

    if (!f)
        return error_set(err, "%s: %s", path, strerror(errno));
    if (fstat(fileno(f), &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size <= MAX_FILE)
        out->count = (size_t)st.st_size;
    else if (S_ISREG(st.st_mode))
        out->count = MAX_FILE + 1;
    out->data = xcalloc(out->count <= MAX_FILE ? out->count + 1 : 1, 1);
    if (out->count > MAX_FILE)
        ok = error_set(err, "%s has more than %" PRIu64 " MiB", path, MAX_FILE >> 20);
    else if (!S_ISREG(st.st_mode))
        ok = error_set(err, "%s: %s", path, S_ISDIR(st.st_mode) ? strerror(EISDIR) : "not a file");
    else
        ok = fread(out->data, 1, out->count, f) == out->count ||
             error_set(err, "%s: %s", path, ferror(f) ? strerror(errno) : "it became shorter");
    fclose(f);
    return ok;
}

static bool load_bytes(struct bare *b, uint64_t address, const uint8_t *data, uint64_t count,
                       struct error *err)
{
    uint64_t at = bare_bus_address(b, address);

    if (!count || (count <= bare_memory_bytes(b) && bus_load(b->bus, at, data, count)))
        return true;
    return error_set(err, "%s does not fit into memory: %" PRIu64 " bytes at %#" PRIx64, b->program,
                     count, address);
}

/* ---- ELF ------------------------------------------------------------------------------------- */

/* Loads a segment at its physical address. The part beyond the file's bytes (.bss) stays zero, as
 * all memory is initially. */
static bool load_segment(struct bare *b, const struct bytes *file, const GElf_Phdr *ph,
                         struct error *err)
{
    if (ph->p_type != PT_LOAD || !ph->p_filesz)
        return true;
    if (ph->p_offset > file->count || ph->p_filesz > file->count - ph->p_offset)
        return error_set(err, "%s: a segment lies outside of the file", b->program);
    return load_bytes(b, ph->p_paddr, file->data + ph->p_offset, ph->p_filesz, err);
}

static bool load_segments(struct bare *b, const struct bytes *file, Elf *elf, uint64_t *entry,
                          struct error *err)
{
    GElf_Ehdr header;
    size_t count;

    if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header) || elf_getphdrnum(elf, &count))
        return error_set(err, "%s: damaged ELF file: %s", b->program, elf_errmsg(-1));
    if (header.e_type != ET_EXEC)
        return error_set(err, "%s is no ELF executable with fixed addresses", b->program);
    *entry = header.e_entry;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr ph;

        if (!gelf_getphdr(elf, (int)i, &ph))
            return error_set(err, "%s: damaged ELF file: %s", b->program, elf_errmsg(-1));
        if (!load_segment(b, file, &ph, err))
            return false;
    }
    return true;
}

static bool load_elf(struct bare *b, struct bytes *file, uint64_t *entry, struct error *err)
{
    Elf *elf;
    bool ok;

    elf_version(EV_CURRENT);
    elf = elf_memory((char *)file->data, file->count);
    ok = elf ? load_segments(b, file, elf, entry, err)
             : error_set(err, "%s: %s", b->program, elf_errmsg(-1));
    elf_end(elf);
    return ok;
}

bool bare_load_program(struct bare *b, uint64_t *entry, struct error *err)
{
    struct bytes file = {0};
    bool ok = read_file(b->program, &file, err);

    *entry = b->address;
    if (ok && file.count >= SELFMAG && !memcmp(file.data, ELFMAG, SELFMAG))
        ok = load_elf(b, &file, entry, err);
    else if (ok)
        ok = load_bytes(b, b->address, file.data, file.count, err);
    free(file.data);
    return ok;
}
