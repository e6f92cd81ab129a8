/* Writes snapshots: memory of an address space into a file. */
#include "runtime/gpu/snapshot.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "common/vec.h"
#include "runtime/gpu/snapshot/elf_file.h"

enum {
    DATA_ALIGNMENT = 16,
    LONG_GAP = 1 << 20, /* bytes of zeros; shorter gaps are in the file, since headers are few */
};

typedef VEC(Elf64_Phdr) header_list;

/* Adds a range; adjacent ranges with the same rights become one piece. */
static void add_range(header_list *list, const struct gpu_snapshot_range *r)
{
    uint32_t flags = PF_R | (r->write ? PF_W : 0) | (r->execute ? PF_X : 0);
    Elf64_Phdr *last = list->len ? &list->data[list->len - 1] : NULL;

    if (last && last->p_vaddr + last->p_memsz == r->va && last->p_flags == flags) {
        last->p_memsz += r->bytes;
        return;
    }
    vec_push(list, (Elf64_Phdr){.p_type = PT_LOAD,
                                .p_flags = flags,
                                .p_vaddr = r->va,
                                .p_memsz = r->bytes,
                                .p_align = DATA_ALIGNMENT});
}

/* Reads a page of memory; one that cannot be read counts as zeros. */
static void read_page(const struct gpu_address_space *as, uint64_t va, uint8_t *page)
{
    struct gpu_fault ignored;

    memset(page, 0, SNAPSHOT_PAGE);
    if (!gpu_memory_read(as, va, page, SNAPSHOT_PAGE, &ignored))
        memset(page, 0, SNAPSHOT_PAGE);
}

/*
 * Adds a piece with the number of its bytes that the file needs: zeros at the end are left out. It
 * is cut behind long gaps, as when a buffer follows the unused part of the tiler's heap.
 */
static void add_used(header_list *list, const struct gpu_address_space *as, Elf64_Phdr piece)
{
    uint64_t end = piece.p_vaddr + piece.p_memsz;
    uint8_t page[SNAPSHOT_PAGE];

    for (uint64_t va = piece.p_vaddr; va < end; va += SNAPSHOT_PAGE) {
        read_page(as, va, page);
        if (bytes_are_zero(page, SNAPSHOT_PAGE))
            continue;
        if (va - piece.p_vaddr - piece.p_filesz >= LONG_GAP) {
            piece.p_memsz = va - piece.p_vaddr;
            vec_push(list, piece);
            piece.p_vaddr = va;
        }
        piece.p_filesz = va + SNAPSHOT_PAGE - piece.p_vaddr;
    }
    piece.p_memsz = end - piece.p_vaddr;
    vec_push(list, piece);
}

/* Makes the note's segment: header, name, JSON padded with spaces. */
static char *make_note(const struct gpu_snapshot_content *content, size_t *bytes)
{
    json_t *object = json_object();
    Elf64_Nhdr header = {.n_namesz = sizeof(SNAPSHOT_NOTE_NAME), .n_type = SNAPSHOT_NOTE_TYPE};
    size_t name = (sizeof(SNAPSHOT_NOTE_NAME) + 3) & ~(size_t)3, length;
    char *text, *note;

    json_object_set_new(object, "requirements", json_integer(content->submit.requirements));
    json_object_set_new(object, "submit", json_string("1 of 1"));
    if (content->missing_memory)
        json_object_set_new(object, "left_out", json_string(content->missing_memory));
    text = json_dumps(object, JSON_COMPACT);
    json_decref(object);
    length = text ? strlen(text) : 0;
    header.n_descsz = (uint32_t)((length + 3) & ~(size_t)3);
    *bytes = sizeof(header) + name + header.n_descsz;
    note = xcalloc(1, *bytes);
    memcpy(note, &header, sizeof(header));
    memcpy(note + sizeof(header), SNAPSHOT_NOTE_NAME, sizeof(SNAPSHOT_NOTE_NAME));
    memset(note + sizeof(header) + name, ' ', header.n_descsz);
    memcpy(note + sizeof(header) + name, text, length);
    free(text);
    return note;
}

static bool write_padding(FILE *out, uint64_t to)
{
    while ((uint64_t)ftell(out) < to)
        if (fputc(0, out) == EOF)
            return false;
    return true;
}

static bool write_piece(FILE *out, const struct gpu_address_space *as, const Elf64_Phdr *ph)
{
    uint8_t page[SNAPSHOT_PAGE];

    if (!write_padding(out, ph->p_offset))
        return false;
    for (uint64_t at = 0; at < ph->p_filesz; at += SNAPSHOT_PAGE) {
        read_page(as, ph->p_vaddr + at, page);
        if (fwrite(page, SNAPSHOT_PAGE, 1, out) != 1)
            return false;
    }
    return true;
}

/* Sets the file offset of each piece and returns the end of the last. */
static uint64_t lay_out(header_list *list)
{
    uint64_t at = sizeof(Elf64_Ehdr) + list->len * sizeof(Elf64_Phdr);

    for (size_t i = 0; i < list->len; i++) {
        Elf64_Phdr *ph = &list->data[i];

        at = (at + DATA_ALIGNMENT - 1) & ~(uint64_t)(DATA_ALIGNMENT - 1);
        ph->p_offset = at;
        at += ph->p_filesz;
    }
    return at;
}

static bool write_all(FILE *out, const Elf64_Ehdr *eh, const header_list *list, const char *note,
                      const struct gpu_address_space *as)
{
    if (fwrite(eh, sizeof(*eh), 1, out) != 1 ||
        fwrite(list->data, sizeof(*list->data), list->len, out) != list->len)
        return false;
    if (!write_padding(out, list->data[0].p_offset) ||
        fwrite(note, list->data[0].p_filesz, 1, out) != 1)
        return false;
    for (size_t i = 1; i < list->len; i++)
        if (!write_piece(out, as, &list->data[i]))
            return false;
    return true;
}

static bool write_file(const char *path, const Elf64_Ehdr *eh, const header_list *list,
                       const char *note, const struct gpu_address_space *as)
{
    FILE *out = fopen(path, "wb");
    bool good = out && write_all(out, eh, list, note, as);

    if (out)
        good = !fclose(out) && good;
    if (out && !good)
        remove(path);
    return good;
}

bool gpu_snapshot_prepare(const char *folder, struct error *err)
{
    char path[4096];

    snprintf(path, sizeof(path), "%s/", folder); /* a file of that name is not taken for it */
    if ((mkdir(folder, 0777) && errno != EEXIST) || access(path, W_OK | X_OK))
        return error_set(err, "cannot write in the folder %s: %s", folder, strerror(errno));
    return true;
}

bool gpu_snapshot_write(const char *path, const struct gpu_snapshot_content *content,
                        uint64_t max_bytes, uint64_t *bytes, struct error *err)
{
    header_list whole = {0}, list = {0};
    size_t note_bytes;
    char *note = make_note(content, &note_bytes);
    bool good;

    for (size_t i = 0; i < content->count; i++)
        add_range(&whole, &content->ranges[i]);
    vec_push(&list, (Elf64_Phdr){
                        .p_type = PT_NOTE, .p_flags = PF_R, .p_filesz = note_bytes, .p_align = 4});
    for (size_t i = 0; i < whole.len; i++)
        add_used(&list, content->as, whole.data[i]);
    vec_free(&whole);
    *bytes = lay_out(&list);
    Elf64_Ehdr eh = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_CORE,
        .e_version = EV_CURRENT,
        .e_entry = content->submit.head,
        .e_phoff = sizeof(eh),
        .e_flags = content->product << 16 | (content->revision & 0xffff),
        .e_ehsize = sizeof(eh),
        .e_phentsize = sizeof(Elf64_Phdr),
        .e_phnum = (uint16_t)list.len,
    };

    if (list.len >= UINT16_MAX)
        good = error_set(err, "the snapshot %.200s has too many pieces", path);
    else if (*bytes > max_bytes)
        good = error_set(err, "the snapshot %.200s would have %llu bytes, of %llu that are left",
                         path, (unsigned long long)*bytes, (unsigned long long)max_bytes);
    else
        good = write_file(path, &eh, &list, note, content->as) ||
               error_set(err, "cannot write the snapshot %.200s", path);
    free(note);
    vec_free(&list);
    return good;
}
