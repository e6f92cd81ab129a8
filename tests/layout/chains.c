/*
 * Every descriptor that the job chains of memory snapshots reach must unpack without a bad field:
 *
 *     layout_chains [-v] SNAPSHOT…
 *
 * A snapshot is an ELF core file: the entry point is the address of the first job, the high half of
 * e_flags the product, each PT_LOAD a buffer. With -v all descriptors are printed.
 */
#include "mali_layout.h"

#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_JOBS = 10000 };

struct snapshot {
    const char *path;
    uint8_t *bytes;
    size_t size;
    unsigned version;
    bool verbose;
    unsigned bad, seen;
};

static bool load_snapshot(struct snapshot *s)
{
    FILE *f = fopen(s->path, "rb");
    long size;
    bool ok = f && !fseek(f, 0, SEEK_END) && (size = ftell(f)) > (long)sizeof(Elf64_Ehdr);

    if (ok) {
        s->size = (size_t)size;
        s->bytes = malloc(s->size);
        rewind(f);
        ok = s->bytes && fread(s->bytes, 1, s->size, f) == s->size &&
             !memcmp(s->bytes, ELFMAG, SELFMAG);
    }
    if (f)
        fclose(f);
    return ok;
}

/*
 * Midgard's product numbers are a list of their own; those of later GPUs begin with the
 * architecture.
 */
static unsigned version_of(uint32_t product)
{
    if (product >= 0x1000)
        return product >> 12;
    return product == 0x600 || product == 0x620 || product == 0x720 ? 4 : 5;
}

/*
 * Copies memory of the GPU; bytes that a buffer has no file contents for are 0. Returns false
 * outside of buffers.
 */
static bool fetch_memory(const struct snapshot *s, uint64_t va, void *out, size_t size)
{
    const Elf64_Ehdr *e = (const Elf64_Ehdr *)s->bytes;

    memset(out, 0, size);
    for (unsigned i = 0; i < e->e_phnum; i++) {
        const Elf64_Phdr *p = (const Elf64_Phdr *)(s->bytes + e->e_phoff) + i;
        uint64_t at = va - p->p_vaddr;

        if (p->p_type != PT_LOAD || va < p->p_vaddr || at + size > p->p_memsz)
            continue;
        if (at < p->p_filesz && p->p_offset + p->p_filesz <= s->size)
            memcpy(out, s->bytes + p->p_offset + at,
                   at + size <= p->p_filesz ? size : p->p_filesz - at);
        return true;
    }
    return false;
}

/* Counts a descriptor; reports its bad field. */
static bool count_descriptor(struct snapshot *s, const char *layout, uint64_t va, const char *bad)
{
    s->seen++;
    if (!bad)
        return true;
    fprintf(stderr, "%s: %s at %#" PRIx64 ": %s\n", s->path, layout, va, bad);
    s->bad++;
    return false;
}

/* Defines one function per layout, which fetches, unpacks and prints a descriptor. */
#define LAYOUT(name)                                                                \
    static bool take_##name(struct snapshot *s, uint64_t va, struct mali_##name *d) \
    {                                                                               \
        uint8_t bytes[4096];                                                        \
        const char *bad = "no memory";                                              \
                                                                                    \
        if (fetch_memory(s, va, bytes, mali_##name##_bytes(s->version)))            \
            bad = mali_##name##_unpack(s->version, bytes, d);                       \
        if (s->verbose) {                                                           \
            printf(#name " at %#" PRIx64 "\n", va);                                 \
            mali_##name##_print(s->version, stdout, 2, d);                          \
        }                                                                           \
        return count_descriptor(s, #name, va, bad);                                 \
    }
LAYOUT(job_header)
LAYOUT(write_value_payload)
LAYOUT(cache_flush_payload)
LAYOUT(compute_payload)
LAYOUT(tiler_payload)
LAYOUT(indexed_vertex_payload)
LAYOUT(fragment_payload)
LAYOUT(renderer_state)
LAYOUT(local_storage)
LAYOUT(uniform_buffer)
LAYOUT(attribute)
LAYOUT(attribute_buffer)
LAYOUT(attribute_image)
LAYOUT(attribute_divisor)
LAYOUT(texture)
LAYOUT(sampler)

/* Checks attributes, and the buffers that they name. */
static void check_attributes(struct snapshot *s, uint64_t table, uint64_t buffers, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct mali_attribute a = {0};
        struct mali_attribute_buffer b = {0};
        struct mali_attribute_image image;
        struct mali_attribute_divisor divisor;
        uint64_t at;

        if (!take_attribute(s, table + i * (uint64_t)mali_attribute_bytes(s->version), &a))
            return;
        at = buffers + a.buffer_index * (uint64_t)mali_attribute_buffer_bytes(s->version);
        if (!take_attribute_buffer(s, at, &b))
            return;
        at += mali_attribute_buffer_bytes(s->version);
        if (b.type == MALI_ATTRIBUTE_TYPE_IMAGE_LINEAR || b.type == MALI_ATTRIBUTE_TYPE_IMAGE_TILED)
            take_attribute_image(s, at, &image);
        if (b.type == MALI_ATTRIBUTE_TYPE_NPOT_DIVISOR)
            take_attribute_divisor(s, at, &divisor);
    }
}

static void check_draw(struct snapshot *s, const struct mali_draw *d, bool tiler)
{
    struct mali_renderer_state r = {0};
    struct mali_local_storage l;
    struct mali_uniform_buffer u;
    struct mali_texture t;
    struct mali_sampler sampler;

    if (d->state && !take_renderer_state(s, d->state & ~UINT64_C(15), &r))
        return;
    if (d->thread_storage && !tiler)
        take_local_storage(s, d->thread_storage & ~UINT64_C(63), &l);
    for (unsigned i = 0; i < r.uniform_buffer_count && d->uniform_buffers; i++)
        take_uniform_buffer(s, d->uniform_buffers + 8 * i, &u);
    if (d->attributes && d->attribute_buffers)
        check_attributes(s, d->attributes, d->attribute_buffers, r.attribute_count);
    for (unsigned i = 0; i < r.texture_count && d->textures && s->version >= 6; i++)
        take_texture(s, d->textures + i * (uint64_t)mali_texture_bytes(s->version), &t);
    for (unsigned i = 0; i < r.sampler_count && d->samplers; i++)
        take_sampler(s, d->samplers + i * (uint64_t)mali_sampler_bytes(s->version), &sampler);
}

static void check_payload(struct snapshot *s, unsigned type, uint64_t va)
{
    union {
        struct mali_write_value_payload w;
        struct mali_cache_flush_payload c;
        struct mali_compute_payload p;
        struct mali_tiler_payload t;
        struct mali_indexed_vertex_payload i;
        struct mali_fragment_payload f;
    } d = {0};

    switch (type) {
    case MALI_JOB_TYPE_WRITE_VALUE:
        take_write_value_payload(s, va, &d.w);
        break;
    case MALI_JOB_TYPE_CACHE_FLUSH:
        take_cache_flush_payload(s, va, &d.c);
        break;
    case MALI_JOB_TYPE_COMPUTE:
    case MALI_JOB_TYPE_VERTEX:
        if (take_compute_payload(s, va, &d.p))
            check_draw(s, &d.p.draw, false);
        break;
    case MALI_JOB_TYPE_TILER:
        if (take_tiler_payload(s, va, &d.t))
            check_draw(s, &d.t.draw, true);
        break;
    case MALI_JOB_TYPE_INDEXED_VERTEX:
        if (take_indexed_vertex_payload(s, va, &d.i)) {
            check_draw(s, &d.i.vertex_draw, false);
            check_draw(s, &d.i.fragment_draw, true);
        }
        break;
    case MALI_JOB_TYPE_FRAGMENT:
        take_fragment_payload(s, va, &d.f);
        break;
    default:
        break;
    }
}

static void check_chain(struct snapshot *s, uint64_t va)
{
    for (unsigned i = 0; va && i < MAX_JOBS; i++) {
        struct mali_job_header h = {0};

        if (!take_job_header(s, va, &h))
            return;
        check_payload(s, h.type, va + mali_job_header_bytes(s->version));
        va = h.next;
    }
}

int main(int argc, char **argv)
{
    bool verbose = argc > 1 && !strcmp(argv[1], "-v");
    unsigned bad = 0, seen = 0;

    for (int i = 1 + verbose; i < argc; i++) {
        struct snapshot s = {.path = argv[i], .verbose = verbose};
        const Elf64_Ehdr *e;

        if (!load_snapshot(&s)) {
            fprintf(stderr, "%s: not a snapshot\n", s.path);
            return 2;
        }
        e = (const Elf64_Ehdr *)s.bytes;
        s.version = version_of(e->e_flags >> 16);
        check_chain(&s, e->e_entry);
        bad += s.bad;
        seen += s.seen;
        free(s.bytes);
    }
    printf("%d snapshots, %u descriptors, %u bad\n", argc - 1 - verbose, seen, bad);
    return bad || !seen;
}
