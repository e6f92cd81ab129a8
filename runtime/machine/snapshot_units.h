/*
 * Sections of units: pages of RAM, or clusters of a disk. A section is a number of units, the
 * numbers of these units (with UNIT_ZERO: all bytes are zero, and none follow), and their bytes.
 * The sections of one kind are named PREFIX.0, PREFIX.1 and so on.
 */
#ifndef RUNTIME_MACHINE_SNAPSHOT_UNITS_H
#define RUNTIME_MACHINE_SNAPSHOT_UNITS_H

#include "runtime/machine/snapshot_file.h"

#define UNIT_ZERO  (UINT64_C(1) << 63)
#define UNIT_CHUNK ((size_t)4 << 20) /* most bytes of units in a section that is written */

/* ---- writing --------------------------------------------------------------------------------- */

struct unit_writer {
    struct snapshot_writer *to;
    const char *prefix;
    unsigned number; /* of the next section */
    size_t unit;     /* bytes of a unit */
    size_t most, count, filled;
    uint64_t *index;
    const uint8_t **bytes; /* not copied before their section is full; NULL: zeros */
};

void unit_writer_open(struct unit_writer *u, struct snapshot_writer *to, const char *prefix,
                      size_t unit);
/* Adds a unit; `bytes`, which must stay as they are until unit_writer_close(), NULL: zeros. */
bool unit_writer_add(struct unit_writer *u, uint64_t index, const uint8_t *bytes,
                     struct error *err);
/* Writes what is left if `ok`, and releases the writer. */
bool unit_writer_close(struct unit_writer *u, bool ok, struct error *err);

/* ---- reading --------------------------------------------------------------------------------- */

/* Takes a unit; `bytes` NULL: zeros. false: there is no such unit. */
typedef bool unit_fn(void *opaque, uint64_t index, const uint8_t *bytes);

/* Whether the section's name is PREFIX.NUMBER. */
bool unit_section_is(const struct snapshot_part *part, const char *prefix);

/* Calls fn for each unit of the sections of that prefix, on up to `threads` threads at a time. */
struct unit_reading {
    const struct snapshot_reader *from;
    const char *prefix;
    size_t unit;
    unsigned threads;
    unit_fn *fn;
    void *opaque;
};
bool unit_read_all(const struct unit_reading *what, struct error *err);

#endif
