/* The report as tables: a line of names, then one line per kernel, bundle or job. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/report/internal.h"

/* Writes a text between quotes, which are doubled in it. */
static void put_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; text && *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void put_counter_names(FILE *out)
{
#define NAME(field, name) fputs("," name, out);
    GPU_COUNTERS(NAME)
#undef NAME
}

static void put_counters(FILE *out, const struct gpu_counters *c)
{
#define VALUE(field, name) fprintf(out, ",%" PRIu64, c->field);
    GPU_COUNTERS(VALUE)
#undef VALUE
}

/* Writes an account in cycles; empty places where time is not known. */
static void put_account(FILE *out, bool known, const uint64_t *ticks)
{
    for (unsigned i = 0; i < TIMING_CAUSES; i++)
        if (known)
            fprintf(out, ",%.3f", (double)ticks[i] / TIMING_TICKS);
        else
            fputc(',', out);
}

static void put_cause_names(FILE *out)
{
    for (unsigned i = 0; i < TIMING_CAUSES; i++)
        fprintf(out, ",%s", timing_cause_name(i));
}

bool report_write_kernels(const struct report *r, FILE *out)
{
    struct report_kernel **list = report_sorted(r);

    fputs("kernel,hash,name,shader,local_x,local_y,local_z,registers,uniforms,bound,model_cycles",
          out);
    put_cause_names(out);
    put_counter_names(out);
    for (size_t i = 0; i < r->kernels.len; i++) {
        const struct report_kernel *k = list[i];

        fprintf(out, "\nk%zu,%016" PRIx64 ",", i, k->hash);
        put_text(out, k->name);
        fprintf(out, ",0x%" PRIx64 ",%u,%u,%u,%u,%u,%s,", k->shader, k->size[0], k->size[1],
                k->size[2], k->summary.registers, k->uniforms,
                k->paths.bound ? k->paths.bound : "");
        if (k->time.jobs)
            fprintf(out, "%.3f", (double)k->time.ticks / TIMING_TICKS);
        put_account(out, k->time.jobs, k->time.account);
        put_counters(out, &k->sum);
    }
    fputc('\n', out);
    free(list);
    return !ferror(out);
}

bool report_write_bundles(const struct report *r, FILE *out)
{
    struct report_kernel **list = report_sorted(r);

    fputs("kernel,bundle,address,block,stages,warps,lanes,divergent", out);
    put_cause_names(out);
    for (size_t i = 0; i < r->kernels.len; i++)
        for (size_t n = 0; n < list[i]->bundles.len; n++) {
            const struct report_kernel *k = list[i];
            const struct report_bundle *b = &k->bundles.data[n];

            fprintf(out, "\nk%zu,%zu,0x%" PRIx64 ",%u,%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64, i, n,
                    k->shader + b->place, b->block, b->profile.stages, b->count.warps,
                    b->count.lanes, b->divergent);
            put_account(out, k->time.jobs, b->account);
        }
    fputc('\n', out);
    free(list);
    return !ferror(out);
}

bool report_write_jobs(const struct report *r, FILE *out)
{
    fputs("kernel,header,groups_x,groups_y,groups_z,local_x,local_y,local_z,model_cycles,begin_ns,"
          "end_ns",
          out);
    put_counter_names(out);
    for (size_t i = 0; i < r->jobs.len; i++) {
        const struct report_job *j = &r->jobs.data[i];

        fprintf(out, "\nk%u,0x%" PRIx64 ",%u,%u,%u,%u,%u,%u,", r->kernels.data[j->kernel]->number,
                j->header, j->groups[0], j->groups[1], j->groups[2], j->size[0], j->size[1],
                j->size[2]);
        if (j->timed)
            fprintf(out, "%.3f", (double)j->ticks / TIMING_TICKS);
        if (j->clocked)
            fprintf(out, ",%" PRIu64 ",%" PRIu64, j->begin_ns, j->end_ns);
        else
            fputs(",,", out);
        put_counters(out, &j->counters);
    }
    fputc('\n', out);
    return !ferror(out);
}
