/*
 * Disassembles the Bifrost shader on standard input, by the C that gencc made.
 */
#include "runtime/gpu/disasm.h"

extern const struct gpu_isa bifrost_isa;

enum { MAX_BYTES = 1 << 20 };

int main(void)
{
    static uint8_t code[MAX_BYTES];

    gpu_disasm_shader(&bifrost_isa, code, fread(code, 1, sizeof(code), stdin), stdout);
    return 0;
}
