/*
 * Serves GDB for the shaders of the board's GPU. While a job is stopped, the machine waits for it: GDB
 * is then served by the thread that runs the job, and else between two turns.
 *
 * GDB takes shaders for code of the board's CPUs, whose registers exist by name only: those of the
 * first feature in /gencc/gdb.
 */
#include "runtime/machine/gpu_debugger.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime/base/alloc.h"
#include "runtime/cpu/gdb_link.h"
#include "runtime/debug/remote.h"
#include "runtime/gpu/isa.h"
#include "runtime/gpu/variant.h"
#include "runtime/machine/leave.h"

enum {
    MAX_REGISTERS = 128,
    LOOK_NS = 1000000, /* between two looks for a packet while a job is stopped */
};

struct gpu_debugger {
    struct gdb_link *link;
    struct gpu_remote *remote;
    const struct machine *m;
};

static bool is_leaving(const struct machine *m)
{
    return m->stop || (m->leave && __atomic_load_n(leave_wanted(m->leave), __ATOMIC_RELAXED));
}

/* Called by the thread that runs a job, or between two turns. */
static int get_byte(void *opaque, bool wait)
{
    const struct timespec pause = {.tv_nsec = LOOK_NS};
    const struct gpu_debugger *d = opaque;
    int item;

    while ((item = gdb_link_get(d->link, false)) == GDB_LINK_NOTHING && wait && !is_leaving(d->m))
        nanosleep(&pause, NULL);
    return item;
}

static void put_bytes(void *opaque, const void *bytes, size_t len)
{
    gdb_link_put(((struct gpu_debugger *)opaque)->link, bytes, len);
}

/* The node of the first feature of registers, or NULL. */
static const struct dt_node *find_feature(const struct dt *dt)
{
    const struct dt_node *top = dt_find(dt, "/gencc/gdb");

    for (unsigned n = 0; top && n < dt->count; n++)
        if (dt->nodes[n].parent == top && dt_string(dt, &dt->nodes[n], "feature", 0))
            return &dt->nodes[n];
    return NULL;
}

/* Reads registers, `NAME BITS TYPE SOURCE` each. */
static size_t read_registers(const struct dt *dt, const struct dt_node *node,
                             struct gpu_remote_register *out)
{
    const char *text;
    size_t count = 0;

    while (count < MAX_REGISTERS &&
           (text = dt_string(dt, node, "registers", (unsigned)count)) != NULL) {
        struct gpu_remote_register *r = &out[count++];
        size_t len = strcspn(text, " ");

        snprintf(r->name, sizeof(r->name), "%.*s", (int)len, text);
        r->bits = (unsigned)strtoul(text + len, NULL, 10);
    }
    return count;
}

static struct gpu_remote *new_remote(struct gpu_debugger *d, const struct dt *dt, struct error *err)
{
    const struct dt_node *feature = find_feature(dt);
    struct gpu_remote_register registers[MAX_REGISTERS];
    struct gpu_remote_config config = {
        .isa = d->m->gpu.isa, .width = d->m->gpu.variant->warp_width, .registers = registers};
    const struct gpu_remote_io io = {d, get_byte, put_bytes};

    if (!feature)
        return error_null(err, "-gpu-gdb: the platform describes no registers for GDB");
    config.architecture = dt_string(dt, dt_find(dt, "/gencc/gdb"), "architecture", 0);
    config.feature = dt_string(dt, feature, "feature", 0);
    config.register_count = read_registers(dt, feature, registers);
    return gpu_remote_new(&config, &io);
}

bool gpu_debugger_new(struct machine *m, struct error *err)
{
    void *gpu = m->gpu.isa ? machine_find_device(m, &gpu_class) : NULL;
    struct gpu_debugger *d;

    if (!m->options->gpu_gdb)
        return true;
    if (!gpu)
        return error_set(err, "-gpu-gdb: the machine has no GPU with shader cores");
    if (m->options->reverse)
        return error_set(err, "-gpu-gdb and -reverse exclude each other");
    d = m->gpu_debugger = xcalloc(1, sizeof(*d));
    d->m = m;
    d->link = gdb_link_new(m->options->gpu_gdb, &m->clock, err);
    d->remote = d->link ? new_remote(d, m->info.dt, err) : NULL;
    if (!d->remote)
        return false;
    gpu_device_inspect(gpu, gpu_debug_inspector(gpu_remote_debug(d->remote)));
    fprintf(stderr, "%s: %-13sTCP port %u, for shaders\n", m->platform->name, "gdb",
            gdb_link_port(d->link));
    return true;
}

void gpu_debugger_free(struct machine *m)
{
    struct gpu_debugger *d = m->gpu_debugger;
    void *gpu = d && d->remote ? machine_find_device(m, &gpu_class) : NULL;

    if (!d)
        return;
    if (gpu)
        gpu_device_inspect(gpu, NULL);
    gpu_remote_free(d->remote);
    gdb_link_free(d->link);
    free(d);
    m->gpu_debugger = NULL;
}

bool gpu_debugger_serve(struct machine *m)
{
    return gpu_remote_serve(m->gpu_debugger->remote);
}
