/* What the engine tells people: counters, hot blocks, listings. */
#include "runtime/jit/internal.h"

bool jit_available(void)
{
    return true;
}

void jit_register_stats(struct jit *jit, struct stats *stats)
{
    const struct jit_counters *c;

    if (!jit)
        return;
    c = &jit->counters;
    stats_add(stats, "jit", "regions", &c->regions);
    stats_add(stats, "jit", "blocks", &c->blocks);
    stats_add(stats, "jit", "instructions", &c->insns);
    stats_add(stats, "jit", "interpreted", &c->interpreted);
    stats_add(stats, "jit", "failed", &c->failed);
    stats_add(stats, "jit", "killed", &c->killed);
    stats_add(stats, "jit", "bytes", &c->bytes);
    stats_add(stats, "jit", "build_ns", &c->build_ns);
    stats_add(stats, "jit", "optimise_ns", &c->optimise_ns);
    stats_add(stats, "jit", "emit_ns", &c->emit_ns);
}

void jit_write_hot(struct jit *jit, FILE *out, unsigned count)
{
    (void)jit;
    (void)out;
    (void)count;
}

void jit_list_code(struct jit *jit, const struct region *r)
{
    (void)jit;
    (void)r;
}
