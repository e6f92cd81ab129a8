/* Checked ELF files of snapshots, for the readers of memory and of expectations. */
#ifndef RUNTIME_GPU_SNAPSHOT_ELF_FILE_H
#define RUNTIME_GPU_SNAPSHOT_ELF_FILE_H

#include <elf.h>
#include <jansson.h>

#include "runtime/base/error.h"

enum {
    SNAPSHOT_PAGE = 4096,
    SNAPSHOT_NOTE_TYPE = 1,
    SNAPSHOT_MAX_SEGMENTS = 65536,
};
#define SNAPSHOT_NOTE_NAME "MALI"

/* A file whose headers are valid. */
struct snapshot_elf {
    const uint8_t *file;
    size_t bytes;
    uint64_t entry;
    uint32_t flags;
    Elf64_Phdr *loads; /* the PT_LOADs: ascending, within the file, not overlapping */
    size_t load_count;
    json_t *note;
};

/* `file` must stay valid as long as *out. */
bool snapshot_elf_open(struct snapshot_elf *out, const uint8_t *file, size_t bytes,
                       struct error *err);
void snapshot_elf_close(struct snapshot_elf *e);

/* Reads the whole file at `path`; the caller frees the result. NULL: *err has the reason. */
uint8_t *snapshot_load_file(const char *path, size_t *bytes, struct error *err);

#endif
