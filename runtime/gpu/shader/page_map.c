/* Pages of an address space by page number: host memory that is backed where pages are entered. */
#include "runtime/gpu/shader/page_map.h"

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/gpu/lane_memory.h"

_Static_assert(GPU_MAP_PARTS <= UINT16_MAX, "numbers of parts fit");

/* A region has up to 2 * PAGES_AROUND pages. */
enum { PAGES_AROUND = 4096, PATIENCE_LEAST = 8, PATIENCE_MOST = 1 << 20 };

static void forget_regions(struct gpu_page_map *m)
{
    for (unsigned table = 0; table < GPU_REGION_TABLES; table++)
        for (unsigned n = 0; n < GPU_REGIONS; n++)
            m->region[table][n] =
                (struct gpu_region){.misses = PATIENCE_LEAST, .patience = PATIENCE_LEAST};
}

bool gpu_page_map_init(struct gpu_page_map *m)
{
    void *at = mmap(NULL, GPU_MAP_ELEMENTS * sizeof(*m->distance), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    *m = (struct gpu_page_map){.distance = at == MAP_FAILED ? NULL : at};
    forget_regions(m);
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

void gpu_page_map_widen(const struct gpu_page_map *m, unsigned table, uint64_t page,
                        struct gpu_span *s)
{
    const uint64_t *of = &m->distance[(size_t)table * GPU_MAP_STRIDE];
    uint64_t first = s->first >> GPU_TLB_PAGE_SHIFT, end = s->end >> GPU_TLB_PAGE_SHIFT;

    if (page >= GPU_MAP_PAGES)
        return;
    if (first == end || s->distance != of[page] || page + 1 < first || page > end) {
        first = page;
        end = page + 1;
    }
    while (first && of[first - 1] == of[page])
        first--;
    while (of[end] == of[page]) /* the element behind the last page's is 0 */
        end++;
    *s = (struct gpu_span){first << GPU_TLB_PAGE_SHIFT, end << GPU_TLB_PAGE_SHIFT, of[page]};
}

void gpu_region_look(struct gpu_region *r, const uint64_t *table, uint64_t page)
{
    uint64_t first = page, end = page + 1, before = r->bytes;

    /* the element behind the last page's is 0 */
    while (first && page - first < PAGES_AROUND && table[first - 1] == table[page])
        first--;
    while (end - page < PAGES_AROUND && table[end] == table[page])
        end++;
    r->first = first << GPU_TLB_PAGE_SHIFT;
    r->bytes = (end - first) << GPU_TLB_PAGE_SHIFT;
    r->distance = table[page];
    if (r->bytes >= 2 * before) /* runs that grow page by page are looked at ever more seldom */
        r->patience = PATIENCE_LEAST;
    else if (r->patience < PATIENCE_MOST)
        r->patience *= 2;
    r->misses = r->patience;
}

void gpu_page_map_drop(struct gpu_page_map *m, unsigned table, uint64_t page)
{
    size_t element = (size_t)table * GPU_MAP_STRIDE + page;

    if (page >= GPU_MAP_PAGES || !m->has_page[element / GPU_MAP_PART])
        return;
    m->distance[element] = 0;
    if (table < GPU_REGION_TABLES)
        forget_regions(m);
}

void gpu_page_map_clear(struct gpu_page_map *m)
{
    for (unsigned n = 0; n < m->parts; n++) {
        memset(&m->distance[(size_t)m->part[n] * GPU_MAP_PART], 0,
               GPU_MAP_PART * sizeof(*m->distance));
        m->has_page[m->part[n]] = false;
    }
    m->parts = 0;
    forget_regions(m);
}
