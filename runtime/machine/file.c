/* Reads whole files of the host, and unpacks gzip data. */
#include "runtime/machine/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "runtime/base/alloc.h"

void file_free(struct file_bytes *file)
{
    if (file->mapped)
        munmap(file->data, file->len);
    else
        free(file->data);
    *file = (struct file_bytes){0};
}

/* The file is mapped and not read, since its bytes are only copied to guest memory. */
static bool map_file(int fd, const char *path, struct file_bytes *out, struct error *err)
{
    void *at;

    if (!out->len) {
        out->data = xcalloc(1, 1);
        return true;
    }
    at = mmap(NULL, out->len, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    if (at == MAP_FAILED)
        return error_set(err, "%s: %s", path, strerror(errno));
    out->data = at;
    out->mapped = true;
    return true;
}

bool file_read(const char *path, size_t limit, struct file_bytes *out, struct error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    bool ok;

    *out = (struct file_bytes){0};
    if (fd < 0)
        return error_set(err, "%s: %s", path, strerror(errno));
    if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
        ok = error_set(err, "%s: not a regular file", path);
    } else if ((uint64_t)st.st_size > limit) {
        ok = error_set(err, "%s: larger than %zu MB", path, limit >> 20);
    } else {
        out->len = (size_t)st.st_size;
        ok = map_file(fd, path, out, err);
    }
    close(fd);
    if (!ok)
        file_free(out);
    return ok;
}

/* ---- gzip ------------------------------------------------------------------------------------ */

static bool inflate_all(z_stream *z, struct file_bytes *out, size_t limit, struct error *err)
{
    size_t cap = 0;
    int code = Z_OK;

    while (code != Z_STREAM_END) {
        if (out->len == cap) {
            cap = cap ? 2 * cap : 1u << 20;
            cap = cap > limit ? limit : cap;
            if (out->len == cap)
                return error_set(err, "unpacks to more than %zu MB", limit >> 20);
            out->data = xrealloc(out->data, cap, 1);
        }
        z->next_out = out->data + out->len;
        z->avail_out = (uInt)(cap - out->len > 1u << 30 ? 1u << 30 : cap - out->len);
        code = inflate(z, Z_NO_FLUSH);
        out->len = (size_t)(z->next_out - out->data);
        if (code != Z_OK && code != Z_STREAM_END)
            return error_set(err, "the gzip data is damaged or incomplete");
    }
    return true;
}

bool file_gunzip(struct file_bytes *file, size_t limit, bool *was_gzip, struct error *err)
{
    bool is = file->len > 2 && file->data[0] == 0x1f && file->data[1] == 0x8b;
    struct file_bytes out = {0};
    z_stream z = {0};
    bool ok;

    if (was_gzip)
        *was_gzip = is;
    if (!is)
        return true;
    if (file->len > UINT32_MAX || inflateInit2(&z, 15 + 16) != Z_OK)
        return error_set(err, "the gzip data cannot be unpacked");
    z.next_in = file->data;
    z.avail_in = (uInt)file->len;
    ok = inflate_all(&z, &out, limit, err);
    inflateEnd(&z);
    if (!ok) {
        file_free(&out);
        return false;
    }
    file_free(file);
    *file = out;
    return true;
}
