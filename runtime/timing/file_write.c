/* Writes trace files: one compressed frame per job, then the index. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "runtime/base/alloc.h"
#include "runtime/timing/file.h"
#include "runtime/timing/file_format.h"

struct buffer {
    VEC(uint8_t) out;
};

struct timing_file_writer {
    FILE *file;
    char *path;
    uint64_t at;
    uint64_t raw; /* uncompressed size of all jobs */
    VEC(struct timing_file_entry) jobs;
    bool failed;
};

static bool fail_write(struct timing_file_writer *w, struct error *err)
{
    w->failed = true;
    return error_set(err, "cannot write %.150s: %s", w->path, strerror(errno ? errno : ENOSPC));
}

static bool put_bytes(struct timing_file_writer *w, const void *data, size_t bytes,
                      struct error *err)
{
    if (w->failed || (bytes && fwrite(data, bytes, 1, w->file) != 1))
        return fail_write(w, err);
    w->at += bytes;
    return true;
}

static bool put_word(struct timing_file_writer *w, uint64_t v, struct error *err)
{
    uint8_t bytes[8];

    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(v >> 8 * i);
    return put_bytes(w, bytes, sizeof(bytes), err);
}

/* ---- a job ----------------------------------------------------------------------------------- */

static void put_number(struct buffer *b, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        vec_push(&b->out, (uint8_t)(v | 0x80));
    vec_push(&b->out, (uint8_t)v);
}

static void append_bytes(struct buffer *b, const uint8_t *data, size_t bytes)
{
    vec_reserve(&b->out, b->out.len + bytes);
    if (bytes)
        memcpy(b->out.data + b->out.len, data, bytes);
    b->out.len += (unsigned)bytes;
}

static void put_bundles(struct buffer *b, const struct timing_job *job)
{
    put_number(b, job->bundles.len);
    for (size_t i = 0; i < job->bundles.len; i++) {
        const struct timing_bundle *it = &job->bundles.data[i];

        put_number(b, it->address);
        put_number(b, it->bytes);
        put_number(b, it->stages);
        for (unsigned k = 0; k < TIMING_PIPES; k++)
            put_number(b, it->words[k]);
        put_number(b, it->slot);
        put_number(b, it->waits);
    }
}

static void put_group(struct buffer *b, const struct timing_group *g)
{
    put_number(b, g->index);
    put_number(b, g->row_count);
    for (unsigned i = 0; i < g->row_count; i++) {
        put_number(b, g->rows[i].lanes);
        put_number(b, g->rows[i].bytes);
        append_bytes(b, g->rows[i].data, g->rows[i].bytes);
    }
}

static void put_job(struct buffer *b, const struct timing_job *job)
{
    put_number(b, job->header);
    put_number(b, job->shader);
    put_number(b, job->group_threads);
    put_number(b, job->warp_width);
    put_number(b, job->row_width);
    put_number(b, job->group_total);
    put_bundles(b, job);
    put_number(b, job->groups.len);
    for (size_t i = 0; i < job->groups.len; i++)
        put_group(b, &job->groups.data[i]);
}

/* Pads the file to a size at which the reader accepts the uncompressed size of its jobs. */
static bool pad_file(struct timing_file_writer *w, struct error *err)
{
    static const uint8_t zeros[4096];
    bool good = true;

    while (good && w->raw > FILE_RAW_FREE + FILE_RAW_RATIO * w->at)
        good = put_bytes(w, zeros, sizeof(zeros), err);
    return good;
}

bool timing_file_add(struct timing_file_writer *w, const struct timing_job *job, struct error *err)
{
    struct buffer b = {0};
    struct timing_file_entry e = {
        .offset = w->at, .shader = job->shader, .group_total = job->group_total};
    size_t room;
    void *out;
    bool good;

    put_job(&b, job);
    e.raw = b.out.len;
    if (e.raw > FILE_RAW_MAX) {
        w->failed = true;
        vec_free(&b.out);
        return error_set(err, "%.150s: a job's trace is too large; a sample is smaller", w->path);
    }
    room = ZSTD_compressBound(b.out.len);
    out = xcalloc(room, 1);
    e.bytes = ZSTD_compress(out, room, b.out.data, b.out.len, FILE_ZSTD_LEVEL);
    good = !ZSTD_isError(e.bytes) && put_bytes(w, out, e.bytes, err);
    w->raw += e.raw;
    if (good)
        vec_push(&w->jobs, e);
    if (good)
        good = pad_file(w, err);
    else if (!w->failed)
        good = fail_write(w, err);
    free(out);
    vec_free(&b.out);
    return good;
}

/* ---- the file -------------------------------------------------------------------------------- */

struct timing_file_writer *timing_file_create(const char *path, const char *gpu, struct error *err)
{
    struct timing_file_writer *w = xcalloc(1, sizeof(*w));
    char name[FILE_GPU_BYTES] = "";

    snprintf(name, sizeof(name), "%s", gpu);
    w->path = xstrdup(path);
    w->file = fopen(path, "wb");
    if (!w->file) {
        error_set(err, "cannot write %.150s: %s", path, strerror(errno));
        free(w->path);
        free(w);
        return NULL;
    }
    if (put_bytes(w, TIMING_FILE_MAGIC, 8, err) && put_word(w, TIMING_FILE_VERSION, err) &&
        put_bytes(w, name, sizeof(name), err))
        return w;
    timing_file_close(w, NULL);
    return NULL;
}

static bool put_index(struct timing_file_writer *w, struct error *err)
{
    uint64_t index = w->at;

    for (size_t i = 0; i < w->jobs.len; i++) {
        const struct timing_file_entry *e = &w->jobs.data[i];

        if (!put_word(w, e->offset, err) || !put_word(w, e->bytes, err) ||
            !put_word(w, e->raw, err) || !put_word(w, e->shader, err) ||
            !put_word(w, e->group_total, err))
            return false;
    }
    return put_word(w, index, err) && put_word(w, w->jobs.len, err) &&
           put_bytes(w, TIMING_FILE_END, 8, err);
}

bool timing_file_close(struct timing_file_writer *w, struct error *err)
{
    bool good = w->failed ? fail_write(w, err) : put_index(w, err);

    if (fclose(w->file) && good)
        good = fail_write(w, err);
    vec_free(&w->jobs);
    free(w->path);
    free(w);
    return good;
}
