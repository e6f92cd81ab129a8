/*
 * The packets of GDB's remote protocol for the shader debugger.
 *
 * Bounds      a packet: GDB_PACKET_MAX; `info threads`: GPU_DEBUG_WARPS; MAX_POINTS breakpoints
 */
#include "runtime/debug/remote.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/cpu/gdb_link.h"
#include "runtime/debug/remote_internal.h"

enum { SIGNAL_INT = 2, SIGNAL_TRAP = 5, SIGNAL_FPE = 8, SIGNAL_SEGV = 11 };

/* ---- replies --------------------------------------------------------------------------------- */

void remote_reply_text(struct gpu_remote *r, const struct gdb_text *t)
{
    struct gdb_text out = {0};

    gdb_frame_wrap(t, &out);
    r->io.put(r->io.opaque, out.chars.data, out.chars.len);
    vec_free(&out.chars);
}

void remote_reply(struct gpu_remote *r, const char *text)
{
    struct gdb_text t = {0};

    gdb_text_add(&t, "%s", text);
    remote_reply_text(r, &t);
    vec_free(&t.chars);
}

void remote_thread(const struct gpu_remote *r, struct gdb_text *t, uint64_t thread)
{
    gdb_text_thread(t, r->config.process, thread);
}

static void reply_whether(struct gpu_remote *r, bool good)
{
    remote_reply(r, good ? "OK" : "E01");
}

void remote_print(struct gpu_remote *r, const char *text, size_t len)
{
    for (size_t done = 0; done < len;) {
        struct gdb_text t = {0};

        done += gdb_text_console(&t, text + done, len - done);
        remote_reply_text(r, &t);
        vec_free(&t.chars);
    }
}

/* ---- stops ----------------------------------------------------------------------------------- */

static const struct remote_point *point_of(const struct gpu_remote *r, unsigned number)
{
    vec_for_each (&r->points, p)
        if (p->number == number)
            return p;
    return NULL;
}

static void reply_stop(struct gpu_remote *r)
{
    const struct gpu_debug_stop *stop = gpu_debug_last_stop(r->debug);
    const struct remote_point *point = point_of(r, stop->point);
    static const char *const watches[] = {"watch", "rwatch", "awatch"};
    struct gdb_text t = {0};
    unsigned signal = stop->reason == GPU_DEBUG_PAUSE   ? SIGNAL_INT
                      : stop->reason == GPU_DEBUG_FAULT ? SIGNAL_SEGV
                      : stop->reason == GPU_DEBUG_NAN   ? SIGNAL_FPE
                                                        : SIGNAL_TRAP;

    gdb_text_add(&t, "T%02xthread:", signal);
    remote_thread(r, &t, stop->thread);
    gdb_text_add(&t, ";");
    if (point && point->type >= 2)
        gdb_text_add(&t, "%s:%" PRIx64 ";", watches[point->type - 2], stop->va);
    else if (point && r->says_why)
        gdb_text_add(&t, "swbreak:;");
    remote_reply_text(r, &t);
    vec_free(&t.chars);
    r->thread = stop->thread;
}

/* Says what GDB cannot know of a stop. */
static void print_reason(struct gpu_remote *r)
{
    const struct gpu_debug_stop *stop = gpu_debug_last_stop(r->debug);
    char text[sizeof(stop->text) + 1];

    if (stop->reason == GPU_DEBUG_STEP || stop->reason == GPU_DEBUG_PAUSE ||
        point_of(r, stop->point))
        return;
    snprintf(text, sizeof(text), "%s\n", stop->text);
    remote_print(r, text, strlen(text));
}

static void resume(struct gpu_remote *r, enum gpu_debug_motion motion)
{
    gpu_debug_go(r->debug, motion);
    r->resumed = r->pending = true;
}

void remote_leave(struct gpu_remote *r)
{
    r->points.len = 0;
    gpu_debug_leave(r->debug);
    r->resumed = true;
    r->pending = false;
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* Reads a hexadecimal number and the character behind it; 0: anything may be there. */
static bool take_number(const char **text, char end, uint64_t *value)
{
    char *after;

    *value = strtoull(*text, &after, 16);
    if (after == *text || (end && *after != end))
        return false;
    *text = after + (end != 0);
    return true;
}

/* The warp of a thread id; any and all are the current one. */
static bool take_thread(struct gpu_remote *r, const char **text, struct gpu_debug_warp *w)
{
    struct gdb_thread id;

    if (!gdb_parse_thread(text, &id))
        return false;
    return gpu_debug_find_warp(r->debug,
                               id.thread && id.thread != GDB_EVERY ? id.thread : r->thread, w);
}

static bool current_warp(struct gpu_remote *r, struct gpu_debug_warp *w)
{
    return gpu_debug_find_warp(r->debug, r->thread, w) ||
           gpu_debug_find_warp(r->debug, gpu_debug_last_stop(r->debug)->thread, w);
}

/* ---- registers and memory -------------------------------------------------------------------- */

static void read_registers(struct gpu_remote *r, size_t from, size_t to)
{
    struct gpu_debug_warp w;
    struct gdb_text t = {0};
    bool good = current_warp(r, &w);

    for (size_t n = from; good && n < to; n++)
        good = remote_get(r, &w, n, &t);
    if (good)
        remote_reply_text(r, &t);
    else
        reply_whether(r, false);
    vec_free(&t.chars);
}

static void read_register(struct gpu_remote *r, const char *text)
{
    uint64_t n;

    if (take_number(&text, 0, &n) && n < UINT16_MAX)
        read_registers(r, n, n + 1);
    else
        reply_whether(r, false);
}

static void write_register(struct gpu_remote *r, const char *text)
{
    struct gpu_debug_warp w;
    uint64_t n;

    reply_whether(r, take_number(&text, '=', &n) && n < UINT16_MAX && current_warp(r, &w) &&
                         remote_set(r, &w, n, text));
}

static void read_memory(struct gpu_remote *r, const char *text)
{
    uint8_t bytes[GDB_PACKET_MAX / 2 - 1];
    struct gdb_text t = {0};
    uint64_t va, len;
    size_t done = 0;

    if (take_number(&text, ',', &va) && take_number(&text, 0, &len))
        done = gpu_debug_read(r->debug, va, bytes, len < sizeof(bytes) ? len : sizeof(bytes));
    gdb_text_hex(&t, bytes, done);
    if (done)
        remote_reply_text(r, &t);
    else
        reply_whether(r, false);
    vec_free(&t.chars);
}

static void write_memory(struct gpu_remote *r, const char *text)
{
    uint8_t bytes[GDB_PACKET_MAX / 2];
    uint64_t va, len;

    reply_whether(r, take_number(&text, ',', &va) && take_number(&text, ':', &len) &&
                         len <= sizeof(bytes) && gdb_parse_hex(text, bytes, len) &&
                         gpu_debug_write(r->debug, va, bytes, len) == len);
}

/* ---- breakpoints ----------------------------------------------------------------------------- */

static bool add_point(struct gpu_remote *r, uint64_t type, uint64_t va, uint64_t bytes)
{
    static const unsigned accesses[] = {0, 0, GPU_DEBUG_STORES, GPU_DEBUG_LOADS,
                                        GPU_DEBUG_LOADS | GPU_DEBUG_STORES};
    struct gpu_debug_point p = {
        .kind = type < 2 ? GPU_DEBUG_AT_ADDRESS : GPU_DEBUG_AT_ACCESS,
        .address = va,
        .bytes = bytes,
        .accesses = accesses[type],
    };
    struct error err;
    unsigned number = gpu_debug_break(r->debug, &p, &err);

    if (number)
        vec_push(&r->points, (struct remote_point){type, va, bytes, number});
    return number;
}

static bool remove_point(struct gpu_remote *r, uint64_t type, uint64_t va, uint64_t bytes)
{
    vec_for_each (&r->points, p)
        if (p->type == type && p->va == va && p->bytes == bytes) {
            gpu_debug_delete(r->debug, p->number);
            *p = r->points.data[--r->points.len];
            return true;
        }
    return false;
}

/* Packets Z and z. */
static void change_point(struct gpu_remote *r, const char *text, bool add)
{
    uint64_t type, va, bytes;

    if (!take_number(&text, ',', &type) || !take_number(&text, ',', &va) ||
        !take_number(&text, 0, &bytes))
        reply_whether(r, false);
    else if (type > 4)
        remote_reply(r, "");
    else
        reply_whether(r, add ? add_point(r, type, va, bytes) : remove_point(r, type, va, bytes));
}

/* ---- going on -------------------------------------------------------------------------------- */

static void step_warp(struct gpu_remote *r, const struct gpu_debug_warp *w)
{
    const struct gpu_debug_stop *stop = gpu_debug_last_stop(r->debug);
    unsigned lane = (unsigned)__builtin_ctz(w->active ? w->active : w->live);

    gpu_debug_select(r->debug, w->thread, w->thread == stop->thread ? stop->lane : lane);
    resume(r, r->step);
}

/* vCont;ACTION[:THREAD]...: the first step counts; warps cannot be held back. */
static void continue_by_actions(struct gpu_remote *r, const char *text)
{
    struct gpu_debug_warp w;
    bool steps = false, runs = false;

    while (*text == ';' && text[1] && strchr("cCsS", text[1])) {
        bool step = (text[1] | 0x20) == 's';

        text += 1 + strcspn(text + 1, ":;");
        if (step && !steps) {
            const char *thread = text + 1;

            steps = *text == ':' ? take_thread(r, &thread, &w) : current_warp(r, &w);
        }
        runs |= !step;
        text += strcspn(text, ";");
    }
    if (*text || !(steps || runs))
        reply_whether(r, false);
    else if (steps)
        step_warp(r, &w);
    else
        resume(r, GPU_DEBUG_RUN);
}

static void step_or_continue(struct gpu_remote *r, bool step)
{
    struct gpu_debug_warp w;

    if (!step)
        resume(r, GPU_DEBUG_RUN);
    else if (current_warp(r, &w))
        step_warp(r, &w);
    else
        reply_whether(r, false);
}

/* ---- queries --------------------------------------------------------------------------------- */

static void list_threads(struct gpu_remote *r)
{
    struct gpu_debug_warp warps[GPU_DEBUG_WARPS];
    unsigned total = gpu_debug_warps(r->debug, warps, GPU_DEBUG_WARPS);
    struct gdb_text t = {0};

    for (unsigned i = 0; i < total && i < GPU_DEBUG_WARPS; i++) {
        gdb_text_add(&t, "%c", i ? ',' : 'm');
        remote_thread(r, &t, warps[i].thread);
    }
    remote_reply_text(r, &t);
    vec_free(&t.chars);
}

static void describe_thread(struct gpu_remote *r, const char *text)
{
    struct gpu_debug_warp w;
    struct gdb_text t = {0};
    char words[128];

    if (!take_thread(r, &text, &w)) {
        reply_whether(r, false);
        return;
    }
    gpu_debug_describe_warp(&w, words, sizeof(words));
    gdb_text_hex(&t, words, strlen(words));
    remote_reply_text(r, &t);
    vec_free(&t.chars);
}

/* Returns a part of the target description: target.xml:OFFSET,LENGTH. */
static void read_features(struct gpu_remote *r, const char *text)
{
    struct gdb_text t = {0};
    uint64_t offset, len, size = r->xml.chars.len;

    if (!gdb_skip_prefix(&text, "target.xml:") || !take_number(&text, ',', &offset) ||
        !take_number(&text, 0, &len)) {
        remote_reply(r, "E00");
        return;
    }
    offset = offset < size ? offset : size;
    len = len < GDB_PACKET_MAX / 2 ? len : GDB_PACKET_MAX / 2;
    len = len < size - offset ? len : size - offset;
    gdb_text_add(&t, "%c%.*s", offset + len < size ? 'm' : 'l', (int)len,
                 r->xml.chars.data + offset);
    remote_reply_text(r, &t);
    vec_free(&t.chars);
}

/* `monitor step WHAT` chooses what a step of GDB is. Steps themselves are GDB's. */
static bool choose_step(struct gpu_remote *r, const char *line, FILE *out)
{
    const struct gpu_isa *isa = r->config.isa;

    if (!strcmp(line, isa->stage_name) || !strcmp(line, "stage"))
        r->step = GPU_DEBUG_BY_STAGE;
    else if (!strcmp(line, isa->bundle_name))
        r->step = GPU_DEBUG_BY_BUNDLE;
    else if (!strcmp(line, "warp"))
        r->step = GPU_DEBUG_BY_WARP;
    else if (!strcmp(line, "item"))
        r->step = GPU_DEBUG_BY_ITEM;
    else
        return fprintf(out, "step takes %s, %s, warp or item\n", isa->bundle_name, isa->stage_name);
    return fprintf(out, "a step is one %s now\n", line);
}

static void run_monitor(struct gpu_remote *r, const char *hex)
{
    char line[GDB_PACKET_MAX / 2 + 1], *text = NULL;
    size_t count = strlen(hex) / 2, len = 0;
    bool good = strlen(hex) % 2 == 0 && gdb_parse_hex(hex, line, count);
    FILE *out = good ? open_memstream(&text, &len) : NULL;

    if (!out) {
        reply_whether(r, false);
        return;
    }
    line[count] = 0;
    if (!strncmp(line, "step ", 5))
        choose_step(r, line + 5, out);
    else if (gpu_debug_command(r->debug, line, out)) {
        gpu_debug_go(r->debug, GPU_DEBUG_RUN);
        fputs("GDB's own commands let the job go on: continue, stepi\n", out);
    }
    fclose(out);
    r->thread = gpu_debug_last_stop(r->debug)->thread;
    remote_print(r, text, len);
    free(text);
    reply_whether(r, true);
}

static void answer_query(struct gpu_remote *r, const char *text)
{
    if (gdb_skip_prefix(&text, "Supported")) {
        r->says_why = strstr(text, "swbreak+") != NULL;
        remote_reply(
            r, "PacketSize=4000;qXfer:features:read+;QStartNoAckMode+;vContSupported+;swbreak+");
    } else if (gdb_skip_prefix(&text, "Xfer:features:read:")) {
        read_features(r, text);
    } else if (gdb_skip_prefix(&text, "fThreadInfo")) {
        list_threads(r);
    } else if (gdb_skip_prefix(&text, "sThreadInfo")) {
        remote_reply(r, "l");
    } else if (gdb_skip_prefix(&text, "ThreadExtraInfo,")) {
        describe_thread(r, text);
    } else if (gdb_skip_prefix(&text, "Rcmd,")) {
        run_monitor(r, text);
    } else if (gdb_skip_prefix(&text, "Attached")) {
        remote_reply(r, "1");
    } else if (!strcmp(text, "C")) {
        struct gdb_text t = {0};

        gdb_text_add(&t, "QC");
        remote_thread(r, &t, gpu_debug_last_stop(r->debug)->thread);
        remote_reply_text(r, &t);
        vec_free(&t.chars);
    } else {
        remote_reply(r, "");
    }
}

/* ---- packets --------------------------------------------------------------------------------- */

static void select_thread(struct gpu_remote *r, const char *text)
{
    struct gpu_debug_warp w;
    char what = *text;

    text += what != 0;
    if (!take_thread(r, &text, &w)) {
        reply_whether(r, false);
        return;
    }
    if (what == 'g') {
        r->thread = w.thread;
        if (w.thread != gpu_debug_last_stop(r->debug)->thread)
            gpu_debug_select(r->debug, w.thread,
                             (unsigned)__builtin_ctz(w.active ? w.active : w.live));
    }
    reply_whether(r, true);
}

static void handle_v(struct gpu_remote *r, const char *text)
{
    if (!strcmp(text, "Cont?")) {
        remote_reply(r, "vCont;c;C;s;S");
    } else if (gdb_skip_prefix(&text, "Cont")) {
        continue_by_actions(r, text);
    } else if (gdb_skip_prefix(&text, "Kill")) {
        reply_whether(r, true);
        remote_leave(r);
    } else {
        remote_reply(r, "");
    }
}

static void handle_q(struct gpu_remote *r, const char *text)
{
    bool known = !strcmp(text, "StartNoAckMode");

    remote_reply(r, known ? "OK" : "");
    r->no_ack |= known;
}

void remote_packet(struct gpu_remote *r, const char *text)
{
    struct gpu_debug_warp w;

    switch (*text++) {
    case '?':
        reply_stop(r);
        break;
    case 'c':
    case 'C':
    case 's':
    case 'S':
        step_or_continue(r, (text[-1] | 0x20) == 's');
        break;
    case 'v':
        handle_v(r, text);
        break;
    case 'g':
        read_registers(r, 0, r->config.register_count);
        break;
    case 'p':
        read_register(r, text);
        break;
    case 'P':
        write_register(r, text);
        break;
    case 'm':
        read_memory(r, text);
        break;
    case 'M':
        write_memory(r, text);
        break;
    case 'Z':
    case 'z':
        change_point(r, text, text[-1] == 'Z');
        break;
    case 'H':
        select_thread(r, text);
        break;
    case 'T':
        reply_whether(r, take_thread(r, &text, &w));
        break;
    case 'D':
        reply_whether(r, true);
        remote_leave(r);
        break;
    case 'k':
        remote_leave(r);
        break;
    case 'q':
        answer_query(r, text);
        break;
    case 'Q':
        handle_q(r, text);
        break;
    default:
        remote_reply(r, "");
    }
}

/* ---- the job's side -------------------------------------------------------------------------- */

void remote_opened(struct gpu_remote *r)
{
    r->connected = true;
    r->no_ack = r->pending = r->says_why = false;
    r->frame.state = GDB_IDLE;
    r->thread = gpu_debug_last_stop(r->debug)->thread;
}

/* Takes a byte while the job is stopped. */
static void take_byte(struct gpu_remote *r, uint8_t byte)
{
    enum gdb_frame_event event = gdb_frame_take(&r->frame, byte);

    if (event != GDB_FRAME_PACKET && event != GDB_FRAME_DAMAGED)
        return;
    if (!r->no_ack)
        r->io.put(r->io.opaque, event == GDB_FRAME_PACKET ? "+" : "-", 1);
    if (event == GDB_FRAME_PACKET)
        remote_packet(r, r->frame.packet);
}

/* Serves GDB by what it sends next; false: there is no more. */
static bool serve_stopped(struct gpu_remote *r)
{
    int item;

    if (r->io.serve)
        return r->io.serve(r->io.opaque);
    item = r->io.get(r->io.opaque, true);
    if (item == GDB_LINK_OPENED) {
        remote_opened(r);
    } else if (item == GDB_LINK_CLOSED) {
        r->connected = false;
        remote_leave(r);
    } else if (item != GDB_LINK_NOTHING) {
        take_byte(r, (uint8_t)item);
    }
    return item != GDB_LINK_NOTHING;
}

static void on_stopped(void *opaque, struct gpu_debug *d)
{
    struct gpu_remote *r = opaque;

    (void)d;
    if (r->io.serve && !r->connected)
        return; /* the session has ended */
    r->resumed = false;
    if (r->io.stopped)
        r->io.stopped(r->io.opaque);
    if (r->connected && r->pending) {
        r->pending = false;
        print_reason(r);
        reply_stop(r);
    }
    while (!r->resumed && serve_stopped(r))
        ;
    if (!r->resumed)
        remote_leave(r);
}

/* While the job runs, GDB sends an interrupt only. */
static bool on_poll(void *opaque)
{
    struct gpu_remote *r = opaque;
    int item;

    if (r->io.interrupted)
        return r->io.interrupted(r->io.opaque);
    while ((item = r->io.get(r->io.opaque, false)) != GDB_LINK_NOTHING) {
        if (item == GDB_LINK_OPENED) {
            remote_opened(r);
            return true;
        }
        if (item == GDB_LINK_CLOSED) {
            r->connected = false;
            remote_leave(r);
        } else if (gdb_frame_take(&r->frame, (uint8_t)item) == GDB_FRAME_INTERRUPT) {
            return true;
        }
    }
    return false;
}

/* ---- a process of a session ------------------------------------------------------------------ */

void gpu_remote_attach(struct gpu_remote *r)
{
    remote_opened(r);
}

void gpu_remote_detach(struct gpu_remote *r)
{
    r->connected = false;
    remote_leave(r);
}

void gpu_remote_halt(struct gpu_remote *r)
{
    r->pending = false;
    gpu_debug_go(r->debug, GPU_DEBUG_RUN);
}

/* ---- life ------------------------------------------------------------------------------------ */

struct gpu_remote *gpu_remote_new(const struct gpu_remote_config *config,
                                  const struct gpu_remote_io *io)
{
    struct gpu_remote *r = xcalloc(1, sizeof(*r));

    r->config = *config;
    r->registers = xcalloc(config->register_count, sizeof(*r->registers));
    memcpy(r->registers, config->registers, config->register_count * sizeof(*r->registers));
    r->config.registers = r->registers;
    r->io = *io;
    r->step = GPU_DEBUG_BY_BUNDLE;
    r->debug = gpu_debug_new(config->isa, config->kernel,
                             &(struct gpu_debug_front){r, on_stopped, on_poll});
    gpu_debug_break(r->debug, &(struct gpu_debug_point){.kind = GPU_DEBUG_AT_FAULT}, NULL);
    remote_describe(r);
    return r;
}

void gpu_remote_free(struct gpu_remote *r)
{
    if (!r)
        return;
    gpu_debug_free(r->debug);
    vec_free(&r->points);
    vec_free(&r->xml.chars);
    free(r->registers);
    free(r);
}

struct gpu_debug *gpu_remote_debug(struct gpu_remote *r)
{
    return r->debug;
}

void gpu_remote_end(struct gpu_remote *r, int status)
{
    struct gdb_text t = {0};

    if (!r->connected || !r->pending)
        return;
    gdb_text_add(&t, "W%02x", status & UINT8_MAX);
    remote_reply_text(r, &t);
    vec_free(&t.chars);
}
