/*
 * `gencc disasm` of shaders that are strings of bundles.
 */
#include "gencc/disasm/bundle.h"
#include "gencc/disasm/command.h"
#include "gencc/disasm/text.h"

#include <string.h>

enum { MAX_TEXT = 16384, MAX_SHADER = 1 << 24 };

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

/* Disassembles the bytes of the file. Returns the exit status. */
static int disasm_shader(struct text_bundle *tc, const struct bundle *c, const uint8_t *code,
                         size_t bytes, const struct text_options *options, FILE *out)
{
    const size_t grain = c->grain_bits / 8;
    size_t at = 0;

    while (!text_bundle_is_padding(c, code + at, bytes - at)) {
        char text[MAX_TEXT];
        struct asm_out o = {.text = text, .size = sizeof(text)};
        size_t used = text_bundle_disasm(tc, code + at, bytes - at, (unsigned)(at / grain), &o);

        if (!used) {
            fprintf(stderr, "gencc: at byte %zu of '%s' is no bundle\n", at, options->file);
            return 1;
        }
        if (o.cut) {
            fprintf(stderr,
                    "gencc: the text of the %s at byte %zu of '%s' has more than %u characters\n",
                    c->name, at, options->file, (unsigned)MAX_TEXT - 1);
            return 1;
        }
        fprintf(out, "%s_%zu:\n", c->name, at / grain);
        if (options->bytes)
            write_bytes(code + at, used, out);
        fprintf(out, "%s\n", text);
        at += used;
    }
    return 0;
}

int text_command_bundles(struct text *t, const struct text_options *o, FILE *out)
{
    struct text_bundle *tc = text_bundle_prepare(t);
    FILE *in = tc ? text_open_input(o->file) : NULL;
    const uint8_t *code;
    size_t bytes;
    int status = 2;

    if (!in)
        return tc ? 2 : 1;
    code = (const uint8_t *)arena_read_all(t->arena, in, MAX_SHADER, &bytes);
    if (code)
        status = disasm_shader(tc, t->isa->bundle, code, bytes, o, out);
    else
        fprintf(stderr, "gencc: '%s' is larger than a shader can be, %u bytes\n", o->file,
                (unsigned)MAX_SHADER);
    return text_close_all(in, o->file, out, status);
}
