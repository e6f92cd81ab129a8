/* The memory of a snapshot: pieces of host memory, as a flat address space without page tables. */
#include "runtime/gpu/snapshot.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "mali_layout.h"
#include "runtime/base/alloc.h"
#include "runtime/gpu/snapshot/elf_file.h"

#define LARGE_PAGE (UINT64_C(1) << 21)

static const struct gpu_snapshot_segment *find_segment(const struct gpu_snapshot *s, uint64_t va)
{
    size_t low = 0, high = s->segment_count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (va - s->segments[middle].va < s->segments[middle].bytes)
            return &s->segments[middle];
        if (va < s->segments[middle].va)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

/* The largest page, of a size that pages of an MMU have, around `va` in a segment. */
static uint64_t page_around(const struct gpu_snapshot_segment *g, uint64_t va)
{
    uint64_t first = va & ~(LARGE_PAGE - 1);

    return first >= g->va && first - g->va + LARGE_PAGE <= g->bytes ? LARGE_PAGE : SNAPSHOT_PAGE;
}

static uint32_t translate_address(void *opaque, uint64_t va, enum gpu_access access,
                                  struct gpu_page *out)
{
    const struct gpu_snapshot_segment *g = find_segment(opaque, va);
    uint64_t bytes;
    bool allowed;

    if (!g)
        return MALI_EXCEPTION_TRANSLATION_FAULT;
    bytes = page_around(g, va);
    *out = (struct gpu_page){
        .host = g->host + ((va & ~(bytes - 1)) - g->va),
        .bytes = bytes,
        .read = g->read,
        .write = g->write,
        .execute = g->execute,
    };
    allowed = access == GPU_ACCESS_READ      ? g->read
              : access == GPU_ACCESS_WRITE   ? g->write
              : access == GPU_ACCESS_EXECUTE ? g->execute
                                             : g->read && g->write;
    return allowed ? 0 : MALI_EXCEPTION_PERMISSION_FAULT;
}

struct gpu_snapshot *gpu_snapshot_new(void)
{
    struct gpu_snapshot *s = xcalloc(1, sizeof(*s));

    s->space =
        (struct gpu_address_space){.opaque = s, .translate = translate_address, .generation = 1};
    return s;
}

uint8_t *gpu_snapshot_add(struct gpu_snapshot *s, const struct gpu_snapshot_range *range, bool read)
{
    void *host = mmap(NULL, range->bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (host == MAP_FAILED)
        return NULL;
    s->segments = xrealloc(s->segments, s->segment_count + 1, sizeof(*s->segments));
    s->segments[s->segment_count++] = (struct gpu_snapshot_segment){
        .va = range->va,
        .bytes = range->bytes,
        .host = host,
        .given = range->bytes,
        .read = read,
        .write = range->write,
        .execute = range->execute,
    };
    return host;
}

void gpu_snapshot_free(struct gpu_snapshot *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->segment_count; i++)
        munmap(s->segments[i].host, s->segments[i].bytes);
    free(s->segments);
    free(s->submits);
    free(s->buffers);
    free(s->missing_memory);
    free(s);
}
