/*
 * 9P messages to two servers, one of a folder and one of a folder inside it. A file that one server
 * renames may be open on the other by its old handle. The input is a list of requests: flags, type,
 * length of the body, body. The folders are made anew for each input, in a temporary folder.
 *
 * No reply may reveal the folder above its server's own: a guest could leave the share through it.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/bits.h"
#include "runtime/dev/ninep.h"
#include "tests/fuzz/fuzz.h"

enum { HEADER = 7, MAX_REQUESTS = 200, ROOM = 8192, QID = 13 };
enum { RWALK = 111 };

/* Flags of a request; the first of an input says how the folders are served. */
enum { INNER = 1, TOO_LONG = 2, NO_ROOM = 4, READ_ONLY = 8, MAPPED = 16 };

static char base[64];

/* Removes what is in the folder, whatever modes it was given. */
static void empty_folder(int folder)
{
    DIR *dir;
    struct dirent *e;

    fchmod(folder, 0700);
    dir = fdopendir(dup(folder));
    while (dir && (e = readdir(dir))) {
        int inner;

        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") || !unlinkat(folder, e->d_name, 0))
            continue;
        inner = openat(folder, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
        if (inner < 0 && !fchmodat(folder, e->d_name, 0700, 0))
            inner = openat(folder, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
        if (inner >= 0) {
            empty_folder(inner);
            close(inner);
        }
        unlinkat(folder, e->d_name, AT_REMOVEDIR);
    }
    if (dir)
        closedir(dir);
}

static void remove_base(void)
{
    int folder = open(base, O_RDONLY | O_DIRECTORY);

    if (folder < 0)
        return;
    empty_folder(folder);
    close(folder);
    rmdir(base);
}

/* In memory where the host has such a place: an input may sync. */
static bool make_base(void)
{
    static const char *const places[] = {"/dev/shm", "/tmp"};

    signal(SIGXFSZ, SIG_IGN);
    for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
        snprintf(base, sizeof(base), "%s/fuzz_ninep-XXXXXX", places[i]);
        if (mkdtemp(base)) {
            atexit(remove_base);
            return true;
        }
    }
    perror("fuzz_ninep: no temporary folder");
    exit(2);
}

static void make_file(const char *folder, const char *name, const char *text)
{
    char path[256];
    FILE *f;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    f = fopen(path, "w");
    if (f) {
        fputs(text, f);
        fclose(f);
    }
}

/* Makes BASE/s and BASE/o; in o, file f and folder i; in i, file f, folder d and link l to "..". */
static void make_folders(char outer[80], char inner[96])
{
    char path[128];
    int folder = open(base, O_RDONLY | O_DIRECTORY);

    empty_folder(folder);
    close(folder);
    make_file(base, "s", "secret");
    snprintf(outer, 80, "%s/o", base);
    snprintf(inner, 96, "%s/i", outer);
    mkdir(outer, 0755);
    mkdir(inner, 0755);
    snprintf(path, sizeof(path), "%s/d", inner);
    mkdir(path, 0755);
    make_file(outer, "f", "text");
    make_file(inner, "f", "inner");
    snprintf(path, sizeof(path), "%s/l", inner);
    if (symlink("..", path))
        perror(path);
}

struct share {
    struct ninep *server;
    ino_t above; /* the folder that its root is in */
};

static bool open_share(struct share *s, const char *path, unsigned flags)
{
    char above[128];
    struct stat st;

    snprintf(above, sizeof(above), "%s/..", path);
    s->server =
        ninep_new(path, flags & MAPPED ? NINEP_MAPPED_XATTR : NINEP_NONE, flags & READ_ONLY, NULL);
    s->above = stat(above, &st) ? 0 : st.st_ino;
    return s->server && s->above;
}

/* The folder above is not among the qids of a walk. */
static void check_walk(const struct share *s, const uint8_t *answer, size_t len)
{
    size_t at = HEADER + 2;

    if (len < at || answer[4] != RWALK)
        return;
    for (; at + QID <= len; at += QID) {
        if (le_get(answer + at + 5, 8) == s->above) {
            fputs("fuzz_ninep: a walk left its folder\n", stderr);
            abort();
        }
    }
}

static void send_request(const struct share *s, unsigned flags, unsigned type, const uint8_t *body,
                         size_t len)
{
    static uint8_t answer[ROOM];
    uint8_t message[HEADER + 255];
    size_t room = flags & NO_ROOM ? HEADER + 4 + (flags >> 4) : ROOM;

    le_put(message, 4, HEADER + len + (flags & TOO_LONG));
    message[4] = (uint8_t)type;
    le_put(message + 5, 2, 1);
    memcpy(message + HEADER, body, len);
    check_walk(s, answer, ninep_serve(s->server, message, HEADER + len, answer, room));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct share shares[2] = {{NULL, 0}, {NULL, 0}};
    char outer[80], inner[96];

    if (size < 3 || (!*base && !make_base()))
        return 0;
    make_folders(outer, inner);
    if (open_share(&shares[0], outer, data[0]) && open_share(&shares[1], inner, data[0])) {
        for (unsigned i = 0; i < MAX_REQUESTS && size >= 3; i++) {
            size_t len = data[2] < size - 3 ? data[2] : size - 3;

            send_request(&shares[data[0] & INNER], data[0], data[1], data + 3, len);
            data += 3 + len;
            size -= 3 + len;
        }
    }
    ninep_free(shares[0].server);
    ninep_free(shares[1].server);
    return 0;
}
