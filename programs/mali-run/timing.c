/* Predicts times of jobs, from the cores' traces or from a file. */
#include "programs/mali-run/timing.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/gpu/timing_capture.h"
#include "runtime/gpu/variant.h"
#include "runtime/timing/file.h"
#include "runtime/timing/reform.h"

struct run_timing {
    const struct run_timing_options *options;
    const struct gpu_variant *variant;
    struct timing_params params;
    struct timing_shape shape;
    struct run_power power;
    struct timing_file_writer *writer;
    FILE *out, *json;
    const struct gpu_isa *isa; /* ISA of the code; NULL: the code is not available */
    const struct gpu_address_space *as;
    uint64_t jobs;
    struct error err; /* first error of a job */
};

/* ---- parameters ------------------------------------------------------------------------------ */

bool run_timing_numbers(const struct run_timing_options *o, const struct gpu_variant *v,
                        struct timing_params *params, struct timing_shape *shape, struct error *err)
{
    *params = v->timing;
    *shape =
        (struct timing_shape){v->cores, v->engines, v->max_threads, v->warp_width, v->clock_mhz};
    for (size_t i = 0; i < o->settings.len; i++) {
        const char *text = o->settings.data[i];

        if (!strcmp(text, "NAME=help") || !strcmp(text, "help"))
            timing_params_print(params, shape, &v->timing_source, stdout);
        else if (!timing_params_set(params, shape, text, err))
            return false;
    }
    if (o->clock.mhz) {
        timing_params_set_clock(params, v->clock_mhz, o->clock.mhz);
        shape->clock_mhz = o->clock.mhz;
    }
    return timing_params_check(params, shape, err);
}

/* ---- jobs ------------------------------------------------------------------------------------ */

static void print_power(struct run_timing *t, const struct timing_job *job,
                        const struct timing_result *r)
{
    struct power_energy e =
        run_power_job(&t->power, &t->params, &t->shape, t->options->fidelity, job);

    run_power_print(&t->power, &e, r, &t->shape, t->out);
}

static bool predict_as_is(struct run_timing *t, const struct timing_job *job, struct error *err)
{
    struct timing_result r;
    struct timing_line *lines;
    const char *model = t->options->fidelity == TIMING_DETAILED ? "detailed" : "reassemble";
    bool wanted = t->options->lines || t->json, good;

    lines = wanted ? xcalloc(job->bundles.len + 1, sizeof(*lines)) : NULL;
    good = timing_run_lines(&(struct timing_design){&t->params, &t->shape, t->options->fidelity},
                            job, &r, lines, err);
    if (good) {
        fprintf(t->out,
                "job %" PRIu64 ", shader 0x%" PRIx64 ", %" PRIu64 " work-groups of %u: %s, %s\n",
                t->jobs, job->shader, job->group_total, job->group_threads, t->variant->title,
                model);
        timing_result_print(&r, &t->shape, t->out);
    }
    if (good && t->options->power)
        print_power(t, job, &r);
    if (good && t->options->lines)
        run_timing_print_lines(job, lines, t->isa, t->as, t->out);
    if (good && t->json)
        run_timing_json(t->json, t->jobs == 1, job,
                        &(struct run_account){&r, lines, t->variant->name, model, t->shape.cores});
    free(lines);
    return good;
}

/* Predicts a job in warps of the GPU's width. */
static bool predict_job(struct run_timing *t, const struct timing_job *job, struct error *err)
{
    struct timing_job other;
    bool good;

    if (job->warp_width == t->shape.warp_width)
        return predict_as_is(t, job, err);
    if (!timing_job_reform(job, t->shape.warp_width, &other, err))
        return false;
    good = predict_as_is(t, &other, err);
    timing_job_release(&other);
    return good;
}

static void take_job(void *opaque, const struct timing_job *job)
{
    struct run_timing *t = opaque;

    t->jobs++;
    if (t->err.text[0])
        return;
    if (!t->writer || timing_file_add(t->writer, job, &t->err))
        if (t->options->wanted)
            predict_job(t, job, &t->err);
}

struct run_timing *run_timing_new(const struct run_timing_options *o, const struct gpu_variant *v,
                                  FILE *out, struct error *err)
{
    struct run_timing *t = xcalloc(1, sizeof(*t));

    t->options = o;
    t->variant = v;
    t->out = out;
    if (o->json && !(t->json = fopen(o->json, "w")))
        error_set(err, "cannot write %.150s: %s", o->json, strerror(errno));
    else if (t->json)
        fputc('[', t->json);
    if ((t->json || !o->json) && run_timing_numbers(o, v, &t->params, &t->shape, err) &&
        run_power_resolve(&t->power, o, v, &t->shape, err) &&
        (!o->write || (t->writer = timing_file_create(o->write, v->name, err))))
        return t;
    run_timing_free(t);
    return NULL;
}

void run_timing_attach(struct run_timing *t, struct gpu_cores *c)
{
    gpu_cores_timing(c, t->options->sample, take_job, t);
}

void run_timing_code(struct run_timing *t, const struct gpu_isa *isa,
                     const struct gpu_address_space *as)
{
    t->isa = isa;
    t->as = as;
}

bool run_timing_finish(struct run_timing *t, struct error *err)
{
    struct timing_file_writer *w = t->writer;
    struct error late = {""};

    t->writer = NULL;
    if (w && !timing_file_close(w, &late) && !t->err.text[0])
        t->err = late;
    *err = t->err;
    return !t->err.text[0];
}

void run_timing_free(struct run_timing *t)
{
    if (t && t->writer)
        timing_file_close(t->writer, NULL);
    if (t && t->json) {
        fputs("\n]\n", t->json);
        fclose(t->json);
    }
    free(t);
}

/* ---- from a file ----------------------------------------------------------------------------- */

bool run_timing_check(bool other, const struct run_timing_options *o, struct error *err)
{
    if (o->read && o->beside.len)
        return error_set(err, "-timing-from and -timing-beside are two ways to name traces");
    if (other || o->write)
        return error_set(err, "%s takes the place of a snapshot or a kernel",
                         o->read ? "-timing-from" : "-timing-beside");
    if (o->beside.len && (!o->wanted || o->fidelity != TIMING_DETAILED))
        return error_set(err, "-timing-beside needs -timing detailed");
    return o->wanted || error_set(err, "-timing-from needs -timing MODEL");
}

static bool read_whole(const char *path, uint8_t **data, size_t *bytes, struct error *err)
{
    FILE *f = fopen(path, "rb");
    uint8_t part[1 << 14], *all = NULL;
    size_t n, len = 0, cap = 0;
    bool good = f;

    errno = f ? 0 : errno;
    while (f && (n = fread(part, 1, sizeof(part), f)) > 0) {
        if (cap < len + n) {
            cap = 2 * cap + sizeof(part);
            all = xrealloc(all, cap, 1);
        }
        memcpy(all + len, part, n);
        len += n;
    }
    good = good && !ferror(f);
    if (!good)
        error_set(err, "cannot read %.150s: %s", path, strerror(errno));
    if (f)
        fclose(f);
    *data = all;
    *bytes = len;
    return good;
}

bool run_timing_open(const char *path, struct timing_file *f, uint8_t **data, struct error *err)
{
    size_t bytes;

    if (read_whole(path, data, &bytes, err) && timing_file_open(f, *data, bytes, err))
        return true;
    timing_file_release(f);
    free(*data);
    *f = (struct timing_file){0};
    *data = NULL;
    return false;
}

static bool replay_jobs(struct run_timing *t, const struct timing_file *f, struct error *err)
{
    for (size_t i = 0; i < f->jobs.len; i++) {
        struct timing_job job;
        bool good = timing_file_job(f, i, &job, err);

        if (!good)
            return false;
        timing_job_sample(&job, t->options->sample_read);
        t->jobs++;
        good = predict_job(t, &job, err);
        timing_job_release(&job);
        if (!good)
            return false;
    }
    return true;
}

/* Whether the traced GPU, if it is known here, has the instruction set of `v`. */
static bool is_of_isa(const struct timing_file *f, const struct gpu_variant *v, struct error *err)
{
    const struct gpu_variant *traced = gpu_variant_by_name(f->gpu);

    return !traced || !strcmp(traced->isa, v->isa) ||
           error_set(err, "the trace is of %s, whose instructions %s does not have", traced->title,
                     v->title);
}

bool run_timing_replay(const struct run_timing_options *o, const char *gpu, struct error *err)
{
    struct timing_file f = {0};
    const struct gpu_variant *v;
    struct run_timing *t = NULL;
    uint8_t *data = NULL;
    bool good = run_timing_open(o->read, &f, &data, err);

    if (good) {
        v = gpu_variant_by_name(gpu ? gpu : f.gpu);
        good = v || error_set(err, "there is no GPU called %.40s (-gpu help lists them)",
                              gpu ? gpu : f.gpu);
        v = v && is_of_isa(&f, v, err) ? v : NULL;
        t = v ? run_timing_new(o, v, stdout, err) : NULL;
        good = t && replay_jobs(t, &f, err);
    }
    if (!good)
        error_prefix(err, "%.100s: ", o->read);
    run_timing_free(t);
    timing_file_release(&f);
    free(data);
    return good;
}
