/*
 * Snapshots of machines. The input is read as a file, and as the section `state` of a file that is
 * sound apart from it.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/state.h"
#include "runtime/machine/snapshot_file.h"
#include "tests/fuzz/fuzz_file.h"

struct object {
    uint64_t word;
    uint8_t bytes[16];
};

static const struct state_field fields[] = {
    STATE_FIELD(struct object, word),
    STATE_FIELD(struct object, bytes),
    STATE_END,
};

static void read_sections(const char *path)
{
    struct snapshot_reader r;
    struct error err = {0};

    if (!snapshot_open(&r, path, &err))
        return;
    for (size_t i = 0; i < r.count; i++) {
        struct state_buf buf = {snapshot_read(&r.parts[i], &err), r.parts[i].size, 0};
        struct object object;

        if (buf.data)
            state_load(&buf, "object", fields, &object, &err);
        free(buf.data);
    }
    snapshot_close(&r);
}

static void read_state(const uint8_t *data, size_t size)
{
    struct state_buf buf = {(uint8_t *)(uintptr_t)data, size, 0};
    struct object object;
    struct error err = {0};

    state_load(&buf, "object", fields, &object, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_file(data, size, read_sections);
    read_state(data, size);
    return 0;
}
