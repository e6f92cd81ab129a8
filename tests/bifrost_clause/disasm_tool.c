/*
 * Disassembles Bifrost shaders.
 *
 *   disasm_tool FILE OFFSET   the shader at a place in a file, to its end
 *   disasm_tool -             records on standard input: the number of bytes (32 bits), then so many
 *                             bytes of code; a line ==== after each
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/gpu/disasm.h"

extern const struct gpu_isa bifrost_isa;

enum { MAX_BYTES = 1 << 20 };

static uint8_t code[MAX_BYTES];

static int records(void)
{
    uint32_t bytes;

    while (fread(&bytes, sizeof bytes, 1, stdin) == 1) {
        if (bytes > MAX_BYTES || fread(code, 1, bytes, stdin) != bytes)
            return 2;
        gpu_disasm_shader(&bifrost_isa, code, bytes, stdout);
        puts("====");
    }
    return 0;
}

int main(int argc, char **argv)
{
    size_t bytes;
    FILE *f;

    if (argc == 2 && !strcmp(argv[1], "-"))
        return records();
    f = argc == 3 ? fopen(argv[1], "rb") : NULL;
    if (!f || fseek(f, strtol(argv[2], NULL, 0), SEEK_SET)) {
        fputs("usage: disasm_tool FILE OFFSET | disasm_tool -\n", stderr);
        return 2;
    }
    bytes = fread(code, 1, sizeof code, f);
    fclose(f);
    gpu_disasm_shader(&bifrost_isa, code, bytes, stdout);
    return 0;
}
