/* The bench of the 9P tests: makes requests, reads answers, and prepares the shared folder. */

#include "tests/dev/ninep_bench.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/bits.h"

enum { RLERROR = 7, TAG = 0x7f31, HEADER = 7, MESSAGE = 8192 };

/* ---- messages -------------------------------------------------------------------------------- */

static void add_number(struct p9_bench *b, unsigned bytes, uint64_t value)
{
    le_put(b->message + b->len, bytes, value);
    b->len += bytes;
}

static void add_string(struct p9_bench *b, const char *text)
{
    add_number(b, 2, strlen(text));
    memcpy(b->message + b->len, text, strlen(text));
    b->len += strlen(text);
}

static unsigned send_request(struct p9_bench *b)
{
    le_put(b->message, 4, b->len);
    memset(b->answer, 0xee, sizeof(b->answer));
    b->answer_len = ninep_serve(b->server, b->message, b->len, b->answer, b->room);
    b->at = HEADER;
    assert_in_range(b->answer_len, HEADER, b->room);
    assert_int_equal(le_get(b->answer, 4), b->answer_len);
    assert_int_equal(le_get(b->answer + 5, 2), TAG);
    if (b->answer[4] == RLERROR) {
        assert_int_equal(b->answer_len, HEADER + 4);
        return (unsigned)p9_take(b, 4);
    }
    assert_int_equal(b->answer[4], b->message[4] + 1);
    return 0;
}

unsigned p9_ask(struct p9_bench *b, unsigned type, const char *format, ...)
{
    va_list args;

    b->message[4] = (uint8_t)type;
    le_put(b->message + 5, 2, TAG);
    b->len = HEADER;
    va_start(args, format);
    for (; *format; format++) {
        if (*format == 's')
            add_string(b, va_arg(args, const char *));
        else if (*format == '8')
            add_number(b, 8, va_arg(args, uint64_t));
        else
            add_number(b, (unsigned)(*format - '0'), va_arg(args, unsigned));
    }
    va_end(args);
    return send_request(b);
}

unsigned p9_ask_short(struct p9_bench *b, size_t less)
{
    b->len -= less;
    return send_request(b);
}

uint64_t p9_take(struct p9_bench *b, unsigned bytes)
{
    uint64_t value;

    assert_true(bytes <= sizeof(value) && b->at + bytes <= b->answer_len);
    value = le_get(b->answer + b->at, bytes);
    b->at += bytes;
    return value;
}

const char *p9_take_string(struct p9_bench *b)
{
    static char text[4200];
    size_t len = p9_take(b, 2);

    assert_true(len < sizeof(text) && b->at + len <= b->answer_len);
    memcpy(text, b->answer + b->at, len);
    text[len] = '\0';
    b->at += len;
    return text;
}

void p9_take_qid(struct p9_bench *b, unsigned type, const char *name)
{
    struct stat st;

    assert_int_equal(lstat(p9_path(b, name), &st), 0);
    assert_int_equal(p9_take(b, 1), type);
    p9_take(b, 4);
    assert_int_equal(p9_take(b, 8), st.st_ino);
}

void p9_taken(const struct p9_bench *b)
{
    assert_int_equal(b->at, b->answer_len);
}

unsigned p9_walk(struct p9_bench *b, uint32_t fid, const char *name)
{
    if (!*name)
        return p9_ask(b, TWALK, "442", ROOT_FID, fid, 0);
    return p9_ask(b, TWALK, "442s", ROOT_FID, fid, 1, name);
}

void p9_open(struct p9_bench *b, uint32_t fid, const char *name, unsigned flags)
{
    assert_int_equal(p9_walk(b, fid, name), 0);
    assert_int_equal(p9_ask(b, TLOPEN, "44", fid, flags), 0);
}

/* ---- files ----------------------------------------------------------------------------------- */

const char *p9_path(const struct p9_bench *b, const char *name)
{
    static char paths[4][256];
    static unsigned next;
    char *path = paths[next++ % 4];

    snprintf(path, sizeof(paths[0]), "%s/%s", b->folder, name);
    return path;
}

void p9_write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

void p9_assert_text(const struct p9_bench *b, const char *name, const char *text)
{
    char found[64] = "";
    FILE *f = fopen(p9_path(b, name), "r");

    assert_non_null(f);
    found[fread(found, 1, sizeof(found) - 1, f)] = '\0';
    fclose(f);
    assert_string_equal(found, text);
}

bool p9_exists(const struct p9_bench *b, const char *name)
{
    struct stat st;

    return !lstat(p9_path(b, name), &st);
}

/* ---- the bench ------------------------------------------------------------------------------- */

unsigned p9_descriptors(void)
{
    DIR *dir = opendir("/proc/self/fd");
    unsigned count = 0;

    assert_non_null(dir);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

static void attach_root(struct p9_bench *b, uint32_t user)
{
    assert_int_equal(p9_ask(b, TVERSION, "4s", MESSAGE, "9P2000.L"), 0);
    assert_int_equal(p9_ask(b, TATTACH, "44ss4", ROOT_FID, NO_ID, "root", "", user), 0);
}

struct p9_bench *p9_bench_new(enum ninep_model model, bool read_only, uint32_t user)
{
    struct p9_bench *b = calloc(1, sizeof(*b));
    struct error err = {""};

    b->descriptors = p9_descriptors();
    umask(022);
    signal(SIGXFSZ, SIG_IGN); /* writes beyond the file size limit return an error instead */
    strcpy(b->folder, "ninep-XXXXXX");
    assert_non_null(mkdtemp(b->folder));
    snprintf(b->outside, sizeof(b->outside), "%s.secret", b->folder);
    p9_write_text(b->outside, "secret");
    p9_write_text(p9_path(b, "hello"), HELLO);
    assert_int_equal(symlink("../outside", p9_path(b, "away")), 0);
    assert_int_equal(mkdir(p9_path(b, "folder"), 0755), 0);
    p9_write_text(p9_path(b, "folder/inner"), "inner text");
    b->room = sizeof(b->answer);
    b->server = ninep_new(b->folder, model, read_only, &err);
    if (!b->server)
        fail_msg("%s", err.text);
    attach_root(b, user);
    return b;
}

void p9_serve_folder(struct p9_bench *b, const char *path)
{
    struct error err = {""};

    ninep_free(b->server);
    b->server = ninep_new(path, NINEP_NONE, false, &err);
    if (!b->server)
        fail_msg("%s", err.text);
    attach_root(b, NO_ID);
}

void p9_bench_free(struct p9_bench *b)
{
    char command[256];

    ninep_free(b->server);
    snprintf(command, sizeof(command), "rm -rf '%s' '%s'", b->folder, b->outside);
    assert_int_equal(system(command), 0);
    assert_int_equal(p9_descriptors(), b->descriptors);
    free(b);
}

int p9_setup(void **state)
{
    *state = p9_bench_new(NINEP_NONE, false, NO_ID);
    return 0;
}

int p9_setup_read_only(void **state)
{
    *state = p9_bench_new(NINEP_NONE, true, NO_ID);
    return 0;
}

int p9_setup_mapped(void **state)
{
    *state = p9_bench_new(NINEP_MAPPED_XATTR, false, 1000);
    return 0;
}

int p9_setup_passthrough(void **state)
{
    *state = p9_bench_new(NINEP_PASSTHROUGH, false, geteuid());
    return 0;
}

int p9_teardown(void **state)
{
    p9_bench_free(*state);
    return 0;
}
