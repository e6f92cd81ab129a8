/*
 * The bound on a job's trace for time models: groups beyond it, the last ones, are not traced.
 * Their choice does not depend on the number of host threads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/gpu/shader/core.h"
#include "runtime/gpu/timing_capture.h"
#include "tests/gpu_core/bench.h"

enum { LANES = 4, OUT = BENCH_DATA, GROUPS = 40, WINDOWS = 8, TOUCH_EACH = 64 };

/*
 * Each group runs a loop of three bundles for some windows and accesses memory without order now
 * and then.
 */
static void touch_memory(const struct gpu_warp *dumped)
{
    struct gpu_warp *w = (struct gpu_warp *)(uintptr_t)dumped;
    uint32_t *left = gpu_slot(w, 1);
    uint32_t r;

    if (!gpu_slot(w, 2)[0]) {
        gpu_slot(w, 2)[0] = 1;
        left[0] = WINDOWS * GPU_WINDOW_BUNDLES / 3;
    }
    r = left[0] * 2654435761u ^ (uint32_t)w->group->index * 40503u;
    if (left[0] % TOUCH_EACH == 0)
        gpu_read32(w, NULL, 0, OUT + r % 8000 / 4 * 4);
}

static void put_shader(struct bench *b)
{
    uint64_t loop;

    toy_dump = touch_memory;
    bench_size(b, 1, GROUPS);
    loop = bench_simple(b, 0, toy_word(TOY_DUMP, 0, 0, 0), 0, 0, TOY_REGISTERS);
    bench_simple(b, 0, toy_word(TOY_ADD, 0, TOY_ZERO, (unsigned)-1), 1, 0, 1);
    bench_simple(b, 0, toy_word(TOY_BRANCH, 0, 0, (unsigned)((loop - b->code_end) / 16)), 1, 0,
                 TOY_REGISTERS);
    bench_simple(b, GPU_BUNDLE_END, toy_word(TOY_NOP, 0, 0, 0), 0, 0, TOY_REGISTERS);
}

/* Facts of the last trace received. */
struct seen {
    size_t groups, bytes;
    uint64_t index[GROUPS];
    uint64_t hash;
};

static void take_trace(void *opaque, const struct timing_job *job)
{
    struct seen *s = opaque;

    s->groups = job->groups.len;
    s->bytes = 0;
    s->hash = 0;
    for (size_t i = 0; i < job->groups.len; i++) {
        const struct timing_row *row = &job->groups.data[i].rows[0];

        s->index[i] = job->groups.data[i].index;
        s->bytes += row->bytes;
        for (size_t n = 0; n < row->bytes; n++)
            s->hash = (s->hash ^ row->data[n]) * UINT64_C(0x100000001b3);
    }
}

/* Traces the job within `room` bytes. Returns the largest sum of its groups' traces. */
static size_t run_traced(unsigned threads, unsigned translate, size_t room, struct seen *s)
{
    struct bench *b = bench_new(LANES, threads, 1);
    struct gpu_outcome out;

    memset(s, 0, sizeof(*s));
    gpu_cores_timing(b->cores, 0, take_trace, s);
    gpu_cores_translate(b->cores, translate);
    if (room)
        gpu_timing_set_room(b->cores->timing, room);
    put_shader(b);
    out = bench_run(b, 1000);
    assert_int_equal(out.progress, GPU_PROGRESS_DONE);
    bench_free(b);
    return s->bytes;
}

static void is_bounded(void **state)
{
    struct seen all, first, now;
    size_t whole = run_traced(1, 0, 0, &all), room = whole / 4;

    (void)state;
    assert_int_equal(all.groups, GROUPS);
    /* The last window may exceed the bound. */
    assert_in_range(run_traced(1, 0, room, &first), 1, room + room / (WINDOWS - 2));
    assert_in_range(first.groups, GROUPS / 8, GROUPS / 4 + 1);
    for (size_t i = 0; i < first.groups; i++)
        assert_int_equal(first.index[i], i); /* only the last groups were left out */
    for (unsigned threads = 1; threads <= 4; threads++) {
        run_traced(threads, threads % 2 ? 4 : 0, room, &now);
        assert_memory_equal(&now, &first, sizeof(first));
    }
}

/* If not even one group has room, there is no trace. */
static void no_room(void **state)
{
    struct seen s;

    (void)state;
    run_traced(2, 0, 1, &s);
    assert_int_equal(s.groups, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_bounded),
        cmocka_unit_test(no_room),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
