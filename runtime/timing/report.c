/* Prints a model's result: cycles, account and caches. */
#include <inttypes.h>

#include "runtime/timing/model.h"

static const char *const names[TIMING_CAUSES] = {
    [TIMING_ISSUE] = "issue",   [TIMING_DEPENDENCY] = "dependency",
    [TIMING_L1] = "L1",         [TIMING_L2] = "L2",
    [TIMING_DRAM] = "DRAM",     [TIMING_AT_BARRIER] = "barrier",
    [TIMING_LAUNCH] = "launch", [TIMING_IMBALANCE] = "imbalance",
};

const char *timing_cause_name(enum timing_cause cause)
{
    return names[cause];
}

static double percent_of(uint64_t part, uint64_t all)
{
    return all ? 100.0 * (double)part / (double)all : 0;
}

static void print_cache(const char *name, uint64_t hits, uint64_t misses, FILE *out)
{
    fprintf(out, "  %-10s %14" PRIu64 " hits, %" PRIu64 " misses (%.2f %%)\n", name, hits, misses,
            percent_of(misses, hits + misses));
}

void timing_result_print(const struct timing_result *r, const struct timing_shape *shape, FILE *out)
{
    uint64_t all = 0;
    double cycles = (double)r->ticks / TIMING_TICKS;

    for (unsigned i = 0; i < TIMING_CAUSES; i++)
        all += r->account[i];
    fprintf(out, "  %-10s %14.3f  (%.3f us at %u MHz)\n", "cycles", cycles,
            cycles / shape->clock_mhz, shape->clock_mhz);
    for (unsigned i = 0; i < TIMING_CAUSES; i++)
        fprintf(out, "  %-10s %13.2f %%\n", names[i], percent_of(r->account[i], all));
    fprintf(out,
            "  simulated  %14" PRIu64 " groups, %" PRIu64 " warps, %" PRIu64 " bundles, %" PRIu64
            " instructions, %" PRIu64 " requests\n",
            r->groups, r->warps, r->bundles, r->instructions, r->requests);
    if (r->scale > 1)
        fprintf(out, "  sampled    %14.3f groups of the job for each of these\n", r->scale);
    print_cache("L1", r->l1_hits, r->l1_misses, out);
    print_cache("L2", r->l2_hits, r->l2_misses, out);
    if (r->code_hits + r->code_misses)
        print_cache("code", r->code_hits, r->code_misses, out);
}
