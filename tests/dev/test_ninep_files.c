/* The 9P server: opening, creating, reading, writing, listing, locking. */
#include "tests/dev/ninep_bench.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/bits.h"
#include "runtime/base/state.h"

/* Flags of the protocol. */
enum {
    WRITE_ONLY = 1,
    READ_WRITE = 2,
    EXCLUSIVE = 0200,
    TRUNCATE = 01000,
    APPEND = 02000,
    DIRECTORY = 0200000
};

static unsigned read_at(struct p9_bench *b, uint32_t fid, uint64_t offset, unsigned count)
{
    return p9_ask(b, TREAD, "484", fid, offset, count);
}

/* Writes three letters at an offset. */
static unsigned write_at(struct p9_bench *b, uint32_t fid, uint64_t offset, const char *text)
{
    return p9_ask(b, TWRITE, "484111", fid, offset, 3, text[0], text[1], text[2]);
}

static unsigned create_file(struct p9_bench *b, uint32_t fid, const char *name, unsigned flags,
                            unsigned mode)
{
    assert_int_equal(p9_walk(b, fid, ""), 0);
    return p9_ask(b, TLCREATE, "4s444", fid, name, flags, mode, NO_ID);
}

static mode_t mode_of(struct p9_bench *b, const char *name)
{
    struct stat st;

    assert_int_equal(lstat(p9_path(b, name), &st), 0);
    return st.st_mode;
}

/* ---- opening --------------------------------------------------------------------------------- */

static void test_open(void **state)
{
    struct p9_bench *b = *state;

    assert_int_equal(p9_walk(b, 2, "hello"), 0);
    assert_int_equal(read_at(b, 2, 0, 5), EBADF);
    assert_int_equal(write_at(b, 2, 0, "abc"), EBADF);
    assert_int_equal(p9_ask(b, TFSYNC, "44", 2, 0), EBADF);
    assert_int_equal(p9_ask(b, TLOPEN, "4", 2), EINVAL);
    assert_int_equal(p9_ask(b, TLOPEN, "44", 2, 0), 0);
    p9_take_qid(b, QID_FILE, "hello");
    assert_int_equal(p9_take(b, 4), 0); /* iounit 0: up to the message size */
    p9_taken(b);
    assert_int_equal(p9_ask(b, TLOPEN, "44", 2, 0), EINVAL); /* a fid is opened only once */
    assert_int_equal(p9_walk(b, 3, "folder"), 0);
    assert_int_equal(p9_ask(b, TLOPEN, "44", 3, DIRECTORY), 0);
    p9_take_qid(b, QID_DIR, "folder");
    assert_int_equal(p9_ask(b, TLOPEN, "44", 3, 0), EINVAL);
    assert_int_equal(p9_walk(b, 4, "folder"), 0);
    assert_int_equal(p9_ask(b, TLOPEN, "44", 4, WRITE_ONLY), EISDIR);
    assert_int_equal(p9_walk(b, 5, "hello"), 0);
    assert_int_equal(p9_ask(b, TLOPEN, "44", 5, DIRECTORY), ENOTDIR);
    assert_int_equal(p9_walk(b, 6, "away"), 0);
    assert_int_equal(p9_ask(b, TLOPEN, "44", 6, 0), ELOOP);
    assert_int_equal(mkfifo(p9_path(b, "pipe"), 0666), 0);
    assert_int_equal(p9_walk(b, 7, "pipe"), 0);
    assert_int_equal(p9_ask(b, TLOPEN, "44", 7, 0), EPERM);
    assert_int_equal(p9_ask(b, TLOPEN, "44", 7, READ_WRITE), EPERM);
}

static void test_open_flags(void **state)
{
    struct p9_bench *b = *state;

    p9_open(b, 2, "hello", WRITE_ONLY);
    assert_int_equal(read_at(b, 2, 0, 5), EBADF);
    assert_int_equal(write_at(b, 2, 1, "abc"), 0);
    p9_assert_text(b, "hello", "habco, guest");
    p9_open(b, 3, "hello", 0);
    assert_int_equal(write_at(b, 3, 1, "abc"), EBADF);
    p9_open(b, 4, "hello", READ_WRITE | APPEND);
    assert_int_equal(write_at(b, 4, 0, "end"), 0);
    p9_assert_text(b, "hello", "habco, guestend");
    assert_int_equal(read_at(b, 4, 0, 3), 0);
    /* EXCLUSIVE has no effect on an existing file */
    p9_open(b, 5, "hello", READ_WRITE | EXCLUSIVE);
    p9_assert_text(b, "hello", "habco, guestend");
    p9_open(b, 6, "hello", READ_WRITE | TRUNCATE);
    p9_assert_text(b, "hello", "");
}

static void test_open_read_only(void **state)
{
    static const unsigned writing[] = {WRITE_ONLY, READ_WRITE, 3, TRUNCATE};
    struct p9_bench *b = *state;

    assert_int_equal(p9_walk(b, 2, "hello"), 0);
    for (size_t i = 0; i < ARRAY_SIZE(writing); i++)
        assert_int_equal(p9_ask(b, TLOPEN, "44", 2, writing[i]), EROFS);
    assert_int_equal(p9_ask(b, TLOPEN, "44", 2, APPEND), 0);
    assert_int_equal(read_at(b, 2, 0, 5), 0);
    p9_assert_text(b, "hello", HELLO);
    assert_int_equal(create_file(b, 3, "new", READ_WRITE, 0644), EROFS);
    assert_int_equal(p9_ask(b, TFSYNC, "44", 2, 0), 0);
}

/* An open file stays usable after its name was removed. */
static void test_open_unlinked(void **state)
{
    struct p9_bench *b = *state;

    p9_open(b, 2, "hello", READ_WRITE);
    assert_int_equal(p9_ask(b, TUNLINKAT, "4s4", ROOT_FID, "hello", 0), 0);
    assert_int_equal(read_at(b, 2, 7, 5), 0);
    assert_int_equal(p9_take(b, 4), 5);
    assert_int_equal(p9_ask(b, TGETATTR, "48", 2, UINT64_C(0)), 0);
    assert_int_equal(p9_ask(b, TCLUNK, "4", 2), 0);
}

/* ---- creating -------------------------------------------------------------------------------- */

static void test_create(void **state)
{
    struct p9_bench *b = *state;

    assert_int_equal(p9_walk(b, 2, "folder"), 0);
    assert_int_equal(p9_ask(b, TLCREATE, "4s444", 2, "new", READ_WRITE, 0100640, NO_ID), 0);
    p9_take_qid(b, QID_FILE, "folder/new");
    assert_int_equal(p9_take(b, 4), 0);
    p9_taken(b);
    assert_int_equal(mode_of(b, "folder/new"), S_IFREG | 0640);
    assert_int_equal(write_at(b, 2, 0, "abc"), 0); /* the folder's fid refers to the new file */
    p9_assert_text(b, "folder/new", "abc");
    assert_int_equal(p9_ask(b, TGETATTR, "48", 2, UINT64_C(0)), 0);
    p9_take(b, 8);
    p9_take_qid(b, QID_FILE, "folder/new");
    /* the fid is open */
    assert_int_equal(p9_ask(b, TLCREATE, "4s444", 2, "x", 2, 0644, NO_ID), EINVAL);
    assert_int_equal(p9_walk(b, 3, "hello"), 0);
    assert_int_equal(p9_ask(b, TLCREATE, "4s444", 3, "x", 2, 0644, NO_ID), ENOTDIR);
    assert_int_equal(p9_ask(b, TLCREATE, "4s444", 99, "x", 2, 0644, NO_ID), EBADF);
    /* The mode of a new file does not prevent its creator from writing. */
    assert_int_equal(create_file(b, 4, "fixed", READ_WRITE, 0444), 0);
    assert_int_equal(write_at(b, 4, 0, "abc"), 0);
    assert_int_equal(mode_of(b, "fixed"), S_IFREG | 0444);
    assert_int_equal(create_file(b, 5, "sticky", READ_WRITE, 01644), 0);
    assert_int_equal(mode_of(b, "sticky"), S_IFREG | S_ISVTX | 0644);
    assert_int_equal(create_file(b, 6, "append", WRITE_ONLY | APPEND, 0644), 0);
    assert_int_equal(write_at(b, 6, 0, "abc"), 0);
    assert_int_equal(write_at(b, 6, 0, "def"), 0);
    p9_assert_text(b, "append", "abcdef");
}

static void test_create_existing(void **state)
{
    struct p9_bench *b = *state;

    assert_int_equal(create_file(b, 2, "hello", READ_WRITE | EXCLUSIVE, 0600), EEXIST);
    /* the fid still names the folder */
    assert_int_equal(p9_ask(b, TGETATTR, "48", 2, UINT64_C(0)), 0);
    p9_take(b, 8);
    p9_take_qid(b, QID_DIR, "");
    assert_int_equal(p9_ask(b, TLCREATE, "4s444", 2, "hello", READ_WRITE, 0600, NO_ID), 0);
    p9_take_qid(b, QID_FILE, "hello");
    assert_int_equal(mode_of(b, "hello"), S_IFREG | 0644);
    assert_int_equal(read_at(b, 2, 7, 5), 0);
    assert_int_equal(p9_take(b, 4), 5);
    assert_int_equal(create_file(b, 3, "hello", READ_WRITE | TRUNCATE, 0600), 0);
    p9_assert_text(b, "hello", "");
    assert_int_equal(create_file(b, 4, "away", WRITE_ONLY, 0644), ELOOP);
    assert_int_equal(mkfifo(p9_path(b, "pipe"), 0666), 0);
    assert_int_equal(create_file(b, 5, "pipe", READ_WRITE, 0644), EPERM);
    assert_int_equal(create_file(b, 6, "folder", WRITE_ONLY, 0644), EISDIR);
}

static void test_create_refused(void **state)
{
    struct p9_bench *b = *state;
    char name[257];

    assert_int_equal(create_file(b, 2, "setuid", READ_WRITE, 04755), EPERM);
    assert_int_equal(create_file(b, 3, "setgid", READ_WRITE, 02755), EPERM);
    assert_false(p9_exists(b, "setuid") || p9_exists(b, "setgid"));
    memset(name, 'n', 256);
    name[256] = '\0';
    assert_int_equal(create_file(b, 4, name, READ_WRITE, 0644), EINVAL);
    for (size_t less = 1; less <= 12; less += 3) {
        assert_int_equal(create_file(b, 10 + (unsigned)less, "hello", EXCLUSIVE, 0644), EEXIST);
        b->message[10 + 3] = 'y'; /* "hylo" would be a new file */
        assert_int_equal(p9_ask_short(b, less), EINVAL);
    }
    name[255] = '\0';
    assert_int_equal(create_file(b, 5, name, READ_WRITE, 0644), 0);
}

/* The fid of a new file knows its parent folder. */
static void test_create_parent(void **state)
{
    struct p9_bench *b = *state;

    assert_int_equal(p9_walk(b, 2, "folder"), 0);
    assert_int_equal(p9_ask(b, TLCREATE, "4s444", 2, "new", READ_WRITE, 0644, NO_ID), 0);
    assert_int_equal(p9_ask(b, TWALK, "442s", 2, 3, 1, ".."), ENOTDIR);
    assert_int_equal(p9_ask(b, TRENAMEAT, "4s4s", ROOT_FID, "folder", ROOT_FID, "moved"), 0);
    assert_int_equal(p9_ask(b, TGETATTR, "48", 2, UINT64_C(0)), 0);
    p9_take(b, 8);
    p9_take_qid(b, QID_FILE, "moved/new");
}

/* ---- reading and writing --------------------------------------------------------------------- */

static void test_read(void **state)
{
    struct p9_bench *b = *state;

    p9_open(b, 2, "hello", 0);
    assert_int_equal(read_at(b, 2, 7, 4), 0);
    assert_int_equal(p9_take(b, 4), 4);
    assert_memory_equal(b->answer + b->at, "gues", 4);
    assert_int_equal(b->answer_len, 7 + 4 + 4);
    assert_int_equal(read_at(b, 2, 7, 100), 0);
    assert_int_equal(p9_take(b, 4), 5);
    assert_int_equal(read_at(b, 2, 12, 1), 0);
    assert_int_equal(p9_take(b, 4), 0);
    p9_taken(b);
    assert_int_equal(read_at(b, 2, INT64_MAX, 0), 0);
    assert_int_equal(read_at(b, 2, UINT64_C(1) << 63, 0), EINVAL);
    assert_int_equal(read_at(b, 2, 0, 12), 0);
    assert_int_equal(p9_ask_short(b, 1), EINVAL);
    assert_int_equal(read_at(b, 99, 0, 12), EBADF);
    p9_open(b, 3, "folder", 0);
    assert_int_equal(read_at(b, 3, 0, 12), EBADF);
}

static void test_write(void **state)
{
    struct p9_bench *b = *state;

    p9_open(b, 2, "hello", READ_WRITE);
    assert_int_equal(write_at(b, 2, 14, "xyz"), 0);
    assert_int_equal(p9_take(b, 4), 3);
    p9_taken(b);
    assert_int_equal(write_at(b, 2, 12, "--+"), 0);
    p9_assert_text(b, "hello", HELLO "--+yz");
    assert_int_equal(p9_ask(b, TWRITE, "48411", 2, UINT64_C(0), 2, 'H', 'E'), 0);
    assert_int_equal(p9_ask(b, TWRITE, "48411", 2, UINT64_C(0), 3, '1', '2'), EINVAL);
    assert_int_equal(p9_ask(b, TWRITE, "48411", 2, UINT64_C(2), 1, 'L', 'x'), 0);
    assert_int_equal(p9_ask(b, TWRITE, "484", 2, UINT64_C(2), 0), 0);
    assert_int_equal(p9_take(b, 4), 0);
    assert_int_equal(p9_ask(b, TWRITE, "48", 2, UINT64_C(2)), EINVAL);
    assert_int_equal(write_at(b, 2, UINT64_C(1) << 63, "abc"), EINVAL);
    p9_assert_text(b, "hello", "HELlo, guest--+yz");
    assert_int_equal(p9_ask(b, TWRITE, "484", 2, (uint64_t)INT64_MAX, 0), 0);
    assert_int_equal(p9_ask(b, TFSYNC, "44", 2, 0), 0);
    p9_taken(b);
    assert_int_equal(p9_ask(b, TFSYNC, "44", 2, 1), 0);
    p9_open(b, 3, "folder", 0);
    assert_int_equal(write_at(b, 3, 0, "abc"), EBADF);
}

/* ---- listing --------------------------------------------------------------------------------- */

struct entry {
    unsigned qid_type, type;
    uint64_t inode, cookie;
    char name[32];
};

static unsigned list_at(struct p9_bench *b, uint32_t fid, uint64_t offset, unsigned count)
{
    return p9_ask(b, TREADDIR, "484", fid, offset, count);
}

/* Reads the entries of an answer. */
static unsigned take_entries(struct p9_bench *b, struct entry entries[8])
{
    unsigned n = 0;

    assert_int_equal(p9_take(b, 4), b->answer_len - 11);
    for (; b->at < b->answer_len; n++) {
        assert_true(n < 8);
        entries[n].qid_type = (unsigned)p9_take(b, 1);
        p9_take(b, 4);
        entries[n].inode = p9_take(b, 8);
        entries[n].cookie = p9_take(b, 8);
        entries[n].type = (unsigned)p9_take(b, 1);
        strcpy(entries[n].name, p9_take_string(b));
    }
    return n;
}

static void assert_entry(struct p9_bench *b, const struct entry *e, unsigned n, const char *name,
                         const char *file, unsigned type)
{
    struct stat st;

    assert_int_equal(lstat(p9_path(b, file), &st), 0);
    for (; n; n--, e++) {
        if (strcmp(e->name, name))
            continue;
        assert_int_equal(e->type, type);
        assert_int_equal(e->inode, st.st_ino);
        assert_int_equal(e->qid_type, type == DT_DIR ? 0x80 : type == DT_LNK ? 2 : 0);
        return;
    }
    fail_msg("no entry %s", name);
}

static void test_list(void **state)
{
    struct entry all[8], rest[8];
    struct p9_bench *b = *state;
    unsigned n;

    p9_open(b, 2, "", DIRECTORY);
    assert_int_equal(list_at(b, 2, 0, 8000), 0);
    n = take_entries(b, all);
    assert_int_equal(n, 5);
    assert_entry(b, all, n, ".", "", DT_DIR);
    assert_entry(b, all, n, "..", "", DT_DIR); /* no qid of the folder around the share */
    assert_entry(b, all, n, "hello", "hello", DT_REG);
    assert_entry(b, all, n, "folder", "folder", DT_DIR);
    assert_entry(b, all, n, "away", "away", DT_LNK);
    for (unsigned i = 0; i < n; i++) { /* each cookie continues the listing after its entry */
        assert_int_equal(list_at(b, 2, all[i].cookie, 8000), 0);
        assert_int_equal(take_entries(b, rest), n - 1 - i);
        assert_memory_equal(rest, all + i + 1, 0);
        for (unsigned k = 0; k < n - 1 - i; k++)
            assert_string_equal(rest[k].name, all[i + 1 + k].name);
    }
    assert_int_equal(list_at(b, 2, 0, 8000), 0); /* cookie 0 restarts at the beginning */
    assert_int_equal(take_entries(b, rest), n);
    assert_int_equal(list_at(b, 2, UINT64_C(1) << 63, 8000), EINVAL);
    assert_int_equal(list_at(b, 2, INT64_MAX, 8000), 0);
    assert_int_equal(p9_ask(b, TREADDIR, "48", 2, UINT64_C(0)), EINVAL);
    p9_open(b, 3, "folder", 0);
    assert_int_equal(list_at(b, 3, 0, 8000), 0);
    n = take_entries(b, all);
    assert_int_equal(n, 3);
    assert_entry(b, all, n, "..", "", DT_DIR);
    assert_entry(b, all, n, ".", "folder", DT_DIR);
    assert_entry(b, all, n, "inner", "folder/inner", DT_REG);
}

/* Only whole entries are returned, as many as fit: 24 bytes plus the name each. */
static void test_list_room(void **state)
{
    struct entry all[8], some[8];
    struct p9_bench *b = *state;
    unsigned size = 0, n, room = b->room;

    p9_open(b, 2, "", 0);
    assert_int_equal(list_at(b, 2, 0, 8000), 0);
    n = take_entries(b, all);
    for (unsigned i = 0; i < n; i++) {
        assert_int_equal(list_at(b, 2, 0, size + 24 + strlen(all[i].name) - 1), 0);
        assert_int_equal(take_entries(b, some), i);
        size += 24 + strlen(all[i].name);
        assert_int_equal(list_at(b, 2, 0, size), 0);
        assert_int_equal(take_entries(b, some), i + 1);
        assert_int_equal(b->answer_len, 11 + size);
        b->room = 11 + size; /* the answer buffer limits like the count */
        assert_int_equal(list_at(b, 2, 0, 8000), 0);
        assert_int_equal(take_entries(b, some), i + 1);
        b->room = room;
    }
}

static void test_list_refused(void **state)
{
    struct p9_bench *b = *state;

    assert_int_equal(p9_walk(b, 2, "folder"), 0);
    assert_int_equal(list_at(b, 2, 0, 8000), EBADF);
    p9_open(b, 3, "hello", 0);
    assert_int_equal(list_at(b, 3, 0, 8000), EBADF);
    assert_int_equal(list_at(b, 99, 0, 8000), EBADF);
}

/* A file made without attributes is listed with the type that its attributes say later. */
static void test_list_mapped(void **state)
{
    struct entry all[8];
    struct p9_bench *b = *state;
    unsigned n;

    p9_open(b, 2, "", 0);
    assert_int_equal(list_at(b, 2, 0, 8000), 0);
    n = take_entries(b, all);
    assert_entry(b, all, n, "hello", "hello", DT_UNKNOWN);
    assert_entry(b, all, n, "folder", "folder", DT_DIR);
}

/* ---- locks ----------------------------------------------------------------------------------- */

static void test_locks(void **state)
{
    struct p9_bench *b = *state;
    char client[300];

    assert_int_equal(p9_walk(b, 2, "hello"), 0);
    assert_int_equal(p9_ask(b, TLOCK, "414884s", 2, 1, 0, UINT64_C(0), UINT64_C(0), 7, "client"),
                     0);
    assert_int_equal(p9_take(b, 1), 0);
    p9_taken(b);
    assert_int_equal(p9_ask(b, TLOCK, "414884s", 9, 1, 0, UINT64_C(0), UINT64_C(0), 7, "c"), EBADF);
    assert_int_equal(p9_ask(b, TGETLOCK, "41884s", 2, 1, UINT64_C(5), UINT64_C(6), 7, "client"), 0);
    assert_int_equal(p9_take(b, 1), 2); /* unlocked */
    assert_int_equal(p9_take(b, 8), 5);
    assert_int_equal(p9_take(b, 8), 6);
    assert_int_equal(p9_take(b, 4), 7);
    assert_string_equal(p9_take_string(b), "client");
    p9_taken(b);
    assert_int_equal(p9_ask_short(b, 1), EINVAL);
    memset(client, 'c', 255);
    client[255] = '\0';
    assert_int_equal(p9_ask(b, TGETLOCK, "41884s", 2, 1, UINT64_C(5), UINT64_C(6), 7, client), 0);
    strcpy(client + 255, "c");
    assert_int_equal(p9_ask(b, TGETLOCK, "41884s", 2, 1, UINT64_C(5), UINT64_C(6), 7, client),
                     EINVAL);
}

/* ---- snapshots of a machine ------------------------------------------------------------------ */

static bool load(struct p9_bench *b, const struct state_buf *buf, size_t len, bool apply)
{
    struct error err = {0};

    return ninep_load(b->server, buf->data, len, apply, &err);
}

/* What was open before is open after a load into a server that has other files open. */
static void test_saved(void **state)
{
    struct p9_bench *b = *state;
    struct state_buf buf = {0};

    p9_open(b, 2, "hello", READ_WRITE | TRUNCATE);
    p9_write_text(p9_path(b, "hello"), HELLO);
    p9_open(b, 3, "folder", DIRECTORY);
    assert_int_equal(p9_walk(b, 4, "folder"), 0);
    assert_int_equal(create_file(b, 5, "gone", WRITE_ONLY, 0600), 0);
    ninep_save(b->server, &buf);
    unlink(p9_path(b, "gone"));
    ninep_reset(b->server);
    p9_serve_folder(b, b->folder);
    p9_open(b, 7, "hello", 0);
    assert_true(load(b, &buf, buf.len, false));
    assert_int_equal(read_at(b, 7, 0, 5), 0);
    assert_true(load(b, &buf, buf.len, true));
    assert_int_equal(read_at(b, 7, 0, 5), EBADF);
    assert_int_equal(write_at(b, 2, 0, "HEL"), 0);
    p9_assert_text(b, "hello",
                   "HEL"
                   "lo, guest");
    assert_int_equal(p9_ask(b, TREADDIR, "484", 3, UINT64_C(0), 1000), 0);
    assert_int_equal(p9_ask(b, TLOPEN, "44", 4, DIRECTORY), 0);
    assert_int_equal(write_at(b, 5, 0, "abc"), EBADF);
    assert_false(p9_exists(b, "gone"));
    state_buf_free(&buf);
}

/* A snapshot cannot open for writing what is served read-only, nor leave the folder. */
static void test_saved_read_only(void **state)
{
    struct p9_bench *b = *state;
    struct state_buf buf = {0};
    uint8_t *flags, *path;

    p9_open(b, 2, "hello", 0);
    ninep_save(b->server, &buf);
    path = memmem(buf.data, buf.len, "hello", 5);
    assert_non_null(path);
    flags = path - 12; /* before `open` and the length of the path */
    assert_int_equal(le_get(flags, 4), 0);
    le_put(flags, 4, READ_WRITE);
    assert_true(load(b, &buf, buf.len, true));
    assert_int_equal(write_at(b, 2, 0, "abc"), EBADF);
    p9_assert_text(b, "hello", HELLO);
    le_put(flags, 4, 0);
    memcpy(path, "../..", 5);
    assert_true(load(b, &buf, buf.len, true));
    assert_int_equal(read_at(b, 2, 0, 5), EBADF);
    for (size_t len = 0; len < buf.len; len++)
        assert_false(load(b, &buf, len, true));
    state_buf_free(&buf);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, p9_setup, p9_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_open),
        TEST(test_open_flags),
        cmocka_unit_test_setup_teardown(test_open_read_only, p9_setup_read_only, p9_teardown),
        TEST(test_open_unlinked),
        TEST(test_create),
        TEST(test_create_existing),
        TEST(test_create_refused),
        TEST(test_create_parent),
        TEST(test_read),
        TEST(test_write),
        TEST(test_list),
        TEST(test_list_room),
        TEST(test_list_refused),
        cmocka_unit_test_setup_teardown(test_list_mapped, p9_setup_mapped, p9_teardown),
        TEST(test_locks),
        TEST(test_saved),
        cmocka_unit_test_setup_teardown(test_saved_read_only, p9_setup_read_only, p9_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
