/* The caches and the memory behind them, as requests of warps meet them. */
#include "runtime/timing/model_internal.h"

/* Memory of a group and of a thread is at the same addresses in each group; resident ones have their own. */
static uint64_t place_of(const struct model *m, const struct warp *w, enum timing_access access)
{
    const struct resident *g = &m->groups.data[w->group];

    return access < TIMING_GROUP_LOAD ? 0
                                      : ((uint64_t)g->slot * m->shape->cores + g->core + 1) << 44;
}

static bool is_store(enum timing_access access)
{
    return access == TIMING_STORE || access == TIMING_GROUP_STORE || access == TIMING_THREAD_STORE;
}

/* One request, of a line: where it ends. */
static enum timing_cause touch(struct model *m, const struct warp *w, enum timing_access access,
                               uint64_t line)
{
    struct timing_cache *l1 = &m->cores[m->groups.data[w->group].core].l1;

    m->out->requests++;
    if (access != TIMING_ATOMIC && timing_cache_touch(l1, line))
        return TIMING_L1;
    return timing_cache_touch(&m->l2, line) ? TIMING_L2 : TIMING_DRAM;
}

/* What a warp waits for that came so far. */
static uint64_t latency(const struct model *m, enum timing_cause level, enum timing_access access)
{
    bool detailed = m->fidelity == TIMING_DETAILED;

    if (is_store(access))
        return detailed ? m->p->store_exposed : m->p->store_latency;
    switch (level) {
    case TIMING_DRAM:
        return m->p->l2_miss_latency;
    case TIMING_L2:
        return m->p->l1_miss_latency;
    default:
        return detailed ? m->p->load_exposed : m->p->l1_hit_latency;
    }
}

uint64_t timing_memory(struct model *m, struct warp *w, enum timing_cause *cause)
{
    struct timing_cursor *c = &w->cursor;
    uint64_t longest = 0, requests = 0, before = UINT64_MAX;

    *cause = TIMING_L1;
    while (timing_cursor_access(c)) {
        uint64_t line = c->segment >> m->line_shift;
        uint64_t last = (c->segment + c->segments - 1) >> m->line_shift;

        for (; line <= last; line++) {
            uint64_t it = (line | place_of(m, w, c->access)), ticks;
            enum timing_cause level;

            if (it == before)
                continue;
            before = it;
            level = touch(m, w, c->access, it);
            ticks = latency(m, level, c->access) + TIMING_TICKS * requests++;
            if (is_store(c->access))
                level = TIMING_L1;
            if (ticks >= longest) {
                longest = ticks;
                *cause = level;
            }
        }
    }
    return longest;
}
