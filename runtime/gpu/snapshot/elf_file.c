/* Reads and checks the ELF headers and the JSON note of a snapshot file. */
#include "runtime/gpu/snapshot/elf_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/base/alloc.h"

static bool in_file(const struct snapshot_elf *e, uint64_t offset, uint64_t bytes)
{
    return offset <= e->bytes && bytes <= e->bytes - offset;
}

/* The JSON of the file's note. */
static bool read_note(struct snapshot_elf *e, const Elf64_Phdr *ph, struct error *err)
{
    const uint8_t *at = e->file + ph->p_offset;
    Elf64_Nhdr note;
    json_error_t problem;
    size_t name = sizeof(SNAPSHOT_NOTE_NAME), padded = (name + 3) & ~(size_t)3;

    if (ph->p_filesz < sizeof(note) + padded)
        return error_set(err, "damaged snapshot: its note is too short");
    memcpy(&note, at, sizeof(note));
    if (note.n_namesz != name || note.n_type != SNAPSHOT_NOTE_TYPE ||
        memcmp(at + sizeof(note), SNAPSHOT_NOTE_NAME, name) ||
        note.n_descsz > ph->p_filesz - sizeof(note) - padded)
        return error_set(err, "damaged snapshot: its note is not a " SNAPSHOT_NOTE_NAME " note");
    json_decref(e->note);
    e->note = json_loadb((const char *)at + sizeof(note) + padded, note.n_descsz, 0, &problem);
    return e->note || error_set(err, "damaged snapshot: the note is no JSON: %s", problem.text);
}

static bool add_load(struct snapshot_elf *e, const Elf64_Phdr *ph, struct error *err)
{
    const Elf64_Phdr *last = e->load_count ? &e->loads[e->load_count - 1] : NULL;

    if (ph->p_filesz > ph->p_memsz || ph->p_vaddr + ph->p_memsz < ph->p_vaddr)
        return error_set(err, "damaged snapshot: the piece of memory at 0x%llx has no good size",
                         (unsigned long long)ph->p_vaddr);
    if (last && ph->p_vaddr < last->p_vaddr + last->p_memsz)
        return error_set(err, "damaged snapshot: the pieces of memory at 0x%llx and 0x%llx overlap",
                         (unsigned long long)last->p_vaddr, (unsigned long long)ph->p_vaddr);
    e->loads[e->load_count++] = *ph;
    return true;
}

static bool read_segments(struct snapshot_elf *e, const Elf64_Ehdr *eh, struct error *err)
{
    e->loads = xcalloc(eh->e_phnum + 1, sizeof(*e->loads));
    for (unsigned i = 0; i < eh->e_phnum; i++) {
        Elf64_Phdr ph;

        memcpy(&ph, e->file + eh->e_phoff + i * sizeof(ph), sizeof(ph));
        if (!in_file(e, ph.p_offset, ph.p_filesz))
            return error_set(err, "damaged snapshot: segment %u is not inside the file", i);
        if (ph.p_type == PT_NOTE && !read_note(e, &ph, err))
            return false;
        if (ph.p_type == PT_LOAD && ph.p_memsz && !add_load(e, &ph, err))
            return false;
    }
    return true;
}

bool snapshot_elf_open(struct snapshot_elf *out, const uint8_t *file, size_t bytes,
                       struct error *err)
{
    Elf64_Ehdr eh;

    *out = (struct snapshot_elf){.file = file, .bytes = bytes};
    if (bytes < sizeof(eh))
        return error_set(err, "not an ELF file");
    memcpy(&eh, file, sizeof(eh));
    if (memcmp(eh.e_ident, ELFMAG, SELFMAG))
        return error_set(err, "not an ELF file");
    if (eh.e_ident[EI_CLASS] != ELFCLASS64 || eh.e_ident[EI_DATA] != ELFDATA2LSB ||
        eh.e_type != ET_CORE || eh.e_machine != EM_NONE)
        return error_set(err, "an ELF file, but no snapshot of a GPU (64-bit little-endian core "
                              "file without a machine)");
    if (eh.e_phentsize != sizeof(Elf64_Phdr) || !eh.e_phnum || eh.e_phoff > bytes ||
        eh.e_phnum > (bytes - eh.e_phoff) / sizeof(Elf64_Phdr))
        return error_set(err, "damaged snapshot: its program headers are not inside the file");
    out->entry = eh.e_entry;
    out->flags = eh.e_flags;
    if (!read_segments(out, &eh, err)) {
        snapshot_elf_close(out);
        return false;
    }
    return true;
}

void snapshot_elf_close(struct snapshot_elf *e)
{
    free(e->loads);
    json_decref(e->note);
    *e = (struct snapshot_elf){0};
}

uint8_t *snapshot_load_file(const char *path, size_t *bytes, struct error *err)
{
    FILE *f = fopen(path, "rb");
    struct stat st;
    uint8_t *data;

    if (!f)
        return error_null(err, "%.200s: %s", path, strerror(errno));
    if (fstat(fileno(f), &st) || !S_ISREG(st.st_mode)) {
        fclose(f);
        return error_null(err, "%.200s: not a regular file", path);
    }
    *bytes = (size_t)st.st_size;
    data = malloc(*bytes + 1);
    if (!data || fread(data, 1, *bytes, f) != *bytes) {
        free(data);
        fclose(f);
        return error_null(err, "cannot read %.200s", path);
    }
    fclose(f);
    return data;
}
