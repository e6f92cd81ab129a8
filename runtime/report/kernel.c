/*
 * A kernel's bundles and the ways between them, summed over its jobs.
 *
 * Bounds      memory: the bundles of a shader, and MAX_WAYS ways
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/report/internal.h"

enum { MAX_WAYS = 1 << 18 };

/* ---- sorted lists ---------------------------------------------------------------------------- */

/* The number of bundles before a place. */
static size_t rank_of(const struct report_kernel *k, uint64_t place)
{
    size_t low = 0, high = k->bundles.len;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (k->bundles.data[middle].place < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct report_bundle *report_kernel_bundle(struct report_kernel *k, uint64_t place)
{
    size_t at = rank_of(k, place);

    return at < k->bundles.len && k->bundles.data[at].place == place ? &k->bundles.data[at] : NULL;
}

/* The bundle at a place, which is made if there is none. */
static struct report_bundle *bundle_at(struct report_kernel *k, uint64_t place)
{
    size_t at = rank_of(k, place);
    struct report_bundle *b;

    if (at < k->bundles.len && k->bundles.data[at].place == place)
        return &k->bundles.data[at];
    vec_reserve_one(&k->bundles);
    b = &k->bundles.data[at];
    memmove(b + 1, b, (k->bundles.len++ - at) * sizeof(*b));
    *b = (struct report_bundle){.place = place};
    return b;
}

static bool is_before(const struct report_way *a, const struct report_way *b)
{
    return a->from != b->from ? a->from < b->from : a->to < b->to;
}

static void add_way(struct report_kernel *k, const struct report_way *way)
{
    size_t low = 0, high = k->ways.len;
    struct report_way *at;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (is_before(&k->ways.data[middle], way))
            low = middle + 1;
        else
            high = middle;
    }
    if (low == k->ways.len || is_before(way, &k->ways.data[low])) {
        if (k->ways.len == MAX_WAYS)
            return;
        vec_reserve_one(&k->ways);
        at = &k->ways.data[low];
        memmove(at + 1, at, (k->ways.len++ - low) * sizeof(*at));
        *at = *way;
        return;
    }
    at = &k->ways.data[low];
    at->count.warps += way->count.warps;
    at->count.lanes += way->count.lanes;
    at->divergent += way->divergent;
}

/* ---- the code -------------------------------------------------------------------------------- */

struct walking {
    struct report_kernel *kernel;
    const struct gpu_decoder *decoder;
    struct gpu_shader *scratch;
};

/* Decodes the bundle for its contents. */
static void read_profile(struct walking *w, const struct gpu_walked *walked,
                         struct report_bundle *b)
{
    struct gpu_code *code;
    bool valid = false;

    w->scratch->pool_count = 0;
    code = gpu_decode_bundle(w->decoder, w->scratch, walked->code, walked->available,
                             walked->address, &valid);
    if (valid)
        b->profile = code->profile;
    free(code);
}

/* A copy without newlines at its end. */
static char *without_end(const char *text)
{
    char *copy = xstrdup(text);
    size_t length = strlen(copy);

    while (length && copy[length - 1] == '\n')
        copy[--length] = 0;
    return copy;
}

static bool add_walked(void *opaque, const struct gpu_walked *walked)
{
    struct walking *w = opaque;
    uint64_t grain = w->decoder->isa->grain_bytes;
    struct report_bundle *b = bundle_at(w->kernel, walked->index * grain);

    b->bytes = (uint32_t)walked->bytes;
    b->ends = walked->ends;
    b->always = walked->always;
    b->target_count = walked->target_count;
    for (unsigned i = 0; i < walked->target_count; i++)
        b->target[i] = (uint64_t)walked->targets[i] * grain;
    if (!b->text)
        b->text = without_end(walked->text);
    read_profile(w, walked, b);
    b->texture = report_is_texture(b->text);
    if (b->texture) {
        w->kernel->summary.texture += b->profile.instructions[GPU_CLASS_ATTRIBUTE];
        w->kernel->summary.load_store -= b->profile.instructions[GPU_CLASS_ATTRIBUTE];
    }
    return true;
}

static void walk_code(struct report_kernel *k, const struct gpu_account *a)
{
    struct walking w = {k, a->decoder, xcalloc(1, sizeof(*w.scratch))};
    const struct gpu_isa *isa = a->decoder->isa;

    w.scratch->uniforms = a->job->uniform_words;
    if (isa->disasm_bundle && k->shader % isa->grain_bytes == 0)
        gpu_walk_shader(isa, a->as, k->shader, a->job->uniform_words, add_walked, &w);
    free(w.scratch);
}

/* ---- jobs ------------------------------------------------------------------------------------ */

static void add_counters(struct gpu_counters *to, const struct gpu_counters *from)
{
#define ADD(field, name) to->field += from->field;
    GPU_COUNTERS(ADD)
#undef ADD
}

static void begin_kernel(struct report_kernel *k, const struct gpu_account *a)
{
    k->shader = a->job->shader_address;
    k->summary = *a->summary;
    memcpy(k->size, a->job->size, sizeof(k->size));
    k->uniforms = a->job->uniform_words;
    k->registers = a->job->registers;
    walk_code(k, a);
}

/* A place of the kernel, of an address in the job. */
static uint64_t place_of(const struct gpu_account *a, uint64_t address)
{
    return address >= GPU_WAY_START ? address : address - a->job->shader_address;
}

void report_kernel_add(struct report_kernel *k, const struct gpu_account *a)
{
    if (!k->sum.jobs)
        begin_kernel(k, a);
    add_counters(&k->sum, a->counters);
    for (size_t i = 0; i < a->bundle_count; i++) {
        const struct gpu_account_bundle *from = &a->bundles[i];
        struct report_bundle *b = bundle_at(k, place_of(a, from->address));

        b->count.warps += from->count.warps;
        b->count.lanes += from->count.lanes;
        b->divergent += from->divergent;
        if (b->text)
            continue;
        b->bytes = from->bytes;
        b->profile = *from->profile;
    }
    for (size_t i = 0; i < a->way_count; i++) {
        const struct gpu_account_way *from = &a->ways[i];
        struct report_way way = {place_of(a, from->from), place_of(a, from->to), from->count,
                                 from->divergent};

        if (from->from == GPU_WAY_START)
            k->rows += from->count.warps;
        add_way(k, &way);
    }
}

void report_kernel_release(struct report_kernel *k)
{
    for (size_t i = 0; i < k->bundles.len; i++)
        free(k->bundles.data[i].text);
    for (size_t i = 0; i < k->accesses.len; i++)
        vec_free(&k->accesses.data[i].strides);
    vec_free(&k->bundles);
    vec_free(&k->ways);
    vec_free(&k->flow.blocks);
    vec_free(&k->flow.edges);
    vec_free(&k->accesses);
    vec_free(&k->buffers);
    report_found_release(&k->found);
    free(k->name);
}
