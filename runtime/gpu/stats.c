/*
 * What the shader cores executed: sums, and the reports.
 *
 * Bounds      memory: MAX_JOBS jobs and shaders; sums count all
 */
#include "runtime/gpu/stats.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/base/alloc.h"
#include "runtime/base/vec.h"
#include "runtime/obs/stats.h"

enum { MAX_JOBS = 4096 }; /* that a report lists one by one */

struct job_record {
    uint64_t header, shader;
    struct gpu_counters counters;
};

struct shader_record {
    uint64_t address;
    struct gpu_shader_summary summary;
    unsigned architecture;
};

struct gpu_stats {
    struct gpu_counters total;
    VEC(struct job_record) jobs;
    VEC(struct shader_record) shaders;
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

const struct gpu_counters *gpu_stats_total(const struct gpu_stats *s)
{
    return &s->total;
}

void gpu_counters_add_clause(struct gpu_counters *c, const struct gpu_profile *p,
                             const struct gpu_clause_count *n)
{
    uint64_t all = 0;

    c->clauses += n->warps;
    c->tuples += n->warps * p->tuples;
    if (p->tuples <= GPU_MAX_TUPLES)
        c->clause_size[p->tuples] += n->warps;
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

static bool same_shader(const struct shader_record *a, const struct shader_record *b)
{
    return a->address == b->address && !memcmp(&a->summary, &b->summary, sizeof(a->summary));
}

static void keep_shader(struct gpu_stats *s, const struct shader_record *record)
{
    for (size_t i = 0; i < s->shaders.len; i++)
        if (same_shader(&s->shaders.data[i], record))
            return;
    if (s->shaders.len < MAX_JOBS)
        vec_push(&s->shaders, *record);
}

void gpu_stats_job(struct gpu_stats *s, const struct gpu_counters *job, uint64_t header,
                   uint64_t shader, const struct gpu_shader_summary *summary, unsigned architecture)
{
#define ADD(field, name) s->total.field += job->field;
    GPU_COUNTERS(ADD)
#undef ADD
    if (s->jobs.len < MAX_JOBS)
        vec_push(&s->jobs, (struct job_record){header, shader, *job});
    if (summary->known) {
        struct shader_record record;

        memset(&record, 0, sizeof(record)); /* compared as bytes */
        record.address = shader;
        record.summary = *summary;
        record.architecture = architecture;
        keep_shader(s, &record);
    }
}

void gpu_stats_register(const struct gpu_stats *s, struct stats *stats, const char *group)
{
#define REGISTER(field, name) stats_add(stats, group, name, &s->total.field);
    GPU_COUNTERS(REGISTER)
#undef REGISTER
}

/* ---- reports --------------------------------------------------------------------------------- */

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Mesa's shader-db line. */
static void print_shader(const struct gpu_shader_summary *s, unsigned architecture, FILE *out)
{
    /* Per cycle of a core: 24 arithmetic tuples, 2 texture messages, one load or store. */
    double arithmetic = s->arithmetic / 24.0, texture = s->texture / 2.0;
    double load_store = s->load_store;
    double bound = larger(arithmetic, larger(texture, load_store));
    unsigned threads = architecture == 7 && s->registers <= 32 ? 2 : 1;

    fprintf(out,
            "%u inst, %u tuples, %u clauses, %f cycles, %f arith, %f texture, %f vary, %f ldst, "
            "%u quadwords, %u threads, %u loops\n",
            s->instructions, s->tuples, s->clauses, bound, arithmetic, texture, 0.0, load_store,
            s->quadwords, threads, s->loops);
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

static bool write_json(const struct gpu_stats *s, FILE *out)
{
    json_t *root = json_object(), *jobs = json_array();
    bool good;

    for (size_t i = 0; i < s->jobs.len; i++) {
        json_t *job = counters_json(&s->jobs.data[i].counters);

        set_address(job, "header", s->jobs.data[i].header);
        set_address(job, "shader", s->jobs.data[i].shader);
        json_array_append_new(jobs, job);
    }
    json_object_set_new(root, "total", counters_json(&s->total));
    json_object_set_new(root, "jobs", jobs);
    good = !json_dumpf(root, out, JSON_INDENT(2)) && fputc('\n', out) != EOF;
    json_decref(root);
    return good;
}

static bool write_text(const struct gpu_stats *s, FILE *out)
{
    fprintf(out, "shaders\n");
    for (size_t i = 0; i < s->shaders.len; i++) {
        const struct shader_record *r = &s->shaders.data[i];

        fprintf(out, "    0x%llx: ", (unsigned long long)r->address);
        print_shader(&r->summary, r->architecture, out);
    }
    fprintf(out, "total\n");
    counters_text(&s->total, out);
    for (size_t i = 0; i < s->jobs.len; i++) {
        fprintf(out, "job %zu of %llu, header 0x%llx, shader 0x%llx\n", i + 1,
                (unsigned long long)s->total.jobs, (unsigned long long)s->jobs.data[i].header,
                (unsigned long long)s->jobs.data[i].shader);
        counters_text(&s->jobs.data[i].counters, out);
    }
    return !ferror(out);
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

bool gpu_stats_write_jobs(const struct gpu_stats *s, const char *dir, struct error *err)
{
    mkdir(dir, 0777); /* may be there; if it cannot be made, writing into it says so */
    return write_file(s, dir, "gpu_jobs.json", write_json, err) &&
           write_file(s, dir, "gpu_jobs.txt", write_text, err);
}
