/* Shaders: each input is decoded, run as a small compute job, and disassembled, for each ISA. */
#include "common/asm_text.h"
#include "tests/fuzz/fuzz.h"
#include "tests/gpu_core/bench.h"

#include <string.h>

enum { THREADS = 13, GROUPS = 3, MAX_STEPS = 2 };

extern const struct gpu_isa bifrost_isa, midgard_isa;

static const struct {
    const struct gpu_isa *isa;
    unsigned lanes;
} isas[] = {{&bifrost_isa, 8}, {&midgard_isa, 1}};

static void disassemble_code(const struct gpu_isa *isa, const uint8_t *code, size_t size)
{
    unsigned index = 0;
    size_t bytes;

    do {
        char text[4096];
        struct asm_out out = {.text = text, .size = sizeof(text)};

        bytes = isa->disasm_bundle(code, size, index, 0, &out);
        code += bytes;
        size -= bytes;
        index += (unsigned)(bytes / isa->grain_bytes);
    } while (bytes && size);
}

static void run_shader(const struct gpu_isa *isa, unsigned lanes, const uint8_t *code, size_t size)
{
    struct bench *b = bench_new_isa(isa, lanes, 1, THREADS);

    bench_size(b, THREADS, GROUPS);
    memcpy(b->memory + BENCH_CODE, code, size);
    bench_run(b, MAX_STEPS);
    bench_free(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t fits = size < BENCH_DATA - BENCH_CODE ? size : BENCH_DATA - BENCH_CODE;

    for (size_t i = 0; i < sizeof(isas) / sizeof(*isas); i++) {
        disassemble_code(isas[i].isa, data, size);
        run_shader(isas[i].isa, isas[i].lanes, data, fits);
    }
    return 0;
}
