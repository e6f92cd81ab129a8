/* Trace files: jobs are read as they were written, and damage is one message. */
#include "make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zstd.h>

#include "runtime/base/random.h"
#include "runtime/timing/file.h"
#include "runtime/timing/file_format.h"

struct bytes {
    uint8_t *data;
    size_t len;
};

/* A trace file with the jobs that `add` writes. */
static struct bytes file_with(void (*add)(struct timing_file_writer *w, unsigned jobs),
                              unsigned jobs)
{
    enum { ROOM = 1 << 17 };
    char path[] = "/tmp/timing_fileXXXXXX";
    struct error err = {""};
    struct timing_file_writer *w;
    struct bytes out = {0};
    FILE *f;

    close(mkstemp(path));
    w = timing_file_create(path, "toy", &err);
    assert_non_null(w);
    add(w, jobs);
    assert_true(timing_file_close(w, &err));
    f = fopen(path, "rb");
    out.data = malloc(ROOM);
    out.len = fread(out.data, 1, ROOM, f);
    fclose(f);
    unlink(path);
    return out;
}

static void add_small(struct timing_file_writer *w, unsigned jobs)
{
    for (unsigned i = 0; i < jobs; i++) {
        struct timing_job job;
        struct error err;

        make_job(&job, 8, 4);
        make_groups(&job, 3 + i, 2, "al3aas4|a");
        assert_true(timing_file_add(w, &job, &err));
        timing_job_release(&job);
    }
}

static struct bytes file_of(unsigned jobs)
{
    return file_with(add_small, jobs);
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
    assert_true(timing_file_job(&f, 2, &job, &err)); /* the last of three jobs */
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

/* Reads all jobs. Returns false after a message if any is refused. */
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

static void damage_is_noticed(void **state)
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

/* ---- files that ask for more than they have -------------------------------------------------- */

static void put_word(struct bytes *b, uint64_t v)
{
    for (unsigned i = 0; i < 8; i++)
        b->data[b->len++] = (uint8_t)(v >> 8 * i);
}

static uint64_t word_at(const uint8_t *at)
{
    uint64_t v = 0;

    for (unsigned i = 8; i-- > 0;)
        v = v << 8 | at[i];
    return v;
}

/* Makes a file of one job that consists of these bytes; its index lists the job `copies` times. */
static struct bytes file_of_job(const uint8_t *job, size_t bytes, unsigned copies)
{
    size_t room = ZSTD_compressBound(bytes), packed;
    struct bytes b = {malloc(FILE_HEAD_BYTES + room + copies * FILE_ENTRY_BYTES + FILE_TAIL_BYTES),
                      0};

    memcpy(b.data, TIMING_FILE_MAGIC, 8);
    b.len = 8;
    put_word(&b, TIMING_FILE_VERSION);
    memset(b.data + b.len, 0, FILE_GPU_BYTES);
    b.len += FILE_GPU_BYTES;
    packed = ZSTD_compress(b.data + b.len, room, job, bytes, 3);
    b.len += packed;
    for (unsigned i = 0; i < copies; i++) {
        put_word(&b, FILE_HEAD_BYTES);
        put_word(&b, packed);
        put_word(&b, bytes);
        put_word(&b, 0);
        put_word(&b, 1);
    }
    put_word(&b, FILE_HEAD_BYTES + packed);
    put_word(&b, copies);
    memcpy(b.data + b.len, TIMING_FILE_END, 8);
    b.len += 8;
    return b;
}

static void put_number(struct bytes *b, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        b->data[b->len++] = (uint8_t)(v | 0x80);
    b->data[b->len++] = (uint8_t)v;
}

enum { JOB_BYTES = 16 << 20 };

/* Begins a job without bundles, with one thread per group and `total` groups; the groups follow. */
static struct bytes job_begun(uint64_t total)
{
    struct bytes job = {calloc(JOB_BYTES, 1), 0};

    for (unsigned i = 0; i < 2; i++)
        put_number(&job, 0); /* header, shader */
    put_number(&job, 1);
    put_number(&job, 4);
    put_number(&job, 4);
    put_number(&job, total);
    put_number(&job, 0);
    return job;
}

static uint64_t most_memory(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (uint64_t)usage.ru_maxrss << 10;
}

/* Checks that the file's only job is refused, within 128 MB of memory. */
static void refused_in_little_memory(const struct bytes *job, const char *why)
{
    struct bytes b = file_of_job(job->data, JOB_BYTES, 1);
    uint64_t before = most_memory();
    struct timing_file f;
    struct timing_job read;
    struct error err = {""};

    assert_true(timing_file_open(&f, b.data, b.len, &err));
    assert_false(timing_file_job(&f, 0, &read, &err));
    assert_string_equal(err.text, why);
    assert_true(most_memory() - before < UINT64_C(128) << 20);
    timing_file_release(&f);
    free(b.data);
}

/* Millions of groups and rows, encoded by zeros alone. */
static void groups_of_zeros(void **state)
{
    struct bytes job = job_begun(UINT64_C(1) << 40);

    (void)state;
    put_number(&job, (JOB_BYTES - job.len - 4) / 4);
    refused_in_little_memory(&job, "job 1 of the trace: it is damaged");
    free(job.data);
}

static void rows_of_zeros(void **state)
{
    struct bytes job = job_begun(UINT64_C(1) << 40);

    (void)state;
    put_number(&job, 100);
    for (uint64_t group = 0; group < 100; group++) {
        put_number(&job, group);
        put_number(&job, 65536);
        job.len += 2 * 65536;
    }
    refused_in_little_memory(&job, "job 1 of the trace: it is damaged");
    free(job.data);
}

/* Each frame holds one job. */
static void frame_named_twice(void **state)
{
    struct bytes job = job_begun(1);

    (void)state;
    put_number(&job, 1);
    put_number(&job, 0);
    put_number(&job, 1);
    put_number(&job, 4);
    put_number(&job, 0);
    for (unsigned copies = 1; copies <= 2; copies++) {
        struct bytes b = file_of_job(job.data, job.len, copies);
        struct timing_file f;
        struct timing_job read;
        struct error err = {""};

        assert_int_equal(timing_file_open(&f, b.data, b.len, &err), copies == 1);
        if (copies == 1) {
            assert_true(timing_file_job(&f, 0, &read, &err));
            timing_job_release(&read);
            timing_file_release(&f);
        } else {
            assert_string_equal(err.text, "the index of the trace is damaged");
        }
        free(b.data);
    }
    free(job.data);
}

/*
 * The jobs of a file are not much larger than the file; a larger total is refused before any job is
 * read.
 */
static void larger_than_its_file(void **state)
{
    struct bytes b = file_of(1);
    uint8_t *raw = b.data + word_at(b.data + b.len - FILE_TAIL_BYTES) + 16;
    struct timing_file f;
    struct error err = {""};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        uint64_t most = FILE_RAW_FREE + FILE_RAW_RATIO * b.len + i;

        for (unsigned k = 0; k < 8; k++)
            raw[k] = (uint8_t)(most >> 8 * k);
        assert_int_equal(timing_file_open(&f, b.data, b.len, &err), !i);
        if (!i)
            timing_file_release(&f);
    }
    assert_string_equal(err.text, "its jobs would have more than 256 times the trace's bytes");
    free(b.data);
}

enum { ALIKE = 6 << 20 };

/* Adds jobs of one group, whose only row has its first lane active ALIKE times. */
static void add_alike(struct timing_file_writer *w, unsigned jobs)
{
    for (unsigned i = 0; i < jobs; i++) {
        struct timing_job job;
        struct error err;

        make_job(&job, 4, 4);
        make_groups(&job, 1, 1, "a");
        free(job.groups.data[0].rows[0].data);
        job.groups.data[0].rows[0].data = malloc(ALIKE);
        job.groups.data[0].rows[0].bytes = ALIKE;
        memset(job.groups.data[0].rows[0].data, 2 + 4 * 1, ALIKE);
        assert_true(timing_file_add(w, &job, &err));
        timing_job_release(&job);
    }
}

/* A written file is never refused, however repetitive: it has room between its frames. */
static void alike_rows_are_accepted(void **state)
{
    struct bytes b = file_with(add_alike, 4);
    struct timing_file f;
    struct error err = {""};
    struct timing_job job;
    uint64_t raw = 0, bytes = 0;

    (void)state;
    assert_true(timing_file_open(&f, b.data, b.len, &err));
    assert_int_equal(f.jobs.len, 4);
    for (unsigned i = 0; i < 4; i++) {
        raw += f.jobs.data[i].raw;
        bytes += f.jobs.data[i].bytes;
        assert_true(timing_file_job(&f, i, &job, &err));
        assert_int_equal(job.groups.data[0].rows[0].bytes, ALIKE);
        timing_job_release(&job);
    }
    assert_true(raw > FILE_RAW_FREE + FILE_RAW_RATIO * bytes);
    timing_file_release(&f);
    free(b.data);
}

/* ---- what the reader looks at, one by one ---------------------------------------------------- */

/*
 * A job of `total` groups that contains those of the given indices: each has one row without
 * records, and claims `rows`.
 */
static struct bytes job_of_groups(uint64_t total, unsigned count, const uint64_t *index,
                                  unsigned rows)
{
    struct bytes job = job_begun(total);

    put_number(&job, count);
    for (unsigned i = 0; i < count; i++) {
        put_number(&job, index[i]);
        put_number(&job, rows);
        put_number(&job, 4);
        put_number(&job, 0);
    }
    return job;
}

/* Returns the reader's message about a file's only job, or "" if the job is read. */
static const char *said_of(struct bytes job)
{
    static struct error err;
    struct bytes b = file_of_job(job.data, job.len, 1);
    struct timing_file f;
    struct timing_job read;

    err.text[0] = 0;
    assert_true(timing_file_open(&f, b.data, b.len, &err));
    if (timing_file_job(&f, 0, &read, &err)) {
        timing_job_release(&read);
        assert_string_equal(err.text, "");
    }
    timing_file_release(&f);
    free(b.data);
    free(job.data);
    return err.text;
}

static const char damage[] = "job 1 of the trace: it is damaged";

/* Group indices are below the job's number of groups, and ascend. */
static void groups_in_order(void **state)
{
    static const uint64_t good[] = {1, 2}, twice[] = {1, 1}, back[] = {2, 1}, beyond[] = {1, 3};

    (void)state;
    assert_string_equal(said_of(job_of_groups(3, 2, good, 1)), "");
    assert_string_equal(said_of(job_of_groups(3, 2, twice, 1)), damage);
    assert_string_equal(said_of(job_of_groups(3, 2, back, 1)), damage);
    assert_string_equal(said_of(job_of_groups(3, 2, beyond, 1)), damage);
    assert_string_equal(said_of(job_of_groups(3, 1, good, 0)), damage);
}

/* A job ends where its bytes end, and numbers have at most 64 bits. */
static void bytes_of_a_job(void **state)
{
    static const uint64_t index[] = {0};
    struct bytes longer = job_of_groups(1, 1, index, 1), endless = {calloc(64, 1), 0};

    (void)state;
    longer.len++;
    assert_string_equal(said_of(longer), damage);
    for (unsigned i = 0; i < 10; i++)
        endless.data[endless.len++] = 0x80;
    for (unsigned i = 0; i < 2; i++)
        put_number(&endless, i); /* shader, threads of a group */
    for (unsigned i = 0; i < 2; i++)
        put_number(&endless, 4);
    for (unsigned i = 0; i < 5; i++)
        put_number(&endless, i != 1 && i != 3); /* a group of one row */
    put_number(&endless, 4);
    put_number(&endless, 0);
    assert_string_equal(said_of(endless), damage);
}

/* A model that fetches code visits each line of a bundle, so that a bundle's length is work. */
static void bytes_of_a_bundle(void **state)
{
    struct timing_job job;
    struct error err = {""};

    (void)state;
    make_job(&job, 8, 4);
    make_groups(&job, 1, 2, "al3a");
    job.bundles.data[1].bytes = TIMING_BUNDLE_BYTES;
    assert_true(timing_job_check(&job, &err));
    job.bundles.data[1].bytes++;
    assert_false(timing_job_check(&job, &err));
    assert_string_equal(err.text, "a bundle has more than 4096 bytes");
    timing_job_release(&job);
}

static void entries_of_the_index(void **state)
{
    struct bytes b = file_of(2);
    struct timing_file f;
    struct timing_job job;
    struct error err = {""};

    (void)state;
    assert_true(timing_file_open(&f, b.data, b.len, &err));
    for (unsigned i = 0; i < 2; i++) {
        assert_true(timing_file_job(&f, i, &job, &err));
        assert_int_equal(f.jobs.data[i].group_total, 3 + i);
        assert_int_equal(f.jobs.data[i].shader, job.shader);
        timing_job_release(&job);
    }
    timing_file_release(&f);
    free(b.data);
}

/* A name may fill its field up to the terminating zero. */
static void name_of_the_gpu(void **state)
{
    struct bytes b = file_of(1);
    struct timing_file f;
    struct error err = {""};

    (void)state;
    memset(b.data + 16, 'x', FILE_GPU_BYTES);
    assert_true(timing_file_open(&f, b.data, b.len, &err));
    for (unsigned i = 0; i < FILE_GPU_BYTES; i++)
        assert_int_equal(f.gpu[i], i + 1 < FILE_GPU_BYTES ? 'x' : 0);
    timing_file_release(&f);
    free(b.data);
}

/* Returns the message about a trace cut to a length, with begin and end in place. */
static const char *said_of_length(const struct bytes *b, size_t length)
{
    static struct error err;
    uint8_t *data = malloc(length);
    struct timing_file f;

    err.text[0] = 0;
    memcpy(data, b->data, length);
    if (length >= 16)
        memcpy(data + length - 8, TIMING_FILE_END, 8);
    if (timing_file_open(&f, data, length, &err))
        timing_file_release(&f);
    free(data);
    return err.text;
}

static void shortest_file(void **state)
{
    struct bytes b = file_with(add_small, 0);

    (void)state;
    assert_int_equal(b.len, FILE_HEAD_BYTES + FILE_TAIL_BYTES);
    assert_string_equal(said_of_length(&b, b.len), "");
    assert_string_equal(said_of_length(&b, b.len - 1), "the trace has no end: it was cut off");
    assert_string_equal(said_of_length(&b, 8), "the trace has no end: it was cut off");
    assert_string_equal(said_of_length(&b, 7), "it is no trace for time models");
    free(b.data);
}

/*
 * The bound is on all jobs together; an index whose second entry is refused leaves nothing
 * allocated.
 */
static void larger_together(void **state)
{
    struct bytes b = file_of(2);
    uint8_t *index = b.data + word_at(b.data + b.len - FILE_TAIL_BYTES);
    uint64_t most = FILE_RAW_FREE + FILE_RAW_RATIO * b.len;
    struct timing_file f;
    struct error err = {""};

    (void)state;
    for (unsigned more = 0; more < 2; more++) {
        for (unsigned k = 0; k < 8; k++) {
            index[16 + k] = (uint8_t)(most / 2 >> 8 * k);
            index[FILE_ENTRY_BYTES + 16 + k] = (uint8_t)((most - most / 2 + more) >> 8 * k);
        }
        assert_int_equal(timing_file_open(&f, b.data, b.len, &err), !more);
        if (!more)
            timing_file_release(&f);
    }
    assert_string_equal(err.text, "its jobs would have more than 256 times the trace's bytes");
    assert_null(f.jobs.data);
    free(b.data);
}

/* A frame states the length of its job, so that it is checked before unpacking. */
static void frame_without_a_size(void **state)
{
    static const uint64_t group[] = {0};
    struct bytes job = job_of_groups(1, 1, group, 1), b = file_of_job(job.data, job.len, 1);
    size_t at = FILE_HEAD_BYTES, room = ZSTD_compressBound(job.len) + 64, packed;
    uint8_t *frame = malloc(room), *tail;
    ZSTD_CCtx *z = ZSTD_createCCtx();
    struct bytes out = {malloc(at + room + FILE_ENTRY_BYTES + FILE_TAIL_BYTES), at};
    struct timing_file f;
    struct timing_job read;
    struct error err = {""};

    (void)state;
    ZSTD_CCtx_setParameter(z, ZSTD_c_contentSizeFlag, 0);
    packed = ZSTD_compress2(z, frame, room, job.data, job.len);
    assert_false(ZSTD_isError(packed));
    memcpy(out.data, b.data, at);
    memcpy(out.data + at, frame, packed);
    out.len = at + packed;
    tail = b.data + b.len - FILE_TAIL_BYTES - FILE_ENTRY_BYTES;
    memcpy(out.data + out.len, tail, FILE_ENTRY_BYTES + FILE_TAIL_BYTES);
    out.len += 8;
    put_word(&out, packed);
    out.len += FILE_ENTRY_BYTES - 16;
    put_word(&out, at + packed);
    out.len += FILE_TAIL_BYTES - 8;
    assert_true(timing_file_open(&f, out.data, out.len, &err));
    assert_false(timing_file_job(&f, 0, &read, &err));
    assert_string_equal(err.text, "job 1 of the trace is damaged");
    timing_file_release(&f);
    ZSTD_freeCCtx(z);
    free(frame);
    free(job.data);
    free(b.data);
    free(out.data);
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
        cmocka_unit_test(bytes_of_a_bundle),
        cmocka_unit_test(round_trip),
        cmocka_unit_test(cut_off),
        cmocka_unit_test(damage_is_noticed),
        cmocka_unit_test(groups_of_zeros),
        cmocka_unit_test(rows_of_zeros),
        cmocka_unit_test(frame_named_twice),
        cmocka_unit_test(larger_than_its_file),
        cmocka_unit_test(alike_rows_are_accepted),
        cmocka_unit_test(groups_in_order),
        cmocka_unit_test(bytes_of_a_job),
        cmocka_unit_test(entries_of_the_index),
        cmocka_unit_test(name_of_the_gpu),
        cmocka_unit_test(shortest_file),
        cmocka_unit_test(larger_together),
        cmocka_unit_test(frame_without_a_size),
        cmocka_unit_test(no_place_to_write),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
