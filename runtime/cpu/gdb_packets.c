/* The packets of GDB's remote serial protocol, and their answers. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/cpu/gdb_internal.h"

#define SIGTRAP_NUMBER 5
#define SIGINT_NUMBER  2

static void reply_ok(struct gdb *gdb)
{
    gdb_reply(gdb, "OK");
}

static void reply_error(struct gdb *gdb)
{
    gdb_reply(gdb, "E01");
}

static struct cpu *cpu_at(const struct gdb *gdb, unsigned n)
{
    const struct cpu_group *g = gdb->config.group;

    return g->cpu[n < g->count ? n : 0];
}

/* Reads a hexadecimal number at *text and moves *text behind it and behind the character
 * `end`, which must follow (0: anything may). */
static bool parse_number(const char **text, char end, uint64_t *value)
{
    char *after;

    *value = strtoull(*text, &after, 16);
    if (after == *text || (end && *after != end))
        return false;
    *text = after + (end != 0);
    return true;
}

/* Reads a thread id, which is the CPU's index + 1; -1 and 0 (all, any) give GDB_ALL. */
static bool parse_thread_id(const struct gdb *gdb, const char **text, unsigned *cpu)
{
    struct gdb_thread id;

    if (!gdb_parse_thread(text, &id) ||
        (id.thread != GDB_EVERY && id.thread > gdb->config.group->count))
        return false;
    *cpu = id.thread && id.thread != GDB_EVERY ? (unsigned)id.thread - 1 : GDB_ALL;
    return true;
}

void gdb_print(struct gdb *gdb, const char *text, size_t len)
{
    for (size_t done = 0; done < len;) {
        struct gdb_text t = {0};

        done += gdb_text_console(&t, text + done, len - done);
        gdb_reply_text(gdb, &t);
        vec_free(&t.chars);
    }
}

/* ---- stopping and resuming ------------------------------------------------------------------- */

void gdb_reply_stop(struct gdb *gdb)
{
    const struct debug_stop *stop = debug_last_stop(gdb->debug);
    const struct cpu_group *g = gdb->config.group;
    bool asked = stop->why == DEBUG_REQUEST && !gdb->at_begin;
    unsigned n = 0, signal = asked ? SIGINT_NUMBER : SIGTRAP_NUMBER;
    struct gdb_text t = {0};

    while (n + 1 < g->count && g->cpu[n] != stop->cpu)
        n++;
    gdb->g_cpu = n;
    gdb->peer.selected = false;
    gdb_text_add(&t, "T%02xthread:", signal);
    gdb_text_thread(&t, gdb->process, n + 1);
    gdb_text_add(&t, ";");
    if (gdb->at_begin || stop->why == DEBUG_GOAL)
        gdb_text_add(&t, "replaylog:%s;", gdb->at_begin ? "begin" : "end");
    gdb->at_begin = false;
    if (stop->why == DEBUG_WATCHPOINT)
        gdb_text_add(&t, "%s:%" PRIx64 ";",
                     stop->watch == DEBUG_WATCH_WRITE  ? "watch"
                     : stop->watch == DEBUG_WATCH_READ ? "rwatch"
                                                       : "awatch",
                     stop->address);
    gdb_reply_text(gdb, &t);
    vec_free(&t.chars);
}

static void resume_cpus(struct gdb *gdb)
{
    gdb->stop_reply_pending = true;
    debug_resume(gdb->debug);
}

/* Packets c, C, s and S. Their signal is ignored, since a machine has no signals. */
static void continue_or_step(struct gdb *gdb, const char *args, bool with_signal, bool step)
{
    unsigned which = gdb->c_cpu == GDB_ALL ? gdb->g_cpu : gdb->c_cpu;
    struct cpu *cpu = cpu_at(gdb, which);
    uint64_t value;

    if (with_signal) {
        args += strcspn(args, ";");
        args += *args == ';';
    }
    if (*args && parse_number(&args, 0, &value))
        cpu_set_pc(cpu, cpu_wrap(cpu_isa_of(cpu), value));
    for (unsigned n = 0; step && n < gdb->config.group->count; n++)
        debug_set_action(gdb->debug, gdb->config.group->cpu[n],
                         gdb->config.group->cpu[n] == cpu ? DEBUG_STEP_ONE : DEBUG_FREEZE);
    resume_cpus(gdb);
}

/* Packets bs and bc: backwards. */
static void go_back(struct gdb *gdb, char what)
{
    struct cpu *cpu = cpu_at(gdb, gdb->c_cpu == GDB_ALL ? gdb->g_cpu : gdb->c_cpu);
    const char *note;
    enum gdb_back end;

    if (!gdb->config.back || (what != 's' && what != 'c')) {
        gdb_reply(gdb, "%s", "");
        return;
    }
    end = gdb->config.back(gdb->config.back_opaque, what == 's' ? cpu : NULL);
    gdb->at_begin = end == GDB_BACK_BEGIN;
    if (end == GDB_BACK_FAILED) {
        reply_error(gdb);
        return;
    }
    note = debug_last_stop(gdb->debug)->note;
    if (note)
        gdb_print(gdb, note, strlen(note));
    gdb_reply_stop(gdb);
}

/* Whether GDB may change the CPUs and memory; otherwise it gets an error. */
static bool may_change(struct gdb *gdb)
{
    if (!gdb->config.may_change || gdb->config.may_change(gdb->config.back_opaque))
        return true;
    reply_error(gdb);
    return false;
}

/* vCont;ACTION[:THREAD]...: each CPU does the first action that names it. */
bool gdb_continue(struct gdb *gdb, const char *text)
{
    const struct cpu_group *g = gdb->config.group;
    enum debug_resume *actions = xcalloc(g->count, sizeof(*actions));
    bool valid = !*text || *text == ';';

    for (unsigned n = 0; n < g->count; n++)
        actions[n] = DEBUG_FREEZE;
    while (valid && *text == ';') {
        enum debug_resume action = (text[1] | 0x20) == 's' ? DEBUG_STEP_ONE : DEBUG_CONTINUE;
        unsigned which = GDB_ALL;

        valid = text[1] && strchr("cCsS", text[1]);
        text += 1 + strcspn(text + 1, ":;");
        if (*text == ':') {
            text++;
            valid = valid && parse_thread_id(gdb, &text, &which);
        }
        for (unsigned n = 0; valid && n < g->count; n++) {
            if (actions[n] == DEBUG_FREEZE && (which == GDB_ALL || which == n))
                actions[n] = action;
        }
    }
    valid = valid && !*text;
    for (unsigned n = 0; valid && n < g->count; n++)
        debug_set_action(gdb->debug, g->cpu[n], actions[n]);
    free(actions);
    if (valid)
        resume_cpus(gdb);
    else
        reply_error(gdb);
    return valid;
}

/* ---- registers and memory -------------------------------------------------------------------- */

static void read_registers(struct gdb *gdb, size_t from, size_t to)
{
    struct gdb_text t = {0};
    uint8_t value[CPU_REGISTER_BYTES];

    for (size_t n = from; n < to; n++) {
        gdb_register_read(&gdb->registers, cpu_at(gdb, gdb->g_cpu), n, value);
        gdb_text_hex(&t, value, gdb->registers.slots.data[n].bytes);
    }
    gdb_reply_text(gdb, &t);
    vec_free(&t.chars);
}

static void write_registers(struct gdb *gdb, size_t from, size_t to, const char *hex)
{
    uint8_t value[CPU_REGISTER_BYTES];

    for (size_t n = from; n < to; n++) {
        unsigned bytes = gdb->registers.slots.data[n].bytes;

        if (!gdb_parse_hex(hex, value, bytes)) {
            reply_error(gdb);
            return;
        }
        gdb_register_write(&gdb->registers, cpu_at(gdb, gdb->g_cpu), n, value);
        hex += 2 * bytes;
    }
    reply_ok(gdb);
}

static void read_register(struct gdb *gdb, const char *text)
{
    uint64_t n;

    if (parse_number(&text, 0, &n) && n < gdb->registers.slots.len)
        read_registers(gdb, n, n + 1);
    else
        reply_error(gdb);
}

static void write_register(struct gdb *gdb, const char *text)
{
    uint64_t n;

    if (parse_number(&text, '=', &n) && n < gdb->registers.slots.len)
        write_registers(gdb, n, n + 1, text);
    else
        reply_error(gdb);
}

static void read_memory(struct gdb *gdb, const char *text)
{
    struct cpu *cpu = cpu_at(gdb, gdb->g_cpu);
    struct gdb_text t = {0};
    uint8_t bytes[GDB_PACKET_MAX / 2];
    uint64_t va, len, done = 0;

    if (!parse_number(&text, ',', &va) || !parse_number(&text, 0, &len)) {
        reply_error(gdb);
        return;
    }
    len = len < sizeof(bytes) ? len : sizeof(bytes);
    /* The bytes before an unmapped page are returned. */
    while (done < len) {
        uint64_t room = CPU_PAGE_SIZE - ((va + done) & CPU_PAGE_MASK);
        uint64_t part = len - done < room ? len - done : room;

        if (!cpu_memory_read(cpu, va + done, bytes + done, part))
            break;
        done += part;
    }
    if (done < len && !done) {
        reply_error(gdb);
        return;
    }
    gdb_text_hex(&t, bytes, done);
    gdb_reply_text(gdb, &t);
    vec_free(&t.chars);
}

static void write_memory(struct gdb *gdb, const char *text)
{
    uint8_t bytes[GDB_PACKET_MAX / 2];
    uint64_t va, len;

    if (parse_number(&text, ',', &va) && parse_number(&text, ':', &len) && len <= sizeof(bytes) &&
        gdb_parse_hex(text, bytes, len) &&
        cpu_memory_write(cpu_at(gdb, gdb->g_cpu), va, bytes, len))
        reply_ok(gdb);
    else
        reply_error(gdb);
}

/* ---- breakpoints and watchpoints ------------------------------------------------------------- */

/* Packets Z and z. */
static void change_point(struct gdb *gdb, const char *text, bool add)
{
    static const unsigned kinds[] = {0, 0, DEBUG_WATCH_WRITE, DEBUG_WATCH_READ,
                                     DEBUG_WATCH_READ | DEBUG_WATCH_WRITE};
    uint64_t type, va, len;
    bool done;

    if (!parse_number(&text, ',', &type) || !parse_number(&text, ',', &va) ||
        !parse_number(&text, 0, &len)) {
        reply_error(gdb);
        return;
    }
    if (type >= ARRAY_SIZE(kinds)) {
        gdb_reply(gdb, "%s", ""); /* not supported */
        return;
    }
    if (kinds[type])
        done = add ? debug_add_watchpoint(gdb->debug, va, len, kinds[type])
                   : debug_remove_watchpoint(gdb->debug, va, len, kinds[type]);
    else
        done = add ? debug_add_breakpoint(gdb->debug, va) : debug_remove_breakpoint(gdb->debug, va);
    if (done)
        reply_ok(gdb);
    else
        reply_error(gdb);
}

/* ---- queries --------------------------------------------------------------------------------- */

static void q_threads(struct gdb *gdb)
{
    struct gdb_text t = {0};

    for (unsigned n = 0; n < gdb->config.group->count; n++) {
        gdb_text_add(&t, "%c", n ? ',' : 'm');
        gdb_text_thread(&t, gdb->process, n + 1);
    }
    gdb_reply_text(gdb, &t);
    vec_free(&t.chars);
}

static void q_thread_info(struct gdb *gdb, const char *text)
{
    struct gdb_text t = {0};
    char words[64];
    unsigned n;

    if (!parse_thread_id(gdb, &text, &n) || n == GDB_ALL) {
        reply_error(gdb);
        return;
    }
    snprintf(words, sizeof(words), "CPU#%u [%s]", n,
             !cpu_is_powered(cpu_at(gdb, n)) ? "off"
             : cpu_is_halted(cpu_at(gdb, n)) ? "halted"
                                             : "running");
    gdb_text_hex(&t, words, strlen(words));
    gdb_reply_text(gdb, &t);
    vec_free(&t.chars);
}

/* Returns a part of the target description: target.xml:OFFSET,LENGTH. */
static void q_features(struct gdb *gdb, const char *text)
{
    const struct gdb_text *xml = &gdb->registers.xml;
    struct gdb_text t = {0};
    uint64_t offset, len;
    size_t size = xml->chars.len;

    if (strncmp(text, "target.xml:", 11)) {
        gdb_reply(gdb, "E00");
        return;
    }
    text += 11;
    if (!parse_number(&text, ',', &offset) || !parse_number(&text, 0, &len)) {
        reply_error(gdb);
        return;
    }
    offset = offset < size ? offset : size;
    len = len < GDB_PACKET_MAX / 2 ? len : GDB_PACKET_MAX / 2;
    len = len < size - offset ? len : size - offset;
    gdb_text_add(&t, "%c%.*s", offset + len < size ? 'm' : 'l', (int)len, xml->chars.data + offset);
    gdb_reply_text(gdb, &t);
    vec_free(&t.chars);
}

/* Runs a `monitor` command, given in hexadecimal digits. */
static void q_monitor(struct gdb *gdb, const char *hex)
{
    char line[GDB_PACKET_MAX / 2 + 1], *text = NULL;
    size_t count = strlen(hex) / 2, len = 0;
    FILE *out;

    if (!gdb->config.monitor) {
        gdb_reply(gdb, "%s", "");
        return;
    }
    if (strlen(hex) % 2 || !gdb_parse_hex(hex, line, count)) {
        reply_error(gdb);
        return;
    }
    line[count] = 0;
    out = open_memstream(&text, &len);
    if (!out) {
        reply_error(gdb);
        return;
    }
    gdb->config.monitor(gdb->config.monitor_opaque, cpu_at(gdb, gdb->g_cpu), line, out);
    fclose(out);
    gdb_print(gdb, text, len);
    free(text);
    reply_ok(gdb);
    gdb->monitored = true;
}

static void q_supported(struct gdb *gdb, const char *text)
{
    if (gdb->config.peer.attach && strstr(text, "multiprocess+"))
        gdb->process = GDB_CPUS;
    gdb_reply(gdb, "PacketSize=%x;qXfer:features:read+;QStartNoAckMode+;vContSupported+%s%s",
              GDB_PACKET_MAX, gdb->config.back ? ";ReverseStep+;ReverseContinue+" : "",
              gdb->process ? ";multiprocess+" : "");
}

static void q_current(struct gdb *gdb)
{
    struct gdb_text t = {0};

    gdb_text_add(&t, "QC");
    gdb_text_thread(&t, gdb->process, gdb->g_cpu + 1);
    gdb_reply_text(gdb, &t);
    vec_free(&t.chars);
}

static void answer_query(struct gdb *gdb, const char *text)
{
    if (gdb_skip_prefix(&text, "Supported"))
        q_supported(gdb, text);
    else if (gdb_skip_prefix(&text, "Xfer:features:read:"))
        q_features(gdb, text);
    else if (gdb_skip_prefix(&text, "fThreadInfo"))
        q_threads(gdb);
    else if (gdb_skip_prefix(&text, "sThreadInfo"))
        gdb_reply(gdb, "l");
    else if (gdb_skip_prefix(&text, "ThreadExtraInfo,"))
        q_thread_info(gdb, text);
    else if (gdb_skip_prefix(&text, "Rcmd,"))
        q_monitor(gdb, text);
    else if (gdb_skip_prefix(&text, "Attached"))
        gdb_reply(gdb, "1");
    else if (!strcmp(text, "C"))
        q_current(gdb);
    else
        gdb_reply(gdb, "%s", "");
}

/* ---- the rest -------------------------------------------------------------------------------- */

static void select_thread(struct gdb *gdb, const char *text)
{
    char what = *text;
    unsigned n;

    text += what != 0;
    if (!parse_thread_id(gdb, &text, &n)) {
        reply_error(gdb);
        return;
    }
    if (what == 'c')
        gdb->c_cpu = n;
    else if (n != GDB_ALL)
        gdb->g_cpu = n;
    reply_ok(gdb);
}

static void is_alive(struct gdb *gdb, const char *text)
{
    unsigned n;

    if (parse_thread_id(gdb, &text, &n))
        reply_ok(gdb);
    else
        reply_error(gdb);
}

void gdb_attach_anew(struct gdb *gdb)
{
    debug_detach(gdb->debug);
    gdb->debug = debug_attach(gdb->config.group);
    debug_set_exact(gdb->debug, gdb->config.exact);
}

static void detach_debugger(struct gdb *gdb)
{
    reply_ok(gdb);
    gdb_attach_anew(gdb);
}

static void handle_v_packet(struct gdb *gdb, const char *text)
{
    if (!strcmp(text, "Cont?")) {
        gdb_reply(gdb, "vCont;c;C;s;S");
    } else if (gdb_skip_prefix(&text, "Cont;")) {
        gdb_continue(gdb, text - 1);
    } else if (gdb_skip_prefix(&text, "Kill")) {
        reply_ok(gdb);
        gdb->quit = true;
    } else {
        gdb_reply(gdb, "%s", "");
    }
}

static void change_setting(struct gdb *gdb, const char *text)
{
    if (strcmp(text, "StartNoAckMode")) {
        gdb_reply(gdb, "%s", "");
        return;
    }
    reply_ok(gdb);
    gdb->no_ack = true;
}

void gdb_packet(struct gdb *gdb, const char *text)
{
    switch (*text++) {
    case '?':
        gdb_reply_stop(gdb);
        break;
    case 'c':
    case 'C':
        continue_or_step(gdb, text, text[-1] == 'C', false);
        break;
    case 's':
    case 'S':
        continue_or_step(gdb, text, text[-1] == 'S', true);
        break;
    case 'v':
        handle_v_packet(gdb, text);
        break;
    case 'g':
        read_registers(gdb, 0, gdb->registers.general);
        break;
    case 'G':
        if (may_change(gdb))
            write_registers(gdb, 0, gdb->registers.general, text);
        break;
    case 'p':
        read_register(gdb, text);
        break;
    case 'P':
        if (may_change(gdb))
            write_register(gdb, text);
        break;
    case 'm':
        read_memory(gdb, text);
        break;
    case 'M':
        if (may_change(gdb))
            write_memory(gdb, text);
        break;
    case 'Z':
    case 'z':
        change_point(gdb, text, text[-1] == 'Z');
        break;
    case 'H':
        select_thread(gdb, text);
        break;
    case 'T':
        is_alive(gdb, text);
        break;
    case 'q':
        answer_query(gdb, text);
        break;
    case 'Q':
        change_setting(gdb, text);
        break;
    case 'D':
        detach_debugger(gdb);
        break;
    case 'b':
        go_back(gdb, *text);
        break;
    case 'k':
        gdb->quit = true;
        break;
    default:
        gdb_reply(gdb, "%s", "");
    }
}
