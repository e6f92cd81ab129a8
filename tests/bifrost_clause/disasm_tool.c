/*
 * Disassembles the shader on standard input, by the C that gencc made of the ISA that SHADER_ISA names: its
 * bundles one after the other, each under a line `clause_N:` (or whatever a bundle is called; N: the grain where it
 * begins) and before an empty line. Ends at a word of 0, which pads shaders, at the end of the input, or where
 * there is no valid bundle.
 */
#include <stdio.h>
#include <string.h>

#include "common/asm_text.h"
#include "runtime/gpu/isa.h"

extern const struct gpu_isa SHADER_ISA;

enum {
    MAX_BYTES = 1 << 20,
    MAX_TEXT = 16384, /* of a bundle */
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
        unsigned grain = (unsigned)(at / SHADER_ISA.grain_bytes);

        text[0] = '\0';
        used = SHADER_ISA.disasm_bundle(code + at, bytes - at, grain, 0, &out);
        if (!used)
            break;
        printf("%s_%u:\n%s\n", SHADER_ISA.bundle_name, grain, text);
        at += used;
    }
    return 0;
}
