/*
 * Internals of the render node. Layouts and numbers are those of Linux's include/uapi/drm/drm.h and
 * panfrost_drm.h.
 */
#ifndef RUNTIME_USER_RENDER_INTERNAL_H
#define RUNTIME_USER_RENDER_INTERNAL_H

#include "common/vec.h"
#include "runtime/gpu/chain.h"
#include "runtime/gpu/variant.h"
#include "runtime/user/render/render.h"

#define RENDER_PAGE UINT64_C(4096)
/* The driver gives each open file 4 GB of GPU addresses. */
#define RENDER_BYTES (UINT64_C(4) << 30)
#define RENDER_PAGES (RENDER_BYTES / RENDER_PAGE)

enum { RENDER_ENTRIES = 12 };

struct render_device {
    struct served_device base;
    struct process *process;
    const struct gpu_variant *variant;
    const struct gpu_isa *isa;
    struct gpu_cores *cores; /* made with the first job; NULL: none yet, or a fork since */
    struct gpu_chain *chain;
    struct served_entry entries[RENDER_ENTRIES];
    char uevent[256];
    uint64_t busy_cycles; /* GPU cycles of all jobs so far */
    unsigned opened;      /* open files so far */
    unsigned snapshots;   /* number of the next file of -gpu-snapshot */
    uint64_t unknown[4];  /* bit n: ioctl n was reported */
};

/* Rights of a page of GPU memory. */
enum {
    RIGHT_MAPPED = 1, /* the GPU may read and write it */
    RIGHT_EXECUTE = 2,
    RIGHT_KEPT = 4, /* of a closed buffer that the program still has mapped: not for the GPU */
};

struct render_buffer {
    uint64_t va, bytes; /* bytes 0: the handle is free */
    bool heap;
    bool seen; /* the program has mapped some of it */
};

/* Bytes of a closed buffer that the program still had mapped. */
struct render_remains {
    uint64_t va, bytes;
};

struct render_sync {
    bool exists;
    bool signalled; /* the object has a fence, which is signalled */
};

/*
 * An open file. Its memory file has a buffer's bytes at their GPU address, which is so the offset
 * for mmap() too. The file's size is sealed.
 */
struct render_file {
    struct render_device *device;
    uint8_t *host;   /* RENDER_BYTES, shared with the memory file */
    uint8_t *rights; /* RIGHT_… of each page */
    struct gpu_address_space space;
    char name[64];                     /* what the space of the program calls the memory file */
    VEC(struct render_buffer) buffers; /* buffer with handle n at n - 1 */
    VEC(struct render_remains) remains;
    size_t sweep_at; /* number of `remains` at which those without a mapping are freed */
    VEC(struct render_sync) syncs; /* object with handle n at n - 1 */
};

/* ---- buffers.c ------------------------------------------------------------------------------- */

/* Makes the memory of a file. Returns its memory file; -1 with errno. */
int render_memory_open(struct render_file *f);
void render_memory_close(struct render_file *f);
/* Makes a buffer: its handle, or a negative errno. `bytes` is not 0. */
int64_t render_buffer_new(struct render_file *f, uint32_t bytes, bool execute, bool heap);
/* NULL: no buffer has the handle. */
struct render_buffer *render_buffer_find(struct render_file *f, uint32_t handle);
/* Its bytes stay as they are where the program has them mapped. */
void render_buffer_free(struct render_file *f, struct render_buffer *b);
/* Serves mmap(): the function of struct served_device. */
int64_t render_map(void *file, uint64_t offset, uint64_t bytes, bool shared);

/* ---- node.c ---------------------------------------------------------------------------------- */

/* Serves ioctl(): the function of struct served_device. */
int64_t render_ioctl(struct thread *t, void *file, uint32_t request, uint64_t argument);

/* An ioctl. `arg` is its structure, which is copied from the guest before and to it afterwards. */
typedef int64_t render_call(struct thread *t, struct render_file *f, void *arg);

/* ---- panfrost.c ------------------------------------------------------------------------------ */

render_call render_submit, render_wait_bo, render_create_bo, render_mmap_bo, render_get_param,
    render_get_bo_offset, render_madvise;
/* Ends the shader cores. */
void render_stop(struct render_device *d);

/* ---- syncobj.c ------------------------------------------------------------------------------- */

render_call render_sync_create, render_sync_destroy, render_sync_wait, render_sync_reset,
    render_sync_signal, render_sync_export, render_sync_import;
/* A file that stands for a signalled fence. It is the first of the device's entries. */
extern const struct served_entry render_sync_file;
/* NULL: no object has the handle. */
struct render_sync *render_sync_find(struct render_file *f, uint32_t handle);
/* The object whose handle is number `n` of the guest's array `handles`: 0, or a negative errno. */
int64_t render_sync_get(struct thread *t, struct render_file *f, uint64_t handles, uint32_t n,
                        struct render_sync **out);

#endif
