/*
 * Host memory for code: chunks of one range of addresses. A chunk is filled from its start, and
 * reused when all code in it has been freed. The oldest code is evicted first (installed.c), so
 * chunks become empty one after the other.
 *
 * No address is writable and executable. Each chunk is mapped twice: where its code runs and, at a
 * fixed distance, where it is written. So patching code needs no change of page protection. Memory
 * that is mapped twice is shared memory, which fork() does not copy; arena_own() copies a chunk
 * before the first write after a fork.
 *
 * Memory is mapped in units of a large page of the host. Linux gives shared memory small pages by
 * default, and with tens of megabytes of code their misses of the instruction TLB take 4 % of the
 * time. So a thread that may wait asks for large pages, by arena_enlarge().
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/base/alloc.h"
#include "runtime/jit/internal.h"

#define CHUNK_BYTES ((size_t)256 << 10)
#define UNIT        ((size_t)2 << 20) /* a large page of the host; another size only costs speed */

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 /* Linux 6.1 */
#endif

/* The range has from MIN_BYTES to the requested size. It lies NEAR_GAP below the program's own code
 * if there is room, so that calls of it have short displacements. */
#define NEAR_GAP  ((size_t)64 << 20)
#define MIN_BYTES ((size_t)16 << 20)

enum {
    ENLARGE_TRIES = 4,
    PATIENCE = 500, /* optional writes to a shared chunk that are refused before it is copied */
};

struct chunk {
    uint8_t *base;
    size_t size, used;
    unsigned live;           /* pieces in use */
    bool shared;             /* with another process, since a fork */
    unsigned refused_writes; /* optional writes refused since then */
    struct chunk *next;
};

/* ---- mappings -------------------------------------------------------------------------------- */

static uint8_t *reserve_at(uintptr_t at, size_t size)
{
    const int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *base = mmap((void *)at, size, PROT_NONE, kind | (at ? MAP_FIXED_NOREPLACE : 0), -1, 0);

    return base == MAP_FAILED ? NULL : base;
}

/* Reserves `size` bytes from the start of a unit on. */
static uint8_t *reserve_anywhere(size_t size)
{
    uint8_t *all = reserve_at(0, size + UNIT), *base;

    if (!all)
        return NULL;
    base = (uint8_t *)align_up((uintptr_t)all, UNIT);
    if (base != all)
        munmap(all, (size_t)(base - all));
    munmap(base + size, UNIT - (size_t)(base - all));
    return base;
}

static bool reserve_ranges(struct arena *a, size_t size)
{
    uintptr_t program = (uintptr_t)jit_leave & ~(UNIT - 1);
    uint8_t *run = NULL, *write;

    if (program > size + NEAR_GAP)
        run = reserve_at(program - NEAR_GAP - size, size);
    if (!run)
        run = reserve_anywhere(size);
    write = reserve_anywhere(size);
    if (!run || !write) {
        if (run)
            munmap(run, size);
        if (write)
            munmap(write, size);
        return false;
    }
    a->base = run;
    a->write = write - run;
    a->size = size;
    return true;
}

static bool make_executable(uint8_t *run, size_t size)
{
    return !mprotect(run, size, PROT_READ | PROT_EXEC);
}

/* Maps new memory twice, anywhere. Emulators of hosts have no mremap() of size 0, which maps the
 * same memory once more; there the memory is a file's without a name. */
static bool map_twice(size_t size, void **write, void **run)
{
    const int prot = PROT_READ | PROT_WRITE;
    int file;

    *write = mmap(NULL, size, prot, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    *run = *write == MAP_FAILED ? MAP_FAILED : mremap(*write, 0, size, MREMAP_MAYMOVE);
    if (*write == MAP_FAILED || *run != MAP_FAILED)
        return *write != MAP_FAILED;
    munmap(*write, size);
    file = memfd_create("code", MFD_CLOEXEC);
    if (file < 0)
        return false;
    if (ftruncate(file, (off_t)size) == 0) {
        *write = mmap(NULL, size, prot, MAP_SHARED, file, 0);
        *run = *write == MAP_FAILED ? MAP_FAILED : mmap(NULL, size, prot, MAP_SHARED, file, 0);
        if (*run == MAP_FAILED && *write != MAP_FAILED)
            munmap(*write, size);
    }
    close(file);
    return *run != MAP_FAILED;
}

/*
 * Maps new memory for a chunk, twice, with the first `used` bytes of the old. False: the host
 * refuses; code runs as before, but the writable mapping may no longer be that of the running code.
 *
 * Profilers see when memory is made executable, but not when it is moved. So a chunk is made
 * executable at its address, unless code in it may be running.
 */
static bool map_again(const struct arena *a, uint8_t *base, size_t size, size_t used)
{
    const int move = MREMAP_MAYMOVE | MREMAP_FIXED;
    void *run, *write;
    bool ok;

    if (!map_twice(size, &write, &run))
        return false;
    if (used)
        memcpy(write, base, used);
    ok = (!used || make_executable(run, size)) &&
         mremap(write, size, size, move, base + a->write) != MAP_FAILED;
    if (!ok)
        munmap(write, size);
    else
        ok = mremap(run, size, size, move, base) != MAP_FAILED;
    if (!ok)
        munmap(run, size);
    return ok && (used || make_executable(base, size));
}

/* Maps the arena's first `size` bytes. */
static bool map_units(struct arena *a, size_t size)
{
    while (a->mapped < size) {
        if (!map_again(a, a->base + a->mapped, UNIT, 0))
            return false;
        a->mapped += UNIT;
    }
    return true;
}

/* Asks for a large page in place of a unit's small ones. A failure only costs speed. */
static void enlarge_unit(uint8_t *run)
{
    /* EAGAIN: the host uses one of the pages at this moment, as in a page fault of another
     * thread. */
    for (unsigned tries = 0; tries < ENLARGE_TRIES; tries++)
        if (!madvise(run, UNIT, MADV_COLLAPSE) || errno != EAGAIN)
            return;
}

void arena_enlarge(struct arena *a)
{
    uint8_t *from, *to;

    pthread_mutex_lock(&a->lock);
    from = a->base + a->enlarged;
    if (a->used > UNIT) /* most programs need less: one unit would be cleared for them */
        a->enlarged = a->mapped;
    to = a->base + a->enlarged;
    pthread_mutex_unlock(&a->lock);
    for (; from < to; from += UNIT) {
        /* The host refuses a unit that has no page yet; others may be writing to it. */
        atomic_fetch_or_explicit((atomic_uchar *)(from + a->write), 0, memory_order_relaxed);
        enlarge_unit(from);
    }
}

/* ---- chunks ---------------------------------------------------------------------------------- */

static struct chunk *chunk_new(struct arena *a, size_t size)
{
    uint8_t *base = a->base + a->used;
    struct chunk *c;

    if (a->size - a->used < size || !map_units(a, a->used + size) ||
        (a->used < a->shared && !map_again(a, base, size, 0)))
        return NULL;
    a->used += size;
    c = xcalloc(1, sizeof(*c));
    c->base = base;
    c->size = size;
    return c;
}

/* Makes a chunk this process's own, so that writes do not change other processes. */
static bool copy_shared(const struct arena *a, struct chunk *c)
{
    if (c->shared && map_again(a, c->base, c->size, c->live ? c->used : 0))
        c->shared = false;
    return !c->shared;
}

static bool is_anothers(const struct arena *a, enum arena_user user, const struct chunk *c)
{
    for (unsigned n = 0; n < ARENA_USERS; n++) {
        if (n != user && a->current[n] == c)
            return true;
    }
    return false;
}

/* An empty chunk of at least `size` bytes, or a new one. */
static struct chunk *find_chunk(struct arena *a, enum arena_user user, size_t size)
{
    struct chunk *c;

    for (c = a->chunks; c; c = c->next) {
        if (!c->live && c->size >= size && !is_anothers(a, user, c) && copy_shared(a, c)) {
            c->used = 0;
            return c;
        }
    }
    c = chunk_new(a, size > CHUNK_BYTES ? align_up(size, CPU_PAGE_SIZE) : CHUNK_BYTES);
    if (c) {
        c->next = a->chunks;
        a->chunks = c;
    }
    return c;
}

void *arena_take(struct arena *a, enum arena_user user, size_t size, size_t align,
                 struct chunk **from)
{
    struct chunk *c;
    void *at = NULL;

    size = align_up(size, ARENA_ALIGN);
    pthread_mutex_lock(&a->lock);
    c = a->current[user];
    if (!c || align_up(c->used, align) + size > c->size || !copy_shared(a, c))
        c = a->current[user] = find_chunk(a, user, size);
    if (c) {
        c->used = align_up(c->used, align);
        at = c->base + c->used;
        c->used += size;
        if (!c->live++)
            a->live += c->size;
        *from = c;
    }
    pthread_mutex_unlock(&a->lock);
    return at;
}

void arena_trim(struct arena *a, struct chunk *from, void *at, size_t taken, size_t used)
{
    uint8_t *end = (uint8_t *)at + align_up(taken, ARENA_ALIGN);

    pthread_mutex_lock(&a->lock);
    if (from->base + from->used == end) /* otherwise another piece follows */
        from->used = (size_t)((uint8_t *)at - from->base) + align_up(used, ARENA_ALIGN);
    pthread_mutex_unlock(&a->lock);
}

void arena_share(struct arena *a, struct chunk *from)
{
    pthread_mutex_lock(&a->lock);
    from->live++;
    pthread_mutex_unlock(&a->lock);
}

void arena_give(struct arena *a, struct chunk *from)
{
    pthread_mutex_lock(&a->lock);
    if (!--from->live)
        a->live -= from->size;
    pthread_mutex_unlock(&a->lock);
}

size_t arena_bytes(struct arena *a)
{
    size_t bytes;

    pthread_mutex_lock(&a->lock);
    bytes = a->live;
    pthread_mutex_unlock(&a->lock);
    return bytes;
}

bool arena_own(struct arena *a, struct chunk *c, bool must)
{
    bool ok = false;

    pthread_mutex_lock(&a->lock);
    if (must || !c->shared || c->refused_writes++ >= PATIENCE)
        ok = copy_shared(a, c);
    pthread_mutex_unlock(&a->lock);
    return ok;
}

void arena_forked(struct arena *a)
{
    a->shared = a->mapped;
    for (struct chunk *c = a->chunks; c; c = c->next) {
        c->shared = true;
        c->refused_writes = 0;
    }
}

/* ---- life ------------------------------------------------------------------------------------ */

size_t arena_init(struct arena *a, size_t max)
{
    *a = (struct arena){.chunks = NULL};
    pthread_mutex_init(&a->lock, NULL);
    for (size_t size = max & ~(UNIT - 1); size >= MIN_BYTES && !a->base; size /= 2)
        reserve_ranges(a, size);
    /* Maps the first chunk, to find out whether the host permits it. */
    a->current[ARENA_GUEST] = a->base ? find_chunk(a, ARENA_GUEST, CHUNK_BYTES) : NULL;
    return a->current[ARENA_GUEST] ? a->size : 0;
}

void arena_drop(struct arena *a)
{
    for (struct chunk *c = a->chunks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    if (a->base) {
        munmap(a->base, a->size);
        munmap(a->base + a->write, a->size);
    }
    pthread_mutex_destroy(&a->lock);
}
