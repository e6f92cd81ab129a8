/*
 * roundtrip ARCH.ac ISA COUNT SEED [INSTRUCTION]
 *
 * For every encoding: COUNT random words that it decodes to → text → word. The word must come back,
 * or one that has the same text. Prints what does not, and a summary; exit status 1 when anything
 * failed.
 */
#include "tests/text/load.h"
#include "gencc/text/asm.h"

#include <stdlib.h>
#include <time.h>

enum { SHOWN = 40, TRIES = 50, ADDRESS = 0x40000 };

struct totals {
    unsigned words, failures, untexted, empty;
    uint64_t random;
};

/* xorshift64*: the same words on every host. */
static uint64_t next_random(struct totals *s)
{
    s->random ^= s->random >> 12;
    s->random ^= s->random << 25;
    s->random ^= s->random >> 27;
    return s->random * 0x2545f4914f6cdd1du;
}

static u128 random_word(struct totals *s, const struct pattern *p, unsigned width)
{
    u128 r = (u128)next_random(s) << 64 | next_random(s);

    /* Sparse and dense words find the special cases. */
    switch (next_random(s) % 4) {
    case 0:
        r &= (u128)next_random(s) << 64 | next_random(s);
        break;
    case 1:
        r |= (u128)next_random(s) << 64 | next_random(s);
        break;
    }
    if (width < 128)
        r &= ((u128)1 << width) - 1;
    return (r & ~p->mask) | p->value;
}

static void fail(struct totals *s, const struct instr *in, u128 word, const char *text,
                 const char *why)
{
    if (s->failures++ < SHOWN)
        printf("%s: %08llx '%s': %s\n", in->name, (unsigned long long)word, text, why);
}

static void check(struct totals *s, struct text *t, const struct instr *in, u128 word)
{
    char text[256], again[256], err[512], why[600];
    unsigned width = in->format->width, got_width;
    u128 got;

    s->words++;
    if (!text_disasm(t, word, width, ADDRESS, text, sizeof text)) {
        s->untexted++;
        fail(s, in, word, "", "no text");
        return;
    }
    if (!text_asm(t, text, ADDRESS, &got, &got_width, err, sizeof err)) {
        fail(s, in, word, text, err);
        return;
    }
    if (got == word && got_width == width)
        return;
    again[0] = '\0';
    text_disasm(t, got, got_width, ADDRESS, again, sizeof again);
    if (strcmp(text, again)) {
        snprintf(why, sizeof why, "assembles to %08llx '%s'", (unsigned long long)got, again);
        fail(s, in, word, text, why);
    }
}

static void check_form(struct totals *s, struct text *t, struct form *form, unsigned count)
{
    unsigned width = form->instr->format->width, done = 0;

    for (unsigned i = 0; i < count * TRIES && done < count && form->patterns.count; i++) {
        const struct pattern *p = &form->patterns.at[i % form->patterns.count];
        u128 word = random_word(s, p, width);

        if (text_decode(t, word, width) != form)
            continue;
        check(s, t, form->instr, word);
        done++;
    }
    if (!done) {
        s->empty++;
        printf("%s: no word found that decodes to it\n", form->name);
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
    s.random = strtoull(argv[4], NULL, 0) * 2 + 1;
    start = clock();
    vec_for_each (&isa->forms, f) {
        if (argc < 6 || !strcmp((*f)->instr->name, argv[5]))
            check_form(&s, l.text, *f, (unsigned)strtoul(argv[3], NULL, 0));
    }
    printf("%u words of %u forms: %u failed (%u without text), %u forms without words, %.2f s\n",
           s.words, isa->forms.count, s.failures, s.untexted, s.empty,
           (double)(clock() - start) / CLOCKS_PER_SEC);
    arena_free(&l.arena);
    return s.failures || !s.words;
}
