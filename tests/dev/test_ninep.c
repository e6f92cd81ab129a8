/* The 9P server: sessions, fids, walks, and that a client cannot leave its folder. */
#include "tests/dev/ninep_bench.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "runtime/base/bits.h"
#include "runtime/base/random.h"

/* ---- sessions -------------------------------------------------------------------------------- */

static void test_version(void **state)
{
    static const struct {
        unsigned asked, given;
    } sizes[] = {{4096, 4096}, {8193, 8193}, {524288, 524288}, {524289, 524288}};
    static const char *const unknown[] = {"9P2000", "9P2000.Lx", "", "9p2000.l",
                                          "a version with a name longer than any"};
    struct p9_bench *b = *state;

    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        assert_int_equal(p9_ask(b, TVERSION, "4s", sizes[i].asked, "9P2000.L"), 0);
        assert_int_equal(p9_take(b, 4), sizes[i].given);
        assert_string_equal(p9_take_string(b), "9P2000.L");
        p9_taken(b);
    }
    for (size_t i = 0; i < ARRAY_SIZE(unknown); i++) {
        assert_int_equal(p9_ask(b, TVERSION, "4s", 8192, unknown[i]), 0);
        assert_int_equal(p9_take(b, 4), 8192);
        assert_string_equal(p9_take_string(b), "unknown");
    }
    assert_int_equal(p9_ask(b, TVERSION, "4s", 4095, "9P2000.L"), EINVAL);
    assert_int_equal(p9_ask(b, TVERSION, "4s", 8192, "9P2000.L"), 0);
    assert_int_equal(p9_ask_short(b, 1), EINVAL);
}

/* A version message begins a new session: all fids are gone. */
static void test_version_forgets(void **state)
{
    struct p9_bench *b = *state;

    p9_open(b, 2, "hello", 0);
    assert_int_equal(p9_ask(b, TVERSION, "4s", 1, "9P2000.L"), EINVAL);
    assert_int_equal(p9_ask(b, TGETATTR, "48", 2, UINT64_C(0)), 0);
    assert_int_equal(p9_ask(b, TVERSION, "4s", 8192, "9P2000.L"), 0);
    assert_int_equal(p9_ask(b, TGETATTR, "48", 2, UINT64_C(0)), EBADF);
    assert_int_equal(p9_ask(b, TGETATTR, "48", ROOT_FID, UINT64_C(0)), EBADF);
    assert_int_equal(p9_ask(b, TATTACH, "44ss4", 2, NO_ID, "", "", 0), 0);
    ninep_reset(b->server);
    assert_int_equal(p9_ask(b, TCLUNK, "4", 2), EBADF);
}

/* Answers respect the negotiated size and the room in the answer buffer. */
static void test_message_size(void **state)
{
    struct p9_bench *b = *state;
    FILE *f = fopen(p9_path(b, "long"), "w");

    for (unsigned i = 0; i < 20000; i++)
        fputc('a', f);
    fclose(f);
    p9_open(b, 2, "long", 0);
    assert_int_equal(p9_ask(b, TREAD, "484", 2, UINT64_C(0), 20000), 0);
    assert_int_equal(b->answer_len, 8192);
    assert_int_equal(p9_take(b, 4), 8192 - 11);
    b->room = 8191;
    assert_int_equal(p9_ask(b, TREAD, "484", 2, UINT64_C(0), 20000), 0);
    assert_int_equal(b->answer_len, 8191);
    b->room = 20;
    assert_int_equal(p9_ask(b, TGETATTR, "48", 2, UINT64_C(0)), EMSGSIZE);
    b->room = 12;
    assert_int_equal(p9_ask(b, TREAD, "484", 2, UINT64_C(0), 20000), 0);
    assert_int_equal(p9_take(b, 4), 1);
    b->room = 11;
    assert_int_equal(p9_ask(b, TREAD, "484", 2, UINT64_C(0), 20000), 0);
    assert_int_equal(p9_take(b, 4), 0);
    assert_int_equal(p9_ask(b, TLOPEN, "44", 9, 0), EBADF);
}

static void test_attach(void **state)
{
    struct p9_bench *b = *state;

    assert_int_equal(p9_ask(b, TATTACH, "44ss4", 7, NO_ID, "somebody", "/any", 1000), 0);
    p9_take_qid(b, QID_DIR, "");
    p9_taken(b);
    /* the fid is in use */
    assert_int_equal(p9_ask(b, TATTACH, "44ss4", 7, NO_ID, "", "", 0), EBADF);
    assert_int_equal(p9_ask(b, TATTACH, "44ss4", 8, NO_ID, "u", "", 0), 0);
    for (unsigned less = 1; less < 4; less++) {
        assert_int_equal(p9_ask(b, TATTACH, "44ss4", 9, NO_ID, "u", "f", 0), less == 1 ? 0 : EBADF);
        assert_int_equal(p9_ask_short(b, less), EINVAL);
    }
    assert_int_equal(p9_ask(b, TATTACH, "44ss", 10, NO_ID, "u", "f"), EINVAL);
    assert_int_equal(p9_ask(b, TATTACH, "44s", 10, NO_ID, "u"), EINVAL);
    assert_int_equal(p9_ask(b, TATTACH, "44", 10, NO_ID), EINVAL);
    assert_int_equal(p9_ask(b, TCLUNK, "4", 10), EBADF);
}

static void test_fids(void **state)
{
    static const unsigned unheard[] = {0,   6,   TRENAME, TXATTRWALK, TXATTRCREATE, 99, TAUTH,
                                       106, 112, 114,     124,        126,          255};
    struct p9_bench *b = *state;

    assert_int_equal(p9_walk(b, 2, "hello"), 0);
    assert_int_equal(p9_walk(b, 3, "folder"), 0);
    assert_int_equal(p9_ask(b, TCLUNK, "4", 2), 0);
    p9_taken(b);
    assert_int_equal(p9_ask(b, TCLUNK, "4", 2), EBADF);
    assert_int_equal(p9_ask(b, TCLUNK, ""), EINVAL);
    assert_int_equal(p9_ask(b, TGETATTR, "48", 3, UINT64_C(0)), 0);
    /* Tremove clunks the fid even if it fails */
    assert_int_equal(p9_ask(b, TREMOVE, "4", 3), EOPNOTSUPP);
    assert_int_equal(p9_ask(b, TREMOVE, "4", 3), EBADF);
    assert_true(p9_exists(b, "folder"));
    assert_int_equal(p9_ask(b, TFLUSH, "2", 5), 0);
    p9_taken(b);
    for (size_t i = 0; i < ARRAY_SIZE(unheard); i++)
        assert_int_equal(p9_ask(b, unheard[i], "44ss", ROOT_FID, 5, "a", "b"), EOPNOTSUPP);
}

/* At most 4,096 fids, or fewer if the host gives fewer handles, all of which the server uses. */
static void test_many_fids(void **state)
{
    struct p9_bench *b = *state;
    struct rlimit limit;
    unsigned count = 1, err;

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = 64;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    p9_serve_folder(b, b->folder);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_int_equal(limit.rlim_cur, limit.rlim_max);
    while (!(err = p9_walk(b, 1 + count, "")))
        count++;
    assert_int_equal(err, EMFILE);
    if (limit.rlim_max > 5000)
        assert_int_equal(count, 4096);
    assert_int_equal(p9_walk(b, 2, ""), EBADF);
    assert_int_equal(p9_ask(b, TCLUNK, "4", 77), 0);
    assert_int_equal(p9_walk(b, 10000, ""), 0);
}

/* A malformed header gets no answer. */
static void test_headers(void **state)
{
    struct p9_bench *b = *state;
    uint8_t clunk[12] = {11, 0, 0, 0, TCLUNK, 1, 2, ROOT_FID};
    uint8_t answer[16];

    assert_int_equal(ninep_serve(b->server, clunk, 6, answer, sizeof(answer)), 0);
    assert_int_equal(ninep_serve(b->server, clunk, 10, answer, sizeof(answer)), 0);
    assert_int_equal(ninep_serve(b->server, clunk, 11, answer, 10), 0);
    clunk[0] = 6;
    assert_int_equal(ninep_serve(b->server, clunk, 11, answer, sizeof(answer)), 0);
    clunk[0] = 7; /* the size of a bare header, whatever bytes follow */
    assert_int_equal(ninep_serve(b->server, clunk, 11, answer, sizeof(answer)), 11);
    assert_int_equal(answer[4], 7);
    assert_int_equal(le_get(answer + 7, 4), EINVAL);
    clunk[0] = 11;
    assert_int_equal(ninep_serve(b->server, clunk, 12, answer, 11), 7);
    assert_memory_equal(answer, ((uint8_t[]){7, 0, 0, 0, TCLUNK + 1, 1, 2}), 7);
    clunk[4] = TFLUSH;
    assert_int_equal(ninep_serve(b->server, clunk, 7 + 4, answer, 11), 7);
}

static void test_new(void **state)
{
    struct p9_bench *b = *state;
    struct error err;

    assert_null(ninep_new(p9_path(b, "nothing"), NINEP_NONE, false, &err));
    assert_non_null(strstr(err.text, "nothing: No such file"));
    assert_null(ninep_new(p9_path(b, "hello"), NINEP_NONE, false, &err));
    assert_non_null(strstr(err.text, "hello: Not a directory"));
    ninep_free(NULL);
}

/* A client that begins without a version message may send messages of the largest size. */
static void test_no_version(void **state)
{
    struct p9_bench *b = *state;
    struct ninep *old = b->server;

    b->server = ninep_new(b->folder, NINEP_NONE, false, NULL);
    assert_int_equal(p9_ask(b, TATTACH, "44ss4", ROOT_FID, NO_ID, "", "", 0), 0);
    assert_int_equal(p9_ask(b, TGETATTR, "48", ROOT_FID, UINT64_C(0)), 0);
    ninep_free(b->server);
    b->server = old;
}

/* A session returns all memory and descriptors to the host. */
static void test_memory(void **state)
{
    struct p9_bench *b = *state;
    size_t used = 0;

    for (unsigned round = 0; round < 5; round++) {
        p9_serve_folder(b, b->folder);
        assert_int_equal(p9_walk(b, 2, "folder"), 0);
        assert_int_equal(p9_ask(b, TWALK, "442s", 2, 2, 1, ".."), 0);
        assert_int_equal(p9_ask(b, TWALK, "442s", 2, 2, 1, "folder"), 0);
        assert_int_equal(p9_ask(b, TRENAMEAT, "4s4s", ROOT_FID, "folder", ROOT_FID, "x"), 0);
        assert_int_equal(p9_ask(b, TRENAMEAT, "4s4s", ROOT_FID, "x", ROOT_FID, "folder"), 0);
        p9_open(b, 3, "folder", 0);
        assert_int_equal(p9_ask(b, TWALK, "442s", 2, 3, 1, ".."), EBADF);
        if (round == 1)
            used = mallinfo2().uordblks;
    }
    assert_int_equal(mallinfo2().uordblks, used);
}

/* File descriptor 0 is usable for files if standard input is closed. */
static void test_descriptor_zero(void **state)
{
    struct p9_bench *b = *state;
    int input = dup(0);

    assert_true(input > 0);
    close(0);
    p9_serve_folder(b, b->folder); /* the root's handle becomes 0 */
    assert_int_equal(p9_walk(b, 2, "hello"), 0);
    ninep_free(b->server);
    b->server = NULL;
    dup2(input, 0);
    p9_serve_folder(b, b->folder);
    close(0);
    assert_int_equal(p9_ask(b, TATTACH, "44ss4", 2, NO_ID, "", "", 0), 0); /* the fid of a root */
    assert_int_equal(p9_ask(b, TCLUNK, "4", 2), 0);
    assert_int_equal(p9_walk(b, 2, ""), 0); /* a copy of another fid */
    assert_int_equal(p9_ask(b, TWALK, "442s", 2, 3, 1, "hello"), 0);
    assert_int_equal(p9_ask(b, TCLUNK, "4", 2), 0);
    assert_int_equal(p9_ask(b, TLOPEN, "44", 3, 0), 0); /* an open file */
    assert_int_equal(fcntl(0, F_GETFD), FD_CLOEXEC);
    assert_int_equal(p9_ask(b, TLOPEN, "44", 3, 0), EINVAL);
    assert_int_equal(p9_ask(b, TWALK, "442", 3, 3, 0), EINVAL);
    assert_int_equal(p9_ask(b, TREAD, "484", 3, UINT64_C(0), 5), 0);
    assert_int_equal(p9_ask(b, TFSYNC, "44", 3, 0), 0);
    assert_int_equal(p9_ask(b, TCLUNK, "4", 3), 0);
    assert_int_equal(fcntl(0, F_GETFD), -1);
    assert_int_equal(p9_walk(b, 2, ""), 0);
    assert_int_equal(p9_ask(b, TLCREATE, "4s444", 2, "new", 2, 0644, NO_ID), 0);
    assert_int_equal(p9_ask(b, TCLUNK, "4", 2), 0);
    assert_int_equal(dup2(input, 0), 0);
    close(input);
}

/* ---- walks ----------------------------------------------------------------------------------- */

static void test_walk(void **state)
{
    struct p9_bench *b = *state;

    assert_int_equal(p9_ask(b, TWALK, "442ss", ROOT_FID, 2, 2, "folder", "inner"), 0);
    assert_int_equal(p9_take(b, 2), 2);
    p9_take_qid(b, QID_DIR, "folder");
    p9_take_qid(b, QID_FILE, "folder/inner");
    p9_taken(b);
    assert_int_equal(p9_ask(b, TWALK, "442", 2, 3, 0), 0); /* a walk of no names: the same file */
    assert_int_equal(p9_take(b, 2), 0);
    p9_taken(b);
    assert_int_equal(p9_ask(b, TGETATTR, "48", 3, UINT64_C(0)), 0);
    p9_take(b, 8);
    p9_take_qid(b, QID_FILE, "folder/inner");
    assert_int_equal(p9_ask(b, TWALK, "442s", ROOT_FID, 4, 1, "away"), 0);
    p9_take(b, 2);
    p9_take_qid(b, QID_LINK, "away");
    assert_int_equal(p9_ask(b, TWALK, "442s", 99, 5, 1, "hello"), EBADF);
    assert_int_equal(p9_ask(b, TWALK, "442s", ROOT_FID, 4, 1, "hello"), EBADF); /* in use */
}

/* A walk that ends early returns the qids up to there, and makes no fid. */
static void test_walk_part(void **state)
{
    struct p9_bench *b = *state;

    assert_int_equal(p9_ask(b, TWALK, "442sss", ROOT_FID, 2, 3, "folder", "no", "x"), 0);
    assert_int_equal(p9_take(b, 2), 1);
    p9_take_qid(b, QID_DIR, "folder");
    p9_taken(b);
    assert_int_equal(p9_ask(b, TCLUNK, "4", 2), EBADF);
    assert_int_equal(p9_ask(b, TWALK, "442ss", ROOT_FID, 2, 2, "no", "x"), ENOENT);
    assert_int_equal(p9_ask(b, TWALK, "442s", ROOT_FID, 2, 2, "folder"),
                     0); /* the second string is missing */
    assert_int_equal(p9_take(b, 2), 1);
    assert_int_equal(p9_ask(b, TWALK, "442ss", ROOT_FID, ROOT_FID, 2, "folder", "no"), 0);
    assert_int_equal(p9_walk(b, 2, "hello"), 0); /* the root's fid is unchanged */
    assert_int_equal(p9_ask(b, TWALK, "442ss", ROOT_FID, 3, 2, "hello", "x"), 0);
    assert_int_equal(p9_take(b, 2), 1);
    assert_int_equal(p9_ask(b, TWALK, "442s", 2, 3, 1, "x"), ENOTDIR);
    assert_int_equal(p9_ask(b, TWALK, "442s", 2, 3, 1, "."), ENOTDIR);
    assert_int_equal(p9_ask(b, TWALK, "442s", 2, 3, 1, ".."), ENOTDIR);
}

/* A walk whose new fid is the old one. */
static void test_walk_onto_itself(void **state)
{
    struct p9_bench *b = *state;

    assert_int_equal(p9_walk(b, 2, "folder"), 0);
    assert_int_equal(p9_ask(b, TWALK, "442s", 2, 2, 1, "inner"), 0);
    assert_int_equal(p9_ask(b, TGETATTR, "48", 2, UINT64_C(0)), 0);
    p9_take(b, 8);
    p9_take_qid(b, QID_FILE, "folder/inner");
    assert_int_equal(p9_ask(b, TLOPEN, "44", 2, 0), 0);
    /* not allowed while the fid is open */
    assert_int_equal(p9_ask(b, TWALK, "442", 2, 2, 0), EINVAL);
    assert_int_equal(p9_ask(b, TWALK, "442", 2, 3, 0), 0);
    assert_int_equal(p9_ask(b, TREAD, "484", 3, UINT64_C(0), 5), EBADF);
    assert_int_equal(p9_ask(b, TREAD, "484", 2, UINT64_C(0), 5), 0);
}

static void test_walk_limits(void **state)
{
    struct p9_bench *b = *state;
    char name[258];

    assert_int_equal(p9_ask(b, TWALK, "442ssssssssssssssss", ROOT_FID, 2, 16, ".", ".", ".", ".",
                            ".", ".", ".", ".", ".", ".", ".", ".", ".", ".", ".", "hello"),
                     0);
    assert_int_equal(p9_take(b, 2), 16);
    assert_int_equal(b->answer_len, 9 + 16 * 13);
    assert_int_equal(p9_ask(b, TWALK, "442sssssssssssssssss", ROOT_FID, 3, 17, ".", ".", ".", ".",
                            ".", ".", ".", ".", ".", ".", ".", ".", ".", ".", ".", ".", "hello"),
                     EINVAL);
    assert_int_equal(p9_ask(b, TWALK, "44", ROOT_FID, 3), EINVAL);
    memset(name, 'n', 255);
    name[255] = '\0';
    assert_int_equal(p9_walk(b, 3, name), ENOENT);
    strcpy(name + 255, "n");
    assert_int_equal(p9_walk(b, 3, name), EINVAL);
    b->room = 9 + 12; /* room for less than one qid */
    assert_int_equal(p9_walk(b, 3, "hello"), EMSGSIZE);
}

static void test_walk_names(void **state)
{
    static const char *const none[] = {"", "/", "folder/inner", "/etc", "../hello", "hello/"};
    struct p9_bench *b = *state;

    for (size_t i = 0; i < ARRAY_SIZE(none); i++)
        assert_int_equal(p9_ask(b, TWALK, "442s", ROOT_FID, 9, 1, none[i]), ENOENT);
    /* A name that contains a NUL. */
    assert_int_equal(p9_ask(b, TWALK, "442211111", ROOT_FID, 9, 1, 5, 'h', 0, 'l', 'l', 'o'),
                     EINVAL);
}

/* Checks that the last qid of the walk's answer is this file's. */
static void assert_walked_to(struct p9_bench *b, const char *name)
{
    unsigned steps = (unsigned)p9_take(b, 2);

    b->at += 13 * (steps - 1);
    p9_take_qid(b, QID_DIR, name);
    p9_taken(b);
}

static void test_parents(void **state)
{
    struct p9_bench *b = *state;

    assert_int_equal(mkdir(p9_path(b, "folder/deep"), 0755), 0);
    assert_int_equal(mkdir(p9_path(b, "folder/deep/end"), 0755), 0);
    assert_int_equal(p9_walk(b, 2, ".."), 0);
    assert_walked_to(b, "");
    assert_int_equal(p9_ask(b, TWALK, "442sss", 2, 3, 3, "..", "folder", ".."), 0);
    assert_walked_to(b, "");
    assert_int_equal(p9_ask(b, TWALK, "442sss", ROOT_FID, 4, 3, "folder", "deep", "end"), 0);
    assert_int_equal(p9_ask(b, TWALK, "442s", 4, 5, 1, ".."), 0);
    assert_walked_to(b, "folder/deep");
    assert_int_equal(p9_ask(b, TWALK, "442ss", 4, 6, 2, ".", ".."), 0);
    assert_walked_to(b, "folder/deep");
    assert_int_equal(p9_ask(b, TWALK, "442s", 5, 7, 1, ".."), 0);
    assert_walked_to(b, "folder");
    assert_int_equal(p9_ask(b, TWALK, "442sss", 4, 8, 3, "..", "..", "inner"), 0);
    assert_int_equal(p9_ask(b, TWALK, "442ssss", 4, 9, 4, "..", "..", "..", ".."), 0);
    assert_walked_to(b, "");
    assert_int_equal(rmdir(p9_path(b, "folder/deep/end")), 0);
    assert_int_equal(rmdir(p9_path(b, "folder/deep")), 0);
    assert_int_equal(p9_ask(b, TWALK, "442s", 4, 10, 1, ".."), ENOENT);
}

/* After the client's own renames, its fids still name the same files. */
static void test_parents_after_rename(void **state)
{
    struct p9_bench *b = *state;

    assert_int_equal(mkdir(p9_path(b, "folder/deep"), 0755), 0);
    assert_int_equal(mkdir(p9_path(b, "folder2"), 0755), 0);
    assert_int_equal(mkdir(p9_path(b, "other"), 0755), 0);
    assert_int_equal(p9_ask(b, TWALK, "442ss", ROOT_FID, 2, 2, "folder", "deep"), 0);
    assert_int_equal(p9_walk(b, 3, "folder2"), 0);
    assert_int_equal(p9_walk(b, 4, "other"), 0);
    assert_int_equal(p9_walk(b, 5, "folder"), 0);
    assert_int_equal(p9_ask(b, TRENAMEAT, "4s4s", ROOT_FID, "folder", 4, "new"), 0);
    assert_int_equal(p9_ask(b, TWALK, "442s", 2, 6, 1, ".."), 0);
    assert_walked_to(b, "other/new");
    assert_int_equal(p9_ask(b, TWALK, "442s", 5, 7, 1, ".."), 0);
    assert_walked_to(b, "other");
    assert_int_equal(p9_ask(b, TWALK, "442s", 3, 8, 1, ".."), 0);
    assert_walked_to(b, "");
    assert_int_equal(p9_ask(b, TRENAMEAT, "4s4s", ROOT_FID, "folder2", ROOT_FID, "f"), 0);
    assert_int_equal(p9_ask(b, TWALK, "442s", 3, 9, 1, ".."), 0);
    assert_walked_to(b, "");
    assert_int_equal(p9_ask(b, TWALK, "442s", 2, 10, 1, ".."), 0);
    assert_walked_to(b, "other/new");
}

/* Paths are shorter than PATH_MAX, since the parents of longer ones could not be found. */
static void test_long_paths(void **state)
{
    struct p9_bench *b = *state;
    char name[256];
    unsigned depth = 0, err;

    memset(name, 'n', 255);
    name[255] = '\0';
    assert_int_equal(p9_walk(b, 2, ""), 0);
    do {
        assert_int_equal(p9_ask(b, TMKDIR, "4s44", 2, name, 0755, NO_ID), 0);
        err = p9_ask(b, TWALK, "442s", 2, 2, 1, name);
        depth += !err;
    } while (!err && depth < 20);
    assert_int_equal(err, ENAMETOOLONG);
    /* 15 components of 255 bytes and a slash, and one without: 4,095 bytes and the NUL */
    assert_int_equal(depth, 16);
}

/* A fid whose path a rename would make too long keeps its old path, which names nothing. */
static void test_long_rename(void **state)
{
    struct p9_bench *b = *state;
    char name[256], top[255];

    memset(name, 'n', 255);
    memset(top, 't', 254);
    name[255] = top[254] = '\0';
    assert_int_equal(p9_ask(b, TMKDIR, "4s44", ROOT_FID, top, 0755, NO_ID), 0);
    assert_int_equal(p9_ask(b, TMKDIR, "4s44", ROOT_FID, "d", 0755, NO_ID), 0);
    assert_int_equal(p9_walk(b, 2, top), 0);
    for (unsigned depth = 0; depth < 15; depth++) {
        assert_int_equal(p9_ask(b, TMKDIR, "4s44", 2, name, 0755, NO_ID), 0);
        assert_int_equal(p9_ask(b, TWALK, "442s", 2, 2, 1, name), 0);
    }
    assert_int_equal(p9_ask(b, TWALK, "442s", 2, 4, 1, ".."), 0);
    assert_int_equal(p9_walk(b, 3, "d"), 0);
    assert_int_equal(p9_ask(b, TRENAMEAT, "4s4s", ROOT_FID, top, 3, top), 0); /* 4,094 + 2 */
    assert_int_equal(p9_ask(b, TWALK, "442s", 2, 5, 1, ".."), ENOENT);
    assert_int_equal(p9_ask(b, TWALK, "442s", 4, 5, 1, ".."), 0);
    assert_int_equal(p9_ask(b, TGETATTR, "48", 2, UINT64_C(0)), 0);
}

/* ---- staying inside -------------------------------------------------------------------------- */

/*
 * A folder moved away through another share of the outer folder does not give access outside of the
 * inner share.
 */
static void test_moved_away(void **state)
{
    struct p9_bench *b = *state;
    char outer[64];

    assert_int_equal(mkdir(p9_path(b, "folder/c"), 0755), 0);
    assert_int_equal(mkdir(p9_path(b, "folder/c/d"), 0755), 0);
    strcpy(outer, b->folder);
    p9_serve_folder(b, p9_path(b, "folder"));
    assert_int_equal(p9_walk(b, 2, "c"), 0);
    assert_int_equal(p9_ask(b, TWALK, "442s", 2, 3, 1, "d"), 0);
    assert_int_equal(rename(p9_path(b, "folder/c"), p9_path(b, "c")), 0);
    assert_int_equal(p9_ask(b, TWALK, "442s", 2, 4, 1, ".."), 0);
    assert_walked_to(b, "folder"); /* the share itself, not the folder around it */
    assert_int_equal(p9_ask(b, TWALK, "442s", 4, 5, 1, "hello"), ENOENT);
    assert_int_equal(p9_ask(b, TWALK, "442s", 3, 5, 1, ".."), ENOENT);
    /* a walk of one step would not move up */
    assert_int_equal(p9_ask(b, TWALK, "442ss", 2, 5, 2, "d", ".."), 0);
    assert_int_equal(p9_take(b, 2), 1);
    /* A new folder has the name of the parent, which was moved away. */
    assert_int_equal(mkdir(p9_path(b, "folder/c"), 0755), 0);
    assert_int_equal(p9_ask(b, TWALK, "442s", 3, 5, 1, ".."), 0);
    assert_walked_to(b, "folder/c");
    /* A symbolic link in place of a parent is not followed. */
    assert_int_equal(rmdir(p9_path(b, "folder/c")), 0);
    assert_int_equal(symlink("../c", p9_path(b, "folder/c")), 0);
    assert_int_equal(p9_ask(b, TWALK, "442ss", 3, 6, 2, "..", "d"), 0);
    assert_int_equal(p9_take(b, 2), 1);
}

/* Links, dots and slashes do not lead outside of the folder. */
static void test_confined(void **state)
{
    static const char *const names[] = {"..", ".", "", "../x", "a/b"};
    struct p9_bench *b = *state;

    unlink(p9_path(b, "away"));
    assert_int_equal(symlink("..", p9_path(b, "away")), 0);
    assert_int_equal(p9_walk(b, 4, "away"), 0);
    assert_int_equal(p9_ask(b, TLOPEN, "44", 4, 0), ELOOP);
    assert_int_equal(p9_ask(b, TWALK, "442s", 4, 5, 1, "x"), ENOTDIR);
    assert_int_equal(p9_ask(b, TWALK, "442s", 4, 5, 1, ".."), ENOTDIR);
    assert_int_equal(p9_ask(b, TLCREATE, "4s444", 4, "x", 2, 0644, NO_ID), ENOTDIR);
    assert_int_equal(p9_ask(b, TMKDIR, "4s44", 4, "x", 0755, NO_ID), ENOTDIR);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        assert_int_equal(p9_ask(b, TUNLINKAT, "4s4", ROOT_FID, names[i], 0x200), EINVAL);
        assert_int_equal(p9_ask(b, TMKDIR, "4s44", ROOT_FID, names[i], 0755, NO_ID), EINVAL);
        assert_int_equal(p9_ask(b, TSYMLINK, "4ss4", ROOT_FID, names[i], "t", NO_ID), EINVAL);
        assert_int_equal(p9_ask(b, TMKNOD, "4s4444", ROOT_FID, names[i], 0100644, 0, 0, NO_ID),
                         EINVAL);
        assert_int_equal(p9_ask(b, TLINK, "44s", ROOT_FID, 4, names[i]), EINVAL);
        assert_int_equal(p9_ask(b, TRENAMEAT, "4s4s", ROOT_FID, names[i], ROOT_FID, "x"), EINVAL);
        assert_int_equal(p9_ask(b, TRENAMEAT, "4s4s", ROOT_FID, "hello", ROOT_FID, names[i]),
                         EINVAL);
        assert_int_equal(p9_ask(b, TLCREATE, "4s444", ROOT_FID, names[i], 2, 0644, NO_ID), EINVAL);
    }
    assert_true(p9_exists(b, "hello"));
}

/* Valid messages with damaged bytes: an answer or none, but no crash. */
static void test_damaged(void **state)
{
    static const uint8_t types[] = {8,  12, 14, 16, 18, 20,  22,  24,  26,  40,  50,  52, 54,
                                    70, 72, 74, 76, 99, 104, 108, 110, 116, 118, 120, 122};
    struct p9_bench *b = *state;
    uint64_t seed = 20261120;

    for (unsigned round = 0; round < 20000; round++) {
        size_t len = 11 + random_next(&seed) % 120;

        b->message[4] = types[random_next(&seed) % sizeof(types)];
        le_put(b->message + 7, 4, random_next(&seed) % 4);
        for (size_t i = 11; i < len; i++)
            b->message[i] =
                (uint8_t)(random_next(&seed) % 3 ? random_next(&seed) % 4 : random_next(&seed));
        le_put(b->message, 4, random_next(&seed) % 8 ? len : random_next(&seed) % 200);
        b->answer_len =
            ninep_serve(b->server, b->message, len, b->answer, 11 + random_next(&seed) % 500);
        assert_true(b->answer_len <= sizeof(b->answer));
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, p9_setup, p9_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_version),
        TEST(test_version_forgets),
        TEST(test_message_size),
        TEST(test_attach),
        TEST(test_fids),
        TEST(test_many_fids),
        TEST(test_headers),
        TEST(test_new),
        TEST(test_walk),
        TEST(test_walk_part),
        TEST(test_walk_onto_itself),
        TEST(test_walk_limits),
        TEST(test_walk_names),
        TEST(test_parents),
        TEST(test_parents_after_rename),
        TEST(test_long_paths),
        TEST(test_moved_away),
        TEST(test_long_rename),
        TEST(test_no_version),
        TEST(test_memory),
        TEST(test_descriptor_zero),
        TEST(test_confined),
        TEST(test_damaged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
