/*
 * The source of `gencc asm` for shaders that are strings of bundles: its lines as bundles and labels.
 */
#include "gencc/text/bundle_lines.h"

#include <ctype.h>
#include <stdlib.h>

void source_error(struct source_lines *s, unsigned line, unsigned column, const char *message)
{
    if (s->messages)
        fprintf(s->messages, "%s:%u:%u: error: %s\n", s->file, line, column, message);
    s->errors++;
}

/* Text without the blanks around it. */
static const char *trimmed(struct arena *a, const char *text)
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

static struct source_bundle *last(struct source_lines *s)
{
    return s->bundles.at[s->bundles.count - 1];
}

static void begin_bundle(struct source_lines *s)
{
    if (s->open)
        return;
    vec_push(s->arena, &s->bundles, arena_new(s->arena, struct source_bundle));
    s->open = true;
    s->in_words = !*trimmed(s->arena, s->c->open);
}

static void end_bundle(struct source_lines *s, unsigned line)
{
    if (!s->open)
        return;
    last(s)->end.line = line;
    s->open = false;
    if (!last(s)->words)
        source_error(s, line, 1, "a bundle has at least one word");
}

/* NAME: and nothing behind it. */
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
    l.bundle = s->bundles.count;
    vec_for_each (&s->labels, old)
        if (!strcmp(old->name, l.name)) {
            char message[SOURCE_MAX_LINE + 64];

            snprintf(message, sizeof message, "label '%.100s' stands in line %u already", l.name,
                     old->line);
            source_error(s, line, 1, message);
            return true;
        }
    vec_push(s->arena, &s->labels, l);
    return true;
}

static void add_word(struct source_lines *s, struct source_line l)
{
    struct source_bundle *b = last(s);

    if (b->words == MAX_BUNDLE_LINES)
        source_error(s, l.line, l.column, "a bundle has fewer lines than this");
    else
        b->word[b->words++] = l;
}

static void read_line(struct source_lines *s, char *text, unsigned number)
{
    const char *open = trimmed(s->arena, s->c->open), *close = trimmed(s->arena, s->c->close);
    struct source_line l = {.line = number};

    cut_comment(s, text);
    l.column = (unsigned)strspn(text, " \t") + 1;
    l.text = trimmed(s->arena, text);
    if (!*l.text) {
        if (!*close)
            end_bundle(s, number);
        return;
    }
    if (!(s->open && s->in_words && *close) && read_label(s, l.text, number))
        return;
    begin_bundle(s);
    if (!s->in_words && !strcmp(l.text, open))
        s->in_words = true;
    else if (!s->in_words && !last(s)->header.text)
        last(s)->header = l;
    else if (!s->in_words)
        source_error(s, l.line, l.column, "expected what opens a bundle behind its header's line");
    else if (*close && !strcmp(l.text, close))
        end_bundle(s, number);
    else
        add_word(s, l);
}

bool source_lines_read(struct source_lines *s, FILE *in)
{
    char *line = NULL;
    size_t room = 0;
    unsigned number = 0;
    ssize_t length;

    while (s->errors < SOURCE_MAX_ERRORS && (length = getline(&line, &room, in)) >= 0) {
        number++;
        if (strlen(line) != (size_t)length)
            source_error(s, number, (unsigned)strlen(line) + 1, "this is no text");
        else if (strlen(line) >= SOURCE_MAX_LINE)
            source_error(s, number, 1, "this line is too long");
        else
            read_line(s, line, number);
    }
    free(line);
    if (s->open && *trimmed(s->arena, s->c->close))
        source_error(s, number, 1, "the last bundle is not closed");
    else
        end_bundle(s, number);
    return !s->errors;
}
