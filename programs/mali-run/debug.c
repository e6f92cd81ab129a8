/* -debug, -gdb: the shader debugger, by commands from standard input or by GDB. */
#include "runtime/debug/debug.h"

#include <ctype.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "programs/mali-run/run.h"
#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/check/check.h"
#include "runtime/cpu/gdb_link.h"
#include "runtime/debug/remote.h"

struct run_debug {
    struct gpu_debug *debug;   /* belongs to `remote`, if there is one */
    struct gpu_remote *remote; /* NULL: commands */
    struct gdb_link *link;     /* NULL: standard input and output */
    int out;                   /* descriptor of the protocol in place of standard output */
    bool opened, ended;        /* the input */
};

/* ---- commands -------------------------------------------------------------------------------- */

/* Reads commands until one lets the job go on. At the end of the input it runs to its end. */
static void serve_console(void *opaque, struct gpu_debug *d)
{
    struct run_debug *r = opaque;
    char line[1024];

    gpu_debug_print_stop(d, stdout);
    while (!r->ended) {
        fputs("(shader) ", stdout);
        fflush(stdout);
        r->ended = !fgets(line, sizeof(line), stdin);
        if (!r->ended && gpu_debug_command(d, line, stdout))
            return;
    }
    gpu_debug_leave(d);
}

/* ---- GDB ------------------------------------------------------------------------------------- */

static int get_of_link(void *opaque, bool wait)
{
    return gdb_link_get(((struct run_debug *)opaque)->link, wait);
}

static void put_to_link(void *opaque, const void *bytes, size_t len)
{
    gdb_link_put(((struct run_debug *)opaque)->link, bytes, len);
}

static int get_of_input(void *opaque, bool wait)
{
    struct run_debug *r = opaque;
    struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};
    uint8_t byte;

    if (!r->opened) {
        r->opened = true;
        return GDB_LINK_OPENED;
    }
    if (r->ended || (!wait && poll(&p, 1, 0) <= 0))
        return GDB_LINK_NOTHING;
    if (read(STDIN_FILENO, &byte, 1) == 1)
        return byte;
    r->ended = true;
    return GDB_LINK_CLOSED;
}

static void put_to_output(void *opaque, const void *bytes, size_t len)
{
    const struct run_debug *r = opaque;
    const char *from = bytes;

    for (ssize_t done; len && (done = write(r->out, from, len)) > 0; len -= (size_t)done)
        from += done;
}

/* The architecture that GDB takes shaders for, as it has no other of 64 bits that wants as little:
 * AArch64, whose registers exist by name only. */
static struct gpu_remote *new_remote(const struct run_debugged *run, struct run_debug *r)
{
    static const char *const others[] = {"sp", "pc", "cpsr"};
    static const struct gpu_remote_io by_link = {.get = get_of_link, .put = put_to_link},
                                      by_streams = {.get = get_of_input, .put = put_to_output};
    enum { GENERAL = 31 };
    struct gpu_remote_register registers[GENERAL + ARRAY_SIZE(others)];
    struct gpu_remote_config config = {
        run->isa,  run->kernel,           run->width, "aarch64", "org.gnu.gdb.aarch64.core",
        registers, ARRAY_SIZE(registers), 0};
    struct gpu_remote_io io = r->link ? by_link : by_streams;

    for (unsigned i = 0; i < ARRAY_SIZE(registers); i++) {
        registers[i].bits = i == GENERAL + 2 ? 32 : 64;
        if (i < GENERAL)
            snprintf(registers[i].name, sizeof(registers[i].name), "x%u", i);
        else
            strcpy(registers[i].name, others[i - GENERAL]);
    }
    io.opaque = r;
    return gpu_remote_new(&config, &io);
}

/* Opens the address: a port of this host, or standard input and output. Everything else that is
 * printed then goes to the error stream. */
static bool open_address(struct run_debug *r, const char *address, struct error *err)
{
    char text[64];

    if (!strcmp(address, "stdio")) {
        r->out = dup(STDOUT_FILENO);
        return r->out >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0;
    }
    if (isdigit((unsigned char)*address)) {
        snprintf(text, sizeof(text), "tcp:127.0.0.1:%.20s", address);
        address = text;
    }
    r->link = gdb_link_new(address, NULL, err);
    if (r->link && gdb_link_port(r->link))
        fprintf(stderr, "mali-run: waits for GDB: target remote :%u\n", gdb_link_port(r->link));
    return r->link;
}

/* ---- life ------------------------------------------------------------------------------------ */

struct run_debug *run_debug_new(const struct run_debugged *run, struct gpu_cores *cores,
                                struct error *err)
{
    struct run_debug *r = xcalloc(1, sizeof(*r));

    r->out = -1;
    if (run->gdb && !open_address(r, run->gdb, err)) {
        run_debug_free(r);
        return NULL;
    }
    r->remote = run->gdb ? new_remote(run, r) : NULL;
    r->debug =
        r->remote ? gpu_remote_debug(r->remote)
                  : gpu_debug_new(run->isa, run->kernel,
                                  &(struct gpu_debug_front){.opaque = r, .stopped = serve_console});
    gpu_debug_attach(r->debug, cores);
    gpu_debug_pause(r->debug);
    return r;
}

void run_debug_expect(void *debug, const struct check_place *place)
{
    const struct run_debug *r = debug;

    gpu_debug_expect(r->debug,
                     &(struct gpu_debug_finding){place->race ? GPU_DEBUG_RACE : GPU_DEBUG_UNWRITTEN,
                                                 place->shader, place->bundle, place->group,
                                                 place->address, place->item, place->text});
}

void run_debug_end(struct run_debug *r, int status)
{
    if (r->remote)
        gpu_remote_end(r->remote, status);
    else
        printf("the run has ended, status %d\n", status);
}

void run_debug_free(struct run_debug *r)
{
    if (!r)
        return;
    if (r->remote)
        gpu_remote_free(r->remote);
    else
        gpu_debug_free(r->debug);
    gdb_link_free(r->link);
    if (r->out >= 0)
        close(r->out);
    free(r);
}
