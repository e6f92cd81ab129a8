/*
 * Sources of programs of bundles, taken apart; and what reading bundles again makes of bytes that are wrong.
 *
 *     asm_source SINGLE.ac
 */
#include "gencc/lower/lower.h"
#include "gencc/referee/load.h"
#include "gencc/text/bundle_lines.h"

#include <stdlib.h>

static unsigned wrong;

struct source_case {
    const char *open, *close, *source;
    const char *read; /* header|word|word; a bundle, NAME@NUMBER; a label; or messages */
};

static const struct source_case source_cases[] = {
    {"\n{\n", "}\n", "h\n{\n  a 1\n\tb // c\n}\n", "h|a 1|b;"},
    {"\n{\n", "}\n", "x:\nh\n{\na\n}\ny.1:\n\n; z\n{\nb # c\n}\nend:\n", "h|a;|b;x@0;y.1@1;end@2;"},
    {"\n{\n", "}\n", "{\nx:\n}\n", "|x:;"}, /* within braces it is a word */
    {"", "\n", "a\nb\n\n\nl: \nc\n", "|a|b;|c;l@1;"},
    {"", "\n", "a\nl:\nb", "|a;|b;l@1;"}, /* a label ends a bundle that has no braces */
    {"", "\n", "", ""},
    {"", "\n", " // nothing\n", ""},
    {"\n{\n", "}\n", "h\n{\n}\n", "s:3:1: error: a bundle has at least one word\n"},
    {"\n{\n", "}\n", "h\n{\na\n", "s:3:1: error: the last bundle is not closed\n"},
    {"\n{\n", "}\n", "h\ni\n{\na\n}\n",
     "s:2:1: error: expected what opens a bundle behind its header's line\n"},
    {"", "\n", "x:\nx:\nx:\n",
     "s:2:1: error: label 'x' stands in line 1 already\n"
     "s:3:1: error: label 'x' stands in line 1 already\n"},
};

static void dump(const struct source_lines *s, FILE *out)
{
    vec_for_each (&s->bundles, b) {
        fprintf(out, "%s", (*b)->header.text ? (*b)->header.text : "");
        for (unsigned i = 0; i < (*b)->words; i++)
            fprintf(out, "|%s", (*b)->word[i].text);
        fprintf(out, ";");
    }
    vec_for_each (&s->labels, l)
        fprintf(out, "%s@%u;", l->name, l->bundle);
}

/* What the source is read as: bundles and labels, or messages. */
static char *read_as(const struct bundle *c, const char *source, size_t length)
{
    struct arena arena = {0};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    FILE *in = length ? fmemopen((void *)(uintptr_t)source, length, "r") : fopen("/dev/null", "r");
    struct source_lines s = {.arena = &arena, .c = c, .comment = "#", .file = "s", .messages = out};

    if (source_lines_read(&s, in))
        dump(&s, out);
    fclose(in);
    fclose(out);
    arena_free(&arena);
    return text;
}

static void expect(const char *what, const char *got, const char *want)
{
    if (!strcmp(got, want))
        return;
    printf("%s\n  expected: %s\n  got:      %s\n", what, want, got);
    wrong++;
}

static void read_sources(void)
{
    for (size_t i = 0; i < sizeof source_cases / sizeof *source_cases; i++) {
        const struct source_case *k = &source_cases[i];
        struct bundle c = {.open = k->open, .close = k->close};
        char *got = read_as(&c, k->source, strlen(k->source));

        expect(k->source, got, k->read);
        free(got);
    }
}

/* Lines and bundles that are too long, and what is no text. */
static void read_limits(void)
{
    struct bundle c = {.open = "", .close = "\n"};
    char line[SOURCE_MAX_LINE + 8], words[4 * MAX_BUNDLE_LINES], *got;

    memset(line, 'a', sizeof line);
    got = read_as(&c, line, sizeof line);
    expect("a long line", got, "s:1:1: error: this line is too long\n");
    free(got);
    got = read_as(&c, "a\nb\0c\n", 6);
    expect("a NUL", got, "s:2:2: error: this is no text\n");
    free(got);
    for (unsigned i = 0; i <= MAX_BUNDLE_LINES; i++)
        memcpy(words + 2 * i, "a\n", 2);
    got = read_as(&c, words, 2 * (MAX_BUNDLE_LINES + 1));
    expect("many words", got, "s:65:1: error: a bundle has fewer lines than this\n");
    free(got);
}

/* ---- reading again --------------------------------------------------------------------------- */

/* iadd r1, r2, #3 by the pictures of tests/bundle/single_op.ac. */
static const uint8_t iadd[8] = {0x00, 0x00, 0x80, 0xc0, 0x30, 0x40, 0x20, 0x00};

/* Whether a changed bit changes the line: opcode, dst, s1 and s0 are printed, s2 and imm are not; flow is 0. */
static bool is_printed(unsigned bit)
{
    return (bit >= 22 && bit < 38) || (bit >= 46 && bit < 60);
}

static struct text_bundle *prepare(const char *arch)
{
    static struct loaded l;
    struct isa *unit;

    if (!load_text(&l, arch, "single"))
        return NULL;
    unit = model_isa(l.model, "single_op");
    return unit && lower_isa(unit, LOWER_OPTIMISE) ? text_bundle_prepare(l.text) : NULL;
}

static void check_again(const char *arch)
{
    struct source_bundle source = {.word = {{"iadd r1, r2, #3", 7, 1}}, .words = 1};
    struct text_bundle *tc = prepare(arch);

    if (!tc)
        exit(2);
    for (unsigned bit = 0; bit <= 64; bit++) {
        const struct source_line *at = NULL;
        char err[200] = "", what[32];
        uint8_t code[8];
        size_t used;

        memcpy(code, iadd, sizeof code);
        if (bit < 64)
            code[bit / 8] ^= (uint8_t)(1u << bit % 8);
        used = bundle_check(tc, &source, 0, code, sizeof code, &at, err, sizeof err);
        snprintf(what, sizeof what, "bit %u changed", bit);
        expect(what,
               used                  ? "read"
               : at && at->line == 7 ? "refused"
                                     : "refused elsewhere",
               is_printed(bit) ? "refused" : "read");
    }
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    read_sources();
    read_limits();
    check_again(argv[1]);
    printf("%u wrong\n", wrong);
    return wrong != 0;
}
