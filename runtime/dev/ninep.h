/*
 * A folder of the host, served as 9P2000.L: the messages of Linux's 9p file system
 * (Documentation/filesystems/9p.rst; diod's protocol.md describes each). One message in, one out; the
 * transport is somebody else's.
 *
 * Nothing outside of the folder is reached. The host is only ever asked for one name in a folder that
 * a handle stands for, never for "..", and never follows a symbolic link: those are the client's to
 * follow. The parent of a file is found from the top, by the names that led to the file. (Linux's
 * client knows parents itself and sends no "..".) So no file system call needs a kernel that can confine
 * it, and it does not matter what others move meanwhile: a handle of a folder that was moved away leads
 * to what is in that folder, as an open folder does in any program, and to nothing else.
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

/* What becomes of owners and modes that the guest gives to files, by QEMU's names. */
enum ninep_model {
    /*
     * "none": files belong to the user who runs the simulator. The guest makes files, folders and
     * links; devices, pipes, sockets and set-user-ID and set-group-ID bits are refused (EPERM).
     */
    NINEP_NONE,
    /* "passthrough": all as the guest says, devices of the host included; root alone may do that. */
    NINEP_PASSTHROUGH,
    /*
     * "mapped-xattr": owner, mode and device number are kept in the attributes user.virtfs.* of files
     * that are the simulator's user's alone; symbolic links, devices, pipes and sockets are regular
     * files on the host. QEMU reads such folders, and made them first.
     */
    NINEP_MAPPED_XATTR,
};

/* False: there is no model of that name. */
bool ninep_model_by_name(const char *name, enum ninep_model *model);

struct ninep;

/* Serves `path`, a folder; with `read_only` nothing in it changes. NULL and err: not a folder, or one
 * whose file system keeps no attributes for NINEP_MAPPED_XATTR. */
struct ninep *ninep_new(const char *path, enum ninep_model model, bool read_only,
                        struct error *err);
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
