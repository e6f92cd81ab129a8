/* The GPU's last jobs, as the monitor prints them: which are kept, and for whom. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/gpu/observer.h"
#include "runtime/machine/machine.h"

enum { MORE_THAN_KEPT = 70, KEPT = 64 };

static void end_job(struct machine *m, unsigned number)
{
    const struct gpu_job_note note = {
        .slot = 1,
        .kind = "compute",
        .index = number,
        .status = 1,
        .cycles = 9,
        .begin_ns = 1000000000,
        .end_ns = 1000000005,
        .shape = {.shader = 64, .groups = {2, 1, 1}, .local = {8, 4, 1}},
        .hash = 0xabc};

    m->gpu.observers->job(m->gpu.observers->opaque, &note);
}

static char *print_jobs(struct machine *m, uint64_t count)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    machine_print_jobs(m, count, out);
    fclose(out);
    return text;
}

static unsigned lines_of(struct machine *m, uint64_t count)
{
    char *text = print_jobs(m, count);
    unsigned lines = 0;

    for (const char *at = text; (at = strchr(at, '\n')); at++)
        lines++;
    free(text);
    return lines;
}

static void test_the_last_ones(void **unused)
{
    char stdio[] = "stdio";
    struct options options = {.monitor = stdio};
    struct machine m = {.options = &options};
    char *text;

    (void)unused;
    machine_open_jobs(&m);
    text = print_jobs(&m, 5);
    assert_string_equal(text, "no job has ended yet\n");
    free(text);
    for (unsigned n = 1; n <= MORE_THAN_KEPT; n++)
        end_job(&m, n);
    text = print_jobs(&m, 1);
    assert_string_equal(text,
                        "job 70: 1.000000000 s: slot 1, space 0, compute job 70 at 0: kernel "
                        "0000000000000abc, 2x1x1 groups of 8x4x1, 9 cycles, 5 ns, done (0x1)\n");
    free(text);
    text = print_jobs(&m, 3);
    assert_memory_equal(text, "job 68: ", 8);
    free(text);
    assert_int_equal(lines_of(&m, UINT64_MAX), KEPT);
    machine_free_jobs(&m);
}

static void test_nobody_asks(void **unused)
{
    char none[] = "none", gdb[] = "tcp::1";
    struct options options = {.monitor = none}, debugged = {.monitor = none, .gdb = gdb};
    struct machine m = {.options = &options}, other = {.options = &debugged};

    (void)unused;
    machine_open_jobs(&m);
    assert_null(m.gpu.observers);
    assert_int_equal(lines_of(&m, 1), 1);
    machine_free_jobs(&m);
    machine_open_jobs(&other);
    assert_non_null(other.gpu.observers);
    machine_free_jobs(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_the_last_ones),
                                       cmocka_unit_test(test_nobody_asks)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
