#include "runtime/gpu/disasm.h"

#include <inttypes.h>
#include <string.h>

#include "gencc/text/asm_text.h"

enum {
    WORD_BYTES = 16,
    MAX_TEXT = 16384, /* of a clause */
};

static bool is_padding(const uint8_t *code, size_t bytes)
{
    static const uint8_t zero[4];

    return bytes < sizeof(zero) || !memcmp(code, zero, sizeof(zero));
}

size_t gpu_disasm_shader(const struct gpu_isa *isa, const uint8_t *code, size_t bytes, FILE *out)
{
    size_t at = 0;

    while (!is_padding(code + at, bytes - at)) {
        char text[MAX_TEXT];
        struct asm_out o = {.text = text, .size = sizeof(text)};
        size_t used;

        text[0] = '\0';
        used = isa->disasm_clause(code + at, bytes - at, (unsigned)(at / WORD_BYTES), &o);
        if (!used)
            break;
        fprintf(out, "clause_%zu:\n%s\n", at / WORD_BYTES, text);
        at += used;
    }
    return at;
}
