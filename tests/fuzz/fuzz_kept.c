/*
 * Records of kept traces. The input is what a file of the cache has behind its checksum, which only
 * a file of the user's own can have right. Each record whose sizes and numbers are sound is read to
 * its last byte.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/jit/quick/kept.h"
#include "tests/fuzz/fuzz.h"

enum { PROGRAM_BYTES = 1 << 25 };

/* Adds up all of a record, so that a sanitizer sees a table that is not in it. */
static unsigned read_record(const struct kept_view *v)
{
    const uint8_t *code = v->table[KEPT_CODE];
    const struct q_map_entry *maps = v->table[KEPT_MAPS];
    const struct kept_site *sites = v->table[KEPT_SITES];
    unsigned sum = 0;

    for (uint32_t n = 0; n < v->head->counts[KEPT_CODE]; n++)
        sum += code[n];
    for (uint32_t n = 0; n < v->head->counts[KEPT_SITES]; n++) {
        for (uint32_t k = 0; k < sites[n].site.map_count; k++)
            sum += maps[sites[n].site.map + k].slot;
    }
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct program_image image = {.base = 0, .end = PROGRAM_BYTES};
    volatile unsigned sum = 0;
    uint8_t *copy = malloc(size + 1), *at = copy; /* aligned, as the cache gives it */
    struct kept_view v;

    if (!copy)
        return 0;
    if (size)
        memcpy(copy, data, size);
    while (kept_view_of(at, size, &image, &v)) {
        sum += read_record(&v);
        at += v.head->bytes;
        size -= v.head->bytes;
    }
    free(copy);
    return 0;
}
