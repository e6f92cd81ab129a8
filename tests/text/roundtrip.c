/*
 * Disassembles random words and assembles their texts again:
 *
 *     roundtrip ARCH.ac ISA COUNT SEED [INSTRUCTION]
 *
 * makes COUNT random words of every encoding. Assembly must return the word, or one with the same
 * text. Failures and a summary are printed; exit status 1 after a failure.
 */
#include "gencc/referee/load.h"
#include "gencc/referee/words.h"
#include "gencc/asm/words/asm.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SHOWN = 3, ADDRESS = 0x40000 }; /* SHOWN: printed failures per form */

struct totals {
    uint64_t address; /* address of all words */
    unsigned words, failures, untexted, empty, shown;
    struct words source;
};

static void report_failure(struct totals *s, const struct instr *in, u128 word, const char *text,
                           const char *why)
{
    s->failures++;
    if (s->shown++ < SHOWN)
        printf("%s: %08llx '%s': %s\n", in->name, (unsigned long long)word, text, why);
}

static void check_word(struct totals *s, struct text *t, const struct instr *in, u128 word)
{
    char text[256], again[256], err[512], why[600];
    unsigned width = in->format->width;
    struct text_word got;

    s->words++;
    if (!text_disasm(t, word, width, s->address, text, sizeof(text))) {
        s->untexted++;
        report_failure(s, in, word, "", "no text");
        return;
    }
    if (!text_asm(t, &(struct text_line){.text = text, .address = s->address}, &got, err,
                  sizeof(err))) {
        report_failure(s, in, word, text, err);
        return;
    }
    if (got.bits == word && got.width == width)
        return;
    again[0] = '\0';
    text_disasm(t, got.bits, got.width, s->address, again, sizeof(again));
    if (strcmp(text, again)) {
        snprintf(why, sizeof(why), "assembles to %08llx '%s'", (unsigned long long)got.bits, again);
        report_failure(s, in, word, text, why);
    }
}

static void check_form(struct totals *s, struct form *form, unsigned count)
{
    s->shown = 0;
    for (unsigned i = 0; i < count; i++) {
        u128 word;

        if (!random_word(&s->source, form, &word)) {
            s->empty++;
            printf("%s: no word found that decodes to it\n", form->name);
            return;
        }
        check_word(s, s->source.text, form->instr, word);
    }
}

int main(int argc, char **argv)
{
    struct totals s = {0};
    struct loaded l;
    struct isa *isa;
    clock_t start;

    if (argc < 5) {
        fprintf(stderr, "usage: roundtrip ARCH.ac ISA COUNT SEED [INSTRUCTION]\n");
        return 2;
    }
    if (!load_text(&l, argv[1], argv[2]))
        return 2;
    isa = model_isa(l.model, argv[2]);
    s.source = (struct words){l.text, strtoull(argv[4], NULL, 0) * 2 + 1};
    /* for 16-bit units: an address that is not a multiple of 4 */
    s.address = ADDRESS + isa->fetch_bits / 8;
    start = clock();
    vec_for_each (&isa->forms, f) {
        if (argc < 6 || !strcmp((*f)->instr->name, argv[5]))
            check_form(&s, *f, (unsigned)strtoul(argv[3], NULL, 0));
    }
    printf("%u words of %u forms: %u failed (%u without text), %u forms without words, %.2f s\n",
           s.words, isa->forms.len, s.failures, s.untexted, s.empty,
           (double)(clock() - start) / CLOCKS_PER_SEC);
    arena_free(&l.arena);
    return s.failures || s.empty || !s.words;
}
