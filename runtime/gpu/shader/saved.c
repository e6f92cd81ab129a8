/*
 * Compute jobs in snapshots of a machine, saved between two steps: the groups that go on, with the
 * registers of their rows and their private pages, and what was counted. Descriptors, code and
 * global memory are in the machine's memory. Host code and the pool of constants are made again.
 *
 * Bounds      all sizes are those of the job that its descriptors describe; a file that has others
 *             is refused
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/base/state.h"
#include "runtime/gpu/lane.h"
#include "runtime/gpu/shader/window.h"

enum { PAGE_BYTES = 1 << GPU_TLB_PAGE_SHIFT };

static const struct state_field job_fields[] = {
    STATE_FIELD(struct gpu_compute, next_group),
    STATE_FIELD(struct gpu_compute, window.unfinished),
    STATE_FIELD(struct gpu_compute, window.part_limit),
    STATE_FIELD(struct gpu_compute, window.growth),
    STATE_FIELD(struct gpu_compute, cycles),
    STATE_FIELD(struct gpu_compute, sum),
    STATE_FIELD(struct gpu_compute, core_bits),
    STATE_FIELD(struct gpu_compute, job.header),
    STATE_END,
};

/* What a row has besides its registers. Its place in the group follows from its index; which of its
 * lanes are active is chosen when it goes on. */
static const struct state_field row_fields[] = {
    STATE_FIELD(struct gpu_warp, live),
    STATE_FIELD(struct gpu_warp, barred),
    STATE_FIELD(struct gpu_warp, pc),
    STATE_FIELD(struct gpu_warp, fresh),
    STATE_END,
};

/* ---- whether a job can be saved -------------------------------------------------------------- */

static bool same_bytes(const void *a, unsigned a_count, const void *b, unsigned b_count,
                       size_t size)
{
    return a_count == b_count && (!a_count || !memcmp(a, b, a_count * size));
}

static bool same_job(const struct gpu_compute_job *a, const struct gpu_compute_job *b)
{
    struct gpu_compute_job x = *a, y = *b;

    x.blocks = y.blocks = NULL;
    x.attributes = x.varyings = y.attributes = y.varyings = NULL;
    x.textures.texture = y.textures.texture = NULL;
    x.textures.sampler = y.textures.sampler = NULL;
    return same_bytes(&x, 1, &y, 1, sizeof(x)) &&
           same_bytes(a->blocks, a->block_count, b->blocks, b->block_count, sizeof(*a->blocks)) &&
           same_bytes(a->attributes, a->attribute_count, b->attributes, b->attribute_count,
                      sizeof(*a->attributes)) &&
           same_bytes(a->textures.texture, a->textures.texture_count, b->textures.texture,
                      b->textures.texture_count, sizeof(*a->textures.texture)) &&
           same_bytes(a->textures.sampler, a->textures.sampler_count, b->textures.sampler,
                      b->textures.sampler_count, sizeof(*a->textures.sampler));
}

/* Whether memory still has the descriptors that the job began with. */
static bool descriptors_are_same(const struct gpu_compute *job)
{
    struct gpu_compute_job now;
    struct gpu_outcome out = {0};
    bool same = gpu_compute_read(job->cores->variant, job->as, job->job.header, &now, &out) &&
                same_job(&now, &job->job);

    gpu_compute_job_release(&now);
    return same;
}

bool gpu_compute_can_save(const struct gpu_compute *job)
{
    return !job->window.open && !job->functions && !job->error && !job->cores->timing &&
           gpu_shader_is_fresh(job->shader, job->as) && descriptors_are_same(job);
}

/* ---- saving ---------------------------------------------------------------------------------- */

/* Bytes of a row's registers, without the pool. */
static size_t register_bytes(const struct gpu_cores *c)
{
    return gpu_slot_offset(c->decoder.lanes, gpu_pool_slot(c->decoder.isa));
}

static void put_fields(struct state_buf *to, const struct state_field *f, const void *object)
{
    for (; f->name; f++)
        state_put(to, (const uint8_t *)object + f->offset, f->size);
}

static void put_rows(struct state_buf *to, const struct gpu_cores *c, const struct gpu_group *g)
{
    for (unsigned i = 0; i < g->started; i++) {
        const struct gpu_warp *w = g->warp[i];
        uint8_t there = w != NULL;

        state_put(to, &there, 1);
        if (!w)
            continue;
        put_fields(to, row_fields, w);
        state_put(to, w->state, register_bytes(c));
    }
}

static void put_group(struct state_buf *to, const struct gpu_cores *c, const struct gpu_group *g)
{
    const struct gpu_private *p = &g->memory;

    state_put(to, &g->index, sizeof(g->index));
    state_put(to, &g->started, sizeof(g->started));
    put_rows(to, c, g);
    state_put(to, &p->used, sizeof(p->used));
    for (unsigned i = 0; i < p->capacity; i++)
        if (p->pages[i].used) {
            state_put(to, &p->pages[i].page, sizeof(p->pages[i].page));
            state_put(to, p->pages[i].host, PAGE_BYTES);
        }
}

/* The pages that the job touched, as blocks of the set. */
static void save_pages(struct gpu_compute *job, struct state_buf *buf)
{
    struct gpu_cores *c = job->cores;
    struct state_buf blocks = {0};

    for (unsigned i = 0; c->job == job && i < c->worker_count; i++)
        gpu_page_set_merge(&job->pages, &c->workers[i]->pages);
    for (size_t i = 0; i < job->pages.capacity; i++)
        if (job->pages.block[i].pages)
            state_put(&blocks, &job->pages.block[i], sizeof(job->pages.block[i]));
    state_save_bytes(buf, "pages", blocks.data, blocks.len);
    state_buf_free(&blocks);
}

void gpu_compute_save(struct gpu_compute *job, struct state_buf *buf)
{
    struct state_buf groups = {0};

    state_save(buf, "job", job_fields, job);
    for (unsigned i = 0; i < job->window.unfinished; i++)
        put_group(&groups, job->cores, job->window.group[i]);
    state_save_bytes(buf, "groups", groups.data, groups.len);
    state_buf_free(&groups);
    save_pages(job, buf);
}

/* ---- loading --------------------------------------------------------------------------------- */

static bool take_fields(struct state_reader *from, const struct state_field *f, void *object)
{
    for (; f->name; f++)
        if (!state_take(from, (uint8_t *)object + f->offset, f->size))
            return false;
    return true;
}

/* Makes a loaded row sound: a file may hold any values. */
static void settle_row(const struct gpu_compute *job, struct gpu_group *g, struct gpu_warp *w,
                       unsigned index)
{
    const struct gpu_decoder *d = &job->cores->decoder;
    uint32_t left = job->job.threads - index * d->row;
    uint32_t lanes = left < d->row ? left : d->row;
    uint32_t mask = lanes == 32 ? UINT32_MAX : (UINT32_C(1) << lanes) - 1;

    w->group = g;
    w->index = index;
    w->thread = index * d->row;
    w->live &= mask;
    w->wait = w->live & ~w->barred ? GPU_WARP_RUNS : GPU_WARP_BARRIER;
    w->fresh = *(const uint8_t *)&w->fresh & 1;
    w->pool_job = job->number;
    for (unsigned l = 0; l < w->lanes; l++)
        w->tls[l] = job->job.thread_base + (w->thread + l) * job->job.thread_bytes;
}

static bool take_rows(struct state_reader *from, const struct gpu_compute *job, struct gpu_group *g)
{
    unsigned there = 0;

    for (unsigned i = 0; i < g->started; i++) {
        struct gpu_warp *w;
        uint8_t has;

        if (!state_take(from, &has, 1))
            return false;
        if (!has)
            continue;
        w = g->warp[i] = gpu_warp_new(job->cores);
        if (!take_fields(from, row_fields, w) ||
            !state_take(from, w->state, register_bytes(job->cores)))
            return false;
        settle_row(job, g, w, i);
        if (!w->live)
            return false;
        there++;
    }
    g->ended = g->started - there;
    return g->ended < g->rows;
}

static bool take_private_pages(struct state_reader *from, struct gpu_group *g)
{
    unsigned count;

    if (!state_take(from, &count, sizeof(count)))
        return false;
    while (count--) {
        uint64_t page;
        uint8_t *host;

        if (!state_take(from, &page, sizeof(page)) ||
            !(host = gpu_private_host(&g->memory, page)) || !state_take(from, host, PAGE_BYTES))
            return false;
    }
    return true;
}

/* NULL: the bytes are no group of the job. `after` is the index of the group before, plus one. */
static struct gpu_group *take_group(struct state_reader *from, const struct gpu_compute *job,
                                    uint64_t after)
{
    struct gpu_group *g;
    uint64_t index;
    unsigned started;

    if (!state_take(from, &index, sizeof(index)) || !state_take(from, &started, sizeof(started)) ||
        index < after || index >= job->next_group)
        return NULL;
    g = xalloc_apart(sizeof(*g));
    gpu_group_place(job, g, index);
    if (started <= g->rows) {
        g->started = started;
        if (take_rows(from, job, g) && take_private_pages(from, g))
            return g;
    }
    gpu_group_drop(job->cores, g);
    return NULL;
}

/* Whether a job can have so many unfinished groups: no window has more, nor does memory hold
 * more. */
static bool may_have(const struct gpu_compute *job, unsigned groups)
{
    return groups <= 1 || (groups <= GPU_WINDOW_PARTS * GPU_WINDOW_GROUPS &&
                           groups <= GPU_GROUPS_BYTES / job->group_bytes);
}

static bool load_groups(struct gpu_compute *job, const struct state_buf *buf,
                        const struct gpu_window *saved)
{
    struct state_reader from = {0};
    struct gpu_group **groups;
    uint64_t after = 0;
    unsigned n = 0;

    from.at = state_bytes(buf, "groups", &from.left);
    if (!from.at || !may_have(job, saved->unfinished) || !saved->part_limit ||
        saved->part_limit > GPU_WINDOW_PARTS || saved->growth > GPU_WINDOW_GROWTH)
        return false;
    groups = xcalloc(saved->unfinished + 1, sizeof(*groups));
    for (; n < saved->unfinished && (groups[n] = take_group(&from, job, after)) != NULL; n++)
        after = groups[n]->index + 1;
    gpu_window_restore(job, groups, n, saved);
    free(groups);
    return n == saved->unfinished && !from.left;
}

static bool load_pages(struct gpu_compute *job, const struct state_buf *buf)
{
    struct state_reader from = {0};
    struct gpu_page_block block;

    from.at = state_bytes(buf, "pages", &from.left);
    while (from.at && state_take(&from, &block, sizeof(block)))
        for (uint64_t left = block.pages; left; left &= left - 1)
            gpu_page_set_add(&job->pages, block.number * 64 + (unsigned)__builtin_ctzll(left));
    return from.at && !from.left;
}

struct gpu_compute *gpu_compute_load(struct gpu_cores *c, const struct gpu_address_space *as,
                                     const struct state_buf *buf, struct error *err)
{
    struct gpu_compute saved = {0}, *job;
    struct gpu_outcome out;

    if (!state_load(buf, "job", job_fields, &saved, err))
        return NULL;
    job = gpu_compute_start(c, as, saved.job.header, &out);
    if (!job)
        return error_null(err, "the descriptors of a GPU job cannot be read");
    gpu_compute_use(job, saved.core_bits);
    job->next_group = saved.next_group;
    job->cycles = saved.cycles;
    job->sum = saved.sum;
    if (job->next_group <= job->job.group_total && load_groups(job, buf, &saved.window) &&
        load_pages(job, buf))
        return job;
    gpu_compute_free(job);
    return error_null(err, "a GPU job is not that of its descriptors");
}

/* ---- the sums of the cores ------------------------------------------------------------------- */

struct cores_state {
    struct gpu_counters total;
    uint64_t active[GPU_MAX_CORES];
};

static const struct state_field cores_fields[] = {
    STATE_FIELD(struct cores_state, total),
    STATE_FIELD(struct cores_state, active),
    STATE_END,
};

void gpu_cores_save(const struct gpu_cores *c, struct state_buf *buf)
{
    struct cores_state s = {.total = *gpu_stats_total(c->stats)};

    memcpy(s.active, c->active, sizeof(s.active));
    state_save(buf, "cores", cores_fields, &s);
}

bool gpu_cores_load(struct gpu_cores *c, const struct state_buf *buf, struct error *err)
{
    struct cores_state s = {0};

    if (!state_load(buf, "cores", cores_fields, &s, err))
        return false;
    gpu_stats_set_total(c->stats, &s.total);
    memcpy(c->active, s.active, sizeof(s.active));
    return true;
}
