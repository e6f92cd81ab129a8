/* The 9P server: making, linking, moving and removing names. */
#include "tests/dev/ninep_bench.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/bits.h"

static struct stat file_status(struct p9_bench *b, const char *name)
{
    struct stat st;

    assert_int_equal(lstat(p9_path(b, name), &st), 0);
    return st;
}

/* ---- making ---------------------------------------------------------------------------------- */

static void test_symlink(void **state)
{
    struct p9_bench *b = *state;
    char target[PATH_MAX + 1], found[64] = "";

    assert_int_equal(p9_ask(b, TSYMLINK, "4ss4", ROOT_FID, "link", "/some/where", NO_ID), 0);
    p9_take_qid(b, QID_LINK, "link");
    p9_taken(b);
    assert_int_equal(readlink(p9_path(b, "link"), found, sizeof(found)), 11);
    assert_string_equal(found, "/some/where");
    assert_int_equal(p9_walk(b, 2, "link"), 0);
    assert_int_equal(p9_ask(b, TREADLINK, "4", 2), 0);
    assert_string_equal(p9_take_string(b), "/some/where");
    p9_taken(b);
    assert_int_equal(p9_ask(b, TSYMLINK, "4ss4", ROOT_FID, "hello", "x", NO_ID), EEXIST);
    p9_assert_text(b, "hello", HELLO);
    assert_int_equal(p9_walk(b, 3, "hello"), 0);
    assert_int_not_equal(p9_ask(b, TREADLINK, "4", 3), 0);
    assert_int_equal(p9_ask(b, TREADLINK, "4", 9), EBADF);
    memset(target, 't', PATH_MAX);
    target[PATH_MAX] = '\0';
    assert_int_equal(p9_ask(b, TSYMLINK, "4ss4", ROOT_FID, "long", target, NO_ID), EINVAL);
    target[PATH_MAX - 1] = '\0';
    assert_int_equal(p9_ask(b, TSYMLINK, "4ss4", ROOT_FID, "long", target, NO_ID), 0);
    assert_int_equal(p9_walk(b, 4, "long"), 0);
    assert_int_equal(p9_ask(b, TREADLINK, "4", 4), 0);
    assert_string_equal(p9_take_string(b), target);
}

static void test_mkdir(void **state)
{
    struct p9_bench *b = *state;

    assert_int_equal(p9_ask(b, TMKDIR, "4s44", ROOT_FID, "new", 040750, NO_ID), 0);
    p9_take_qid(b, QID_DIR, "new");
    p9_taken(b);
    assert_int_equal(file_status(b, "new").st_mode, S_IFDIR | 0750);
    assert_int_equal(p9_ask(b, TMKDIR, "4s44", ROOT_FID, "sticky", 01777, NO_ID), 0);
    assert_int_equal(file_status(b, "sticky").st_mode, S_IFDIR | S_ISVTX | 0755); /* umask 022 */
    assert_int_equal(p9_ask(b, TMKDIR, "4s44", ROOT_FID, "hello", 0755, NO_ID), EEXIST);
    assert_int_equal(p9_ask(b, TMKDIR, "4s44", ROOT_FID, "setuid", 04755, NO_ID), EPERM);
    assert_int_equal(p9_ask(b, TMKDIR, "4s44", ROOT_FID, "setgid", 02755, NO_ID), EPERM);
    assert_false(p9_exists(b, "setuid") || p9_exists(b, "setgid"));
    /* In a set-group-ID folder Linux's client asks for the bit, and the host sets it. */
    assert_int_equal(chmod(p9_path(b, "folder"), 02755), 0);
    assert_int_equal(p9_walk(b, 2, "folder"), 0);
    assert_int_equal(p9_ask(b, TMKDIR, "4s44", 2, "group", 02755, NO_ID), 0);
    assert_int_equal(file_status(b, "folder/group").st_mode, S_IFDIR | S_ISGID | 0755);
    assert_int_equal(p9_ask(b, TMKDIR, "4s44", 2, "both", 06755, NO_ID), EPERM);
}

/* Regular files are made; device nodes, which could reach outside of the folder, are not. */
static void test_mknod(void **state)
{
    static const unsigned refused[] = {S_IFIFO | 0644, S_IFSOCK | 0644, S_IFCHR | 0644,
                                       S_IFBLK | 0644, S_IFREG | 04755, S_IFREG | 02755};
    struct p9_bench *b = *state;

    assert_int_equal(p9_ask(b, TMKNOD, "4s4444", ROOT_FID, "file", S_IFREG | 0640, 0, 0, NO_ID), 0);
    p9_take_qid(b, QID_FILE, "file");
    p9_taken(b);
    assert_int_equal(file_status(b, "file").st_mode, S_IFREG | 0640);
    assert_int_equal(p9_ask(b, TMKNOD, "4s4444", ROOT_FID, "plain", 0600, 0, 0, NO_ID), 0);
    assert_int_equal(file_status(b, "plain").st_mode, S_IFREG | 0600);
    assert_int_equal(p9_ask(b, TMKNOD, "4s4444", ROOT_FID, "file", S_IFREG | 0640, 0, 0, NO_ID),
                     EEXIST);
    for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
        assert_int_equal(p9_ask(b, TMKNOD, "4s4444", ROOT_FID, "no", refused[i], 1, 3, NO_ID),
                         EPERM);
        assert_false(p9_exists(b, "no"));
    }
    assert_int_equal(p9_ask(b, TMKNOD, "4s4444", ROOT_FID, "no", S_IFDIR | 0755, 0, 0, NO_ID),
                     EINVAL);
    assert_int_equal(p9_ask(b, TMKNOD, "4s4444", ROOT_FID, "no", S_IFLNK | 0777, 0, 0, NO_ID),
                     EINVAL);
    assert_false(p9_exists(b, "no"));
}

static void test_link(void **state)
{
    struct p9_bench *b = *state;

    assert_int_equal(p9_walk(b, 2, "hello"), 0);
    assert_int_equal(p9_walk(b, 3, "folder"), 0);
    assert_int_equal(p9_walk(b, 4, "away"), 0);
    assert_int_equal(p9_ask(b, TLINK, "44s", 3, 2, "second"), 0);
    p9_taken(b);
    assert_int_equal(file_status(b, "folder/second").st_ino, file_status(b, "hello").st_ino);
    assert_int_equal(file_status(b, "hello").st_nlink, 2);
    assert_int_equal(p9_ask(b, TLINK, "44s", 3, 2, "second"), EEXIST);
    /* a hard link to the symbolic link, not to its target */
    assert_int_equal(p9_ask(b, TLINK, "44s", 3, 4, "third"), 0);
    assert_int_equal(file_status(b, "folder/third").st_ino, file_status(b, "away").st_ino);
    assert_int_equal(p9_ask(b, TLINK, "44s", ROOT_FID, 3, "fourth"), EPERM);
    assert_int_equal(p9_ask(b, TLINK, "44s", ROOT_FID, 99, "fifth"), EBADF);
    assert_int_equal(p9_ask(b, TLINK, "44s", 99, 2, "fifth"), EBADF);
    assert_int_equal(p9_ask(b, TLINK, "44", ROOT_FID, 2), EINVAL);
}

/* ---- moving and removing --------------------------------------------------------------------- */

static void test_rename(void **state)
{
    struct p9_bench *b = *state;

    assert_int_equal(p9_walk(b, 2, "folder"), 0);
    assert_int_equal(p9_ask(b, TRENAMEAT, "4s4s", ROOT_FID, "hello", 2, "there"), 0);
    p9_taken(b);
    assert_false(p9_exists(b, "hello"));
    p9_assert_text(b, "folder/there", HELLO);
    /* replaces the existing file */
    assert_int_equal(p9_ask(b, TRENAMEAT, "4s4s", 2, "there", 2, "inner"), 0);
    p9_assert_text(b, "folder/inner", HELLO);
    assert_int_equal(p9_ask(b, TRENAMEAT, "4s4s", 2, "there", 2, "x"), ENOENT);
    assert_int_equal(p9_ask(b, TRENAMEAT, "4s4s", ROOT_FID, "folder", 2, "x"), EINVAL);
    assert_int_equal(p9_ask(b, TRENAMEAT, "4s4s", 99, "a", 2, "x"), EBADF);
    assert_int_equal(p9_ask(b, TRENAMEAT, "4s4s", 2, "a", 99, "x"), EBADF);
    assert_int_equal(p9_ask(b, TRENAMEAT, "4s4s", 2, "inner", 2, "x"), 0);
    assert_int_equal(p9_ask_short(b, 1), EINVAL);
    assert_int_equal(p9_ask(b, TRENAMEAT, "4s4", 2, "x", 2), EINVAL);
}

static void test_unlink(void **state)
{
    enum { REMOVE_FOLDER = 0x200 };
    struct p9_bench *b = *state;

    assert_int_equal(p9_walk(b, 2, "folder"), 0);
    assert_int_equal(p9_ask(b, TUNLINKAT, "4s4", ROOT_FID, "folder", REMOVE_FOLDER), ENOTEMPTY);
    assert_int_equal(p9_ask(b, TUNLINKAT, "4s4", 2, "inner", REMOVE_FOLDER), ENOTDIR);
    assert_int_equal(p9_ask(b, TUNLINKAT, "4s4", 2, "inner", 0), 0);
    p9_taken(b);
    assert_false(p9_exists(b, "folder/inner"));
    assert_int_equal(p9_ask(b, TUNLINKAT, "4s4", ROOT_FID, "folder", 0), EISDIR);
    assert_int_equal(p9_ask(b, TUNLINKAT, "4s4", ROOT_FID, "folder", REMOVE_FOLDER), 0);
    assert_false(p9_exists(b, "folder"));
    assert_int_equal(p9_ask(b, TUNLINKAT, "4s4", ROOT_FID, "folder", 0), ENOENT);
    /* removes the symbolic link */
    assert_int_equal(p9_ask(b, TUNLINKAT, "4s4", ROOT_FID, "away", 0), 0);
    assert_int_equal(p9_ask(b, TUNLINKAT, "4s", ROOT_FID, "hello"), EINVAL);
    assert_true(p9_exists(b, "hello"));
}

/* ---- refusing -------------------------------------------------------------------------------- */

static void test_read_only(void **state)
{
    struct p9_bench *b = *state;

    assert_int_equal(p9_walk(b, 2, "hello"), 0);
    assert_int_equal(p9_ask(b, TSYMLINK, "4ss4", ROOT_FID, "x", "y", NO_ID), EROFS);
    assert_int_equal(p9_ask(b, TMKDIR, "4s44", ROOT_FID, "x", 0755, NO_ID), EROFS);
    assert_int_equal(p9_ask(b, TMKNOD, "4s4444", ROOT_FID, "x", 0100644, 0, 0, NO_ID), EROFS);
    assert_int_equal(p9_ask(b, TLINK, "44s", ROOT_FID, 2, "x"), EROFS);
    assert_int_equal(p9_ask(b, TRENAMEAT, "4s4s", ROOT_FID, "hello", ROOT_FID, "x"), EROFS);
    assert_int_equal(p9_ask(b, TUNLINKAT, "4s4", ROOT_FID, "hello", 0), EROFS);
    assert_int_equal(p9_ask(b, TMKDIR, "4s44", 99, "x", 0755, NO_ID), EBADF);
    assert_int_equal(p9_walk(b, 3, "away"), 0);
    assert_int_equal(p9_ask(b, TREADLINK, "4", 3), 0);
    assert_false(p9_exists(b, "x"));
    assert_true(p9_exists(b, "hello"));
}

/* Requests without their last field have no effect. */
static void test_short(void **state)
{
    struct p9_bench *b = *state;

    assert_int_equal(p9_ask(b, TSYMLINK, "4ss", ROOT_FID, "x", "y"), EINVAL);
    assert_int_equal(p9_ask(b, TSYMLINK, "4s", ROOT_FID, "x"), EINVAL);
    assert_int_equal(p9_ask(b, TMKDIR, "4s4", ROOT_FID, "x", 0755), EINVAL);
    assert_int_equal(p9_ask(b, TMKNOD, "4s444", ROOT_FID, "x", 0100644, 0, 0), EINVAL);
    assert_false(p9_exists(b, "x"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, p9_setup, p9_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_symlink),
        TEST(test_mkdir),
        TEST(test_mknod),
        TEST(test_link),
        TEST(test_rename),
        TEST(test_unlink),
        cmocka_unit_test_setup_teardown(test_read_only, p9_setup_read_only, p9_teardown),
        TEST(test_short),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
