/* Shaders: the input is the code of a small Bifrost compute job, decoded, run and disassembled. */
#include "gencc/text/asm_text.h"
#include "tests/fuzz/fuzz.h"
#include "tests/gpu_core/bench.h"

#include <string.h>

enum { LANES = 8, THREADS = 13, GROUPS = 3, MAX_STEPS = 2 };

extern const struct gpu_isa bifrost_isa;

static void disassemble(const uint8_t *code, size_t size)
{
    unsigned index = 0;
    size_t bytes;

    do {
        char text[4096];
        struct asm_out out = {.text = text, .size = sizeof(text)};

        bytes = bifrost_isa.disasm_clause(code, size, index, &out);
        code += bytes;
        size -= bytes;
        index += (unsigned)(bytes / 16);
    } while (bytes && size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bench *b;

    disassemble(data, size);
    if (size > BENCH_DATA - BENCH_CODE)
        size = BENCH_DATA - BENCH_CODE;
    b = bench_new_isa(&bifrost_isa, LANES, 1, THREADS);
    bench_size(b, THREADS, GROUPS);
    memcpy(b->memory + BENCH_CODE, data, size);
    bench_run(b, MAX_STEPS);
    bench_free(b);
    return 0;
}
