/* The folder of predictions: its key, and one append-only file per worker. */
#include "runtime/timing/dse/journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/alloc.h"

/* "TASK TICKS SUM\n" */
enum { LINE = 10 + 1 + 20 + 1 + 8 + 1, MAX_PATH = 4096 };

static const char journal_name[] = "journal.";

static uint32_t sum_of(size_t task, uint64_t ticks)
{
    uint64_t x = (task + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ ticks * UINT64_C(0xff51afd7ed558ccd);

    return (uint32_t)(x ^ x >> 32) * 0x85ebca6b;
}

static void print_line(char *line, size_t task, uint64_t ticks)
{
    snprintf(line, LINE + 1, "%010zu %020" PRIu64 " %08x\n", task, ticks, sum_of(task, ticks));
}

static bool parse_line(const char *line, size_t *task, uint64_t *ticks)
{
    char text[LINE + 1], again[LINE + 1];
    unsigned sum;

    memcpy(text, line, LINE);
    text[LINE] = 0;
    if (sscanf(text, "%zu %" SCNu64 " %x\n", task, ticks, &sum) != 3 || *task > 9999999999)
        return false;
    print_line(again, *task, *ticks);
    return !memcmp(text, again, LINE);
}

/* ---- the folder ------------------------------------------------------------------------------ */

/* Writes the key atomically: to a temporary file, which is renamed. */
static bool write_key(const char *folder, const char *path, uint64_t key, struct error *err)
{
    char beside[MAX_PATH];
    FILE *f;
    bool good;

    snprintf(beside, sizeof(beside), "%s/key.new", folder);
    f = fopen(beside, "w");
    good = f && fprintf(f, "%016" PRIx64 "\n", key) == 17;
    if (f)
        good = !fclose(f) && good;
    return (good && !rename(beside, path)) ||
           error_set(err, "cannot write %.150s: %s", path, strerror(errno));
}

bool dse_folder_open(const char *folder, uint64_t key, struct error *err)
{
    char path[MAX_PATH];
    uint64_t there;
    FILE *f;
    int n;

    if (strlen(folder) > MAX_PATH - 64)
        return error_set(err, "the folder's name is too long");
    if (mkdir(folder, 0777) && errno != EEXIST)
        return error_set(err, "cannot make %.150s: %s", folder, strerror(errno));
    snprintf(path, sizeof(path), "%s/key", folder);
    f = fopen(path, "r");
    if (!f)
        return write_key(folder, path, key, err);
    n = fscanf(f, "%" SCNx64, &there);
    fclose(f);
    return (n == 1 && there == key) ||
           error_set(err,
                     "%.120s has results of another space, or of other traces: another folder, "
                     "or remove it",
                     folder);
}

/* ---- one worker's file ----------------------------------------------------------------------- */

/* Truncates the file after the last whole line. */
static bool truncate_partial_line(int file)
{
    struct stat st;

    return !fstat(file, &st) && !ftruncate(file, st.st_size - st.st_size % LINE) &&
           lseek(file, 0, SEEK_END) >= 0;
}

bool dse_journal_open(struct dse_journal *j, const char *folder, unsigned worker, size_t tasks,
                      struct error *err)
{
    char path[MAX_PATH];

    snprintf(path, sizeof(path), "%s/%s%u", folder, journal_name, worker);
    j->tasks = tasks;
    j->folder = xstrdup(folder);
    j->file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (j->file < 0)
        return error_set(err, "cannot write %.150s: %s", path, strerror(errno));
    if (flock(j->file, LOCK_EX | LOCK_NB))
        return error_set(err, "another process works in %.150s", folder);
    return truncate_partial_line(j->file) ||
           error_set(err, "cannot write %.150s: %s", path, strerror(errno));
}

bool dse_journal_add(struct dse_journal *j, size_t task, uint64_t ticks, struct error *err)
{
    char line[LINE + 1];

    print_line(line, task, ticks);
    return write(j->file, line, LINE) == LINE ||
           error_set(err, "cannot write in %.150s: %s", j->folder, strerror(errno));
}

void dse_journal_close(struct dse_journal *j)
{
    if (j->folder && j->file >= 0)
        close(j->file);
    free(j->folder);
    *j = (struct dse_journal){.file = -1};
}

/* ---- all of them ----------------------------------------------------------------------------- */

static bool read_journal(const char *path, uint64_t *ticks, size_t tasks, size_t *twice,
                         struct error *err)
{
    FILE *f = fopen(path, "rb");
    char line[LINE];
    bool good = f || error_set(err, "cannot read %.150s: %s", path, strerror(errno));
    uint64_t value;
    size_t task;

    while (good && fread(line, LINE, 1, f) == 1) {
        if (!parse_line(line, &task, &value) || task >= tasks) {
            good = error_set(err, "%.150s is damaged: remove it, and its share is predicted again",
                             path);
        } else {
            *twice += ticks[task] != DSE_UNKNOWN;
            ticks[task] = value + 1;
        }
    }
    if (f)
        fclose(f);
    return good;
}

bool dse_folder_read(const char *folder, uint64_t *ticks, size_t tasks, size_t *twice,
                     struct error *err)
{
    DIR *d = opendir(folder);
    struct dirent *e;
    bool good = d || error_set(err, "cannot read %.150s: %s", folder, strerror(errno));

    memset(ticks, 0, tasks * sizeof(*ticks));
    *twice = 0;
    while (good && (e = readdir(d))) {
        char path[MAX_PATH + 256];

        if (strncmp(e->d_name, journal_name, sizeof(journal_name) - 1) != 0)
            continue;
        snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
        good = read_journal(path, ticks, tasks, twice, err);
    }
    if (d)
        closedir(d);
    return good;
}

size_t dse_folder_count(const char *folder)
{
    DIR *d = opendir(folder);
    struct dirent *e;
    size_t n = 0;

    while (d && (e = readdir(d))) {
        struct stat st;

        if (!strncmp(e->d_name, journal_name, sizeof(journal_name) - 1) &&
            !fstatat(dirfd(d), e->d_name, &st, 0))
            n += (size_t)st.st_size / LINE;
    }
    if (d)
        closedir(d);
    return n;
}
