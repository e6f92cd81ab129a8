/*
 * The statement `struct`: structures of the kernel's interface that the host lays out differently.
 */
#include "gencc/abi/internal.h"

#include <inttypes.h>
#include <string.h>

enum { MEMBERS = 24 };

/* Members of struct ipc_perm, which is member `m` of the structures of System V IPC */
#define PERMISSIONS(m)                                                                          \
    {"key", m ".__key", 1}, {"uid", m ".uid", 1}, {"gid", m ".gid", 1}, {"cuid", m ".cuid", 1}, \
        {"cgid", m ".cgid", 1}, {"perm", m ".mode", 1},                                         \
    {                                                                                           \
        "seq", m ".__seq", 1                                                                    \
    }

/* Structures that a statement can name: their members' names in descriptions, and the host's
 * structure and members. */
static const struct known {
    const char *name, *own, *host;
    struct {
        const char *name, *host;
        unsigned elements;
    } member[MEMBERS];
} structures[] = {
    {"stat",
     "OWN_STAT",
     "struct stat",
     {{"dev", "st_dev", 1},
      {"ino", "st_ino", 1},
      {"mode", "st_mode", 1},
      {"nlink", "st_nlink", 1},
      {"uid", "st_uid", 1},
      {"gid", "st_gid", 1},
      {"rdev", "st_rdev", 1},
      {"size", "st_size", 1},
      {"blksize", "st_blksize", 1},
      {"blocks", "st_blocks", 1},
      {"atime", "st_atim.tv_sec", 1},
      {"atime_ns", "st_atim.tv_nsec", 1},
      {"mtime", "st_mtim.tv_sec", 1},
      {"mtime_ns", "st_mtim.tv_nsec", 1},
      {"ctime", "st_ctim.tv_sec", 1},
      {"ctime_ns", "st_ctim.tv_nsec", 1}}},
    {"sigaction",
     "OWN_ACTION",
     "struct user_action",
     {{"handler", "handler", 1},
      {"flags", "flags", 1},
      {"restorer", "restorer", 1},
      {"mask", "mask", 1}}},
    {"stack",
     "OWN_STACK",
     "stack_t",
     {{"sp", "ss_sp", 1}, {"flags", "ss_flags", 1}, {"size", "ss_size", 1}}},
    {"statfs",
     "OWN_STATFS",
     "struct statfs",
     {{"type", "f_type", 1},
      {"bsize", "f_bsize", 1},
      {"blocks", "f_blocks", 1},
      {"bfree", "f_bfree", 1},
      {"bavail", "f_bavail", 1},
      {"files", "f_files", 1},
      {"ffree", "f_ffree", 1},
      {"fsid", "f_fsid", 2},
      {"namelen", "f_namelen", 1},
      {"frsize", "f_frsize", 1},
      {"flags", "f_flags", 1}}},
    {"flock",
     "OWN_FLOCK",
     "struct flock",
     {{"type", "l_type", 1},
      {"whence", "l_whence", 1},
      {"start", "l_start", 1},
      {"len", "l_len", 1},
      {"pid", "l_pid", 1}}},
    {"flock64",
     "OWN_FLOCK64",
     "struct flock",
     {{"type", "l_type", 1},
      {"whence", "l_whence", 1},
      {"start", "l_start", 1},
      {"len", "l_len", 1},
      {"pid", "l_pid", 1}}},
    {"msqid",
     "OWN_MSQID",
     "struct msqid_ds",
     {PERMISSIONS("msg_perm"),
      {"stime", "msg_stime", 1},
      {"rtime", "msg_rtime", 1},
      {"ctime", "msg_ctime", 1},
      {"cbytes", "__msg_cbytes", 1},
      {"qnum", "msg_qnum", 1},
      {"qbytes", "msg_qbytes", 1},
      {"lspid", "msg_lspid", 1},
      {"lrpid", "msg_lrpid", 1}}},
    {"semid",
     "OWN_SEMID",
     "struct semid_ds",
     {PERMISSIONS("sem_perm"),
      {"otime", "sem_otime", 1},
      {"ctime", "sem_ctime", 1},
      {"nsems", "sem_nsems", 1}}},
    {"shmid",
     "OWN_SHMID",
     "struct shmid_ds",
     {PERMISSIONS("shm_perm"),
      {"segsz", "shm_segsz", 1},
      {"atime", "shm_atime", 1},
      {"dtime", "shm_dtime", 1},
      {"ctime", "shm_ctime", 1},
      {"cpid", "shm_cpid", 1},
      {"lpid", "shm_lpid", 1},
      {"nattch", "shm_nattch", 1}}},
};

enum { STRUCTURES = sizeof(structures) / sizeof(*structures) };

struct reading {
    const struct known *known;
    unsigned count;
};

/* Reads the size of a member: a kind whose size depends on the ABI, or a number of bytes. */
static void write_kind(struct words *w)
{
    static const struct {
        const char *word, *c;
    } kinds[] = {
        {"word", "LAYOUT_WORD, 0"},
        {"long", "LAYOUT_LONG, 0"},
        {"set", "LAYOUT_SET, 8"},
        {"wide", "LAYOUT_WIDE, 8"},
    };

    for (unsigned k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
        if (words_accept(w, kinds[k].word)) {
            fprintf(w->abi->arrays, "    {%s, ", kinds[k].c);
            return;
        }
    }
    fprintf(w->abi->arrays, "    {LAYOUT_FIXED, %" PRId64 ", ", words_number(w, 1, 8));
}

static void read_member(struct words *w, void *opaque)
{
    struct reading *r = opaque;
    const struct abi_word *name = words_name(w);
    const char *known[MEMBERS + 1] = {NULL}, *host = NULL;
    unsigned elements = 1;

    r->count++;
    if (!strcmp(name->text, "gap")) {
        fprintf(w->abi->arrays, "    {LAYOUT_GAP, %" PRId64 ", 0, 0, 0},\n",
                words_number(w, 1, 255));
        words_finish(w, false);
        return;
    }
    for (unsigned n = 0; n < MEMBERS && r->known->member[n].name; n++) {
        known[n] = r->known->member[n].name;
        if (strcmp(known[n], name->text) != 0)
            continue;
        host = r->known->member[n].host;
        elements = r->known->member[n].elements;
    }
    if (!host) {
        words_unknown(w, name, "member", known);
        return;
    }
    words_expect(w, ":");
    write_kind(w);
    fprintf(w->abi->arrays, "sizeof(((%s *)0)->%s) / %u, %u, offsetof(%s, %s)},\n", r->known->host,
            host, elements, elements, r->known->host, host);
    words_finish(w, false);
}

void read_struct(struct words *w)
{
    const struct abi_word *name = words_name(w);
    const char *known[STRUCTURES + 1] = {NULL};
    struct reading r = {0};

    for (unsigned n = 0; n < STRUCTURES; n++) {
        known[n] = structures[n].name;
        if (!strcmp(structures[n].name, name->text))
            r.known = &structures[n];
    }
    if (!r.known) {
        words_unknown(w, name, "structure", known);
        return;
    }
    fprintf(w->abi->arrays, "static const struct layout_field fields_%s[] = {\n", name->text);
    words_block(w, read_member, &r);
    fprintf(w->abi->arrays,
            "};\nstatic const struct layout own_%s = {fields_%s, %u, sizeof(%s)};\n\n", name->text,
            name->text, r.count, r.known->host);
    fprintf(w->abi->members, "    .layouts[%s] = &own_%s,\n", r.known->own, name->text);
}
