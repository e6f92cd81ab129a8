/*
 * Measures the speed of the time models on one thread: predicts each job of trace files REPEAT
 * times.
 *
 *     bench_timing REPEAT FILE…
 *
 * Prints one line per file and model: instructions of warps, seconds of the best run.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "runtime/timing/file.h"
#include "runtime/timing/model.h"

static double cpu_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* A G71 MP8 by the numbers of its description, in 38 stages for one model. */
static bool measure_model(const char *path, const struct timing_job *job,
                          enum timing_fidelity fidelity, int repeat)
{
    struct timing_params p = timing_params_default();
    struct timing_shape shape = {8, 3, 384, job->warp_width, 1000};
    struct timing_result r = {0};
    struct error err = {""};
    double best = 1e9;

    p.l1_miss_latency = 61 * TIMING_TICKS;
    p.l2_miss_latency = 123 * TIMING_TICKS;
    p.l2_bytes = 512 << 10;
    p.pipe_depth = 38 * TIMING_TICKS;
    for (int i = 0; i < repeat; i++) {
        double begin = cpu_seconds(), took;

        if (!timing_run(&p, &shape, fidelity, job, &r, &err)) {
            fprintf(stderr, "bench_timing: %s: %s\n", path, err.text);
            return false;
        }
        took = cpu_seconds() - begin;
        best = took < best ? took : best;
    }
    printf("%s %s %" PRIu64 " %.6f\n", path,
           fidelity == TIMING_DETAILED ? "detailed" : "reassemble", r.instructions, best);
    return true;
}

static bool read_file(const char *path, uint8_t **data, size_t *bytes)
{
    FILE *f = fopen(path, "rb");
    long size = -1;

    if (f && !fseek(f, 0, SEEK_END) && (size = ftell(f)) > 0 && !fseek(f, 0, SEEK_SET))
        *data = malloc((size_t)size);
    *bytes = size > 0 && *data ? fread(*data, 1, (size_t)size, f) : 0;
    if (f)
        fclose(f);
    return *bytes > 0;
}

static bool measure_file(const char *path, int repeat)
{
    struct timing_file file = {0};
    struct error err = {"it cannot be read"};
    uint8_t *data = NULL;
    size_t bytes;
    bool good = read_file(path, &data, &bytes) && timing_file_open(&file, data, bytes, &err);

    for (size_t i = 0; good && i < file.jobs.len; i++) {
        struct timing_job job;

        good = timing_file_job(&file, i, &job, &err);
        if (!good)
            break;
        good = measure_model(path, &job, TIMING_REASSEMBLE, repeat) &&
               measure_model(path, &job, TIMING_DETAILED, repeat);
        timing_job_release(&job);
    }
    if (!good)
        fprintf(stderr, "bench_timing: %s: %s\n", path, err.text);
    timing_file_release(&file);
    free(data);
    return good;
}

int main(int argc, char **argv)
{
    int repeat = argc > 1 ? atoi(argv[1]) : 0;

    if (argc < 3 || repeat < 1) {
        fputs("bench_timing REPEAT FILE...\n", stderr);
        return 2;
    }
    for (int i = 2; i < argc; i++)
        if (!measure_file(argv[i], repeat))
            return 1;
    return 0;
}
