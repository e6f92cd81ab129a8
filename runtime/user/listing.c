/* Entries of folders, and folders of /proc that would show the guest the simulator's own. */
#include "runtime/user/user.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* struct linux_dirent64: inode, offset of the next entry, length of this one, type, name. */
enum { NEXT_AT = 8, LENGTH_AT = 16, TYPE_AT = 18, NAME_AT = 19, ALIGN = 8 };

uint64_t listing_put(uint8_t *to, uint64_t room, uint64_t position, unsigned char type,
                     const char *name)
{
    uint64_t next = position + 1, inode = next;
    uint16_t bytes = (uint16_t)((NAME_AT + strlen(name) + 1 + ALIGN - 1) / ALIGN * ALIGN);

    if (bytes > room)
        return 0;
    memset(to, 0, bytes);
    memcpy(to, &inode, sizeof(inode));
    memcpy(to + NEXT_AT, &next, sizeof(next));
    memcpy(to + LENGTH_AT, &bytes, sizeof(bytes));
    to[TYPE_AT] = type;
    memcpy(to + NAME_AT, name, strlen(name));
    return bytes;
}

/* Removes the simulator's descriptors from the entries of /proc/self/fd or the like. Returns the
 * remaining bytes. */
static int64_t without_own_fds(const struct process *p, uint8_t *buf, int64_t bytes)
{
    uint16_t length;

    for (int64_t at = 0; at + NAME_AT < bytes;) {
        const char *entry = (const char *)buf + at + NAME_AT;

        memcpy(&length, buf + at + LENGTH_AT, sizeof(length));
        if (length > bytes - at || length <= NAME_AT)
            break; /* changed by another process */
        if (*entry >= '0' && *entry <= '9' && fd_is_own(p, strtoull(entry, NULL, 10))) {
            memmove(buf + at, buf + at + length, (size_t)(bytes - at - length));
            bytes -= length;
        } else {
            at += length;
        }
    }
    return bytes;
}

/* The number of the guest's thread `n`; 0: there are not so many. */
static int thread_number(const struct process *p, uint64_t n)
{
    for (size_t i = 0; i < p->threads.len + p->new_threads.len; i++) {
        const struct thread *t =
            i < p->threads.len ? p->threads.data[i] : p->new_threads.data[i - p->threads.len];

        if (!t->dead && !n--)
            return t->tid;
    }
    return 0;
}

unsigned listing_threads(const struct process *p)
{
    unsigned count = 0;

    while (thread_number(p, count))
        count++;
    return count;
}

/* The name of an entry of /proc/self/task, in `name`. False: there are not so many. */
static bool task_name(const struct process *p, uint64_t position, char name[16])
{
    int tid = position < 2 ? 0 : thread_number(p, position - 2);

    if (position < 2)
        strcpy(name, position ? ".." : ".");
    else
        snprintf(name, 16, "%d", tid);
    return position < 2 || tid;
}

/* Lists the guest's threads in place of the host's: all of the guest's run on one of the host,
 * which has others that translate. The position is that of the open folder, so that lseek()
 * works. */
static int64_t list_tasks(const struct process *p, int fd, uint8_t *to, uint64_t room)
{
    off_t at = lseek(fd, 0, SEEK_CUR);
    uint64_t done = 0, bytes = 1;
    char name[16];

    if (at < 0)
        return -errno;
    while (bytes && task_name(p, (uint64_t)at, name)) {
        bytes = listing_put(to + done, room - done, (uint64_t)at, DT_DIR, name);
        done += bytes;
        at += bytes != 0;
    }
    lseek(fd, at, SEEK_SET);
    return done || bytes ? (int64_t)done : -EINVAL;
}

/* The path behind "/proc/PID/" of an open file of this process, in `path`; else "". */
static const char *name_in_proc(const struct process *p, int fd, char *path, size_t size)
{
    char link[32], own[32];
    ssize_t len;

    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    snprintf(own, sizeof(own), "/proc/%d/", p->pid);
    len = readlink(link, path, size - 1);
    path[len < 0 ? 0 : len] = 0;
    return strncmp(path, own, strlen(own)) ? "" : path + strlen(own);
}

int64_t listing_read(const struct process *p, int fd, uint8_t *to, uint64_t room)
{
    char path[64];
    const char *name = name_in_proc(p, fd, path, sizeof(path));
    int64_t got;

    if (!strcmp(name, "task"))
        return list_tasks(p, fd, to, room);
    got = syscall(SYS_getdents64, fd, to, room);
    if (got < 0)
        return -errno;
    return strncmp(name, "fd", 2) ? got : without_own_fds(p, to, got);
}
