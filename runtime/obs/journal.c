/*
 * Recordings of a machine's input: writing, checking and reading them.
 *
 * Bounds      a replay holds the whole file in memory; a kept recording its entries
 */
#include "runtime/obs/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "common/vec.h"
#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"

#define MAGIC   "gencc-rr"
#define VERSION 2

enum { HEAD = 24, ENTRY = 32, SUM = 8 };

struct journal {
    FILE *out; /* NULL: a replay, or a recording that is only kept */
    char *path;
    uint32_t sum; /* of what was written */
    uint64_t turn;
    uint64_t (*hash)(void *opaque);
    void *hash_opaque;

    bool keeps; /* in `kept` */
    bool past;  /* rewound */
    VEC(uint8_t) kept;

    const uint8_t *file; /* what is replayed: mapped, or `kept` */
    void *mapped;        /* NULL: a recording */
    size_t size, at;     /* bytes with the checksum; end of `next` */
    size_t next_at;      /* place of `next` */
    char *about;
    bool ended;
    struct journal_entry next;
    char diverged[160];
};

/* ---- recording ------------------------------------------------------------------------------- */

static void put_bytes(struct journal *j, const void *bytes, size_t len)
{
    const uint8_t *from = bytes;

    if (!len)
        return;
    if (j->out) {
        j->sum = (uint32_t)crc32_z(j->sum, bytes, len);
        fwrite(bytes, 1, len, j->out); /* errors are found by journal_close() */
    }
    for (size_t n = 0; j->keeps && n < len; n++)
        vec_push(&j->kept, from[n]);
}

struct journal *journal_record(const char *path, struct error *err)
{
    FILE *out = fopen(path, "wbe");
    struct journal *j;

    if (!out)
        return error_null(err, "%s: %s", path, strerror(errno));
    j = xcalloc(1, sizeof(*j));
    j->out = out;
    j->path = xstrdup(path);
    return j;
}

struct journal *journal_keep(const char *path, struct error *err)
{
    struct journal *j = path ? journal_record(path, err) : xcalloc(1, sizeof(*j));

    if (j)
        j->keeps = true;
    return j;
}

void journal_begin(struct journal *j, const char *about)
{
    uint8_t head[HEAD] = MAGIC;

    if (!j->out)
        return;
    le_put(head + 8, 8, VERSION);
    le_put(head + 16, 8, strlen(about));
    put_bytes(j, head, sizeof(head));
    put_bytes(j, about, strlen(about));
}

/* In the midst of a turn the CPUs' counts are not exact: 0. */
static uint64_t present_hash(const struct journal *j, uint32_t kind)
{
    return j->hash && kind <= JOURNAL_END ? j->hash(j->hash_opaque) : 0;
}

void journal_write(struct journal *j, enum journal_kind kind, uint32_t source, const void *bytes,
                   size_t len)
{
    uint8_t head[ENTRY];

    if (journal_is_replay(j))
        return;
    le_put(head, 4, kind);
    le_put(head + 4, 4, source);
    le_put(head + 8, 8, j->turn);
    le_put(head + 16, 8, present_hash(j, kind));
    le_put(head + 24, 8, len);
    put_bytes(j, head, sizeof(head));
    put_bytes(j, bytes, len);
}

static bool end_recording(struct journal *j, struct error *err)
{
    uint8_t sum[SUM];
    bool ok;

    j->past = false;
    journal_write(j, JOURNAL_END, 0, NULL, 0);
    le_put(sum, SUM, j->sum);
    fwrite(sum, 1, SUM, j->out);
    ok = !ferror(j->out);
    ok = !fclose(j->out) && ok;
    j->out = NULL;
    j->keeps = false;
    return ok || error_set(err, "%s: the recording could not be written", j->path);
}

bool journal_end(struct journal *j, struct error *err)
{
    return !j || !j->out || end_recording(j, err);
}

bool journal_close(struct journal *j, struct error *err)
{
    bool ok = journal_end(j, err);

    if (!j)
        return true;
    if (j->mapped)
        munmap(j->mapped, j->size);
    vec_free(&j->kept);
    free(j->about);
    free(j->path);
    free(j);
    return ok;
}

/* ---- replaying ------------------------------------------------------------------------------- */

/* Reads the entry at j->at into j->next; false: there is none, or it is damaged. */
static bool read_entry(struct journal *j)
{
    size_t left = j->size - SUM - j->at;
    const uint8_t *at = j->file + j->at;

    j->next_at = j->at;
    if (left < ENTRY)
        return false;
    j->next = (struct journal_entry){
        .kind = (uint32_t)le_get(at, 4),
        .source = (uint32_t)le_get(at + 4, 4),
        .turn = le_get(at + 8, 8),
        .hash = le_get(at + 16, 8),
        .len = le_get(at + 24, 8),
        .bytes = at + ENTRY,
    };
    if (j->next.kind > JOURNAL_SENT || j->next.len > left - ENTRY)
        return false;
    j->at += ENTRY + (size_t)j->next.len;
    return true;
}

/* Whether all is entries up to an end at the end of the file. */
static bool check_entries(struct journal *j, size_t first)
{
    j->at = first;
    while (read_entry(j)) {
        if (j->next.kind == JOURNAL_END)
            return j->at == j->size - SUM;
    }
    return false;
}

static bool check_file(struct journal *j, struct error *err)
{
    uint64_t about;

    if (j->size < HEAD + SUM || memcmp(j->file, MAGIC, 8))
        return error_set(err, "not a recording, or one that was not ended");
    if (le_get(j->file + 8, 8) != VERSION)
        return error_set(err, "a recording of version %" PRIu64 ", and this program has version %d",
                         le_get(j->file + 8, 8), VERSION);
    about = le_get(j->file + 16, 8);
    if (le_get(j->file + j->size - SUM, SUM) != crc32_z(0, j->file, j->size - SUM) ||
        about > j->size - HEAD - SUM || !check_entries(j, HEAD + (size_t)about))
        return error_set(err, "the recording is damaged, or was not ended");
    j->about = memcpy(xcalloc(1, (size_t)about + 1), j->file + HEAD, (size_t)about);
    j->at = HEAD + (size_t)about;
    read_entry(j);
    return true;
}

static bool map_file(struct journal *j, const char *path, struct error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    void *file;

    if (fd < 0)
        return error_set(err, "%s", strerror(errno));
    if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size <= 0) {
        close(fd);
        return error_set(err, "not a recording, or one that was not ended");
    }
    file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (file == MAP_FAILED)
        return error_set(err, "%s", strerror(errno));
    j->file = j->mapped = file;
    j->size = (size_t)st.st_size;
    return true;
}

struct journal *journal_replay(const char *path, struct error *err)
{
    struct journal *j = xcalloc(1, sizeof(*j));

    if (map_file(j, path, err) && check_file(j, err))
        return j;
    error_prefix(err, "%s: ", path);
    journal_close(j, NULL);
    return NULL;
}

const char *journal_about(const struct journal *j)
{
    return j->about;
}

bool journal_is_replay(const struct journal *j)
{
    return j->mapped || j->past;
}

uint64_t journal_place(const struct journal *j)
{
    return journal_is_replay(j) ? j->next_at : j->kept.len;
}

void journal_rewind(struct journal *j, uint64_t place, uint64_t turn)
{
    j->past = true;
    if (!j->mapped) {
        j->file = j->kept.data;
        j->size = j->kept.len + SUM;
    }
    j->at = (size_t)place;
    j->turn = turn;
    j->ended = !read_entry(j);
}

void journal_resume(struct journal *j)
{
    j->past = false;
}

bool journal_is_past(const struct journal *j)
{
    return j && j->past;
}

void journal_set_hash(struct journal *j, uint64_t (*hash)(void *opaque), void *opaque)
{
    j->hash = hash;
    j->hash_opaque = opaque;
}

void journal_set_turn(struct journal *j, uint64_t turn)
{
    j->turn = turn;
}

const struct journal_entry *journal_peek(const struct journal *j)
{
    return !journal_is_replay(j) || j->ended || *j->diverged ? NULL : &j->next;
}

void journal_diverge(struct journal *j, const char *what)
{
    if (!*j->diverged)
        snprintf(j->diverged, sizeof(j->diverged), "%s in turn %" PRIu64, what, j->turn);
}

const char *journal_diverged(const struct journal *j)
{
    return *j->diverged ? j->diverged : NULL;
}

void journal_step(struct journal *j)
{
    if (!journal_peek(j))
        return;
    if (j->next.turn != j->turn)
        journal_diverge(j, "input of another turn");
    else if (j->next.hash != present_hash(j, j->next.kind))
        journal_diverge(j, "the CPUs are in another state");
    if (j->next.kind == JOURNAL_END)
        j->ended = true;
    else
        j->ended = !read_entry(j);
}

const struct journal_entry *journal_take(struct journal *j, enum journal_kind kind, uint32_t source)
{
    const struct journal_entry *e = journal_peek(j);

    if (e && e->kind == kind && e->source == source && e->turn == j->turn)
        return e;
    journal_diverge(j, "the guest asks what it did not ask");
    return NULL;
}
