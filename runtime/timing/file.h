/*
 * Traces in a file: each job compressed for itself, and an index of them at the end, so that one can be
 * taken out without reading the others. docs/understand/time-model.md has the format.
 */
#ifndef RUNTIME_TIMING_FILE_H
#define RUNTIME_TIMING_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/error.h"
#include "runtime/timing/trace.h"

struct timing_file_writer;

/* `gpu` is the name of the GPU that executes the jobs. NULL: *err says why the file cannot be made. */
struct timing_file_writer *timing_file_create(const char *path, const char *gpu, struct error *err);
/* false: *err says what went wrong; timing_file_close() says it again. */
bool timing_file_add(struct timing_file_writer *w, const struct timing_job *job, struct error *err);
/* Writes the index and ends the file. */
bool timing_file_close(struct timing_file_writer *w, struct error *err);

/* A job, as the index says. */
struct timing_file_entry {
    uint64_t offset, bytes, raw; /* in the file; uncompressed */
    uint64_t shader, group_total;
};

struct timing_file {
    const uint8_t *data; /* of the file */
    size_t bytes;
    char gpu[32];
    VEC(struct timing_file_entry) jobs;
};

/* The index of a file's content, which stays as long as *f. false: *err says what is wrong with it. */
bool timing_file_open(struct timing_file *f, const uint8_t *data, size_t bytes, struct error *err);
/* Job `number`; timing_job_release() when done. It has passed timing_job_check(). */
bool timing_file_job(const struct timing_file *f, size_t number, struct timing_job *job,
                     struct error *err);
void timing_file_release(struct timing_file *f);

#endif
