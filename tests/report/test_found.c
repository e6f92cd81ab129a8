/* Which kernel of OpenCL C that was found in memory is the code's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/base/alloc.h"
#include "runtime/report/internal.h"

static const char add[] = "kernel void add(global const int *a, global int *b) { b[0] += a[0]; }\n";
static const char both[] =
    "// kernel void none(global int *a) {}\n"
    "__kernel void add(global const int *a, global int *b) { b[0] += a[0]; }\n"
    "kernel void last(global int *p, global int *q) {\n"
    "  barrier(CLK_LOCAL_MEM_FENCE); p[get_global_id(0)].x <<= q[1] == 1; }\n";
static const char copies[] = "kernel void one(global int *a, global int *b) { a[b[1]] = 2; }\n"
                             "kernel void two(global int *a, global int *b) { use(&a[1], b); }\n";

struct search {
    const char *const *texts;
    unsigned calls;
};

static void find(void *opaque, const struct gpu_account *job, report_take_text *take, void *to)
{
    struct search *s = opaque;

    (void)job;
    s->calls++;
    for (const char *const *text = s->texts; *text; text++)
        take(to, *text);
}

/* A kernel with two pointers, of which those in `written` are written. */
static struct report_kernel *make_kernel(unsigned written, bool barrier)
{
    struct report_kernel *k = xcalloc(1, sizeof(*k));

    k->pointer_count = 2;
    for (unsigned i = 0; i < 2; i++)
        vec_push(&k->buffers, (struct report_buffer){.pointer = i, .writes = written >> i & 1});
    vec_push(&k->bundles, (struct report_bundle){.profile = {.barrier = barrier}});
    return k;
}

/* The name that the kernel gets of the texts, or "". Frees the kernel. */
static void expect(struct report_kernel *k, const char *const *texts, const char *name,
                   unsigned fitting)
{
    struct search s = {texts, 0};
    struct report r = {.find_texts = find, .find_opaque = &s};

    report_found_search(&r, k, NULL);
    report_found_search(&r, k, NULL);
    assert_int_equal(s.calls, r.texts.len ? 1 : 2);
    report_found_choose(&r, k);
    assert_string_equal(k->name ? k->name : "", name);
    assert_true(!!k->source == !!*name);
    assert_int_equal(k->found.fitting.len, fitting);
    report_kernel_release(k);
    free(k);
    for (unsigned i = 0; i < r.texts.len; i++)
        free(r.texts.data[i]);
    vec_free(&r.texts);
}

static void test_choice(void **unused)
{
    (void)unused;
    expect(make_kernel(2, false), (const char *const[]){add, add, NULL}, "add", 1);
    expect(make_kernel(2, false), (const char *const[]){"a kernel panics", both, add, NULL}, "add",
           1);
    expect(make_kernel(1, true), (const char *const[]){both, NULL}, "last", 1);
    /* a constant buffer was written, one that is only read was, there is no barrier */
    expect(make_kernel(1, false), (const char *const[]){add, NULL}, "", 0);
    expect(make_kernel(2, true), (const char *const[]){both, NULL}, "", 0);
    expect(make_kernel(2, true), (const char *const[]){add, NULL}, "", 0);
    expect(make_kernel(0, false), (const char *const[]){"nothing", NULL}, "", 0);
}

static void test_several(void **unused)
{
    struct report_kernel *k = make_kernel(1, false);

    (void)unused;
    expect(make_kernel(1, false), (const char *const[]){copies, NULL}, "", 2);
    expect(make_kernel(3, false), (const char *const[]){copies, NULL}, "two", 1);
    k->name = xstrdup("one");
    expect(k, (const char *const[]){copies, add, NULL}, "one", 1);
}

/* Of two texts with the kernel, the longer one is the source. */
static void test_longer(void **unused)
{
    const char *const texts[] = {add, both, add, NULL};
    struct search s = {texts, 0};
    struct report r = {.find_texts = find, .find_opaque = &s};
    struct report_kernel *k = make_kernel(2, false);

    (void)unused;
    report_found_search(&r, k, NULL);
    report_found_choose(&r, k);
    assert_string_equal(k->source, both);
    assert_int_equal(k->found.kernels.len, 2);
    report_kernel_release(k);
    free(k);
    for (unsigned i = 0; i < r.texts.len; i++)
        free(r.texts.data[i]);
    vec_free(&r.texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_several),
        cmocka_unit_test(test_longer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
