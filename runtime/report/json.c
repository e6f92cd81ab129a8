/* report.json: docs/use/report-format.md. Kernels and jobs are written one by one. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/base/cli.h"
#include "runtime/report/internal.h"

enum { FLAGS = JSON_COMPACT | JSON_REAL_PRECISION(15), ADDRESS_TEXT = 24 };

/* ---- values ---------------------------------------------------------------------------------- */

static void put_number(json_t *o, const char *name, uint64_t v)
{
    json_object_set_new(o, name, json_integer((json_int_t)v));
}

static void put_real(json_t *o, const char *name, double v)
{
    json_object_set_new(o, name, json_real(v));
}

/* Bytes that are no UTF-8 are left out. NULL: the member is. */
static void put_text(json_t *o, const char *name, const char *text)
{
    json_t *s = text ? json_string(text) : NULL;

    if (text && !s)
        s = json_string("?");
    if (s)
        json_object_set_new(o, name, s);
}

static void put_address(json_t *o, const char *name, uint64_t address)
{
    char text[ADDRESS_TEXT];

    snprintf(text, sizeof(text), "0x%" PRIx64, address);
    put_text(o, name, text);
}

static json_t *triple_json(const uint32_t *v)
{
    return json_pack("[I, I, I]", (json_int_t)v[0], (json_int_t)v[1], (json_int_t)v[2]);
}

static double cycles_of(uint64_t ticks)
{
    return (double)ticks / TIMING_TICKS;
}

static json_t *counters_json(const struct gpu_counters *c)
{
    json_t *o = json_object();

#define PUT(field, name) put_number(o, name, c->field);
    GPU_COUNTERS(PUT)
#undef PUT
    return o;
}

static json_t *account_json(const uint64_t *ticks)
{
    json_t *o = json_object();

    for (unsigned i = 0; i < TIMING_CAUSES; i++)
        put_real(o, timing_cause_name(i), cycles_of(ticks[i]));
    return o;
}

/* ---- a kernel -------------------------------------------------------------------------------- */

static json_t *instructions_json(const struct gpu_profile *p)
{
    static const char *const names[GPU_FORM_CLASSES] = {
        [GPU_CLASS_ARITHMETIC] = "arithmetic",
        [GPU_CLASS_LOAD_STORE] = "load_store",
        [GPU_CLASS_CONTROL] = "control",
        [GPU_CLASS_ATTRIBUTE] = "attribute",
        [GPU_CLASS_NOP] = "empty",
    };
    json_t *o = json_object();

    for (unsigned i = 0; i < GPU_FORM_CLASSES; i++)
        put_number(o, names[i], p->instructions[i]);
    return o;
}

static json_t *bundle_json(const struct report *r, const struct report_kernel *k,
                           const struct report_bundle *b)
{
    /* Negative for code below the start, such as a blend shader's. */
    int64_t offset = (int64_t)b->place;
    char name[64];
    json_t *o = json_object();

    snprintf(name, sizeof(name), "%s_%" PRId64, r->isa->bundle_name,
             offset / (int64_t)r->isa->grain_bytes);
    put_address(o, "address", k->shader + b->place);
    if (offset >= 0)
        put_number(o, "offset", b->place);
    put_text(o, "name", name);
    put_number(o, "block", b->block);
    put_text(o, "text", b->text ? b->text : "");
    put_number(o, "warps", b->count.warps);
    put_number(o, "lanes", b->count.lanes);
    put_number(o, "divergent", b->divergent);
    json_object_set_new(o, "instructions", instructions_json(&b->profile));
    put_number(o, "stages", b->profile.stages);
    if (b->profile.barrier)
        json_object_set_new(o, "barrier", json_true());
    if (k->time.jobs)
        json_object_set_new(o, "account", account_json(b->account));
    return o;
}

static json_t *bundles_json(const struct report *r, const struct report_kernel *k)
{
    json_t *list = json_array();

    for (size_t i = 0; i < k->bundles.len; i++)
        json_array_append_new(list, bundle_json(r, k, &k->bundles.data[i]));
    return list;
}

static json_t *blocks_json(const struct report_kernel *k)
{
    json_t *list = json_array();

    for (size_t i = 0; i < k->flow.blocks.len; i++) {
        const struct report_block *b = &k->flow.blocks.data[i];
        const struct report_bundle *first = &k->bundles.data[b->first];
        json_t *o = json_object();

        put_number(o, "first", b->first);
        put_number(o, "count", b->count);
        put_number(o, "warps", first->count.warps);
        put_number(o, "lanes", first->count.lanes);
        put_number(o, "depth", b->depth);
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *block_number(uint32_t block)
{
    return block == REPORT_NO_BLOCK ? json_null() : json_integer(block);
}

static json_t *edges_json(const struct report_kernel *k)
{
    static const char *const kinds[] = {"fall", "branch", "indirect"};
    json_t *list = json_array();

    for (size_t i = 0; i < k->flow.edges.len; i++) {
        const struct report_edge *e = &k->flow.edges.data[i];
        json_t *o = json_object();

        json_object_set_new(o, "from", block_number(e->from));
        json_object_set_new(o, "to", block_number(e->to));
        put_text(o, "kind", kinds[e->kind]);
        put_number(o, "warps", e->count.warps);
        put_number(o, "lanes", e->count.lanes);
        put_number(o, "divergent", e->divergent);
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *code_json(const struct report *r, const struct report_kernel *k)
{
    const struct gpu_shader_summary *s = &k->summary;
    struct report_code_text text = report_code_text(k);
    char line[REPORT_LINE];
    json_t *o = json_object();

    put_number(o, "instructions", s->instructions);
    put_number(o, "stages", s->stages);
    put_number(o, "bundles", s->bundles);
    put_number(o, "grains", s->grains);
    put_number(o, "registers", s->registers);
    put_number(o, "uniforms", k->uniforms);
    put_number(o, "loops", s->loops);
    put_number(o, "spills", text.spills);
    put_number(o, "fills", text.fills);
    if (report_threads(r, k))
        put_number(o, "threads", report_threads(r, k));
    put_number(o, "arithmetic", s->arithmetic);
    put_number(o, "texture", s->texture);
    put_number(o, "load_store", s->load_store);
    put_number(o, "nops", s->empty);
    put_real(o, "half_percent", text.half_percent);
    report_line(r, k, &text, line);
    put_text(o, "shader_db", line);
    return o;
}

static void put_path(json_t *o, const char *name, const struct report_path *p)
{
    json_t *path;

    if (!p->known)
        return;
    path = json_object();
    put_real(path, "arithmetic", p->arithmetic);
    put_real(path, "load_store", p->load_store);
    put_real(path, "texture", p->texture);
    put_real(path, "bundles", p->bundles);
    json_object_set_new(o, name, path);
}

static json_t *paths_json(const struct report_kernel *k)
{
    json_t *o = json_object();

    put_path(o, "shortest", &k->paths.shortest);
    put_path(o, "longest", &k->paths.longest);
    put_path(o, "measured", &k->paths.measured);
    return o;
}

static json_t *timing_json(const struct report *r, const struct report_time *t)
{
    json_t *o = json_object();

    put_real(o, "model_cycles", cycles_of(t->ticks));
    put_real(o, "energy_uj", (double)t->energy / 1e6);
    json_object_set_new(o, "engine_cycles", account_json(t->account));
    put_number(o, "l1_hits", t->l1_hits);
    put_number(o, "l1_misses", t->l1_misses);
    put_number(o, "l2_hits", t->l2_hits);
    put_number(o, "l2_misses", t->l2_misses);
    put_number(o, "l2_reads", t->l2_reads);
    put_number(o, "l2_writes", t->l2_writes);
    put_number(o, "dram_reads", t->dram_reads);
    put_number(o, "dram_writes", t->dram_writes);
    put_number(o, "requests", t->requests);
    put_number(o, "line_bytes", r->params.line_bytes);
    put_number(o, "groups_for_one", t->groups_per_traced);
    put_real(o, "simulated", t->simulated_fraction);
    put_real(o, "error", t->ticks ? t->error / (double)t->ticks : 0);
    return o;
}

static int by_count(const void *a, const void *b)
{
    const struct report_stride *x = a, *y = b;

    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

/* The most frequent strides. */
static json_t *strides_json(const struct report_access *a)
{
    json_t *list = json_array();
    struct report_stride *sorted = xcalloc(a->strides.len + 1, sizeof(*sorted));

    if (a->strides.len)
        memcpy(sorted, a->strides.data, a->strides.len * sizeof(*sorted));
    qsort(sorted, a->strides.len, sizeof(*sorted), by_count);
    for (size_t i = 0; i < a->strides.len && i < REPORT_STRIDES; i++)
        json_array_append_new(
            list, json_pack("[I, I]", (json_int_t)sorted[i].bytes, (json_int_t)sorted[i].count));
    free(sorted);
    return list;
}

/* Numbers up to the last that is not 0. */
static json_t *histogram_json(const uint64_t *v, unsigned count)
{
    json_t *list = json_array();

    while (count && !v[count - 1])
        count--;
    for (unsigned i = 0; i < count; i++)
        json_array_append_new(list, json_integer((json_int_t)v[i]));
    return list;
}

/* Writes the pointer's number among the uniforms, and its argument if the source is known. */
static void put_pointer(json_t *o, const struct report_kernel *k, uint32_t pointer)
{
    put_number(o, "pointer", pointer);
    if (pointer >= k->parameter_count)
        return;
    put_number(o, "argument", k->parameters[pointer].index);
    put_text(o, "name", k->parameters[pointer].name);
}

static json_t *access_of(const struct report_kernel *k, const struct report_access *a)
{
    static const char *const kinds[TIMING_ACCESSES] = {
        "global_load", "global_store", "atomic",       "local_load",
        "local_store", "thread_load",  "thread_store", "local_atomic"};
    static const char *const shapes[REPORT_SHAPES] = {"same", "unit", "stride", "blocks", "list"};
    const struct report_bundle *b =
        report_kernel_bundle((struct report_kernel *)(uintptr_t)k, a->place);
    json_t *o = json_object(), *by_shape = json_object();

    put_number(o, "bundle", b ? (uint64_t)(b - k->bundles.data) : 0);
    put_text(o, "kind", kinds[a->kind]);
    put_number(o, "bytes", a->bytes);
    if (a->pointer != REPORT_NO_POINTER)
        put_pointer(o, k, a->pointer);
    put_number(o, "executions", a->executions);
    put_number(o, "lanes", a->lanes);
    put_number(o, "lines", a->lines);
    json_object_set_new(o, "lines_histogram", histogram_json(a->by_lines, TIMING_ROW_LANES));
    for (unsigned i = 0; i < REPORT_SHAPES; i++)
        put_number(by_shape, shapes[i], a->shapes[i]);
    json_object_set_new(o, "shapes", by_shape);
    json_object_set_new(o, "strides", strides_json(a));
    put_number(o, "sampled_groups", a->groups);
    return o;
}

static int by_place(const void *a, const void *b)
{
    const struct report_access *x = a, *y = b;

    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? -1 : 1;
    return x->pointer < y->pointer ? -1 : x->pointer > y->pointer;
}

static json_t *accesses_json(const struct report_kernel *k)
{
    json_t *list = json_array();

    if (k->accesses.len)
        qsort(k->accesses.data, k->accesses.len, sizeof(*k->accesses.data), by_place);
    for (size_t i = 0; i < k->accesses.len; i++)
        json_array_append_new(list, access_of(k, &k->accesses.data[i]));
    return list;
}

static int by_pointer(const void *a, const void *b)
{
    const struct report_buffer *x = a, *y = b;

    return x->pointer < y->pointer ? -1 : x->pointer > y->pointer;
}

static json_t *buffers_json(const struct report_kernel *k)
{
    json_t *list = json_array();

    if (k->buffers.len)
        qsort(k->buffers.data, k->buffers.len, sizeof(*k->buffers.data), by_pointer);
    for (size_t i = 0; i < k->buffers.len; i++) {
        const struct report_buffer *b = &k->buffers.data[i];
        json_t *o = json_object();

        put_pointer(o, k, b->pointer);
        put_address(o, "address", b->address);
        put_number(o, "bytes", b->bytes);
        put_number(o, "reads", b->reads);
        put_number(o, "writes", b->writes);
        put_number(o, "bytes_read", b->bytes_read);
        put_number(o, "bytes_written", b->bytes_written);
        put_number(o, "lines", b->lines);
        put_number(o, "pages", b->pages);
        json_array_append_new(list, o);
    }
    return list;
}

/* Writes resident warps per core: the mean over the jobs' time, and per part of the longest job. */
static json_t *residency_json(const struct report_residency *r, unsigned cores)
{
    json_t *o = json_object(), *list = json_array(), *by_core = json_array();
    double ticks = (double)r->core_ticks / cores;

    put_real(o, "warps", (double)r->warp_ticks / (double)r->core_ticks);
    for (unsigned i = 0; i < REPORT_PARTS; i++)
        json_array_append_new(list,
                              json_real((double)r->part_warp_ticks[i] / (double)r->part_ticks));
    json_object_set_new(o, "over_time", list);
    for (unsigned i = 0; i < cores && i < REPORT_CORES; i++) {
        const struct report_core *c = &r->core[i];
        json_t *core = json_object();

        put_number(core, "groups", c->groups);
        put_number(core, "warps", c->warps);
        put_real(core, "resident", (double)c->warp_ticks / ticks);
        json_array_append_new(by_core, core);
    }
    json_object_set_new(o, "by_core", by_core);
    return o;
}

/* What the traced groups say. */
static void put_traced(json_t *o, const struct report *r, const struct report_kernel *k)
{
    json_t *reuse;

    if (!k->time.jobs)
        return;
    json_object_set_new(o, "timing", timing_json(r, &k->time));
    if (k->residency.part_ticks)
        json_object_set_new(o, "residency", residency_json(&k->residency, r->shape.cores));
    json_object_set_new(o, "accesses", accesses_json(k));
    reuse = json_object();
    put_number(reuse, "line_bytes", r->params.line_bytes);
    json_object_set_new(reuse, "histogram", histogram_json(k->reuse.by_distance, REPORT_DISTANCES));
    put_number(reuse, "first_uses", k->reuse.first_uses);
    json_object_set_new(o, "reuse", reuse);
    json_object_set_new(o, "buffers", buffers_json(k));
}

static json_t *names_json(const struct report_names *names)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < names->len; i++)
        json_array_append_new(list, json_string(names->data[i]));
    return list;
}

/* Writes the source, or the names of the kernels found in memory that fit. */
static void put_source(json_t *o, const struct report_kernel *k)
{
    json_t *source = json_object(), *found = json_object();

    if (k->source) {
        put_text(source, "name", k->source_name);
        put_text(source, "text", k->source);
        json_object_set(o, "source", source);
    }
    if (k->found.kernels.len) {
        json_object_set_new(found, "kernels", names_json(&k->found.kernels));
        json_object_set_new(found, "fitting", names_json(&k->found.fitting));
        json_object_set(o, "found", found);
    }
    json_decref(source);
    json_decref(found);
}

static json_t *kernel_json(const struct report *r, const struct report_kernel *k, unsigned number)
{
    json_t *o = json_object();
    char text[ADDRESS_TEXT];

    snprintf(text, sizeof(text), "k%u", number);
    put_text(o, "id", text);
    snprintf(text, sizeof(text), "%016" PRIx64, k->hash);
    put_text(o, "hash", text);
    put_text(o, "name", k->name);
    put_address(o, "shader", k->shader);
    put_number(o, "jobs", k->sum.jobs);
    put_number(o, "groups", k->sum.groups);
    json_object_set_new(o, "local", triple_json(k->size));
    json_object_set_new(o, "counters", counters_json(&k->sum));
    if (k->summary.known)
        json_object_set_new(o, "code", code_json(r, k));
    json_object_set_new(o, "paths", paths_json(k));
    put_text(o, "bound", k->paths.bound);
    json_object_set_new(o, "bundles", bundles_json(r, k));
    json_object_set_new(o, "blocks", blocks_json(k));
    json_object_set_new(o, "edges", edges_json(k));
    put_traced(o, r, k);
    put_source(o, k);
    return o;
}

/* ---- the run --------------------------------------------------------------------------------- */

static json_t *run_json(const struct report *r)
{
    json_t *o = json_object(), *words = json_array();

    put_text(o, "program", r->options.program);
    put_text(o, "gencc", cli_version());
    for (size_t i = 0; i < r->words.len; i++)
        json_array_append_new(words, json_string(r->words.data[i]));
    json_object_set_new(o, "arguments", words);
    if (r->now)
        put_number(o, "virtual_ns", r->now(r->now_opaque));
    return o;
}

static json_t *parameters_json(const struct report *r)
{
    json_t *o = json_object();

#define TIMING_PARAMETER(name, unit, least, most, unless_given, text)      \
    {                                                                      \
        double value;                                                      \
                                                                           \
        if (timing_params_get(&r->params, &r->shape, #name, &value, NULL)) \
            put_real(o, #name, value);                                     \
    }
#include "common/prelude/timing.inc"
#undef TIMING_PARAMETER
    return o;
}

/* What the GPU can do in a second. Words of arithmetic: those of a stage, or of a bundle where it
 * has one stage. */
static json_t *roofs_json(const struct report *r)
{
    double words = r->variant->architecture >= 6 ? 2 : 5, hz = r->shape.clock_mhz * 1e6;
    uint64_t turn = r->params.stage_issue ? r->params.stage_issue : r->params.arithmetic_latency;
    json_t *o = json_object();

    if (turn)
        put_real(o, "arithmetic",
                 words * r->shape.cores * r->shape.engines * r->shape.warp_width * hz /
                     cycles_of(turn));
    if (r->params.l2_bandwidth)
        put_real(o, "l2", (double)r->params.l2_bandwidth * hz);
    if (r->params.dram_bandwidth)
        put_real(o, "dram", (double)r->params.dram_bandwidth * hz);
    return o;
}

static json_t *gpu_json(const struct report *r)
{
    const struct gpu_variant *v = r->variant;
    struct report_registers rows[REPORT_REGISTER_ROWS];
    unsigned count = report_registers(r, rows);
    json_t *o = json_object(), *list = json_array(), *words = json_object();

    put_text(o, "name", v->name);
    put_text(o, "title", v->title);
    put_text(o, "family", v->isa);
    put_number(o, "clock_mhz", r->shape.clock_mhz);
    put_number(o, "cores", r->shape.cores);
    put_number(o, "engines", r->shape.engines);
    put_number(o, "warp_width", v->warp_width);
    put_text(words, "bundle", r->isa->bundle_name);
    put_text(words, "stage", r->isa->stage_name);
    json_object_set_new(o, "words", words);
    json_object_set_new(o, "parameters", parameters_json(r));
    for (unsigned i = 0; i < count; i++)
        json_array_append_new(list, json_pack("{si si}", "up_to", (int)rows[i].register_limit,
                                              "threads", (int)rows[i].threads));
    json_object_set_new(o, "registers", list);
    json_object_set_new(o, "roofs", roofs_json(r));
    return o;
}

static json_t *job_json(const struct report *r, const struct report_job *j)
{
    json_t *o = json_object();
    char text[ADDRESS_TEXT];

    snprintf(text, sizeof(text), "k%u", r->kernels.data[j->kernel]->number);
    put_text(o, "kernel", text);
    put_address(o, "header", j->header);
    json_object_set_new(o, "groups", triple_json(j->groups));
    json_object_set_new(o, "local", triple_json(j->size));
    json_object_set_new(o, "counters", counters_json(&j->counters));
    if (j->timed)
        put_real(o, "model_cycles", cycles_of(j->ticks));
    if (j->clocked) {
        put_number(o, "begin_ns", j->begin_ns);
        put_number(o, "end_ns", j->end_ns);
    }
    return o;
}

/* Writes a value and frees it. */
static void dump_value(FILE *out, const char *before, json_t *v)
{
    fputs(before, out);
    json_dumpf(v, out, FLAGS | JSON_ENCODE_ANY);
    json_decref(v);
}

/* Writes the first frames and the number of all; nothing if no frame was drawn. */
static void dump_frames(const struct report *r, FILE *out)
{
    unsigned count = report_frame_count(r);

    if (!count)
        return;
    fputs(",\n\"frames\": [", out);
    for (unsigned i = 0; i < count && i < REPORT_FRAMES; i++)
        dump_value(out, i ? ",\n" : "\n", report_frame_json(r, i));
    dump_value(out, "\n],\n\"frame_count\": ", json_integer((json_int_t)count));
}

bool report_write_json(const struct report *r, FILE *out)
{
    struct report_kernel **list = report_sorted(r);

    dump_value(out, "{\"format\": \"gencc-report\", \"version\": 1,\n\"run\": ", run_json(r));
    dump_value(out, ",\n\"gpu\": ", gpu_json(r));
    dump_value(out, ",\n\"model\": ",
               json_string(r->options.fidelity == TIMING_DETAILED ? "detailed" : "reassemble"));
    dump_value(out, ",\n\"sampled\": ", json_boolean(r->sampled));
    dump_value(out, ",\n\"total\": ", counters_json(&r->total));
    fputs(",\n\"kernels\": [", out);
    for (unsigned i = 0; i < r->kernels.len; i++)
        dump_value(out, i ? ",\n" : "\n", kernel_json(r, list[i], i));
    fputs("\n],\n\"jobs\": [", out);
    for (size_t i = 0; i < r->jobs.len; i++)
        dump_value(out, i ? ",\n" : "\n", job_json(r, &r->jobs.data[i]));
    dump_value(out, "\n],\n\"job_count\": ", json_integer((json_int_t)r->total.jobs));
    dump_frames(r, out);
    if (r->system)
        dump_value(out, ",\n\"system\": ", json_incref(r->system));
    fputs("\n}\n", out);
    free(list);
    return !ferror(out);
}
