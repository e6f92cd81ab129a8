/*
 * Source lines that give the bytes of the bundle below them. The bytes hold what the bundle's text
 * does not show.
 */
#include "gencc/asm/bundles/lines.h"

#include <ctype.h>
#include <string.h>

static const char mark[] = "//=";

/* Start of the bytes, behind the mark and a blank. NULL: another kind of line. */
static const char *digits_of(const char *text)
{
    text += strspn(text, " \t");
    if (strncmp(text, mark, sizeof(mark) - 1))
        return NULL;
    text += sizeof(mark) - 1;
    return *text == ' ' || *text == '\t' ? text : NULL;
}

static unsigned digit_of(char c)
{
    return isdigit((unsigned char)c) ? (unsigned)(c - '0')
                                     : (unsigned)(tolower((unsigned char)c) - 'a' + 10);
}

/* Reads the bytes, optionally separated by blanks, into `out`, which has BUNDLE_MAX_BYTES. Returns
 * where it stopped: at the end, at a character that is no byte, or at the first byte too many. */
static const char *read_bytes(const char *p, uint8_t *out, size_t *bytes)
{
    for (*bytes = 0; *(p += strspn(p, " \t\r\n")); p += 2) {
        if (*bytes == BUNDLE_MAX_BYTES || !isxdigit((unsigned char)p[0]) ||
            !isxdigit((unsigned char)p[1]))
            break;
        out[(*bytes)++] = (uint8_t)(digit_of(p[0]) << 4 | digit_of(p[1]));
    }
    return p;
}

static void refuse_hint(struct source_lines *s, unsigned line, unsigned column, const char *message)
{
    source_error(s, line, column, 1, message);
    source_note(s, "`gencc disasm --bytes` prints such lines; without them the text is assembled");
}

/* Why the bytes cannot be a bundle; NULL: they can. `rest` is where reading them stopped. */
static const char *wrong_with(struct source_lines *s, const char *rest, size_t bytes)
{
    size_t grain = s->c->grain_bits / 8;

    if (*rest && bytes == BUNDLE_MAX_BYTES)
        return arena_printf(s->arena, "a %s has no more than %u bytes", s->c->name,
                            (unsigned)BUNDLE_MAX_BYTES);
    if (*rest)
        return "expected a byte, as two hexadecimal digits";
    if (!bytes || bytes % grain)
        return arena_printf(s->arena, "expected the bytes of a %s, a multiple of %zu; here are %zu",
                            s->c->name, grain, bytes);
    return NULL;
}

bool source_hint_read(struct source_lines *s, const char *text, unsigned line)
{
    const char *digits = digits_of(text), *rest, *wrong;
    struct source_line at = {.text = text, .line = line};
    uint8_t code[BUNDLE_MAX_BYTES];
    size_t bytes;

    if (!digits)
        return false;
    at.column = (unsigned)strspn(text, " \t") + 1;
    rest = read_bytes(digits, code, &bytes);
    wrong = wrong_with(s, rest, bytes);
    if (wrong) {
        refuse_hint(s, line, *rest ? (unsigned)(rest - text) + 1 : at.column, wrong);
        return true;
    }
    if (s->in_bundle) {
        refuse_hint(
            s, line, at.column,
            arena_printf(s->arena, "the bytes of a %s stand before its first line", s->c->name));
        return true;
    }
    source_hint_end(s);
    s->hint = (struct source_hint){
        .at = at, .code = memcpy(arena_alloc(s->arena, bytes), code, bytes), .bytes = bytes};
    return true;
}

void source_hint_end(struct source_lines *s)
{
    if (s->hint.code)
        refuse_hint(s, s->hint.at.line, s->hint.at.column,
                    arena_printf(s->arena, "no %s stands behind its bytes", s->c->name));
    s->hint = (struct source_hint){0};
}
