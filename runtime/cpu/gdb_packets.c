/* What GDB asks for, packet by packet. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/cpu/gdb_internal.h"

#define SIGTRAP_NUMBER 5
#define SIGINT_NUMBER  2

static void ok(struct gdb *gdb)
{
    gdb_reply(gdb, "OK");
}

static void bad(struct gdb *gdb)
{
    gdb_reply(gdb, "E01");
}

static struct cpu *cpu_at(const struct gdb *gdb, unsigned n)
{
    const struct cpu_group *g = gdb->config.group;

    return g->cpu[n < g->count ? n : 0];
}

/* A hexadecimal number at *text, which is moved behind it and behind the `end` that must follow (0:
 * nothing must). */
static bool number(const char **text, char end, uint64_t *value)
{
    char *after;

    *value = strtoull(*text, &after, 16);
    if (after == *text || (end && *after != end))
        return false;
    *text = after + (end != 0);
    return true;
}

/* A thread id, counted from 1; -1 and 0 are all or any. */
static bool thread_id(const struct gdb *gdb, const char **text, unsigned *cpu)
{
    uint64_t id;

    if (!strncmp(*text, "-1", 2)) {
        *text += 2;
        *cpu = GDB_ALL;
        return true;
    }
    if (!number(text, 0, &id) || id > gdb->config.group->count)
        return false;
    *cpu = id ? (unsigned)id - 1 : GDB_ALL;
    return true;
}

/* ---- stopping and going on ------------------------------------------------------------------- */

void gdb_reply_stop(struct gdb *gdb)
{
    const struct debug_stop *stop = debug_last_stop(gdb->debug);
    const struct cpu_group *g = gdb->config.group;
    struct gdb_text t = {0};
    unsigned n = 0;

    while (n + 1 < g->count && g->cpu[n] != stop->cpu)
        n++;
    gdb->g_cpu = n;
    gdb_text_add(&t, "T%02xthread:%x;", stop->why == DEBUG_REQUEST ? SIGINT_NUMBER : SIGTRAP_NUMBER,
                 n + 1);
    if (stop->why == DEBUG_WATCHPOINT)
        gdb_text_add(&t, "%s:%" PRIx64 ";",
                     stop->watch == DEBUG_WATCH_WRITE  ? "watch"
                     : stop->watch == DEBUG_WATCH_READ ? "rwatch"
                                                       : "awatch",
                     stop->address);
    gdb_reply_text(gdb, &t);
    vec_free(&t.chars);
}

static void resume(struct gdb *gdb)
{
    gdb->owes_stop = true;
    debug_resume(gdb->debug);
}

/* Packets c, C, s and S: a signal is not delivered, there is nobody to take it. */
static void run_one(struct gdb *gdb, const char *args, bool with_signal, bool step)
{
    unsigned which = gdb->c_cpu == GDB_ALL ? gdb->g_cpu : gdb->c_cpu;
    struct cpu *cpu = cpu_at(gdb, which);
    uint64_t value;

    if (with_signal) {
        args += strcspn(args, ";");
        args += *args == ';';
    }
    if (*args && number(&args, 0, &value))
        cpu_set_pc(cpu, cpu_wrap(cpu_isa(cpu), value));
    for (unsigned n = 0; step && n < gdb->config.group->count; n++)
        debug_set_action(gdb->debug, gdb->config.group->cpu[n],
                         gdb->config.group->cpu[n] == cpu ? DEBUG_STEP_ONE : DEBUG_FREEZE);
    resume(gdb);
}

/* vCont;ACTION[:THREAD]...: the first action that names a CPU is its; without one it is frozen. */
static void v_cont(struct gdb *gdb, const char *text)
{
    const struct cpu_group *g = gdb->config.group;
    enum debug_resume *actions = xcalloc(g->count, sizeof(*actions));
    bool valid = *text == ';';

    for (unsigned n = 0; n < g->count; n++)
        actions[n] = DEBUG_FREEZE;
    while (valid && *text == ';') {
        enum debug_resume action = (text[1] | 0x20) == 's' ? DEBUG_STEP_ONE : DEBUG_CONTINUE;
        unsigned which = GDB_ALL;

        valid = text[1] && strchr("cCsS", text[1]);
        text += 1 + strcspn(text + 1, ":;");
        if (*text == ':') {
            text++;
            valid = valid && thread_id(gdb, &text, &which);
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
        resume(gdb);
    else
        bad(gdb);
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
            bad(gdb);
            return;
        }
        gdb_register_write(&gdb->registers, cpu_at(gdb, gdb->g_cpu), n, value);
        hex += 2 * bytes;
    }
    ok(gdb);
}

static void read_register(struct gdb *gdb, const char *text)
{
    uint64_t n;

    if (number(&text, 0, &n) && n < gdb->registers.slots.len)
        read_registers(gdb, n, n + 1);
    else
        bad(gdb);
}

static void write_register(struct gdb *gdb, const char *text)
{
    uint64_t n;

    if (number(&text, '=', &n) && n < gdb->registers.slots.len)
        write_registers(gdb, n, n + 1, text);
    else
        bad(gdb);
}

static void read_memory(struct gdb *gdb, const char *text)
{
    struct cpu *cpu = cpu_at(gdb, gdb->g_cpu);
    struct gdb_text t = {0};
    uint8_t bytes[GDB_PACKET_MAX / 2];
    uint64_t va, len, done = 0;

    if (!number(&text, ',', &va) || !number(&text, 0, &len)) {
        bad(gdb);
        return;
    }
    len = len < sizeof(bytes) ? len : sizeof(bytes);
    /* What comes before an unmapped page is worth having. */
    while (done < len) {
        uint64_t room = CPU_PAGE_SIZE - ((va + done) & CPU_PAGE_MASK);
        uint64_t part = len - done < room ? len - done : room;

        if (!cpu_memory_read(cpu, va + done, bytes + done, part))
            break;
        done += part;
    }
    if (done < len && !done) {
        bad(gdb);
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

    if (number(&text, ',', &va) && number(&text, ':', &len) && len <= sizeof(bytes) &&
        gdb_parse_hex(text, bytes, len) &&
        cpu_memory_write(cpu_at(gdb, gdb->g_cpu), va, bytes, len))
        ok(gdb);
    else
        bad(gdb);
}

/* ---- breakpoints and watchpoints ------------------------------------------------------------- */

static void point(struct gdb *gdb, const char *text, bool add)
{
    static const unsigned kinds[] = {0, 0, DEBUG_WATCH_WRITE, DEBUG_WATCH_READ,
                                     DEBUG_WATCH_READ | DEBUG_WATCH_WRITE};
    uint64_t type, va, len;
    bool done;

    if (!number(&text, ',', &type) || !number(&text, ',', &va) || !number(&text, 0, &len)) {
        bad(gdb);
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
        ok(gdb);
    else
        bad(gdb);
}

/* ---- queries --------------------------------------------------------------------------------- */

static void q_threads(struct gdb *gdb)
{
    struct gdb_text t = {0};

    for (unsigned n = 0; n < gdb->config.group->count; n++)
        gdb_text_add(&t, "%c%x", n ? ',' : 'm', n + 1);
    gdb_reply_text(gdb, &t);
    vec_free(&t.chars);
}

static void q_thread_info(struct gdb *gdb, const char *text)
{
    struct gdb_text t = {0};
    char words[64];
    unsigned n;

    if (!thread_id(gdb, &text, &n) || n == GDB_ALL) {
        bad(gdb);
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

/* target.xml:OFFSET,LENGTH */
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
    if (!number(&text, ',', &offset) || !number(&text, 0, &len)) {
        bad(gdb);
        return;
    }
    offset = offset < size ? offset : size;
    len = len < GDB_PACKET_MAX / 2 ? len : GDB_PACKET_MAX / 2;
    len = len < size - offset ? len : size - offset;
    gdb_text_add(&t, "%c%.*s", offset + len < size ? 'm' : 'l', (int)len, xml->chars.data + offset);
    gdb_reply_text(gdb, &t);
    vec_free(&t.chars);
}

static bool starts(const char **text, const char *with)
{
    size_t len = strlen(with);

    if (strncmp(*text, with, len))
        return false;
    *text += len;
    return true;
}

/* Text for GDB's console, in packets of what it takes. */
static void print_on_console(struct gdb *gdb, const char *text, size_t len)
{
    for (size_t done = 0, part; done < len; done += part) {
        struct gdb_text t = {0};

        part = len - done < GDB_PACKET_MAX / 2 - 1 ? len - done : GDB_PACKET_MAX / 2 - 1;
        gdb_text_add(&t, "O");
        gdb_text_hex(&t, text + done, part);
        gdb_reply_text(gdb, &t);
        vec_free(&t.chars);
    }
}

/* A command in hexadecimal digits. */
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
        bad(gdb);
        return;
    }
    line[count] = 0;
    out = open_memstream(&text, &len);
    if (!out) {
        bad(gdb);
        return;
    }
    gdb->config.monitor(gdb->config.monitor_opaque, cpu_at(gdb, gdb->g_cpu), line, out);
    fclose(out);
    print_on_console(gdb, text, len);
    free(text);
    ok(gdb);
    gdb->monitored = true;
}

static void query(struct gdb *gdb, const char *text)
{
    if (starts(&text, "Supported"))
        gdb_reply(gdb, "PacketSize=%x;qXfer:features:read+;QStartNoAckMode+;vContSupported+",
                  GDB_PACKET_MAX);
    else if (starts(&text, "Xfer:features:read:"))
        q_features(gdb, text);
    else if (starts(&text, "fThreadInfo"))
        q_threads(gdb);
    else if (starts(&text, "sThreadInfo"))
        gdb_reply(gdb, "l");
    else if (starts(&text, "ThreadExtraInfo,"))
        q_thread_info(gdb, text);
    else if (starts(&text, "Rcmd,"))
        q_monitor(gdb, text);
    else if (starts(&text, "Attached"))
        gdb_reply(gdb, "1");
    else if (!strcmp(text, "C"))
        gdb_reply(gdb, "QC%x", gdb->g_cpu + 1);
    else
        gdb_reply(gdb, "%s", "");
}

/* ---- the rest -------------------------------------------------------------------------------- */

static void select_thread(struct gdb *gdb, const char *text)
{
    char what = *text;
    unsigned n;

    text += what != 0;
    if (!thread_id(gdb, &text, &n)) {
        bad(gdb);
        return;
    }
    if (what == 'c')
        gdb->c_cpu = n;
    else if (n != GDB_ALL)
        gdb->g_cpu = n;
    ok(gdb);
}

static void is_alive(struct gdb *gdb, const char *text)
{
    unsigned n;

    if (thread_id(gdb, &text, &n))
        ok(gdb);
    else
        bad(gdb);
}

static void detach(struct gdb *gdb)
{
    ok(gdb);
    debug_detach(gdb->debug);
    gdb->debug = debug_attach(gdb->config.group);
}

static void verbose(struct gdb *gdb, const char *text)
{
    if (!strcmp(text, "Cont?")) {
        gdb_reply(gdb, "vCont;c;C;s;S");
    } else if (starts(&text, "Cont")) {
        v_cont(gdb, text);
    } else if (starts(&text, "Kill")) {
        ok(gdb);
        gdb->quit = true;
    } else {
        gdb_reply(gdb, "%s", "");
    }
}

static void settings(struct gdb *gdb, const char *text)
{
    if (strcmp(text, "StartNoAckMode")) {
        gdb_reply(gdb, "%s", "");
        return;
    }
    ok(gdb);
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
        run_one(gdb, text, text[-1] == 'C', false);
        break;
    case 's':
    case 'S':
        run_one(gdb, text, text[-1] == 'S', true);
        break;
    case 'v':
        verbose(gdb, text);
        break;
    case 'g':
        read_registers(gdb, 0, gdb->registers.general);
        break;
    case 'G':
        write_registers(gdb, 0, gdb->registers.general, text);
        break;
    case 'p':
        read_register(gdb, text);
        break;
    case 'P':
        write_register(gdb, text);
        break;
    case 'm':
        read_memory(gdb, text);
        break;
    case 'M':
        write_memory(gdb, text);
        break;
    case 'Z':
    case 'z':
        point(gdb, text, text[-1] == 'Z');
        break;
    case 'H':
        select_thread(gdb, text);
        break;
    case 'T':
        is_alive(gdb, text);
        break;
    case 'q':
        query(gdb, text);
        break;
    case 'Q':
        settings(gdb, text);
        break;
    case 'D':
        detach(gdb);
        break;
    case 'k':
        gdb->quit = true;
        break;
    default:
        gdb_reply(gdb, "%s", "");
    }
}
