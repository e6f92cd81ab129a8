/*
 * Fences of the render node of -gpu as files, which Mesa waits for in glFinish() and clFinish().
 * QEMU has no GPU; the error numbers are those of Linux's drm_syncobj.c and sync_file.c.
 */
// options: -gpu g52
//= export without a fence: 22
//= export of no object: 2
//= an unknown flag: 22
//= submitted: 0
//= exported: 0, readable: 1
//= imported: 0, exported: 0
//= import of another file: 22
//= import into no object: 2
//= merged: 0, imported: 0
//= merged with another file: 2
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "panfrost.h"

enum { SYNC_FILE = 1 };

struct merge {
    char name[32];
    int32_t other, merged;
    uint32_t flags, pad;
};

static uint32_t new_sync(void)
{
    struct sync s = {0};

    call(SYNC_CREATE, &s);
    return s.handle;
}

/* The error of an export; *fd becomes the file. */
static int export(uint32_t handle, uint32_t flags, int *fd)
{
    struct sync_fd s = {.handle = handle, .flags = flags, .fd = -1};
    int failed = call(SYNC_EXPORT, &s);

    *fd = s.fd;
    return failed;
}

static int import(uint32_t handle, int fd)
{
    return call(SYNC_IMPORT, &(struct sync_fd){.handle = handle, .flags = SYNC_FILE, .fd = fd});
}

static int is_readable(int fd)
{
    return poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 0);
}

static int merge(int fd, struct merge *m)
{
    return ioctl(fd, _IOWR('>', 3, struct merge), m) ? errno : 0;
}

int main(void)
{
    uint32_t done, other;
    struct create_bo c;
    struct merge m = {"both", -1, -1, 0, 0};
    int fd, copy, failed;

    render_fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    done = new_sync();
    other = new_sync();
    printf("export without a fence: %d\n", export(done, SYNC_FILE, &fd));
    printf("export of no object: %d\n", export(77, SYNC_FILE, &fd));
    printf("an unknown flag: %d\n", export(done, 8, &fd));
    create(4096, 1, &c);
    write_job(map_bo(&c), IMMEDIATE_32, c.offset + 2048, 1, 0);
    printf("submitted: %d\n", submit(c.offset, &c, done));
    failed = export(done, SYNC_FILE, &fd);
    printf("exported: %d, readable: %d\n", failed, is_readable(fd));
    printf("imported: %d, ", import(other, fd));
    printf("exported: %d\n", export(other, SYNC_FILE, &copy));
    printf("import of another file: %d\n", import(other, 1));
    printf("import into no object: %d\n", import(77, fd));
    m.other = copy;
    printf("merged: %d, ", merge(fd, &m));
    printf("imported: %d\n", import(new_sync(), m.merged));
    m.other = 1;
    printf("merged with another file: %d\n", merge(fd, &m));
    return 0;
}
