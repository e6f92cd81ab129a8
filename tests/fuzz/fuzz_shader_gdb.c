/*
 * GDB's connection to the shader debugger: what a GDB sends while a small job of the toy ISA is
 * debugged. Each line of the input is a packet, which gets its frame and sum here; after a '!' it
 * is sent as it stands. At the end of the input the job runs to its end.
 *
 * If the input begins with a '+', the shaders are a process of a session with others, which gives
 * them packets: those up to an empty line before the job, the others while it is stopped.
 */
#include "runtime/cpu/gdb_frame.h"
#include "runtime/cpu/gdb_link.h"
#include "runtime/debug/remote.h"
#include "tests/fuzz/fuzz.h"
#include "tests/gpu_core/bench.h"

#include <string.h>

enum { LANES = 4, THREADS = 13, GROUPS = 3, MAX_STEPS = 64 };

struct input {
    const uint8_t *line, *end; /* the rest of the input */
    struct gdb_text bytes;     /* made of the current line */
    size_t sent;
    bool opened;
    unsigned polls;
    struct gpu_remote *remote;
};

/* The end of the current line. */
static const uint8_t *line_end(const struct input *in)
{
    const uint8_t *end = memchr(in->line, '\n', (size_t)(in->end - in->line));

    return end ? end : in->end;
}

/* Makes the next line's bytes; false: there are no more lines. */
static bool next_line(struct input *in)
{
    const uint8_t *end = line_end(in);
    struct gdb_text packet = {0};

    if (in->line == in->end)
        return false;
    in->bytes.chars.len = 0;
    in->sent = 0;
    for (const uint8_t *at = in->line + (*in->line == '!'); at < end; at++)
        vec_push(&packet.chars, (char)*at);
    if (*in->line != '!')
        gdb_frame_wrap(&packet, &in->bytes);
    else
        for (size_t n = 0; n < packet.chars.len; n++)
            vec_push(&in->bytes.chars, packet.chars.data[n]);
    vec_free(&packet.chars);
    in->line = end < in->end ? end + 1 : end;
    return true;
}

static int get(void *opaque, bool wait)
{
    struct input *in = opaque;

    (void)wait;
    if (!in->opened) {
        in->opened = true;
        return GDB_LINK_OPENED;
    }
    while (in->sent == in->bytes.chars.len)
        if (!next_line(in))
            return GDB_LINK_NOTHING;
    return (uint8_t)in->bytes.chars.data[in->sent++];
}

/* Every byte of an answer is looked at, so that none is one that was never written. */
static void put(void *opaque, const void *bytes, size_t len)
{
    static volatile uint8_t sum;

    (void)opaque;
    for (size_t n = 0; n < len; n++)
        sum = (uint8_t)(sum + ((const uint8_t *)bytes)[n]);
}

/* ---- a process of a session ------------------------------------------------------------------ */

static void ignore_stop(void *opaque)
{
    (void)opaque;
}

/* Gives the process the packet of a line; an interrupt's byte stands for other processes that
 * stop. */
static bool serve_line(void *opaque)
{
    struct input *in = opaque;
    const uint8_t *end = line_end(in);
    struct gdb_text text = {0};

    if (in->line == in->end)
        return false;
    if (*in->line == GDB_INTERRUPT) {
        gpu_remote_halt(in->remote);
    } else {
        for (const uint8_t *at = in->line; at < end; at++)
            vec_push(&text.chars, (char)*at);
        vec_push(&text.chars, 0);
        gpu_remote_packet(in->remote, text.chars.data);
    }
    in->line = end < in->end ? end + 1 : end;
    vec_free(&text.chars);
    return true;
}

static bool is_interrupted(void *opaque)
{
    return ++((struct input *)opaque)->polls % 8 == 0;
}

/* Attaches, and gives the process what comes before the first job. */
static void begin_session(struct input *in)
{
    gpu_remote_attach(in->remote);
    in->line = line_end(in);
    in->line += in->line < in->end;
    while (in->line < in->end && *in->line != '\n')
        serve_line(in);
    in->line += in->line < in->end;
}

/* ---- the job --------------------------------------------------------------------------------- */

/* A load, a sum, a branch that some lanes take, a store. */
static void write_shader(struct bench *b)
{
    bench_set_word(b, BENCH_DATA, 5);
    bench_simple(b, 0, toy_word(TOY_ADD, TOY_UNIFORM_0, TOY_LANE_ID, 0), 0, 0, 1);
    bench_simple(b, 0, toy_word(TOY_LOAD, TOY_UNIFORM_0, TOY_ZERO, 0), 0, 0, 2);
    bench_simple(b, 0, toy_word(TOY_BRANCH, TOY_LANE_ID, TOY_ZERO, 2), 0, 0, 3);
    bench_simple(b, 0, toy_word(TOY_ADD, 0, 1, 1), 1, 2, 2);
    bench_simple(b, GPU_BUNDLE_END, toy_word(TOY_STORE, TOY_UNIFORM_0, 1, 0), 1, 2, 4);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct gpu_remote_register registers[] = {{"x0", 64}, {"pc", 64}, {"flags", 32}};
    bool session = size && *data == '+';
    struct input in = {.line = data, .end = data + size};
    struct gpu_remote_config config = {&toy_isa, "toy",     LANES, "none",
                                       "none",   registers, 3,     session ? 2 : 0};
    struct gpu_remote_io io = {.opaque = &in, .put = put};
    struct bench *b = bench_new(LANES, 1, THREADS);
    struct gpu_remote *r;

    if (session) {
        io.stopped = ignore_stop;
        io.serve = serve_line;
        io.interrupted = is_interrupted;
    } else {
        io.get = get;
    }
    in.remote = r = gpu_remote_new(&config, &io);
    bench_size(b, THREADS, GROUPS);
    write_shader(b);
    if (session)
        begin_session(&in);
    gpu_debug_attach(gpu_remote_debug(r), b->cores);
    gpu_debug_pause(gpu_remote_debug(r));
    bench_run(b, MAX_STEPS);
    if (session)
        gpu_remote_detach(r);
    gpu_remote_end(r, 0);
    bench_free(b);
    gpu_remote_free(r);
    vec_free(&in.bytes.chars);
    return 0;
}
