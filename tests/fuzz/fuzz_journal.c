/*
 * Recordings of machines' input. The input is read as a file, and with the checksum that it should
 * have, since a check that nothing passes would hide what is behind it. Its entries are taken as a
 * replay takes them.
 */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "runtime/base/bits.h"
#include "runtime/obs/journal.h"
#include "tests/fuzz/fuzz_file.h"

static void read_recording(const char *path)
{
    struct error err = {0};
    struct journal *j = journal_replay(path, &err);
    const struct journal_entry *e;
    unsigned sum = 0;

    if (!j)
        return;
    while ((e = journal_peek(j)) != NULL) {
        journal_set_turn(j, e->turn);
        for (uint64_t i = 0; i < e->len; i++)
            sum += e->bytes[i];
        if (e->kind == JOURNAL_FILES && journal_take(j, JOURNAL_FILES, sum % 2))
            sum++;
        journal_step(j);
    }
    journal_close(j, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *sound = malloc(size + 8);

    fuzz_file(data, size, read_recording);
    if (!sound)
        return 0;
    if (size)
        memcpy(sound, data, size);
    le_put(sound + size, 8, crc32_z(0, data, size));
    fuzz_file(sound, size + 8, read_recording);
    free(sound);
    return 0;
}
