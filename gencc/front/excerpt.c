/*
 * Finds pieces of source text by their positions: definitions and the comments above them.
 */
#include "gencc/front/excerpt.h"

#include <string.h>

void source_find_lines(struct arena *a, struct source_file *file)
{
    const char **lines;
    unsigned count = 1;

    for (const char *at = file->text; (at = strchr(at, '\n')); at++)
        count++;
    lines = arena_alloc(a, count * sizeof(*lines));
    *lines = file->text;
    for (unsigned n = 1; n < count; n++)
        lines[n] = strchr(lines[n - 1], '\n') + 1;
    file->lines = lines;
    file->line_count = count;
}

const char *source_line(const struct source_file *file, unsigned line)
{
    const char *at = file->text;

    if (file->lines)
        return line - 1 < file->line_count ? file->lines[line - 1] : NULL;
    for (unsigned n = 1; n < line && at; n++) {
        at = strchr(at, '\n');
        at += at != NULL;
    }
    return at;
}

static size_t line_length(const char *line)
{
    return strcspn(line, "\n");
}

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

const char *source_comment_line(const char *line)
{
    const char *at = line ? skip_blanks(line) : NULL;

    return at && at[0] == '/' && at[1] == '/' ? at + 2 : NULL;
}

bool source_is_heading(const char *said)
{
    return said && strncmp(said, " ----", 5) == 0;
}

/* Whether a comment names the columns of pictures below it: such lines are indented. */
static bool is_legend(const char *said)
{
    return strncmp(said, "    ", 4) == 0;
}

/* Puts behind `end` what a line says: a paragraph goes on, an empty line begins another. */
static char *append_line(const char *text, char *end, const char *said)
{
    const char *start = skip_blanks(said);
    size_t n = line_length(start);

    while (n && strchr(" \r", start[n - 1]))
        n--;
    if (end != text)
        *end++ = n ? ' ' : '\n';
    memcpy(end, start, n);
    return end + n;
}

const char *source_said(struct arena *a, const char *from, const char *to, bool legends)
{
    char *text = arena_alloc(a, (size_t)(to - from) + 1), *end = text; /* no line becomes longer */

    for (const char *line = from; line < to; line += line_length(line) + 1) {
        const char *said = source_comment_line(line);

        if (legends || !is_legend(said))
            end = append_line(text, end, said);
    }
    return text;
}

/* The line before one that is not the first. */
static const char *line_before(const char *text, const char *line)
{
    for (line--; line > text && line[-1] != '\n';)
        line--;
    return line;
}

const char *source_comment(struct arena *a, struct src_pos pos)
{
    const char *to = source_line(pos.file, pos.line), *from = to, *before, *said;

    while (from > pos.file->text) {
        before = line_before(pos.file->text, from);
        said = source_comment_line(before);
        if (!said || source_is_heading(said))
            return source_said(a, from, to, false);
        from = before;
    }
    return ""; /* the head of the file */
}

/* ---- definitions ----------------------------------------------------------------------------- */

/* The text after a string or comment that begins at `at`; `at` itself if none begins there. */
static const char *skip_text(const char *at)
{
    const char *end;

    if (at[0] == '/' && at[1] == '/')
        return at + line_length(at);
    if (at[0] == '/' && at[1] == '*') {
        end = strstr(at + 2, "*/");
        return end ? end + 2 : at + strlen(at);
    }
    if (*at != '"')
        return at;
    for (at++; *at && *at != '"' && *at != '\n'; at++)
        at += *at == '\\' && at[1];
    return at + (*at == '"');
}

const char *source_definition(struct src_pos pos, size_t *length)
{
    const char *start = source_line(pos.file, pos.line), *at = start;
    int depth = 0;

    while (*at) {
        const char *behind = skip_text(at);

        if (behind != at) {
            at = behind;
            continue;
        }
        depth += *at == '{';
        depth -= *at == '}';
        at++;
        if (!depth && (at[-1] == '}' || at[-1] == ';'))
            break;
    }
    *length = (size_t)(at - start);
    return start;
}
