/*
 * GDB's connection to the shader debugger: what a GDB sends while a small job of the toy ISA is
 * debugged. Each line of the input is a packet, which gets its frame and sum here; after a '!' it is
 * sent as it stands. At the end of the input the job runs to its end.
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
};

/* Makes the next line's bytes; false: there are no more lines. */
static bool next_line(struct input *in)
{
    const uint8_t *end = memchr(in->line, '\n', (size_t)(in->end - in->line));
    struct gdb_text packet = {0};

    if (in->line == in->end)
        return false;
    end = end ? end : in->end;
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
    struct input in = {.line = data, .end = data + size};
    struct gpu_remote_config config = {&toy_isa, "toy", LANES, "none", "none", registers, 3, 0};
    struct gpu_remote *r =
        gpu_remote_new(&config, &(struct gpu_remote_io){.opaque = &in, .get = get, .put = put});
    struct bench *b = bench_new(LANES, 1, THREADS);

    bench_size(b, THREADS, GROUPS);
    write_shader(b);
    gpu_debug_attach(gpu_remote_debug(r), b->cores);
    gpu_debug_pause(gpu_remote_debug(r));
    bench_run(b, MAX_STEPS);
    gpu_remote_end(r, 0);
    bench_free(b);
    gpu_remote_free(r);
    vec_free(&in.bytes.chars);
    return 0;
}
