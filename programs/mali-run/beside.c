/* -timing-beside: predicts traces that run at the same time, each on its own cores. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "programs/mali-run/timing.h"
#include "runtime/base/alloc.h"
#include "runtime/gpu/variant.h"
#include "runtime/timing/beside.h"
#include "runtime/timing/file.h"

/* The jobs of one -timing-beside option. */
struct lane {
    VEC(struct timing_job) jobs;
    unsigned cores;
    char *files; /* file names as given in the option */
};

struct beside {
    struct lane lane[TIMING_LANES];
    size_t count;
    char gpu[32]; /* GPU of the first trace */
};

static bool read_trace(struct beside *b, struct lane *l, const char *path, uint64_t sample,
                       struct error *err)
{
    struct timing_file f = {0};
    uint8_t *data = NULL;
    bool good = run_timing_open(path, &f, &data, err);

    for (size_t i = 0; good && i < f.jobs.len; i++) {
        struct timing_job job;

        good = timing_file_job(&f, i, &job, err);
        if (good) {
            timing_job_sample(&job, sample);
            vec_push(&l->jobs, job);
        }
    }
    if (good && !*b->gpu)
        snprintf(b->gpu, sizeof(b->gpu), "%s", f.gpu);
    if (!good)
        error_prefix(err, "%.100s: ", path);
    timing_file_release(&f);
    free(data);
    return good;
}

/* Reads an option, which is CORES,FILE[,FILE…]. */
static bool read_lane(struct beside *b, const char *text, uint64_t sample, struct error *err)
{
    struct lane *l = &b->lane[b->count];
    char *rest, *path, *words = xstrdup(text);
    unsigned long cores = strtoul(words, &rest, 0);
    bool good = cores && cores < UINT16_MAX && *rest == ',';

    if (!good)
        error_set(err, "-timing-beside takes CORES,FILE[,FILE…], not %.80s", text);
    l->cores = (unsigned)cores;
    if (good)
        l->files = xstrdup(rest + 1);
    while (good && (path = strtok_r(rest, ",", &rest)))
        good = read_trace(b, l, path, sample, err);
    if (good && !l->jobs.len)
        good = error_set(err, "-timing-beside %.80s: there are no jobs", text);
    b->count++;
    free(words);
    return good;
}

static void print_lanes(const struct beside *b, const struct timing_lane *lanes)
{
    for (size_t i = 0; i < b->count; i++)
        printf("%s on %u cores: %.3f cycles per pass, %" PRIu64 " passes\n", b->lane[i].files,
               lanes[i].cores, (double)lanes[i].ticks / TIMING_TICKS / (double)lanes[i].passes,
               lanes[i].passes);
}

static bool write_json(const char *path, const struct beside *b, const struct timing_lane *lanes,
                       struct error *err)
{
    FILE *f = path ? fopen(path, "w") : NULL;

    if (!path)
        return true;
    if (!f)
        return error_set(err, "cannot write %.150s", path);
    for (size_t i = 0; i < b->count; i++)
        fprintf(f, "%s{\"cores\": %u, \"cycles\": %.3f, \"passes\": %" PRIu64 "}", i ? ",\n " : "[",
                lanes[i].cores, (double)lanes[i].ticks / TIMING_TICKS / (double)lanes[i].passes,
                lanes[i].passes);
    fputs("]\n", f);
    return !fclose(f) || error_set(err, "cannot write %.150s", path);
}

static bool predict_lanes(const struct run_timing_options *o, const char *gpu,
                          const struct beside *b, struct error *err)
{
    const struct gpu_variant *v = gpu_variant_by_name(gpu ? gpu : b->gpu);
    struct timing_lane lanes[TIMING_LANES] = {0};
    struct timing_params params;
    struct timing_shape shape;

    for (size_t i = 0; i < b->count; i++) {
        lanes[i].jobs = b->lane[i].jobs.data;
        lanes[i].count = b->lane[i].jobs.len;
        lanes[i].cores = b->lane[i].cores;
    }
    if (!v)
        return error_set(err, "there is no GPU called %.40s (-gpu help lists them)",
                         gpu ? gpu : b->gpu);
    if (!run_timing_numbers(o, v, &params, &shape, err) ||
        !timing_run_beside(&params, &shape, lanes, b->count, err))
        return false;
    print_lanes(b, lanes);
    return write_json(o->json, b, lanes, err);
}

bool run_timing_beside(const struct run_timing_options *o, const char *gpu, struct error *err)
{
    struct beside b = {0};
    bool good = o->beside.len <= TIMING_LANES ||
                error_set(err, "-timing-beside: more than %d", TIMING_LANES);

    for (size_t i = 0; good && i < o->beside.len; i++)
        good = read_lane(&b, o->beside.data[i], o->sample_read, err);
    good = good && predict_lanes(o, gpu, &b, err);
    for (size_t i = 0; i < b.count; i++) {
        for (size_t k = 0; k < b.lane[i].jobs.len; k++)
            timing_job_release(&b.lane[i].jobs.data[k]);
        vec_free(&b.lane[i].jobs);
        free(b.lane[i].files);
    }
    return good;
}
