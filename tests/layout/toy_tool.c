/*
 * Unpacks descriptors of toy.ac for reference.py: reads lines `VERSION HEX` and writes the bad
 * field and all members. With argument "print" it writes the printer's text, with "pack" the bytes
 * packed from the members, with "usual" the members after their usual values were set.
 */
#include "toy_layout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void put(const char *name, int64_t value)
{
    printf(" %s=%" PRId64, name, value);
}

static void put_real(const char *name, float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    printf(" %s=%" PRIu32, name, bits);
}

static void put_inner(const char *name, const struct toy_inner *in)
{
    printf(" %s=%" PRIu32 ",%" PRIu32 ",%" PRIu64, name, in->colour, in->rest, in->next);
}

static void members(const struct toy_everything *e)
{
    put("bits", e->bits);
    put("sign", e->sign);
    put("flag", e->flag);
    put("colour", e->colour);
    put("minus", e->minus);
    put("int", (int64_t)e->int_);
    put("shifted", e->shifted);
    put("power", e->power);
    put("large", (int64_t)e->large);
    put_real("real", e->real);
    put("where", (int64_t)e->where);
    put("odd", (int64_t)e->odd);
    put("across", (int64_t)e->across);
    put("signed_across", e->signed_across);
    put("moved", e->moved);
    put("fixed", e->fixed);
    for (unsigned i = 0; i < 3; i++)
        put("list", e->list[i]);
    for (unsigned i = 0; i < 2; i++)
        put("spaced", e->spaced[i]);
    for (unsigned i = 0; i < 2; i++) {
        put("byte_low", e->bytes[i].low);
        put("byte_high", e->bytes[i].high);
    }
    put("lonely", e->lonely.all);
    put_inner("inner", &e->inner);
    put("over", e->over);
    put_inner("boxed", &e->boxed);
    put("wide", (int64_t)e->wide);
    put("minus_s", e->minus_s);
}

/* Writes the packed bytes of the members, or the member that does not fit. */
static void pack(unsigned version, const struct toy_everything *e)
{
    unsigned size = toy_everything_bytes(version);
    uint8_t *bytes = malloc(size ? size : 1);
    const char *bad = bytes ? toy_everything_pack(version, e, bytes) : "memory";

    for (unsigned i = 0; i < size && !bad; i++)
        printf("%02x", bytes[i]);
    puts(bad ? bad : "");
    free(bytes);
}

static void pack_usual(unsigned version)
{
    struct toy_everything e;

    toy_everything_usual(version, &e);
    pack(version, &e);
    e.colour = e.inner.colour = TOY_COLOUR_RED;
    pack(version, &e);
    e.bits = 32;
    pack(version, &e);
    e.bits = 31;
    e.shifted = 8;
    pack(version, &e);
    e.shifted = 16;
    e.sign = 64;
    pack(version, &e);
}

int main(int argc, char **argv)
{
    char line[512];

    while (fgets(line, sizeof(line), stdin)) {
        char *hex;
        unsigned version = (unsigned)strtoul(line, &hex, 10);
        unsigned size = toy_everything_bytes(version);
        /* exactly this size, so that the sanitizer finds accesses beyond */
        uint8_t *bytes = malloc(size ? size : 1);
        struct toy_everything e;
        const char *bad;

        if (!bytes)
            return 2;
        for (unsigned i = 0; i < size; i++) {
            char two[3] = {hex[1 + 2 * i], hex[2 + 2 * i], 0};

            bytes[i] = (uint8_t)strtoul(two, NULL, 16);
        }
        bad = toy_everything_unpack(version, bytes, &e);
        printf("%s", bad ? bad : "-");
        members(&e);
        puts("");
        if (argc > 1 && !strcmp(argv[1], "print"))
            toy_everything_print(version, stdout, 2, &e);
        if (argc > 1 && !strcmp(argv[1], "pack"))
            pack(version, &e);
        if (argc > 1 && !strcmp(argv[1], "usual"))
            pack_usual(version);
        free(bytes);
    }
    return 0;
}
