/* Snapshots by name: saving, checking, loading, listing, deleting. */
#include "runtime/machine/snapshot.h"

#include <errno.h>
#include <inttypes.h>
#include <libfdt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "common/hash.h"
#include "runtime/base/alloc.h"
#include "runtime/base/cli.h"
#include "runtime/cpu/saved.h"
#include "runtime/dev/disk.h"
#include "runtime/dev/virtio.h"
#include "runtime/gpu/variant.h"
#include "runtime/machine/replay.h"
#include "runtime/machine/snapshot_chain.h"

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
    fprintf(out, "semihosting=%d\n", m->options->semihosting);
    fprintf(out, "CPU timing=%d\n", m->timing != NULL);
    fprintf(out, "GPU timing=%d\n", m->options->gpu_timed ? 1 + (int)m->options->gpu_fidelity : 0);
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

/* ---- saving ---------------------------------------------------------------------------------- */

bool machine_can_save(const struct machine *m, bool *later, struct error *err)
{
    void *gpu = machine_find_device(m, device_class_by_name("gpu"));

    *later = true;
    for (unsigned i = 0; i < m->cpu_count; i++) {
        if (!cpu_can_save(m->cpus[i]))
            return error_set(err, "cpu%u is in the middle of a firmware call", i);
    }
    return !gpu || gpu_device_can_save(gpu) ||
           error_set(err, "a GPU job runs that cannot be saved in its midst");
}

static void forget_last(struct machine_snapshots *s)
{
    snapshot_hashes_free(s->hashes);
    free(s->name);
    s->hashes = NULL;
    s->name = NULL;
}

static void set_last(struct machine_snapshots *s, const char *name, uint64_t identity,
                     struct snapshot_hashes *hashes)
{
    if (hashes != s->hashes)
        snapshot_hashes_free(s->hashes);
    free(s->name);
    s->hashes = hashes;
    s->name = xstrdup(name);
    s->identity = identity;
}

/* The parent of a new snapshot `name`: the last one, unless the new one replaces it, its file is no
 * longer there, or its chain is full. */
static void choose_parent(const struct machine *m, const char *name, struct snapshot_link *link)
{
    struct machine_snapshots *s = m->snapshots;
    unsigned length = 0;

    if (s->hashes && strcmp(s->name, name) != 0)
        length = snapshot_chain_length(folder_of(m), s->name, s->identity);
    *link = (struct snapshot_link){0};
    if (!length || length == SNAPSHOT_CHAIN) {
        forget_last(s);
        return;
    }
    link->parent_identity = s->identity;
    snprintf(link->parent, sizeof(link->parent), "%s", s->name);
}

static bool add_sections(struct machine *m, struct snapshot_hashes *hashes,
                         struct snapshot_writer *w, struct snapshot_link *link, struct error *err)
{
    struct state_buf state = {0};
    char *about = machine_describe(m);
    bool ok;

    snapshot_save_state(m, &state);
    ok = snapshot_add(w, "about", about, strlen(about), err) &&
         snapshot_add(w, "state", state.data, state.len, err) &&
         snapshot_save_memory(m, hashes, w, err) && snapshot_identify(w, &link->identity, err);
    link->identity = hash_more(link->identity, &link->parent_identity, sizeof(uint64_t));
    state_buf_free(&state);
    free(about);
    return ok && snapshot_put_link(w, link, err);
}

bool machine_save(struct machine *m, const char *name, struct error *err)
{
    struct machine_snapshots *s = machine_snapshots(m);
    struct snapshot_hashes *hashes;
    struct snapshot_writer w = {0};
    struct snapshot_link link;
    char path[4000];
    bool ok;

    if (!snapshot_path(folder_of(m), name, path, err) ||
        (m->options->snapshot_dir && !stats_prepare(folder_of(m), err)) ||
        !snapshot_release(folder_of(m), name, err))
        return false;
    choose_parent(m, name, &link);
    hashes = s->hashes ? s->hashes : snapshot_hashes_new(m);
    ok = add_sections(m, hashes, &w, &link, err) && snapshot_write(&w, path, err);
    snapshot_writer_free(&w);
    /* The hashes are the machine's by now, also if there is no file with them. */
    set_last(s, name, link.identity, hashes);
    if (!ok)
        forget_last(s);
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

/* Reads and checks all of a snapshot before the machine is changed. */
static bool load_from(struct machine *m, const struct snapshot_chain *c,
                      struct snapshot_memory *memory, bool *broken, struct error *err)
{
    char *own = machine_describe(m), *saved = read_text(c->file, "about", err);
    struct machine_snapshots *s = machine_snapshots(m);
    struct state_buf state = {0};
    bool ok =
        saved && machine_is_same("a snapshot", saved, own, err) && read_state(c->file, &state, err);

    for (unsigned i = c->count; ok && i--;)
        ok = snapshot_memory_add(memory, &c->file[i], err);
    ok = ok && snapshot_check_state(m, &state, snapshot_memory_bus(memory), err);
    if (ok) {
        forget_last(s);
        machine_reset_devices(m);
        ok = snapshot_memory_apply(memory, &s->hashes, err) && snapshot_load_state(m, &state, err);
        *broken = !ok;
    }
    state_buf_free(&state);
    free(saved);
    free(own);
    return ok;
}

bool machine_load(struct machine *m, const char *name, bool *broken, struct error *err)
{
    struct snapshot_chain *c = xcalloc(1, sizeof(*c));
    struct snapshot_memory *memory = NULL;
    struct snapshot_link link;
    bool ok;

    *broken = false;
    ok = snapshot_chain_open(c, folder_of(m), name, err);
    if (ok) {
        ok = snapshot_link_of(c->file, &link, err) &&
             (memory = snapshot_memory_new(m, err)) != NULL && load_from(m, c, memory, broken, err);
        if (ok)
            set_last(m->snapshots, name, link.identity, m->snapshots->hashes);
        else
            error_prefix(err, "%s: ", name);
    }
    snapshot_memory_free(memory);
    snapshot_chain_close(c);
    free(c);
    return ok;
}

/* ---- the folder ------------------------------------------------------------------------------ */

struct listing {
    const struct machine *m;
    FILE *out;
    unsigned count;
};

static bool print_one(void *opaque, const char *name)
{
    struct listing *l = opaque;
    struct snapshot_link link;
    struct snapshot_reader r;
    struct error err = {0};
    char path[4000];

    l->count++;
    if (!snapshot_path(folder_of(l->m), name, path, &err) || !snapshot_peek(&r, path, &err)) {
        fprintf(l->out, "%-24s %s\n", name, err.text);
        return true;
    }
    fprintf(l->out, "%-24s %8.1f MB", name, (double)r.file_size / 1e6);
    if (!snapshot_link_of(&r, &link, &err))
        fprintf(l->out, "  %s\n", err.text);
    else if (*link.parent)
        fprintf(l->out, "  since %s\n", link.parent);
    else
        fprintf(l->out, "  whole\n");
    snapshot_close(&r);
    return true;
}

bool machine_list_snapshots(const struct machine *m, FILE *out, struct error *err)
{
    struct listing l = {m, out, 0};

    if (!snapshot_for_each(folder_of(m), print_one, &l, err))
        return false;
    if (!l.count)
        fprintf(out, "there is no snapshot in %s\n", folder_of(m));
    return true;
}

bool machine_delete_snapshot(const struct machine *m, const char *name, struct error *err)
{
    char path[4000];

    if (!snapshot_path(folder_of(m), name, path, err) || !snapshot_release(folder_of(m), name, err))
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
        forget_last(m->snapshots);
        free(m->snapshots->wanted);
        free(m->snapshots->load);
    }
    free(m->snapshots);
    m->snapshots = NULL;
}

/* The next automatic snapshot is due at a multiple of the interval. */
static void plan_next(struct machine *m)
{
    uint64_t every = m->options->snapshot_every;

    if (m->snapshots->next != CLOCK_NEVER)
        m->snapshots->next = (m->clock.now / every + 1) * every;
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
    plan_next(m);
    free(s->load);
    s->load = NULL;
}

void machine_serve_snapshots(struct machine *m)
{
    struct machine_snapshots *s = m->snapshots;

    if (s->next <= m->clock.now && !s->wanted) {
        char name[32];

        snprintf(name, sizeof(name), "auto-%06" PRIu64, m->clock.now / m->options->snapshot_every);
        s->wanted = xstrdup(name);
        plan_next(m);
    }
    if (s->load)
        serve_load(m);
    if (s->wanted)
        serve_save(m);
}
