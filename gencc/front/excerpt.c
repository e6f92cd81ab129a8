/*
 * Pieces of source text by their positions.
 */
#include "gencc/front/excerpt.h"

const char *source_line(const struct source_file *file, unsigned line)
{
    const char *at = file->text;

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

/* A line over pictures that names their columns is indented to stand above them. */
static bool is_legend(const char *said)
{
    return strncmp(said, "    ", 4) == 0;
}

const char *source_append(struct arena *a, const char *before, const char *said)
{
    const char *start = skip_blanks(said);
    size_t n = line_length(start);

    while (n && strchr(" \r", start[n - 1]))
        n--;
    return arena_printf(a, "%s%s%.*s", before, *before ? (n ? " " : "\n") : "", (int)n, start);
}

const char *source_comment(struct arena *a, struct src_pos pos)
{
    unsigned first = pos.line;
    const char *text = "", *said;

    while (first > 1 && (said = source_comment_line(source_line(pos.file, first - 1))) &&
           !source_is_heading(said))
        first--;
    if (first == 1) /* the head of the file */
        return "";
    for (unsigned line = first; line < pos.line; line++) {
        said = source_comment_line(source_line(pos.file, line));
        if (!is_legend(said))
            text = source_append(a, text, said);
    }
    return text;
}

/* ---- definitions ----------------------------------------------------------------------------- */

/* Behind a string or a comment that begins here, or `at` itself. */
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
