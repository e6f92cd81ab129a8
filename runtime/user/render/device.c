/*
 * The GPU as a device of Linux: its node, and what libdrm reads of a platform device in /sys. Mesa
 * asks for no address; the node stands at one that no board need have.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/sysmacros.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/gpu/isa.h"
#include "runtime/gpu/snapshot.h"
#include "runtime/user/render/internal.h"

/* Linux's major number of DRM, and its first render node. */
enum { DRM_MAJOR = 226, RENDER_MINOR = 128 };

#define SYS  "/sys/dev/char/226:128"
#define NODE "renderD128"

static void *open_node(struct served_device *base, int *fd)
{
    struct render_file *f = xcalloc(1, sizeof(*f));

    f->device = (struct render_device *)base;
    *fd = render_memory_open(f);
    if (*fd >= 0)
        return f;
    free(f);
    return NULL;
}

static void close_node(void *file)
{
    struct render_file *f = file;

    render_memory_close(f);
    vec_free(&f->syncs);
    free(f);
}

/* The cores' threads are the parent's; its memory for them is left to the end of the process. */
static void after_fork(struct served_device *base)
{
    struct render_device *d = (struct render_device *)base;

    d->cores = NULL;
    d->chain = NULL;
}

static void free_device(struct served_device *base)
{
    render_stop((struct render_device *)base);
    free(base);
}

static void add_entry(struct render_device *d, const char *path, enum served_kind kind,
                      const char *text)
{
    d->entries[d->base.entry_count++] = (struct served_entry){
        .path = path,
        .kind = kind,
        .text = text,
        .device = kind == SERVED_NODE ? makedev(DRM_MAJOR, RENDER_MINOR) : 0,
    };
}

static void list_entries(struct render_device *d)
{
    snprintf(d->uevent, sizeof(d->uevent),
             "DRIVER=panfrost\nOF_NAME=gpu\nOF_FULLNAME=/gpu\nOF_COMPATIBLE_0=%s\n"
             "OF_COMPATIBLE_N=1\nMODALIAS=of:NgpuT(null)C%s\n",
             d->variant->compatible, d->variant->compatible);
    d->base.entries = d->entries;
    d->entries[d->base.entry_count++] = render_sync_file;
    add_entry(d, "/dev/dri", SERVED_FOLDER, NULL);
    add_entry(d, "/dev/dri/" NODE, SERVED_NODE, NULL);
    add_entry(d, SYS, SERVED_FOLDER, NULL);
    add_entry(d, SYS "/dev", SERVED_TEXT, "226:128\n");
    add_entry(d, SYS "/uevent", SERVED_TEXT,
              "MAJOR=226\nMINOR=128\nDEVNAME=dri/" NODE "\nDEVTYPE=drm_minor\n");
    add_entry(d, SYS "/device", SERVED_FOLDER, NULL);
    add_entry(d, SYS "/device/uevent", SERVED_TEXT, d->uevent);
    add_entry(d, SYS "/device/subsystem", SERVED_LINK, "/sys/bus/platform");
    add_entry(d, SYS "/device/drm", SERVED_FOLDER, NULL);
    add_entry(d, SYS "/device/drm/" NODE, SERVED_FOLDER, NULL);
}

static const struct gpu_isa *find_isa(const struct gpu_isa *const *isas, const char *name)
{
    while (*isas && strcmp((*isas)->name, name))
        isas++;
    return *isas;
}

struct served_device *render_create(const struct user_device *kind, struct process *p,
                                    struct error *err)
{
    const struct gpu_variant *variant = gpu_variant_by_name(p->options->gpu);
    const struct gpu_isa *isa = variant ? find_isa(kind->opaque, variant->isa) : NULL;
    struct render_device *d;

    if (!variant) {
        error_set(err, "there is no GPU named '%s' (-gpu help lists them)", p->options->gpu);
        return NULL;
    }
    if (!isa) {
        error_set(err, "the shader instruction set %s of %s is not modelled", variant->isa,
                  variant->title);
        return NULL;
    }
    if (p->options->gpu_snapshots && !gpu_snapshot_prepare(p->options->gpu_snapshots, err))
        return NULL;
    d = xcalloc(1, sizeof(*d));
    d->process = p;
    d->variant = variant;
    d->isa = isa;
    d->base.open = open_node;
    d->base.ioctl = render_ioctl;
    d->base.map = render_map;
    d->base.close = close_node;
    d->base.after_fork = after_fork;
    d->base.free = free_device;
    list_entries(d);
    return &d->base;
}
