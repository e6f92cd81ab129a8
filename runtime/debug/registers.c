/* Registers, temporaries and uniforms of lanes by name, and memory as a work-group sees it. */
#include <ctype.h>
#include <string.h>

#include "runtime/debug/internal.h"

enum { PAGE_BYTES = 1 << GPU_TLB_PAGE_SHIFT };

/* ---- names ----------------------------------------------------------------------------------- */

static void add_register(struct gpu_debug *d, const struct gpu_debug_register *r)
{
    struct gpu_debug_register it = *r;

    for (char *c = it.name; *c; c++)
        *c = (char)(isalnum((unsigned char)*c) ? tolower((unsigned char)*c) : '_');
    vec_push(&d->registers, it);
}

/* The unit's name behind that of its instruction set. */
static const char *unit_name(const struct gpu_isa *isa, const char *unit)
{
    size_t length = strlen(isa->name);

    return strncmp(unit, isa->name, length) == 0 && unit[length] == '_' ? unit + length + 1 : unit;
}

static void add_temporaries(struct gpu_debug *d)
{
    for (unsigned u = 0; u < d->isa->unit_count; u++)
        for (unsigned part = 0; part < d->isa->parts; part++) {
            struct gpu_debug_register r = {.bank = GPU_DEBUG_TEMPORARY, .words = 1};
            int n = snprintf(r.name, sizeof(r.name), "t_%.12s",
                             unit_name(d->isa, d->isa->unit[u]->name));

            if (d->isa->parts > 1)
                snprintf(r.name + n, sizeof(r.name) - (size_t)n, "%u", part);
            r.slot = u * d->isa->parts + part;
            add_register(d, &r);
        }
}

void debug_registers_make(struct gpu_debug *d)
{
    unsigned words = d->isa->register_slots ? d->isa->register_slots : 1;
    unsigned count = d->isa->register_count / words;

    for (unsigned n = 0; n < count; n++) {
        struct gpu_debug_register r = {.bank = GPU_DEBUG_WORK, .words = words, .slot = n * words};

        snprintf(r.name, sizeof(r.name), n < d->isa->work_registers ? "r%u" : "x%u", n);
        add_register(d, &r);
    }
    add_temporaries(d);
    for (unsigned n = 0; n < GPU_UNIFORM_WORDS / 2; n++) {
        struct gpu_debug_register r = {.bank = GPU_DEBUG_UNIFORM, .words = 2, .slot = 2 * n};

        snprintf(r.name, sizeof(r.name), "u%u", n);
        add_register(d, &r);
    }
}

const struct gpu_debug_register *gpu_debug_registers(const struct gpu_debug *d, unsigned *count)
{
    *count = d->registers.len;
    return d->registers.data;
}

const struct gpu_debug_register *gpu_debug_register_of(const struct gpu_debug *d, const char *name,
                                                       size_t length)
{
    vec_for_each (&d->registers, r)
        if (strlen(r->name) == length && !memcmp(r->name, name, length))
            return r;
    return NULL;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* The word slot of word `k`. Results of the stage before the next one to run are temporaries. */
static unsigned slot_of(const struct gpu_debug *d, const struct gpu_debug_register *r, unsigned k)
{
    unsigned parity = (d->at.stage + 1) & 1;

    if (r->bank == GPU_DEBUG_WORK)
        return r->slot + k;
    return d->isa->register_count + GPU_SLOT_RESULT + parity * d->isa->unit_count * d->isa->parts +
           r->slot;
}

static bool has_uniform(const struct gpu_debug *d, const struct gpu_debug_register *r)
{
    return r->slot < debug_job(d)->job.uniform_words;
}

bool gpu_debug_get(struct gpu_debug *d, const struct gpu_debug_warp *w, unsigned lane,
                   const struct gpu_debug_register *r, uint32_t *words)
{
    unsigned first;
    struct gpu_warp *row = debug_row(d, w, &first);

    if (r->bank == GPU_DEBUG_UNIFORM) {
        memcpy(words, debug_job(d)->job.uniform + r->slot, r->words * sizeof(*words));
        return has_uniform(d, r);
    }
    if (!row || lane >= w->width || (r->bank == GPU_DEBUG_TEMPORARY && row != d->at.row))
        return false;
    for (unsigned k = 0; k < r->words; k++)
        words[k] = gpu_slot(row, slot_of(d, r, k))[first + lane];
    return true;
}

/* Puts a uniform into the rows that have read it. */
static void refill_pools(struct gpu_debug *d, unsigned uniform, uint32_t v)
{
    const struct gpu_compute *job = debug_job(d);
    const struct gpu_group *g = d->at.row->group;
    unsigned base = gpu_pool_slot(d->isa) + GPU_SPILL_SLOTS;

    for (unsigned i = 0; i < g->started; i++)
        for (unsigned n = 0; g->warp[i] && n < g->warp[i]->pool; n++) {
            const struct gpu_pool_word *word = &job->shader->pool[n];

            for (unsigned l = 0; word->uniform && word->value == uniform && l < g->warp[i]->lanes;
                 l++)
                gpu_slot(g->warp[i], base + n)[l] = v;
        }
}

bool gpu_debug_set(struct gpu_debug *d, const struct gpu_debug_warp *w, unsigned lane,
                   const struct gpu_debug_register *r, const uint32_t *words)
{
    unsigned first;
    struct gpu_warp *row = debug_row(d, w, &first);

    if (r->bank == GPU_DEBUG_UNIFORM) {
        for (unsigned k = 0; has_uniform(d, r) && k < r->words; k++) {
            d->at.worker->cores->job->job.uniform[r->slot + k] = words[k];
            refill_pools(d, r->slot + k, words[k]);
        }
        return has_uniform(d, r);
    }
    if (!row || lane >= w->width || (r->bank == GPU_DEBUG_TEMPORARY && row != d->at.row))
        return false;
    row->unused_in = 0;
    for (unsigned k = 0; k < r->words; k++)
        gpu_slot(row, slot_of(d, r, k))[first + lane] = words[k];
    return true;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Host memory at `va` up to the end of its page; NULL: there is none. */
static uint8_t *host_of(struct gpu_debug *d, uint64_t va, bool write)
{
    const struct gpu_compute *job = debug_job(d);
    uint64_t page = va >> GPU_TLB_PAGE_SHIFT;
    struct gpu_page mapping = {0};
    uint8_t *own = NULL;

    if (job->as->translate(job->as->opaque, va, write ? GPU_ACCESS_WRITE : GPU_ACCESS_READ,
                           &mapping) ||
        !mapping.host || mapping.bytes < PAGE_BYTES)
        return NULL;
    if (gpu_kind_of_page(&job->job, page) != GPU_COUNT_GLOBAL_READ)
        own = gpu_private_host(&d->at.row->group->memory, page);
    return own ? own + (va & (PAGE_BYTES - 1)) : mapping.host + (va & (mapping.bytes - 1));
}

static size_t access_memory(struct gpu_debug *d, uint64_t va, uint8_t *out, const uint8_t *from,
                            size_t bytes)
{
    size_t done = 0;

    while (done < bytes) {
        uint64_t at = va + done;
        size_t n = PAGE_BYTES - (at & (PAGE_BYTES - 1));
        uint8_t *host = host_of(d, at, from != NULL);

        if (!host)
            break;
        n = n < bytes - done ? n : bytes - done;
        if (from)
            memcpy(host, from + done, n);
        else
            memcpy(out + done, host, n);
        done += n;
    }
    return done;
}

size_t gpu_debug_read(struct gpu_debug *d, uint64_t va, void *out, size_t bytes)
{
    return access_memory(d, va, out, NULL, bytes);
}

size_t gpu_debug_write(struct gpu_debug *d, uint64_t va, const void *from, size_t bytes)
{
    return access_memory(d, va, NULL, from, bytes);
}
