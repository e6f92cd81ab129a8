/* The 9P server: what a client may do, that it cannot leave its folder, and damaged messages. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/base/bits.h"
#include "runtime/base/random.h"
#include "runtime/dev/ninep.h"

enum {
    ERROR = 7,
    LOPEN = 12,
    LCREATE = 14,
    SYMLINK = 16,
    READLINK = 22,
    GETATTR = 24,
    READDIR = 40
};
enum { MKDIR = 72, UNLINKAT = 76, VERSION = 100, ATTACH = 104, WALK = 110, READ = 116 };
enum { WRITE = 118, CLUNK = 120 };

struct bench {
    char folder[32], outside[64];
    struct ninep *server;
    uint8_t message[8192], reply[8192];
    size_t len, answer;
};

/* ---- messages -------------------------------------------------------------------------------- */

static void begin(struct bench *b, unsigned type)
{
    b->message[4] = (uint8_t)type;
    le_put(b->message + 5, 2, 0x77);
    b->len = 7;
}

static void add(struct bench *b, unsigned bytes, uint64_t value)
{
    le_put(b->message + b->len, bytes, value);
    b->len += bytes;
}

static void add_string(struct bench *b, const char *text)
{
    add(b, 2, strlen(text));
    memcpy(b->message + b->len, text, strlen(text));
    b->len += strlen(text);
}

/* Sends the message; returns 0, or the error number of the answer. */
static unsigned ask(struct bench *b)
{
    le_put(b->message, 4, b->len);
    b->answer = ninep_serve(b->server, b->message, b->len, b->reply, sizeof(b->reply));
    assert_true(b->answer >= 7);
    assert_int_equal(le_get(b->reply, 4), b->answer);
    assert_int_equal(le_get(b->reply + 5, 2), 0x77);
    if (b->reply[4] == ERROR)
        return (unsigned)le_get(b->reply + 7, 4);
    assert_int_equal(b->reply[4], b->message[4] + 1);
    return 0;
}

static unsigned walk(struct bench *b, uint32_t fid, uint32_t new_fid, const char *name)
{
    begin(b, WALK);
    add(b, 4, fid);
    add(b, 4, new_fid);
    add(b, 2, 1);
    add_string(b, name);
    return ask(b);
}

static unsigned with_fid(struct bench *b, unsigned type, uint32_t fid, uint64_t value)
{
    begin(b, type);
    add(b, 4, fid);
    add(b, type == GETATTR ? 8 : 4, value);
    return ask(b);
}

static unsigned read_at(struct bench *b, uint32_t fid, uint64_t offset)
{
    begin(b, READ);
    add(b, 4, fid);
    add(b, 8, offset);
    add(b, 4, 4096);
    return ask(b);
}

/* ---- fixture --------------------------------------------------------------------------------- */

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static struct bench *bench_with(bool read_only)
{
    struct bench *b = calloc(1, sizeof(*b));
    struct error err = {""};
    char path[128];

    strcpy(b->folder, "/tmp/ninep-XXXXXX");
    assert_non_null(mkdtemp(b->folder));
    snprintf(b->outside, sizeof(b->outside), "%s.secret", b->folder);
    write_text(b->outside, "secret");
    snprintf(path, sizeof(path), "%s/hello", b->folder);
    write_text(path, "hello, guest");
    snprintf(path, sizeof(path), "%s/away", b->folder);
    assert_int_equal(symlink(b->outside, path), 0);
    b->server = ninep_new(b->folder, read_only, &err);
    assert_non_null(b->server);
    begin(b, VERSION);
    add(b, 4, 8192);
    add_string(b, "9P2000.L");
    assert_int_equal(ask(b), 0);
    begin(b, ATTACH);
    add(b, 4, 1);
    add(b, 4, UINT32_MAX);
    add_string(b, "root");
    add_string(b, "");
    add(b, 4, 0);
    assert_int_equal(ask(b), 0);
    return b;
}

static int setup(void **state)
{
    *state = bench_with(false);
    return 0;
}

static int setup_read_only(void **state)
{
    *state = bench_with(true);
    return 0;
}

static int teardown(void **state)
{
    struct bench *b = *state;
    char command[128];

    ninep_free(b->server);
    snprintf(command, sizeof(command), "rm -rf '%s' '%s'", b->folder, b->outside);
    assert_int_equal(system(command), 0);
    free(b);
    return 0;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void test_read(void **state)
{
    struct bench *b = *state;

    assert_int_equal(walk(b, 1, 2, "hello"), 0);
    assert_int_equal(with_fid(b, GETATTR, 2, 0x7ff), 0);
    assert_int_equal(le_get(b->reply + 7 + 8 + 13 + 4 + 4 + 4 + 8 + 8, 8), 12); /* size */
    assert_int_equal(read_at(b, 2, 0), 9); /* EBADF: not open */
    assert_int_equal(with_fid(b, LOPEN, 2, 0), 0);
    assert_int_equal(read_at(b, 2, 7), 0);
    assert_int_equal(le_get(b->reply + 7, 4), 5);
    assert_memory_equal(b->reply + 11, "guest", 5);
    assert_int_equal(walk(b, 1, 3, "nothing"), 2); /* ENOENT */
}

static void test_create(void **state)
{
    struct bench *b = *state;
    char path[128], text[16] = "";
    FILE *f;

    begin(b, MKDIR);
    add(b, 4, 1);
    add_string(b, "folder");
    add(b, 4, 0755);
    add(b, 4, 0);
    assert_int_equal(ask(b), 0);
    assert_int_equal(walk(b, 1, 2, "folder"), 0);
    begin(b, LCREATE);
    add(b, 4, 2);
    add_string(b, "new");
    add(b, 4, 2);
    add(b, 4, 0644);
    add(b, 4, 0);
    assert_int_equal(ask(b), 0);
    begin(b, WRITE);
    add(b, 4, 2);
    add(b, 8, 3);
    add(b, 4, 4);
    add(b, 4, le_get((const uint8_t *)"data", 4));
    assert_int_equal(ask(b), 0);
    snprintf(path, sizeof(path), "%s/folder/new", b->folder);
    f = fopen(path, "r");
    assert_non_null(f);
    assert_int_equal(fread(text, 1, sizeof(text), f), 7);
    fclose(f);
    assert_memory_equal(text, "\0\0\0data", 7);
}

/* Links, dots and slashes do not lead out of the folder. */
static void test_confined(void **state)
{
    struct bench *b = *state;
    static const char *const names[] = {"../x", "/etc/passwd", "a/b", ""};

    assert_int_equal(walk(b, 1, 2, ".."), 0); /* the root's parent is the root */
    assert_int_equal(walk(b, 2, 3, "hello"), 0);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        assert_int_not_equal(walk(b, 1, 9, names[i]), 0);
    assert_int_equal(walk(b, 1, 4, "away"), 0);
    begin(b, READLINK);
    add(b, 4, 4);
    assert_int_equal(ask(b), 0);
    assert_int_equal(with_fid(b, LOPEN, 4, 0), 40); /* ELOOP */
    assert_int_not_equal(walk(b, 4, 5, "x"), 0);
    begin(b, UNLINKAT);
    add(b, 4, 1);
    add_string(b, "..");
    add(b, 4, 0x200);
    assert_int_equal(ask(b), 22);
    begin(b, LCREATE);
    add(b, 4, 1);
    add_string(b, "away");
    add(b, 4, 01);
    add(b, 4, 0644);
    add(b, 4, 0);
    assert_int_equal(ask(b), 40);
}

static void test_read_only(void **state)
{
    struct bench *b = *state;

    assert_int_equal(walk(b, 1, 2, "hello"), 0);
    assert_int_equal(with_fid(b, LOPEN, 2, 2), 30); /* EROFS */
    assert_int_equal(with_fid(b, LOPEN, 2, 0), 0);
    begin(b, MKDIR);
    add(b, 4, 1);
    add_string(b, "folder");
    add(b, 4, 0755);
    add(b, 4, 0);
    assert_int_equal(ask(b), 30);
}

/* Sound messages, damaged: an answer or none, and never a crash. */
static void test_damaged(void **state)
{
    static const uint8_t types[] = {8,  12, 14, 16, 18, 20,  22,  24,  26,  40,  50,  52, 54,
                                    70, 72, 74, 76, 99, 104, 108, 110, 116, 118, 120, 122};
    struct bench *b = *state;
    uint64_t seed = 20261120;

    for (unsigned round = 0; round < 20000; round++) {
        unsigned len = (unsigned)(random_next(&seed) % 120);

        begin(b, types[random_next(&seed) % sizeof(types)]);
        add(b, 4, random_next(&seed) % 4);
        while (b->len < 7 + len)
            add(b, 1, random_next(&seed) % 3 ? random_next(&seed) % 4 : random_next(&seed));
        le_put(b->message, 4, random_next(&seed) % 8 ? b->len : random_next(&seed) % 200);
        b->answer =
            ninep_serve(b->server, b->message, b->len, b->reply, 11 + random_next(&seed) % 500);
        assert_true(b->answer <= sizeof(b->reply));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_read, setup, teardown),
        cmocka_unit_test_setup_teardown(test_create, setup, teardown),
        cmocka_unit_test_setup_teardown(test_confined, setup, teardown),
        cmocka_unit_test_setup_teardown(test_read_only, setup_read_only, teardown),
        cmocka_unit_test_setup_teardown(test_damaged, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
