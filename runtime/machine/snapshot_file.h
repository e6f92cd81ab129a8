/*
 * The file of a machine's snapshot: named sections, each a zstd frame with a checksum.
 *
 * A file is, in words of 8 bytes, little-endian:
 *
 *     magic, version, number of sections
 *     per section: name (32 bytes, padded with zeros), its size, size of the frame, checksum of it
 *     checksum of all of the above
 *     the frames, in the same order, without gaps
 *
 * Checksums are CRC-32, as zlib has it.
 *
 * Any single bit that is flipped, and any byte that is missing or added, is found when the file is
 * opened: before a section is used.
 */
#ifndef RUNTIME_MACHINE_SNAPSHOT_FILE_H
#define RUNTIME_MACHINE_SNAPSHOT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/vec.h"
#include "runtime/base/error.h"

enum {
    SNAPSHOT_VERSION = 2,
    SNAPSHOT_NAME = 32,          /* bytes of a section's name, with its final zero */
    SNAPSHOT_SECTIONS = 1 << 20, /* most sections of a file */
    SNAPSHOT_THREADS = 16,       /* most host threads that compress or decompress */
};
#define SNAPSHOT_SECTION_MAX (UINT64_C(1) << 30) /* most bytes of a section */

/* ---- writing --------------------------------------------------------------------------------- */

struct snapshot_part {
    char name[SNAPSHOT_NAME];
    uint64_t size;
    uint8_t *frame; /* owned */
    uint64_t frame_size, sum;
};

struct snapshot_task;

/* A file that is to be written; zeroed at first. Sections are compressed by threads meanwhile. */
struct snapshot_writer {
    VEC(struct snapshot_part) parts;   /* compressed */
    VEC(struct snapshot_task *) tasks; /* of the sections behind them */
    unsigned threads;                  /* most tasks at a time; 0: one per processor */
};

/* Compresses `len` bytes, at most SNAPSHOT_SECTION_MAX, into a new section. */
bool snapshot_add(struct snapshot_writer *w, const char *name, const void *bytes, size_t len,
                  struct error *err);
/* The same with bytes from the heap, which it frees. */
bool snapshot_take(struct snapshot_writer *w, const char *name, uint8_t *bytes, size_t len,
                   struct error *err);
/* Adds a section of another file as it is. */
bool snapshot_copy(struct snapshot_writer *w, const struct snapshot_part *part, struct error *err);
/* Waits for the threads, so that all sections are in w->parts. */
bool snapshot_finish(struct snapshot_writer *w, struct error *err);

/* Finishes, then writes the file at `path` under a temporary name beside it, then renames it. On
 * failure there is no new file, and an old one is as it was. */
bool snapshot_write(struct snapshot_writer *w, const char *path, struct error *err);

/* Releases the sections, and waits for threads. */
void snapshot_writer_free(struct snapshot_writer *w);

/* ---- reading --------------------------------------------------------------------------------- */

struct snapshot_reader {
    const uint8_t *file; /* mapped */
    size_t file_size;
    size_t count;
    struct snapshot_part *parts; /* `frame` lies in the file */
};

/* Opens and checks all of the file. On failure *r needs no snapshot_close(). */
bool snapshot_open(struct snapshot_reader *r, const char *path, struct error *err);
/* The same without checksums of the frames, to list snapshots. */
bool snapshot_peek(struct snapshot_reader *r, const char *path, struct error *err);
void snapshot_close(struct snapshot_reader *r);

/* The section of that name; NULL: there is none. */
const struct snapshot_part *snapshot_find(const struct snapshot_reader *r, const char *name);

/* The content of a section, to be freed; NULL: its frame is damaged. */
uint8_t *snapshot_read(const struct snapshot_part *part, struct error *err);

/* The threads that the host has processors for, at most SNAPSHOT_THREADS. */
unsigned snapshot_threads(void);

#endif
