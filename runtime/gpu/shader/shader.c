/*
 * The cache of decoded shaders. A shader is identified by its address and address space. Its
 * bundles are decoded when they are first executed. They are compared with memory when a job
 * begins, so that changed code is decoded again.
 *
 * Bounds      memory: GPU_MAX_BUNDLES bundles of the running shader, GPU_KEPT_BUNDLES of all
 * others;
 *             host code: GPU_HOST_CODE, and half of it for all shaders that do not run
 */
#include "runtime/gpu/shader/core.h"

#include <stdlib.h>

#include "runtime/base/alloc.h"

static unsigned bucket_of(uint64_t address)
{
    return (unsigned)((address >> 4) ^ (address >> 12)) % GPU_CODE_BUCKETS;
}

struct gpu_code *gpu_shader_find(const struct gpu_shader *s, uint64_t address)
{
    struct gpu_code *c = __atomic_load_n(&s->bucket[bucket_of(address)], __ATOMIC_ACQUIRE);

    while (c && c->address != address)
        c = c->bucket;
    return c;
}

void gpu_shader_insert(struct gpu_shader *s, struct gpu_code *c)
{
    struct gpu_code **bucket = &s->bucket[bucket_of(c->address)];

    if (s->code_count == s->code_capacity) {
        s->code_capacity = s->code_capacity ? 2 * s->code_capacity : 32;
        s->codes = xrealloc(s->codes, s->code_capacity, sizeof(*s->codes));
    }
    c->index = s->code_count;
    s->codes[s->code_count++] = c;
    c->bucket = *bucket;
    c->older = s->newest;
    __atomic_store_n(&s->newest, c, __ATOMIC_RELEASE);
    __atomic_store_n(bucket, c, __ATOMIC_RELEASE);
}

static void shader_free(struct gpu_shader *s)
{
    for (unsigned i = 0; i < s->code_count; i++) {
        gpu_trace_free(s->codes[i]->trace);
        free(s->codes[i]);
    }
    free(s->codes);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

void gpu_shader_drop(struct gpu_shader *s)
{
    if (!s)
        return;
    s->dropped = true;
    if (!s->users)
        shader_free(s);
}

void gpu_shader_put(struct gpu_shader *s)
{
    if (!--s->users && s->dropped)
        shader_free(s);
}

bool gpu_shader_is_fresh(const struct gpu_shader *s, const struct gpu_address_space *as)
{
    for (unsigned i = 0; i < s->code_count; i++) {
        const struct gpu_code *c = s->codes[i];
        uint8_t now[GPU_MAX_BUNDLE_BYTES];

        if (gpu_code_read(as, c->address, now, c->bytes, NULL) < c->bytes ||
            memcmp(now, c->raw, c->bytes))
            return false;
    }
    return true;
}

static struct gpu_shader *shader_new(const struct gpu_address_space *as, uint64_t address,
                                     uint32_t uniforms)
{
    struct gpu_shader *s = xcalloc(1, sizeof(*s));

    s->as = as;
    s->address = address;
    s->uniforms = uniforms;
    pthread_mutex_init(&s->lock, NULL);
    return s;
}

size_t gpu_code_read(const struct gpu_address_space *as, uint64_t va, uint8_t *out, size_t bytes,
                     struct gpu_fault *fault)
{
    size_t done = 0;

    while (done < bytes) {
        struct gpu_page page = {0};
        uint32_t code = as->translate(as->opaque, va + done, GPU_ACCESS_EXECUTE, &page);

        if (code || !page.host || !page.bytes) {
            if (fault)
                *fault = (struct gpu_fault){
                    .va = va + done, .code = code, .access = GPU_ACCESS_EXECUTE, .bundle = va};
            break;
        }
        uint64_t offset = (va + done) & (page.bytes - 1);
        size_t run = bytes - done;

        if (page.bytes - offset < run)
            run = (size_t)(page.bytes - offset);
        memcpy(out + done, page.host + offset, run);
        done += run;
    }
    return done;
}

/* Drops the least recently used shaders until the others' bundles and host code are within their
 * bounds. */
static void make_room(struct gpu_cores *c)
{
    for (;;) {
        struct gpu_shader **oldest = NULL;
        unsigned bundles = 0, host_code = 0;

        for (unsigned i = 0; i < GPU_MAX_SHADERS; i++) {
            struct gpu_shader *s = c->shaders[i];

            bundles += s ? s->code_count : 0;
            host_code += s ? s->host_code : 0;
            if (s && (!oldest || s->used < (*oldest)->used))
                oldest = &c->shaders[i];
        }
        if (bundles <= GPU_KEPT_BUNDLES && host_code <= gpu_translator_room(c->translator) / 2)
            return;
        gpu_shader_drop(*oldest);
        *oldest = NULL;
    }
}

/* The cache entry of the shader at `address`, or the entry that it replaces. */
static struct gpu_shader **find_place(struct gpu_cores *c, const struct gpu_address_space *as,
                                      uint64_t address)
{
    struct gpu_shader **oldest = &c->shaders[0];

    for (unsigned i = 0; i < GPU_MAX_SHADERS; i++) {
        struct gpu_shader *s = c->shaders[i];

        if (s && s->address == address && s->as == as)
            return &c->shaders[i];
        if (*oldest && (!s || s->used < (*oldest)->used))
            oldest = &c->shaders[i];
    }
    return oldest;
}

struct gpu_shader *gpu_shader_get(struct gpu_cores *c, const struct gpu_address_space *as,
                                  uint64_t address, uint32_t uniforms)
{
    struct gpu_shader **place, *s;

    uniforms = c->decoder.isa->asks_uniforms ? uniforms : 0;
    make_room(c);
    place = find_place(c, as, address);
    s = *place;
    if (!s || s->address != address || s->as != as || s->uniforms != uniforms ||
        !gpu_shader_is_fresh(s, as)) {
        gpu_shader_drop(s);
        s = *place = shader_new(as, address, uniforms);
    }
    s->used = c->job_count;
    s->users++;
    return s;
}
