/* The running kernel, warps and lanes of the stopped work-group. A warp's id is group * warps per
 * group + number + 1. */
#include <inttypes.h>
#include <string.h>

#include "runtime/debug/internal.h"
#include "runtime/gpu/observer.h"

const struct gpu_compute *debug_job(const struct gpu_debug *d)
{
    return d->at.worker->cores->job;
}

uint64_t gpu_debug_shader(const struct gpu_debug *d)
{
    return debug_job(d)->job.shader_address;
}

void gpu_debug_name_kernels(struct gpu_debug *d, const char *(*name)(void *opaque, uint64_t hash),
                            void *opaque)
{
    if (!d->kernels)
        d->kernels = gpu_kernels_new(d->isa);
    d->name_of = name;
    d->names = opaque;
}

/* The running kernel's hash, also as text; 0: not known. */
static uint64_t hash_of_kernel(struct gpu_debug *d)
{
    const struct gpu_compute *job = debug_job(d);
    uint64_t hash = d->kernels ? gpu_kernel_hash(d->kernels, job->as, job->job.shader_address,
                                                 job->job.uniform_words)
                               : 0;

    snprintf(d->hash, sizeof(d->hash), "%016" PRIx64, hash);
    return hash;
}

const char *gpu_debug_kernel(struct gpu_debug *d)
{
    uint64_t hash = d->kernel ? 0 : hash_of_kernel(d);
    const char *name = hash && d->name_of ? d->name_of(d->names, hash) : NULL;

    return d->kernel ? d->kernel : name ? name : hash ? d->hash : NULL;
}

bool debug_is_kernel(struct gpu_debug *d, const char *name)
{
    const char *known = gpu_debug_kernel(d);

    return known && (!strcmp(name, known) || (!d->kernel && !strcmp(name, d->hash)));
}

static unsigned warps_per_group(const struct gpu_debug *d)
{
    unsigned width = d->at.row->width;

    return (debug_job(d)->job.threads + width - 1) / width;
}

uint64_t debug_thread_of(const struct gpu_debug *d, unsigned row_lane, unsigned *lane)
{
    const struct gpu_warp *w = d->at.row;

    *lane = row_lane % w->width;
    return w->group->index * warps_per_group(d) + (w->thread + row_lane) / w->width + 1;
}

/* The number of a warp of the running group; false: it is of another. */
static bool number_of(const struct gpu_debug *d, uint64_t thread, unsigned *number)
{
    uint64_t first = d->at.row->group->index * warps_per_group(d) + 1;

    *number = (unsigned)(thread - first);
    return thread >= first && thread - first < warps_per_group(d);
}

/* The row of warp `number`; NULL: it has ended, or not begun. */
static struct gpu_warp *row_of(const struct gpu_debug *d, unsigned number, unsigned *first)
{
    const struct gpu_group *g = d->at.row->group;
    unsigned item = number * d->at.row->width, row = debug_job(d)->cores->decoder.row;

    *first = item % row;
    return item / row < g->started ? g->warp[item / row] : NULL;
}

struct gpu_warp *debug_row(struct gpu_debug *d, const struct gpu_debug_warp *w, unsigned *first)
{
    return row_of(d, w->number, first);
}

static uint64_t pc_of(const struct gpu_debug *d, const struct gpu_warp *row, unsigned lane)
{
    if (row->fresh)
        return debug_job(d)->job.shader_address;
    return row == d->at.row && row->active >> lane & 1 ? d->at.code->address : row->pc[lane];
}

static bool warp_at(const struct gpu_debug *d, unsigned number, struct gpu_debug_warp *out)
{
    unsigned first;
    const struct gpu_warp *row = row_of(d, number, &first);
    const struct gpu_group *g = d->at.row->group;

    if (!row || !(row->live >> first & row->full))
        return false;
    *out = (struct gpu_debug_warp){
        .thread = g->index * warps_per_group(d) + number + 1,
        .number = number,
        .width = row->width,
        .live = row->live >> first & row->full,
        .active = row == d->at.row ? row->active >> first & row->full : 0,
        .pc = UINT64_MAX,
        .state = row->barred >> first & row->full ? GPU_DEBUG_AT_BARRIER : GPU_DEBUG_READY,
    };
    memcpy(out->group, g->id, sizeof(out->group));
    for (uint32_t left = out->active ? out->active : out->live; left; left &= left - 1) {
        uint64_t pc = pc_of(d, row, first + (unsigned)__builtin_ctz(left));

        out->pc = pc < out->pc ? pc : out->pc;
    }
    out->state = out->active ? GPU_DEBUG_RUNS : out->state;
    return true;
}

bool gpu_debug_find_warp(struct gpu_debug *d, uint64_t thread, struct gpu_debug_warp *out)
{
    unsigned number;

    return d->at.row && number_of(d, thread, &number) && warp_at(d, number, out);
}

unsigned gpu_debug_warps(struct gpu_debug *d, struct gpu_debug_warp *out, unsigned most)
{
    unsigned total = 0, count = 0, all = warps_per_group(d);
    struct gpu_debug_warp w;

    for (unsigned running = 0; running < 2; running++)
        for (unsigned n = 0; n < all; n++) {
            if (!warp_at(d, n, &w) || (w.active == 0) != (running == 1))
                continue;
            total++;
            if (count < most)
                out[count++] = w;
        }
    return total;
}

void gpu_debug_describe_warp(const struct gpu_debug_warp *w, char *text, size_t size)
{
    static const char *const states[] = {"", ", ready", ", at the barrier"};

    snprintf(text, size, "group (%u,%u,%u) warp %u, lanes 0x%x%s", w->group[0], w->group[1],
             w->group[2], w->number, w->active ? w->active : w->live, states[w->state]);
}

uint64_t gpu_debug_lane_pc(struct gpu_debug *d, const struct gpu_debug_warp *w, unsigned lane)
{
    unsigned first;
    const struct gpu_warp *row = row_of(d, w->number, &first);

    return row ? pc_of(d, row, first + lane) : w->pc;
}

bool gpu_debug_jump(struct gpu_debug *d, const struct gpu_debug_warp *w, uint64_t pc,
                    struct error *err)
{
    unsigned first;
    const struct gpu_warp *row = row_of(d, w->number, &first);

    if (row != d->at.row || !w->active || d->at.stage)
        return error_set(err, "only a warp that is about to run a %s can be moved",
                         d->isa->bundle_name);
    if (pc % d->isa->grain_bytes)
        return error_set(err, "no %s begins at 0x%" PRIx64, d->isa->bundle_name, pc);
    d->jump |= w->active << first;
    d->jump_to = pc;
    return true;
}

bool gpu_debug_select(struct gpu_debug *d, uint64_t thread, unsigned lane)
{
    struct gpu_debug_warp w;

    if (!gpu_debug_find_warp(d, thread, &w) || lane >= w.width || !(w.live >> lane & 1))
        return false;
    d->stop.thread = thread;
    d->stop.lane = lane;
    return true;
}

void gpu_debug_item(struct gpu_debug *d, const struct gpu_debug_warp *w, unsigned lane,
                    uint32_t local[3], uint32_t global[3])
{
    const uint32_t *size = debug_job(d)->job.size;
    uint32_t item = w->number * w->width + lane;

    local[0] = item % size[0];
    local[1] = item / size[0] % size[1];
    local[2] = item / size[0] / size[1];
    for (unsigned i = 0; i < 3; i++)
        global[i] = w->group[i] * size[i] + local[i];
}
