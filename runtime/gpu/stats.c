/*
 * Sums of what the shader cores executed, and the reports.
 *
 * Bounds      memory: MAX_JOBS jobs, MAX_SHADERS shaders; the total counts all
 */
#include "runtime/gpu/stats.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/base/alloc.h"
#include "common/vec.h"
#include "runtime/gpu/mix.h"
#include "runtime/obs/stats.h"

enum {
    MAX_JOBS = 32768,   /* jobs that a report lists individually */
    MAX_SHADERS = 4096, /* shaders with sums of their own */
};

struct job_record {
    uint64_t header, shader;
    struct gpu_counters counters;
};

struct shader_record {
    uint64_t address;
    struct gpu_shader_summary summary;
    unsigned architecture;
    struct gpu_counters sum; /* sum of its jobs */
};

struct gpu_stats {
    struct gpu_counters total;
    VEC(struct job_record) jobs;
    VEC(struct shader_record) shaders;
    size_t last_shader; /* shader of the latest job */
    const struct gpu_mix *mix;
};

struct gpu_stats *gpu_stats_new(void)
{
    return xcalloc(1, sizeof(struct gpu_stats));
}

void gpu_stats_free(struct gpu_stats *s)
{
    if (!s)
        return;
    vec_free(&s->jobs);
    vec_free(&s->shaders);
    free(s);
}

void gpu_stats_mix(struct gpu_stats *s, const struct gpu_mix *mix)
{
    s->mix = mix;
}

void gpu_stats_set_total(struct gpu_stats *s, const struct gpu_counters *total)
{
    s->total = *total;
}

const struct gpu_counters *gpu_stats_total(const struct gpu_stats *s)
{
    return &s->total;
}

void gpu_counters_add_bundle(struct gpu_counters *c, const struct gpu_profile *p,
                             const struct gpu_bundle_count *n)
{
    uint64_t all = 0;

    c->bundles += n->warps;
    c->stages += n->warps * p->stages;
    c->bundle_size[p->stages < GPU_COUNTED_STAGES ? p->stages : GPU_COUNTED_STAGES] += n->warps;
    for (unsigned i = 0; i < GPU_FORM_CLASSES; i++) {
        c->instructions[i] += n->lanes * p->instructions[i];
        if (i != GPU_CLASS_NOP)
            all += p->instructions[i];
    }
    c->lane_instructions += n->lanes * all;
    c->temporary_writes += n->lanes * all;
    c->register_reads += n->lanes * p->register_reads;
    c->register_writes += n->lanes * p->register_writes;
    c->temporary_reads += n->lanes * p->temporary_reads;
    c->constant_reads += n->lanes * p->constant_reads;
    c->uniform_reads += n->lanes * p->uniform_reads;
    c->special_reads += n->lanes * p->special_reads;
}

void gpu_counters_add(struct gpu_counters *to, const struct gpu_counters *from)
{
#define ADD(field, name) to->field += from->field;
    GPU_COUNTERS(ADD)
#undef ADD
}

/* Compares the summary as well, since another shader may have been at the same address. */
static bool same_shader(const struct shader_record *r, uint64_t address,
                        const struct gpu_shader_summary *summary)
{
    return r->address == address && !memcmp(&r->summary, summary, sizeof(*summary));
}

/* The record of a shader, made at its first job; NULL: MAX_SHADERS exist. */
static struct shader_record *find_shader(struct gpu_stats *s, uint64_t address,
                                         const struct gpu_shader_summary *summary,
                                         unsigned architecture)
{
    size_t i = s->last_shader;

    if (i >= s->shaders.len || !same_shader(&s->shaders.data[i], address, summary))
        for (i = 0; i < s->shaders.len; i++)
            if (same_shader(&s->shaders.data[i], address, summary))
                break;
    if (i == MAX_SHADERS)
        return NULL;
    if (i == s->shaders.len) {
        struct shader_record record;

        memset(&record, 0, sizeof(record)); /* records are compared as bytes */
        record.address = address;
        record.summary = *summary;
        record.architecture = architecture;
        vec_push(&s->shaders, record);
    }
    s->last_shader = i;
    return &s->shaders.data[i];
}

void gpu_stats_job(struct gpu_stats *s, const struct gpu_counters *job, uint64_t header,
                   uint64_t shader, const struct gpu_shader_summary *summary, unsigned architecture)
{
    struct shader_record *record = find_shader(s, shader, summary, architecture);

    gpu_counters_add(&s->total, job);
    if (record)
        gpu_counters_add(&record->sum, job);
    if (s->jobs.len < MAX_JOBS)
        vec_push(&s->jobs, (struct job_record){header, shader, *job});
}

void gpu_stats_register(const struct gpu_stats *s, struct stats *stats, const char *group)
{
#define REGISTER(field, name) stats_add(stats, group, name, &s->total.field);
    GPU_COUNTERS(REGISTER)
#undef REGISTER
}

/* ---- reports --------------------------------------------------------------------------------- */

static double larger_of(double a, double b)
{
    return a > b ? a : b;
}

void gpu_shader_line(const struct gpu_shader_summary *s, unsigned architecture, char *text)
{
    /* Per cycle of a core: 24 arithmetic stages, 2 texture messages, one load or store. */
    double arithmetic = s->arithmetic / 24.0, texture = s->texture / 2.0;
    double load_store = s->load_store;
    double bound = larger_of(arithmetic, larger_of(texture, load_store));
    unsigned threads = architecture == 7 && s->registers <= 32 ? 2 : 1;

    snprintf(text, GPU_SHADER_LINE,
             "%u inst, %u %ss, %u %ss, %f cycles, %f arith, %f texture, %f vary, %f ldst, "
             "%u quadwords, %u threads, %u loops",
             s->instructions, s->stages, s->stage_name, s->bundles, s->bundle_name, bound,
             arithmetic, texture, 0.0, load_store, s->grains, threads, s->loops);
}

static void print_shader(const struct gpu_shader_summary *s, unsigned architecture, FILE *out)
{
    char line[GPU_SHADER_LINE];

    gpu_shader_line(s, architecture, line);
    fprintf(out, "        %s\n", line);
}

static json_t *counters_json(const struct gpu_counters *c)
{
    json_t *object = json_object();

#define PUT(field, name) json_object_set_new(object, name, json_integer((json_int_t)c->field));
    GPU_COUNTERS(PUT)
#undef PUT
    return object;
}

static void counters_text(const struct gpu_counters *c, FILE *out)
{
#define PRINT(field, name) fprintf(out, "    %-24s %llu\n", name, (unsigned long long)c->field);
    GPU_COUNTERS(PRINT)
#undef PRINT
}

static void set_address(json_t *object, const char *name, uint64_t address)
{
    char text[24];

    snprintf(text, sizeof(text), "0x%llx", (unsigned long long)address);
    json_object_set_new(object, name, json_string(text));
}

static int by_cycles(const void *a, const void *b)
{
    const struct shader_record *const *x = a, *const *y = b;

    if ((*x)->sum.cycles != (*y)->sum.cycles)
        return (*x)->sum.cycles < (*y)->sum.cycles ? 1 : -1;
    return *x < *y ? -1 : 1; /* the shader that ran first */
}

/* The shaders by decreasing cycles; the caller frees the array. */
static const struct shader_record **sorted_shaders(const struct gpu_stats *s)
{
    const struct shader_record **list = xcalloc(s->shaders.len + 1, sizeof(*list));

    for (size_t i = 0; i < s->shaders.len; i++)
        list[i] = &s->shaders.data[i];
    qsort(list, s->shaders.len, sizeof(*list), by_cycles);
    return list;
}

static json_t *shader_json(const struct shader_record *r)
{
    const struct gpu_shader_summary *s = &r->summary;
    json_t *object = counters_json(&r->sum);

    set_address(object, "shader", r->address);
    if (s->known)
        json_object_set_new(object, "code",
                            json_pack("{si si si si si si}", "instructions", (int)s->instructions,
                                      "stages", (int)s->stages, "bundles", (int)s->bundles,
                                      "grains", (int)s->grains, "registers", (int)s->registers,
                                      "loops", (int)s->loops));
    return object;
}

static bool write_shaders_json(const struct gpu_stats *s, FILE *out)
{
    const struct shader_record **list = sorted_shaders(s);
    json_t *root = json_object(), *shaders = json_array();
    bool good;

    for (size_t i = 0; i < s->shaders.len; i++)
        json_array_append_new(shaders, shader_json(list[i]));
    json_object_set_new(root, "total", counters_json(&s->total));
    json_object_set_new(root, "shaders", shaders);
    good = !json_dumpf(root, out, JSON_INDENT(2)) && fputc('\n', out) != EOF;
    json_decref(root);
    free(list);
    return good;
}

static bool write_shaders_text(const struct gpu_stats *s, FILE *out)
{
    const struct shader_record **list = sorted_shaders(s);

    fprintf(out, "shaders\n");
    for (size_t i = 0; i < s->shaders.len; i++) {
        const struct shader_record *r = list[i];

        fprintf(out, "    0x%llx: %llu jobs, %llu cycles (%.1f %%)\n",
                (unsigned long long)r->address, (unsigned long long)r->sum.jobs,
                (unsigned long long)r->sum.cycles,
                100.0 * (double)r->sum.cycles / (double)(s->total.cycles ? s->total.cycles : 1));
        if (r->summary.known)
            print_shader(&r->summary, r->architecture, out);
    }
    fprintf(out, "total\n");
    counters_text(&s->total, out);
    for (size_t i = 0; i < s->shaders.len; i++) {
        fprintf(out, "shader 0x%llx\n", (unsigned long long)list[i]->address);
        counters_text(&list[i]->sum, out);
    }
    free(list);
    return !ferror(out);
}

/* Writes one line per job. */
static bool write_jobs_json(const struct gpu_stats *s, FILE *out)
{
    fprintf(out, "{\"executed\": %llu, \"jobs\": [", (unsigned long long)s->total.jobs);
    for (size_t i = 0; i < s->jobs.len; i++) {
        json_t *job = counters_json(&s->jobs.data[i].counters);

        set_address(job, "header", s->jobs.data[i].header);
        set_address(job, "shader", s->jobs.data[i].shader);
        fputs(i ? ",\n" : "\n", out);
        json_dumpf(job, out, JSON_COMPACT);
        json_decref(job);
    }
    fputs("\n]}\n", out);
    return !ferror(out);
}

/* Writes a table with columns separated by tabs. */
static bool write_jobs_text(const struct gpu_stats *s, FILE *out)
{
    fputs("header\tshader", out);
#define NAME(field, name) fputs("\t" name, out);
    GPU_COUNTERS(NAME)
#undef NAME
    for (size_t i = 0; i < s->jobs.len; i++) {
        const struct job_record *j = &s->jobs.data[i];

        fprintf(out, "\n0x%llx\t0x%llx", (unsigned long long)j->header,
                (unsigned long long)j->shader);
#define VALUE(field, name) fprintf(out, "\t%llu", (unsigned long long)j->counters.field);
        GPU_COUNTERS(VALUE)
#undef VALUE
    }
    fputc('\n', out);
    return !ferror(out);
}

static bool write_mix_json(const struct gpu_stats *s, FILE *out)
{
    return gpu_mix_write_json(s->mix, out);
}

static bool write_mix_text(const struct gpu_stats *s, FILE *out)
{
    return gpu_mix_write_text(s->mix, out);
}

static bool write_file(const struct gpu_stats *s, const char *dir, const char *name,
                       bool (*write)(const struct gpu_stats *s, FILE *out), struct error *err)
{
    char path[4096];
    FILE *out;
    bool good;

    if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
        return error_set(err, "the name of the statistics folder is too long");
    out = fopen(path, "w");
    if (!out)
        return error_set(err, "cannot write %.200s", path);
    good = write(s, out);
    good = !fclose(out) && good;
    return good || error_set(err, "cannot write %.200s", path);
}

bool gpu_stats_write(const struct gpu_stats *s, const char *dir, struct error *err)
{
    /* an existing folder is not an error; others are reported when files are written */
    mkdir(dir, 0777);
    if (s->mix && (!write_file(s, dir, "gpu_instructions.json", write_mix_json, err) ||
                   !write_file(s, dir, "gpu_instructions.txt", write_mix_text, err)))
        return false;
    return write_file(s, dir, "gpu_shaders.json", write_shaders_json, err) &&
           write_file(s, dir, "gpu_shaders.txt", write_shaders_text, err) &&
           write_file(s, dir, "gpu_jobs.json", write_jobs_json, err) &&
           write_file(s, dir, "gpu_jobs.txt", write_jobs_text, err);
}
