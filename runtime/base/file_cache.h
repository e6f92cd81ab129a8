/*
 * A folder of the host in which programs keep what took them long to compute, such as host code,
 * for their next run. A file is found by its key, a hash of all that it was computed from. What is
 * damaged, of another user or of another key is as if it were not there. Several processes and
 * threads may use a folder: a file appears whole or not at all.
 */
#ifndef RUNTIME_BASE_FILE_CACHE_H
#define RUNTIME_BASE_FILE_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/base/error.h"

enum {
    FILE_CACHE_ROOM = 256 << 20, /* bytes of a folder's files, unless file_cache_set_room() says */
    FILE_CACHE_MAX_FILE = 64 << 20,
};

/* 128 bits that differ for different content, unless it was made to collide. A key begins as
 * {0}. */
struct file_key {
    uint64_t half[2];
};

/* Mixes `size` bytes, and their number, into the key. */
void file_key_add(struct file_key *k, const void *bytes, size_t size);

struct file_cache;

/* The cache in `folder`, which is made if it is not there. Its files may be executed, so the folder
 * must belong to this user, and no other may write to it. NULL with *err: it cannot be used. */
struct file_cache *file_cache_open(const char *folder, struct error *err);
/* As above in gencc/NAME of the user's folder for caches, $XDG_CACHE_HOME or $HOME/.cache. */
struct file_cache *file_cache_open_user(const char *name, struct error *err);
/* The cache that a user's option chooses: a folder; "off": none; NULL: as $GENCC_CACHE says, or, if
 * that is not set, in the user's folder, where that can be used. *c becomes NULL if there is none.
 * false with *err: the named folder cannot be used. */
bool file_cache_choose(struct file_cache **c, const char *where, const char *name,
                       struct error *err);
void file_cache_close(struct file_cache *c); /* NULL is allowed */
void file_cache_set_room(struct file_cache *c, uint64_t bytes);

/* The content of a file and its size; release with free(). NULL: there is none. */
void *file_cache_get(struct file_cache *c, const struct file_key *key, size_t *size);
/* Keeps a file, and removes the files that were not used for the longest time if there is no more
 * room. What the host refuses is not kept. */
void file_cache_put(struct file_cache *c, const struct file_key *key, const void *bytes,
                    size_t size);

#endif
