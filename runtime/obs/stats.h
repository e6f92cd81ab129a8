/*
 * Statistics: counters of other rooms, registered by group and name, and written as JSON and text.
 * A counter is a plain uint64_t that its owner increments, so counting costs no call.
 */
#ifndef RUNTIME_OBS_STATS_H
#define RUNTIME_OBS_STATS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "runtime/base/error.h"

struct stats;

/* An empty set; release with stats_free(). */
struct stats *stats_new(void);
void stats_free(struct stats *stats);

/*
 * Registers a counter, which must stay valid until the last stats_write(). Group and name are
 * copied. A group may have levels, separated by '/': "cpu0/exceptions" becomes nested objects in
 * JSON. Counters with the same group and name are added up. `stats` may be NULL.
 */
void stats_add(struct stats *stats, const char *group, const char *name, const uint64_t *counter);

/* As stats_add(), for a value that is computed when statistics are written. */
void stats_add_fn(struct stats *stats, const char *group, const char *name,
                  uint64_t (*fn)(const void *opaque), const void *opaque);

/* The value registered under group and name (summed), or 0 when there is none: for tests. */
uint64_t stats_get(const struct stats *stats, const char *group, const char *name);

/* The counters, but not values of functions, as lines of text for a snapshot; to be freed. */
char *stats_save(const struct stats *stats);
/* Sets the counters that the text names and that are registered. Counters of `jit` and of groups
 * below `host`, which are about this process, are neither saved nor set. */
void stats_load(struct stats *stats, const char *text);

/* Prints "group/name value" lines, aligned, of the groups that begin with `group` ("": all). */
void stats_print(const struct stats *stats, const char *group, FILE *out);

/* Makes DIR when it is missing, to check before a long run that it can be written to; false with
 * *err when it cannot. */
bool stats_prepare(const char *dir, struct error *err);

/*
 * Writes DIR/stats.json (nested objects, in the order of registration) and DIR/stats.txt
 * ("group/name value" lines, aligned). Makes DIR when it is missing.
 */
bool stats_write(const struct stats *stats, const char *dir, struct error *err);

#endif
