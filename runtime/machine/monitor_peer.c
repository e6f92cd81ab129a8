/*
 * The peer of -monitor: a socket, a serial back end, or the terminal behind Ctrl-A c.
 *
 * Bounds      LINE_BYTES per line, what is longer is refused; one line per turn of the machine; of
 *             a socket's peer that does not read, the output of one command waits, and no more
 *             lines are taken; KEYS keys of the terminal wait
 */
#include "runtime/machine/monitor.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/alloc.h"
#include "runtime/base/cli.h"
#include "runtime/base/values.h"
#include "runtime/cpu/gdb_link.h"
#include "runtime/dev/chardev.h"
#include "runtime/machine/monitor_internal.h"

#define PROMPT "(gencc) "

enum { LINE_BYTES = 1024, KEYS = 4096 };

struct monitor {
    struct machine *m;
    struct cpu *cpu;
    struct gdb_link *link;   /* peer at a socket, or NULL */
    struct chardev *chardev; /* peer at another back end, or NULL */
    bool echoes;             /* the peer is a terminal in raw mode */

    char line[LINE_BYTES];
    size_t len;
    bool too_long;
    bool in_escape; /* in a terminal's escape sequence */

    pthread_mutex_t lock; /* guards the fields below */
    bool opened;          /* the peer is to be greeted */
    uint8_t keys[KEYS];
    size_t first, count;
};

/* ---- output ---------------------------------------------------------------------------------- */

static void put_output(struct monitor *mon, const char *text, size_t len)
{
    if (mon->link)
        gdb_link_put(mon->link, text, len);
    else if (mon->chardev)
        chardev_write(mon->chardev, (const uint8_t *)text, len);
    else if (write(STDOUT_FILENO, text, len) < 0)
        return; /* the terminal is gone */
}

static void put_text(struct monitor *mon, const char *text)
{
    put_output(mon, text, strlen(text));
}

static void greet_peer(struct monitor *mon)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);

    mon->len = 0;
    mon->too_long = mon->in_escape = false;
    if (!out)
        return;
    cli_print_version(mon->m->platform->name, out);
    fprintf(out, "monitor: 'help' lists the commands\n" PROMPT);
    fclose(out);
    put_output(mon, text, len);
    free(text);
}

static void do_nothing(void *opaque)
{
    (void)opaque;
}

static void execute_line(struct monitor *mon)
{
    struct monitor_call call = {.m = mon->m, .cpu = mon->cpu, .chosen = &mon->cpu, .arg = ""};
    char *text = NULL;
    size_t len = 0;

    call.out = open_memstream(&text, &len);
    if (!call.out)
        return;
    mon->line[mon->len] = 0;
    if (mon->too_long)
        fprintf(call.out, "a line has at most %d characters\n", LINE_BYTES - 1);
    else if (mon->line[strspn(mon->line, " \t")])
        monitor_line(&call, mon->line);
    fprintf(call.out, PROMPT);
    fclose(call.out);
    put_output(mon, text, len);
    free(text);
    mon->len = 0;
    mon->too_long = false;
    clock_post(&mon->m->clock, do_nothing, mon);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void erase_chars(struct monitor *mon, size_t count)
{
    while (count-- && mon->len) {
        mon->len--;
        if (mon->echoes)
            put_text(mon, "\b \b");
    }
}

static void add_key(struct monitor *mon, uint8_t key)
{
    char echo = (char)key;

    if (mon->len == LINE_BYTES - 1) {
        mon->too_long = true;
        return;
    }
    mon->line[mon->len++] = echo;
    if (mon->echoes)
        put_output(mon, &echo, 1);
}

/* Handles one byte; whether a line was executed. */
static bool handle_key(struct monitor *mon, uint8_t key)
{
    if (mon->in_escape) { /* ends with a letter; the '[' behind the escape is none */
        mon->in_escape = !((key >= 'A' && key <= 'Z') || (key >= 'a' && key <= 'z') || key == '~');
        return false;
    }
    switch (key) {
    case '\r':
    case '\n':
        if (key == '\r' && !mon->echoes)
            return false; /* the "\n" of "\r\n" ends the line */
        if (mon->echoes)
            put_text(mon, "\n");
        execute_line(mon);
        return true;
    case '\b':
    case 0x7f:
        erase_chars(mon, 1);
        break;
    case 0x15: /* Ctrl-U */
        erase_chars(mon, mon->len);
        break;
    case 0x1b:
        mon->in_escape = true;
        break;
    default:
        if (key >= ' ' || key == '\t')
            add_key(mon, key);
    }
    return false;
}

/* ---- input ----------------------------------------------------------------------------------- */

/* Without any bytes the peer is greeted. Called by any thread. */
static void queue_keys(void *opaque, const uint8_t *bytes, size_t len)
{
    struct monitor *mon = opaque;

    pthread_mutex_lock(&mon->lock);
    mon->opened |= !len;
    while (len-- && mon->count < KEYS)
        mon->keys[(mon->first + mon->count++) % KEYS] = *bytes++;
    pthread_mutex_unlock(&mon->lock);
    clock_post(&mon->m->clock, do_nothing, mon);
}

static size_t can_receive(void *opaque)
{
    struct monitor *mon = opaque;
    size_t room;

    pthread_mutex_lock(&mon->lock);
    room = KEYS - mon->count;
    pthread_mutex_unlock(&mon->lock);
    return room;
}

static void receive_keys(void *opaque, const uint8_t *bytes, size_t len)
{
    queue_keys(opaque, bytes, len);
}

/* The next byte, or a GDB_LINK value. */
static int next_byte(struct monitor *mon)
{
    int key = GDB_LINK_NOTHING;

    if (mon->link)
        return gdb_link_get(mon->link, false);
    pthread_mutex_lock(&mon->lock);
    if (mon->opened) {
        key = GDB_LINK_OPENED;
        mon->opened = false;
    } else if (mon->count) {
        key = mon->keys[mon->first];
        mon->first = (mon->first + 1) % KEYS;
        mon->count--;
    }
    pthread_mutex_unlock(&mon->lock);
    return key;
}

/* Executes at most one line. When there may be more, work was posted to the clock, so that a
 * machine that waits calls again. */
static void serve_input(void *opaque)
{
    struct monitor *mon = opaque;
    int key;

    while ((key = next_byte(mon)) != GDB_LINK_NOTHING) {
        if (key == GDB_LINK_OPENED)
            greet_peer(mon);
        else if (key == GDB_LINK_CLOSED)
            mon->len = 0; /* a part of a line is not executed */
        else if (handle_key(mon, (uint8_t)key))
            break;
    }
    if (mon->chardev)
        chardev_accept_input(mon->chardev);
}

/* ---- life ------------------------------------------------------------------------------------ */

/* Splits "ADDRESS[,server[=on|off]][,wait=on|off][,nowait]"; false: something else is there. */
static bool split_spec(char *spec, bool *server, bool *waits, struct error *err)
{
    char *list = strchr(spec, ','), *key, *value;

    *server = *waits = false;
    if (!list)
        return true;
    *list++ = 0;
    while (value_next(&list, &key, &value)) {
        bool ok = true;

        if (!key && !strcmp(value, "server"))
            *server = true;
        else if (!key && !strcmp(value, "nowait"))
            *waits = false;
        else if (key && !strcmp(key, "server"))
            ok = value_switch(value, "-monitor server", server, err);
        else if (key && !strcmp(key, "wait"))
            ok = value_switch(value, "-monitor wait", waits, err);
        else
            return error_set(err, "-monitor knows server=on|off and wait=on|off, not '%s'",
                             key ? key : value);
        if (!ok)
            return false;
    }
    return true;
}

static bool open_socket(struct monitor *mon, char *spec, struct error *err)
{
    struct clock *clock = &mon->m->clock;
    bool server, waits;

    if (!split_spec(spec, &server, &waits, err))
        return false;
    mon->link = server ? gdb_link_new(spec, clock, err) : gdb_link_connect(spec, clock, err);
    if (!mon->link)
        return false;
    if (gdb_link_port(mon->link) && server)
        fprintf(stderr, "%s: %-13sTCP port %u\n", mon->m->platform->name, "monitor",
                gdb_link_port(mon->link));
    if (server && waits)
        gdb_link_wait(mon->link);
    return true;
}

static void quit_machine(void *opaque)
{
    machine_stop(opaque, 0);
}

static bool open_chardev(struct monitor *mon, const char *spec, struct error *err)
{
    const struct chardev_client client = {can_receive, receive_keys, NULL, mon};
    struct chardev_host host = {.clock = &mon->m->clock, .quit = quit_machine, .opaque = mon->m};

    mon->chardev = chardev_open(spec, &host, err);
    if (!mon->chardev)
        return false;
    mon->echoes = !strcmp(spec, "stdio") && isatty(STDIN_FILENO);
    queue_keys(mon, NULL, 0);
    chardev_attach(mon->chardev, &client);
    return true;
}

static void end_monitor(void *opaque)
{
    struct monitor *mon = opaque;

    gdb_link_free(mon->link);
    chardev_close(mon->chardev);
    clock_unpost(&mon->m->clock, mon);
    pthread_mutex_destroy(&mon->lock);
    free(mon);
}

bool monitor_open(struct machine *m, struct error *err)
{
    const char *spec = m->options->monitor;
    struct monitor *mon;
    char *copy;
    bool ok;

    m->watch = (struct machine_watch){
        .serve = serve_input, .close = end_monitor, .command = monitor_command};
    if (spec ? !strcmp(spec, "none") : !isatty(STDIN_FILENO))
        return true;
    mon = xcalloc(1, sizeof(*mon));
    mon->m = m;
    mon->cpu = m->cpus[0];
    pthread_mutex_init(&mon->lock, NULL);
    m->watch.opaque = mon;
    if (!spec) {
        m->watch.keys = queue_keys;
        mon->echoes = true;
        return true;
    }
    copy = xstrdup(spec);
    if (!strncmp(spec, "tcp:", 4) || !strncmp(spec, "unix:", 5))
        ok = open_socket(mon, copy, err);
    else
        ok = open_chardev(mon, copy, err);
    free(copy);
    return ok;
}
