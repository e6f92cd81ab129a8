/* Which pages of the machine's memory the host has given memory for, from Linux's
 * /proc/self/pagemap (Documentation/admin-guide/mm/pagemap.rst). All others are zeros, and need not
 * be read: a guest uses little of its RAM at first, and reading a page makes the host map one. */
#ifndef RUNTIME_MACHINE_HOST_PAGES_H
#define RUNTIME_MACHINE_HOST_PAGES_H

#include <stdbool.h>
#include <stdint.h>

enum { HOST_PAGES_ENTRIES = 512 };

/* The host's page table, of which a part is read at a time. */
struct host_pages {
    int fd;              /* -1: it cannot be read, and all pages count as used */
    const uint8_t *from; /* the first page of the part; NULL: none was read yet */
    uint64_t entry[HOST_PAGES_ENTRIES];
};

/* The part that was read grows old, so the table is opened anew for each pass over memory. */
void host_pages_open(struct host_pages *map);
void host_pages_close(struct host_pages *map);

/* Whether the page of BUS_PAGE_SIZE bytes at this aligned address was ever written; true as well
 * where that is not known. Fast where addresses grow from call to call. */
bool host_page_is_used(struct host_pages *map, const uint8_t *page);

#endif
