/*
 * Text of descriptions as it stands in their files: headings, comments, definitions.
 */
#include "gencc/doc/internal.h"

#include <ctype.h>

static const char *line_at(const struct source_file *file, unsigned line)
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

/* ---- comments and headings ------------------------------------------------------------------- */

/* What a line of comment says, or NULL when the line is none. */
static const char *comment_text(const char *line)
{
    const char *at = line ? skip_blanks(line) : NULL;

    return at && at[0] == '/' && at[1] == '/' ? at + 2 : NULL;
}

static bool is_heading(const char *said)
{
    return said && strncmp(said, " ----", 5) == 0;
}

/* A line over pictures that names their columns is indented to stand above them. */
static bool is_legend(const char *said)
{
    return strncmp(said, "    ", 4) == 0;
}

static const char *heading_title(struct arena *a, const char *said)
{
    const char *start = said + strspn(said, " -");
    size_t n = line_length(start);

    while (n && strchr(" -\r", start[n - 1]))
        n--;
    return arena_strndup(a, start, n);
}

static const char *append_line(struct arena *a, const char *before, const char *said)
{
    const char *start = skip_blanks(said);
    size_t n = line_length(start);

    while (n && strchr(" \r", start[n - 1]))
        n--;
    return arena_printf(a, "%s%s%.*s", before, *before ? (n ? " " : "\n") : "", (int)n, start);
}

/* A title with the dashes of print. */
static const char *with_dashes(struct arena *a, const char *text)
{
    const char *at = strstr(text, " -- ");

    return at ? arena_printf(a, "%.*s – %s", (int)(at - text), text, with_dashes(a, at + 4)) : text;
}

/* Cuts the comment at a file's head into a title and the rest: at the end of the first sentence. */
static void read_head(struct arena *a, struct doc_file *f)
{
    const char *text = "", *said, *end;

    for (unsigned line = 1; (said = comment_text(line_at(f->file, line))); line++) {
        if (is_heading(said))
            break;
        text = append_line(a, text, said);
    }
    f->title = text;
    f->text = "";
    for (end = text; (end = strpbrk(end, ".:;")); end++) {
        if (*end != '.' || (end[1] && end[1] != ' ' && end[1] != '\n'))
            continue;
        f->title = arena_strndup(a, text, (size_t)(end - text));
        f->text = skip_blanks(end + 1);
        break;
    }
    f->title = with_dashes(a, f->title);
}

struct doc_file *doc_file_read(struct arena *a, const struct source_file *file)
{
    struct doc_file *f = arena_new(a, struct doc_file);
    unsigned line = 1;

    f->file = file;
    read_head(a, f);
    for (const char *at = file->text; at && *at; line++) {
        const char *said = comment_text(at);

        if (is_heading(said))
            vec_push(a, &f->headings, ((struct doc_heading){line, heading_title(a, said)}));
        at = strchr(at, '\n');
        at += at != NULL;
    }
    return f;
}

const struct doc_heading *doc_heading_of(const struct doc_file *f, unsigned line)
{
    const struct doc_heading *found = NULL;

    vec_for_each (&f->headings, h)
        if (h->line < line)
            found = h;
    return found;
}

const char *source_comment(struct arena *a, struct src_pos pos)
{
    unsigned first = pos.line;
    const char *text = "", *said;

    while (first > 1 && (said = comment_text(line_at(pos.file, first - 1))) && !is_heading(said))
        first--;
    if (first == 1) /* the head of the file */
        return "";
    for (unsigned line = first; line < pos.line; line++) {
        said = comment_text(line_at(pos.file, line));
        if (!is_legend(said))
            text = append_line(a, text, said);
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
    const char *start = line_at(pos.file, pos.line), *at = start;
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

/* ---- paths ----------------------------------------------------------------------------------- */

const char *source_path(struct arena *a, const char *path)
{
    const char *name = strrchr(path, '/'), *folder;

    if (!name)
        return path;
    for (folder = name; folder > path && folder[-1] != '/'; folder--)
        ;
    if (!strncmp(folder, "../", 3) || !strncmp(folder, "./", 2))
        return name + 1;
    return arena_strdup(a, folder);
}

const char *source_stem(struct arena *a, const char *path)
{
    const char *name = strrchr(path, '/');

    name = name ? name + 1 : path;
    return arena_strndup(a, name, strcspn(name, "."));
}
