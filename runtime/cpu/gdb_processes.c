/*
 * A session of GDB with two processes, the CPUs and a peer: which of them a packet is for. Source:
 * the GDB manual, "Packets" and "vCont packet", multiprocess extensions.
 *
 * The CPUs have no packet of the peer to answer, and the reverse: each reads the threads that it is
 * given as its own.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/cpu/gdb_internal.h"

static void to_peer(struct gdb *gdb, const char *text)
{
    gdb->config.peer.packet(gdb->config.peer.opaque, text);
}

static void print_text(struct gdb *gdb, const char *text)
{
    gdb_print(gdb, text, strlen(text));
}

/* ---- attaching ------------------------------------------------------------------------------- */

void gdb_leave_peer(struct gdb *gdb)
{
    if (gdb->peer.attached)
        gdb->config.peer.detach(gdb->config.peer.opaque);
    gdb->peer.attached = gdb->peer.selected = gdb->peer.stopped = false;
}

static void attach_peer(struct gdb *gdb)
{
    struct error err = {0};

    if (gdb->peer.attached || !gdb->config.peer.attach(gdb->config.peer.opaque, &err)) {
        if (*err.text) {
            print_text(gdb, err.text);
            print_text(gdb, "\n");
        }
        gdb_reply(gdb, "E01");
        return;
    }
    gdb->peer.attached = gdb->peer.selected = true;
    to_peer(gdb, "?");
}

/* GDB comes back to the CPUs. */
static void attach_cpus(struct gdb *gdb)
{
    if (!gdb->left) {
        gdb_reply(gdb, "E01");
        return;
    }
    gdb->left = false;
    debug_stop(gdb->debug);
    gdb_reply_stop(gdb);
}

static void attach(struct gdb *gdb, const char *number)
{
    uint64_t process = strtoull(number, NULL, 16);

    if (process == GDB_PEER)
        attach_peer(gdb);
    else if (process == GDB_CPUS)
        attach_cpus(gdb);
    else
        gdb_reply(gdb, "E01");
}

/* Packets D;PROCESS and vKill;PROCESS, and D, which is of all. */
static void leave(struct gdb *gdb, const char *text)
{
    uint64_t process = *text == ';' ? strtoull(text + 1, NULL, 16) : 0;

    if (process == GDB_PEER) {
        gdb_reply(gdb, gdb->peer.attached ? "OK" : "E01");
        if (gdb->peer.stopped && debug_is_stopped(gdb->debug))
            cpu_group_stop(gdb->config.group); /* the event ends, and the CPUs stand still */
        gdb_leave_peer(gdb);
        return;
    }
    if (!process)
        gdb_leave_peer(gdb);
    gdb->left = gdb->peer.attached;
    gdb_packet(gdb, "D");
}

/* ---- going on -------------------------------------------------------------------------------- */

void gdb_peer_stopped(struct gdb *gdb)
{
    gdb->peer.stopped = true;
    gdb->peer.selected = true;
    gdb->stop_reply_pending = false;
    if (!debug_is_stopped(gdb->debug))
        debug_set_stop(gdb->debug,
                       &(struct debug_stop){.why = DEBUG_HELD, .cpu = gdb->config.group->cpu[0]});
}

void gdb_reply_idle_peer(struct gdb *gdb)
{
    gdb->stop_reply_pending = false;
    debug_stop(gdb->debug);
    gdb->config.peer.halt(gdb->config.peer.opaque);
    gdb->peer.selected = true;
    print_text(gdb, gdb->config.peer.idle);
    to_peer(gdb, "?");
}

/* The CPUs cannot go on alone while an event of theirs is not over. */
static void refuse_to_go_on(struct gdb *gdb)
{
    struct gdb_text t = {0};

    print_text(gdb, gdb->config.peer.held);
    gdb_text_add(&t, "T00thread:");
    gdb_text_thread(&t, gdb->process, gdb->g_cpu + 1);
    gdb_text_add(&t, ";");
    gdb_reply_text(gdb, &t);
    vec_free(&t.chars);
    gdb->peer.selected = false;
}

/* The part of the actions that is for a process, as its own packet vCont. */
static void take_actions(const char *text, uint64_t process, struct gdb_text *out)
{
    gdb_text_add(out, "vCont");
    while (*text == ';') {
        size_t len = 1 + strcspn(text + 1, ";"), to_id = strcspn(text, ":");
        const char *id = text + to_id + 1;
        struct gdb_thread thread = {0};

        if (to_id >= len || !gdb_parse_thread(&id, &thread) || !thread.process ||
            thread.process == GDB_EVERY || thread.process == process)
            gdb_text_add(out, "%.*s", (int)len, text);
        text += len;
    }
    vec_push(&out->chars, '\0');
}

/* What packet vCont has behind that word. */
static void go_on(struct gdb *gdb, const char *actions)
{
    static const size_t word = sizeof("vCont") - 1;
    struct gdb_text cpus = {0}, peer = {0};
    bool cpus_go, peer_goes;

    take_actions(actions, GDB_CPUS, &cpus);
    take_actions(actions, GDB_PEER, &peer);
    cpus_go = cpus.chars.data[word] || gdb->left;
    peer_goes = peer.chars.data[word];
    if (!cpus_go && !(peer_goes && gdb->peer.attached)) {
        gdb_reply(gdb, "E01");
    } else if (gdb->peer.stopped && !peer_goes) {
        refuse_to_go_on(gdb);
    } else if (gdb_continue(gdb, gdb->left ? ";c" : cpus.chars.data + word) && gdb->peer.attached) {
        gdb->peer.alone = !cpus_go && !gdb->config.exact;
        gdb->peer.stopped = false;
        to_peer(gdb, peer_goes ? peer.chars.data : "vCont;c");
    }
    vec_free(&cpus.chars);
    vec_free(&peer.chars);
}

/* Packet s, for the selected thread. */
static void step_on(struct gdb *gdb)
{
    struct gdb_text t = {0};

    gdb_text_add(&t, ";s:");
    gdb_text_thread(&t, gdb->peer.selected ? GDB_PEER : GDB_CPUS,
                    gdb->peer.selected ? 0 : gdb->g_cpu + 1);
    gdb_text_add(&t, ";c");
    vec_push(&t.chars, '\0');
    go_on(gdb, t.chars.data);
    vec_free(&t.chars);
}

/* ---- which of the two ------------------------------------------------------------------------ */

/* Answers a packet that ends with a thread id: for the process of the thread. */
static void by_thread(struct gdb *gdb, const char *packet, const char *id)
{
    struct gdb_thread thread;
    bool known = gdb_parse_thread(&id, &thread);
    bool of_peer = thread.process ? thread.process == GDB_PEER : gdb->peer.selected;

    if (!known || (thread.process != GDB_EVERY && thread.process > GDB_PEER) ||
        (of_peer && !gdb->peer.attached)) {
        gdb_reply(gdb, "E01");
        return;
    }
    if (*packet == 'H' && packet[1] == 'g')
        gdb->peer.selected = of_peer;
    if (of_peer)
        to_peer(gdb, packet);
    else
        gdb_packet(gdb, packet);
}

static void by_selection(struct gdb *gdb, const char *packet)
{
    if (gdb->peer.selected)
        to_peer(gdb, packet);
    else
        gdb_packet(gdb, packet);
}

static void query(struct gdb *gdb, const char *packet)
{
    const char *rest = packet;

    if (gdb_skip_prefix(&rest, "qThreadExtraInfo,")) {
        by_thread(gdb, packet, rest);
    } else if (!strcmp(packet, "qfThreadInfo")) {
        gdb->peer.told = !gdb->peer.attached;
        gdb_packet(gdb, packet);
    } else if (!strcmp(packet, "qsThreadInfo")) {
        if (gdb->peer.told)
            gdb_packet(gdb, packet);
        else
            to_peer(gdb, "qfThreadInfo");
        gdb->peer.told = true;
    } else if (gdb_skip_prefix(&rest, "qSupported") || gdb_skip_prefix(&rest, "qAttached")) {
        gdb_packet(gdb, packet);
    } else {
        by_selection(gdb, packet);
    }
}

static void verb(struct gdb *gdb, const char *packet)
{
    const char *rest = packet;

    if (gdb_skip_prefix(&rest, "vAttach;"))
        attach(gdb, rest);
    else if (gdb_skip_prefix(&rest, "vCont;"))
        go_on(gdb, rest - 1);
    else if (gdb_skip_prefix(&rest, "vKill;") && strtoull(rest, NULL, 16) == GDB_PEER)
        leave(gdb, rest - 1);
    else
        gdb_packet(gdb, packet);
}

void gdb_dispatch(struct gdb *gdb, const char *text)
{
    const char *rest = text;

    if (!gdb->process && !gdb_skip_prefix(&rest, "qSupported")) {
        gdb_packet(gdb, text);
        return;
    }
    switch (*text) {
    case 'H':
        by_thread(gdb, text, text + (text[1] ? 2 : 1));
        break;
    case 'T':
        by_thread(gdb, text, text + 1);
        break;
    case 'q':
        query(gdb, text);
        break;
    case 'v':
        verb(gdb, text);
        break;
    case 'D':
        leave(gdb, text + 1);
        break;
    case '!':
        gdb_reply(gdb, "OK");
        break;
    case 'c':
    case 'C':
        go_on(gdb, ";c");
        break;
    case 's':
    case 'S':
        step_on(gdb);
        break;
    case 'b':
    case 'k':
        gdb_packet(gdb, text);
        break;
    default:
        by_selection(gdb, text);
    }
}
