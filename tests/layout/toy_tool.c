/*
 * Unpacks descriptors of toy.ac for reference.py: reads lines `VERSION HEX` and writes the bad
 * field and all members. With argument "print" it writes the printer's text, with "pack" the bytes
 * packed from the members, with "usual" the members after their usual values were set.
 */
#include "toy_layout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void put_member(const char *name, int64_t value)
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

static void put_members(const struct toy_everything *e)
{
    put_member("bits", e->bits);
    put_member("sign", e->sign);
    put_member("flag", e->flag);
    put_member("colour", e->colour);
    put_member("minus", e->minus);
    put_member("int", (int64_t)e->int_);
    put_member("shifted", e->shifted);
    put_member("power", e->power);
    put_member("large", (int64_t)e->large);
    put_real("real", e->real);
    put_member("where", (int64_t)e->where);
    put_member("odd", (int64_t)e->odd);
    put_member("across", (int64_t)e->across);
    put_member("signed_across", e->signed_across);
    put_member("moved", e->moved);
    put_member("fixed", e->fixed);
    for (unsigned i = 0; i < 3; i++)
        put_member("list", e->list[i]);
    for (unsigned i = 0; i < 2; i++)
        put_member("spaced", e->spaced[i]);
    for (unsigned i = 0; i < 2; i++) {
        put_member("byte_low", e->bytes[i].low);
        put_member("byte_high", e->bytes[i].high);
    }
    put_member("lonely", e->lonely.all);
    put_inner("inner", &e->inner);
    put_member("over", e->over);
    put_inner("boxed", &e->boxed);
    put_member("wide", (int64_t)e->wide);
    put_member("minus_s", e->minus_s);
}

/* Writes the packed bytes of the members, or the member that does not fit. */
static void print_packed(unsigned version, const struct toy_everything *e)
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
    print_packed(version, &e);
    e.colour = e.inner.colour = TOY_COLOUR_RED;
    print_packed(version, &e);
    e.bits = 32;
    print_packed(version, &e);
    e.bits = 31;
    e.shifted = 8;
    print_packed(version, &e);
    e.shifted = 16;
    e.sign = 64;
    print_packed(version, &e);
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
        put_members(&e);
        puts("");
        if (argc > 1 && !strcmp(argv[1], "print"))
            toy_everything_print(version, stdout, 2, &e);
        if (argc > 1 && !strcmp(argv[1], "pack"))
            print_packed(version, &e);
        if (argc > 1 && !strcmp(argv[1], "usual"))
            pack_usual(version);
        free(bytes);
    }
    return 0;
}
