/*
 * Reads trace files. Their content is not trusted: every number is checked where it is read.
 *
 * Bounds      memory: all jobs uncompressed, at most FILE_RAW_FREE + FILE_RAW_RATIO * the file's
 *             size, checked in the index; a decoded job: at most 20 * its uncompressed size
 *             besides, since a group of 4 bytes takes 80. The index names a frame at most once.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "runtime/base/alloc.h"
#include "runtime/timing/file.h"
#include "runtime/timing/file_format.h"

enum {
    BUNDLES_MAX = 1 << 20,
    ROWS_MAX = 65536,
    LEAST_BUNDLE = 9, /* bytes */
    LEAST_GROUP = 4,
    LEAST_ROW = 2
};

struct reader {
    uint8_t *at, *end;
    bool bad;
};

static uint64_t read_word(const uint8_t *at)
{
    uint64_t v = 0;

    for (unsigned i = 0; i < 8; i++)
        v |= (uint64_t)at[i] << 8 * i;
    return v;
}

/* ---- a job ----------------------------------------------------------------------------------- */

static uint64_t read_varint(struct reader *r, uint64_t most)
{
    uint64_t v = 0;

    for (unsigned shift = 0; r->at < r->end && shift < 64; shift += 7) {
        uint8_t b = *r->at++;

        v |= (uint64_t)(b & 0x7f) << shift;
        if (b < 0x80) {
            r->bad |= v > most;
            return r->bad ? 0 : v;
        }
    }
    r->bad = true;
    return 0;
}

/* Reads a count of items that take at least `least_bytes` bytes each. */
static uint64_t read_count(struct reader *r, uint64_t most, unsigned least_bytes)
{
    uint64_t n = read_varint(r, most);

    r->bad |= n > (uint64_t)(r->end - r->at) / least_bytes;
    return r->bad ? 0 : n;
}

static void take_bundles(struct reader *r, struct timing_job *job)
{
    for (uint64_t n = read_count(r, BUNDLES_MAX, LEAST_BUNDLE); n && !r->bad; n--) {
        struct timing_bundle b = {.address = read_varint(r, UINT64_MAX)};

        b.bytes = (uint32_t)read_varint(r, UINT32_MAX);
        b.stages = (uint8_t)read_varint(r, UINT8_MAX);
        for (unsigned k = 0; k < TIMING_PIPES; k++)
            b.words[k] = (uint8_t)read_varint(r, UINT8_MAX);
        b.slot = (uint8_t)read_varint(r, UINT8_MAX);
        b.waits = (uint8_t)read_varint(r, UINT8_MAX);
        vec_push(&job->bundles, b);
    }
}

/* Reads a row. Its data stay in the job's buffer. */
static void read_row(struct reader *r, const struct timing_job *job, struct timing_row *row)
{
    row->lanes = (unsigned)read_varint(r, job->row_width);
    row->bytes = read_count(r, UINT64_MAX, 1);
    row->data = r->at;
    r->at += row->bytes;
    r->bad |= !row->lanes;
}

/* Reads the groups. They must be in order, which is checked before memory for them is allocated:
 * equal bytes are no groups. */
static void read_groups(struct reader *r, struct timing_job *job)
{
    uint64_t next = 0;

    for (uint64_t n = read_count(r, UINT64_MAX, LEAST_GROUP); n && !r->bad; n--) {
        struct timing_group g = {.index = read_varint(r, UINT64_MAX)};

        g.row_count = (unsigned)read_count(r, ROWS_MAX, LEAST_ROW);
        r->bad |= g.index < next || g.index >= job->group_total || !g.row_count;
        if (r->bad)
            return;
        next = g.index + 1;
        g.rows = xcalloc(g.row_count, sizeof(*g.rows));
        for (unsigned i = 0; i < g.row_count && !r->bad; i++)
            read_row(r, job, &g.rows[i]);
        vec_push(&job->groups, g);
    }
}

static bool take_job(struct reader *r, struct timing_job *job, struct error *err)
{
    job->header = read_varint(r, UINT64_MAX);
    job->shader = read_varint(r, UINT64_MAX);
    job->group_threads = (uint32_t)read_varint(r, UINT32_MAX);
    job->warp_width = (uint32_t)read_varint(r, TIMING_ROW_LANES);
    job->row_width = (uint32_t)read_varint(r, TIMING_ROW_LANES);
    job->group_total = read_varint(r, UINT64_MAX);
    take_bundles(r, job);
    read_groups(r, job);
    if (r->bad || r->at != r->end)
        return error_set(err, "it is damaged");
    return timing_job_check(job, err);
}

bool timing_file_job(const struct timing_file *f, size_t n, struct timing_job *job,
                     struct error *err)
{
    const struct timing_file_entry *e = &f->jobs.data[n];
    const uint8_t *from = f->data + e->offset;
    uint8_t *raw = NULL;
    bool good;

    *job = (struct timing_job){0};
    /* The frame's own size is checked first, as the index may be wrong. */
    if (ZSTD_getFrameContentSize(from, e->bytes) != e->raw || e->raw > FILE_RAW_MAX ||
        !(raw = malloc(e->raw + 1)) || ZSTD_decompress(raw, e->raw, from, e->bytes) != e->raw) {
        free(raw);
        return error_set(err, "job %zu of the trace is damaged", n + 1);
    }
    job->raw = raw;
    good = take_job(&(struct reader){.at = raw, .end = raw + e->raw}, job, err);
    if (!good) {
        error_prefix(err, "job %zu of the trace: ", n + 1);
        timing_job_release(job);
        *job = (struct timing_job){0};
    }
    return good;
}

/* ---- the file -------------------------------------------------------------------------------- */

static bool take_index(struct timing_file *f, struct error *err)
{
    const uint8_t *tail = f->data + f->bytes - FILE_TAIL_BYTES;
    uint64_t index = read_word(tail), jobs = read_word(tail + 8), end = f->bytes - FILE_TAIL_BYTES;
    uint64_t behind = FILE_HEAD_BYTES, raw = FILE_RAW_FREE + FILE_RAW_RATIO * f->bytes;

    if (index < FILE_HEAD_BYTES || index > end || (end - index) % FILE_ENTRY_BYTES ||
        (end - index) / FILE_ENTRY_BYTES != jobs)
        return error_set(err, "the index of the trace is damaged");
    for (uint64_t i = 0; i < jobs; i++) {
        const uint8_t *at = f->data + index + i * FILE_ENTRY_BYTES;
        struct timing_file_entry e = {read_word(at), read_word(at + 8), read_word(at + 16),
                                      read_word(at + 24), read_word(at + 32)};

        if (e.offset < behind || e.offset > index || e.bytes > index - e.offset)
            return error_set(err, "the index of the trace is damaged");
        if (e.raw > raw)
            return error_set(err, "its jobs would have more than %d times the trace's bytes",
                             (int)FILE_RAW_RATIO);
        behind = e.offset + e.bytes;
        raw -= e.raw;
        vec_push(&f->jobs, e);
    }
    return true;
}

bool timing_file_open(struct timing_file *f, const uint8_t *data, size_t bytes, struct error *err)
{
    *f = (struct timing_file){.data = data, .bytes = bytes};
    if (bytes < 8 || memcmp(data, TIMING_FILE_MAGIC, 8) != 0)
        return error_set(err, "it is no trace for time models");
    if (bytes < FILE_HEAD_BYTES + FILE_TAIL_BYTES ||
        memcmp(data + bytes - 8, TIMING_FILE_END, 8) != 0)
        return error_set(err, "the trace has no end: it was cut off");
    if (read_word(data + 8) < TIMING_FILE_OLDEST || read_word(data + 8) > TIMING_FILE_VERSION)
        return error_set(err, "version %" PRIu64 " of traces is not known here, only %d to %d",
                         read_word(data + 8), TIMING_FILE_OLDEST, TIMING_FILE_VERSION);
    memcpy(f->gpu, data + 16, sizeof(f->gpu) - 1);
    if (take_index(f, err))
        return true;
    timing_file_release(f);
    return false;
}

void timing_file_release(struct timing_file *f)
{
    vec_free(&f->jobs);
}
