/* The report of a run: -report. */
#include "runtime/report/report.h"

#include <stdlib.h>
#include <string.h>

#include "programs/mali-run/run.h"
#include "runtime/base/alloc.h"

/* A list that ends with NULL, of the elements of `list`. */
static char **null_terminated(char *const *list, size_t count)
{
    char **out = xcalloc(count + 1, sizeof(*out));

    if (count)
        memcpy(out, list, count * sizeof(*out));
    return out;
}

char *run_kernel_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *name = xstrdup(slash ? slash + 1 : path);
    char *dot = strrchr(name, '.'), *snap = strstr(name, ".snap.");

    if (snap && snap > name)
        *snap = 0;
    else if (dot && dot > name)
        *dot = 0;
    return name;
}

struct report *run_report_new(const struct run_options *o, char *const *words,
                              const struct gpu_variant *variant, const struct gpu_isa *isa,
                              struct error *err)
{
    char **sources = null_terminated(o->sources.data, o->sources.len);
    char **settings = null_terminated(o->timing.settings.data, o->timing.settings.len);
    char *name = o->kernel_name   ? xstrdup(o->kernel_name)
                 : o->kernel.file ? run_kernel_name(o->kernel.file)
                                  : NULL;
    struct report_options options = {
        .folder = o->report,
        .program = "mali-run",
        .words = words,
        .sources = sources,
        .settings = settings,
        .name = name,
        .fidelity = o->timing.wanted ? o->timing.fidelity : TIMING_DETAILED,
        .sample = o->report_sample,
    };
    struct report *r = report_new(&options, variant, isa, err);

    free(sources);
    free(settings);
    free(name);
    return r;
}

bool run_report_finish(struct report *r, struct error *err)
{
    if (!report_write(r, err))
        return false;
    report_make_page(r);
    return true;
}
