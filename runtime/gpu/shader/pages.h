/* Pages that work-groups use: private ones, and the set of those that a job touched (access.c). */
#ifndef RUNTIME_GPU_SHADER_PAGES_H
#define RUNTIME_GPU_SHADER_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    GPU_PRIVATE_PAGES = 8192 /* per work-group; pages beyond are shared, as in the real memory */
};

/* A page that belongs to one work-group: local memory, or private memory of its threads. */
struct gpu_private_page {
    uint64_t page; /* page number */
    uint8_t *host;
    bool used; /* touched by the current group, so that it is cleared for the next */
};

struct gpu_private {
    struct gpu_private_page *pages; /* hash table */
    unsigned count, capacity;
    unsigned used; /* pages with the mark `used` */
    /* Pages that lie side by side in the host: the threads' own memory. NULL: there are none yet.
     */
    uint8_t *area;
    uint64_t area_first; /* page number */
    unsigned area_pages;
};

/* Lets `pages` pages from page number `first` on lie side by side in the host. More than
 * GPU_PRIVATE_PAGES do not. */
void gpu_private_set_area(struct gpu_private *p, uint64_t first, uint64_t pages);

/* Host memory of a private page, zero at the group's first access. NULL: GPU_PRIVATE_PAGES are
 * used. */
uint8_t *gpu_private_host(struct gpu_private *p, uint64_t page);
/* Zeroes the pages that the group touched, for the next group; gpu_private_release() frees all. */
void gpu_private_clear(struct gpu_private *p);
void gpu_private_release(struct gpu_private *p);
/* A set of touched pages: an open hash table of blocks of adjacent pages, since buffers are
 * accessed page by page. */
struct gpu_page_block {
    uint64_t number;
    uint64_t pages; /* bit p: page p of the block is in the set; 0: the place is free */
};
struct gpu_page_set {
    struct gpu_page_block *block;
    size_t blocks, capacity;
    size_t count; /* number of pages */
};

/* Adds a page number; without effect at PAGE_SET_MAX pages. */
void gpu_page_set_add(struct gpu_page_set *s, uint64_t page);
/* Adds the pages of `from`, which becomes empty. */
void gpu_page_set_merge(struct gpu_page_set *s, struct gpu_page_set *from);
void gpu_page_set_clear(struct gpu_page_set *s);
void gpu_page_set_release(struct gpu_page_set *s);

#endif
