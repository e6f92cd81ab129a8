/*
 * Random bytes through every unpacker, packer and printer, in all versions; built with the
 * sanitizers, and no byte is readable after the descriptor.
 */
#include "fuzz.h"

#include <stdlib.h>

static uint32_t random_word(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* Few bits set, many, or half of them, so that small fields reach all their values. */
static uint8_t random_byte(uint32_t *state, unsigned kind)
{
    uint32_t r = random_word(state);

    if (kind == 0)
        return (uint8_t)(r & r >> 8 & r >> 16);
    return (uint8_t)(kind == 1 ? r | r >> 8 | r >> 16 : r);
}

int main(int argc, char **argv)
{
    unsigned rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 100;
    unsigned long calls = 0, good = 0;
    uint32_t state = 2463534242u;
    FILE *sink = fopen("/dev/null", "w");

    if (!sink)
        return 2;
    for (unsigned i = 0; i < rounds; i++) {
        for (const struct fuzz_layout *l = fuzz_layouts; l->name; l++) {
            for (unsigned version = 0; version < 40; version++) {
                unsigned size = l->bytes(version);
                uint8_t *bytes = malloc(size ? size : 1);

                if (!bytes)
                    return 2;
                for (unsigned k = 0; k < size; k++)
                    bytes[k] = i ? random_byte(&state, i % 3) : 0;
                good += !l->unpack(version, bytes, sink);
                calls++;
                free(bytes);
            }
        }
    }
    fclose(sink);
    printf("%lu calls, %lu descriptors without a bad field\n", calls, good);
    return good ? 0 : 1;
}
