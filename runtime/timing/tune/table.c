/* Reads the table of measured times and the traces that it names. */
#include "runtime/timing/tune/table.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/timing/file.h"

enum { MAX_TABLE = 1 << 24, MAX_FIELDS = 32 };

enum field { FIELD_TRACE, FIELD_CYCLES, FIELD_US, FIELD_NAME, FIELD_JOB, FIELD_SET, FIELD_NONE };

static const char *const field_names[FIELD_NONE] = {"trace", "cycles", "us", "name", "job", "set"};

/* ---- files ----------------------------------------------------------------------------------- */

/* Reads a whole file and appends a 0. NULL: *err has the reason. */
static uint8_t *read_file(const char *path, uint64_t most, size_t *bytes, struct error *err)
{
    FILE *f = fopen(path, "rb");
    uint8_t *data = NULL;
    long end = -1;

    if (f && !fseek(f, 0, SEEK_END))
        end = ftell(f);
    if (end >= 0 && (uint64_t)end <= most && !fseek(f, 0, SEEK_SET)) {
        data = xcalloc((size_t)end + 1, 1);
        *bytes = fread(data, 1, (size_t)end, f);
        if (*bytes != (size_t)end || ferror(f)) {
            free(data);
            data = NULL;
        }
    }
    if (!data)
        error_set(err, "cannot read %.150s: %s", path,
                  end > 0 && (uint64_t)end > most ? "it is too large" : strerror(errno));
    if (f)
        fclose(f);
    return data;
}

bool tune_jobs_read(const char *path, uint64_t job, struct tune_row *row, struct error *err)
{
    struct timing_file f = {0};
    size_t bytes = 0, before = row->jobs.len;
    uint8_t *data = read_file(path, UINT64_C(1) << 40, &bytes, err);
    bool good = data && (timing_file_open(&f, data, bytes, err) ||
                         (error_prefix(err, "%.120s: ", path), false));

    if (good && job > f.jobs.len)
        good = error_set(err, "%.120s has no job %" PRIu64, path, job);
    for (size_t i = 0; good && i < f.jobs.len; i++) {
        struct timing_job it;

        if (job && i + 1 != job)
            continue;
        good = timing_file_job(&f, i, &it, err);
        if (good)
            vec_push(&row->jobs, it);
        else
            error_prefix(err, "%.120s: ", path);
    }
    if (good && row->jobs.len == before)
        good = error_set(err, "%.120s has no jobs", path);
    if (data)
        timing_file_release(&f);
    free(data);
    return good;
}

/* ---- fields ---------------------------------------------------------------------------------- */

static char *trim_spaces(char *text)
{
    size_t len;

    text += strspn(text, " \t");
    len = strlen(text);
    while (len && strchr(" \t\r", text[len - 1]))
        text[--len] = 0;
    return text;
}

/* Splits a line into fields and returns their number; 0: too many. */
static size_t split_line(char *line, char **fields)
{
    size_t n = 0;

    for (;;) {
        char *comma = strchr(line, ',');

        if (n == MAX_FIELDS)
            return 0;
        if (comma)
            *comma = 0;
        fields[n++] = trim_spaces(line);
        if (!comma)
            return n;
        line = comma + 1;
    }
}

/* Reads the first line, which names the field of each column. */
static bool read_head(char **names, size_t n, enum field *columns, bool *us, struct error *err)
{
    bool seen[FIELD_NONE] = {false};

    for (size_t i = 0; i < n; i++) {
        enum field f = FIELD_TRACE;

        while (f < FIELD_NONE && strcmp(names[i], field_names[f]) != 0)
            f++;
        if (f == FIELD_NONE)
            return error_set(err, "no field is called %.40s", names[i]);
        if (seen[f])
            return error_set(err, "two fields are called %.40s", names[i]);
        seen[f] = true;
        columns[i] = f;
    }
    if (!seen[FIELD_TRACE] || seen[FIELD_CYCLES] == seen[FIELD_US])
        return error_set(err, "the first line names the fields: trace, and one of cycles and us");
    *us = seen[FIELD_US];
    return true;
}

static bool read_time(struct tune_row *row, const char *text, struct error *err)
{
    char *end;

    row->measured = strtod(text, &end);
    return (end != text && !*end && isfinite(row->measured) && row->measured > 0) ||
           error_set(err, "a time is a number above 0, not %.40s", text);
}

static bool read_job(struct tune_row *row, const char *text, struct error *err)
{
    char *end;

    errno = 0;
    row->job = strtoull(text, &end, 10);
    return !*text || (text[0] >= '0' && text[0] <= '9' && !*end && !errno && row->job) ||
           error_set(err, "a job is a number from 1 on, not %.40s", text);
}

static bool read_set(struct tune_row *row, const char *text, struct error *err)
{
    row->set = !strcmp(text, "train") ? TUNE_TRAIN : !strcmp(text, "test") ? TUNE_TEST : TUNE_ANY;
    return !*text || row->set != TUNE_ANY ||
           error_set(err, "a set is train, test or nothing, not %.40s", text);
}

/* Reads the jobs of all files of the field `trace`, which have semicolons between them. */
static bool read_traces(struct tune_row *row, const char *folder, struct error *err)
{
    char *names = xstrdup(row->trace), *path = xcalloc(strlen(folder) + strlen(names) + 1, 1);
    bool good = true;

    for (char *name = names, *next; good && name; name = next) {
        next = strchr(name, ';');
        if (next)
            *next++ = 0;
        sprintf(path, "%s%s", *name == '/' ? "" : folder, name);
        good = *name ? tune_jobs_read(path, row->job, row, err)
                     : error_set(err, "a row without a trace");
    }
    free(path);
    free(names);
    return good;
}

static bool read_row(struct tune_row *row, const enum field *columns, char **fields, size_t n,
                     const char *folder, struct error *err)
{
    for (size_t i = 0; i < n; i++) {
        bool good = true;

        switch (columns[i]) {
        case FIELD_TRACE:
            row->trace = xstrdup(fields[i]);
            good = *fields[i] || error_set(err, "a row without a trace");
            break;
        case FIELD_NAME:
            row->name = *fields[i] ? xstrdup(fields[i]) : NULL;
            break;
        case FIELD_JOB:
            good = read_job(row, fields[i], err);
            break;
        case FIELD_SET:
            good = read_set(row, fields[i], err);
            break;
        default:
            good = read_time(row, fields[i], err);
        }
        if (!good)
            return false;
    }
    if (!row->name)
        row->name = xstrdup(row->trace);
    return read_traces(row, folder, err);
}

/* ---- the table ------------------------------------------------------------------------------- */

static bool read_lines(struct tune_table *t, char *text, const char *folder, unsigned *number,
                       struct error *err)
{
    enum field columns[MAX_FIELDS];
    size_t width = 0;

    for (char *next; text; text = next) {
        char *fields[MAX_FIELDS];
        size_t n;

        ++*number;
        next = strchr(text, '\n');
        if (next)
            *next++ = 0;
        text = trim_spaces(text);
        if (!*text || *text == '#')
            continue;
        n = split_line(text, fields);
        if (!n || (width && n != width))
            return error_set(err, "%zu fields, and the first line has %zu", n, width);
        if (!width) {
            width = n;
            if (!read_head(fields, n, columns, &t->microseconds, err))
                return false;
            continue;
        }
        vec_push(&t->rows, (struct tune_row){.line = *number});
        if (!read_row(&t->rows.data[t->rows.len - 1], columns, fields, n, folder, err))
            return false;
    }
    return t->rows.len || error_set(err, "there are no rows");
}

bool tune_table_read(struct tune_table *t, const char *path, struct error *err)
{
    const char *slash = strrchr(path, '/');
    size_t bytes = 0, len = slash ? (size_t)(slash - path) + 1 : 0;
    char *text = (char *)read_file(path, MAX_TABLE, &bytes, err), *folder;
    unsigned line = 0;
    bool good = false;

    *t = (struct tune_table){0};
    if (!text)
        return false;
    folder = xcalloc(len + 1, 1);
    memcpy(folder, path, len);
    good = strlen(text) == bytes || error_set(err, "not a text: it has a byte 0");
    good = good && read_lines(t, text, folder, &line, err);
    if (!good)
        error_prefix(err, "%.120s:%u: ", path, line);
    free(folder);
    free(text);
    return good;
}

void tune_table_release(struct tune_table *t)
{
    vec_for_each (&t->rows, row) {
        for (size_t i = 0; i < row->jobs.len; i++)
            timing_job_release(&row->jobs.data[i]);
        vec_free(&row->jobs);
        free(row->name);
        free(row->trace);
    }
    vec_free(&t->rows);
}

bool tune_row_predict(const struct tune_row *row, bool microseconds,
                      const struct timing_design *design, double *out, struct error *err)
{
    const struct timing_shape *shape = design->shape;
    uint64_t ticks = 0;

    for (size_t i = 0; i < row->jobs.len; i++) {
        struct timing_result r;

        if (row->jobs.data[i].warp_width != shape->warp_width)
            return error_set(err, "%.100s is of warps of %u lanes, and the GPU has warps of %u",
                             row->name, row->jobs.data[i].warp_width, shape->warp_width);
        if (!timing_run_lines(design, &row->jobs.data[i], &r, NULL, err))
            return false;
        ticks += r.ticks;
    }
    *out = (double)ticks / TIMING_TICKS;
    if (microseconds)
        *out /= shape->clock_mhz;
    return true;
}
