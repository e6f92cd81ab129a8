/*
 * A folder of the host, served as 9P2000.L: the messages of Linux's 9p file system
 * (Documentation/filesystems/9p.rst; diod's protocol.md describes each). One message in, one out; the
 * transport is somebody else's.
 *
 * Nothing outside of the folder is reached: names are looked up one by one, relative to a handle, and
 * symbolic links are the client's to follow.
 */
#ifndef RUNTIME_DEV_NINEP_H
#define RUNTIME_DEV_NINEP_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/base/error.h"

enum {
    NINEP_MAX_MESSAGE = 512 * 1024, /* bytes; what the server offers at most */
    NINEP_MIN_MESSAGE = 4096,
};

struct ninep;

/* Serves `path`, a folder; with `read_only` nothing in it changes. NULL and err: not a folder. */
struct ninep *ninep_new(const char *path, bool read_only, struct error *err);
void ninep_free(struct ninep *n);

/* Forgets all the client has open. */
void ninep_reset(struct ninep *n);

/*
 * Answers a message of `len` bytes. `reply` has room for `room` bytes, at most NINEP_MAX_MESSAGE are
 * used; returns the length of the answer, 0 when there is none (a message that is none, or no room).
 */
size_t ninep_serve(struct ninep *n, const uint8_t *message, size_t len, uint8_t *reply,
                   size_t room);

#endif
