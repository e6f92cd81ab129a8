/*
 * Chains of snapshots whose files are sound, but whose sections hold anything: a checksum that
 * nothing passes would hide what is behind it. The input gives up to FILES files: the number of
 * sections, then for each its name, the length of its bytes in the input, the zeros that follow
 * these, and the bytes. A section "chain" without bytes is the right one, and names a parent.
 *
 * All are listed, opened and read. Then each is merged into its children, which must stay as they
 * were.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "runtime/dev/disk.h"
#include "runtime/machine/snapshot_chain.h"
#include "runtime/machine/snapshot_units.h"
#include "runtime/mem/bus.h"
#include "tests/fuzz/fuzz.h"

enum {
    FILES = 4,
    MAX_SECTIONS = 8,
    UNITS = 64, /* pages, and clusters of each disk, that the machine has */
    KINDS = 2,
};

static const struct kind {
    const char *prefix;
    size_t unit;
} kinds[KINDS] = {{"ram", BUS_PAGE_SIZE}, {"disk0", DISK_CLUSTER}};

static const char *const names[] = {"chain",   "ram.0", "ram.1", "disk0.0",
                                    "disk1.0", "state", "ram",   "about"};
static const char *const files[FILES] = {"a", "b", "c", "d"};

/* What a load of a snapshot gives; `loads`: it does. */
struct content {
    bool loads;
    uint32_t sum[KINDS][UNITS];
};

/* The bytes of the input that are left. */
struct input {
    const uint8_t *at;
    size_t left;
};

static unsigned take(struct input *in)
{
    if (!in->left)
        return 0;
    in->left--;
    return *in->at++;
}

/* ---- the files ------------------------------------------------------------------------------- */

static bool add_link(struct snapshot_writer *w, unsigned file, unsigned choice)
{
    unsigned parent = choice % (FILES + 1);
    struct snapshot_link link = {.identity = 1 + file};

    if (parent < FILES) {
        link.parent_identity = 1 + parent;
        strcpy(link.parent, files[parent]);
    }
    return snapshot_put_link(w, &link, NULL);
}

static bool add_section(struct snapshot_writer *w, unsigned file, struct input *in)
{
    const char *name = names[take(in) % (sizeof(names) / sizeof(*names))];
    size_t len = take(in), units = take(in);
    size_t zeros = units / 4 * kinds[*name == 'd'].unit + units % 4;
    uint8_t *bytes;

    len = len < in->left ? len : in->left;
    if (!strcmp(name, "chain") && !len)
        return add_link(w, file, (unsigned)units);
    zeros = zeros < 16 * DISK_CLUSTER ? zeros : 16 * DISK_CLUSTER;
    bytes = calloc(1, len + zeros + 1);
    if (!bytes)
        return false;
    memcpy(bytes, in->at, len);
    in->at += len;
    in->left -= len;
    return snapshot_take(w, name, bytes, len + zeros, NULL);
}

static void make_file(const char *folder, unsigned file, struct input *in)
{
    struct snapshot_writer w = {.threads = 1};
    unsigned count = take(in) % MAX_SECTIONS;
    char path[4000];
    bool ok = snapshot_path(folder, files[file], path, NULL);

    while (ok && count--)
        ok = add_section(&w, file, in);
    if (ok)
        snapshot_write(&w, path, NULL);
    snapshot_writer_free(&w);
}

static void remove_files(const char *folder)
{
    char path[4000];

    for (unsigned i = 0; i < FILES; i++) {
        if (snapshot_path(folder, files[i], path, NULL))
            unlink(path);
    }
}

/* ---- loading --------------------------------------------------------------------------------- */

struct load {
    struct content *content;
    unsigned kind;
};

static bool note_unit(void *opaque, uint64_t index, const uint8_t *bytes)
{
    const struct load *load = opaque;

    if (index >= UNITS)
        return false;
    load->content->sum[load->kind][index] =
        bytes ? 1 | (uint32_t)crc32_z(0, bytes, kinds[load->kind].unit) << 1 : 0;
    return true;
}

static void load_snapshot(const char *folder, const char *name, struct content *content)
{
    struct snapshot_chain *c = calloc(1, sizeof(*c));
    struct error err = {0};

    memset(content, 0, sizeof(*content));
    if (c && snapshot_chain_open(c, folder, name, &err)) {
        content->loads = true;
        for (unsigned i = c->count * KINDS; i-- && content->loads;) {
            struct load load = {content, i % KINDS};
            const struct unit_reading what = {&c->file[i / KINDS],
                                              kinds[i % KINDS].prefix,
                                              kinds[i % KINDS].unit,
                                              1,
                                              note_unit,
                                              &load};

            content->loads = unit_read_all(&what, &err);
        }
        snapshot_chain_close(c);
    }
    free(c);
}

static bool count_name(void *opaque, const char *name)
{
    unsigned *count = opaque;

    (void)name;
    ++*count;
    return true;
}

/* Merges one snapshot into its children. */
static void merge(const char *folder, const char *name)
{
    struct content before[FILES], after;
    struct error err = {0};

    for (unsigned i = 0; i < FILES; i++)
        load_snapshot(folder, files[i], &before[i]);
    if (!snapshot_release(folder, name, &err))
        return;
    for (unsigned i = 0; i < FILES; i++) {
        if (!before[i].loads)
            continue;
        load_snapshot(folder, files[i], &after);
        if (memcmp(&before[i], &after, sizeof(after)))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, size};
    char folder[64];
    unsigned count = 0;

    snprintf(folder, sizeof(folder), "/tmp/gencc-fuzz-chain-%ld", (long)getpid());
    if (mkdir(folder, 0700))
        return 0;
    for (unsigned i = 0; i < FILES && in.left; i++)
        make_file(folder, i, &in);
    snapshot_for_each(folder, count_name, &count, NULL);
    for (unsigned i = 0; i < FILES; i++)
        merge(folder, files[i]);
    remove_files(folder);
    rmdir(folder);
    return 0;
}
