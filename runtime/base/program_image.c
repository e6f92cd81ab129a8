/* The running program's image, by its program headers. The notes are those of elf(5); the hash is
 * one of type NT_GNU_BUILD_ID. */
#include "runtime/base/program_image.h"

#include <link.h>
#include <string.h>

enum { NOTE_ALIGN = 4 };

static size_t note_padded(size_t bytes)
{
    return (bytes + NOTE_ALIGN - 1) & ~(size_t)(NOTE_ALIGN - 1);
}

/* Copies the hash, if a segment of notes has it. */
static bool read_notes(struct program_image *image, const uint8_t *at, size_t size)
{
    ElfW(Nhdr) note;

    while (size >= sizeof(note)) {
        size_t name, content;

        memcpy(&note, at, sizeof(note));
        at += sizeof(note);
        size -= sizeof(note);
        name = note_padded(note.n_namesz);
        content = note_padded(note.n_descsz);
        if (name > size || content > size - name)
            return false;
        if (note.n_type == NT_GNU_BUILD_ID && name == NOTE_ALIGN &&
            !memcmp(at, "GNU", NOTE_ALIGN)) {
            memcpy(image->id, at + name,
                   note.n_descsz < PROGRAM_ID_BYTES ? note.n_descsz : PROGRAM_ID_BYTES);
            return note.n_descsz > 0;
        }
        at += name + content;
        size -= name + content;
    }
    return false;
}

struct search {
    struct program_image *image;
    bool has_id;
};

/* Called for the program first, and then for its libraries. */
static int read_object(struct dl_phdr_info *info, size_t size, void *opaque)
{
    struct search *s = opaque;

    (void)size;
    s->image->base = UINTPTR_MAX;
    for (unsigned n = 0; n < info->dlpi_phnum; n++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[n];
        uintptr_t at = info->dlpi_addr + p->p_vaddr;

        if (p->p_type == PT_LOAD && at < s->image->base)
            s->image->base = at;
        if (p->p_type == PT_LOAD && at + p->p_memsz > s->image->end)
            s->image->end = at + p->p_memsz;
        if (p->p_type == PT_NOTE && !s->has_id)
            s->has_id = read_notes(s->image, (const uint8_t *)at, p->p_memsz);
    }
    return 1;
}

bool program_image_find(struct program_image *image)
{
    struct search s = {.image = image};

    memset(image, 0, sizeof(*image));
    dl_iterate_phdr(read_object, &s);
    return s.has_id;
}
