/* A shader core with one row and one bundle, which a replaced unpack() supplies. */
#include "programs/mali-fuzz/core.h"

#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/base/random.h"
#include "runtime/gpu/lane.h"
#include "runtime/gpu/shader/core.h"

enum { PAGE_BYTES = 1 << GPU_TLB_PAGE_SHIFT, PAGES_KEPT = 4096, SOME_UNIFORMS = 32 };
_Static_assert((int)MEMORY_BYTES == (int)PAGE_BYTES, "all pages are one");

struct fuzz_core {
    struct gpu_isa isa; /* the description's ISA with another unpack() */
    struct gpu_cores *cores;
    struct gpu_address_space space;
    struct gpu_compute compute;
    struct gpu_group group;
    uint8_t done[1]; /* element of a window of one group */
    struct gpu_warp *warp;
    uint8_t *page;
};

/* The bundle that unpack() returns; it has no parameter for it. */
static const struct gpu_bundle *given;

static bool unpack_given(const uint8_t *code, size_t available, uint64_t address,
                         struct gpu_bundle *out)
{
    (void)code, (void)available;
    *out = *given;
    out->address = address;
    return true;
}

static uint32_t translate_address(void *opaque, uint64_t va, enum gpu_access access,
                                  struct gpu_page *out)
{
    const struct fuzz_core *c = opaque;

    (void)va, (void)access;
    *out = (struct gpu_page){
        .host = c->page, .bytes = PAGE_BYTES, .read = true, .write = true, .execute = true};
    return 0;
}

struct fuzz_core *fuzz_core_new(const struct gpu_variant *variant, const struct gpu_isa *isa,
                                uint64_t seed)
{
    struct fuzz_core *c = xcalloc(1, sizeof(*c));

    c->isa = *isa;
    c->isa.unpack = unpack_given;
    c->cores = gpu_cores_new(variant, &c->isa, 1);
    c->page = aligned_alloc(64, PAGE_BYTES);
    c->warp = c->cores ? aligned_alloc(64, c->cores->warp_bytes) : NULL;
    if (!c->cores || !c->page || !c->warp) {
        fuzz_core_free(c);
        return NULL;
    }
    memset(c->warp, 0, c->cores->warp_bytes);
    gpu_warp_shape(c->warp, c->cores->decoder.lanes, c->cores->decoder.width);
    c->warp->group = &c->group;
    c->space =
        (struct gpu_address_space){.opaque = c, .translate = translate_address, .generation = 1};
    c->compute.cores = c->cores;
    c->compute.as = &c->space;
    c->compute.window.done = c->done;
    c->compute.window.mark = 1;
    c->compute.window.count = 1;
    c->compute.job.uniform_words = SOME_UNIFORMS;
    for (unsigned i = 0; i < GPU_UNIFORM_WORDS; i++)
        c->compute.job.uniform[i] = (uint32_t)random_next(&seed);
    c->cores->job = &c->compute;
    c->cores->workers[0]->group = &c->group;
    return c;
}

void fuzz_core_free(struct fuzz_core *c)
{
    if (!c)
        return;
    gpu_private_release(&c->group.memory);
    if (c->cores)
        c->cores->job = NULL;
    gpu_cores_free(c->cores);
    gpu_page_set_release(&c->compute.pages);
    free(c->page);
    free(c->warp);
    free(c);
}

unsigned fuzz_core_lanes(const struct fuzz_core *c)
{
    return c->warp->lanes;
}

unsigned fuzz_core_width(const struct fuzz_core *c)
{
    return c->warp->width;
}

unsigned fuzz_core_behind(const struct fuzz_core *c)
{
    return gpu_result_slots(&c->isa);
}

/* ---- places ---------------------------------------------------------------------------------- */

static struct gpu_at place_of(const struct fuzz_bundle *b)
{
    uint32_t uniforms = b->core->isa.asks_uniforms ? SOME_UNIFORMS : 0;

    return (struct gpu_at){0, b->unit, uniforms, b->core->cores->decoder.traits};
}

static unsigned temporary_slot(const struct gpu_isa *isa, uint32_t value, bool previous)
{
    return isa->register_count + GPU_SLOT_RESULT +
           ((previous ? isa->unit_count : 0) + (value & 0xff)) * isa->parts + (value >> 8);
}

uint32_t fuzz_core_source(const struct situation *before, uint32_t selector, unsigned lane)
{
    const struct fuzz_bundle *b = before->opaque;
    const struct gpu_isa *isa = &b->core->isa;
    struct gpu_at at = place_of(b);
    uint64_t place = isa->operand_place(&b->bits, &at, selector);
    uint32_t value = (uint32_t)place, number = value & 0xff;

    switch ((enum gpu_place_kind)(place >> 32)) {
    case GPU_PLACE_REGISTER:
        return before->slot[value][lane];
    case GPU_PLACE_VALUE:
        return value;
    case GPU_PLACE_UNIFORM:
        return b->core->compute.job.uniform[value];
    case GPU_PLACE_CONSTANT:
        return isa->constant_value(b->bits.constant[number], b->bits.modifier[number], value,
                                   before->address);
    case GPU_PLACE_SAME:
        return before->slot[temporary_slot(isa, value, false)][lane];
    case GPU_PLACE_PREVIOUS:
        return before->slot[temporary_slot(isa, value, true)][lane];
    case GPU_PLACE_SPECIAL:
        return before->slot[isa->register_count + GPU_SLOT_SPECIAL + value][lane];
    case GPU_PLACE_INVALID:
        break;
    }
    return 0; /* the core rejects the bundle */
}

uint64_t fuzz_core_uniform_buffer(uint32_t index, uint32_t offset, uint32_t bytes)
{
    (void)index, (void)offset, (void)bytes;
    return 0; /* the job has no such memory */
}

uint64_t fuzz_core_result(const struct fuzz_bundle *b, uint32_t selector)
{
    struct gpu_at at = place_of(b);

    return b->core->isa.result_place(&b->bits, &at, selector);
}

uint32_t fuzz_core_staging(const struct fuzz_bundle *b, const uint32_t *selector)
{
    struct gpu_at at = place_of(b);
    uint32_t number;

    if (selector)
        return b->core->isa.staging_place(&b->bits, &at, *selector);
    number = b->core->isa.bundle_staging(&b->bits);
    return number < b->core->isa.register_count ? number : 0;
}

unsigned fuzz_core_result_slot(const struct fuzz_bundle *b, unsigned part)
{
    return temporary_slot(&b->core->isa, b->unit | part << 8, false);
}

bool fuzz_core_ends(const struct fuzz_bundle *b)
{
    return b->core->isa.bundle_flags(&b->bits) & GPU_BUNDLE_END;
}

/* ---- running --------------------------------------------------------------------------------- */

static void set_warp(struct fuzz_core *c, const struct situation *s)
{
    struct gpu_warp *w = c->warp;

    w->live = s->active;
    w->active = w->branched = w->ended = w->barred = 0;
    w->faulted = GPU_FAULT_NONE;
    w->refused = NULL;
    w->refused_detail = NULL;
    w->wait = GPU_WARP_RUNS;
    w->pool = 0;
    memcpy(w->tls, s->tls, sizeof(w->tls));
    for (unsigned l = 0; l < w->lanes; l++)
        w->pc[l] = s->address;
    for (unsigned k = 0; k < slot_count(s); k++)
        memcpy(gpu_slot(w, k), s->slot[k], w->lanes * sizeof(uint32_t));
}

static void take_warp(const struct fuzz_core *c, struct situation *s)
{
    struct gpu_warp *w = c->warp;

    for (unsigned k = 0; k < slot_count(s); k++)
        memcpy(s->slot[k], gpu_slot(w, k), w->lanes * sizeof(uint32_t));
    s->branched = w->branched;
    s->ended = w->ended;
    s->faulted = w->faulted;
    s->waits = w->wait == GPU_WARP_BARRIER ? GPU_WARP_BARRIER : GPU_WARP_RUNS;
    for (unsigned l = 0; l < w->lanes; l++)
        if (w->branched >> l & 1)
            s->target[l] = w->target[l];
}

/* Drops the decoded shader, since the next bundle has the same address. */
static void forget_shader(struct fuzz_core *c)
{
    struct gpu_cores *cores = c->cores;

    gpu_shader_put(c->compute.shader);
    for (unsigned i = 0; i < GPU_MAX_SHADERS; i++) {
        if (cores->shaders[i] != c->compute.shader)
            continue;
        gpu_shader_drop(cores->shaders[i]);
        cores->shaders[i] = NULL;
    }
    c->compute.shader = NULL;
}

bool fuzz_core_run(struct fuzz_core *c, const struct fuzz_bundle *b, struct situation *s)
{
    struct gpu_worker *k = c->cores->workers[0];
    bool valid;

    given = &b->bits;
    memcpy(c->page, s->memory, MEMORY_BYTES);
    set_warp(c, s);
    c->group.budget = 1;
    c->compute.error = GPU_JOB_OK;
    c->compute.shader = gpu_shader_get(c->cores, &c->space, s->address, SOME_UNIFORMS);
    k->host.core.local_base = s->local_base;
    gpu_warp_run(k, c->warp);
    valid = c->warp->faulted != GPU_FAULT_ENCODING && c->warp->faulted != GPU_FAULT_PC;
    forget_shader(c);
    take_warp(c, s);
    memcpy(s->memory, c->page, MEMORY_BYTES);
    if (k->pages.count > PAGES_KEPT)
        gpu_page_set_clear(&k->pages);
    return valid;
}
