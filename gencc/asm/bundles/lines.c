/*
 * Lines of the source of `gencc asm` for shaders that are strings of bundles, split into bundles
 * and labels.
 */
#include "gencc/asm/bundles/lines.h"

#include <ctype.h>
#include <string.h>

/* A copy of the text without surrounding blanks. */
static const char *copy_trimmed(struct arena *a, const char *text)
{
    const char *end = text + strlen(text);

    while (end > text && isspace((unsigned char)end[-1]))
        end--;
    while (text < end && isspace((unsigned char)*text))
        text++;
    return arena_strndup(a, text, (size_t)(end - text));
}

static void cut_comment(const struct source_lines *s, char *line)
{
    const char *comment = s->comment;
    char *at = strstr(line, "//");

    if (at)
        *at = '\0';
    at = comment && *comment ? strstr(line, comment) : NULL;
    if (at)
        *at = '\0';
    if (line[strspn(line, " \t")] == ';')
        *line = '\0';
}

static struct source_bundle *last_bundle(struct source_lines *s)
{
    return s->bundles.data[s->bundles.len - 1];
}

static void begin_bundle(struct source_lines *s)
{
    if (s->in_bundle)
        return;
    vec_push_in(s->arena, &s->bundles, arena_new(s->arena, struct source_bundle));
    last_bundle(s)->hint = s->hint;
    s->hint = (struct source_hint){0};
    s->in_bundle = true;
    s->in_words = !*copy_trimmed(s->arena, s->c->open);
}

static void end_bundle(struct source_lines *s, unsigned line)
{
    if (!s->in_bundle)
        return;
    last_bundle(s)->end.line = line;
    s->in_bundle = false;
    if (!last_bundle(s)->words)
        source_error(s, line, 1, 1, "a bundle has at least one word");
}

/* Reads a label: `NAME:` with nothing behind it. */
static bool read_label(struct source_lines *s, const char *text, unsigned line)
{
    size_t n = 0;
    struct source_label l = {.line = line};

    while (isalnum((unsigned char)text[n]) || text[n] == '_' || text[n] == '.')
        n++;
    if (!n || text[n] != ':' || text[n + 1])
        return false;
    end_bundle(s, line);
    l.name = arena_strndup(s->arena, text, n);
    l.bundle = s->bundles.len;
    vec_for_each (&s->labels, old)
        if (!strcmp(old->name, l.name)) {
            char message[SOURCE_MAX_LINE + 64];

            snprintf(message, sizeof(message), "label '%.100s' stands in line %u already", l.name,
                     old->line);
            source_error(s, line, 1, (unsigned)n, message);
            return true;
        }
    vec_push_in(s->arena, &s->labels, l);
    return true;
}

static void add_word(struct source_lines *s, struct source_line l)
{
    struct source_bundle *b = last_bundle(s);

    if (b->words == MAX_BUNDLE_LINES)
        source_error(s, l.line, l.column, 1, "a bundle has fewer lines than this");
    else
        b->word[b->words++] = l;
}

static void read_line(struct source_lines *s, char *text, unsigned number)
{
    const char *open = copy_trimmed(s->arena, s->c->open),
               *close = copy_trimmed(s->arena, s->c->close);
    struct source_line l = {.line = number};

    if (source_hint_read(s, text, number))
        return;
    cut_comment(s, text);
    l.column = (unsigned)strspn(text, " \t") + 1;
    l.text = copy_trimmed(s->arena, text);
    if (!*l.text) {
        if (!*close)
            end_bundle(s, number);
        return;
    }
    if (!(s->in_bundle && s->in_words && *close) && read_label(s, l.text, number))
        return;
    begin_bundle(s);
    if (!s->in_words && !strcmp(l.text, open))
        s->in_words = true;
    else if (!s->in_words && !last_bundle(s)->header.text)
        last_bundle(s)->header = l;
    else if (!s->in_words)
        source_error(s, l.line, l.column, 1,
                     "expected what opens a bundle behind its header's line");
    else if (*close && !strcmp(l.text, close))
        end_bundle(s, number);
    else
        add_word(s, l);
}

/* Handles a line of `length` characters, without its newline. */
static void take_line(struct source_lines *s, const char *line, size_t length, unsigned number)
{
    const char *nul = memchr(line, '\0', length);

    if (nul)
        source_error(s, number, (unsigned)(nul - line) + 1, 1, "this is no text");
    else if (length >= SOURCE_MAX_LINE)
        source_error(s, number, 1, 1, "this line is too long");
    else
        read_line(s, arena_strndup(s->arena, line, length), number);
}

/* Reads the whole input into the arena. Of a source that is too long it keeps nothing. */
static void read_all(struct source_lines *s, FILE *in)
{
    size_t length = 0;
    char *text = arena_read_all(s->arena, in, SOURCE_MAX_BYTES, &length);

    s->source = (struct source_file){.path = s->file, .text = text ? text : "", .length = length};
    if (!text)
        source_error(s, 1, 1, 1, "this source is too long");
}

bool source_lines_read(struct source_lines *s, FILE *in)
{
    const char *at, *end, *behind;
    unsigned number = 0;

    read_all(s, in);
    at = s->source.text;
    end = at + s->source.length;
    for (; at < end && s->errors < SOURCE_MAX_ERRORS; at = behind) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));

        behind = stop ? stop + 1 : end;
        take_line(s, at, (size_t)((stop ? stop : end) - at), ++number);
    }
    if (s->in_bundle && *copy_trimmed(s->arena, s->c->close))
        source_error(s, number, 1, 1, "the last bundle is not closed");
    else
        end_bundle(s, number);
    source_hint_end(s);
    return !s->errors;
}
