/*
 * A 9P server over a folder of its own: requests are built as the protocol lays them out, answers
 * are read field by field. The folder contains "hello" with the text HELLO, "folder" with the file
 * "inner" in it, and "away", a link to a file outside.
 */
#ifndef TESTS_DEV_NINEP_BENCH_H
#define TESTS_DEV_NINEP_BENCH_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "runtime/dev/ninep.h"

#define HELLO "hello, guest"

/* Message types of 9P2000.L, as in Linux's include/net/9p/9p.h. */
enum {
    TSTATFS = 8,
    TLOPEN = 12,
    TLCREATE = 14,
    TSYMLINK = 16,
    TMKNOD = 18,
    TRENAME = 20,
    TREADLINK = 22,
    TGETATTR = 24,
    TSETATTR = 26,
    TXATTRWALK = 30,
    TXATTRCREATE = 32,
    TREADDIR = 40,
    TFSYNC = 50,
    TLOCK = 52,
    TGETLOCK = 54,
    TLINK = 70,
    TMKDIR = 72,
    TRENAMEAT = 74,
    TUNLINKAT = 76,
    TVERSION = 100,
    TAUTH = 102,
    TATTACH = 104,
    TFLUSH = 108,
    TWALK = 110,
    TREAD = 116,
    TWRITE = 118,
    TCLUNK = 120,
    TREMOVE = 122,
};

enum { BENCH_ROOM = 16384, NO_ID = 0xffffffff };
enum { ROOT_FID = 1, QID_DIR = 0x80, QID_LINK = 2, QID_FILE = 0 };

struct p9_bench {
    char folder[64], outside[80];
    struct ninep *server;
    uint8_t message[BENCH_ROOM], answer[BENCH_ROOM];
    size_t len, answer_len, at; /* `at`: bytes of the answer already read */
    size_t room;                /* for the answer; initially BENCH_ROOM */
    unsigned descriptors;       /* open before; p9_bench_free() expects this number */
};

/* Makes a session whose fid ROOT_FID is the root, attached by `user`. */
struct p9_bench *p9_bench_new(enum ninep_model model, bool read_only, uint32_t user);
void p9_bench_free(struct p9_bench *b);
/* Returns the number of file descriptors that the process has open. */
unsigned p9_descriptors(void);

/* Set-up functions for cmocka: make a bench of each kind in *state. */
int p9_setup(void **state);
int p9_setup_read_only(void **state);
int p9_setup_mapped(void **state);      /* attached by user 1000 */
int p9_setup_passthrough(void **state); /* attached by the user who runs the test */
int p9_teardown(void **state);

/* Serves another folder in place of the first; attaches as p9_bench_new() does. */
void p9_serve_folder(struct p9_bench *b, const char *path);

/*
 * Sends a request. `format` has one character per argument: a digit for a number of that many bytes
 * (8: uint64_t, others: unsigned), s for a string. Returns 0, or the error number of the answer.
 */
unsigned p9_ask(struct p9_bench *b, unsigned type, const char *format, ...);
/* Sends the last request of p9_ask() again, without its last `less` bytes. */
unsigned p9_ask_short(struct p9_bench *b, size_t less);

/* Returns the next field of the answer: a number of `bytes` bytes, or a string. */
uint64_t p9_take(struct p9_bench *b, unsigned bytes);
const char *p9_take_string(struct p9_bench *b);
/*
 * Checks that the next field is a qid of this type and of this file of the folder ("": the folder).
 */
void p9_take_qid(struct p9_bench *b, unsigned type, const char *name);
/* Checks that the answer has no further field. */
void p9_taken(const struct p9_bench *b);

/* Walks from the root to `name`, or to the root itself if it is "". Returns the error number. */
unsigned p9_walk(struct p9_bench *b, uint32_t fid, const char *name);
/* Walks and opens; the test fails if either fails. */
void p9_open(struct p9_bench *b, uint32_t fid, const char *name, unsigned flags);

/*
 * Returns the host's path of a file in the folder; the results of the last four calls stay valid.
 */
const char *p9_path(const struct p9_bench *b, const char *name);
void p9_write_text(const char *path, const char *text);
/* Checks the text of the file `name`. */
void p9_assert_text(const struct p9_bench *b, const char *name, const char *text);
bool p9_exists(const struct p9_bench *b, const char *name);

#endif
