/* Statistics: registered counters, and writing them as JSON and text. */
#include "runtime/obs/stats.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/vec.h"
#include "runtime/base/alloc.h"

struct entry {
    char *group, *name;
    const uint64_t *counter; /* NULL: fn */
    uint64_t (*fn)(const void *opaque);
    const void *opaque;
};

struct stats {
    VEC(struct entry) entries;
};

struct stats *stats_new(void)
{
    return xcalloc(1, sizeof(struct stats));
}

void stats_free(struct stats *stats)
{
    if (!stats)
        return;
    vec_for_each (&stats->entries, e) {
        free(e->group);
        free(e->name);
    }
    vec_free(&stats->entries);
    free(stats);
}

static void add_entry(struct stats *stats, const char *group, const char *name, struct entry e)
{
    if (!stats)
        return;
    e.group = xstrdup(group);
    e.name = xstrdup(name);
    vec_push(&stats->entries, e);
}

void stats_add(struct stats *stats, const char *group, const char *name, const uint64_t *counter)
{
    add_entry(stats, group, name, (struct entry){.counter = counter});
}

void stats_add_fn(struct stats *stats, const char *group, const char *name,
                  uint64_t (*fn)(const void *opaque), const void *opaque)
{
    add_entry(stats, group, name, (struct entry){.fn = fn, .opaque = opaque});
}

static bool is_named(const struct entry *a, const char *group, const char *name)
{
    return !strcmp(a->group, group) && !strcmp(a->name, name);
}

uint64_t stats_get(const struct stats *stats, const char *group, const char *name)
{
    uint64_t sum = 0;

    vec_for_each (&stats->entries, e) {
        if (is_named(e, group, name))
            sum += e->counter ? *e->counter : e->fn(e->opaque);
    }
    return sum;
}

/* Whether an earlier entry has the same group and name, and so has been written already. */
static bool is_repeat(const struct stats *stats, const struct entry *e)
{
    for (const struct entry *f = stats->entries.data; f < e; f++) {
        if (is_named(f, e->group, e->name))
            return true;
    }
    return false;
}

/* The object for a group path below `root`, made where it is missing; borrowed. */
static json_t *group_object(json_t *root, const char *group)
{
    json_t *at = root;

    for (const char *p = group; at && *p;) {
        size_t len = strcspn(p, "/");
        char *part = strndup(p, len);
        json_t *child = part ? json_object_get(at, part) : NULL;

        if (part && !json_is_object(child)) {
            child = json_object();
            json_object_set_new(at, part, child);
        }
        free(part);
        at = child;
        p += len;
        p += *p == '/';
    }
    return at;
}

static bool write_json(const struct stats *stats, const char *path, struct error *err)
{
    json_t *root = json_object();
    bool ok;

    vec_for_each (&stats->entries, e) {
        json_t *group = group_object(root, e->group);

        if (group && !is_repeat(stats, e)) {
            uint64_t value = stats_get(stats, e->group, e->name);

            json_object_set_new(group, e->name, json_integer((json_int_t)value));
        }
    }
    ok = !json_dump_file(root, path, JSON_INDENT(2));
    json_decref(root);
    return ok || error_set(err, "cannot write %s: %s", path, strerror(errno));
}

void stats_print(const struct stats *stats, const char *group, FILE *out)
{
    vec_for_each (&stats->entries, e) {
        int width = (int)(strlen(e->group) + strlen(e->name)) + 1;

        if (!is_repeat(stats, e) && !strncmp(e->group, group, strlen(group)))
            fprintf(out, "%s/%s%*s %20" PRIu64 "\n", e->group, e->name, width < 48 ? 48 - width : 0,
                    "", stats_get(stats, e->group, e->name));
    }
}

/* ---- snapshots ------------------------------------------------------------------------------- */

/* Whether the counter is about the guest. Others are about this process, and functions have no
 * state. */
static bool is_saved(const struct entry *e)
{
    return e->counter && strcmp(e->group, "jit") && strncmp(e->group, "host/", 5);
}

char *stats_save(const struct stats *stats)
{
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);

    if (!out)
        return xstrdup("");
    vec_for_each (&stats->entries, e) {
        if (is_saved(e))
            fprintf(out, "%s\t%s\t%" PRIu64 "\n", e->group, e->name, *e->counter);
    }
    fclose(out);
    return text;
}

/* Whether the line, up to its value, is of the entry; *value is behind. */
static bool is_line_of(const char *line, const struct entry *e, const char **value)
{
    size_t group = strlen(e->group), name = strlen(e->name);

    if (strncmp(line, e->group, group) || line[group] != '\t' ||
        strncmp(line + group + 1, e->name, name) || line[group + 1 + name] != '\t')
        return false;
    *value = line + group + name + 2;
    return true;
}

/* Counters of one name are in the order of their registration. */
void stats_load(struct stats *stats, const char *text)
{
    size_t at = 0;

    for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
        const char *value;

        for (size_t n = 0; n < stats->entries.len; n++) {
            struct entry *e = &stats->entries.data[(at + n) % stats->entries.len];

            if (!is_saved(e) || !is_line_of(text, e, &value))
                continue;
            *(uint64_t *)(uintptr_t)e->counter = strtoull(value, NULL, 10);
            at = (size_t)(e - stats->entries.data) + 1;
            break;
        }
    }
}

static bool write_text(const struct stats *stats, const char *path, struct error *err)
{
    FILE *file = fopen(path, "w");
    bool ok;

    if (!file)
        return error_set(err, "cannot write %s: %s", path, strerror(errno));
    stats_print(stats, "", file);
    ok = !ferror(file);
    ok = !fclose(file) && ok;
    return ok || error_set(err, "cannot write %s: %s", path, strerror(errno));
}

bool stats_prepare(const char *dir, struct error *err)
{
    if (mkdir(dir, 0777) && errno != EEXIST)
        return error_set(err, "cannot make the folder %s: %s", dir, strerror(errno));
    return !access(dir, W_OK | X_OK) ||
           error_set(err, "cannot write in the folder %s: %s", dir, strerror(errno));
}

bool stats_write(const struct stats *stats, const char *dir, struct error *err)
{
    char path[4096];

    if (!stats_prepare(dir, err))
        return false;
    if ((size_t)snprintf(path, sizeof(path), "%s/stats.json", dir) >= sizeof(path))
        return error_set(err, "the folder name is too long: %.60s...", dir);
    if (!write_json(stats, path, err))
        return false;
    snprintf(path, sizeof(path), "%s/stats.txt", dir);
    return write_text(stats, path, err);
}
