/*
 * Traces for time models. The input is read as a file, and as the job of a file that is valid apart
 * from it. Jobs that pass the checks are run by the model, unchanged and with warps of 12 lanes.
 */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "runtime/timing/file.h"
#include "runtime/timing/file_format.h"
#include "runtime/timing/model.h"
#include "runtime/timing/reform.h"
#include "tests/fuzz/fuzz.h"

enum { MOST_BYTES = 1 << 16 };

/*
 * Forms warps of 12 lanes, and runs them with cache lines of 96 bytes, a small instruction cache,
 * and one warp per engine.
 */
static void run_other(const struct timing_job *job)
{
    const struct timing_shape shape = {2, 2, 64, 12, 100};
    struct timing_params params = timing_params_default();
    struct timing_job other;
    struct timing_result r;
    struct error err;

    params.line_bytes = 96;
    params.icache_bytes = 256;
    params.icache_miss_latency = 1000;
    params.engine_warps = 1;
    if (!timing_job_reform(job, shape.warp_width, &other, &err))
        return;
    if (!timing_job_check(&other, &err))
        abort();
    timing_run(&params, &shape, TIMING_REASSEMBLE, &other, &r, &err);
    timing_job_release(&other);
}

static void run_jobs(const uint8_t *data, size_t bytes)
{
    const struct timing_shape shape = {2, 2, 64, 4, 100};
    struct timing_params params = timing_params_default();
    struct timing_file f;
    struct error err;

    if (!timing_file_open(&f, data, bytes, &err))
        return;
    for (size_t i = 0; i < f.jobs.len && i < 16; i++) {
        struct timing_job job;
        struct timing_result r;

        if (!timing_file_job(&f, i, &job, &err))
            continue;
        timing_run(&params, &shape, TIMING_REASSEMBLE, &job, &r, &err);
        run_other(&job);
        timing_job_release(&job);
    }
    timing_file_release(&f);
}

static void put_word(uint8_t *at, uint64_t v)
{
    for (unsigned i = 0; i < 8; i++)
        at[i] = (uint8_t)(v >> 8 * i);
}

/* A file of one job, which is these bytes. */
static void run_as_job(const uint8_t *data, size_t size)
{
    size_t room = ZSTD_compressBound(size), packed;
    uint8_t *file = calloc(FILE_HEAD_BYTES + room + FILE_ENTRY_BYTES + FILE_TAIL_BYTES, 1), *at;

    memcpy(file, TIMING_FILE_MAGIC, 8);
    put_word(file + 8, TIMING_FILE_VERSION);
    packed = ZSTD_compress(file + FILE_HEAD_BYTES, room, data, size, 1);
    at = file + FILE_HEAD_BYTES + packed;
    put_word(at, FILE_HEAD_BYTES);
    put_word(at + 8, packed);
    put_word(at + 16, size);
    at += FILE_ENTRY_BYTES;
    put_word(at, FILE_HEAD_BYTES + packed);
    put_word(at + 8, 1);
    memcpy(at + 16, TIMING_FILE_END, 8);
    run_jobs(file, (size_t)(at + FILE_TAIL_BYTES - file));
    free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > MOST_BYTES)
        return 0;
    run_jobs(data, size);
    run_as_job(data, size);
    return 0;
}
