/* The 9P server: attributes, and the security models' treatment of owners, modes and devices. */
#include "tests/dev/ninep_bench.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "runtime/base/bits.h"

enum { /* `valid` of Tsetattr */
       MODE = 1,
       USER = 2,
       GROUP = 4,
       SIZE = 8,
       ATIME = 16,
       MTIME = 32,
       CTIME = 64,
       ATIME_SET = 128,
       MTIME_SET = 256
};

static struct stat file_status(struct p9_bench *b, const char *name)
{
    struct stat st;

    assert_int_equal(lstat(p9_path(b, name), &st), 0);
    return st;
}

/* ---- reading --------------------------------------------------------------------------------- */

static void test_getattr(void **state)
{
    struct p9_bench *b = *state;
    struct stat st;

    assert_int_equal(p9_walk(b, 2, "hello"), 0);
    assert_int_equal(
        utimensat(AT_FDCWD, p9_path(b, "hello"), (struct timespec[2]){{1000, 5}, {2000, 6}}, 0), 0);
    st = file_status(b, "hello");
    assert_int_equal(p9_ask(b, TGETATTR, "48", 2, UINT64_C(0x3fff)), 0);
    assert_int_equal(p9_take(b, 8), 0x7ff); /* P9_STATS_BASIC */
    p9_take_qid(b, QID_FILE, "hello");
    assert_int_equal(p9_take(b, 4), S_IFREG | 0644);
    assert_int_equal(p9_take(b, 4), st.st_uid);
    assert_int_equal(p9_take(b, 4), st.st_gid);
    assert_int_equal(p9_take(b, 8), 1);
    assert_int_equal(p9_take(b, 8), 0);
    assert_int_equal(p9_take(b, 8), 12);
    assert_int_equal(p9_take(b, 8), st.st_blksize);
    assert_int_equal(p9_take(b, 8), st.st_blocks);
    assert_int_equal(p9_take(b, 8), 1000);
    assert_int_equal(p9_take(b, 8), 5);
    assert_int_equal(p9_take(b, 8), 2000);
    assert_int_equal(p9_take(b, 8), 6);
    assert_int_equal(p9_take(b, 8), st.st_ctim.tv_sec);
    assert_int_equal(p9_take(b, 8), st.st_ctim.tv_nsec);
    for (unsigned i = 0; i < 4; i++) /* birth time, generation and data version: not provided */
        assert_int_equal(p9_take(b, 8), 0);
    p9_taken(b);
    assert_int_equal(p9_ask_short(b, 1), EINVAL);
    assert_int_equal(p9_ask(b, TGETATTR, "48", 9, UINT64_C(0x7ff)), EBADF);
}

/* The version in a qid changes with the file. */
static void test_qid_version(void **state)
{
    struct p9_bench *b = *state;
    uint64_t versions[3];

    assert_int_equal(p9_walk(b, 2, "hello"), 0);
    for (unsigned i = 0; i < 3; i++) {
        const struct timespec times[2] = {{1, 0}, {i == 0 ? 5000 : 6000, 0}};

        if (i == 2)
            p9_write_text(p9_path(b, "hello"), HELLO "!");
        assert_int_equal(utimensat(AT_FDCWD, p9_path(b, "hello"), times, 0), 0);
        assert_int_equal(p9_ask(b, TGETATTR, "48", 2, UINT64_C(0)), 0);
        p9_take(b, 8);
        p9_take(b, 1);
        versions[i] = p9_take(b, 4);
    }
    assert_int_equal(versions[0], 5000 ^ 12 << 8);
    assert_int_equal(versions[1], 6000 ^ 12 << 8);
    assert_int_equal(versions[2], 6000 ^ 13 << 8);
}

static void test_statfs(void **state)
{
    struct p9_bench *b = *state;
    struct statfs st;

    assert_int_equal(p9_ask(b, TSTATFS, "4", ROOT_FID), 0);
    assert_int_equal(statfs(b->folder, &st), 0);
    assert_int_equal(p9_take(b, 4), 0x01021997); /* V9FS_MAGIC */
    assert_int_equal(p9_take(b, 4), st.f_bsize);
    assert_int_equal(p9_take(b, 8), st.f_blocks);
    /* other processes use the same file system */
    assert_in_range(p9_take(b, 8), st.f_bfree / 2, st.f_blocks);
    assert_in_range(p9_take(b, 8), st.f_bavail / 2, st.f_bfree);
    assert_int_equal(p9_take(b, 8), st.f_files);
    assert_in_range(p9_take(b, 8), st.f_ffree / 2, st.f_files);
    assert_int_equal(p9_take(b, 8), 0);
    assert_int_equal(p9_take(b, 4), st.f_namelen);
    p9_taken(b);
    assert_int_equal(p9_ask(b, TSTATFS, "4", 9), EBADF);
}

/* ---- changing -------------------------------------------------------------------------------- */

static const uint64_t no_times[4];

static unsigned change_attributes(struct p9_bench *b, uint32_t fid, unsigned valid, unsigned mode,
                                  uint64_t size, const uint64_t times[4])
{
    return p9_ask(b, TSETATTR, "4444488888", fid, valid, mode, NO_ID, NO_ID, size, times[0],
                  times[1], times[2], times[3]);
}

static unsigned change_mode(struct p9_bench *b, uint32_t fid, unsigned mode)
{
    return change_attributes(b, fid, MODE, mode, 0, no_times);
}

static unsigned change_owner(struct p9_bench *b, uint32_t fid, unsigned valid, unsigned user,
                             unsigned group)
{
    return p9_ask(b, TSETATTR, "4444488888", fid, valid, 0, user, group, UINT64_C(0), UINT64_C(0),
                  UINT64_C(0), UINT64_C(0), UINT64_C(0));
}

static void test_set_mode(void **state)
{
    struct p9_bench *b = *state;

    assert_int_equal(p9_walk(b, 2, "hello"), 0);
    assert_int_equal(change_mode(b, 2, 0100701), 0);
    p9_taken(b);
    assert_int_equal(file_status(b, "hello").st_mode, S_IFREG | 0701);
    assert_int_equal(change_mode(b, 2, 01600), 0);
    assert_int_equal(file_status(b, "hello").st_mode, S_IFREG | S_ISVTX | 0600);
    assert_int_equal(change_attributes(b, 2, 0, 0777, 0, no_times), 0);
    assert_int_equal(file_status(b, "hello").st_mode, S_IFREG | S_ISVTX | 0600);
    assert_int_equal(change_mode(b, 2, 0777), 0);
    assert_int_equal(p9_ask_short(b, 1), EINVAL);
    assert_int_equal(change_mode(b, 9, 0777), EBADF);
}

/* A guest cannot set a set-user-ID bit on the host; it may keep or clear one that is set. */
static void test_set_id_refused(void **state)
{
    struct p9_bench *b = *state;

    assert_int_equal(p9_walk(b, 2, "hello"), 0);
    assert_int_equal(p9_walk(b, 3, "folder"), 0);
    assert_int_equal(change_mode(b, 2, 04755), EPERM);
    assert_int_equal(change_mode(b, 2, 02755), EPERM);
    assert_int_equal(change_mode(b, 3, 02755), EPERM);
    assert_int_equal(change_attributes(b, 2, MODE | SIZE, 04755, 1, no_times), EPERM);
    assert_int_equal(file_status(b, "hello").st_mode, S_IFREG | 0644);
    p9_assert_text(b, "hello", HELLO);
    assert_int_equal(chmod(p9_path(b, "folder"), 02755), 0);
    assert_int_equal(change_mode(b, 3, 02700), 0);
    assert_int_equal(file_status(b, "folder").st_mode, S_IFDIR | S_ISGID | 0700);
    assert_int_equal(change_mode(b, 3, 06700), EPERM);
    assert_int_equal(change_mode(b, 3, 0700), 0);
    assert_int_equal(change_mode(b, 3, 02700), EPERM);
    /* Special files of the host keep their mode, and cannot be given more rights. */
    assert_int_equal(mkfifo(p9_path(b, "pipe"), 0600), 0);
    assert_int_equal(p9_walk(b, 4, "pipe"), 0);
    assert_int_equal(change_mode(b, 4, 0666), EPERM);
}

static void test_set_size(void **state)
{
    struct p9_bench *b = *state;

    assert_int_equal(p9_walk(b, 2, "hello"), 0);
    assert_int_equal(change_attributes(b, 2, SIZE, 0, 5, no_times), 0);
    p9_assert_text(b, "hello", "hello");
    assert_int_equal(change_attributes(b, 2, SIZE, 0, 1000, no_times), 0);
    assert_int_equal(file_status(b, "hello").st_size, 1000);
    assert_int_equal(change_attributes(b, 2, SIZE, 0, UINT64_C(1) << 63, no_times), EFBIG);
    assert_int_not_equal(change_attributes(b, 2, SIZE, 0, INT64_MAX, no_times), 0);
    assert_int_equal(file_status(b, "hello").st_size, 1000);
    assert_int_equal(change_attributes(b, ROOT_FID, SIZE, 0, 5, no_times), EISDIR);
}

static void test_set_times(void **state)
{
    const uint64_t times[4] = {1000, 1, 2000, 999999999};
    const uint64_t bad_atime[4] = {1, 1000000000, 2, 0}, bad_mtime[4] = {1, 0, 2, 1000000000};
    struct p9_bench *b = *state;
    struct stat st;

    assert_int_equal(p9_walk(b, 2, "hello"), 0);
    assert_int_equal(change_attributes(b, 2, ATIME | MTIME | ATIME_SET | MTIME_SET, 0, 0, times),
                     0);
    st = file_status(b, "hello");
    assert_int_equal(st.st_atim.tv_sec, 1000);
    assert_int_equal(st.st_atim.tv_nsec, 1);
    assert_int_equal(st.st_mtim.tv_sec, 2000);
    assert_int_equal(st.st_mtim.tv_nsec, 999999999);
    assert_int_equal(change_attributes(b, 2, ATIME, 0, 0, times),
                     0); /* no time given: the current time */
    st = file_status(b, "hello");
    assert_true(st.st_atim.tv_sec > 1700000000);
    assert_int_equal(st.st_mtim.tv_sec, 2000);
    assert_int_equal(change_attributes(b, 2, ATIME | ATIME_SET, 0, 0, (uint64_t[]){3, 4, 5, 6}), 0);
    assert_int_equal(change_attributes(b, 2, MTIME, 0, 0, times), 0);
    st = file_status(b, "hello");
    assert_int_equal(st.st_atim.tv_sec, 3);
    assert_true(st.st_mtim.tv_sec > 1700000000);
    assert_int_equal(
        change_attributes(b, 2, MTIME | MTIME_SET | ATIME_SET, 0, 0, (uint64_t[]){7, 8, 9, 10}), 0);
    st = file_status(b, "hello");
    assert_int_equal(st.st_atim.tv_sec, 3);
    assert_int_equal(st.st_mtim.tv_sec, 9);
    assert_int_equal(change_attributes(b, 2, CTIME | ATIME_SET | MTIME_SET, 0, 0, times), 0);
    assert_int_equal(file_status(b, "hello").st_mtim.tv_sec, 9);
    assert_int_equal(change_attributes(b, 2, ATIME | ATIME_SET, 0, 0, bad_atime), EINVAL);
    assert_int_equal(change_attributes(b, 2, MTIME | MTIME_SET, 0, 0, bad_mtime), EINVAL);
    assert_int_equal(file_status(b, "hello").st_mtim.tv_sec, 9);
}

static void test_set_owner(void **state)
{
    struct p9_bench *b = *state;
    unsigned other = geteuid() ? geteuid() : 1234; /* only root may name other users */

    assert_int_equal(p9_walk(b, 2, "hello"), 0);
    assert_int_equal(change_owner(b, 2, USER, other, 77), 0);
    assert_int_equal(file_status(b, "hello").st_uid, other);
    assert_int_equal(file_status(b, "hello").st_gid, getegid());
    assert_int_equal(change_owner(b, 2, GROUP, 77, getegid()), 0);
    assert_int_equal(file_status(b, "hello").st_uid, other);
    assert_int_equal(change_owner(b, 2, 0, 77, 77), 0);
    assert_int_equal(file_status(b, "hello").st_uid, other);
    if (geteuid())
        assert_int_equal(change_owner(b, 2, USER, 0, 0), EPERM);
}

/* A symbolic link has an owner of its own, and no other attribute that can be set. */
static void test_set_link(void **state)
{
    static const unsigned refused[] = {MODE, SIZE, ATIME, MTIME};
    struct p9_bench *b = *state;

    assert_int_equal(p9_walk(b, 2, "away"), 0);
    for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
        assert_int_equal(change_attributes(b, 2, refused[i], 0600, 0, no_times), EOPNOTSUPP);
    assert_int_equal(change_owner(b, 2, USER | GROUP, geteuid(), getegid()), 0);
}

static void test_set_read_only(void **state)
{
    struct p9_bench *b = *state;

    assert_int_equal(p9_walk(b, 2, "hello"), 0);
    assert_int_equal(change_mode(b, 2, 0600), EROFS);
    assert_int_equal(p9_ask(b, TGETATTR, "48", 2, UINT64_C(0)), 0);
    assert_int_equal(file_status(b, "hello").st_mode, S_IFREG | 0644);
}

/* ---- models ---------------------------------------------------------------------------------- */

static void test_model_names(void **state)
{
    enum ninep_model model;

    (void)state;
    assert_true(ninep_model_by_name("none", &model) && model == NINEP_NONE);
    assert_true(ninep_model_by_name("passthrough", &model) && model == NINEP_PASSTHROUGH);
    assert_true(ninep_model_by_name("mapped-xattr", &model) && model == NINEP_MAPPED_XATTR);
    model = NINEP_NONE;
    assert_true(ninep_model_by_name("mapped", &model) && model == NINEP_MAPPED_XATTR);
    assert_false(ninep_model_by_name("mapped-file", &model));
    assert_false(ninep_model_by_name("", &model));
}

static void make_node(struct p9_bench *b, const char *name, unsigned mode, unsigned want)
{
    assert_int_equal(p9_ask(b, TMKNOD, "4s4444", ROOT_FID, name, mode, 0, 0, getegid()), want);
}

/* Owner, mode and device become what the guest requests, as far as the host permits this user. */
static void test_passthrough(void **state)
{
    struct p9_bench *b = *state;

    make_node(b, "pipe", S_IFIFO | 0666, 0); /* the umask is not applied */
    assert_int_equal(file_status(b, "pipe").st_mode, S_IFIFO | 0666);
    make_node(b, "socket", S_IFSOCK | 0600, 0);
    assert_int_equal(file_status(b, "socket").st_mode, S_IFSOCK | 0600);
    make_node(b, "setuid", S_IFREG | 04711, 0);
    assert_int_equal(file_status(b, "setuid").st_mode, S_IFREG | 04711);
    make_node(b, "device", S_IFCHR | 0600,
              mknod(p9_path(b, "probe"), S_IFCHR | 0600, makedev(1, 3)) && geteuid() ? EPERM : 0);
    assert_int_equal(p9_ask(b, TMKDIR, "4s44", ROOT_FID, "dir", 03777, getegid()), 0);
    assert_int_equal(file_status(b, "dir").st_mode, S_IFDIR | 03777);
    assert_int_equal(p9_ask(b, TSYMLINK, "4ss4", ROOT_FID, "link", "target", getegid()), 0);
    p9_take_qid(b, QID_LINK, "link");
    assert_int_equal(p9_walk(b, 2, ""), 0);
    assert_int_equal(p9_ask(b, TLCREATE, "4s444", 2, "file", 2, 06666, getegid()), 0);
    assert_int_equal(file_status(b, "file").st_mode, S_IFREG | 06666);
    assert_int_equal(p9_walk(b, 3, "hello"), 0);
    assert_int_equal(change_mode(b, 3, 04755), 0);
    assert_int_equal(file_status(b, "hello").st_mode, S_IFREG | 04755);
    /* Owner and mode in one request: the mode is kept. */
    assert_int_equal(p9_ask(b, TSETATTR, "4444488888", 3, MODE | USER, 04711, geteuid(), NO_ID,
                            UINT64_C(0), UINT64_C(0), UINT64_C(0), UINT64_C(0), UINT64_C(0)),
                     0);
    assert_int_equal(file_status(b, "hello").st_mode, S_IFREG | 04711);
}

/* New files belong to the attached user; a file that cannot be given to that user is not made. */
static void test_passthrough_owner(void **state)
{
    struct p9_bench *b = *state;
    unsigned err = geteuid() ? EPERM : 0;

    assert_int_equal(p9_ask(b, TATTACH, "44ss4", 5, NO_ID, "", "", 1234), 0);
    assert_int_equal(p9_ask(b, TMKDIR, "4s44", 5, "dir", 0755, 4321), err);
    assert_int_equal(p9_exists(b, "dir"), !err);
    assert_int_equal(p9_ask(b, TSYMLINK, "4ss4", 5, "link", "x", 4321), err);
    assert_int_equal(p9_exists(b, "link"), !err);
    assert_int_equal(p9_ask(b, TWALK, "442", 5, 6, 0), 0); /* a walked fid keeps its user */
    assert_int_equal(p9_ask(b, TLCREATE, "4s444", 6, "file", 2, 0644, 4321), err);
    assert_int_equal(p9_exists(b, "file"), !err);
    if (!err) {
        assert_int_equal(file_status(b, "dir").st_uid, 1234);
        assert_int_equal(file_status(b, "dir").st_gid, 4321);
        assert_int_equal(file_status(b, "link").st_uid, 1234);
        assert_int_equal(file_status(b, "file").st_uid, 1234);
        assert_int_equal(file_status(b, "file").st_gid, 4321);
    }
}

/* Checks an extended attribute in QEMU's format: little-endian bytes. */
static void assert_attribute(struct p9_bench *b, const char *name, const char *which, unsigned size,
                             uint64_t value)
{
    uint8_t bytes[16];
    char attribute[32];

    snprintf(attribute, sizeof(attribute), "user.virtfs.%s", which);
    assert_int_equal(getxattr(p9_path(b, name), attribute, bytes, sizeof(bytes)), size);
    assert_int_equal(le_get(bytes, size), value);
}

/* Checks the mode, user, group and device number that the guest sees. */
static void assert_seen(struct p9_bench *b, uint32_t fid, unsigned mode, unsigned user,
                        unsigned group, uint64_t device)
{
    assert_int_equal(p9_ask(b, TGETATTR, "48", fid, UINT64_C(0)), 0);
    p9_take(b, 8);
    assert_int_equal(p9_take(b, 1), S_ISDIR(mode) ? QID_DIR : S_ISLNK(mode) ? QID_LINK : QID_FILE);
    p9_take(b, 4), p9_take(b, 8);
    assert_int_equal(p9_take(b, 4), mode);
    assert_int_equal(p9_take(b, 4), user);
    assert_int_equal(p9_take(b, 4), group);
    p9_take(b, 8);
    assert_int_equal(p9_take(b, 8), device);
}

static void test_mapped_file(void **state)
{
    struct p9_bench *b = *state;

    assert_int_equal(p9_walk(b, 2, "folder"), 0);
    assert_int_equal(p9_ask(b, TLCREATE, "4s444", 2, "new", 2, 04751, 2000), 0);
    p9_take_qid(b, QID_FILE, "folder/new");
    assert_int_equal(file_status(b, "folder/new").st_mode, S_IFREG | 0600);
    assert_int_equal(file_status(b, "folder/new").st_uid, geteuid());
    assert_attribute(b, "folder/new", "uid", 4, 1000);
    assert_attribute(b, "folder/new", "gid", 4, 2000);
    assert_attribute(b, "folder/new", "mode", 4, S_IFREG | 04751);
    assert_int_equal(getxattr(p9_path(b, "folder/new"), "user.virtfs.rdev", NULL, 0), -1);
    assert_seen(b, 2, S_IFREG | 04751, 1000, 2000, 0);
    assert_int_equal(p9_ask(b, TMKDIR, "4s44", ROOT_FID, "dir", 02711, 2001), 0);
    p9_take_qid(b, QID_DIR, "dir");
    assert_int_equal(file_status(b, "dir").st_mode, S_IFDIR | 0700);
    assert_attribute(b, "dir", "mode", 4, S_IFDIR | 02711);
    assert_attribute(b, "dir", "gid", 4, 2001);
    assert_int_equal(p9_walk(b, 3, "dir"), 0);
    assert_seen(b, 3, S_IFDIR | 02711, 1000, 2001, 0);
    /* A file of the host shows its own attributes until the guest changes one. */
    assert_int_equal(p9_walk(b, 4, "hello"), 0);
    assert_seen(b, 4, S_IFREG | 0644, geteuid(), getegid(), 0);
    assert_int_equal(change_mode(b, 4, 02700), 0);
    assert_seen(b, 4, S_IFREG | 02700, geteuid(), getegid(), 0);
    assert_int_equal(file_status(b, "hello").st_mode, S_IFREG | 0644);
    assert_int_equal(change_owner(b, 4, USER, 7, 8), 0);
    assert_seen(b, 4, S_IFREG | 02700, 7, getegid(), 0);
    assert_int_equal(change_owner(b, 4, GROUP, 9, 8), 0);
    assert_seen(b, 4, S_IFREG | 02700, 7, 8, 0);
    assert_int_equal(file_status(b, "hello").st_uid, geteuid());
}

static void test_mapped_special(void **state)
{
    static const unsigned types[] = {S_IFCHR, S_IFBLK, S_IFIFO, S_IFSOCK};
    struct p9_bench *b = *state;

    for (unsigned i = 0; i < ARRAY_SIZE(types); i++) {
        char name[] = {(char)('a' + i), '\0'};
        bool device = types[i] == S_IFCHR || types[i] == S_IFBLK;

        assert_int_equal(p9_ask(b, TMKNOD, "4s4444", ROOT_FID, name, types[i] | 0620, 4, 64, 5), 0);
        p9_take_qid(b, QID_FILE, name);
        assert_int_equal(file_status(b, name).st_mode, S_IFREG | 0600);
        assert_int_equal(file_status(b, name).st_size, 0);
        assert_attribute(b, name, "mode", 4, types[i] | 0620);
        if (device)
            assert_attribute(b, name, "rdev", 8, makedev(4, 64));
        assert_int_equal(p9_walk(b, 10 + i, name), 0);
        assert_seen(b, 10 + i, types[i] | 0620, 1000, 5, device ? makedev(4, 64) : 0);
        assert_int_equal(p9_ask(b, TLOPEN, "44", 10 + i, 0), EPERM);
        assert_int_equal(change_mode(b, 10 + i, 0600), 0);
        assert_seen(b, 10 + i, types[i] | 0600, 1000, 5, device ? makedev(4, 64) : 0);
    }
    assert_int_equal(p9_ask(b, TMKNOD, "4s4444", ROOT_FID, "a", S_IFIFO, 0, 0, 5), EEXIST);
    assert_int_equal(p9_ask(b, TMKNOD, "4s4444", ROOT_FID, "r", 0640, 0, 0, 5), 0);
    assert_attribute(b, "r", "mode", 4, S_IFREG | 0640);
}

/* Symbolic links are regular files that hold their target; links of the host stay links. */
static void test_mapped_link(void **state)
{
    struct p9_bench *b = *state;

    assert_int_equal(p9_ask(b, TSYMLINK, "4ss4", ROOT_FID, "link", "/etc/passwd", 5), 0);
    assert_int_equal(p9_take(b, 1), QID_LINK);
    assert_int_equal(file_status(b, "link").st_mode, S_IFREG | 0600);
    p9_assert_text(b, "link", "/etc/passwd");
    assert_attribute(b, "link", "mode", 4, S_IFLNK | 0777);
    assert_int_equal(p9_walk(b, 2, "link"), 0);
    assert_seen(b, 2, S_IFLNK | 0777, 1000, 5, 0);
    assert_int_equal(p9_ask(b, TREADLINK, "4", 2), 0);
    assert_string_equal(p9_take_string(b), "/etc/passwd");
    assert_int_equal(p9_ask(b, TLOPEN, "44", 2, 0), ELOOP);
    assert_int_equal(change_owner(b, 2, USER, 7, 7), 0);
    assert_seen(b, 2, S_IFLNK | 0777, 7, 5, 0);
    assert_int_equal(change_attributes(b, 2, SIZE, 0, 1, no_times), EOPNOTSUPP);
    assert_int_equal(p9_ask(b, TSYMLINK, "4ss4", ROOT_FID, "hello", "x", 5), EEXIST);
    p9_assert_text(b, "hello", HELLO);
    assert_int_equal(p9_walk(b, 3, "away"), 0);
    assert_seen(b, 3, S_IFLNK | 0777, file_status(b, "away").st_uid, file_status(b, "away").st_gid,
                0);
    assert_int_equal(p9_ask(b, TREADLINK, "4", 3), 0);
    assert_string_equal(p9_take_string(b), "../outside");
    assert_int_equal(p9_walk(b, 4, "hello"), 0);
    assert_int_not_equal(p9_ask(b, TREADLINK, "4", 4), 0);
}

static void set_attribute(struct p9_bench *b, const char *name, uint32_t mode, size_t size)
{
    assert_int_equal(setxattr(p9_path(b, name), "user.virtfs.mode", &mode, size, 0), 0);
}

/* Extended attributes that other programs wrote. */
static void test_mapped_foreign(void **state)
{
    struct p9_bench *b = *state;
    unsigned user = geteuid(), group = getegid();

    assert_int_equal(p9_walk(b, 2, "hello"), 0);
    assert_int_equal(p9_walk(b, 3, "folder"), 0);
    set_attribute(b, "hello", 0751, 4); /* mode bits without a file type */
    assert_seen(b, 2, S_IFREG | 0751, user, group, 0);
    set_attribute(b, "hello", S_IFDIR | 0755, 4); /* a regular file cannot become a folder */
    assert_seen(b, 2, S_IFREG | 0755, user, group, 0);
    set_attribute(b, "hello", S_IFREG | 0111, 2); /* an attribute of another size */
    assert_seen(b, 2, S_IFREG | 0644, user, group, 0);
    set_attribute(b, "folder", S_IFLNK | 0711, 4); /* a folder cannot become anything else */
    assert_seen(b, 3, S_IFDIR | 0711, user, group, 0);
}

/* Without an attached user, new files have no owner attribute. */
static void test_mapped_nobody(void **state)
{
    struct p9_bench *b = *state;

    assert_int_equal(p9_ask(b, TATTACH, "44ss4", 5, NO_ID, "", "", NO_ID), 0);
    assert_int_equal(p9_ask(b, TMKDIR, "4s44", 5, "dir", 0755, NO_ID), 0);
    assert_int_equal(getxattr(p9_path(b, "dir"), "user.virtfs.uid", NULL, 0), -1);
    assert_int_equal(getxattr(p9_path(b, "dir"), "user.virtfs.gid", NULL, 0), -1);
    assert_attribute(b, "dir", "mode", 4, S_IFDIR | 0755);
}

/* A folder of a file system without extended attributes cannot be shared in this model. */
static void test_mapped_nowhere(void **state)
{
    struct error err = {""};

    (void)state;
    assert_null(ninep_new("/proc", NINEP_MAPPED_XATTR, true, &err));
    assert_non_null(strstr(err.text, "/proc: its file system keeps no attributes"));
}

#define TEST(name)        cmocka_unit_test_setup_teardown(name, p9_setup, p9_teardown)
#define MAPPED(name)      cmocka_unit_test_setup_teardown(name, p9_setup_mapped, p9_teardown)
#define PASSTHROUGH(name) cmocka_unit_test_setup_teardown(name, p9_setup_passthrough, p9_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_getattr),
        TEST(test_qid_version),
        TEST(test_statfs),
        TEST(test_set_mode),
        TEST(test_set_id_refused),
        TEST(test_set_size),
        TEST(test_set_times),
        TEST(test_set_owner),
        TEST(test_set_link),
        cmocka_unit_test_setup_teardown(test_set_read_only, p9_setup_read_only, p9_teardown),
        TEST(test_model_names),
        PASSTHROUGH(test_passthrough),
        PASSTHROUGH(test_passthrough_owner),
        MAPPED(test_mapped_file),
        MAPPED(test_mapped_special),
        MAPPED(test_mapped_link),
        MAPPED(test_mapped_foreign),
        MAPPED(test_mapped_nobody),
        TEST(test_mapped_nowhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
