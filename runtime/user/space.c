/* The address space of a process (space.h): translation, access, and the system calls on it. */
#include "runtime/user/space.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/mem/bus.h"
#include "runtime/user/space_areas.h"
#include "runtime/user/space_host.h"

#define PAGE       CPU_PAGE_SIZE
#define PAGE_ALIGN (CPU_PAGE_SIZE - 1)

/* Bytes for the stack above the first mapping, as in Linux. */
#define STACK_GAP (UINT64_C(128) << 20)

/* For more pages than this, the whole TLB is flushed. */
#define FLUSH_PAGES 16

/* ---- life ------------------------------------------------------------------------------------ */

bool space_init(struct space *s, struct bus *bus, const struct cpu_group *group,
                const struct space_shape *shape, struct error *err)
{
    *s = (struct space){.bus = bus, .group = group, .tagged = shape->tagged};
    if (!host_reserve(s, shape->bits, !shape->checked, err))
        return false;
    s->top = shape->stack_top ? shape->stack_top : s->size - PAGE;
    s->map_top = s->size - STACK_GAP;
    return true;
}

void space_free(struct space *s)
{
    vec_for_each (&s->areas, a)
        free(a->name);
    vec_free(&s->areas);
    host_release(s);
}

/* ---- CPUs ------------------------------------------------------------------------------------ */

/* Flushes the TLBs after the translation of [start, end) has changed. */
static void flush_tlbs(struct space *s, uint64_t start, uint64_t end)
{
    for (unsigned n = 0; n < s->group->count; n++) {
        if (end - start > FLUSH_PAGES * PAGE) {
            cpu_tlb_flush(s->group->cpu[n], true);
            continue;
        }
        for (uint64_t va = start; va < end; va += PAGE)
            cpu_tlb_flush_page(s->group->cpu[n], va);
    }
}

uint32_t space_translate(struct space *s, uint64_t va, uint32_t access, uint64_t *pa,
                         uint32_t *flags)
{
    const struct area *a;
    bool allowed;

    if (access != CPU_FETCH)
        va = space_untag(s, va);
    a = va < s->size ? space_find(s, va) : NULL;
    if (!a)
        return SPACE_NOT_MAPPED;
    *pa = va;
    *flags = CPU_PAGE_BITS << TRANSLATE_SIZE_SHIFT;
    *flags |= a->prot ? TRANSLATE_READ : 0; /* any permission implies reading: no FEAT_PAN3 */
    *flags |= a->prot & PROT_WRITE ? TRANSLATE_WRITE : 0;
    *flags |= a->prot & PROT_EXEC ? TRANSLATE_EXEC : 0;
    allowed = *flags >> access & 1;
    if (allowed && a->is_past_file)
        return SPACE_PAST_FILE;
    return allowed ? 0 : SPACE_NOT_ALLOWED;
}

bool space_maps_file(const struct space *s, const char *name, uint64_t offset, uint64_t bytes)
{
    vec_for_each (&s->areas, a) {
        if (a->backed && a->name && !strcmp(a->name, name) && a->offset < offset + bytes &&
            offset < a->offset + (a->end - a->start))
            return true;
    }
    return false;
}

/* ---- access from system calls ---------------------------------------------------------------- */

static bool is_range(const struct space *s, uint64_t va, uint64_t len)
{
    return va <= s->size && len <= s->size - va;
}

/* Whether areas cover the range, each with one of the protections (0: any protection). */
static bool is_covered(const struct space *s, uint64_t va, uint64_t len, int prot)
{
    size_t n = area_index(s, va);

    for (uint64_t at = va, end = va + len; at < end; n++) {
        const struct area *a;

        if (n == s->areas.len)
            return false;
        a = &s->areas.data[n];
        if (a->start > at || (prot && !(a->prot & prot)) || a->is_past_file)
            return false;
        at = a->end;
    }
    return true;
}

/* Not NULL: an empty range may be at guest address 0, which may be the host's. */
static void *host_of(const struct space *s, uint64_t va, uint64_t len)
{
    return len ? s->host + va : s->reserved.at;
}

void *space_read(struct space *s, uint64_t va, uint64_t len)
{
    bool ok = is_range(s, va, len) && is_covered(s, va, len, PROT_READ | PROT_WRITE | PROT_EXEC);

    return ok ? host_of(s, va, len) : NULL;
}

void *space_write(struct space *s, uint64_t va, uint64_t len)
{
    if (!is_range(s, va, len) || !is_covered(s, va, len, PROT_WRITE))
        return NULL;
    bus_touched(s->bus, va, len);
    return host_of(s, va, len);
}

const char *space_string(struct space *s, uint64_t va)
{
    for (uint64_t at = va;;) {
        uint64_t room = PAGE - (at & PAGE_ALIGN);
        const char *text = space_read(s, at, room);

        if (!text)
            return NULL;
        if (memchr(text, 0, room))
            return (const char *)s->host + va;
        at += room;
    }
}

/* ---- giving memory back ---------------------------------------------------------------------- */

/* Drops decoded code of the range; returns whether anything is mapped there. */
static bool drop_code(struct space *s, uint64_t start, uint64_t end)
{
    bool any = false;

    for (size_t n = area_index(s, start); n < s->areas.len && s->areas.data[n].start < end; n++) {
        const struct area *a = &s->areas.data[n];
        uint64_t from = a->start > start ? a->start : start;

        bus_touched(s->bus, from, (a->end < end ? a->end : end) - from);
        any = true;
    }
    return any;
}

/* Removes the range, which the host has unmapped, from the list. */
static void forget_range(struct space *s, uint64_t start, uint64_t end)
{
    size_t n;

    area_split(s, start);
    area_split(s, end);
    n = area_index(s, start);
    while (n < s->areas.len && s->areas.data[n].start < end)
        area_remove(s, n);
    flush_tlbs(s, start, end);
}

/* Unmaps all mappings of the range; 0 or a negative errno. */
static int64_t clear_range(struct space *s, uint64_t start, uint64_t end)
{
    int64_t failed;

    if (start == end || !drop_code(s, start, end))
        return 0;
    failed = host_unmap(s, start, end);
    if (!failed)
        forget_range(s, start, end);
    return failed;
}

int64_t space_unmap(struct space *s, uint64_t va, uint64_t len)
{
    if ((va & PAGE_ALIGN) || !len || !is_range(s, va, len))
        return -EINVAL;
    len = align_up(len, PAGE);
    if (!is_range(s, va, len))
        return -EINVAL;
    return clear_range(s, va, va + len);
}

/* ---- mapping --------------------------------------------------------------------------------- */

/* The permissions of a mapping for the requested ones. */
static int granted_protection(const struct space *s, int prot)
{
    prot &= PROT_READ | PROT_WRITE | PROT_EXEC;
    return s->read_implies_exec && (prot & PROT_READ) ? prot | PROT_EXEC : prot;
}

/* The highest free range below map_top, or else above map_top; 0: none. */
static uint64_t find_room(const struct space *s, uint64_t len)
{
    uint64_t top = s->map_top;
    size_t n = area_index(s, top);

    if (n < s->areas.len && s->areas.data[n].start < top)
        top = s->areas.data[n].start;
    for (;; n--) {
        uint64_t below = n ? s->areas.data[n - 1].end : SPACE_LOWEST;

        if (top >= below && top - below >= len)
            return top - len >= SPACE_LOWEST ? top - len : 0;
        if (!n)
            return 0;
        top = s->areas.data[n - 1].start;
    }
}

static bool is_free(const struct space *s, uint64_t start, uint64_t end)
{
    size_t n = area_index(s, start);

    return n == s->areas.len || s->areas.data[n].start >= end;
}

/* The address of a new mapping, or a negative errno. */
static int64_t choose_address(struct space *s, uint64_t va, uint64_t len, int flags)
{
    bool fixed = flags & (MAP_FIXED | MAP_FIXED_NOREPLACE);
    uint64_t room;

    if (fixed && (va & PAGE_ALIGN))
        return -EINVAL;
    if (fixed && !is_range(s, va, len))
        return -ENOMEM;
    if (fixed && va < SPACE_LOWEST)
        return -EPERM;
    if (flags & MAP_FIXED_NOREPLACE)
        return is_free(s, va, va + len) ? (int64_t)va : -EEXIST;
    if (fixed)
        return (int64_t)va;
    va = align_up(va, PAGE);
    if (va >= SPACE_LOWEST && is_range(s, va, len) && is_free(s, va, va + len))
        return (int64_t)va;
    room = find_room(s, len);
    return room ? (int64_t)room : -ENOMEM;
}

/* Marks the pages behind the end of a regular file. */
static void mark_past_file(struct space *s, const struct area *a, int fd)
{
    struct stat st;
    uint64_t content;

    if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode))
        return;
    content = align_up((uint64_t)st.st_size, PAGE);
    content = content > a->offset ? content - a->offset : 0;
    if (content >= a->end - a->start)
        return;
    area_split(s, a->start + content);
    for (size_t n = area_index(s, a->start + content);
         n < s->areas.len && s->areas.data[n].start < a->end; n++)
        s->areas.data[n].is_past_file = true;
}

/* Adds an area, which the host has mapped, to the list. */
static void enter_area(struct space *s, struct area a, bool in_place_of_any, int fd)
{
    if (in_place_of_any)
        forget_range(s, a.start, a.end);
    a.name = a.name ? xstrdup(a.name) : NULL;
    area_insert(s, area_index(s, a.start), a);
    mark_past_file(s, &a, fd);
    area_merge(s, a.start, a.end);
}

/* Maps the area in place of any earlier mappings; its address or a negative errno. */
static int64_t add_area(struct space *s, struct area a, int flags, int fd)
{
    bool any = drop_code(s, a.start, a.end);
    int64_t failed;

    a.read_only_file = a.shared && fd >= 0 && (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY;
    if (a.read_only_file && (a.prot & PROT_WRITE))
        return -EACCES;
    failed = host_map(s, &a, flags, fd);
    if (failed) {
        clear_range(s, a.start, a.end);
        return failed;
    }
    enter_area(s, a, any, fd);
    return (int64_t)a.start;
}

int64_t space_map(struct space *s, uint64_t va, uint64_t len, int prot, int flags,
                  const struct space_source *source)
{
    int type = flags & MAP_TYPE, fd = source->fd;
    int64_t at;

    if (!len || (source->offset & PAGE_ALIGN) ||
        (type != MAP_SHARED && type != MAP_PRIVATE && type != 3))
        return -EINVAL;
    if (len > s->size)
        return -ENOMEM;
    if (flags & MAP_ANONYMOUS)
        fd = -1;
    else if (fcntl(fd, F_GETFD) < 0)
        return -EBADF;
    len = align_up(len, PAGE);
    at = choose_address(s, va, len, flags);
    if (at < 0)
        return at;
    return add_area(s,
                    (struct area){
                        .start = (uint64_t)at,
                        .end = (uint64_t)at + len,
                        .prot = granted_protection(s, prot),
                        .shared = type != MAP_PRIVATE,
                        .offset = fd < 0 ? 0 : source->offset,
                        .name = (char *)(uintptr_t)source->name,
                    },
                    flags, fd);
}

int64_t space_attach(struct space *s, uint64_t va, uint64_t bytes, int flags, int id)
{
    bool read_only = flags & SHM_RDONLY, any;
    int prot = PROT_READ | (read_only ? 0 : PROT_WRITE) | (flags & SHM_EXEC ? PROT_EXEC : 0);
    struct area a = {.prot = granted_protection(s, prot),
                     .shared = true,
                     .read_only_file = read_only,
                     .segment = true,
                     .name = (char *)(uintptr_t) "/SYSV"};
    int64_t at, failed;

    if (!bytes || bytes > s->size)
        return -ENOMEM;
    bytes = align_up(bytes, PAGE);
    at = choose_address(s, va, bytes,
                        !va                 ? 0
                        : flags & SHM_REMAP ? MAP_FIXED
                                            : MAP_FIXED_NOREPLACE);
    if (at < 0)
        return at == -EEXIST ? -EINVAL : at;
    a.start = (uint64_t)at;
    a.end = a.start + bytes;
    any = drop_code(s, a.start, a.end);
    failed = host_attach(s, &a, id);
    if (failed) {
        clear_range(s, a.start, a.end);
        return failed;
    }
    enter_area(s, a, any, -1);
    return at;
}

/* Detaches all remaining areas of the segment that was attached at va. */
int64_t space_detach(struct space *s, uint64_t va)
{
    int64_t result = -EINVAL;

    for (size_t n = area_index(s, va); n < s->areas.len;) {
        const struct area a = s->areas.data[n++];
        int64_t failed;

        if (!a.segment || a.start - a.offset != va)
            continue;
        failed = clear_range(s, a.start, a.end);
        if (failed)
            return failed;
        result = 0;
        n = area_index(s, va);
    }
    return result;
}

/* Whether the whole range may get the permissions: 0 or a negative errno. */
static int64_t may_protect(const struct space *s, uint64_t va, uint64_t end, int prot)
{
    for (uint64_t at = va; at < end;) {
        const struct area *a = space_find(s, at);

        if (!a)
            return -ENOMEM;
        if ((prot & PROT_WRITE) && a->read_only_file)
            return -EACCES;
        at = a->end;
    }
    return 0;
}

int64_t space_protect(struct space *s, uint64_t va, uint64_t len, int prot)
{
    int64_t failed;
    uint64_t end;

    if ((va & PAGE_ALIGN) || (prot & PROT_GROWSUP)) /* no area grows upwards */
        return -EINVAL;
    if (!is_range(s, va, len) || !is_range(s, va, align_up(len, PAGE)))
        return -ENOMEM;
    end = va + align_up(len, PAGE);
    if ((prot & PROT_GROWSDOWN) && va < end) {
        const struct area *a = space_find(s, va);

        if (!a)
            return -ENOMEM;
        if (a->start < s->stack || a->end > s->top)
            return -EINVAL;
        va = a->start;
    }
    prot = granted_protection(s, prot);
    failed = may_protect(s, va, end, prot);
    if (failed)
        return failed;
    area_split(s, va);
    area_split(s, end);
    for (size_t n = area_index(s, va); !failed && n < s->areas.len && s->areas.data[n].start < end;
         n++) {
        const struct area *a = &s->areas.data[n];

        if (a->prot & ~prot & PROT_EXEC) /* linked translations do not check execute permission */
            bus_touched(s->bus, a->start, a->end - a->start);
        if (a->prot != prot)
            failed = host_protect(s, &s->areas.data[n], prot);
    }
    area_merge(s, va, end);
    flush_tlbs(s, va, end);
    return failed;
}

/* ---- moving and growing ---------------------------------------------------------------------- */

/* Moves the area to `to` with a new length; the target range must be free. */
static int64_t move_area(struct space *s, struct area a, uint64_t to, uint64_t new_len)
{
    char *name = a.name ? xstrdup(a.name) : NULL;
    int64_t failed = clear_range(s, to, to + new_len);

    drop_code(s, a.start, a.end);
    if (!failed)
        failed = host_move(s, &a, to, new_len);
    if (failed) {
        free(name);
        return failed;
    }
    forget_range(s, a.start, a.end);
    a.name = name;
    a.start = to;
    a.end = to + new_len;
    area_insert(s, area_index(s, to), a);
    area_merge(s, to, a.end);
    return (int64_t)to;
}

/* Grows the area at its end; false: there is no room, or the host failed. */
static bool grow_in_place(struct space *s, struct area *a, uint64_t new_len)
{
    uint64_t end = a->start + new_len;
    struct area more = *a;

    if (a->backed || !is_range(s, a->start, new_len) || !is_free(s, a->end, end))
        return false;
    more.start = a->end;
    more.end = end;
    if (host_map(s, &more, 0, -1))
        return false;
    a->end = end;
    area_merge(s, a->start, end);
    return true;
}

int64_t space_remap(struct space *s, uint64_t va, uint64_t old_len, uint64_t new_len, int flags,
                    uint64_t new_va)
{
    bool fixed = flags & MREMAP_FIXED, may_move = flags & MREMAP_MAYMOVE;
    int64_t to;
    size_t n;

    if ((va & PAGE_ALIGN) || !new_len || (flags & ~(MREMAP_FIXED | MREMAP_MAYMOVE)) ||
        (fixed && !may_move) || new_len > s->size || old_len > s->size || !old_len)
        return -EINVAL;
    old_len = align_up(old_len, PAGE);
    new_len = align_up(new_len, PAGE);
    n = area_index(s, va);
    if (!is_range(s, va, old_len) || n == s->areas.len || s->areas.data[n].start > va ||
        s->areas.data[n].end < va + old_len)
        return -EFAULT;
    if (fixed && (new_va < va + old_len && va < new_va + new_len))
        return -EINVAL;
    if (!fixed && new_len <= old_len) {
        int64_t failed = clear_range(s, va + new_len, va + old_len);

        return failed ? failed : (int64_t)va;
    }
    area_split(s, va);
    area_split(s, va + old_len);
    n = area_index(s, va);
    if (!fixed && grow_in_place(s, &s->areas.data[n], new_len))
        return (int64_t)va;
    if (!may_move)
        return -ENOMEM;
    to = choose_address(s, fixed ? new_va : 0, new_len, fixed ? MAP_FIXED : 0);
    return to < 0 ? to : move_area(s, s->areas.data[area_index(s, va)], (uint64_t)to, new_len);
}

int64_t space_advise(struct space *s, uint64_t va, uint64_t len, int advice)
{
    if ((va & PAGE_ALIGN) || !is_range(s, va, align_up(len, PAGE)))
        return -EINVAL;
    len = align_up(len, PAGE);
    if (!is_covered(s, va, len, 0))
        return -ENOMEM;
    if (advice == MADV_DONTNEED) {
        bus_touched(s->bus, va, len);
        return madvise(s->host + va, len, MADV_DONTNEED) ? -errno : 0;
    }
    return 0;
}

uint64_t space_brk(struct space *s, uint64_t brk)
{
    uint64_t old_end = align_up(s->brk, PAGE), new_end;

    if (brk < s->brk_start || brk > s->brk_limit)
        return s->brk;
    new_end = align_up(brk, PAGE);
    if (new_end < old_end) {
        if (clear_range(s, new_end, old_end))
            return s->brk;
    } else if (new_end > old_end) {
        const struct area more = {.start = old_end,
                                  .end = new_end,
                                  .prot = granted_protection(s, PROT_READ | PROT_WRITE),
                                  .name = (char *)(uintptr_t) "[heap]"};

        if (!is_free(s, old_end, new_end) || add_area(s, more, 0, -1) < 0)
            return s->brk;
    }
    s->brk = brk;
    return brk;
}

void space_print(const struct space *s, FILE *out)
{
    vec_for_each (&s->areas, a) {
        int shown =
            fprintf(out, "%08" PRIx64 "-%08" PRIx64 " %c%c%c%c %08" PRIx64 " 00:00 0 ", a->start,
                    a->end, a->prot & PROT_READ ? 'r' : '-', a->prot & PROT_WRITE ? 'w' : '-',
                    a->prot & PROT_EXEC ? 'x' : '-', a->shared ? 's' : 'p', a->offset);

        if (a->name)
            fprintf(out, "%*s%s", shown < 73 ? 73 - shown : 0, "", a->name);
        putc('\n', out);
    }
}
