/* Makes bundles bit by bit, and prints or runs them. */

#include "tests/bundle/bits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "common/asm_text.h"

void bits_put(struct bits *b, unsigned width, uint64_t value)
{
    for (unsigned i = 0; i < width; i++, b->at++)
        b->byte[b->at / 8] |= (uint8_t)((value >> i & 1) << b->at % 8);
}

void bits_align(struct bits *b, unsigned to)
{
    b->at = (b->at + to - 1) / to * to;
}

void bits_print(const struct bits *b, const struct gpu_isa *isa, FILE *out)
{
    unsigned bytes = b->at / 8, used;

    for (unsigned at = 0; at < bytes; at += used) {
        char text[1024];
        struct asm_out o = {.text = text, .size = sizeof(text)};
        unsigned grain = at / isa->grain_bytes;

        used = (unsigned)isa->disasm_bundle(b->byte + at, bytes - at, grain, 0, &o);
        if (!used)
            return;
        fprintf(out, "%s_%u:\n%s\n", isa->bundle_name, grain, text);
    }
}

bool bits_command(const struct bits *b, const struct gpu_isa *isa, const char *word)
{
    if (!strcmp(word, "code"))
        fwrite(b->byte, 1, b->at / 8, stdout);
    else if (!strcmp(word, "text"))
        bits_print(b, isa, stdout);
    else
        return false;
    return true;
}

struct bench *bits_run(const struct bits *b, const struct gpu_isa *isa, unsigned lanes,
                       unsigned threads, const uint32_t *uniforms, unsigned count)
{
    struct bench *bench = bench_new_isa(isa, lanes, 1, threads);

    memcpy(bench->memory + BENCH_CODE, b->byte, b->at / 8);
    memcpy(bench->memory + BENCH_UNIFORMS, uniforms, count * sizeof(*uniforms));
    assert_int_equal(bench_run(bench, 100).progress, GPU_PROGRESS_DONE);
    return bench;
}
