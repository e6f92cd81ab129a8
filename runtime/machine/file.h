/* Whole files of the host in memory: kernels, initial RAM disks, device trees. */
#ifndef RUNTIME_MACHINE_FILE_H
#define RUNTIME_MACHINE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/base/error.h"

struct file_bytes {
    uint8_t *data; /* never NULL after success */
    size_t len;
    bool mapped; /* the file itself, of which writes change nothing */
};

/* A file of at most `limit` bytes, which had better stay as long as it is until file_free(); the error names it. */
bool file_read(const char *path, size_t limit, struct file_bytes *out, struct error *err);

/* Releases the bytes; a zeroed struct is allowed. */
void file_free(struct file_bytes *file);

/*
 * Replaces gzip data (RFC 1952) by what it holds, at most `limit` bytes. Data that is not gzip
 * stays as it is; *was_gzip (may be NULL) tells.
 */
bool file_gunzip(struct file_bytes *file, size_t limit, bool *was_gzip, struct error *err);

#endif
