/*
 * Memory and job of a kernel, by the layouts of the GPU's version.
 *
 *     CODE      the shader
 *     JOB       descriptors
 *     LOCAL     memory of a work-group, then of its threads; each group has pages of its own there
 *     BUFFERS   the buffers of the arguments, each followed by an unmapped page
 */
#include "programs/mali-run/kernel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mali_layout.h"
#include "runtime/base/alloc.h"
#include "runtime/gpu/isa.h"
#include "runtime/gpu/snapshot.h"
#include "runtime/gpu/variant.h"

enum { PAGE = 4096, DESCRIPTOR_ALIGNMENT = 64, JOB_PAGES = 1, BUFFER_ALIGNMENT = 1 << 20 };

static const uint64_t CODE = 0x1000000, JOB = 0x3000000, LOCAL = 0x4000000, BUFFERS = 0x40000000;

struct builder {
    struct kernel *k;
    const struct gpu_variant *variant;
    struct gpu_snapshot *s;
    uint8_t *job;  /* host memory at JOB */
    uint64_t used; /* bytes in use */
    struct mali_local_storage storage;
    struct error *err;
};

static uint64_t round_to_pages(uint64_t bytes)
{
    return (bytes + PAGE - 1) & ~(uint64_t)(PAGE - 1);
}

/* Adds `bytes` bytes of memory at `va`. */
static uint8_t *add_memory(struct builder *b, uint64_t va, uint64_t bytes, bool write)
{
    const struct gpu_snapshot_range range = {va, round_to_pages(bytes), .write = write,
                                             .execute = !write};
    uint8_t *host = gpu_snapshot_add(b->s, &range, true);

    return host ? host
                : error_null(b->err, "not enough memory for %llu bytes", (unsigned long long)bytes);
}

/* ---- descriptors ----------------------------------------------------------------------------- */

/* Allocates a descriptor: returns its address, and its host memory in *host. All descriptors fit in
 * JOB_PAGES. */
static uint64_t allocate_descriptor(struct builder *b, unsigned bytes, uint8_t **host)
{
    uint64_t at = b->used;

    *host = b->job + at;
    b->used = (at + bytes + DESCRIPTOR_ALIGNMENT - 1) & ~(uint64_t)(DESCRIPTOR_ALIGNMENT - 1);
    return JOB + at;
}

static bool check_packed(struct builder *b, const char *what, const char *bad)
{
    return !bad || error_set(b->err, "%s cannot have this job: its %s has no room for %s",
                             b->variant->title, what, bad);
}

/* Writes a descriptor `name` to `host`. */
#define PACK(b, name, d, host) \
    check_packed(b, #name, mali_##name##_pack((b)->variant->architecture, d, host))
#define USUAL(b, name, d) mali_##name##_usual((b)->variant->architecture, d)
#define SIZE(b, name)     mali_##name##_bytes((b)->variant->architecture)

static unsigned bits_of(uint32_t n)
{
    return n ? 32 - (unsigned)__builtin_clz(n) : 0;
}

/* The smallest n with 1 << n not below the argument. */
static unsigned log2_up(uint64_t n)
{
    return n > 1 ? 64 - (unsigned)__builtin_clzll(n - 1) : 0;
}

static bool set_invocation(struct builder *b, struct mali_invocation *v)
{
    const struct kernel *k = b->k;
    uint64_t all = 0;
    unsigned at[7] = {0};

    for (unsigned i = 0; i < 6; i++) {
        uint32_t n = (i < 3 ? k->local[i] : k->global[i - 3] / k->local[i - 3]) - 1;

        at[i + 1] = at[i] + bits_of(n);
        if (at[i + 1] > 32)
            return error_set(b->err,
                             "-global and -local: their numbers do not fit in a job's 32 bits");
        all |= (uint64_t)n << at[i];
    }
    USUAL(b, invocation, v);
    v->packed = (uint32_t)all;
    v->size_y_shift = at[1];
    v->size_z_shift = at[2];
    v->groups_x_shift = at[3];
    v->groups_y_shift = at[4];
    v->groups_z_shift = at[5];
    return true;
}

static uint64_t add_uniforms(struct builder *b)
{
    uint8_t *host;
    uint64_t va = allocate_descriptor(b, 8 * KERNEL_MAX_ARGUMENTS, &host);

    for (unsigned i = 0; i < b->k->argument_count; i++)
        memcpy(host + 8 * i, &b->k->argument[i].value, 8);
    return va;
}

static bool add_storage(struct builder *b, uint64_t *va)
{
    uint8_t *host;

    *va = allocate_descriptor(b, SIZE(b, local_storage), &host);
    return PACK(b, local_storage, &b->storage, host);
}

/* Adds the renderer state. The place of the number of uniforms depends on the version, so it is set
 * in both places. */
static bool add_state(struct builder *b, uint64_t *va)
{
    unsigned pairs = (b->k->argument_count + 1) & ~1u;
    struct mali_renderer_state d;
    uint8_t *host;

    USUAL(b, renderer_state, &d);
    d.shader = b->k->code;
    d.contains_barrier = true;
    d.work_register_count = (uint32_t)b->k->registers;
    d.uniform_count = pairs / 2;
    d.preload.uniform_count = pairs;
    d.preload.local_id_xy = d.preload.local_id_z = true;
    d.preload.group_id_x = d.preload.group_id_y = d.preload.group_id_z = true;
    d.preload.global_id_x = d.preload.global_id_y = d.preload.global_id_z = true;
    *va = allocate_descriptor(b, SIZE(b, renderer_state), &host);
    return PACK(b, renderer_state, &d, host);
}

static bool add_job(struct builder *b)
{
    struct mali_job_header header;
    struct mali_compute_payload payload;
    uint8_t *host;

    allocate_descriptor(b, SIZE(b, job_header) + SIZE(b, compute_payload), &host);
    USUAL(b, job_header, &header);
    header.type = MALI_JOB_TYPE_COMPUTE;
    header.index = 1;
    USUAL(b, compute_payload, &payload);
    if (!set_invocation(b, &payload.invocation) || !add_state(b, &payload.draw.state) ||
        !add_storage(b, &payload.draw.thread_storage))
        return false;
    payload.draw.push_uniforms = add_uniforms(b);
    return PACK(b, job_header, &header, host) &&
           PACK(b, compute_payload, &payload, host + SIZE(b, job_header));
}

/* ---- code and buffers ------------------------------------------------------------------------ */

static bool add_code(struct builder *b, const struct gpu_isa *isa)
{
    size_t bytes;
    uint8_t *code = kernel_code(b->k, b->variant->isa, &bytes, b->err);
    uint8_t *host = code ? add_memory(b, CODE, bytes, false) : NULL;
    bool good = host != NULL;

    if (host)
        memcpy(host, code, bytes);
    free(code);
    b->k->code = CODE;
    if (good && bytes % isa->grain_bytes)
        good = error_set(b->err, "%.100s: %zu bytes are no whole words of %u", b->k->file, bytes,
                         isa->grain_bytes);
    return good;
}

static bool load_file(const struct kernel_argument *a, uint8_t *host, struct error *err)
{
    FILE *in = fopen(a->file, "rb");
    bool good = in && fread(host, 1, a->bytes, in) == a->bytes;

    if (!good)
        error_set(err, "%.150s: %s", a->file,
                  in && !ferror(in) ? "cannot be read" : strerror(errno));
    if (in)
        fclose(in);
    return good;
}

/* Adds memory of work-groups and threads, in powers of two. */
static bool add_local(struct builder *b)
{
    const struct kernel *k = b->k;
    struct mali_local_storage *d = &b->storage;
    uint64_t threads = (uint64_t)k->local[0] * k->local[1] * k->local[2], end = LOCAL;

    USUAL(b, local_storage, d);
    d->wls_instances = MALI_WLS_NONE;
    if (k->local_memory) {
        unsigned shift = log2_up(k->local_memory);

        d->wls_base = end;
        d->wls_instances = 0;
        d->wls_size_scale = shift + 1;
        end += round_to_pages(UINT64_C(1) << shift);
    }
    if (k->stack) {
        d->tls_base = end;
        d->tls_size = log2_up((k->stack + MALI_TLS_UNIT - 1) / MALI_TLS_UNIT);
        end += ((uint64_t)MALI_TLS_UNIT << d->tls_size) * threads;
    }
    return end == LOCAL || add_memory(b, LOCAL, end - LOCAL, true);
}

static bool add_buffers(struct builder *b)
{
    uint64_t va = BUFFERS;

    for (unsigned i = 0; i < b->k->argument_count; i++) {
        struct kernel_argument *a = &b->k->argument[i];
        uint8_t *host = a->is_buffer ? add_memory(b, va, a->bytes, true) : NULL;

        if (!a->is_buffer)
            continue;
        if (!host || (a->file && !load_file(a, host, b->err)))
            return false;
        a->value = va;
        va = (va + a->bytes + PAGE + BUFFER_ALIGNMENT - 1) & ~(uint64_t)(BUFFER_ALIGNMENT - 1);
    }
    return true;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Sets sizes that were not given, and checks that all fit together. */
static bool settle_sizes(struct kernel *k, const struct gpu_variant *v, struct error *err)
{
    uint64_t threads = 1;

    if (!k->global[0])
        k->global[0] = k->global[1] = k->global[2] = 1;
    if (!k->local[0])
        memcpy(k->local, k->global, sizeof(k->local));
    for (unsigned i = 0; i < 3; i++) {
        if (k->global[i] % k->local[i])
            return error_set(err, "-global %u,%u,%u is not a multiple of -local %u,%u,%u",
                             k->global[0], k->global[1], k->global[2], k->local[0], k->local[1],
                             k->local[2]);
        threads = threads > v->max_group ? threads : threads * k->local[i];
    }
    if (threads > v->max_group)
        return error_set(err, "a work-group of %s has %u threads at most: -local says how many",
                         v->title, v->max_group);
    return true;
}

static bool check_dumps(const struct kernel *k, struct error *err)
{
    for (size_t i = 0; i < k->dumps.len; i++) {
        unsigned n = k->dumps.data[i].argument;

        if (n >= k->argument_count)
            return error_set(err, "-dump %u: there are %u arguments, counted from 0", n,
                             k->argument_count);
        if (!k->argument[n].is_buffer)
            return error_set(err, "-dump %u: this argument is no buffer", n);
    }
    return true;
}

struct gpu_snapshot *kernel_build(struct kernel *k, const struct gpu_variant *variant,
                                  const struct gpu_isa *isa, struct error *err)
{
    struct builder b = {.k = k, .variant = variant, .err = err};
    bool good;

    if (!settle_sizes(k, variant, err) || !check_dumps(k, err))
        return NULL;
    b.s = gpu_snapshot_new();
    b.s->product = variant->product;
    b.s->revision = variant->revision;
    b.s->submits = xcalloc(1, sizeof(*b.s->submits));
    b.s->submits[b.s->submit_count++].head = JOB;
    good = add_code(&b, isa) && (b.job = add_memory(&b, JOB, JOB_PAGES * PAGE, true)) &&
           add_local(&b) && add_buffers(&b) && add_job(&b);
    if (good)
        return b.s;
    gpu_snapshot_free(b.s);
    return NULL;
}

bool kernel_write_dumps(const struct kernel *k, const struct gpu_snapshot *s, struct error *err)
{
    for (size_t i = 0; i < k->dumps.len; i++) {
        const struct kernel_dump *d = &k->dumps.data[i];
        const struct kernel_argument *a = &k->argument[d->argument];
        uint8_t *bytes = xcalloc(1, a->bytes);
        struct gpu_fault ignored;
        FILE *out = fopen(d->file, "wb");
        bool good = out && gpu_memory_read(&s->space, a->value, bytes, a->bytes, &ignored) &&
                    fwrite(bytes, 1, a->bytes, out) == a->bytes;

        if (out)
            good = !fclose(out) && good;
        free(bytes);
        if (!good)
            return error_set(err, "cannot write %.200s", d->file);
    }
    return true;
}
