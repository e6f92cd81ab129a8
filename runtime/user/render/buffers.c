/* Memory of an open render node: buffers at GPU addresses, as the GPU and mmap() see them. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mali_layout.h"
#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/user/render/internal.h"

/* The driver's range of addresses begins at 32 MB. Code must not lie near the end of 4 GB; other
 * buffers keep away from there too. */
#define FIRST_PAGE ((UINT64_C(32) << 20) / RENDER_PAGE)
#define END_PAGE   (RENDER_PAGES - (UINT64_C(16) << 20) / RENDER_PAGE)
#define LARGE      (UINT64_C(2) << 20)

/* Closed buffers that are still mapped, before the first sweep. */
enum { FEWEST_REMAINS = 64 };

static uint32_t translate(void *opaque, uint64_t va, enum gpu_access access, struct gpu_page *out)
{
    const struct render_file *f = opaque;
    uint64_t page = va / RENDER_PAGE;
    uint8_t rights = page < RENDER_PAGES ? f->rights[page] : 0;

    if (!(rights & RIGHT_MAPPED))
        return MALI_EXCEPTION_TRANSLATION_FAULT;
    *out = (struct gpu_page){
        .host = f->host + page * RENDER_PAGE,
        .bytes = RENDER_PAGE,
        .read = true,
        .write = true,
        .execute = rights & RIGHT_EXECUTE,
    };
    return access == GPU_ACCESS_EXECUTE && !out->execute ? MALI_EXCEPTION_PERMISSION_FAULT : 0;
}

int render_memory_open(struct render_file *f)
{
    void *host = MAP_FAILED;
    char name[32];
    int fd;

    snprintf(name, sizeof(name), "render%u", f->device->opened++);
    snprintf(f->name, sizeof(f->name), "/memfd:%s (deleted)", name);
    fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);

    /* A program that made the file shorter would take pages away from under the shader cores. */
    if (fd >= 0 && !ftruncate(fd, (off_t)RENDER_BYTES) &&
        !fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
        host = mmap(NULL, RENDER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    if (host == MAP_FAILED) {
        if (fd >= 0)
            close(fd);
        return -1;
    }
    f->host = host;
    f->rights = xcalloc(RENDER_PAGES, 1);
    f->sweep_at = FEWEST_REMAINS;
    f->space = (struct gpu_address_space){.opaque = f, .translate = translate, .generation = 1};
    return fd;
}

void render_memory_close(struct render_file *f)
{
    munmap(f->host, RENDER_BYTES);
    free(f->rights);
    vec_free(&f->buffers);
    vec_free(&f->remains);
}

/* ---- pages ----------------------------------------------------------------------------------- */

static void free_pages(struct render_file *f, uint64_t va, uint64_t bytes)
{
    madvise(f->host + va, bytes, MADV_REMOVE); /* a new buffer there has zeros */
    memset(f->rights + va / RENDER_PAGE, 0, bytes / RENDER_PAGE);
}

/* Whether the program has bytes of the memory file in its address space. */
static bool is_mapped(const struct render_file *f, uint64_t va, uint64_t bytes)
{
    return space_maps_file(&f->device->process->space, f->name, va, bytes);
}

/* Frees what remained of closed buffers and is no longer mapped. Between sweeps the number of
 * remains doubles, so that a program that closes all buffers first pays for few of them. */
static void sweep(struct render_file *f)
{
    size_t kept = 0;

    vec_for_each (&f->remains, r) {
        if (is_mapped(f, r->va, r->bytes))
            f->remains.data[kept++] = *r;
        else
            free_pages(f, r->va, r->bytes);
    }
    f->remains.len = kept;
    f->sweep_at = 2 * kept + FEWEST_REMAINS;
}

/* The first free range of pages with the alignment; 0: none. */
static uint64_t find_pages(const struct render_file *f, uint64_t count, uint64_t align)
{
    uint64_t page = FIRST_PAGE;

    for (;;) {
        uint64_t n = 0;

        while (page < END_PAGE && f->rights[page])
            page++;
        page = (page + align - 1) / align * align;
        if (page + count > END_PAGE)
            return 0;
        while (n < count && !f->rights[page + n])
            n++;
        if (n == count)
            return page;
        page += n + 1;
    }
}

/* ---- buffers --------------------------------------------------------------------------------- */

/* The lowest free handle. */
static uint32_t new_handle(struct render_file *f)
{
    size_t n = 0;

    while (n < f->buffers.len && f->buffers.data[n].bytes)
        n++;
    if (n == f->buffers.len)
        vec_push(&f->buffers, (struct render_buffer){0});
    return (uint32_t)n + 1;
}

/* Code is aligned to its size, heaps grow by 2 MB: both as the driver does it. A heap's memory
 * needs no growing here, since the host has no memory for pages that were never written. */
int64_t render_buffer_new(struct render_file *f, uint32_t bytes, bool execute, bool heap)
{
    uint64_t size = align_up((uint64_t)bytes, heap ? LARGE : RENDER_PAGE);
    uint64_t count = size / RENDER_PAGE;
    uint64_t align = execute ? count : size >= LARGE ? LARGE / RENDER_PAGE : 1;
    uint64_t page = find_pages(f, count, align);
    uint32_t handle;

    if (!page && f->remains.len) {
        sweep(f);
        page = find_pages(f, count, align);
    }
    if (!page)
        return -ENOSPC;
    handle = new_handle(f);
    f->buffers.data[handle - 1] =
        (struct render_buffer){.va = page * RENDER_PAGE, .bytes = size, .heap = heap};
    memset(f->rights + page, RIGHT_MAPPED | (execute ? RIGHT_EXECUTE : 0), count);
    f->space.generation++;
    return handle;
}

struct render_buffer *render_buffer_find(struct render_file *f, uint32_t handle)
{
    if (!handle || handle > f->buffers.len || !f->buffers.data[handle - 1].bytes)
        return NULL;
    return &f->buffers.data[handle - 1];
}

void render_buffer_free(struct render_file *f, struct render_buffer *b)
{
    if (b->seen && is_mapped(f, b->va, b->bytes)) {
        memset(f->rights + b->va / RENDER_PAGE, RIGHT_KEPT, b->bytes / RENDER_PAGE);
        vec_push(&f->remains, (struct render_remains){b->va, b->bytes});
        if (f->remains.len > f->sweep_at)
            sweep(f);
    } else {
        free_pages(f, b->va, b->bytes);
    }
    b->bytes = 0;
    f->space.generation++;
}

/* ---- mmap ------------------------------------------------------------------------------------ */

/* As Linux: a mapping begins where a buffer does, ends in it, and is shared with the GPU. */
int64_t render_map(void *file, uint64_t offset, uint64_t bytes, bool shared)
{
    struct render_file *f = file;

    vec_for_each (&f->buffers, b) {
        if (b->bytes && b->va == offset) {
            if (!shared || b->heap || align_up(bytes, RENDER_PAGE) > b->bytes)
                return -EINVAL;
            b->seen = true;
            return 0;
        }
    }
    return -EINVAL;
}
