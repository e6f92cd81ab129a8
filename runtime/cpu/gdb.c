/* The GDB server: its life, packets in, and when the CPUs run. */
#include "runtime/cpu/gdb.h"

#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/cpu/gdb_internal.h"

/* Bytes from GDB that one call of gdb_serve() handles, so that the machine runs in between. */
#define BYTES_PER_CALL 65536

/* ---- packets in ------------------------------------------------------------------------------ */

static void packet_complete(struct gdb *gdb, bool good)
{
    log_printf(gdb->config.log, LOG_GDB, "gdb: <- %s%s\n", gdb->frame.packet,
               good ? "" : " (damaged)");
    if (!gdb->no_ack)
        gdb_link_put(gdb->link, good ? "+" : "-", 1);
    if (good)
        gdb_dispatch(gdb, gdb->frame.packet);
}

static void handle_byte(struct gdb *gdb, uint8_t byte)
{
    switch (gdb_frame_take(&gdb->frame, byte)) {
    case GDB_FRAME_NOTHING:
        break;
    case GDB_FRAME_PACKET:
        packet_complete(gdb, true);
        break;
    case GDB_FRAME_DAMAGED:
        packet_complete(gdb, false);
        break;
    case GDB_FRAME_INTERRUPT:
        debug_stop(gdb->debug);
        break;
    }
}

/* A client connected: it expects a stopped target. */
static void on_opened(struct gdb *gdb)
{
    gdb->connected = true;
    gdb->no_ack = gdb->stop_reply_pending = gdb->left = false;
    gdb->process = 0;
    gdb->peer.selected = false;
    gdb->g_cpu = 0;
    gdb->c_cpu = GDB_ALL;
    gdb->frame.state = GDB_IDLE;
    debug_stop(gdb->debug);
}

/* The client is gone: the CPUs run on without breakpoints. */
static void on_closed(struct gdb *gdb)
{
    gdb->connected = false;
    gdb_leave_peer(gdb);
    gdb_attach_anew(gdb);
}

static void handle_item(struct gdb *gdb, int item)
{
    if (item == GDB_LINK_OPENED)
        on_opened(gdb);
    else if (item == GDB_LINK_CLOSED)
        on_closed(gdb);
    else
        handle_byte(gdb, (uint8_t)item);
}

/* Whether the CPUs stand still: the debugger has stopped them, or they would run while GDB takes
 * the peer for stopped. */
static bool is_held(const struct gdb *gdb)
{
    return debug_is_stopped(gdb->debug) ||
           (gdb->left && gdb->peer.attached && !gdb->stop_reply_pending);
}

/* Tells GDB of a stop that it waits for. */
static void report_stop(struct gdb *gdb)
{
    const struct gdb_peer *peer = &gdb->config.peer;

    if (!gdb->stop_reply_pending)
        return;
    if (debug_is_stopped(gdb->debug)) {
        gdb->stop_reply_pending = false;
        gdb_reply_stop(gdb);
        if (gdb->peer.attached)
            peer->halt(peer->opaque);
    } else if (gdb->peer.attached && gdb->peer.alone && !peer->is_busy(peer->opaque)) {
        gdb_reply_idle_peer(gdb);
    }
}

enum gdb_verdict gdb_serve(struct gdb *gdb)
{
    bool may_wait = !gdb->config.group->clock;
    unsigned taken = 0;

    for (;;) {
        bool stopped;
        int item;

        report_stop(gdb);
        stopped = is_held(gdb);
        if (gdb->quit)
            return GDB_END;
        if (gdb->monitored) {
            gdb->monitored = false;
            return GDB_AGAIN;
        }
        if (taken++ == BYTES_PER_CALL)
            return stopped ? GDB_AGAIN : GDB_RUN;
        item = gdb_link_get(gdb->link, stopped && may_wait);
        if (item == GDB_LINK_NOTHING)
            return stopped ? GDB_WAIT : GDB_RUN;
        handle_item(gdb, item);
    }
}

enum gdb_verdict gdb_serve_peer(struct gdb *gdb)
{
    int item = gdb->quit ? GDB_LINK_NOTHING : gdb_link_get(gdb->link, false);

    if (item == GDB_LINK_NOTHING)
        return gdb->quit ? GDB_END : GDB_WAIT;
    handle_item(gdb, item);
    return gdb->quit ? GDB_END : GDB_AGAIN;
}

/* ---- life ------------------------------------------------------------------------------------ */

struct gdb *gdb_new(const struct gdb_config *config, struct error *err)
{
    const struct cpu_group *g = config->group;
    struct gdb *gdb;

    if (!g->count)
        return error_null(err, "there is no CPU to debug");
    gdb = xcalloc(1, sizeof(*gdb));
    gdb->config = *config;
    gdb_attach_anew(gdb);
    if (gdb_registers_init(&gdb->registers, cpu_isa_of(g->cpu[0]), config->target, err))
        gdb->link = gdb_link_new(config->address, g->clock, err);
    if (!gdb->link) {
        gdb_free(gdb);
        return NULL;
    }
    if (config->stopped)
        debug_stop(gdb->debug);
    return gdb;
}

void gdb_free(struct gdb *gdb)
{
    if (!gdb)
        return;
    gdb_link_free(gdb->link);
    debug_detach(gdb->debug);
    gdb_registers_free(&gdb->registers);
    free(gdb);
}

bool gdb_is_connected(const struct gdb *gdb)
{
    return gdb->connected;
}

bool gdb_is_interrupted(struct gdb *gdb)
{
    int item = gdb_link_get_only(gdb->link, GDB_INTERRUPT);

    if (item == GDB_LINK_CLOSED)
        on_closed(gdb);
    return item != GDB_LINK_NOTHING;
}

unsigned gdb_port(const struct gdb *gdb)
{
    return gdb_link_port(gdb->link);
}
