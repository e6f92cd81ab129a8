/* The render node of panfrost for programs that test it: calls, and jobs that write a number. */
#ifndef TESTS_USER_PROGRAMS_PANFROST_H
#define TESTS_USER_PROGRAMS_PANFROST_H

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#define DRM(number, type) _IOWR('d', number, type)

struct version {
    int major, minor, patch;
    size_t name_bytes;
    char *name;
    size_t date_bytes;
    char *date;
    size_t text_bytes;
    char *text;
};

struct submit {
    uint64_t head, in_syncs;
    uint32_t in_sync_count, out_sync;
    uint64_t handles;
    uint32_t handle_count, requirements;
};

struct wait_bo {
    uint32_t handle, pad;
    int64_t timeout_ns;
};

struct create_bo {
    uint32_t size, flags, handle, pad;
    uint64_t offset;
};

struct offset {
    uint32_t handle, flags;
    uint64_t offset;
};

struct get_param {
    uint32_t param, pad;
    uint64_t value;
};

struct close_bo {
    uint32_t handle, pad;
};

struct sync {
    uint32_t handle, flags;
};

struct sync_fd {
    uint32_t handle, flags;
    int32_t fd;
    uint32_t pad;
};

#define VERSION      DRM(0x00, struct version)
#define SUBMIT       _IOW('d', 0x40, struct submit)
#define WAIT_BO      _IOW('d', 0x41, struct wait_bo)
#define CREATE_BO    DRM(0x42, struct create_bo)
#define MMAP_BO      DRM(0x43, struct offset)
#define GET_PARAM    DRM(0x44, struct get_param)
#define GET_OFFSET   DRM(0x45, struct offset)
#define GEM_CLOSE    _IOW('d', 0x09, struct close_bo)
#define SYNC_CREATE  DRM(0xbf, struct sync)
#define SYNC_DESTROY DRM(0xc0, struct sync)
#define SYNC_EXPORT  DRM(0xc1, struct sync_fd)
#define SYNC_IMPORT  DRM(0xc2, struct sync_fd)

/* Flags of a buffer. */
enum { NOEXEC = 1, HEAP = 2 };

static int render_fd;

/* 0, or the error of the call. */
static inline int call(unsigned long request, void *arg)
{
    return ioctl(render_fd, request, arg) ? errno : 0;
}

static inline int create(uint32_t size, uint32_t flags, struct create_bo *c)
{
    *c = (struct create_bo){.size = size, .flags = flags};
    return call(CREATE_BO, c);
}

/* Maps a buffer. */
static inline void *map_bo(const struct create_bo *c)
{
    struct offset m = {.handle = c->handle};

    call(MMAP_BO, &m);
    return mmap(NULL, c->size, PROT_READ | PROT_WRITE, MAP_SHARED, render_fd, (off_t)m.offset);
}

static inline int close_bo(uint32_t handle)
{
    return call(GEM_CLOSE, &(struct close_bo){.handle = handle});
}

/* Submits the chain at `head`; `out` is a synchronisation object or 0. */
static inline int submit(uint64_t head, const struct create_bo *c, uint32_t out)
{
    return call(SUBMIT, &(struct submit){.head = head,
                                         .out_sync = out,
                                         .handles = (uintptr_t)&c->handle,
                                         .handle_count = 1});
}

enum { IMMEDIATE_32 = 6, IMMEDIATE_64 = 7 };

/* A job at `to_job`, which writes `value` of the type to `to`; `next` is the one behind it. */
static inline void write_job(void *to_job, uint32_t type, uint64_t to, uint64_t value,
                             uint64_t next)
{
    uint32_t job[16] = {0};

    job[4] = 1 | 2 << 1 | 1 << 16; /* 64 bits, a job that writes a value, index 1 */
    memcpy(job + 6, &next, 8);
    memcpy(job + 8, &to, 8);
    job[10] = type;
    memcpy(job + 12, &value, 8);
    memcpy(to_job, job, sizeof(job));
}

#endif
