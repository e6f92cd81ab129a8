/* Whole files of the host in memory: kernels, initial RAM disks, device trees. */
#ifndef RUNTIME_MACHINE_FILE_H
#define RUNTIME_MACHINE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/base/error.h"

struct file_bytes {
    uint8_t *data; /* never NULL after success */
    size_t len;
    bool mapped; /* data is a private mapping of the file */
};

/* Reads a file of at most `limit` bytes. The file must not get shorter until file_free(). The error
 * names the file. */
bool file_read(const char *path, size_t limit, struct file_bytes *out, struct error *err);

/* Releases the bytes; a zeroed struct is allowed. */
void file_free(struct file_bytes *file);

/*
 * Replaces gzip data (RFC 1952) by the unpacked data, at most `limit` bytes. Other data stays as it
 * is; *was_gzip (may be NULL) is set.
 */
bool file_gunzip(struct file_bytes *file, size_t limit, bool *was_gzip, struct error *err);

#endif
