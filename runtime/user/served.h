/*
 * Files that the simulator serves in place of the host: those of a device that it models, such as
 * the GPU of -gpu. A device lists its paths. An opened one is a memory file of the host, so that
 * the host's dup(), poll() and fork() work on it; its inode tells what it is.
 */
#ifndef RUNTIME_USER_SERVED_H
#define RUNTIME_USER_SERVED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#include "runtime/base/error.h"

struct process;
struct served_device;
struct served_file;
struct thread;
struct user_options;

enum served_kind {
    SERVED_FOLDER, /* its entries are the paths below it in the same table */
    SERVED_TEXT,
    SERVED_LINK,
    SERVED_NODE, /* a character device */
};

struct served_entry {
    /* Absolute, without a slash at its end. Other texts are files without a path, which only the
     * device opens. */
    const char *path;
    enum served_kind kind;
    const char *text; /* a text's content, a link's target */
    dev_t device;     /* a node's number */
    /* Serves ioctl() on an open text; NULL: it has none. The result is that of a system call. */
    int64_t (*ioctl)(struct thread *t, const struct served_entry *e, uint32_t request,
                     uint64_t argument);
};

/* A device: its own structure begins with this. */
struct served_device {
    const struct served_entry *entries;
    size_t entry_count;
    /* Opens the node. Returns the state of the open file, and in *fd a memory file that stands for
     * it; NULL with errno. */
    void *(*open)(struct served_device *d, int *fd);
    /* Serves ioctl() on the node. The result is that of a system call's function. */
    int64_t (*ioctl)(struct thread *t, void *file, uint32_t request, uint64_t argument);
    /* Whether mmap() may map `bytes` bytes of an open file from `offset` on: 0, or a negative
     * errno. */
    int64_t (*map)(void *file, uint64_t offset, uint64_t bytes, bool shared);
    /* Frees the state of an open file whose last descriptor is closed. */
    void (*close)(void *file);
    /* To be called in the child: threads of the host are gone. */
    void (*after_fork)(struct served_device *d);
    void (*free)(struct served_device *d);
};

/* A kind of device that is linked with the program. */
struct user_device {
    /* Makes the device that the options name. NULL: *err has the reason. */
    struct served_device *(*create)(const struct user_device *kind, struct process *p,
                                    struct error *err);
    void (*print_names)(FILE *out); /* what -gpu help prints */
    const void *opaque;             /* for create() */
};

/* The entry of a path; NULL: it is the host's. */
const struct served_entry *served_find(const struct process *p, const char *path);
/* The entry of a descriptor; NULL: it is a file of the host. */
const struct served_entry *served_find_fd(const struct process *p, int fd);
/* The entry that a call with a folder's descriptor and a path names, where an empty path is the
 * descriptor itself. */
const struct served_entry *served_find_at(const struct process *p, int folder, const char *path,
                                          bool follow);
/* Opens an entry with the host's flags: a descriptor, or a negative errno. */
int64_t served_open(struct process *p, const struct served_entry *e, int flags);
/* access() on an entry: whether its rights allow `mode` (R_OK | …) to everyone. 0, or a negative
 * errno. */
int64_t served_access(const struct process *p, const struct served_entry *e, int mode);
/* What stat() tells of an entry. */
struct stat served_stat(const struct process *p, const struct served_entry *e);
/* Reads entries of an open folder, as getdents64(). */
int64_t served_list(struct process *p, int fd, const struct served_entry *e, uint8_t *to,
                    uint64_t room);
/* ioctl() on a served file; false: the descriptor is the host's. */
bool served_ioctl(struct thread *t, int fd, uint32_t request, uint64_t argument, int64_t *result);
/* Whether mmap() may map a file: 0, also if it is the host's, or a negative errno. */
int64_t served_map(const struct process *p, int fd, uint64_t offset, uint64_t bytes, bool shared);
/* Frees files whose descriptors the program has closed. */
void served_collect(struct process *p);
/* To be called in the child. */
void served_after_fork(struct process *p);
void served_free(struct process *p);

#endif
