/*
 * Saving and restoring a machine in memory.
 *
 * Bounds      a state: pointers to all pages and clusters, and copies of those that changed since
 *             the state before
 */
#include "runtime/machine/history_points.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/dev/disk.h"
#include "runtime/machine/host_pages.h"
#include "runtime/machine/replay.h"
#include "runtime/machine/snapshot.h"

/* A copy of a page or a cluster, shared by states. */
struct history_piece {
    uint64_t users;
    size_t len;
    uint8_t bytes[];
};

static struct history_piece *make_piece(struct history_points *points, const void *bytes,
                                        size_t len)
{
    struct history_piece *piece = xcalloc(1, sizeof(*piece) + len);

    piece->users = 1;
    piece->len = len;
    memcpy(piece->bytes, bytes, len);
    points->bytes += len;
    return piece;
}

static void drop_piece(struct history_points *points, struct history_piece *piece)
{
    if (!piece || --piece->users)
        return;
    points->bytes -= piece->len;
    free(piece);
}

/* The piece of the state before if it has these bytes, or a new one. */
static struct history_piece *share_piece(struct history_points *points,
                                         struct history_piece *before, const void *bytes,
                                         size_t len)
{
    if (!before || memcmp(before->bytes, bytes, len))
        return make_piece(points, bytes, len);
    before->users++;
    return before;
}

/* ---- memory and disks ------------------------------------------------------------------------ */

static bool is_memory(const struct bus_region *r)
{
    return r->kind != BUS_MMIO && !r->host_is_borrowed;
}

/* Calls fn for each page of memory, in the same order each time. */
typedef void page_fn(void *opaque, size_t index, uint8_t *host);

static size_t for_each_page(struct machine *m, page_fn *fn, void *opaque)
{
    size_t index = 0;

    for (size_t n = 0; n < m->bus->count; n++) {
        const struct bus_region *r = m->bus->regions[n];

        for (uint64_t at = 0; is_memory(r) && at < r->size; at += BUS_PAGE_SIZE, index++) {
            if (fn)
                fn(opaque, index, r->host + at);
        }
    }
    return index;
}

struct saving {
    struct history_points *points;
    struct history_point *point;
    const struct history_point *before; /* NULL: none */
    struct host_pages host;
};

struct restoring {
    const struct history_point *point;
    struct host_pages host;
};

static bool is_zero(struct host_pages *map, const uint8_t *page)
{
    return !host_page_is_used(map, page) || bytes_are_zero(page, BUS_PAGE_SIZE);
}

static void save_page(void *opaque, size_t index, uint8_t *host)
{
    struct saving *s = opaque;
    struct history_piece *before = s->before ? s->before->pages[index] : NULL;

    if (before || !is_zero(&s->host, host))
        s->point->pages[index] = share_piece(s->points, before, host, BUS_PAGE_SIZE);
}

static void restore_page(void *opaque, size_t index, uint8_t *host)
{
    struct restoring *r = opaque;
    const struct history_piece *piece = r->point->pages[index];

    if (piece && memcmp(host, piece->bytes, BUS_PAGE_SIZE))
        memcpy(host, piece->bytes, BUS_PAGE_SIZE);
    else if (!piece && !is_zero(&r->host, host))
        memset(host, 0, BUS_PAGE_SIZE);
}

static size_t count_clusters(const struct machine *m)
{
    size_t count = 0;

    for (size_t n = 0; n < m->disks.len; n++)
        count += disk_clusters(m->disks.data[n]);
    return count;
}

static void save_disks(const struct saving *s, const struct machine *m)
{
    static const uint8_t zeros[DISK_CLUSTER];
    size_t index = 0;

    for (size_t n = 0; n < m->disks.len; n++) {
        struct disk *disk = m->disks.data[n];

        for (uint64_t i = 0; i < disk_clusters(disk); i++, index++) {
            const uint8_t *bytes;

            if (disk_cluster(disk, i, &bytes))
                s->point->clusters[index] =
                    share_piece(s->points, s->before ? s->before->clusters[index] : NULL,
                                bytes ? bytes : zeros, DISK_CLUSTER);
        }
    }
}

static void restore_disks(const struct history_point *point, const struct machine *m)
{
    size_t index = 0;

    for (size_t n = 0; n < m->disks.len; n++) {
        struct disk *disk = m->disks.data[n];

        disk_forget_writes(disk);
        for (uint64_t i = 0; i < disk_clusters(disk); i++, index++) {
            if (point->clusters[index])
                disk_set_cluster(disk, i, point->clusters[index]->bytes);
        }
    }
}

/* ---- states ---------------------------------------------------------------------------------- */

uint64_t history_insns(const struct machine *m)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < m->cpu_count; i++)
        sum += cpu_insns_now(m->cpus[i]);
    return sum;
}

/* Index of the first state after this turn. */
static size_t index_after(const struct history_points *points, uint64_t turn)
{
    size_t n = points->all.len;

    while (n && points->all.data[n - 1]->turn > turn)
        n--;
    return n;
}

static void insert_point(struct history_points *points, size_t at, struct history_point *point)
{
    vec_push(&points->all, point);
    for (size_t n = points->all.len - 1; n > at; n--)
        points->all.data[n] = points->all.data[n - 1];
    points->all.data[at] = point;
}

void history_points_add(struct history_points *points, struct machine *m)
{
    size_t at = index_after(points, m->turn);
    struct saving s = {.points = points, .before = at ? points->all.data[at - 1] : NULL};

    if (s.before && s.before->turn == m->turn)
        return;
    s.point = xcalloc(1, sizeof(*s.point));
    s.point->turn = m->turn;
    s.point->ns = m->clock.now;
    s.point->insns = history_insns(m);
    s.point->journal = journal_place(m->journal);
    s.point->ticks = xcalloc(m->cpu_count, sizeof(*s.point->ticks));
    for (unsigned i = 0; i < m->cpu_count; i++)
        s.point->ticks[i] = cpu_ticks_now(m->cpus[i]);
    snapshot_save_state(m, &s.point->state);
    s.point->page_count = for_each_page(m, NULL, NULL);
    s.point->pages = xcalloc(s.point->page_count + 1, sizeof(*s.point->pages));
    host_pages_open(&s.host);
    for_each_page(m, save_page, &s);
    host_pages_close(&s.host);
    s.point->cluster_count = count_clusters(m);
    s.point->clusters = xcalloc(s.point->cluster_count + 1, sizeof(*s.point->clusters));
    save_disks(&s, m);
    points->bytes += s.point->state.len;
    insert_point(points, at, s.point);
}

static void drop_point(struct history_points *points, size_t at)
{
    struct history_point *point = points->all.data[at];

    for (size_t n = 0; n < point->page_count; n++)
        drop_piece(points, point->pages[n]);
    for (size_t n = 0; n < point->cluster_count; n++)
        drop_piece(points, point->clusters[n]);
    points->bytes -= point->state.len;
    state_buf_free(&point->state);
    free(point->pages);
    free(point->clusters);
    free(point->ticks);
    free(point);
    points->all.len--;
    memmove(points->all.data + at, points->all.data + at + 1,
            (points->all.len - at) * sizeof(*points->all.data));
}

/* Instructions between a place and the nearer of two others. */
static double distance(uint64_t place, uint64_t a, uint64_t b)
{
    uint64_t to_a = a < place ? place - a : a - place;
    uint64_t to_b = b < place ? place - b : b - place;

    return (double)(to_a < to_b ? to_a : to_b);
}

/* The state that is missed least: the way to it from the one before, relative to how far it is from
 * the end of the past and from the present, of which the nearer counts. A machine that went back
 * needs states around where it is: without them each step back is a long way, and a state that is
 * saved there is dropped at once, so that the next turn saves it again. */
static size_t least_missed(const struct history_points *points, uint64_t now)
{
    uint64_t last = points->all.data[points->all.len - 1]->insns;
    double least = 0;
    size_t found = 0;

    for (size_t n = 1; n + 1 < points->all.len; n++) {
        struct history_point *const *p = points->all.data + n;
        double way = (double)(p[1]->insns - p[-1]->insns);
        double missed = way / (distance(p[0]->insns, last, now) + 1);

        if (!found || missed < least) {
            found = n;
            least = missed;
        }
    }
    return found;
}

void history_points_thin(struct history_points *points, uint64_t now, uint64_t keep, uint64_t bytes)
{
    while (points->all.len > 2 && (points->all.len > keep || points->bytes > bytes))
        drop_point(points, least_missed(points, now));
}

void history_points_clear(struct history_points *points)
{
    while (points->all.len)
        drop_point(points, points->all.len - 1);
    vec_free(&points->all);
}

bool history_point_restore(const struct history_point *point, struct machine *m, struct error *err)
{
    struct restoring r = {.point = point};

    host_pages_open(&r.host);
    for_each_page(m, restore_page, &r);
    host_pages_close(&r.host);
    restore_disks(point, m);
    if (!snapshot_load_state(m, &point->state, err))
        return false;
    m->turn = point->turn;
    m->in_turn = m->reset_wanted = false;
    return true;
}
