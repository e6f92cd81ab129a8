/*
 * Disassembles the shader on standard input by the C that gencc generated from the ISA SHADER_ISA.
 * Each bundle is printed under a line `clause_N:` (or what its description calls a bundle; N is the
 * grain where it begins) and before an empty line. Output ends at a word of 0, which pads shaders,
 * at the end of the input, or at bytes that are no valid bundle.
 */
#include <stdio.h>
#include <string.h>

#include "common/asm_text.h"
#include "runtime/gpu/isa.h"

extern const struct gpu_isa SHADER_ISA;

enum {
    MAX_BYTES = 1 << 20,
    MAX_TEXT = 16384, /* characters of one bundle's text */
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
