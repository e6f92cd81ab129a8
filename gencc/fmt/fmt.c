/*
 * Lays out GenC files: reads lines with their indentation, aligns pictures, writes the text. See
 * fmt.h.
 */
#include "gencc/fmt/fmt.h"

#include "common/vec.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { STEP = 4, MAX_BRACES = 256 };

struct line {
    const char *text; /* without blanks at either end */
    size_t length;
    unsigned indent; /* columns before the text in the result */
    bool in_comment; /* inside a comment of several lines, which stays as it is */
    size_t picture;  /* offset of the picture's string in a line that declares one; 0: none */
    bool is_legend,
        ends_pictures; /* names the columns of the picture below; ends a run of pictures */
};

typedef VEC(struct line) line_list;

/* State at the start of a line */
struct state {
    unsigned depth;                /* indentation in steps */
    unsigned braces;               /* open braces */
    bool label_braces[MAX_BRACES]; /* braces after a label, which do not indent by themselves */
    bool label;                    /* the line is a label */
    unsigned parens;               /* open parentheses */
    bool comment;                  /* inside a comment of several lines */
    bool continued;                /* a statement continues from the line before */
    int shift;                     /* columns by which the statement's first line was moved */
};

/* ---- reading --------------------------------------------------------------------------------- */

static unsigned width_of(const char *blanks, size_t n)
{
    unsigned column = 0;

    for (size_t i = 0; i < n; i++)
        column = blanks[i] == '\t' ? (column / STEP + 1) * STEP : column + 1;
    return column;
}

/* The end of the string that begins at `at`. */
static const char *skip_string(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++)
        at += *at == '\\' && at + 1 < end;
    return at < end ? at + 1 : end;
}

static void note_char(struct state *s, char c)
{
    if (c == '{') {
        if (s->braces < MAX_BRACES)
            s->label_braces[s->braces] = s->label;
        s->depth += s->braces >= MAX_BRACES || !s->label;
        s->braces++;
    } else if (c == '}' && s->braces) {
        s->braces--;
        s->depth -= s->braces >= MAX_BRACES || !s->label_braces[s->braces];
    } else if (c == '(') {
        s->parens++;
    } else if (c == ')') {
        s->parens -= s->parens != 0;
    }
    if (!isspace((unsigned char)c))
        s->continued = s->parens || (c != ';' && c != '{' && c != '}');
}

/* Updates the state for the code of a line. */
static void advance_state(struct state *s, const char *at, const char *end)
{
    while (at < end) {
        if (s->comment) {
            const char *stop = at;

            while (stop + 1 < end && (stop[0] != '*' || stop[1] != '/'))
                stop++;
            s->comment = stop + 1 >= end;
            at = s->comment ? end : stop + 2;
        } else if (at + 1 < end && at[0] == '/' && at[1] == '/') {
            return;
        } else if (at + 1 < end && at[0] == '/' && at[1] == '*') {
            s->comment = true;
            at += 2;
        } else if (*at == '"') {
            at = skip_string(at, end);
            s->continued = true;
        } else {
            note_char(s, *at++);
        }
    }
}

static bool is_comment(const struct line *l)
{
    return l->length > 1 && l->text[0] == '/' && l->text[1] == '/';
}

static bool is_case(const struct line *l)
{
    return (l->length > 5 && !memcmp(l->text, "case ", 5)) ||
           (l->length > 7 && !memcmp(l->text, "default", 7) &&
            !isalnum((unsigned char)l->text[7]) && l->text[7] != '_');
}

/* Whether the line ends as `case 1:` and `default:` do. */
static bool is_label(const struct line *l)
{
    bool word = is_case(l);
    size_t n = l->length;
    const char *slashes = word ? memmem(l->text, n, "//", 2) : NULL;

    if (!word)
        return false;
    n = slashes ? (size_t)(slashes - l->text) : n;
    while (n && isspace((unsigned char)l->text[n - 1]))
        n--;
    return n && l->text[n - 1] == ':';
}

static unsigned indent_of(const struct state *s, const struct line *l, unsigned was, int *shift)
{
    unsigned depth = s->depth;

    *shift = s->shift;
    if (s->continued) {
        int moved = (int)was + s->shift;

        return moved > 0 ? (unsigned)moved : 0;
    }
    depth -= depth && l->length && (l->text[0] == '}' || is_case(l));
    /* Rows of a table may be indented further, to stand below each other. */
    if (l->length && strchr("0123456789\"", l->text[0]) && was > depth * STEP)
        return was;
    *shift = (int)(depth * STEP) - (int)was;
    return depth * STEP;
}

/* Offset of the string of `ac_instr NAME "…"`, of a format or of a named picture; 0 if there is
 * none. */
static size_t picture_of(const struct line *l)
{
    const char *quote = memchr(l->text, '"', l->length);
    size_t n = quote ? (size_t)(quote - l->text) : 0;

    if (!n || (strncmp(l->text, "ac_instr ", 9) && strncmp(l->text, "ac_picture ", 11)))
        return 0;
    return memchr(l->text, '(', n) || memchr(l->text, '{', n) ? 0 : n;
}

static void classify_line(struct line *l)
{
    bool comment = is_comment(l);

    l->is_legend = comment && l->length > 6 && !strncmp(l->text + 2, "    ", 4);
    l->ends_pictures =
        !l->length || (comment && l->length > 6 && !strncmp(l->text + 2, " ----", 5));
    l->picture = comment ? 0 : picture_of(l);
}

static void read_lines(struct arena *a, const char *text, size_t length, line_list *out)
{
    struct state s = {0};
    const char *end = text + length;

    while (text < end) {
        const char *nl = memchr(text, '\n', (size_t)(end - text)), *stop = nl ? nl : end;
        const char *start = text;
        struct line l = {0};
        int shift;

        while (start < stop && isspace((unsigned char)*start))
            start++;
        while (stop > start && isspace((unsigned char)stop[-1]))
            stop--;
        l.text = start;
        l.length = (size_t)(stop - start);
        l.in_comment = s.comment;
        l.indent = indent_of(&s, &l, width_of(text, (size_t)(start - text)), &shift);
        if (l.in_comment)
            l.indent = width_of(text, (size_t)(start - text));
        else if (l.length && !(is_comment(&l) && s.continued))
            s.shift = shift;
        s.label = !l.in_comment && is_case(&l);
        advance_state(&s, start, stop);
        if (is_label(&l))
            s.continued = false;
        classify_line(&l);
        vec_push_in(a, out, l);
        text = nl ? nl + 1 : end;
    }
}

/* ---- pictures -------------------------------------------------------------------------------- */

/* Columns of a declaration up to its picture: its words and a blank. */
static size_t columns_needed(const struct line *l)
{
    size_t n = l->picture;

    while (n && l->text[n - 1] == ' ')
        n--;
    return n + 1;
}

/* Moves the pictures of lines [from, to) to one column, unless they are aligned already. */
static void align_run(struct arena *a, line_list *lines, unsigned from, unsigned to)
{
    size_t column = 0, first = 0;
    bool even = true;

    for (unsigned i = from; i < to; i++) {
        const struct line *l = &lines->data[i];

        if (!l->picture)
            continue;
        column = columns_needed(l) > column ? columns_needed(l) : column;
        even &= !first || l->picture == first;
        first = l->picture;
    }
    if (even)
        return;
    for (unsigned i = to; i-- > from;) {
        struct line *l = &lines->data[i];
        size_t keep = columns_needed(l) - 1;

        if (!l->picture)
            continue;
        /* The legend above moves with the picture. */
        if (i > from && l[-1].is_legend) {
            const char *words = l[-1].text + 2 + strspn(l[-1].text + 2, " ");
            long at = words - l[-1].text + (long)column - (long)l->picture;

            at = at < 6 ? 6 : at;
            l[-1].text = arena_printf(a, "//%*s%.*s", (int)(at - 2), "",
                                      (int)(l[-1].text + l[-1].length - words), words);
            l[-1].length = strlen(l[-1].text);
        }
        l->text = arena_printf(a, "%.*s%*s%.*s", (int)keep, l->text, (int)(column - keep), "",
                               (int)(l->length - l->picture), l->text + l->picture);
        l->length = strlen(l->text);
        l->picture = column;
    }
}

/* Aligns each run of pictures. A run ends at an empty line, at a heading, and where the enclosing
 * braces end. */
static void align_all(struct arena *a, line_list *lines)
{
    unsigned from = 0;
    bool any = false;
    unsigned indent = 0;

    for (unsigned i = 0; i <= lines->len; i++) {
        const struct line *l = i < lines->len ? &lines->data[i] : NULL;
        bool ends = !l || l->ends_pictures || (any && l->picture && l->indent != indent);

        if (ends) {
            align_run(a, lines, from, i);
            from = i;
            any = false;
        }
        if (l && l->picture) {
            any = true;
            indent = l->indent;
        }
    }
}

/* ---- writing --------------------------------------------------------------------------------- */

const char *fmt_text(struct arena *a, const char *text, size_t length)
{
    line_list lines = {0};
    size_t size = 1, used = 0;
    char *out;

    read_lines(a, text, length, &lines);
    while (lines.len && !lines.data[lines.len - 1].length)
        lines.len--;
    align_all(a, &lines);
    vec_for_each (&lines, l)
        size += l->indent + l->length + 1;
    out = arena_alloc(a, size);
    vec_for_each (&lines, l) {
        if (l->length) {
            memset(out + used, ' ', l->indent);
            memcpy(out + used + l->indent, l->text, l->length);
            used += l->indent + l->length;
        }
        out[used++] = '\n';
    }
    return out;
}
