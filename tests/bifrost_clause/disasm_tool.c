/*
 * Disassembles the Bifrost shader on standard input, by the C that gencc made: its clauses one after
 * the other, each under a line `clause_N:` (N: the 16-byte word where it begins) and before an empty
 * line, as Mesa's disassembler does. Ends at a word of 0, which pads shaders, at the end of the input,
 * or where there is no valid clause.
 */
#include <stdio.h>
#include <string.h>

#include "gencc/text/asm_text.h"
#include "runtime/gpu/isa.h"

extern const struct gpu_isa bifrost_isa;

enum {
    MAX_BYTES = 1 << 20,
    MAX_TEXT = 16384, /* of a clause */
    WORD_BYTES = 16,
};

static bool is_padding(const uint8_t *code, size_t bytes)
{
    static const uint8_t zero[4];

    return bytes < sizeof(zero) || !memcmp(code, zero, sizeof(zero));
}

int main(void)
{
    static uint8_t code[MAX_BYTES];
    static char text[MAX_TEXT];
    size_t bytes = fread(code, 1, sizeof(code), stdin), at = 0, used;

    while (!is_padding(code + at, bytes - at)) {
        struct asm_out out = {.text = text, .size = sizeof(text)};
        unsigned word = (unsigned)(at / WORD_BYTES);

        text[0] = '\0';
        used = bifrost_isa.disasm_clause(code + at, bytes - at, word, &out);
        if (!used)
            break;
        printf("clause_%u:\n%s\n", word, text);
        at += used;
    }
    return 0;
}
