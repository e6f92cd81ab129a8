/* Files that the simulator serves (served.h): paths, open files, folders. */
#include "runtime/user/served.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/base/alloc.h"
#include "runtime/user/user.h"

/* ---- paths ----------------------------------------------------------------------------------- */

/* Copies an absolute path without double slashes, "." parts and a slash at the end. */
static void tidy_path(const char *path, char *out, size_t size)
{
    size_t n = 0;

    while (*path) {
        size_t len = strcspn(path, "/");

        if (len && !(len == 1 && *path == '.') && n + len + 2 < size) {
            out[n++] = '/';
            memcpy(out + n, path, len);
            n += len;
        }
        path += len + (path[len] == '/');
    }
    out[n] = 0;
}

const struct served_entry *served_find(const struct process *p, const char *path)
{
    const struct served_device *d = p->served;
    char tidy[512];

    if (!d || !path || *path != '/' || strlen(path) >= sizeof(tidy))
        return NULL;
    tidy_path(path, tidy, sizeof(tidy));
    for (size_t n = 0; n < d->entry_count; n++) {
        if (!strcmp(d->entries[n].path, tidy))
            return &d->entries[n];
    }
    return NULL;
}

static const struct served_file *file_of(const struct process *p, int fd)
{
    struct stat st;

    if (!p->served_files.len || fstat(fd, &st))
        return NULL;
    for (size_t n = 0; n < p->served_files.len; n++) {
        const struct served_file *f = &p->served_files.data[n];

        if (f->inode == st.st_ino && f->device == st.st_dev)
            return f;
    }
    return NULL;
}

const struct served_entry *served_find_fd(const struct process *p, int fd)
{
    const struct served_file *f = file_of(p, fd);

    return f ? f->entry : NULL;
}

const struct served_entry *served_find_at(const struct process *p, int folder, const char *path,
                                          bool follow)
{
    const struct served_entry *e;

    if (!p->served)
        return NULL;
    if (path && *path && *path != '/') { /* relative to a served folder */
        char whole[512];

        e = served_find_fd(p, folder);
        if (!e || e->kind != SERVED_FOLDER ||
            snprintf(whole, sizeof(whole), "%s/%s", e->path, path) >= (int)sizeof(whole))
            return NULL;
        e = served_find(p, whole);
    } else {
        e = path && *path ? served_find(p, path) : served_find_fd(p, folder);
    }
    return e && follow && e->kind == SERVED_LINK ? served_find(p, e->text) : e;
}

/* ---- open files ------------------------------------------------------------------------------ */

static int text_file(const char *text)
{
    size_t len = text ? strlen(text) : 0;
    int fd = memfd_create("served", MFD_CLOEXEC);

    if (fd >= 0 && (write(fd, text, len) != (ssize_t)len || lseek(fd, 0, SEEK_SET))) {
        close(fd);
        return -1;
    }
    return fd;
}

int64_t served_open(struct process *p, const struct served_entry *e, int flags)
{
    struct served_file f = {.entry = e};
    struct stat st;
    int fd = -1;

    if (flags & (O_CREAT | O_EXCL) && flags & O_EXCL)
        return -EEXIST;
    if (e->kind == SERVED_LINK)
        return -ELOOP;
    if ((flags & O_DIRECTORY) && e->kind != SERVED_FOLDER)
        return -ENOTDIR;
    if (e->kind != SERVED_NODE && (flags & O_ACCMODE) != O_RDONLY)
        return e->kind == SERVED_FOLDER ? -EISDIR : -EACCES;
    served_collect(p);
    if (e->kind == SERVED_NODE)
        f.state = p->served->open(p->served, &fd);
    else
        fd = text_file(e->kind == SERVED_TEXT ? e->text : NULL);
    if (fd < 0 || fstat(fd, &st))
        return -errno;
    f.device = st.st_dev;
    f.inode = st.st_ino;
    vec_push(&p->served_files, f);
    fcntl(fd, F_SETFD, flags & O_CLOEXEC ? FD_CLOEXEC : 0);
    return fd;
}

struct stat served_stat(const struct process *p, const struct served_entry *e)
{
    static const mode_t modes[] = {
        [SERVED_FOLDER] = S_IFDIR | 0755,
        [SERVED_TEXT] = S_IFREG | 0444,
        [SERVED_LINK] = S_IFLNK | 0777,
        [SERVED_NODE] = S_IFCHR | 0666,
    };

    return (struct stat){
        .st_ino = (ino_t)(e - p->served->entries + 1),
        .st_mode = modes[e->kind],
        .st_nlink = 1,
        .st_rdev = e->device,
        .st_size = e->text ? (off_t)strlen(e->text) : 0,
        .st_blksize = 4096,
    };
}

int64_t served_access(const struct process *p, const struct served_entry *e, int mode)
{
    if (mode & ~(R_OK | W_OK | X_OK))
        return -EINVAL;
    return (mode_t)mode & ~served_stat(p, e).st_mode ? -EACCES : 0;
}

/* The name of entry `n` in a folder; NULL: it is not there. Entries 0 and 1 are "." and "..". */
static const char *name_in(const struct served_device *d, const struct served_entry *folder,
                           size_t n, unsigned char *type)
{
    static const unsigned char types[] = {DT_DIR, DT_REG, DT_LNK, DT_CHR};
    size_t len = strlen(folder->path);
    const struct served_entry *e;

    *type = DT_DIR;
    if (n < 2)
        return n ? ".." : ".";
    e = &d->entries[n - 2];
    *type = types[e->kind];
    if (strncmp(e->path, folder->path, len) || e->path[len] != '/' ||
        strchr(e->path + len + 1, '/'))
        return NULL;
    return e->path + len + 1;
}

/* The position in a folder is that of its memory file, so that lseek() and dup() work. */
int64_t served_list(struct process *p, int fd, const struct served_entry *e, uint8_t *to,
                    uint64_t room)
{
    off_t at = lseek(fd, 0, SEEK_CUR);
    uint64_t done = 0, bytes;

    if (e->kind != SERVED_FOLDER)
        return -ENOTDIR;
    for (; at >= 0 && (size_t)at < p->served->entry_count + 2; at++) {
        unsigned char type;
        const char *name = name_in(p->served, e, (size_t)at, &type);

        if (!name)
            continue;
        bytes = listing_put(to + done, room - done, (uint64_t)at, type, name);
        if (!bytes)
            break;
        done += bytes;
    }
    lseek(fd, at, SEEK_SET);
    return !done && (size_t)at < p->served->entry_count + 2 ? -EINVAL : (int64_t)done;
}

bool served_ioctl(struct thread *t, int fd, uint32_t request, uint64_t argument, int64_t *result)
{
    const struct served_file *f = file_of(t->process, fd);

    if (!f)
        return false;
    *result = -ENOTTY;
    if (f->entry->ioctl)
        *result = f->entry->ioctl(t, f->entry, request, argument);
    else if (f->entry->kind == SERVED_NODE)
        *result = f->state ? t->process->served->ioctl(t, f->state, request, argument) : -ENODEV;
    return true;
}

/* Linux maps neither folders nor the texts of /sys. */
int64_t served_map(const struct process *p, int fd, uint64_t offset, uint64_t bytes, bool shared)
{
    const struct served_file *f = file_of(p, fd);

    if (!f)
        return 0;
    return f->state ? p->served->map(f->state, offset, bytes, shared) : -ENODEV;
}

/* ---- the end of files ------------------------------------------------------------------------ */

/* Marks the files that have an open descriptor. */
static void mark_open(struct process *p, bool *open)
{
    DIR *folder = opendir("/proc/self/fd");
    const struct dirent *entry;

    while (folder && (entry = readdir(folder)) != NULL) {
        const struct served_file *f = file_of(p, atoi(entry->d_name));

        if (*entry->d_name != '.' && f)
            open[f - p->served_files.data] = true;
    }
    if (folder)
        closedir(folder);
    else
        memset(open, true, p->served_files.len);
}

void served_collect(struct process *p)
{
    size_t kept = 0, count = p->served_files.len;
    bool *open;

    if (!count)
        return;
    open = xcalloc(count, sizeof(*open));
    nofile_lift(p);
    mark_open(p, open);
    nofile_drop(p);
    for (size_t n = 0; n < count; n++) {
        if (open[n])
            p->served_files.data[kept++] = p->served_files.data[n];
        else if (p->served_files.data[n].state)
            p->served->close(p->served_files.data[n].state);
    }
    p->served_files.len = kept;
    free(open);
}

/* The child's copies of open nodes answer ENODEV: what they were belongs to the parent. */
void served_after_fork(struct process *p)
{
    if (!p->served)
        return;
    for (size_t n = 0; n < p->served_files.len; n++)
        p->served_files.data[n].state = NULL;
    p->served->after_fork(p->served);
}

void served_free(struct process *p)
{
    for (size_t n = 0; n < p->served_files.len; n++) {
        if (p->served_files.data[n].state)
            p->served->close(p->served_files.data[n].state);
    }
    vec_free(&p->served_files);
    if (p->served)
        p->served->free(p->served);
    p->served = NULL;
}
