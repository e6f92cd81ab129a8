/*
 * Parsing of assembly sources of bundle programs, and reading damaged bytes as bundles again.
 *
 *     asm_source SINGLE.ac
 */
#include "gencc/lower/lower.h"
#include "gencc/referee/load.h"
#include "gencc/asm/bundles/lines.h"

#include <stdlib.h>
#include <string.h>

static unsigned wrong;

struct source_case {
    const char *open, *close, *source;
    const char *read; /* header|word|word=bytes; a bundle, NAME@NUMBER; a label; or messages */
};

/* A message with its source line and the caret below it, both with `blanks` before the text. */
#define AT(line, column, message, text, blanks) \
    "s:" #line ":" #column ": error: " message "\n    " #line " | " text "\n      | " blanks "^\n"
#define NOTE \
    "gencc: note: `gencc disasm --bytes` prints such lines; without them the text is assembled\n"

static const struct source_case source_cases[] = {
    {"\n{\n", "}\n", "h\n{\n  a 1\n\tb // c\n}\n", "h|a 1|b;"},
    {"\n{\n", "}\n", "x:\nh\n{\na\n}\ny.1:\n\n; z\n{\nb # c\n}\nend:\n", "h|a;|b;x@0;y.1@1;end@2;"},
    {"\n{\n", "}\n", "{\nx:\n}\n", "|x:;"}, /* within braces it is a word */
    {"", "\n", "a\nb\n\n\nl: \nc\n", "|a|b;|c;l@1;"},
    {"", "\n", "a\nl:\nb", "|a;|b;l@1;"}, /* a label ends a bundle that has no braces */
    {"", "\n", "", ""},
    {"", "\n", " // nothing\n", ""},
    /*
     * Bytes are noted before a bundle, at its label or earlier; "//=" without a blank is a comment.
     */
    {"\n{\n", "}\n", "//= 00ff\nh\n{\na\n//=00\n}\n", "h|a=00ff;"},
    {"", "\n", "x:\n\t//=\t00 Ff\r\n\n//===\na\n\n//= 01020304\ny:\nb\nc\n",
     "|a=00ff;|b|c=01020304;x@0;y@1;"},
    {"", "\n", "//= 00fg\na\n",
     AT(1, 7, "expected a byte, as two hexadecimal digits", "//= 00fg", "      ") NOTE},
    {"", "\n", "\n //= 1 2\na\n",
     AT(2, 6, "expected a byte, as two hexadecimal digits", " //= 1 2", "     ") NOTE},
    {"", "\n", "//= \na\n",
     AT(1, 1, "expected the bytes of a word, a multiple of 2; here are 0", "//= ", "") NOTE},
    {"", "\n", "a\n//= 010203\na\n",
     AT(2, 1, "expected the bytes of a word, a multiple of 2; here are 3", "//= 010203", "") NOTE},
    {"", "\n", "a\n  //= 0102\nb\n",
     AT(2, 3, "the bytes of a word stand before its first line", "  //= 0102", "  ") NOTE},
    {"\n{\n", "}\n", "h\n//= 0102\n{\na\n}\n",
     AT(2, 1, "the bytes of a word stand before its first line", "//= 0102", "") NOTE},
    {"", "\n", "//= 0102\n\n//= 0304\na\n\n//= 0506\n",
     AT(1, 1, "no word stands behind its bytes", "//= 0102", "")
         NOTE AT(6, 1, "no word stands behind its bytes", "//= 0506", "") NOTE},
    {"\n{\n", "}\n", "h\n{\n}\n", AT(3, 1, "a bundle has at least one word", "}", "")},
    {"\n{\n", "}\n", "h\n{\n\ta\n", AT(3, 1, "the last bundle is not closed", "\ta", "")},
    {"\n{\n", "}\n", "h\n \ti\n{\na\n}\n",
     AT(2, 3, "expected what opens a bundle behind its header's line", " \ti", " \t")},
    {"", "\n", "x:\nx:\nx:\n",
     AT(2, 1, "label 'x' stands in line 1 already", "x:", "")
         AT(3, 1, "label 'x' stands in line 1 already", "x:", "")},
};

static void dump_lines(const struct source_lines *s, FILE *out)
{
    vec_for_each (&s->bundles, b) {
        fprintf(out, "%s", (*b)->header.text ? (*b)->header.text : "");
        for (unsigned i = 0; i < (*b)->words; i++)
            fprintf(out, "|%s", (*b)->word[i].text);
        for (size_t i = 0; i < (*b)->hint.bytes; i++)
            fprintf(out, "%s%02x", i ? "" : "=", (*b)->hint.code[i]);
        fprintf(out, ";");
    }
    vec_for_each (&s->labels, l)
        fprintf(out, "%s@%u;", l->name, l->bundle);
}

/* Returns what the source is parsed as: bundles and labels, or messages. */
static char *read_as(const struct bundle *c, const char *source, size_t length)
{
    struct arena arena = {0};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    FILE *in = length ? fmemopen((void *)(uintptr_t)source, length, "r") : fopen("/dev/null", "r");
    struct diag diag = {.out = out};
    struct source_lines s = {.arena = &arena, .c = c, .comment = "#", .file = "s", .diag = &diag};

    if (source_lines_read(&s, in))
        dump_lines(&s, out);
    fclose(in);
    fclose(out);
    arena_free(&arena);
    return text;
}

static void expect_text(const char *what, const char *got, const char *want)
{
    if (!strcmp(got, want))
        return;
    printf("%s\n  expected: %s\n  got:      %s\n", what, want, got);
    wrong++;
}

static void read_sources(void)
{
    for (size_t i = 0; i < sizeof(source_cases) / sizeof(*source_cases); i++) {
        const struct source_case *k = &source_cases[i];
        struct bundle c = {.name = "word", .grain_bits = 16, .open = k->open, .close = k->close};
        char *got = read_as(&c, k->source, strlen(k->source));

        expect_text(k->source, got, k->read);
        free(got);
    }
}

/* Expects messages that begin with `want`; the whole source line follows them. */
static void expect_start(const char *what, char *got, const char *want)
{
    if (strlen(got) > strlen(want))
        got[strlen(want)] = '\0';
    expect_text(what, got, want);
    free(got);
}

/* Lines, bundles and byte notes that are too long, and input that is not text. */
static void read_limits(void)
{
    struct bundle c = {.name = "word", .grain_bits = 16, .open = "", .close = "\n"};
    char line[SOURCE_MAX_LINE + 8], words[4 * MAX_BUNDLE_LINES];

    memset(line, 'a', sizeof(line));
    expect_start("a long line", read_as(&c, line, sizeof(line)),
                 "s:1:1: error: this line is too long\n");
    expect_start("a NUL", read_as(&c, "a\nb\0c\n", 6), "s:2:2: error: this is no text\n");
    for (unsigned i = 0; i <= MAX_BUNDLE_LINES; i++)
        memcpy(words + 2 * i, "a\n", 2);
    expect_start("many words", read_as(&c, words, 2 * (MAX_BUNDLE_LINES + 1)),
                 "s:65:1: error: a bundle has fewer lines than this\n");
    memcpy(line, "//= ", 4);
    line[4 + 2 * BUNDLE_MAX_BYTES + 2] = '\n';
    line[4 + 2 * BUNDLE_MAX_BYTES + 3] = 'b';
    expect_start("many bytes", read_as(&c, line, 4 + 2 * BUNDLE_MAX_BYTES + 4),
                 "s:1:1029: error: a word has no more than 512 bytes\n");
    expect_start("all bytes", read_as(&c, line, 4 + 2 * BUNDLE_MAX_BYTES),
                 "s:1:1: error: no word ");
    expect_start("fewer bytes", read_as(&c, line, 4 + 3),
                 "s:1:7: error: expected a byte, as two hexadecimal digits\n");
}

/* ---- reading again --------------------------------------------------------------------------- */

/* The bytes of iadd r1, r2, #3 by the pictures of tests/bundle/single_op.ac. */
static const uint8_t iadd[8] = {0x00, 0x00, 0x80, 0xc0, 0x30, 0x40, 0x20, 0x00};

/*
 * Whether a change of this bit shows in the text: opcode, dst, s1 and s0 are printed, s2 and imm
 * are not; flow must be 0.
 */
static bool is_printed(unsigned bit)
{
    return (bit >= 22 && bit < 38) || (bit >= 46 && bit < 60);
}

static struct text_bundle *prepare_text(const char *arch)
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
    struct text_bundle *tc = prepare_text(arch);

    if (!tc)
        exit(2);
    for (unsigned bit = 0; bit <= 64; bit++) {
        struct bundle_refusal why = {0};
        char what[32];
        uint8_t code[8];
        size_t used;

        memcpy(code, iadd, sizeof(code));
        if (bit < 64)
            code[bit / 8] ^= (uint8_t)(1u << bit % 8);
        used = bundle_check(tc, &source, 0, code, sizeof(code), &why);
        snprintf(what, sizeof(what), "bit %u changed", bit);
        expect_text(what,
                    used                          ? "read"
                    : why.at && why.at->line == 7 ? "refused"
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
