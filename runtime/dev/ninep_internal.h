/*
 * Inside of the 9P server: ninep.c (sessions and walks), ninep_fids.c, ninep_files.c (what is
 * open), ninep_names.c (folders), ninep_attributes.c, ninep_model.c (owners and modes),
 * ninep_message.c (bytes), ninep_saved.c (snapshots of
 * a machine).
 */
#ifndef RUNTIME_DEV_NINEP_INTERNAL_H
#define RUNTIME_DEV_NINEP_INTERNAL_H

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "runtime/dev/ninep.h"

/* Message types; the answer's is one more. */
enum {
    P9_RLERROR = 7,
    P9_TSTATFS = 8,
    P9_TLOPEN = 12,
    P9_TLCREATE = 14,
    P9_TSYMLINK = 16,
    P9_TMKNOD = 18,
    P9_TREADLINK = 22,
    P9_TGETATTR = 24,
    P9_TSETATTR = 26,
    P9_TREADDIR = 40,
    P9_TFSYNC = 50,
    P9_TLOCK = 52,
    P9_TGETLOCK = 54,
    P9_TLINK = 70,
    P9_TMKDIR = 72,
    P9_TRENAMEAT = 74,
    P9_TUNLINKAT = 76,
    P9_TVERSION = 100,
    P9_TATTACH = 104,
    P9_TFLUSH = 108,
    P9_TWALK = 110,
    P9_TREAD = 116,
    P9_TWRITE = 118,
    P9_TCLUNK = 120,
    P9_TREMOVE = 122,
};

enum { P9_HEADER = 7, P9_NAME = 256, P9_FIDS = 4096, P9_WALK = 16 };

/* A number that the client gave a file: a handle, and the opened file if it is open. */
struct p9_fid {
    uint32_t number;
    uint32_t user;  /* guest's user of the attach: files made through the fid belong to this user */
    char *path;     /* names from the root, with slashes between; "" is the root */
    int handle;     /* O_PATH */
    int file;       /* opened for reading or writing, -1: not */
    uint32_t flags; /* with which it was opened, as the protocol has them */
    DIR *dir;       /* an open directory, NULL: not */
};

struct ninep {
    int root; /* an O_PATH handle */
    enum ninep_model model;
    bool read_only;
    size_t message; /* bytes negotiated */
    struct p9_fid *fids;
    size_t fid_count;
};

/* ---- bytes ----------------------------------------------------------------------------------- */

/* A message being read; `bad` once it was shorter than its content. */
struct p9_in {
    const uint8_t *at, *end;
    bool bad;
};

struct p9_out {
    uint8_t *start, *at, *end;
    bool full;
};

/* A little-endian number of `bytes` bytes; 0 and in->bad if fewer are left. */
uint64_t p9_get(struct p9_in *in, unsigned bytes);
/* A string, with a NUL; false: too long, or not a string. */
bool p9_get_string(struct p9_in *in, char *to, size_t room);
/* A string that is one name in a folder: not empty, no slash, not "." or "..". */
bool p9_get_name(struct p9_in *in, char to[P9_NAME]);

/* Appends a little-endian number of `bytes` bytes; sets out->full if it does not fit. */
void p9_put(struct p9_out *out, unsigned bytes, uint64_t value);
void p9_put_string(struct p9_out *out, const char *text);
void p9_put_qid(struct p9_out *out, const struct stat *st);
size_t p9_room(const struct p9_out *out);

/* ---- requests -------------------------------------------------------------------------------- */

/*
 * Requests read the part of a message behind the fid, and write their answer; they return 0 or an
 * errno. `fid` is NULL for the requests that begin a session.
 */
typedef int p9_request(struct ninep *n, struct p9_fid *fid, struct p9_in *in, struct p9_out *out);

extern p9_request p9_lopen, p9_lcreate, p9_read, p9_write, p9_readdir, p9_fsync, p9_lock,
    p9_getlock;
extern p9_request p9_getattr, p9_setattr, p9_statfs;
extern p9_request p9_readlink, p9_symlink, p9_mknod, p9_mkdir, p9_link, p9_renameat, p9_unlinkat;

/* ---- fids ------------------------------------------------------------------------------------ */

/* The fid with this number; NULL if there is none. */
struct p9_fid *p9_fid(struct ninep *n, uint32_t number);
/* Makes a fid of a handle, which is closed on failure; 0, EMFILE, or EBADF if the number is in
 * use. */
int p9_fid_add(struct ninep *n, uint32_t number, uint32_t user, const char *path, int handle);
/* Makes the fid stand for another file; takes over the handle. */
void p9_fid_move(struct p9_fid *fid, const char *path, int handle);
/* Closes what the fid has open and removes it; pointers to other fids are invalid afterwards. */
void p9_fid_drop(struct ninep *n, struct p9_fid *fid);
/* Makes the fid of a folder stand for the file `name` in the folder; takes over the file's handle.
 * Returns 0 or an errno; `handle` -1: returns the current errno. */
int p9_fid_descend(struct p9_fid *fid, const char *name, int handle);
/* Updates the fids of a file that has moved, and of files beneath it. */
void p9_fids_moved(struct ninep *n, const char *from, const char *to);

/* A handle of the file at a path from the root; -1: there is none. */
int p9_handle_of(const struct ninep *n, const char *path);
/* Opens the fid's file again, as it was opened before but without clearing it. A file that cannot
 * be opened stays closed. */
void p9_reopen(struct ninep *n, struct p9_fid *fid, uint32_t flags);

/* `folder`/`name`; false: longer than a path may be. */
bool p9_join(char to[PATH_MAX], const char *folder, const char *name);

/* A path by which an open file, or a handle, can be passed to calls that take a path. */
struct p9_proc {
    char path[32];
};
/* Makes such a path for a descriptor. */
struct p9_proc p9_proc(int fd);

/* ---- owners and modes ------------------------------------------------------------------------ */

/* Attributes of a new file that the guest requests. */
struct p9_new {
    uint32_t mode;        /* with the type */
    uint32_t user, group; /* UINT32_MAX: the process's */
    uint64_t device;
};

/* fstat() with the values for the guest. */
int p9_stat(const struct ninep *n, int handle, struct stat *st);
/* Whether the guest may have a file of this type and mode, whose old bits are `had`. */
bool p9_mode_allowed(const struct ninep *n, uint32_t mode, uint32_t had);
/* The permissions with which a file of the guest is made on the host. */
mode_t p9_host_mode(const struct ninep *n, uint32_t mode);
/* Whether a file with `mode` is a regular one on the host. */
bool p9_mapped(const struct ninep *n, uint32_t mode);
/* Sets owner and mode of a new file; -1 and errno on failure. */
int p9_adopt(const struct ninep *n, int handle, const struct p9_new *new);
int p9_change_owner(const struct ninep *n, int handle, uint32_t user, uint32_t group);
/* `mode`: with the type that the file has. */
int p9_change_mode(const struct ninep *n, int handle, uint32_t mode);
/* Whether the file system of `root` can store what the model needs. */
bool p9_model_works(enum ninep_model model, int root);

#endif
