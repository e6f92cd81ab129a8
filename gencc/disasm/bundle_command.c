/*
 * `gencc disasm` of shaders that are strings of bundles.
 */
#include "gencc/disasm/bundle.h"
#include "gencc/disasm/command.h"
#include "gencc/disasm/text.h"

#include <stdlib.h>

enum { MAX_TEXT = 16384, MAX_SHADER = 1 << 24 };

/* Reads the shader. Reading stops after MAX_SHADER bytes. */
static uint8_t *read_shader(FILE *in, size_t *bytes)
{
    size_t room = 4096, got;
    uint8_t *code = NULL;

    *bytes = 0;
    do {
        uint8_t *more = realloc(code, room *= 2);

        if (!more)
            break;
        code = more;
        got = fread(code + *bytes, 1, room - *bytes, in);
        *bytes += got;
    } while (got && *bytes < MAX_SHADER);
    return code;
}

bool text_bundle_is_padding(const struct bundle *c, const uint8_t *code, size_t bytes)
{
    static const uint8_t zero[BUNDLE_GRAIN_BITS / 8];
    size_t grain = c->grain_bits / 8;

    return bytes < grain || !memcmp(code, zero, grain);
}

/* Writes the line from which `gencc asm` takes the same bytes again. */
static void write_bytes(const uint8_t *code, size_t bytes, FILE *out)
{
    fputs("//= ", out);
    for (size_t i = 0; i < bytes; i++)
        fprintf(out, "%02x", code[i]);
    fputc('\n', out);
}

/* Writes the bundles, with their bytes on request. Returns the offset of their end. */
static size_t write_bundles(struct text_bundle *tc, const struct bundle *c, const uint8_t *code,
                            size_t bytes, bool with_bytes, FILE *out)
{
    const size_t word = c->grain_bits / 8;
    size_t at = 0;

    while (!text_bundle_is_padding(c, code + at, bytes - at)) {
        char text[MAX_TEXT];
        struct asm_out o = {.text = text, .size = sizeof text};
        size_t used = text_bundle_disasm(tc, code + at, bytes - at, (unsigned)(at / word), &o);

        if (!used)
            break;
        fprintf(out, "%s_%zu:\n", c->name, at / word);
        if (with_bytes)
            write_bytes(code + at, used, out);
        fprintf(out, "%s\n", text);
        at += used;
    }
    return at;
}

int text_command_bundles(struct text *t, const struct text_options *o, FILE *out)
{
    struct text_bundle *tc = text_bundle_prepare(t);
    FILE *in = tc ? text_open_input(o->file) : NULL;
    size_t bytes, end;
    uint8_t *code;
    int status = 0;

    if (!in)
        return tc ? 2 : 1;
    code = read_shader(in, &bytes);
    end = code ? write_bundles(tc, t->isa->bundle, code, bytes, o->bytes, out) : 0;
    if (code && !text_bundle_is_padding(t->isa->bundle, code + end, bytes - end)) {
        fprintf(stderr, "gencc: at byte %zu of '%s' is no bundle\n", end, o->file);
        status = 1;
    }
    free(code);
    return text_close_all(in, o->file, out, status);
}
