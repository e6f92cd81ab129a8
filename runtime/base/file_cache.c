/*
 * A folder of files by key. A file is written under another name and then renamed; its head has its
 * key, its size and a hash of its content. Its time of modification is that of its last use.
 *
 * Bounds      memory: a file, FILE_CACHE_MAX_FILE; the folder: its room, and at most one file more
 *             per process that writes at the same time; a look for old files: the folder's files,
 *             once a program and when the room is used up
 */
#include "runtime/base/file_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/alloc.h"
#include "runtime/base/host_file.h"

enum { NAME_MAX_BYTES = 64, MAX_FILES = 1 << 16 };

static const char magic[8] = "gencc-1";

struct head {
    char magic[8];
    struct file_key key, content;
    uint64_t size;
};

struct file_cache {
    int folder;
    pthread_mutex_t lock; /* guards what follows */
    uint64_t room;
    uint64_t used; /* bytes of all files, as far as this process knows */
    unsigned written;
};

/* ---- keys ------------------------------------------------------------------------------------ */

/* The high half of a product plus its low half: each bit of the result depends on all of both. */
static uint64_t mix(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static void add_words(struct file_key *k, const uint64_t word[2])
{
    uint64_t low = k->half[0] ^ word[0], high = k->half[1] ^ word[1];

    k->half[0] =
        mix(low ^ UINT64_C(0x9e3779b97f4a7c15), high ^ UINT64_C(0xd1b54a32d192ed03)) + high;
    k->half[1] = mix(high ^ UINT64_C(0x8bb84b93962eacc9), low ^ UINT64_C(0x2d358dccaa6c78a5)) + low;
}

void file_key_add(struct file_key *k, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    uint64_t word[2];
    size_t left;

    for (left = size; left >= sizeof(word); left -= sizeof(word), at += sizeof(word)) {
        memcpy(word, at, sizeof(word));
        add_words(k, word);
    }
    memset(word, 0, sizeof(word));
    memcpy(word, at, left);
    add_words(k, word);
    add_words(k, (const uint64_t[2]){size, 0});
}

/* ---- the folder ------------------------------------------------------------------------------ */

/* Makes a folder and those that it is in. */
static void make_folders(const char *path)
{
    char *part = xstrdup(path);

    for (char *at = part + 1; *at; at++)
        if (*at == '/') {
            *at = 0;
            mkdir(part, 0700);
            *at = '/';
        }
    mkdir(part, 0700);
    free(part);
}

static bool is_own(int folder)
{
    struct stat s;

    return !fstat(folder, &s) && s.st_uid == geteuid() && !(s.st_mode & (S_IWGRP | S_IWOTH));
}

/* Names of the cache's own files end so: whatever else lies in the folder is left alone. */
#define ENDING     ".gencc"
#define UNFINISHED ".new" ENDING

static bool is_name(const char *name)
{
    size_t length = strlen(name), ending = sizeof(ENDING) - 1;

    return length < NAME_MAX_BYTES && length > ending && !strcmp(name + length - ending, ENDING);
}

/* A file of the cache. */
struct kept {
    char name[NAME_MAX_BYTES];
    uint64_t size;
    struct timespec used;
};

static bool find_kept(const struct file_cache *c, const char *name, struct kept *k)
{
    struct stat s;

    if (!is_name(name) || fstatat(c->folder, name, &s, AT_SYMLINK_NOFOLLOW) || !S_ISREG(s.st_mode))
        return false;
    strcpy(k->name, name);
    k->size = (uint64_t)s.st_size;
    k->used = s.st_mtim;
    return true;
}

/* The cache's files, in an array that the caller frees. */
static struct kept *list_kept(const struct file_cache *c, size_t *count)
{
    int fd = openat(c->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    struct kept *list = NULL;
    size_t capacity = 0;

    *count = 0;
    if (!d && fd >= 0)
        close(fd);
    for (struct dirent *e; d && *count < MAX_FILES && (e = readdir(d));) {
        if (*count == capacity) {
            capacity = capacity ? 2 * capacity : 64;
            list = xrealloc(list, capacity, sizeof(*list));
        }
        *count += find_kept(c, e->d_name, &list[*count]);
    }
    if (d)
        closedir(d);
    return list;
}

static int by_use(const void *a, const void *b)
{
    const struct timespec *x = &((const struct kept *)a)->used;
    const struct timespec *y = &((const struct kept *)b)->used;

    if (x->tv_sec != y->tv_sec)
        return x->tv_sec < y->tv_sec ? -1 : 1;
    return x->tv_nsec < y->tv_nsec ? -1 : x->tv_nsec > y->tv_nsec;
}

/* Counts the cache's files, and removes the oldest ones if they exceed the room, until a quarter
 * of it is free. Under the lock. */
static void keep_within_room(struct file_cache *c)
{
    size_t count;
    struct kept *list = list_kept(c, &count);

    c->used = 0;
    for (size_t i = 0; i < count; i++)
        c->used += list[i].size;
    if (c->used > c->room)
        qsort(list, count, sizeof(*list), by_use);
    if (c->used > c->room)
        for (size_t i = 0; i < count && c->used > c->room - c->room / 4; i++)
            if (!unlinkat(c->folder, list[i].name, 0) || errno == ENOENT)
                c->used -= list[i].size;
    free(list);
}

struct file_cache *file_cache_open(const char *folder, struct error *err)
{
    struct file_cache *c;
    int fd;

    make_folders(folder);
    fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return error_null(err, "%.150s cannot be used for a cache: %s", folder, strerror(errno));
    if (!is_own(fd)) {
        close(fd);
        return error_null(err,
                          "%.150s cannot be used for a cache: it is another user's, or others may "
                          "write to it",
                          folder);
    }
    c = xcalloc(1, sizeof(*c));
    c->folder = fd;
    c->room = FILE_CACHE_ROOM;
    pthread_mutex_init(&c->lock, NULL);
    return c;
}

struct file_cache *file_cache_open_user(const char *name, struct error *err)
{
    const char *base = getenv("XDG_CACHE_HOME"), *below = "";
    struct file_cache *c;
    char *path;

    if (!base || *base != '/') { /* a relative path there is to be ignored */
        base = getenv("HOME");
        below = "/.cache";
    }
    if (!base || *base != '/')
        return error_null(err, "the user has no folder for caches");
    if (asprintf(&path, "%s%s/gencc/%s", base, below, name) < 0)
        return error_null(err, "no memory for a path");
    c = file_cache_open(path, err);
    free(path);
    return c;
}

bool file_cache_choose(struct file_cache **c, const char *where, const char *name,
                       struct error *err)
{
    if (!where)
        where = getenv("GENCC_CACHE");
    *c = NULL;
    if (!where)
        *c = file_cache_open_user(name, NULL);
    else if (strcmp(where, "off"))
        return (*c = file_cache_open(where, err));
    return true;
}

void file_cache_close(struct file_cache *c)
{
    if (!c)
        return;
    close(c->folder);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

void file_cache_set_room(struct file_cache *c, uint64_t bytes)
{
    c->room = bytes;
}

/* ---- files ----------------------------------------------------------------------------------- */

static void file_name(char name[NAME_MAX_BYTES], const struct file_key *key)
{
    snprintf(name, NAME_MAX_BYTES, "%016llx%016llx" ENDING, (unsigned long long)key->half[0],
             (unsigned long long)key->half[1]);
}

static struct head head_of(const struct file_key *key, const void *bytes, size_t size)
{
    struct head h = {.key = *key, .size = size};

    memcpy(h.magic, magic, sizeof(magic));
    file_key_add(&h.content, bytes, size);
    return h;
}

/* The content of an open file, if it is a whole one of this user with this key. */
static void *read_content(int fd, const struct file_key *key, size_t *size)
{
    struct head h, expected;
    struct stat s;
    uint8_t *bytes;

    if (fstat(fd, &s) || !S_ISREG(s.st_mode) || s.st_uid != geteuid() ||
        s.st_size < (off_t)sizeof(h) || s.st_size > FILE_CACHE_MAX_FILE)
        return NULL;
    *size = (size_t)s.st_size - sizeof(h);
    bytes = xcalloc(1, *size + 1);
    if (host_read_at(fd, (uint8_t *)&h, sizeof(h), 0) &&
        host_read_at(fd, bytes, *size, sizeof(h))) {
        expected = head_of(key, bytes, *size);
        if (!memcmp(&h, &expected, sizeof(h)))
            return bytes;
    }
    free(bytes);
    return NULL;
}

void *file_cache_get(struct file_cache *c, const struct file_key *key, size_t *size)
{
    char name[NAME_MAX_BYTES];
    void *bytes;
    int fd;

    file_name(name, key);
    fd = openat(c->folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    bytes = read_content(fd, key, size);
    if (bytes)
        futimens(fd, NULL); /* the time of its last use */
    close(fd);
    return bytes;
}

static bool write_content(int fd, const struct head *h, const void *bytes)
{
    return host_write_at(fd, (const uint8_t *)h, sizeof(*h), 0) &&
           host_write_at(fd, bytes, h->size, sizeof(*h));
}

void file_cache_put(struct file_cache *c, const struct file_key *key, const void *bytes,
                    size_t size)
{
    struct head h = head_of(key, bytes, size);
    char name[NAME_MAX_BYTES], unfinished[NAME_MAX_BYTES];
    int fd;

    if (size > FILE_CACHE_MAX_FILE - sizeof(h) || size + sizeof(h) > c->room)
        return;
    file_name(name, key);
    pthread_mutex_lock(&c->lock);
    snprintf(unfinished, sizeof(unfinished), "%ld.%lx.%u" UNFINISHED, (long)getpid(),
             (long)(uintptr_t)c, c->written++);
    unlinkat(c->folder, unfinished, 0); /* what an earlier process of this number left */
    fd = openat(c->folder, unfinished, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd >= 0) {
        bool whole = write_content(fd, &h, bytes);

        close(fd);
        if (!whole || renameat(c->folder, unfinished, c->folder, name))
            unlinkat(c->folder, unfinished, 0);
        c->used += size + sizeof(h);
        if (c->written == 1 || c->used > c->room)
            keep_within_room(c);
    }
    pthread_mutex_unlock(&c->lock);
}
