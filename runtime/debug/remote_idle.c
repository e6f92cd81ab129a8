/*
 * Serving GDB while no job is stopped: there is one thread, which stands for the GPU that waits.
 * GDB may set breakpoints, and holds the GPU until it lets it go on.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/cpu/gdb_link.h"
#include "runtime/debug/remote_internal.h"

/* In a session it is none of a warp: GDB keeps what it has read of a thread that it has not
 * resumed, and may resume other processes only. */
static uint64_t idle_thread(const struct gpu_remote *r)
{
    return r->config.process ? INT32_MAX : 1;
}

/* Sends a packet with the idle thread's id. */
static void reply_idle(struct gpu_remote *r, const char *before, const char *behind)
{
    struct gdb_text t = {0};

    gdb_text_add(&t, "%s", before);
    remote_thread(r, &t, idle_thread(r));
    gdb_text_add(&t, "%s", behind);
    remote_reply_text(r, &t);
    vec_free(&t.chars);
}

static void reply_thread(struct gpu_remote *r, const char *words)
{
    struct gdb_text t = {0};

    gdb_text_hex(&t, words, strlen(words));
    remote_reply_text(r, &t);
    vec_free(&t.chars);
}

/* All registers are 0. */
static void reply_registers(struct gpu_remote *r, size_t from, size_t to)
{
    const uint64_t zero = 0;
    struct gdb_text t = {0};

    for (size_t n = from; n < to; n++)
        gdb_text_hex(&t, &zero, r->registers[n].bits / 8);
    remote_reply_text(r, &t);
    vec_free(&t.chars);
}

static void reply_register(struct gpu_remote *r, const char *digits)
{
    size_t n = strtoul(digits, NULL, 16);

    if (n < r->config.register_count)
        reply_registers(r, n, n + 1);
    else
        remote_reply(r, "E01");
}

static void go_on(struct gpu_remote *r)
{
    r->held = false;
    r->pending = true;
}

static void end_holding(struct gpu_remote *r)
{
    remote_leave(r);
    r->held = false;
}

static void answer_query(struct gpu_remote *r, const char *text)
{
    if (!strncmp(text, "fThreadInfo", 11))
        reply_idle(r, "m", "");
    else if (!strncmp(text, "ThreadExtraInfo,", 16))
        reply_thread(r, DEBUG_WAITS);
    else if (!strcmp(text, "C"))
        reply_idle(r, "QC", "");
    else
        remote_packet(r, text - 1);
}

static void handle_packet(struct gpu_remote *r, const char *text)
{
    switch (*text) {
    case '?':
        reply_idle(r, "T05thread:", ";");
        break;
    case 'g':
        reply_registers(r, 0, r->config.register_count);
        break;
    case 'p':
        reply_register(r, text + 1);
        break;
    case 'm':
    case 'M':
    case 'P':
        remote_reply(r, "E01");
        break;
    case 'H':
    case 'T':
        remote_reply(r, "OK");
        break;
    case 'c':
    case 'C':
    case 's':
    case 'S':
        go_on(r);
        break;
    case 'D':
    case 'k':
        if (*text == 'D')
            remote_reply(r, "OK");
        end_holding(r);
        break;
    case 'q':
        answer_query(r, text + 1);
        break;
    case 'v':
        if (!strncmp(text, "vCont;", 6))
            go_on(r);
        else
            remote_packet(r, text);
        if (!strncmp(text, "vKill", 5))
            r->held = false;
        break;
    default:
        remote_packet(r, text);
    }
}

static void take_byte(struct gpu_remote *r, uint8_t byte)
{
    enum gdb_frame_event event = gdb_frame_take(&r->frame, byte);

    if (event == GDB_FRAME_INTERRUPT && !r->held) {
        r->held = true;
        r->pending = false;
        reply_idle(r, "T02thread:", ";");
    }
    if (event != GDB_FRAME_PACKET && event != GDB_FRAME_DAMAGED)
        return;
    if (!r->no_ack)
        r->io.put(r->io.opaque, event == GDB_FRAME_PACKET ? "+" : "-", 1);
    if (event == GDB_FRAME_PACKET)
        handle_packet(r, r->frame.packet);
}

void gpu_remote_packet(struct gpu_remote *r, const char *text)
{
    if (r->debug->stopped)
        remote_packet(r, text);
    else
        handle_packet(r, text);
}

bool gpu_remote_serve(struct gpu_remote *r)
{
    int item;

    while ((item = r->io.get(r->io.opaque, false)) != GDB_LINK_NOTHING) {
        if (item == GDB_LINK_OPENED) {
            remote_opened(r);
            r->held = true;
        } else if (item == GDB_LINK_CLOSED) {
            r->connected = false;
            end_holding(r);
        } else {
            take_byte(r, (uint8_t)item);
        }
    }
    return !r->held;
}
