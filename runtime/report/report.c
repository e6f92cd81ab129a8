/*
 * Reports: jobs, the kernels to which they belong, and the files.
 *
 * Bounds      memory: MAX_JOBS jobs and MAX_KERNELS kernels, where the total counts all jobs; a
 *             source of MAX_SOURCE bytes
 */
#include "runtime/report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/gpu/timing_capture.h"
#include "runtime/report/internal.h"

enum {
    MAX_JOBS = 32768,
    MAX_KERNELS = 4096,
    MAX_SOURCE = 1 << 24,
    MAX_SAMPLE = 512, /* most traced work-groups of a job */
    /* see struct gpu_timing_thin */
    SAMPLE_SHARE = 160,
    SAMPLE_LEAST = 96,
    SAMPLE_TURNS = 4,
};

/* ---- options --------------------------------------------------------------------------------- */

/* Options of the programs on which a report does not depend, with the number of their values. */
static const struct {
    const char *name;
    unsigned values;
} unrelated[] = {
    {"report", 1},        {"threads", 1},      {"translate", 1},     {"gpu-threads", 1},
    {"gpu-translate", 1}, {"stats", 1},        {"trace", 1},         {"trace-timing", 1},
    {"timing-json", 1},   {"timing-lines", 0}, {"disasm", 0},        {"disasm-bytes", 0},
    {"dump-jobs", 0},     {"expect", 1},       {"report-source", 1}, {"shader-cache", 1},
};

/* The number of words that an unrelated option takes; 0: it is related. */
static unsigned unrelated_words(const char *word)
{
    const char *name = word + strspn(word, "-");
    size_t length = strcspn(name, "=");

    for (size_t i = 0; *word == '-' && i < ARRAY_SIZE(unrelated); i++)
        if (strlen(unrelated[i].name) == length && !strncmp(unrelated[i].name, name, length))
            return name[length] ? 1 : 1 + unrelated[i].values;
    return 0;
}

/* A copy of the word in which files have no folders, since these differ between hosts: of each
 * piece between commas and equals signs, what follows the last slash. Words with blanks are the
 * guest's. */
static char *without_folders(const char *word)
{
    char *out = xstrdup(word), *to = out;

    while (*word && !strchr(word, ' ')) {
        size_t piece = strcspn(word, ",=");
        const char *slash = memrchr(word, '/', piece);
        size_t skip = slash ? (size_t)(slash + 1 - word) : 0;

        memcpy(to, word + skip, piece - skip);
        to += piece - skip;
        word += piece;
        if (*word)
            *to++ = *word++;
        *to = 0;
    }
    return out;
}

/* Keeps the words that say what ran. */
static void take_words(struct report *r, char *const *words)
{
    while (words && *words) {
        unsigned skip = unrelated_words(*words);

        if (!skip)
            vec_push(&r->words, without_folders(*words++));
        for (; skip && *words; skip--)
            words++;
    }
}

static bool read_source(struct report *r, const char *path, struct error *err)
{
    FILE *f = fopen(path, "rb");
    const char *slash = strrchr(path, '/');
    struct report_source s = {.text = xcalloc(1, MAX_SOURCE + 1)};
    size_t bytes = f ? fread(s.text, 1, MAX_SOURCE + 1, f) : 0;

    if (f)
        fclose(f);
    s.text = xrealloc(s.text, bytes + 1, 1);
    s.text[bytes] = 0;
    s.name = xstrdup(slash ? slash + 1 : path);
    vec_push(&r->sources, s);
    if (!f)
        return error_set(err, "cannot read %.150s: %s", path, strerror(errno));
    return bytes <= MAX_SOURCE || error_set(err, "%.150s is larger than 16 MB", path);
}

/* Makes the folders above; whether they are there is seen when the last one is made. */
static void make_parents(const char *folder)
{
    char *path = xstrdup(folder);

    for (char *at = path; (at = strchr(at + 1, '/')) != NULL;) {
        *at = 0;
        mkdir(path, 0777);
        *at = '/';
    }
    free(path);
}

static bool make_folder(const char *folder, struct error *err)
{
    struct stat st;

    if (*folder)
        make_parents(folder);
    if (mkdir(folder, 0777) && errno != EEXIST)
        return error_set(err, "-report %.150s: %s", folder, strerror(errno));
    return (!stat(folder, &st) && S_ISDIR(st.st_mode)) ||
           error_set(err, "-report %.150s: it is no folder", folder);
}

/* Whether a report can be made with the model's parameters. Lines must have a power of two bytes,
 * since bits of addresses select them, and warps the width that the GPU executes. */
static bool check_numbers(const struct report *r, struct error *err)
{
    if (r->params.line_bytes & (r->params.line_bytes - 1))
        return error_set(err, "-report needs lines whose size is a power of two");
    if (r->shape.warp_width != r->variant->warp_width)
        return error_set(err, "-report has warps of %u lanes, as %s", r->variant->warp_width,
                         r->variant->title);
    return timing_model_check(&r->params, &r->shape, r->options.fidelity, err);
}

static bool read_options(struct report *r, struct error *err)
{
    const struct report_options *o = &r->options;

    take_words(r, o->words);
    for (char *const *s = o->settings; s && *s; s++)
        if (!strstr(*s, "help") && !timing_params_set(&r->params, &r->shape, *s, err))
            return false;
    for (char *const *s = o->sources; s && *s; s++)
        if (!read_source(r, *s, err))
            return false;
    return check_numbers(r, err) && make_folder(o->folder, err);
}

struct report *report_new(const struct report_options *o, const struct gpu_variant *v,
                          const struct gpu_isa *isa, struct error *err)
{
    struct report *r = xcalloc(1, sizeof(*r));

    r->options = *o;
    r->default_name = o->name ? xstrdup(o->name) : NULL;
    r->variant = v;
    r->isa = isa;
    r->params = v->timing;
    r->shape =
        (struct timing_shape){v->cores, v->engines, v->max_threads, v->warp_width, v->clock_mhz};
    if (read_options(r, err))
        return r;
    report_free(r);
    return NULL;
}

/* ---- jobs ------------------------------------------------------------------------------------ */

static void open_free(struct report_open *o)
{
    report_accesses_free(o->accesses);
    free(o->lines);
    free(o->bundles);
    free(o);
}

/* The open job with that header; the number of open jobs: there is none. */
static size_t find_open(const struct report *r, uint64_t header)
{
    size_t i = 0;

    while (i < r->open.len && r->open.data[i]->header != header)
        i++;
    return i;
}

static void begin_job(void *opaque, const struct gpu_compute_job *job,
                      const struct gpu_address_space *as)
{
    struct report *r = opaque;
    struct report_open *o = xcalloc(1, sizeof(*o));

    o->header = job->header;
    o->begin_ns = r->now ? r->now(r->now_opaque) : 0;
    report_pointers_find(o, job, as);
    vec_push(&r->open, o);
}

static void trace_job(void *opaque, const struct timing_job *job)
{
    struct report *r = opaque;
    size_t i = find_open(r, job->header);

    if (i < r->open.len && !r->open.data[i]->timed)
        report_time_job(r, r->open.data[i], job);
}

/* The number of the kernel with that code; the number of kernels: there are too many. */
static size_t find_kernel(struct report *r, uint64_t hash)
{
    size_t i = r->last_kernel;

    if (i < r->kernels.len && r->kernels.data[i]->hash == hash)
        return i;
    for (i = 0; i < r->kernels.len; i++)
        if (r->kernels.data[i]->hash == hash)
            break;
    if (i == r->kernels.len && i < MAX_KERNELS) {
        struct report_kernel *k = xcalloc(1, sizeof(*k));

        k->hash = hash;
        vec_push(&r->kernels, k);
    }
    r->last_kernel = i;
    return i;
}

static void name_kernel(struct report *r, struct report_kernel *k, const struct gpu_account *a)
{
    const char *name = r->name ? r->name(r->name_opaque, a) : NULL;

    name = name ? name : r->default_name;
    if (name && !k->name)
        k->name = xstrdup(name);
}

static void keep_job(struct report *r, unsigned kernel, const struct report_open *o,
                     const struct gpu_account *a)
{
    struct report_job j = {.kernel = kernel,
                           .header = a->job->header,
                           .counters = *a->counters,
                           .timed = o->timed,
                           .clocked = r->now,
                           .ticks = o->result.ticks,
                           .begin_ns = o->begin_ns,
                           .end_ns = r->now ? r->now(r->now_opaque) : 0};

    memcpy(j.groups, a->job->groups, sizeof(j.groups));
    memcpy(j.size, a->job->size, sizeof(j.size));
    if (r->jobs.len < MAX_JOBS)
        vec_push(&r->jobs, j);
}

static void add_job(struct report *r, const struct report_open *o, const struct gpu_account *a)
{
    size_t n = find_kernel(r, a->summary->hash);
    struct report_kernel *k;

    if (n == r->kernels.len)
        return;
    k = r->kernels.data[n];
    if (!k->sum.jobs)
        k->pointer_count = o->pointer_count;
    report_kernel_add(k, a);
    name_kernel(r, k, a);
    report_found_search(r, k, a);
    keep_job(r, (unsigned)n, o, a);
    if (!o->timed)
        return;
    report_time_add(k, o);
    k->time.energy += report_energy(r, &o->result, a);
    report_accesses_add(k, o->accesses);
    r->sampled |= o->groups_for_one > 1;
}

static void end_job(void *opaque, const struct gpu_account *a)
{
    struct report *r = opaque;
    size_t i = find_open(r, a->job->header);

#define ADD(field, name) r->total.field += a->counters->field;
    GPU_COUNTERS(ADD)
#undef ADD
    if (i == r->open.len)
        return;
    add_job(r, r->open.data[i], a);
    open_free(r->open.data[i]);
    r->open.data[i] = r->open.data[--r->open.len];
}

void report_attach(struct report *r, struct gpu_cores *c)
{
    uint64_t sample = r->options.sample;

    gpu_cores_describe_shaders(c);
    r->draws = report_draws_new(r->options.folder, c);
    gpu_cores_account(c,
                      &(struct gpu_account_sink){.begin = begin_job, .end = end_job, .opaque = r});
    if (c->timing) {
        gpu_cores_timing_also(c, trace_job, r);
        return;
    }
    gpu_cores_timing(c, sample ? sample : MAX_SAMPLE, trace_job, r);
    if (!sample)
        gpu_cores_timing_thin(c, &(struct gpu_timing_thin){.share = SAMPLE_SHARE,
                                                           .least_share = SAMPLE_LEAST,
                                                           .turns = SAMPLE_TURNS,
                                                           .bundles = REPORT_LEAST_BUNDLES});
}

void report_set_clock(struct report *r, uint64_t (*now)(void *opaque), void *opaque)
{
    r->now = now;
    r->now_opaque = opaque;
}

void report_set_names(struct report *r,
                      const char *(*name)(void *opaque, const struct gpu_account *job),
                      void *opaque)
{
    r->name = name;
    r->name_opaque = opaque;
}

void report_set_texts(struct report *r, report_find_texts *find, void *opaque)
{
    r->find_texts = find;
    r->find_opaque = opaque;
}

void report_set_system(struct report *r, struct json_t *system)
{
    json_decref(r->system);
    r->system = system;
}

void report_free(struct report *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->kernels.len; i++) {
        report_kernel_release(r->kernels.data[i]);
        free(r->kernels.data[i]);
    }
    for (size_t i = 0; i < r->sources.len; i++) {
        free(r->sources.data[i].name);
        free(r->sources.data[i].text);
    }
    for (size_t i = 0; i < r->texts.len; i++)
        free(r->texts.data[i]);
    for (size_t i = 0; i < r->words.len; i++)
        free(r->words.data[i]);
    for (size_t i = 0; i < r->open.len; i++)
        open_free(r->open.data[i]);
    vec_free(&r->kernels);
    vec_free(&r->sources);
    vec_free(&r->texts);
    vec_free(&r->words);
    vec_free(&r->open);
    vec_free(&r->jobs);
    json_decref(r->system);
    report_draws_free(r->draws);
    free(r->default_name);
    free(r);
}

/* ---- the files ------------------------------------------------------------------------------- */

/* The only source belongs to all kernels; of several ones, that which has the kernel's name. */
static void give_source(const struct report *r, struct report_kernel *k)
{
    for (size_t i = 0; i < r->sources.len; i++) {
        const struct report_source *s = &r->sources.data[i];

        if (k->name ? !report_source_has(s->text, k->name) : r->sources.len > 1)
            continue;
        k->source = s->text;
        k->source_name = s->name;
        return;
    }
}

static bool write_file(const struct report *r, const char *name,
                       bool (*write)(const struct report *r, FILE *out), struct error *err)
{
    char path[4096];
    FILE *out = NULL;
    bool good = snprintf(path, sizeof(path), "%s/%s", r->options.folder, name) < (int)sizeof(path);

    if (good)
        out = fopen(path, "w");
    good = out && write(r, out);
    good = out && !fclose(out) && good;
    return good || error_set(err, "cannot write %.150s/%s", r->options.folder, name);
}

bool report_write(struct report *r, struct error *err)
{
    report_number_kernels(r);
    for (size_t i = 0; i < r->kernels.len; i++) {
        struct report_kernel *k = r->kernels.data[i];

        report_flow_make(k);
        report_paths_make(k, r->variant);
        give_source(r, k);
        report_found_choose(r, k);
        report_parameters_make(k);
    }
    return write_file(r, "report.json", report_write_json, err) &&
           write_file(r, "kernels.csv", report_write_kernels, err) &&
           write_file(r, "bundles.csv", report_write_bundles, err) &&
           write_file(r, "jobs.csv", report_write_jobs, err) &&
           write_file(r, "draws.csv", report_write_draws, err) &&
           write_file(r, "frames.csv", report_write_frames, err) &&
           report_draws_good(r->draws, err);
}
