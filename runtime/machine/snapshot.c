/* Snapshots by name: saving, checking, loading, listing, deleting. */
#include "runtime/machine/snapshot.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <libfdt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "runtime/base/alloc.h"
#include "runtime/base/cli.h"
#include "runtime/cpu/saved.h"
#include "runtime/dev/disk.h"
#include "runtime/dev/virtio.h"
#include "runtime/gpu/variant.h"
#include "runtime/machine/replay.h"

#define SUFFIX ".gvm"

/* ---- what a snapshot is of ------------------------------------------------------------------- */

/* A checksum of the guest's device tree without /chosen, which a command line changes. */
static uint32_t tree_sum(const struct machine *m)
{
    size_t len = dt_size(m->dt);
    void *copy = memcpy(xcalloc(1, len), m->dt->blob, len);
    int chosen = fdt_path_offset(copy, "/chosen");
    uint32_t sum;

    if (chosen >= 0)
        fdt_nop_node(copy, chosen);
    sum = (uint32_t)crc32_z(0, copy, len);
    free(copy);
    return sum;
}

char *machine_describe(const struct machine *m)
{
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);

    if (!out)
        return xstrdup("");
    fprintf(out, "program=%s\nboard=%s\n", cli_version(), m->platform->name);
    fprintf(out, "CPUs=%u\nkind of CPU=%s\n", m->cpu_count, m->options->cpu ? m->options->cpu : "");
    fprintf(out, "RAM=%" PRIu64 " MB\n", m->options->memory >> 20);
    fprintf(out, "GPU=%s\n", m->gpu.variant ? m->gpu.variant->name : "none");
    fprintf(out, "device tree=%08" PRIx32 "\n", tree_sum(m));
    fprintf(out, "picoseconds per tick=%" PRIu64 "\n", m->options->ps_per_tick);
    fprintf(out, "GPU power=%d\n", m->options->gpu_power);
    for (size_t n = 0; n < m->functions.len; n++)
        fprintf(out, "virtio slot %zu=%s\n", n, m->functions.data[n]->cls->name);
    for (size_t n = 0; n < m->disks.len; n++)
        fprintf(out, "file of disk %zu=%016" PRIx64 "\n", n, disk_file_mark(m->disks.data[n]));
    fclose(out);
    return text;
}

/* Compares two descriptions line by line, and names what differs first. */
bool machine_is_same(const char *what, const char *saved, const char *own, struct error *err)
{
    while (*saved || *own) {
        size_t a = strcspn(saved, "\n"), b = strcspn(own, "\n");
        size_t name = strcspn(saved, "=\n");

        if (a != b || memcmp(saved, own, a))
            return error_set(err, "%s of another machine: its %.*s is '%.*s', and here '%.*s'",
                             what, (int)(name < 60 ? name : 60), saved,
                             (int)(a > name ? (a - name - 1 < 60 ? a - name - 1 : 60) : 0),
                             saved + (a > name ? name + 1 : a), (int)(b < 60 ? b : 60), own);
        saved += a + (saved[a] == '\n');
        own += b + (own[b] == '\n');
    }
    return true;
}

/* ---- names ----------------------------------------------------------------------------------- */

static const char *folder_of(const struct machine *m)
{
    return m->options->snapshot_dir ? m->options->snapshot_dir : ".";
}

static bool path_of(const struct machine *m, const char *name, char path[4000], struct error *err)
{
    if (!*name || *name == '.' ||
        strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                     "0123456789-_.") != strlen(name))
        return error_set(err, "a snapshot's name has letters, digits, '-', '_' and '.'");
    if (snprintf(path, 4000, "%s/%s" SUFFIX, folder_of(m), name) >= 4000)
        return error_set(err, "the snapshot's name is too long");
    return true;
}

/* ---- saving ---------------------------------------------------------------------------------- */

bool machine_can_save(const struct machine *m, bool *later, struct error *err)
{
    void *gpu = machine_find_device(m, device_class_by_name("gpu"));

    *later = false;
    if (m->timing || m->mesh || m->options->gpu_timed)
        return error_set(err, "a machine with -cpu-timing, -gpu-timing or a mesh cannot be saved");
    if (m->options->semihosting)
        return error_set(err, "a machine with -semihosting cannot be saved");
    vec_for_each (&m->disks, disk) {
        if (disk_writes_file(*disk))
            return error_set(err,
                             "%.150s: the guest writes to this file itself: a machine that is "
                             "saved needs snapshot=on",
                             disk_name(*disk));
    }
    *later = true;
    for (unsigned i = 0; i < m->cpu_count; i++) {
        if (!cpu_can_save(m->cpus[i]))
            return error_set(err, "cpu%u is in the middle of a firmware call", i);
    }
    return !gpu || gpu_device_can_save(gpu) ||
           error_set(err, "a GPU job runs that cannot be saved in its midst");
}

bool machine_save(struct machine *m, const char *name, struct error *err)
{
    struct snapshot_writer w = {0};
    struct state_buf state = {0};
    char path[4000], *about;
    bool ok;

    if (!path_of(m, name, path, err) ||
        (m->options->snapshot_dir && !stats_prepare(folder_of(m), err)))
        return false;
    about = machine_describe(m);
    snapshot_save_state(m, &state);
    ok = snapshot_add(&w, "about", about, strlen(about), err) &&
         snapshot_add(&w, "state", state.data, state.len, err) &&
         snapshot_save_memory(m, &w, err) && snapshot_write(&w, path, err);
    snapshot_writer_free(&w);
    state_buf_free(&state);
    free(about);
    return ok;
}

/* ---- loading --------------------------------------------------------------------------------- */

/* A text section; to be freed. */
static char *read_text(const struct snapshot_reader *r, const char *name, struct error *err)
{
    const struct snapshot_part *part = snapshot_find(r, name);
    uint8_t *bytes = part ? snapshot_read(part, err) : NULL;
    char *text;

    if (!bytes)
        return part ? NULL : error_null(err, "the snapshot has no section '%s'", name);
    text = memcpy(xcalloc(part->size + 1, 1), bytes, part->size);
    free(bytes);
    return text;
}

static bool read_state(const struct snapshot_reader *r, struct state_buf *state, struct error *err)
{
    const struct snapshot_part *part = snapshot_find(r, "state");

    *state = (struct state_buf){0};
    if (!part)
        return error_set(err, "the snapshot has no section 'state'");
    state->data = snapshot_read(part, err);
    state->len = part->size;
    return state->data != NULL;
}

/* Checks everything before anything is changed. */
static bool load_from(struct machine *m, const struct snapshot_reader *r, bool *broken,
                      struct error *err)
{
    char *own = machine_describe(m), *saved = read_text(r, "about", err);
    struct state_buf state = {0};
    bool ok = saved && machine_is_same("a snapshot", saved, own, err) &&
              read_state(r, &state, err) && snapshot_check_state(m, &state, err) &&
              snapshot_load_memory(m, r, false, err);

    if (ok) {
        *broken = true;
        machine_reset_devices(m);
        ok = snapshot_load_memory(m, r, true, err) && snapshot_load_state(m, &state, err);
        *broken = !ok;
    }
    state_buf_free(&state);
    free(saved);
    free(own);
    return ok;
}

bool machine_load(struct machine *m, const char *name, bool *broken, struct error *err)
{
    struct snapshot_reader r;
    char path[4000];
    bool ok;

    *broken = false;
    if (!path_of(m, name, path, err) || !snapshot_open(&r, path, err))
        return false;
    ok = load_from(m, &r, broken, err);
    if (!ok)
        error_prefix(err, "%s: ", name);
    snapshot_close(&r);
    return ok;
}

/* ---- the folder ------------------------------------------------------------------------------ */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void print_one(const struct machine *m, const char *name, FILE *out)
{
    struct snapshot_reader r;
    struct error err = {0};
    char path[4000];

    if (!path_of(m, name, path, &err) || !snapshot_peek(&r, path, &err)) {
        fprintf(out, "%-24s %s\n", name, err.text);
        return;
    }
    fprintf(out, "%-24s %8.1f MB\n", name, (double)r.file_size / 1e6);
    snapshot_close(&r);
}

bool machine_list_snapshots(const struct machine *m, FILE *out, struct error *err)
{
    DIR *dir = opendir(folder_of(m));
    VEC(char *) names = {0};
    struct dirent *e;

    if (!dir)
        return error_set(err, "%s: %s", folder_of(m), strerror(errno));
    while ((e = readdir(dir)) != NULL) {
        size_t len = strlen(e->d_name), end = strlen(SUFFIX);

        if (len > end && !strcmp(e->d_name + len - end, SUFFIX))
            vec_push(&names, strndup(e->d_name, len - end));
    }
    closedir(dir);
    if (names.len)
        qsort(names.data, names.len, sizeof(*names.data), compare_names);
    else
        fprintf(out, "there is no snapshot in %s\n", folder_of(m));
    vec_for_each (&names, name) {
        print_one(m, *name, out);
        free(*name);
    }
    vec_free(&names);
    return true;
}

bool machine_delete_snapshot(const struct machine *m, const char *name, struct error *err)
{
    char path[4000];

    if (!path_of(m, name, path, err))
        return false;
    return !unlink(path) || error_set(err, "%s: %s", path, strerror(errno));
}

/* ---- requests -------------------------------------------------------------------------------- */

struct machine_snapshots *machine_snapshots(struct machine *m)
{
    if (!m->snapshots) {
        m->snapshots = xcalloc(1, sizeof(*m->snapshots));
        m->snapshots->next = CLOCK_NEVER;
    }
    return m->snapshots;
}

void machine_free_snapshots(struct machine *m)
{
    if (m->snapshots) {
        free(m->snapshots->wanted);
        free(m->snapshots->load);
    }
    free(m->snapshots);
    m->snapshots = NULL;
}

static void serve_save(struct machine *m)
{
    struct machine_snapshots *s = m->snapshots;
    struct error err = {0};
    bool later;

    if (!machine_can_save(m, &later, &err)) {
        if (later)
            return;
    } else {
        machine_save(m, s->wanted, &err);
    }
    if (*err.text)
        fprintf(stderr, "%s: savevm %s: %s\n", m->platform->name, s->wanted, err.text);
    free(s->wanted);
    s->wanted = NULL;
}

static void serve_load(struct machine *m)
{
    struct machine_snapshots *s = m->snapshots;
    struct error err = {0};
    bool broken;

    if (!machine_load(m, s->load, &broken, &err)) {
        fprintf(stderr, "%s: loadvm: %s\n", m->platform->name, err.text);
        if (broken)
            machine_stop(m, 2);
    }
    free(s->load);
    s->load = NULL;
}

void machine_serve_snapshots(struct machine *m)
{
    struct machine_snapshots *s = m->snapshots;

    if (s->next <= m->clock.now && !s->wanted) {
        char name[32];

        snprintf(name, sizeof(name), "auto-%06u", ++s->count);
        s->wanted = xstrdup(name);
        while (s->next <= m->clock.now)
            s->next += m->options->snapshot_every;
    }
    if (s->load)
        serve_load(m);
    if (s->wanted)
        serve_save(m);
}
