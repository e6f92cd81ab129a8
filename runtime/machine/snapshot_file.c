/* Snapshot files: writing, checking and reading their sections. */
#include "runtime/machine/snapshot_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"

#define MAGIC "gencc-vm"

enum {
    LEVEL = 1, /* of zstd: saving waits for it */
    HEAD = 24,
    ENTRY = SNAPSHOT_NAME + 24,
};

static uint64_t sum_of(const void *bytes, size_t len)
{
    return crc32_z(0, bytes, len);
}

/* ---- writing --------------------------------------------------------------------------------- */

unsigned snapshot_threads(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);

    return count < 1 ? 1 : count < SNAPSHOT_THREADS ? (unsigned)count : SNAPSHOT_THREADS;
}

/* A section that is being compressed. */
struct snapshot_task {
    pthread_t thread;
    bool has_thread;
    struct snapshot_part part;
    uint8_t *bytes;
    struct error err;
};

static void *compress_part(void *opaque)
{
    struct snapshot_task *t = opaque;
    size_t room = ZSTD_compressBound(t->part.size), n = 0;

    t->part.frame = malloc(room);
    if (t->part.frame)
        n = ZSTD_compress(t->part.frame, room, t->bytes, t->part.size, LEVEL);
    if (!t->part.frame || ZSTD_isError(n)) {
        error_set(&t->err, "zstd: %s", t->part.frame ? ZSTD_getErrorName(n) : strerror(ENOMEM));
        n = 0;
    }
    free(t->bytes);
    t->bytes = NULL;
    t->part.frame = xrealloc(t->part.frame, n + 1, 1);
    t->part.frame_size = n;
    t->part.sum = sum_of(t->part.frame, n);
    return NULL;
}

/* Waits for the oldest task, whose section becomes the next one. */
static bool end_task(struct snapshot_writer *w, struct error *err)
{
    struct snapshot_task *t = w->tasks.data[0];
    bool ok = true;

    if (t->has_thread)
        pthread_join(t->thread, NULL);
    memmove(w->tasks.data, w->tasks.data + 1, --w->tasks.len * sizeof(*w->tasks.data));
    vec_push(&w->parts, t->part);
    if (*t->err.text) {
        if (err)
            *err = t->err;
        ok = false;
    }
    free(t);
    return ok;
}

bool snapshot_finish(struct snapshot_writer *w, struct error *err)
{
    bool ok = true;

    while (w->tasks.len)
        ok = end_task(w, ok ? err : NULL) && ok;
    return ok;
}

bool snapshot_take(struct snapshot_writer *w, const char *name, uint8_t *bytes, size_t len,
                   struct error *err)
{
    struct snapshot_task *t;

    if (!w->threads)
        w->threads = snapshot_threads();
    if (len > SNAPSHOT_SECTION_MAX || w->parts.len + w->tasks.len >= SNAPSHOT_SECTIONS) {
        free(bytes);
        return error_set(err, "the section '%s' is too large for a snapshot", name);
    }
    if (w->tasks.len >= w->threads && !end_task(w, err)) {
        free(bytes);
        return false;
    }
    t = xcalloc(1, sizeof(*t));
    snprintf(t->part.name, sizeof(t->part.name), "%s", name);
    t->part.size = len;
    t->bytes = bytes;
    t->has_thread = w->threads > 1 && !pthread_create(&t->thread, NULL, compress_part, t);
    if (!t->has_thread)
        compress_part(t);
    vec_push(&w->tasks, t);
    return true;
}

bool snapshot_add(struct snapshot_writer *w, const char *name, const void *bytes, size_t len,
                  struct error *err)
{
    uint8_t *copy = xcalloc(len + 1, 1);

    if (len)
        memcpy(copy, bytes, len);
    return snapshot_take(w, name, copy, len, err);
}

bool snapshot_copy(struct snapshot_writer *w, const struct snapshot_part *part, struct error *err)
{
    struct snapshot_part copy = *part;

    if (!snapshot_finish(w, err))
        return false;
    copy.frame = memcpy(xcalloc(part->frame_size + 1, 1), part->frame, part->frame_size);
    vec_push(&w->parts, copy);
    return true;
}

void snapshot_writer_free(struct snapshot_writer *w)
{
    snapshot_finish(w, NULL);
    vec_for_each (&w->parts, part)
        free(part->frame);
    vec_free(&w->parts);
    vec_free(&w->tasks);
}

/* The head and the table of sections; *size is their size. */
static uint8_t *make_table(const struct snapshot_writer *w, size_t *size)
{
    uint8_t *table, *at;

    *size = HEAD + w->parts.len * ENTRY + 8;
    at = table = xcalloc(1, *size);
    memcpy(at, MAGIC, 8);
    le_put(at + 8, 8, SNAPSHOT_VERSION);
    le_put(at + 16, 8, w->parts.len);
    at += HEAD;
    vec_for_each (&w->parts, part) {
        memcpy(at, part->name, SNAPSHOT_NAME);
        le_put(at + SNAPSHOT_NAME, 8, part->size);
        le_put(at + SNAPSHOT_NAME + 8, 8, part->frame_size);
        le_put(at + SNAPSHOT_NAME + 16, 8, part->sum);
        at += ENTRY;
    }
    le_put(at, 8, sum_of(table, *size - 8));
    return table;
}

static bool write_parts(const struct snapshot_writer *w, FILE *file)
{
    size_t size;
    uint8_t *table = make_table(w, &size);
    bool ok = fwrite(table, 1, size, file) == size;

    free(table);
    for (size_t i = 0; i < w->parts.len && ok; i++) {
        const struct snapshot_part *part = &w->parts.data[i];

        ok = fwrite(part->frame, 1, part->frame_size, file) == part->frame_size;
    }
    return !fflush(file) && ok;
}

bool snapshot_write(struct snapshot_writer *w, const char *path, struct error *err)
{
    char partial[4096];
    FILE *file;
    bool ok;

    if (!snapshot_finish(w, err))
        return false;
    if ((size_t)snprintf(partial, sizeof(partial), "%s.part", path) >= sizeof(partial))
        return error_set(err, "the name of the snapshot's file is too long");
    file = fopen(partial, "wb");
    if (!file)
        return error_set(err, "%s: %s", partial, strerror(errno));
    ok = write_parts(w, file);
    ok = !fclose(file) && ok;
    ok = ok && !rename(partial, path);
    if (ok)
        return true;
    error_set(err, "%s: %s", partial, strerror(errno));
    unlink(partial);
    return false;
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool is_damaged(struct error *err)
{
    return error_set(err, "the snapshot is damaged");
}

static bool read_entry(struct snapshot_reader *r, const uint8_t *at, uint64_t *place,
                       struct error *err)
{
    struct snapshot_part *part = &r->parts[r->count];

    memcpy(part->name, at, SNAPSHOT_NAME);
    part->size = le_get(at + SNAPSHOT_NAME, 8);
    part->frame_size = le_get(at + SNAPSHOT_NAME + 8, 8);
    part->sum = le_get(at + SNAPSHOT_NAME + 16, 8);
    if (part->name[SNAPSHOT_NAME - 1] || part->size > SNAPSHOT_SECTION_MAX ||
        part->frame_size > r->file_size - *place)
        return is_damaged(err);
    part->frame = (uint8_t *)(uintptr_t)r->file + *place;
    *place += part->frame_size;
    r->count++;
    return true;
}

/* Checks the head and the table, and fills r->parts. */
static bool read_table(struct snapshot_reader *r, struct error *err)
{
    uint64_t count, version, place;

    if (r->file_size < HEAD + 8 || memcmp(r->file, MAGIC, 8))
        return error_set(err, "not a snapshot of a machine");
    version = le_get(r->file + 8, 8);
    if (version != SNAPSHOT_VERSION)
        return error_set(err, "a snapshot of version %" PRIu64 ", and this program has version %d",
                         version, SNAPSHOT_VERSION);
    count = le_get(r->file + 16, 8);
    if (count > SNAPSHOT_SECTIONS || count * ENTRY > r->file_size - HEAD - 8)
        return is_damaged(err);
    place = HEAD + count * ENTRY;
    if (le_get(r->file + place, 8) != sum_of(r->file, place))
        return is_damaged(err);
    place += 8;
    r->parts = xcalloc(count + 1, sizeof(*r->parts));
    for (uint64_t i = 0; i < count; i++) {
        if (!read_entry(r, r->file + HEAD + i * ENTRY, &place, err))
            return false;
    }
    return place == r->file_size || is_damaged(err);
}

static bool check_sums(const struct snapshot_reader *r, struct error *err)
{
    for (size_t i = 0; i < r->count; i++) {
        const struct snapshot_part *part = &r->parts[i];

        if (sum_of(part->frame, part->frame_size) != part->sum)
            return error_set(err, "the snapshot is damaged in its section '%s'", part->name);
    }
    return true;
}

static bool map_file(struct snapshot_reader *r, const char *path, struct error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    void *file = MAP_FAILED;

    if (fd < 0)
        return error_set(err, "%s", strerror(errno));
    if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size <= 0) {
        close(fd);
        return error_set(err, "not a snapshot of a machine");
    }
    file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (file == MAP_FAILED)
        return error_set(err, "%s", strerror(errno));
    r->file = file;
    r->file_size = (size_t)st.st_size;
    return true;
}

bool snapshot_peek(struct snapshot_reader *r, const char *path, struct error *err)
{
    *r = (struct snapshot_reader){0};
    if (map_file(r, path, err) && read_table(r, err))
        return true;
    error_prefix(err, "%s: ", path);
    snapshot_close(r);
    return false;
}

bool snapshot_open(struct snapshot_reader *r, const char *path, struct error *err)
{
    if (!snapshot_peek(r, path, err))
        return false;
    if (check_sums(r, err))
        return true;
    error_prefix(err, "%s: ", path);
    snapshot_close(r);
    return false;
}

void snapshot_close(struct snapshot_reader *r)
{
    if (r->file)
        munmap((void *)(uintptr_t)r->file, r->file_size);
    free(r->parts);
    *r = (struct snapshot_reader){0};
}

const struct snapshot_part *snapshot_find(const struct snapshot_reader *r, const char *name)
{
    for (size_t i = 0; i < r->count; i++) {
        if (!strcmp(r->parts[i].name, name))
            return &r->parts[i];
    }
    return NULL;
}

uint8_t *snapshot_read(const struct snapshot_part *part, struct error *err)
{
    uint8_t *bytes;

    /* The frame says the same size, so that a small file cannot ask for much memory. */
    if (ZSTD_getFrameContentSize(part->frame, part->frame_size) != part->size)
        return error_null(err, "the snapshot's section '%s' is damaged", part->name);
    bytes = malloc(part->size + 1);
    if (!bytes)
        return error_null(err, "no memory for the snapshot's section '%s'", part->name);
    if (ZSTD_decompress(bytes, part->size, part->frame, part->frame_size) == part->size)
        return bytes;
    free(bytes);
    return error_null(err, "the snapshot's section '%s' is damaged", part->name);
}
