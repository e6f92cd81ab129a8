/* Inside of the 9P server: ninep.c (files), ninep_message.c (bytes). */
#ifndef RUNTIME_DEV_NINEP_INTERNAL_H
#define RUNTIME_DEV_NINEP_INTERNAL_H

#include <dirent.h>
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
    P9_TRENAME = 20,
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

/* A name of the client's: a handle of the file, and perhaps the file opened. */
struct p9_fid {
    uint32_t number;
    int handle; /* O_PATH */
    int file;   /* opened for reading or writing, -1: not */
    DIR *dir;   /* an open directory, NULL: not */
};

struct ninep {
    int root; /* O_PATH */
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

uint64_t p9_get(struct p9_in *in, unsigned bytes);
/* A string, with a NUL; false: too long, or not a string. */
bool p9_get_string(struct p9_in *in, char *to, size_t room);
/* A string that is one name in a folder: not empty, no slash, not "." or "..". */
bool p9_get_name(struct p9_in *in, char to[P9_NAME]);

void p9_put(struct p9_out *out, unsigned bytes, uint64_t value);
void p9_put_string(struct p9_out *out, const char *text);
void p9_put_qid(struct p9_out *out, const struct stat *st);
size_t p9_room(const struct p9_out *out);

/* ---- requests -------------------------------------------------------------------------------- */

/* Each reads its arguments and writes its answer; returns 0 or an errno. */
typedef int p9_request(struct ninep *n, struct p9_in *in, struct p9_out *out);

struct p9_fid *p9_fid(struct ninep *n, uint32_t number);
/* The fid that the next four bytes name, or NULL. */
struct p9_fid *p9_get_fid(struct ninep *n, struct p9_in *in);
/* Makes a fid of a handle, which it takes over also when it fails. */
int p9_fid_add(struct ninep *n, uint32_t number, int handle);
void p9_fid_drop(struct ninep *n, struct p9_fid *fid);

extern p9_request p9_getattr, p9_setattr, p9_readlink, p9_statfs, p9_symlink, p9_mknod, p9_mkdir,
    p9_link, p9_rename, p9_renameat, p9_unlinkat, p9_remove;

#endif
