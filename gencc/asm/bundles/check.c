/*
 * Verification of the result: a separate disassembler must print each bundle as its source lines.
 * Any error of the assembler is found here.
 */
#include "gencc/asm/bundles/asm.h"

#include <ctype.h>
#include <string.h>

enum { MAX_TEXT = 16384, MAX_EXPECTED = MAX_BUNDLE_LINES + 16 };

/* A line that must be printed. */
struct expected {
    const char *text;
    size_t length;
    const struct source_line *at; /* NULL: the line is part of the description's text */
};

struct expectation {
    struct expected lines[MAX_EXPECTED];
    unsigned count;
};

/* Finds the next line that is not blank and its length, and advances *p behind it. NULL: there is
 * none. */
static const char *next_line(const char **p, size_t *length)
{
    while (**p) {
        const char *line = *p;

        *length = strcspn(line, "\n");
        *p += *length + (line[*length] != '\0');
        for (size_t i = 0; i < *length; i++)
            if (!isspace((unsigned char)line[i]))
                return line;
    }
    return NULL;
}

static void expect_lines(struct expectation *x, const char *text, const struct source_line *at)
{
    size_t length;

    for (const char *line; (line = next_line(&text, &length)) && x->count < MAX_EXPECTED;)
        x->lines[x->count++] = (struct expected){line, length, at};
}

static struct expectation expectation_of(const struct bundle *c, const struct source_bundle *s)
{
    struct expectation x = {.count = 0};

    if (s->header.text)
        expect_lines(&x, s->header.text, &s->header);
    expect_lines(&x, c->open, NULL);
    for (unsigned i = 0; i < s->words; i++) {
        const char *word;

        bundle_named_unit(c, s->word[i].text, &word);
        expect_lines(&x, word, &s->word[i]);
    }
    expect_lines(&x, c->close, NULL);
    return x;
}

/* Whether lines that name a unit have their words in that unit. */
static bool same_units(struct text_bundle *tc, const struct source_bundle *s,
                       struct bundle_refusal *why)
{
    const struct bundle *c = tc->text->isa->bundle;
    unsigned unit[MAX_BUNDLE_LINES], count = bundle_units_of_lines(tc, unit, MAX_BUNDLE_LINES);

    for (unsigned i = 0; i < s->words; i++) {
        const char *word;
        unsigned named = bundle_named_unit(c, s->word[i].text, &word);

        if (named == c->units.len || (i < count && unit[i] == named))
            continue;
        why->at = &s->word[i];
        snprintf(why->text, sizeof(why->text), "what was assembled for this is of another unit");
        return false;
    }
    return true;
}

/* Compares the printed lines with the expected ones. If they differ, why->at is the line, or the
 * last one before. */
static bool same_lines(const struct expectation *x, const char *printed, struct bundle_refusal *why)
{
    const char *line;
    size_t length;
    unsigned i = 0;

    while ((line = next_line(&printed, &length))) {
        const struct expected *e = i < x->count ? &x->lines[i++] : NULL;

        why->at = e && e->at ? e->at : why->at;
        if (!e || !bundle_same_text(line, length, e->text, e->length)) {
            snprintf(why->text, sizeof(why->text), "what was assembled for this reads as '%.*s'",
                     (int)(length < 200 ? length : 200), line);
            return false;
        }
    }
    snprintf(why->text, sizeof(why->text),
             "what was assembled lacks a line behind this when it is read again");
    return i == x->count;
}

static unsigned count_lines(const char *text)
{
    unsigned n = 0;
    size_t length;

    while (next_line(&text, &length))
        n++;
    return n;
}

size_t bundle_check(struct text_bundle *tc, const struct source_bundle *s, unsigned index,
                    const uint8_t *code, size_t available, struct bundle_refusal *why)
{
    const struct bundle *c = tc->text->isa->bundle;
    char printed[MAX_TEXT];
    struct asm_out out = {.text = printed, .size = sizeof(printed)};
    struct expectation x = expectation_of(c, s);

    why->at = &s->word[0];
    printed[0] = '\0';
    tc->index = index;
    if (text_bundle_is_padding(c, code, available) ||
        !text_bundle_unpack(tc->text, code, available, &tc->bits)) {
        snprintf(why->text, sizeof(why->text),
                 "what was assembled for this is no %s when it is read again", c->name);
        return 0;
    }
    bundle_write(tc, false, &out);
    if (count_lines(printed) <
        x.count) { /* the footer is printed; the source may leave it out as a whole */
        out.length = 0;
        bundle_write(tc, true, &out);
    }
    if (!out.cut)
        return same_lines(&x, printed, why) && same_units(tc, s, why) ? tc->bits.bytes : 0;
    snprintf(why->text, sizeof(why->text),
             "what was assembled for this is too long to be read again");
    return 0;
}
