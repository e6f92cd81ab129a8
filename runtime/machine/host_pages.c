/* Which pages of the machine's memory the host has given memory for. */
#include "runtime/machine/host_pages.h"

#include <fcntl.h>
#include <unistd.h>

#include "runtime/mem/bus.h"

void host_pages_open(struct host_pages *map)
{
    map->from = NULL;
    map->fd =
        sysconf(_SC_PAGESIZE) == (long)BUS_PAGE_SIZE ? open("/proc/self/pagemap", O_RDONLY) : -1;
}

void host_pages_close(struct host_pages *map)
{
    if (map->fd >= 0)
        close(map->fd);
}

bool host_page_is_used(struct host_pages *map, const uint8_t *page)
{
    const uint64_t present = UINT64_C(3) << 62; /* in memory, or swapped */

    if (map->fd < 0)
        return true;
    if (!map->from || page < map->from ||
        (uint64_t)(page - map->from) >= HOST_PAGES_ENTRIES * BUS_PAGE_SIZE) {
        ssize_t n = pread(map->fd, map->entry, sizeof(map->entry),
                          (off_t)((uintptr_t)page / BUS_PAGE_SIZE * 8));

        for (size_t i = n < 0 ? 0 : (size_t)n / 8; i < HOST_PAGES_ENTRIES; i++)
            map->entry[i] = present;
        map->from = page;
    }
    return map->entry[(uint64_t)(page - map->from) / BUS_PAGE_SIZE] & present;
}
