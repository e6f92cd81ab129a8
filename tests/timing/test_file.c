/* Trace files: what is written is read; damage is one message, never more. */
#include "make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/random.h"
#include "runtime/timing/file.h"

struct bytes {
    uint8_t *data;
    size_t len;
};

static struct bytes file_of(unsigned jobs)
{
    char path[] = "/tmp/timing_fileXXXXXX";
    struct error err = {""};
    struct timing_file_writer *w;
    struct bytes out = {0};
    FILE *f;

    close(mkstemp(path));
    w = timing_file_create(path, "toy", &err);
    assert_non_null(w);
    for (unsigned i = 0; i < jobs; i++) {
        struct timing_job job;

        make_job(&job, 8, 4);
        make_groups(&job, 3 + i, 2, "al3aas4|a");
        assert_true(timing_file_add(w, &job, &err));
        timing_job_release(&job);
    }
    assert_true(timing_file_close(w, &err));
    f = fopen(path, "rb");
    out.data = malloc(1 << 16);
    out.len = fread(out.data, 1, 1 << 16, f);
    fclose(f);
    unlink(path);
    return out;
}

static void round_trip(void **state)
{
    struct bytes b = file_of(3);
    struct timing_file f;
    struct error err = {""};
    struct timing_job job, same;

    (void)state;
    assert_true(timing_file_open(&f, b.data, b.len, &err));
    assert_string_equal(f.gpu, "toy");
    assert_int_equal(f.jobs.len, 3);
    assert_true(timing_file_job(&f, 2, &job, &err)); /* a part of it */
    make_job(&same, 8, 4);
    make_groups(&same, 5, 2, "al3aas4|a");
    assert_int_equal(job.group_total, 5);
    assert_int_equal(job.groups.len, 5);
    assert_memory_equal(job.bundles.data, same.bundles.data,
                        same.bundles.len * sizeof(*same.bundles.data));
    for (unsigned g = 0; g < 5; g++)
        for (unsigned w = 0; w < 2; w++) {
            const struct timing_row *x = &job.groups.data[g].rows[w];
            const struct timing_row *y = &same.groups.data[g].rows[w];

            assert_int_equal(x->bytes, y->bytes);
            assert_memory_equal(x->data, y->data, y->bytes);
        }
    timing_job_release(&job);
    timing_job_release(&same);
    timing_file_release(&f);
    free(b.data);
}

/* Reads all of it; false: something was refused, with a message. */
static bool read_all(const uint8_t *data, size_t len)
{
    struct timing_file f;
    struct error err = {""};
    bool good = timing_file_open(&f, data, len, &err);

    if (!good) {
        assert_int_not_equal(err.text[0], 0);
        return false;
    }
    for (size_t i = 0; i < f.jobs.len; i++) {
        struct timing_job job;

        if (timing_file_job(&f, i, &job, &err)) {
            timing_job_work(&job);
            timing_job_release(&job);
        } else {
            assert_int_not_equal(err.text[0], 0);
            good = false;
        }
    }
    timing_file_release(&f);
    return good;
}

static void cut_off(void **state)
{
    struct bytes b = file_of(2);

    (void)state;
    for (size_t len = 0; len < b.len; len++)
        assert_false(read_all(b.data, len));
    assert_true(read_all(b.data, b.len));
    free(b.data);
}

static void damaged(void **state)
{
    struct bytes b = file_of(2);
    uint64_t seed = 1;
    unsigned refused = 0;

    (void)state;
    for (unsigned i = 0; i < 20000; i++) {
        size_t at = random_next(&seed) % b.len;
        uint8_t was = b.data[at];

        b.data[at] ^= (uint8_t)(1 + random_next(&seed) % 255);
        refused += !read_all(b.data, b.len);
        b.data[at] = was;
    }
    assert_true(refused > 5000);
    free(b.data);
}

static void no_place_to_write(void **state)
{
    struct error err = {""};

    (void)state;
    assert_null(timing_file_create("/nonexistent/trace", "toy", &err));
    assert_string_equal(err.text, "cannot write /nonexistent/trace: No such file or directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),
        cmocka_unit_test(cut_off),
        cmocka_unit_test(damaged),
        cmocka_unit_test(no_place_to_write),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
