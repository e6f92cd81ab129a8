/* Pages of an address space by page number: host memory that is backed where pages are entered. */
#include "runtime/gpu/shader/page_map.h"

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/gpu/lane_memory.h"

_Static_assert(GPU_MAP_PARTS <= UINT16_MAX, "numbers of parts fit");

bool gpu_page_map_init(struct gpu_page_map *m)
{
    void *at = mmap(NULL, GPU_MAP_ELEMENTS * sizeof(*m->distance), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    *m = (struct gpu_page_map){.distance = at == MAP_FAILED ? NULL : at};
    return m->distance != NULL;
}

void gpu_page_map_release(struct gpu_page_map *m)
{
    if (m->distance)
        munmap(m->distance, GPU_MAP_ELEMENTS * sizeof(*m->distance));
    *m = (struct gpu_page_map){0};
}

void gpu_page_map_set(struct gpu_page_map *m, unsigned table, uint64_t page, const uint8_t *host)
{
    size_t element = (size_t)table * GPU_MAP_STRIDE + page, part = element / GPU_MAP_PART;

    if (page >= GPU_MAP_PAGES)
        return;
    if (!m->has_page[part]) {
        m->has_page[part] = true;
        m->part[m->parts++] = (uint16_t)part;
    }
    m->distance[element] = (uintptr_t)host - (page << GPU_TLB_PAGE_SHIFT);
}

uint8_t *gpu_page_map_find(const struct gpu_page_map *m, unsigned table, uint64_t page)
{
    uint64_t distance =
        page < GPU_MAP_PAGES ? m->distance[(size_t)table * GPU_MAP_STRIDE + page] : 0;

    return distance ? (uint8_t *)(uintptr_t)(distance + (page << GPU_TLB_PAGE_SHIFT)) : NULL;
}

void gpu_page_map_drop(struct gpu_page_map *m, unsigned table, uint64_t page)
{
    size_t element = (size_t)table * GPU_MAP_STRIDE + page;

    if (page < GPU_MAP_PAGES && m->has_page[element / GPU_MAP_PART])
        m->distance[element] = 0;
}

void gpu_page_map_clear(struct gpu_page_map *m)
{
    for (unsigned n = 0; n < m->parts; n++) {
        memset(&m->distance[(size_t)m->part[n] * GPU_MAP_PART], 0,
               GPU_MAP_PART * sizeof(*m->distance));
        m->has_page[m->part[n]] = false;
    }
    m->parts = 0;
}
