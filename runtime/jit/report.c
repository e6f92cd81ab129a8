/* What the engine reports: counters and hot blocks. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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
    stats_add(stats, "jit", "traces", &c->traces);
    stats_add(stats, "jit", "trace_instructions", &c->trace_insns);
    stats_add(stats, "jit", "trace_handlers", &c->trace_handlers);
    stats_add(stats, "jit", "links", &c->links);
    stats_add(stats, "jit", "bridges", &c->bridges);
    stats_add(stats, "jit", "deopts", &c->deopts);
    stats_add(stats, "jit", "trace_ns", &c->trace_ns);
    stats_add(stats, "jit", "regions", &c->regions);
    stats_add(stats, "jit", "blocks", &c->blocks);
    stats_add(stats, "jit", "instructions", &c->insns);
    stats_add(stats, "jit", "interpreted", &c->interpreted);
    stats_add(stats, "jit", "failed", &c->failed);
    stats_add(stats, "jit", "killed", &c->killed);
    stats_add(stats, "jit", "bytes", &c->bytes);
    stats_add(stats, "jit", "kept_traces", &c->kept);
    stats_add(stats, "jit", "kept_others", &c->kept_others);
    stats_add(stats, "jit", "build_ns", &c->build_ns);
    stats_add(stats, "jit", "optimise_ns", &c->optimise_ns);
    stats_add(stats, "jit", "emit_ns", &c->emit_ns);
}

/* ---- hot blocks ------------------------------------------------------------------------------ */

enum { HOT_BLOCKS = 200 };

struct hot {
    const struct block *block;
    uint64_t runs;
};

struct hot_list {
    VEC(struct hot) blocks;
    uint64_t insns;
};

static void collect_hot(void *opaque, struct block *b)
{
    struct hot_list *list = opaque;
    uint64_t runs = 0;

    for (unsigned slot = 0; slot < CODE_SLOTS; slot++)
        runs += *block_runs(b, slot);
    list->insns += runs * b->count;
    if (runs)
        vec_push(&list->blocks, (struct hot){b, runs});
}

static uint64_t insns_of(const struct hot *h)
{
    return h->runs * h->block->count;
}

static int compare_heat(const void *a, const void *b)
{
    uint64_t x = insns_of(a), y = insns_of(b);

    return x < y ? 1 : x > y ? -1 : 0;
}

static const char *state_of(const struct block *b)
{
    if (block_is_translated(b))
        return "translated";
    return b->translations ? "part of a translation" : "interpreted";
}

bool jit_write_hot(struct jit *jit, const char *dir, struct error *err)
{
    struct hot_list list = {0};
    char path[PATH_MAX];
    FILE *out;

    if (!jit)
        return true;
    mkdir(dir, 0777);
    snprintf(path, sizeof(path), "%s/hot.txt", dir);
    out = fopen(path, "w");
    if (!out)
        return error_set(err, "%s: %s", path, strerror(errno));
    code_for_each(jit->cache, collect_hot, &list);
    if (list.blocks.len)
        qsort(list.blocks.data, list.blocks.len, sizeof(*list.blocks.data), compare_heat);
    fprintf(out, "physical address  key  instructions  executions   share  state\n");
    for (size_t n = 0; n < list.blocks.len && n < HOT_BLOCKS; n++) {
        const struct hot *h = &list.blocks.data[n];

        fprintf(out, "%#16" PRIx64 " %4u %13u %11" PRIu64 " %6.2f%%  %s\n", h->block->pa,
                h->block->key, h->block->count, h->runs,
                100.0 * (double)insns_of(h) / (double)list.insns, state_of(h->block));
    }
    vec_free(&list.blocks);
    fclose(out);
    return true;
}
