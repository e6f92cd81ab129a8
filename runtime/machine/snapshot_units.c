/* Writing and reading sections of units. */
#include "runtime/machine/snapshot_units.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"

/* ---- writing --------------------------------------------------------------------------------- */

void unit_writer_open(struct unit_writer *u, struct snapshot_writer *to, const char *prefix,
                      size_t unit)
{
    *u = (struct unit_writer){.to = to, .prefix = prefix, .unit = unit, .most = UNIT_CHUNK / unit};
    u->index = xcalloc(u->most, sizeof(*u->index));
    u->bytes = xcalloc(u->most, sizeof(*u->bytes));
}

/* Writes the units so far as a section. */
static bool write_section(struct unit_writer *u, struct error *err)
{
    size_t head = 8 + 8 * u->count, size = head + u->filled * u->unit;
    char name[SNAPSHOT_NAME];
    uint8_t *all, *at;

    if (!u->count)
        return true;
    all = xcalloc(1, size);
    le_put(all, 8, u->count);
    memcpy(all + 8, u->index, 8 * u->count);
    at = all + head;
    for (size_t i = 0; i < u->count; i++) {
        if (!u->bytes[i])
            continue;
        memcpy(at, u->bytes[i], u->unit);
        at += u->unit;
    }
    u->count = u->filled = 0;
    snprintf(name, sizeof(name), "%s.%u", u->prefix, u->number++);
    return snapshot_take(u->to, name, all, size, err);
}

bool unit_writer_add(struct unit_writer *u, uint64_t index, const uint8_t *bytes, struct error *err)
{
    if (u->count == u->most && !write_section(u, err))
        return false;
    u->index[u->count] = bytes ? index : index | UNIT_ZERO;
    u->bytes[u->count++] = bytes;
    u->filled += bytes != NULL;
    return true;
}

bool unit_writer_close(struct unit_writer *u, bool ok, struct error *err)
{
    ok = ok && write_section(u, err);
    free(u->index);
    free(u->bytes);
    return ok;
}

/* ---- reading --------------------------------------------------------------------------------- */

bool unit_section_is(const struct snapshot_part *part, const char *prefix)
{
    size_t len = strlen(prefix);

    return !strncmp(part->name, prefix, len) && part->name[len] == '.';
}

static bool read_units(const struct unit_reading *what, const uint8_t *all, uint64_t size)
{
    uint64_t count = size >= 8 ? le_get(all, 8) : UINT64_MAX, left;
    const uint8_t *at;

    if (size < 8 || count > (size - 8) / 8)
        return false;
    at = all + 8 + 8 * count;
    left = size - 8 - 8 * count;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t index = le_get(all + 8 + 8 * i, 8);
        bool zero = index & UNIT_ZERO;

        if ((!zero && left < what->unit) ||
            !what->fn(what->opaque, index & ~UNIT_ZERO, zero ? NULL : at))
            return false;
        at += zero ? 0 : what->unit;
        left -= zero ? 0 : what->unit;
    }
    return !left;
}

static bool read_section(const struct unit_reading *what, const struct snapshot_part *part,
                         struct error *err)
{
    uint8_t *all = snapshot_read(part, err);
    bool ok;

    if (!all)
        return false;
    ok = read_units(what, all, part->size);
    free(all);
    return ok || error_set(err, "the snapshot's section '%s' is not of this machine", part->name);
}

/* What the threads of a reading share. */
struct reading {
    const struct unit_reading *what;
    size_t next; /* section */
    pthread_mutex_t lock;
    bool failed;
    struct error err; /* of the first that failed */
};

static void *read_sections(void *opaque)
{
    struct reading *r = opaque;
    const struct snapshot_reader *from = r->what->from;

    for (;;) {
        size_t i = __atomic_fetch_add(&r->next, 1, __ATOMIC_RELAXED);
        struct error err = {0};

        if (i >= from->count || __atomic_load_n(&r->failed, __ATOMIC_RELAXED))
            return NULL;
        if (!unit_section_is(&from->parts[i], r->what->prefix) ||
            read_section(r->what, &from->parts[i], &err))
            continue;
        pthread_mutex_lock(&r->lock);
        if (!r->failed)
            r->err = err;
        __atomic_store_n(&r->failed, true, __ATOMIC_RELAXED);
        pthread_mutex_unlock(&r->lock);
    }
}

bool unit_read_all(const struct unit_reading *what, struct error *err)
{
    struct reading r = {.what = what, .lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t thread[SNAPSHOT_THREADS];
    unsigned started = 0;

    while (started + 1 < what->threads && started < SNAPSHOT_THREADS &&
           !pthread_create(&thread[started], NULL, read_sections, &r))
        started++;
    read_sections(&r);
    while (started)
        pthread_join(thread[--started], NULL);
    if (r.failed)
        *err = r.err;
    return !r.failed;
}
