/*
 * Files by key: what was put is found by another cache on the folder; what is damaged, cut, of
 * another key or another's is not; old files go when the room is used up; a folder that cannot be
 * written to is no error; two processes that write at once leave whole files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/bits.h"
#include "runtime/base/file_cache.h"

enum { HEAD_BYTES = 48 }; /* of each file, before its content */

struct folder {
    char path[64];
    struct file_cache *cache;
};

static int set_up(void **state)
{
    struct folder *f = calloc(1, sizeof(*f));
    struct error err;

    strcpy(f->path, "/tmp/gencc-file-cache-XXXXXX");
    assert_non_null(mkdtemp(f->path));
    f->cache = file_cache_open(f->path, &err);
    assert_non_null(f->cache);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct folder *f = *state;
    char command[128];

    file_cache_close(f->cache);
    snprintf(command, sizeof(command), "rm -r %s", f->path);
    assert_int_equal(system(command), 0);
    free(f);
    return 0;
}

static struct file_key key_of(const char *text)
{
    struct file_key key = {0};

    file_key_add(&key, text, strlen(text));
    return key;
}

static void put(struct file_cache *c, const char *name, const char *content)
{
    struct file_key key = key_of(name);

    file_cache_put(c, &key, content, strlen(content));
}

/* Whether the cache has the content under the name. */
static bool has(struct file_cache *c, const char *name, const char *content)
{
    struct file_key key = key_of(name);
    size_t size = 0;
    char *found = file_cache_get(c, &key, &size);
    bool same = found && size == strlen(content) && !memcmp(found, content, size);

    assert_true(same || !found); /* never something else */
    free(found);
    return same;
}

/* The path of the folder's only file of the cache. */
static char *only_file(const struct folder *f, char path[512])
{
    DIR *d = opendir(f->path);
    unsigned count = 0;

    for (struct dirent *e; (e = readdir(d));)
        if (strstr(e->d_name, ".gencc")) {
            snprintf(path, 512, "%s/%s", f->path, e->d_name);
            count++;
        }
    closedir(d);
    assert_int_equal(count, 1);
    return path;
}

static void test_found_by_others(void **state)
{
    struct folder *f = *state;
    struct file_cache *other = file_cache_open(f->path, NULL);

    assert_false(has(f->cache, "a", "content"));
    put(f->cache, "a", "content");
    put(f->cache, "empty", "");
    assert_true(has(f->cache, "a", "content"));
    assert_true(has(other, "a", "content"));
    assert_true(has(other, "empty", ""));
    assert_false(has(other, "b", "content"));
    put(other, "a", "another");
    assert_true(has(f->cache, "a", "another"));
    file_cache_close(other);
}

static void test_keys(void **state)
{
    struct file_key a = {0}, b = {0}, c = {0};

    (void)state;
    file_key_add(&a, "ab", 2);
    file_key_add(&a, "c", 1);
    file_key_add(&b, "a", 1);
    file_key_add(&b, "bc", 2);
    file_key_add(&c, "ab\0c", 4);
    assert_memory_not_equal(&a, &b, sizeof(a));
    assert_memory_not_equal(&a, &c, sizeof(a));
    assert_memory_not_equal(&b, &c, sizeof(a));
}

/* Every byte of a file matters, and so does its length. What is damaged is replaced. */
static void test_damaged(void **state)
{
    struct folder *f = *state;
    char path[512];
    int fd;

    put(f->cache, "a", "some content of a file");
    only_file(f, path);
    fd = open(path, O_RDWR);
    assert_true(fd >= 0);
    for (off_t at = 0; at < HEAD_BYTES + 22; at++) {
        unsigned char byte, damaged;

        assert_int_equal(pread(fd, &byte, 1, at), 1);
        damaged = byte ^ 0x10;
        assert_int_equal(pwrite(fd, &damaged, 1, at), 1);
        assert_false(has(f->cache, "a", "some content of a file"));
        assert_int_equal(pwrite(fd, &byte, 1, at), 1);
        assert_true(has(f->cache, "a", "some content of a file"));
    }
    for (off_t size = HEAD_BYTES + 21; size >= 0; size -= 7) {
        assert_int_equal(ftruncate(fd, size), 0);
        assert_false(has(f->cache, "a", "some content of a file"));
    }
    close(fd);
    put(f->cache, "a", "some content of a file");
    assert_true(has(f->cache, "a", "some content of a file"));
}

/* A file under another's name is not taken for it. */
static void test_renamed(void **state)
{
    struct folder *f = *state;
    char a[512], b[512], aside[128];

    snprintf(aside, sizeof(aside), "%s/aside", f->path);
    put(f->cache, "a", "content of a");
    assert_int_equal(rename(only_file(f, a), aside), 0);
    put(f->cache, "b", "content of b");
    assert_int_equal(rename(aside, only_file(f, b)), 0);
    assert_false(has(f->cache, "b", "content of b"));
}

/* Makes all files of a folder 100 seconds older. */
static void pass_time(const struct folder *f)
{
    DIR *d = opendir(f->path);

    for (struct dirent *e; (e = readdir(d));) {
        struct timespec times[2];
        struct stat s;

        assert_int_equal(fstatat(dirfd(d), e->d_name, &s, 0), 0);
        times[0] = times[1] = s.st_mtim;
        times[1].tv_sec -= 100;
        if (S_ISREG(s.st_mode))
            assert_int_equal(utimensat(dirfd(d), e->d_name, times, 0), 0);
    }
    closedir(d);
}

/* What was used longest ago goes first; a foreign file stays. */
static void test_room(void **state)
{
    static const char *const names[] = {"foreign", "first", "second", "third", "fourth"};
    char path[128], content[2001] = {0};
    struct folder *f = *state;
    struct file_cache *other = file_cache_open(f->path, NULL);

    memset(content, 'x', sizeof(content) - 1);
    snprintf(path, sizeof(path), "%s/foreign", f->path);
    close(open(path, O_CREAT | O_WRONLY, 0600));
    for (unsigned n = 1; n < ARRAY_SIZE(names); n++) {
        pass_time(f);
        put(f->cache, names[n], content);
    }
    pass_time(f);
    file_cache_set_room(other, 5 * (HEAD_BYTES + 2000));
    put(other, "fifth", content); /* five fit */
    for (unsigned n = ARRAY_SIZE(names) - 1; n; n--)
        assert_true(has(other, names[n], content));
    pass_time(f);
    assert_true(has(other, "second", content));
    put(other, "sixth", content); /* three quarters of the room remain: three files */
    assert_true(has(other, "second", content) && has(other, "sixth", content));
    pass_time(f);
    put(other, "seventh", content);
    put(other, "eighth", content);
    put(other, "ninth", content);
    assert_true(has(other, "seventh", content) && has(other, "ninth", content));
    assert_false(has(other, "fourth", content) || has(other, "third", content));
    assert_int_equal(access(path, F_OK), 0);
    file_cache_set_room(other, 100);
    put(other, "too large", content);
    assert_false(has(other, "too large", content));
    file_cache_close(other);
}

/* A folder that vanished, or on which nothing can be written, keeps nothing and breaks nothing. */
static void test_not_writable(void **state)
{
    struct folder *f = *state;
    char path[128], nowhere[64];
    struct file_cache *c;
    struct error err;

    snprintf(path, sizeof(path), "%s/sub/folder", f->path);
    c = file_cache_open(path, &err);
    assert_non_null(c);
    assert_int_equal(rmdir(path), 0);
    put(c, "a", "content");
    assert_false(has(c, "a", "content"));
    file_cache_close(c);
    snprintf(nowhere, sizeof(nowhere), "/proc/self/none");
    assert_null(file_cache_open(nowhere, &err));
    assert_non_null(strstr(err.text, nowhere));
}

/* A folder or a file that others may write to is not trusted. */
static void test_not_trusted(void **state)
{
    struct folder *f = *state;
    struct error err;

    assert_int_equal(chmod(f->path, 0777), 0);
    assert_null(file_cache_open(f->path, &err));
    assert_non_null(strstr(err.text, "others may write to it"));
    assert_int_equal(chmod(f->path, 0755), 0);
}

/* Two processes put the same files again and again, and read them: whole or not at all. */
static void test_two_processes(void **state)
{
    struct folder *f = *state;
    char content[5000] = {0};
    pid_t child;
    int status;

    memset(content, 'z', sizeof(content) - 1);
    child = fork();
    for (unsigned n = 0; n < 500; n++) {
        struct file_cache *c = file_cache_open(f->path, NULL);

        put(c, "same", content);
        if (!has(c, "same", content) && !child)
            _exit(1);
        file_cache_close(c);
    }
    if (!child)
        _exit(0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_true(has(f->cache, "same", content));
}

static void test_choice(void **state)
{
    struct folder *f = *state;
    struct file_cache *c;
    struct error err;
    char path[128];

    assert_int_equal(setenv("GENCC_CACHE", "off", 1), 0);
    assert_true(file_cache_choose(&c, NULL, "shaders", &err));
    assert_null(c);
    assert_true(file_cache_choose(&c, f->path, "shaders", &err));
    assert_non_null(c);
    file_cache_close(c);
    assert_true(file_cache_choose(&c, "off", "shaders", &err));
    assert_null(c);
    assert_false(file_cache_choose(&c, "/proc/self/none", "shaders", &err));
    assert_int_equal(unsetenv("GENCC_CACHE"), 0);
    assert_int_equal(setenv("XDG_CACHE_HOME", f->path, 1), 0);
    assert_true(file_cache_choose(&c, NULL, "shaders", &err));
    assert_non_null(c);
    file_cache_close(c);
    snprintf(path, sizeof(path), "%s/gencc/shaders", f->path);
    assert_int_equal(access(path, W_OK), 0);
    assert_int_equal(setenv("XDG_CACHE_HOME", "/proc/self/none", 1), 0);
    assert_true(file_cache_choose(&c, NULL, "shaders", &err)); /* none, which is no error */
    assert_null(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_found_by_others, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_keys, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_damaged, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_renamed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_room, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_not_writable, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_not_trusted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_two_processes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_choice, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
