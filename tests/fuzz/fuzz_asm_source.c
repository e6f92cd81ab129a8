/*
 * The source of programs of bundles: the first byte says how bundles are written, the rest is the
 * source.
 */
#include "gencc/asm/bundles/lines.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

enum { GRAIN = 2 };

static void check_bundle(const struct source_bundle *b, bool complete)
{
    if (b->words > MAX_BUNDLE_LINES || (complete && !b->words))
        abort();
    for (unsigned i = 0; i < b->words; i++)
        if (!b->word[i].text[0] || !b->word[i].line ||
            (i && b->word[i].line <= b->word[i - 1].line))
            abort(); /* a line is not empty, and stands behind the one before */
    if (b->hint.code &&
        (!b->hint.bytes || b->hint.bytes % GRAIN || b->hint.bytes > BUNDLE_MAX_BYTES ||
         (b->words && b->hint.at.line >= b->word[0].line)))
        abort(); /* bytes are whole grains, and stand before */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    bool braces = size && data[0] & 1;
    struct bundle bundle = {.name = "bundle",
                            .grain_bits = 8 * GRAIN,
                            .open = braces ? "\n{\n" : "",
                            .close = braces ? "}\n" : "\n"};
    struct source_lines s = {.arena = &arena, .c = &bundle, .comment = "#", .file = "fuzz"};
    FILE *in = size > 1 ? fmemopen((void *)(uintptr_t)(data + 1), size - 1, "r") : NULL;
    bool ok;

    if (!in)
        return 0;
    ok = source_lines_read(&s, in);
    if (ok != !s.errors || s.errors > SOURCE_MAX_ERRORS + 2)
        abort(); /* the last line may have two, and what is open then is one more */
    vec_for_each (&s.bundles, b)
        check_bundle(*b, ok);
    vec_for_each (&s.labels, l)
        if (l->bundle > s.bundles.len || !l->name[0])
            abort();
    fclose(in);
    arena_free(&arena);
    return 0;
}
