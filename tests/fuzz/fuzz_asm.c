/*
 * The assembler, on lines of text, and the disassembler, on the words that result.
 */
#include "gencc/lower/lower.h"
#include "gencc/asm/words/asm.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

static struct text *prepare_text(void)
{
    static struct arena arena; /* a harness is a program of its own */
    static struct diag diag;
    static struct text *text;
    struct ast_arch *arch;
    struct model *m;

    if (text)
        return text;
    diag = (struct diag){.arena = &arena, .out = stderr};
    arch = ast_parse_arch(&diag, ASM_ARCH);
    m = arch ? model_build(&arena, &diag, arch) : NULL;
    if (!m || !lower_isa(m->isas.data[0], LOWER_OPTIMISE))
        exit(2);
    text = text_prepare(m->isas.data[0]);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text *t = prepare_text();
    char line[512], out[256], err[256];
    struct text_word word;

    if (size >= sizeof(line) || memchr(data, 0, size))
        return 0;
    memcpy(line, data, size);
    line[size] = 0;
    if (!strcasestr(line, ".inst") &&
        text_asm(t, &(struct text_line){.text = line, .address = 0x1000}, &word, err,
                 sizeof(err)) &&
        !text_disasm(t, word.bits, word.width, 0x1000, out, sizeof(out)))
        abort(); /* what was assembled must have text; .inst may give any word */
    return 0;
}
