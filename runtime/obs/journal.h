/*
 * Recordings of what comes to a machine from outside, in the order in which it came, each entry
 * with the place in the run: the number of turns of the CPUs, and a hash of their state. A replay
 * takes the entries at the same places (docs/use/replay.md).
 *
 * A file is, in words of 8 bytes, little-endian:
 *
 *     magic, version, bytes of the description, the description
 *     per entry: kind and source (4 bytes each), turn, hash, number of bytes, the bytes
 *     CRC-32 of all of the above
 *
 * The last entry is JOURNAL_END. A file that is cut or damaged is refused when it is opened.
 */
#ifndef RUNTIME_OBS_JOURNAL_H
#define RUNTIME_OBS_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/error.h"

enum journal_kind {
    /* Between turns: */
    JOURNAL_CHECK,   /* nothing came; the hash is compared */
    JOURNAL_CONSOLE, /* input of serial port `source` */
    JOURNAL_BREAK,   /* a break of serial port `source` */
    JOURNAL_TIME,    /* the clock moves to this time, since host time passed */
    JOURNAL_FRAME,   /* a frame for network card `source` */
    JOURNAL_KEY,     /* a key or the pointer of the display */
    JOURNAL_END,     /* the recorded run ended */
    /* While the guest waits for the device: */
    JOURNAL_FRAME_BACK, /* a frame that answers the one that card `source` sends */
    JOURNAL_FILES,      /* the answer of the 9P server `source` */
    JOURNAL_SENT,       /* all answers to the frame that card `source` sends have come */
};

struct journal_entry {
    uint32_t kind, source;
    uint64_t turn, hash;
    const uint8_t *bytes;
    uint64_t len;
};

struct journal;

/* A recording into a new file. NULL: *err has the reason. */
struct journal *journal_record(const char *path, struct error *err);
/* Writes the description of the machine, before the first entry. */
void journal_begin(struct journal *j, const char *about);

/* Opens a recording, and checks all of it. */
struct journal *journal_replay(const char *path, struct error *err);
/*
 * A recording that is kept in memory, and in a file too unless `path` is NULL. Its past can be
 * repeated: journal_rewind() makes it a replay, which journal_resume() ends at the place where it
 * was.
 */
struct journal *journal_keep(const char *path, struct error *err);
/* The place of the next entry. A replay of a file has places as well, and can be rewound. */
uint64_t journal_place(const struct journal *j);
void journal_rewind(struct journal *j, uint64_t place, uint64_t turn);
void journal_resume(struct journal *j);
/* Whether it was rewound: what the machine does now, it has done before. NULL is allowed. */
bool journal_is_past(const struct journal *j);

/* The description, valid as long as the journal. */
const char *journal_about(const struct journal *j);

/*
 * Writes the end of a recording; what is written later is lost. Input threads of the host may still
 * hold the journal, and ask it. NULL, a replay and a second call are allowed. false: the file could
 * not be written.
 */
bool journal_end(struct journal *j, struct error *err);
/* Ends a recording, and frees the journal, which nothing may hold any more. NULL is allowed. */
bool journal_close(struct journal *j, struct error *err);

bool journal_is_replay(const struct journal *j);

/* Sets the function that hashes the state of the CPUs. */
void journal_set_hash(struct journal *j, uint64_t (*hash)(void *opaque), void *opaque);
/* Sets the turn that follows. */
void journal_set_turn(struct journal *j, uint64_t turn);

/* Appends an entry at the present place. */
void journal_write(struct journal *j, enum journal_kind kind, uint32_t source, const void *bytes,
                   size_t len);

/* The next entry of a replay; NULL: it has ended, or the run is another (journal_diverged()). */
const struct journal_entry *journal_peek(const struct journal *j);
/* Steps behind it. The run is another if its place is not the present one. */
void journal_step(struct journal *j);
/* The next entry if it is of that kind and source; NULL: it is not, so that the run is another. */
const struct journal_entry *journal_take(struct journal *j, enum journal_kind kind,
                                         uint32_t source);
/* What differs, and where; NULL: nothing so far. */
const char *journal_diverged(const struct journal *j);
/* Notes that the run is another. */
void journal_diverge(struct journal *j, const char *what);

#endif
