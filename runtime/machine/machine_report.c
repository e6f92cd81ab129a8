/* The report of the GPU's jobs: -report. */
#include "runtime/report/report.h"

#include "runtime/gpu/account.h"
#include "runtime/gpu/shader/job.h"
#include "runtime/machine/kernel_names.h"
#include "runtime/machine/machine.h"
#include "runtime/machine/program_texts.h"

static uint64_t virtual_now(void *opaque)
{
    const struct machine *m = opaque;

    return m->clock.now;
}

/* The name that -gpu-names gives the kernel's code. */
static const char *name_of(void *opaque, const struct gpu_account *job)
{
    const struct machine *m = opaque;

    return job->summary && job->summary->known ? kernel_name(m->names, job->summary->hash) : NULL;
}

/* Finds texts in the memory of the program that has the job's code mapped. Such a program made the
 * code, or has a copy of its memory. */
static void find_texts(void *opaque, const struct gpu_account *job, report_take_text *take,
                       void *to)
{
    const struct machine *m = opaque;
    const struct programs *programs = machine_programs(m);
    uint64_t shader = job->job->shader_address;
    struct program_tables tables;
    struct gpu_page page;
    const uint8_t *code;

    if (!programs || job->as->translate(job->as->opaque, shader, GPU_ACCESS_EXECUTE, &page) ||
        !page.host)
        return;
    code = page.host + (shader & (page.bytes - 1) & ~(uint64_t)(PROGRAM_PAGE - 1));
    for (unsigned n = 0; programs_get(programs, n, &tables); n++) {
        if (program_maps(m->bus, &tables, code)) {
            program_texts(m->bus, &tables, take, to);
            return;
        }
    }
}

static void attach_cores(void *opaque, struct gpu_cores *cores)
{
    report_attach(opaque, cores);
}

bool machine_open_report(struct machine *m, struct error *err)
{
    const struct options *o = m->options;
    VEC(char *) sources = {0};
    struct report_options options = {
        .folder = o->report,
        .program = m->platform->name,
        .words = o->words.data,
        .fidelity = o->gpu_timed ? o->gpu_fidelity : TIMING_DETAILED,
    };

    for (size_t i = 0; i < o->sources.len; i++)
        vec_push(&sources, o->sources.data[i]);
    vec_push(&sources, NULL);
    options.sources = sources.data;
    m->report = report_new(&options, m->gpu.variant, m->gpu.isa, err);
    vec_free(&sources);
    if (!m->report)
        return false;
    report_set_clock(m->report, virtual_now, m);
    report_set_names(m->report, name_of, m);
    report_set_texts(m->report, find_texts, m);
    m->gpu.cores_made = attach_cores;
    m->gpu.made_opaque = m->report;
    return true;
}

bool machine_finish_report(struct machine *m, struct error *err)
{
    if (!m->options->report)
        return true;
    if (!m->report)
        return error_set(err, "-report: the machine has no GPU");
    report_set_system(m->report, machine_system_json(m));
    if (!report_write(m->report, err))
        return false;
    report_make_page(m->report);
    return true;
}
