/* Paths that would show the guest the simulator's process in place of its own. */
#include "runtime/user/user.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The path behind "/proc/self/" or "/proc/PID/" of this process; NULL: another path. */
static const char *own_proc(const struct process *p, const char *path)
{
    char prefix[32];

    if (!strncmp(path, "/proc/self/", 11))
        return path + 11;
    if (!strncmp(path, "/proc/thread-self/", 18))
        return path + 18;
    snprintf(prefix, sizeof(prefix), "/proc/%d/", p->pid);
    return strncmp(path, prefix, strlen(prefix)) ? NULL : path + strlen(prefix);
}

/* Whether the path is a descriptor of the simulator in /proc/self/fd or /proc/self/fdinfo, also of
 * a thread, or in /dev/fd. */
static bool is_own_fd(const struct process *p, const char *path)
{
    const char *name = NULL;

    if (p->own.len)
        name = strncmp(path, "/dev/fd/", 8) ? own_proc(p, path) : path + 5;
    if (name && !strncmp(name, "task/", 5) && strchr(name + 5, '/'))
        name = strchr(name + 5, '/') + 1;
    if (!name || (strncmp(name, "fd/", 3) && strncmp(name, "fdinfo/", 7)))
        return false;
    return fd_is_own(p, strtoull(strchr(name, '/') + 1, NULL, 10));
}

const char *path_allowed(const struct process *p, const char *path)
{
    return path && is_own_fd(p, path) ? "/proc/self/fd/-1" : path; /* does not exist */
}

const char *path_in_root(const struct process *p, const char *path, char *buf)
{
    const char *root = p->options->sysroot;
    size_t len = root ? strlen(root) : 0;

    path = path_allowed(p, path);
    if (!path || *path != '/' || !len)
        return path;
    /* The guest's string may change meanwhile, in memory that processes share. */
    if (snprintf(buf, PATH_BYTES, "%s%s", root, path) >= PATH_BYTES)
        return path;
    return faccessat(AT_FDCWD, buf, F_OK, AT_SYMLINK_NOFOLLOW) ? path : buf;
}

bool path_is_exe(const struct process *p, const char *path)
{
    const char *name = own_proc(p, path);

    return name && !strcmp(name, "exe");
}

static int text_file(const char *name, const void *text, size_t len)
{
    int fd = memfd_create(name, 0);

    if (fd >= 0 && (write(fd, text, len) != (ssize_t)len || lseek(fd, 0, SEEK_SET))) {
        close(fd);
        return -1;
    }
    return fd;
}

static int open_maps(struct process *p)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    int fd = -1;

    if (!out)
        return -1;
    space_print(&p->space, out);
    if (!fclose(out))
        fd = text_file("maps", text, len);
    free(text);
    return fd;
}

/* Opens a memory file with a copy of a range of guest memory. */
static int open_range(struct process *p, const char *name, const uint64_t range[2])
{
    const void *data = space_read(&p->space, range[0], range[1] - range[0]);

    if (!data) {
        errno = EACCES;
        return -1;
    }
    return text_file(name, data, range[1] - range[0]);
}

/* Where the number of threads is in a line of /proc/self/status; NULL: in another line. */
static const char *threads_in_status(const char *line)
{
    return strncmp(line, "Threads:\t", 9) ? NULL : line + 9;
}

/* The same of /proc/self/stat, where it is field 20. Field 2 is a name, which may have spaces. */
static const char *threads_in_stat(const char *line)
{
    const char *at = strrchr(line, ')');

    for (unsigned field = 2; at && field < 20; field++)
        at = strchr(at + 1, ' ');
    return at ? at + 1 : NULL;
}

/* Copies a file of the host, with the number of the guest's threads in place of the simulator's. */
static void copy_with_threads(const struct process *p, FILE *in, FILE *out,
                              const char *(*threads_in)(const char *line))
{
    char *line = NULL;
    size_t size = 0;

    while (getline(&line, &size, in) > 0) {
        const char *number = threads_in(line);

        if (number)
            fprintf(out, "%.*s%u%s", (int)(number - line), line, listing_threads(p),
                    number + strspn(number, "0123456789"));
        else
            fputs(line, out);
    }
    free(line);
}

static int open_with_threads(const struct process *p, const char *name,
                             const char *(*threads_in)(const char *line))
{
    char path[32], *text = NULL;
    size_t len = 0;
    FILE *in, *out;
    int fd = -1;

    snprintf(path, sizeof(path), "/proc/self/%s", name);
    in = fopen(path, "re");
    out = in ? open_memstream(&text, &len) : NULL;
    if (out)
        copy_with_threads(p, in, out, threads_in);
    if (in)
        fclose(in);
    if (out && !fclose(out))
        fd = text_file(name, text, len);
    free(text);
    return fd;
}

int path_open_special(struct process *p, const char *path, int flags)
{
    const char *name = own_proc(p, path);

    if (!name)
        return -2;
    if (!strcmp(name, "exe"))
        return open(p->exe, flags);
    if (!strcmp(name, "maps"))
        return open_maps(p);
    if (!strcmp(name, "status"))
        return open_with_threads(p, name, threads_in_status);
    if (!strcmp(name, "stat"))
        return open_with_threads(p, name, threads_in_stat);
    if (!strcmp(name, "cmdline"))
        return open_range(p, name, p->cmdline);
    if (!strcmp(name, "auxv"))
        return open_range(p, name, p->auxv);
    return -2;
}
