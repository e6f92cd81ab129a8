/*
 * `gencc explain`: describes an instruction word and shows its place in the description.
 */
#include "gencc/front/excerpt.h"
#include "programs/gencc/driver.h"
#include "gencc/asm/words/asm.h"
#include "gencc/disasm/disasm.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Prints one column per bit, most significant first, with bars between fields. */
static void print_bit_picture(const struct format *f, uint64_t word)
{
    fputs("  ", stdout);
    for (unsigned bit = f->width; bit-- > 0;) {
        bool edge = bit + 1 == f->width;

        vec_for_each (&f->fields, it) {
            const struct field *x = *it;

            if (x->width && (bit == x->lsb + x->width - 1 || bit + 1 == x->lsb))
                edge = true;
        }
        fprintf(stdout, "%s%u", edge ? "|" : "", (unsigned)(word >> bit & 1));
    }
    puts("|");
}

static void print_fields(const struct format *f, uint64_t word)
{
    vec_for_each (&f->fields, it) {
        const struct field *x = *it;
        uint64_t v = (uint64_t)field_extract(x, word);

        if (!x->width || x->lsb >= f->width) /* a computed field, or the decode context */
            continue;
        printf("  %-8s [%u:%u] = %" PRIu64, x->name, x->lsb + x->width - 1, x->lsb, v);
        if (v > 9)
            printf(" (%#" PRIx64 ")", v);
        putchar('\n');
    }
}

/* Prints the text of a body, from its first line to its closing brace. */
static void print_source(struct src_pos pos)
{
    size_t n;
    const char *text = source_definition(pos, &n);

    printf("%.*s\n", (int)n, text);
}

static bool check_word(const struct isa *isa, uint64_t word, uint64_t context)
{
    if (driver_has_bundles("explain", isa))
        return false;
    if (context && !isa->context.slot) {
        fprintf(stderr, "gencc explain: %s has no decode contexts\n", isa->name);
        return false;
    }
    if (isa->fetch_bits >= 64 || isa_width_of_word(isa, word))
        return true;
    if (isa->word_widths.len) {
        fprintf(stderr, "gencc explain: %#" PRIx64 " is no word of %s\n", word, isa->name);
        return false;
    }
    fprintf(stderr, "gencc explain: a word of %s has %u bits; %#" PRIx64 " has more\n", isa->name,
            isa->fetch_bits, word);
    return false;
}

static int explain_word(struct isa *isa, uint64_t word, unsigned context)
{
    unsigned width = isa->word_widths.len ? isa_width_of_word(isa, word) : isa->fetch_bits;
    struct text *t = text_prepare(isa);
    u128 whole = word | isa_context_bits(isa, context);
    struct form *form;
    char text[256];

    if (!t)
        return 1;
    form = text_decode(t, whole, width);
    if (!form) {
        printf("%0*" PRIx64 ": undefined in %s\n", (int)(width + 3) / 4, word, isa->name);
        return 1;
    }
    text_disasm(t, whole, width, 0, text, sizeof(text));
    if (text_is_cut(t))
        fprintf(stderr, "gencc: the word's text has more than %zu characters\n", sizeof(text) - 1);
    printf("%0*" PRIx64 ": %s\n\n", (int)(width + 3) / 4, word, text);
    printf("instruction %s (%s), declared at %s:%u\n", form->instr->name,
           form->instr->format->name ? form->instr->format->name : "own format",
           form->instr->pos.file->path, form->instr->pos.line);
    if (isa->context.slot)
        printf("in context %u of %s\n", context, isa->context.slot->name);
    print_bit_picture(form->instr->format, word);
    print_fields(form->instr->format, word);
    if (form->row >= 0)
        printf("  as row %s of family %s\n", form->name, form->instr->family->name);
    if (form->instr->execute) {
        printf("\nsemantics at %s:%u\n", form->instr->execute->pos.file->path,
               form->instr->execute->pos.line);
        print_source(form->instr->execute->pos);
    }
    return text_is_cut(t);
}

/* The word to explain */
struct question {
    const char *number, *line; /* the word as a number, or its assembly text */
    uint64_t context;
};

/* Whether the number has as many digits as the disassembler prints for a word, which are
 * hexadecimal without 0x. */
static bool is_printed_word(const struct isa *isa, const char *digits)
{
    size_t n = strlen(digits);
    bool whole = false;

    vec_for_each (&isa->word_widths, w)
        whole |= n == (w->bits + 7) / 8 * 2;
    whole |= n == (isa->fetch_bits + 7) / 8 * 2;
    return whole && strspn(digits, "0123456789abcdefABCDEF") == n;
}

static bool read_word(const struct isa *isa, const char *number, uint64_t *word)
{
    char *end;

    errno = 0;
    *word = strtoull(number, &end, is_printed_word(isa, number) ? 16 : 0);
    if (!*end && end != number && !errno)
        return true;
    fprintf(stderr, "gencc explain: '%s' is no number\n", number);
    return false;
}

static bool assemble_word(struct isa *isa, const struct question *q, uint64_t *word)
{
    struct text *t = text_prepare(isa);
    struct text_word made;
    char err[512];

    if (!t)
        return false;
    text_asm_in_context(t, (unsigned)q->context);
    if (text_asm(t, &(struct text_line){.text = q->line}, &made, err, sizeof(err))) {
        *word = (uint64_t)made.bits;
        return true;
    }
    fprintf(stderr, "gencc explain: %s\n", err);
    return false;
}

static int answer_question(struct isa *isa, const struct question *q)
{
    uint64_t word = 0;

    if (q->number && !read_word(isa, q->number, &word))
        return 2;
    if (!check_word(isa, word, q->context))
        return 2;
    if (q->line && !assemble_word(isa, q, &word))
        return 1;
    return explain_word(isa, word, (unsigned)q->context);
}

int command_explain(int argc, char **argv)
{
    struct driver d = {0};
    struct question q = {0};
    const char *v;
    bool bad = false;
    int status = 0;
    struct isa *isa;

    for (int i = 1; i < argc && !bad; i++) {
        if (driver_option(&d, argc, argv, &i, &bad))
            continue;
        if (!bad && (v = option_value(argc, argv, &i, "context", &bad))) {
            if (!option_number("context", v, 0, 255, &q.context))
                return 2;
            continue;
        }
        if (!bad && (v = option_value(argc, argv, &i, "asm", &bad))) {
            q.line = v;
            continue;
        }
        if (bad)
            return 2;
        if (q.number || (argv[i][0] == '-' && argv[i][1]))
            return bad_argument("explain", argv[i]);
        q.number = argv[i];
    }
    if (bad)
        return 2;
    if (!q.number == !q.line) {
        fputs("gencc explain: expected an instruction word, or --asm TEXT\n", stderr);
        return 2;
    }
    if (driver_load(&d, STAGE_OPTIMISED, &status) && (isa = driver_isa(&d, &status)))
        status = answer_question(isa, &q);
    driver_free(&d);
    return status;
}
