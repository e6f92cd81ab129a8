/* Snapshot files: what was written is read; every flipped bit and every missing byte is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/bits.h"
#include "runtime/machine/snapshot_file.h"

static char folder[] = "/tmp/gencc-snapshot-XXXXXX";
static char path[64], other[64];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof(path), "%s/a", folder);
    snprintf(other, sizeof(other), "%s/b", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    unlink(other);
    return rmdir(folder);
}

/* Two sections, one of them empty. */
static void write_sample(const char *text)
{
    struct snapshot_writer w = {0};
    struct error err = {0};

    assert_true(snapshot_add(&w, "text", text, strlen(text), &err));
    assert_true(snapshot_add(&w, "nothing", "", 0, &err));
    assert_true(snapshot_write(&w, path, &err));
    snapshot_writer_free(&w);
}

static uint8_t *read_all(size_t *size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = calloc(1, 4096);

    assert_non_null(file);
    *size = fread(bytes, 1, 4096, file);
    fclose(file);
    return bytes;
}

/* Whether a file of these bytes is taken as a snapshot. */
static bool opens(const uint8_t *bytes, size_t size, struct error *err)
{
    FILE *file = fopen(other, "wb");
    struct snapshot_reader r;
    bool ok;

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
    ok = snapshot_open(&r, other, err);
    if (ok)
        snapshot_close(&r);
    return ok;
}

static void sections_are_read_as_written(void **state)
{
    struct snapshot_reader r;
    struct error err = {0};
    uint8_t *bytes;

    (void)state;
    write_sample("0123456789");
    assert_true(snapshot_open(&r, path, &err));
    assert_int_equal(r.count, 2);
    assert_null(snapshot_find(&r, "tex"));
    bytes = snapshot_read(snapshot_find(&r, "text"), &err);
    assert_non_null(bytes);
    assert_memory_equal(bytes, "0123456789", 10);
    free(bytes);
    assert_int_equal(snapshot_find(&r, "nothing")->size, 0);
    bytes = snapshot_read(snapshot_find(&r, "nothing"), &err);
    assert_non_null(bytes);
    free(bytes);
    snapshot_close(&r);
}

static void each_flipped_bit_is_refused(void **state)
{
    struct error err = {0};
    size_t size;
    uint8_t *bytes;

    (void)state;
    write_sample("each bit counts");
    bytes = read_all(&size);
    assert_true(opens(bytes, size, &err));
    for (size_t i = 0; i < 8 * size; i++) {
        bytes[i / 8] ^= (uint8_t)(1u << i % 8);
        assert_false(opens(bytes, size, &err));
        assert_true(*err.text);
        bytes[i / 8] ^= (uint8_t)(1u << i % 8);
    }
    free(bytes);
}

static void other_lengths_are_refused(void **state)
{
    struct error err = {0};
    size_t size;
    uint8_t *bytes;

    (void)state;
    write_sample("each byte counts");
    bytes = read_all(&size);
    for (size_t n = 0; n < size; n++)
        assert_false(opens(bytes, n, &err));
    assert_false(opens(bytes, size + 1, &err));
    free(bytes);
}

static void other_versions_are_named(void **state)
{
    struct error err = {0};
    size_t size;
    uint8_t *bytes;

    (void)state;
    write_sample("");
    bytes = read_all(&size);
    bytes[8] = 99;
    assert_false(opens(bytes, size, &err));
    assert_non_null(strstr(err.text, "version 99"));
    free(bytes);
}

/* A checksum protects from accidents only; the frame itself must have the size of the table. */
static void frames_of_another_size_are_refused(void **state)
{
    struct snapshot_reader r;
    struct error err = {0};
    struct snapshot_part part;

    (void)state;
    write_sample("size");
    assert_true(snapshot_open(&r, path, &err));
    part = *snapshot_find(&r, "text");
    part.size = 5;
    assert_null(snapshot_read(&part, &err));
    part.size = 4;
    part.frame_size--;
    assert_null(snapshot_read(&part, &err));
    assert_non_null(strstr(err.text, "'text'"));
    snapshot_close(&r);
}

static void failed_write_leaves_the_old_file(void **state)
{
    struct snapshot_writer w = {0};
    struct snapshot_reader r;
    struct error err = {0};
    char partial[80];

    (void)state;
    write_sample("old");
    snprintf(partial, sizeof(partial), "%s.part", path);
    assert_int_equal(mkdir(partial, 0777), 0);
    assert_true(snapshot_add(&w, "text", "new", 3, &err));
    assert_false(snapshot_write(&w, path, &err));
    assert_true(*err.text);
    rmdir(partial);
    snapshot_writer_free(&w);
    assert_true(snapshot_open(&r, path, &err));
    assert_int_equal(r.count, 2);
    snapshot_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sections_are_read_as_written),
        cmocka_unit_test(each_flipped_bit_is_refused),
        cmocka_unit_test(other_lengths_are_refused),
        cmocka_unit_test(other_versions_are_named),
        cmocka_unit_test(frames_of_another_size_are_refused),
        cmocka_unit_test(failed_write_leaves_the_old_file),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
