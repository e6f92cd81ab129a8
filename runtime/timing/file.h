/*
 * Files of traces. Each job is compressed separately, and an index is at the end, so that a job can
 * be read without the others. docs/understand/time-model.md describes the format.
 */
#ifndef RUNTIME_TIMING_FILE_H
#define RUNTIME_TIMING_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/error.h"
#include "runtime/timing/trace.h"

struct timing_file_writer;

/* Makes a file. `gpu` is the name of the GPU that executes the jobs. NULL: *err has the reason. */
struct timing_file_writer *timing_file_create(const char *path, const char *gpu, struct error *err);
/* Adds a job. false: *err has the reason; timing_file_close() returns it again. */
bool timing_file_add(struct timing_file_writer *w, const struct timing_job *job, struct error *err);
/* Writes the index and ends the file. */
bool timing_file_close(struct timing_file_writer *w, struct error *err);

/* A job in the index. */
struct timing_file_entry {
    uint64_t offset, bytes, raw; /* place in the file; size there; uncompressed size */
    uint64_t shader, group_total;
};

struct timing_file {
    const uint8_t *data; /* content of the file */
    size_t bytes;
    char gpu[32];
    VEC(struct timing_file_entry) jobs;
};

/* Reads the index of a file's content, which must stay valid as long as *f. false: *err has the
 * error. */
bool timing_file_open(struct timing_file *f, const uint8_t *data, size_t bytes, struct error *err);
/* Reads job `number` and checks it by timing_job_check(). The caller releases it with
 * timing_job_release(). */
bool timing_file_job(const struct timing_file *f, size_t number, struct timing_job *job,
                     struct error *err);
void timing_file_release(struct timing_file *f);

#endif
