/*
 * Reads of local and private memory that nobody wrote in the work-group. Local memory is one for
 * the group; the private memory of each work-item has addresses of its own.
 *
 * Bounds      MAX_LINES lines of each; further ones count as written
 */
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/check/internal.h"

enum { LINE_SHIFT = 6, MAX_LINES = 1 << 22 };

/* bytes of a vector: of a spilled register of the widest kind */
enum { VECTOR_BYTES = 16 };

static struct check_lines new_lines(uint64_t bytes)
{
    uint64_t count = (bytes >> LINE_SHIFT) + 1;
    struct check_lines l = {.count = count < MAX_LINES ? count : MAX_LINES};

    l.line = xcalloc(l.count, sizeof(*l.line));
    return l;
}

void check_written_begin(struct check *c)
{
    c->local_written = new_lines(c->job->local_bytes);
    c->thread_written = new_lines(c->job->thread_bytes * c->job->threads);
}

void check_written_end(struct check *c)
{
    free(c->local_written.line);
    free(c->thread_written.line);
    vec_free(&c->early);
}

/* Which of the bytes of one line, from `at` in the memory, are written. A store writes them. */
static uint64_t written_bytes(struct check_lines *l, uint64_t at, uint64_t mask, uint32_t group,
                              bool store)
{
    struct check_line *line;

    if (at >> LINE_SHIFT >= l->count)
        return mask;
    line = &l->line[at >> LINE_SHIFT];
    if (line->group != group)
        *line = (struct check_line){.group = group};
    mask &= line->bytes | (store ? UINT64_MAX : 0);
    if (store)
        line->bytes |= mask;
    return mask;
}

/* The bits of `bytes` bytes from `at` on in their line. */
static uint64_t mask_of(uint64_t at, uint32_t bytes)
{
    return (bytes >= 64 ? UINT64_MAX : (UINT64_C(1) << bytes) - 1)
           << (at & ((1u << LINE_SHIFT) - 1));
}

/* The number of an access's bytes that are written. */
static uint32_t count_written(struct check *c, const struct check_access *a, bool store)
{
    bool local = a->memory == CHECK_LOCAL;
    struct check_lines *l = local ? &c->local_written : &c->thread_written;
    uint64_t at = a->address - (local ? c->job->local_base : c->job->thread_base);
    uint32_t count = 0;

    for (uint32_t done = 0, part; done < a->bytes; done += part) {
        uint32_t room = (1u << LINE_SHIFT) - ((at + done) & ((1u << LINE_SHIFT) - 1));

        part = a->bytes - done < room ? a->bytes - done : room;
        count += (uint32_t)__builtin_popcountll(
            written_bytes(l, at + done, mask_of(at + done, part), a->at.group, store));
    }
    return count;
}

/* ---- vectors --------------------------------------------------------------------------------- */

static bool is_vector(const struct check_access *a)
{
    return a->memory == CHECK_PRIVATE && a->bytes == VECTOR_BYTES;
}

/* The note of an early load of the vector; NULL: it has none. */
static uint32_t *early_of(struct check *c, const struct check_access *a)
{
    uint64_t at = a->address - c->job->thread_base;

    if (at % VECTOR_BYTES || at >> LINE_SHIFT >= c->thread_written.count)
        return NULL;
    return &c->thread_written.line[at >> LINE_SHIFT].early[at / VECTOR_BYTES % CHECK_VECTORS];
}

static void note_early(struct check *c, const struct check_access *a)
{
    uint32_t *early = early_of(c, a);

    if (!early || *early)
        return;
    vec_push(&c->early, *a);
    *early = c->early.len;
}

static void drop_early(struct check *c, const struct check_access *a)
{
    uint32_t *early = early_of(c, a);

    if (early && *early)
        c->early.data[*early - 1].bytes = 0;
}

void check_written_group(struct check *c)
{
    vec_for_each (&c->early, a)
        if (a->bytes)
            check_add(c, CHECK_UNWRITTEN, a, NULL);
    c->early.len = 0;
}

/* ---- accesses -------------------------------------------------------------------------------- */

/*
 * A compiler that changes a part of a spilled vector loads all of it before, and stores it behind;
 * and it loads the whole where a part was stored. So a load of a vector of private memory is only
 * reported if nothing of it was written, and the work-item does not store it afterwards. An atomic
 * operation reads what was there before it writes.
 */
void check_written_access(struct check *c, const struct check_access *a)
{
    uint32_t written = 0, needed = is_vector(a) ? 1 : a->bytes;

    if (!a->store || a->at.atomic)
        written = count_written(c, a, false);
    if (!a->store && is_vector(a) && !written)
        note_early(c, a);
    else if ((!a->store || a->at.atomic) && written < needed)
        check_add(c, CHECK_UNWRITTEN, a, NULL);
    if (a->store)
        count_written(c, a, true);
    if (a->store && is_vector(a))
        drop_early(c, a);
}
