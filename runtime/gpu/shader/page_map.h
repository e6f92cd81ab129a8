/*
 * Pages of an address space below 4 GB, by page number: for each page the distance from its GPU
 * address to its host address. Host code finds a page by one load, without a comparison, since no
 * two pages share an element. Each worker has a map of its own.
 *
 * A map has tables of GPU_MAP_PAGES elements, as many as there are counters of accesses: a page is
 * in the tables of its kind and of the accesses for which it was found. An element is 0 while its
 * page is unknown. Behind each table are elements that stay 0, so that the page behind the last is
 * unknown.
 *
 * Rows whose lanes are in different pages look each of them up. A region spares that: it is a run
 * of known pages that the host has side by side, so that one distance serves all of them. Host code
 * keeps one per access of its function, and asks for another after some rows that were not inside.
 *
 * Bounds      48 MB of addresses; memory: 4 KB per table and 2 MB of addresses with a known page;
 *             GPU_REGIONS regions per table of global memory
 */
#ifndef RUNTIME_GPU_SHADER_PAGE_MAP_H
#define RUNTIME_GPU_SHADER_PAGE_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/gpu/stats.h"

enum {
    GPU_MAP_BITS = 32, /* of an address in the map */
    GPU_MAP_PAGES = 1 << 20,
    GPU_MAP_PART = 512,                            /* elements that are emptied together */
    GPU_MAP_STRIDE = GPU_MAP_PAGES + GPU_MAP_PART, /* elements from one table to the next */
    GPU_MAP_ELEMENTS = GPU_ACCESS_COUNTERS * GPU_MAP_STRIDE,
    GPU_MAP_PARTS = GPU_MAP_ELEMENTS / GPU_MAP_PART,
    GPU_REGIONS = 16,      /* per table; a power of two */
    GPU_REGION_TABLES = 2, /* tables with regions, from the first: those of global memory */
};

/* The bits of an address by which it is not the first of a page of the map. */
#define GPU_MAP_PLACE (UINT64_MAX << GPU_MAP_BITS | 0xfff)

struct gpu_region {
    uint64_t first, bytes, distance; /* GPU address; 0: no region; as in gpu_page_map */
    uint32_t misses, patience; /* rows that may miss it before another is looked for; at first */
};

struct gpu_span;
struct gpu_page_map {
    uint64_t *distance; /* GPU_MAP_ELEMENTS; NULL: the map was not made */
    struct gpu_region region[GPU_REGION_TABLES][GPU_REGIONS];
    bool has_page[GPU_MAP_PARTS]; /* the part may have elements that are not 0 */
    uint16_t part[GPU_MAP_PARTS]; /* the first `parts`: those of `has_page` */
    unsigned parts;
};

/* Makes an empty map, which the caller releases. false: the host refuses the addresses. */
bool gpu_page_map_init(struct gpu_page_map *m);
void gpu_page_map_release(struct gpu_page_map *m);
/* Enters a page, whose first byte is at `host`, into a table (enum gpu_access_counter). No effect
 * for pages from 4 GB on. */
void gpu_page_map_set(struct gpu_page_map *m, unsigned table, uint64_t page, const uint8_t *host);
/* The page's first byte; NULL: the table does not have it. */
uint8_t *gpu_page_map_find(const struct gpu_page_map *m, unsigned table, uint64_t page);
/* Adds a page that was entered into a table to the span of such pages: if it is none of those
 * around the span, the span becomes the one around the page. No effect for pages from 4 GB on. */
void gpu_page_map_widen(const struct gpu_page_map *m, unsigned table, uint64_t page,
                        struct gpu_span *s);
/* Makes the region the one around a known page of the table that starts at `table`. If it is not
 * twice as large as before, the next one is looked for later. */
void gpu_region_look(struct gpu_region *r, const uint64_t *table, uint64_t page);
/* Removes a page from a table, or all pages from all tables. */
void gpu_page_map_drop(struct gpu_page_map *m, unsigned table, uint64_t page);
void gpu_page_map_clear(struct gpu_page_map *m);

#endif
