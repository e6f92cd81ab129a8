/*
 * A folder of the host, served as 9P2000.L: the messages of Linux's 9p file system
 * (Documentation/filesystems/9p.rst; diod's protocol.md describes each). Each message has one
 * answer; the transport is in virtio_9p.c.
 *
 * Nothing outside of the folder is reached. Calls of the host name a file by a handle of its folder
 * and one name, never "..", and never follow a symbolic link: clients follow links themselves. The
 * parent of a file is found from the top, by the names that led to the file. (Linux's client knows
 * parents itself and sends no "..".) So no system call needs a kernel that can confine it, and
 * concurrent moves do no harm: a handle of a folder that was moved away leads to the contents of
 * that folder, as an open folder does in any program, and to nothing else.
 */
#ifndef RUNTIME_DEV_NINEP_H
#define RUNTIME_DEV_NINEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/error.h"

enum {
    NINEP_MAX_MESSAGE = 512 * 1024, /* bytes; what the server offers at most */
    NINEP_MIN_MESSAGE = 4096,
};

/* Treatment of owners and modes that the guest gives to files, by QEMU's names. */
enum ninep_model {
    /*
     * "none": files belong to the user who runs the simulator. The guest makes files, folders and
     * links; devices, pipes, sockets and set-user-ID and set-group-ID bits are refused (EPERM).
     */
    NINEP_NONE,
    /* "passthrough": everything as the guest requests, devices of the host included; only root may
     * do that. */
    NINEP_PASSTHROUGH,
    /*
     * "mapped-xattr": owner, mode and device number are kept in the attributes user.virtfs.* of
     * files that belong to the simulator's user alone; symbolic links, devices, pipes and sockets
     * are regular files on the host. QEMU introduced this format and reads such folders.
     */
    NINEP_MAPPED_XATTR,
};

/* False: no model has that name. */
bool ninep_model_by_name(const char *name, enum ninep_model *model);

struct ninep;

/* Serves the folder `path`; with `read_only` nothing in it changes. NULL and err: not a folder, or
 * one whose file system keeps no attributes for NINEP_MAPPED_XATTR. */
struct ninep *ninep_new(const char *path, enum ninep_model model, bool read_only,
                        struct error *err);
void ninep_free(struct ninep *n);

/* Closes everything that the client has open. */
void ninep_reset(struct ninep *n);

/*
 * Answers a message of `len` bytes. `reply` has room for `room` bytes, of which at most
 * NINEP_MAX_MESSAGE are used. Returns the length of the answer; 0: no answer (an invalid message,
 * or no room).
 */
size_t ninep_serve(struct ninep *n, const uint8_t *message, size_t len, uint8_t *reply,
                   size_t room);

/* ---- snapshots of a machine ------------------------------------------------------------------ */

struct state_buf;

/* Appends what the client has open, by paths. */
void ninep_save(const struct ninep *n, struct state_buf *buf);
/* Opens that again; a file that is not there any more gives errors to the client. Without `apply`
 * the bytes, which may be any, are only checked. False: they are damaged, and nothing has
 * changed. */
bool ninep_load(struct ninep *n, const uint8_t *bytes, size_t len, bool apply, struct error *err);

#endif
