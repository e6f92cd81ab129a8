/*
 * Serves GDB for the shaders of the board's GPU, by a connection of its own or as a process beside
 * the CPUs. While a job is stopped, the machine waits for it: GDB is then served by the thread that
 * runs the job, and else between two turns. As a process it costs nothing until GDB attaches to it.
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
#include "runtime/machine/kernel_names.h"
#include "runtime/machine/leave.h"

enum {
    MAX_REGISTERS = 128,
    LOOK_NS = 1000000, /* between two looks for a packet while a job is stopped */
};

struct gpu_debugger {
    struct gdb_link *link; /* NULL: a process of `gdb`'s session */
    struct gdb *gdb;
    struct gpu_remote *remote; /* NULL: no session has attached yet */
    const struct machine *m;
    bool attached, inspects; /* by the session */
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

/* ---- the registers of GDB -------------------------------------------------------------------- */

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

static struct gpu_remote *new_remote(struct gpu_debugger *d, const struct gpu_remote_io *io,
                                     struct error *err)
{
    const struct dt *dt = d->m->info.dt;
    const struct dt_node *feature = find_feature(dt);
    struct gpu_remote_register registers[MAX_REGISTERS];
    struct gpu_remote *remote;
    struct gpu_remote_config config = {
        .isa = d->m->gpu.isa, .width = d->m->gpu.variant->warp_width, .registers = registers};

    if (!feature)
        return error_null(err, "shaders: the platform describes no registers for GDB");
    config.architecture = dt_string(dt, dt_find(dt, "/gencc/gdb"), "architecture", 0);
    config.feature = dt_string(dt, feature, "feature", 0);
    config.register_count = read_registers(dt, feature, registers);
    config.process = d->link ? 0 : GDB_PEER;
    remote = gpu_remote_new(&config, io);
    gpu_debug_name_kernels(gpu_remote_debug(remote), kernel_name, d->m->names);
    return remote;
}

/* ---- a process beside the CPUs --------------------------------------------------------------- */

static void *find_gpu(const struct machine *m)
{
    return m->gpu.isa ? machine_find_device(m, &gpu_class) : NULL;
}

/* Called by the thread that runs a job, whose step is an event. */
static void job_stopped(void *opaque)
{
    gdb_peer_stopped(((struct gpu_debugger *)opaque)->gdb);
}

static bool serve_session(void *opaque)
{
    const struct timespec pause = {.tv_nsec = LOOK_NS};
    const struct gpu_debugger *d = opaque;
    enum gdb_verdict verdict;

    while ((verdict = gdb_serve_peer(d->gdb)) == GDB_WAIT && !is_leaving(d->m))
        nanosleep(&pause, NULL);
    return verdict == GDB_AGAIN;
}

static bool is_interrupted(void *opaque)
{
    return gdb_is_interrupted(((struct gpu_debugger *)opaque)->gdb);
}

static void put_packet(void *opaque, const void *bytes, size_t len)
{
    gdb_put(((struct gpu_debugger *)opaque)->gdb, bytes, len);
}

static bool attach(void *opaque, struct error *err)
{
    struct gpu_debugger *d = opaque;
    const struct gpu_remote_io io = {.opaque = d,
                                     .put = put_packet,
                                     .stopped = job_stopped,
                                     .serve = serve_session,
                                     .interrupted = is_interrupted};
    void *gpu = find_gpu(d->m);

    if (!gpu)
        return error_set(err, "the machine has no GPU with shader cores");
    if (d->m->options->reverse)
        return error_set(err, "-reverse looks at the shaders itself, so GDB cannot attach to them");
    if (!d->remote)
        d->remote = new_remote(d, &io, err);
    if (!d->remote)
        return false;
    gpu_device_inspect(gpu, gpu_debug_inspector(gpu_remote_debug(d->remote)));
    d->attached = d->inspects = true;
    gpu_remote_attach(d->remote);
    return true;
}

/* A job may be stopped; it is inspected until its event has ended. */
static void detach(void *opaque)
{
    struct gpu_debugger *d = opaque;

    gpu_remote_detach(d->remote);
    d->attached = false;
}

static void handle_packet(void *opaque, const char *text)
{
    gpu_remote_packet(((struct gpu_debugger *)opaque)->remote, text);
}

static void halt(void *opaque)
{
    gpu_remote_halt(((struct gpu_debugger *)opaque)->remote);
}

static bool is_busy(void *opaque)
{
    void *gpu = find_gpu(((struct gpu_debugger *)opaque)->m);

    return gpu && gpu_device_is_running(gpu);
}

struct gdb_peer gpu_debugger_peer(struct machine *m)
{
    struct gdb_peer peer = {
        .attach = attach,
        .detach = detach,
        .packet = handle_packet,
        .halt = halt,
        .is_busy = is_busy,
        .held =
            "the CPUs wait for the GPU's job, which is stopped: continue inferior 2, or both by "
            "`set schedule-multiple on`\n",
        .idle = "the GPU has no job until the CPUs go on: continue inferior 1, or both by "
                "`set schedule-multiple on`\n",
    };

    if (m->options->gpu_gdb || !find_gpu(m))
        return (struct gdb_peer){0};
    m->gpu_debugger = xcalloc(1, sizeof(*m->gpu_debugger));
    m->gpu_debugger->m = m;
    peer.opaque = m->gpu_debugger;
    return peer;
}

void gpu_debugger_join(struct machine *m, struct gdb *gdb)
{
    if (m->gpu_debugger)
        m->gpu_debugger->gdb = gdb;
}

/* ---- a server -------------------------------------------------------------------------------- */

bool gpu_debugger_new(struct machine *m, struct error *err)
{
    void *gpu = find_gpu(m);
    struct gpu_debugger *d;
    struct gpu_remote_io io = {.get = get_byte, .put = put_bytes};

    if (!m->options->gpu_gdb)
        return true;
    if (!gpu)
        return error_set(err, "-gpu-gdb: the machine has no GPU with shader cores");
    if (m->options->reverse)
        return error_set(err, "-gpu-gdb and -reverse exclude each other");
    d = m->gpu_debugger = xcalloc(1, sizeof(*d));
    d->m = m;
    d->link = gdb_link_new(m->options->gpu_gdb, &m->clock, err);
    io.opaque = d;
    d->remote = d->link ? new_remote(d, &io, err) : NULL;
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
    void *gpu = d && d->remote ? find_gpu(m) : NULL;

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
    struct gpu_debugger *d = m->gpu_debugger;
    void *gpu;

    if (d->link)
        return gpu_remote_serve(d->remote);
    gpu = d->inspects && !d->attached ? find_gpu(m) : NULL;
    if (gpu)
        gpu_device_inspect(gpu, NULL);
    d->inspects = d->attached;
    return true;
}
