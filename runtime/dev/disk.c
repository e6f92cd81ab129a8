/*
 * A raw file of the host, or a qcow2 image and the files behind it, as a disk. With `snapshot` the
 * file is only read; written data is kept in memory, in clusters.
 *
 * Bounds      a call: its bytes; memory: the disk's size; MAX_DEPTH files behind each other
 */
#include "runtime/dev/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/base/host_file.h"
#include "runtime/dev/qcow2.h"

#define CLUSTER ((uint64_t)DISK_CLUSTER) /* unit of copy on write */
/* What is kept for each cluster is as large as the disk says that it is, and the file of an image
 * of any size may be small. */
#define MAX_BYTES (UINT64_C(16) << 40)
#define MAX_DEPTH 64 /* backing files behind each other */

struct disk {
    char *path;
    int fd;
    struct qcow2 *image;      /* in the file; NULL: the file is the disk */
    struct disk *backing;     /* has what the image has not; only read; NULL: none */
    const struct disk *above; /* while it is opened: whose backing file it is; NULL: none */
    uint64_t size;            /* bytes */
    bool read_only;
    uint8_t **clusters; /* snapshot: written clusters; NULL: no snapshot */
    uint8_t *zeros;     /* snapshot: stands for each zeroed cluster; read only */
    uint8_t *suspect;   /* by cluster: disk_may_differ(); NULL: the guest does not write the file */
};

/* How a disk is opened. */
struct disk_use {
    bool read_only, snapshot, image;
    const struct disk *above; /* whose backing file it is; NULL: none */
};

static struct disk *open_disk(const char *path, struct disk_use use, struct error *err);

/* Reads the whole range, or returns false. Bytes past the end of a file that shrank read as
 * zero. */
static bool read_file(const struct disk *disk, uint8_t *to, uint64_t len, uint64_t at)
{
    return disk->image ? qcow2_read(disk->image, to, len, at) : host_read_at(disk->fd, to, len, at);
}

static bool write_file(struct disk *disk, const uint8_t *from, uint64_t len, uint64_t at)
{
    return disk->image ? qcow2_write(disk->image, from, len, at)
                       : host_write_at(disk->fd, from, len, at);
}

/* Number of bytes from `at` on in the same cluster, at most `len`. */
static uint64_t in_cluster(uint64_t at, uint64_t len)
{
    uint64_t left = CLUSTER - at % CLUSTER;

    return len < left ? len : left;
}

bool disk_read(struct disk *disk, uint8_t *to, uint64_t len, uint64_t at)
{
    if (!disk->clusters)
        return read_file(disk, to, len, at);
    while (len) {
        uint64_t n = in_cluster(at, len);
        const uint8_t *cluster = disk->clusters[at / CLUSTER];

        if (cluster)
            memcpy(to, cluster + at % CLUSTER, n);
        else if (!read_file(disk, to, n, at))
            return false;
        to += n;
        at += n;
        len -= n;
    }
    return true;
}

/* Returns the cluster at `at` for writing, all of it if `whole`; NULL: the host cannot read the old
 * content. */
static uint8_t *take_cluster(struct disk *disk, uint64_t at, bool whole)
{
    uint8_t **place = &disk->clusters[at / CLUSTER], *cluster;

    if (*place && *place != disk->zeros)
        return *place;
    cluster = xcalloc(1, CLUSTER);
    if (!*place && !whole && !read_file(disk, cluster, CLUSTER, align_down(at, CLUSTER))) {
        free(cluster);
        return NULL;
    }
    *place = cluster;
    return cluster;
}

static void zero_whole_cluster(struct disk *disk, uint64_t at)
{
    uint8_t **place = &disk->clusters[at / CLUSTER];

    if (*place != disk->zeros)
        free(*place);
    *place = disk->zeros;
}

/* `from` NULL: zeros. */
static bool write_snapshot(struct disk *disk, const uint8_t *from, uint64_t len, uint64_t at)
{
    while (len) {
        uint64_t n = in_cluster(at, len);
        uint8_t *cluster;

        if (!from && n == CLUSTER) {
            zero_whole_cluster(disk, at);
        } else {
            cluster = take_cluster(disk, at, n == CLUSTER);
            if (!cluster)
                return false;
            if (from)
                memcpy(cluster + at % CLUSTER, from, n);
            else
                memset(cluster + at % CLUSTER, 0, n);
        }
        from = from ? from + n : NULL;
        at += n;
        len -= n;
    }
    return true;
}

/* The guest writes to the file. */
static void note_write(struct disk *disk, uint64_t len, uint64_t at)
{
    if (len && disk->suspect)
        memset(disk->suspect + at / CLUSTER, 1, (at + len - 1) / CLUSTER - at / CLUSTER + 1);
}

bool disk_write(struct disk *disk, const uint8_t *from, uint64_t len, uint64_t at)
{
    note_write(disk, len, at);
    return disk->clusters ? write_snapshot(disk, from, len, at) : write_file(disk, from, len, at);
}

bool disk_zero(struct disk *disk, uint64_t len, uint64_t at)
{
    static const uint8_t zeros[CLUSTER];

    if (disk->clusters)
        return write_snapshot(disk, NULL, len, at);
    note_write(disk, len, at);
    if (disk->image)
        return qcow2_zero(disk->image, len, at);
    if (!fallocate(disk->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)at, (off_t)len))
        return true;
    while (len) {
        uint64_t n = len < sizeof(zeros) ? len : sizeof(zeros);

        if (!host_write_at(disk->fd, zeros, n, at))
            return false;
        at += n;
        len -= n;
    }
    return true;
}

bool disk_flush(struct disk *disk)
{
    return disk->read_only || disk->clusters || !fdatasync(disk->fd);
}

uint64_t disk_size(const struct disk *disk)
{
    return disk->size;
}

bool disk_read_only(const struct disk *disk)
{
    return disk->read_only;
}

/* ---- snapshots of a machine ------------------------------------------------------------------ */

uint64_t disk_clusters(const struct disk *disk)
{
    return disk->clusters ? (disk->size + CLUSTER - 1) / CLUSTER : 0;
}

bool disk_cluster(const struct disk *disk, uint64_t n, const uint8_t **bytes)
{
    const uint8_t *cluster = disk->clusters[n];

    *bytes = cluster == disk->zeros ? NULL : cluster;
    return cluster != NULL;
}

void disk_set_cluster(struct disk *disk, uint64_t n, const uint8_t *bytes)
{
    if (!bytes)
        zero_whole_cluster(disk, n * CLUSTER);
    else
        memcpy(take_cluster(disk, n * CLUSTER, true), bytes, CLUSTER);
}

void disk_forget_writes(struct disk *disk)
{
    for (uint64_t i = 0; i < disk_clusters(disk); i++) {
        if (disk->clusters[i] != disk->zeros)
            free(disk->clusters[i]);
        disk->clusters[i] = NULL;
    }
}

bool disk_writes_file(const struct disk *disk)
{
    return !disk->read_only && !disk->clusters;
}

uint64_t disk_file_clusters(const struct disk *disk)
{
    return disk->suspect ? (disk->size + CLUSTER - 1) / CLUSTER : 0;
}

bool disk_may_differ(struct disk *disk, uint64_t n)
{
    bool may = disk->suspect[n];

    disk->suspect[n] = 0;
    return may;
}

void disk_suspect_all(struct disk *disk)
{
    if (disk->suspect)
        memset(disk->suspect, 1, disk->size / CLUSTER + 1);
}

/* Bytes of cluster `n` that are on the disk. */
static uint64_t cluster_length(const struct disk *disk, uint64_t n)
{
    return disk->size - n * CLUSTER < CLUSTER ? disk->size - n * CLUSTER : CLUSTER;
}

bool disk_get_cluster(struct disk *disk, uint64_t n, uint8_t bytes[DISK_CLUSTER])
{
    uint64_t len = cluster_length(disk, n);
    off_t data = disk->image ? 0 : lseek(disk->fd, (off_t)(n * CLUSTER), SEEK_DATA);

    if (data < 0 ? errno == ENXIO : (uint64_t)data >= n * CLUSTER + len) {
        memset(bytes, 0, CLUSTER); /* a hole */
        return true;
    }
    memset(bytes + len, 0, CLUSTER - len);
    return read_file(disk, bytes, len, n * CLUSTER);
}

bool disk_put_cluster(struct disk *disk, uint64_t n, const uint8_t *bytes)
{
    uint64_t len = cluster_length(disk, n);

    return bytes ? disk_write(disk, bytes, len, n * CLUSTER) : disk_zero(disk, len, n * CLUSTER);
}

uint64_t disk_file_mark(const struct disk *disk)
{
    struct stat st = {0};
    uint64_t behind;

    if (disk_writes_file(disk))
        return disk->size;
    fstat(disk->fd, &st);
    behind = disk->backing ? 31 * disk_file_mark(disk->backing) : 0;
    return ((uint64_t)st.st_mtim.tv_sec * 1000000007u + (uint64_t)st.st_mtim.tv_nsec + behind) ^
           disk->size;
}

const char *disk_name(const struct disk *disk)
{
    return disk->path;
}

/* ---- life ------------------------------------------------------------------------------------ */

void disk_close(struct disk *disk)
{
    if (!disk)
        return;
    for (uint64_t i = 0; disk->clusters && i <= disk->size / CLUSTER; i++) {
        if (disk->clusters[i] != disk->zeros)
            free(disk->clusters[i]);
    }
    free(disk->clusters);
    free(disk->zeros);
    free(disk->suspect);
    qcow2_close(disk->image);
    disk_close(disk->backing);
    close(disk->fd);
    free(disk->path);
    free(disk);
}

/* Positions of the marks of disk image formats (qemu's docs/interop; VirtualBox's VDI; VHDX
 * 3.1.1). */
static const struct {
    const char *name, *mark;
    size_t at;
} image_formats[] = {
    {"qcow2", "QFI\xfb", 0},
    {"VMDK", "KDMV", 0},
    {"VHDX", "vhdxfile", 0},
    {"VDI", "\x7f\x10\xda\xbe", 0x40},
};

bool disk_file_is_raw(const char *path, struct error *err)
{
    char head[DISK_SECTOR] = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = fd < 0 ? 0 : pread(fd, head, sizeof(head), 0);

    if (fd >= 0)
        close(fd);
    for (size_t i = 0; len > 0 && i < ARRAY_SIZE(image_formats); i++) {
        if (!memcmp(head + image_formats[i].at, image_formats[i].mark,
                    strlen(image_formats[i].mark)))
            return error_set(
                err,
                "%s: a %s image, and disks are raw ones: "
                "qemu-img convert -O raw %s NEW makes one (format=raw: take it as it is)",
                path, image_formats[i].name, path);
    }
    return true;
}

bool disk_file_is_qcow2(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool is = fd >= 0 && qcow2_is(fd);

    if (fd >= 0)
        close(fd);
    return is;
}

/* ---- backing files --------------------------------------------------------------------------- */

/* The path of a file that the image at `image` names, relative to that; NULL: it names no file. */
static char *path_beside(const char *image, const char *name)
{
    const char *slash = strrchr(image, '/'), *colon = strchr(name, ':'), *first = strchr(name, '/');
    size_t folder, size;
    char *path;

    if (colon && (!first || colon < first))
        return NULL; /* a protocol, such as nbd: */
    if (*name == '/' || !slash)
        return xstrdup(name);
    folder = (size_t)(slash - image) + 1;
    size = folder + strlen(name) + 1;
    path = xcalloc(size, 1);
    snprintf(path, size, "%.*s%s", (int)folder, image, name);
    return path;
}

static bool read_backing(void *opaque, uint8_t *to, uint64_t len, uint64_t at)
{
    return disk_read(opaque, to, len, at);
}

static bool is_image(const char *path, const char *format)
{
    return *format ? !strcmp(format, "qcow2") : disk_file_is_qcow2(path);
}

/* Says of which file the error is. */
static bool refuse(const struct disk *disk, struct error *err)
{
    error_prefix(err, "%s: ", disk->path);
    return false;
}

/* Opens the file that has what the image has not, if it names one. */
static bool open_backing(struct disk *disk, struct error *err)
{
    char name[QCOW2_NAME], format[QCOW2_FORMAT], *path;
    struct disk_use use = {.read_only = true, .above = disk};

    if (!qcow2_read_backing(disk->image, name, format, err))
        return refuse(disk, err);
    if (!*name)
        return true;
    path = path_beside(disk->path, name);
    if (!path || (*format && strcmp(format, "raw") != 0 && strcmp(format, "qcow2") != 0)) {
        free(path);
        error_set(err, "its backing file %s is neither a raw file nor a qcow2 image", name);
        return refuse(disk, err);
    }
    use.image = is_image(path, format);
    disk->backing = open_disk(path, use, err);
    free(path);
    if (!disk->backing)
        return false;
    qcow2_set_backing(disk->image,
                      &(struct qcow2_backing){disk->backing, read_backing, disk->backing->size});
    return true;
}

/* Whether the file is not one of those that it backs, and there are not too many of these. */
static bool is_new(const struct disk *disk, const struct stat *st, struct error *err)
{
    unsigned depth = 0;

    for (const struct disk *d = disk->above; d; d = d->above) {
        struct stat other;

        if (++depth > MAX_DEPTH)
            return error_set(err, "%s: a backing file behind more than %d others", disk->path,
                             MAX_DEPTH);
        if (!fstat(d->fd, &other) && other.st_dev == st->st_dev && other.st_ino == st->st_ino)
            return error_set(err, "%s: an image that is its own backing file", disk->path);
    }
    return true;
}

static bool open_image(struct disk *disk, bool shared, struct error *err)
{
    disk->image = qcow2_open(disk->fd, err);
    if (!disk->image)
        return refuse(disk, err);
    if (!open_backing(disk, err))
        return false;
    return shared || qcow2_allow_writing(disk->image, err) || refuse(disk, err);
}

/* ---- opening --------------------------------------------------------------------------------- */

/* Locks the file, since two simulators that write one disk would destroy it, and reads its size. */
static bool lock_and_measure(struct disk *disk, bool shared, bool image, struct error *err)
{
    struct stat st;
    uint64_t end;

    if (fstat(disk->fd, &st) || (!S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode)))
        return error_set(err, "%s: not a regular file or block device", disk->path);
    if (!is_new(disk, &st, err))
        return false;
    if (flock(disk->fd, (shared ? LOCK_SH : LOCK_EX) | LOCK_NB))
        return error_set(err, "%s: in use by another simulator (readonly=on or snapshot=on share)",
                         disk->path);
    if (image && !open_image(disk, shared, err))
        return false;
    end = image ? qcow2_size(disk->image) : (uint64_t)lseek(disk->fd, 0, SEEK_END);
    if (!end || end % DISK_SECTOR || end > INT64_MAX)
        return error_set(err, "%s: a disk must have whole sectors of %u bytes, this has %lld bytes",
                         disk->path, DISK_SECTOR, (long long)end);
    if (end > MAX_BYTES)
        return error_set(err, "%s: the disk is larger than 16 TB", disk->path);
    disk->size = end;
    return true;
}

static struct disk *open_disk(const char *path, struct disk_use use, struct error *err)
{
    int fd = open(path, (use.read_only || use.snapshot ? O_RDONLY : O_RDWR) | O_CLOEXEC);
    struct disk *disk;

    if (fd < 0)
        return error_null(err, "%s: %s", path, strerror(errno));
    disk = xcalloc(1, sizeof(*disk));
    disk->path = xstrdup(path);
    disk->fd = fd;
    disk->read_only = use.read_only;
    disk->above = use.above;
    if (!lock_and_measure(disk, use.read_only || use.snapshot, use.image, err)) {
        disk_close(disk);
        return NULL;
    }
    disk->above = NULL;
    if (use.snapshot && !use.read_only) {
        disk->clusters = xcalloc(disk->size / CLUSTER + 1, sizeof(*disk->clusters));
        disk->zeros = xcalloc(1, CLUSTER);
    }
    if (disk_writes_file(disk)) {
        disk->suspect = xcalloc(disk->size / CLUSTER + 1, 1);
        disk_suspect_all(disk);
    }
    return disk;
}

struct disk *disk_open(const char *path, bool read_only, bool snapshot, struct error *err)
{
    return open_disk(path, (struct disk_use){read_only, snapshot, false, NULL}, err);
}

struct disk *disk_open_qcow2(const char *path, bool read_only, bool snapshot, struct error *err)
{
    return open_disk(path, (struct disk_use){read_only, snapshot, true, NULL}, err);
}
