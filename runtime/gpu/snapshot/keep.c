/*
 * Saved memory of a snapshot, to run its chains again. Only pages that are not zero are saved. For
 * the others the host's fresh zero pages are used again.
 */
#include "runtime/gpu/snapshot.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "common/vec.h"
#include "runtime/gpu/snapshot/elf_file.h"

/* A page that is not all zeros. */
struct kept_page {
    uint8_t *host;
    uint8_t content[SNAPSHOT_PAGE];
};

struct gpu_snapshot_kept {
    VEC(struct kept_page) pages; /* by segment, and in it by address */
};

/* Returns pages of zeros to the host, which mapped them when they were read. */
static void return_pages(uint8_t *from, const uint8_t *to)
{
    if (from < to)
        madvise(from, (size_t)(to - from), MADV_DONTNEED);
}

static void keep_segment(struct gpu_snapshot_kept *k, const struct gpu_snapshot_segment *g)
{
    uint8_t *zeros = g->host;

    for (uint8_t *page = g->host; page < g->host + g->given; page += SNAPSHOT_PAGE) {
        struct kept_page kept = {.host = page};

        if (bytes_are_zero(page, SNAPSHOT_PAGE))
            continue;
        memcpy(kept.content, page, SNAPSHOT_PAGE);
        vec_push(&k->pages, kept);
        return_pages(zeros, page);
        zeros = page + SNAPSHOT_PAGE;
    }
    return_pages(zeros, g->host + g->bytes);
}

struct gpu_snapshot_kept *gpu_snapshot_keep(const struct gpu_snapshot *s)
{
    struct gpu_snapshot_kept *k = xcalloc(1, sizeof(*k));

    for (size_t i = 0; i < s->segment_count; i++)
        keep_segment(k, &s->segments[i]);
    return k;
}

/*
 * Zeroes pages. Pages that are mapped are mapped again at once, so that the next run takes no page
 * faults. The result of mincore() affects only the time.
 */
static void clear_pages(uint8_t *from, const uint8_t *to)
{
    size_t count = (size_t)(to - from) / SNAPSHOT_PAGE;
    unsigned char *mapped;

    if (!count)
        return;
    mapped = xcalloc(count, 1);
    if (mincore(from, count * SNAPSHOT_PAGE, mapped))
        memset(mapped, 0, count);
    return_pages(from, to);
    for (size_t i = 0; i < count; i++)
        if (mapped[i] & 1)
            memset(from + i * SNAPSHOT_PAGE, 0, SNAPSHOT_PAGE);
    free(mapped);
}

void gpu_snapshot_restore(struct gpu_snapshot *s, const struct gpu_snapshot_kept *k)
{
    size_t next = 0;

    for (size_t i = 0; i < s->segment_count; i++) {
        const struct gpu_snapshot_segment *g = &s->segments[i];
        uint8_t *zeros = g->host, *end = g->host + g->bytes;

        for (; next < k->pages.len; next++) {
            const struct kept_page *kept = &k->pages.data[next];

            if (kept->host < g->host || kept->host >= end)
                break;
            memcpy(kept->host, kept->content, SNAPSHOT_PAGE);
            clear_pages(zeros, kept->host);
            zeros = kept->host + SNAPSHOT_PAGE;
        }
        clear_pages(zeros, end);
    }
    s->space.generation++;
}

void gpu_snapshot_kept_free(struct gpu_snapshot_kept *k)
{
    if (k)
        vec_free(&k->pages);
    free(k);
}
