/*
 * Reads headings, comments and definitions from the text of descriptions.
 */
#include "gencc/doc/internal.h"

#include <ctype.h>
#include <string.h>

static const char *heading_title(struct arena *a, const char *said)
{
    const char *start = said + strspn(said, " -");
    size_t n = strcspn(start, "\n");

    while (n && strchr(" -\r", start[n - 1]))
        n--;
    return arena_strndup(a, start, n);
}

/* A title with en dashes for " -- ". */
static const char *with_dashes(struct arena *a, const char *text)
{
    static const char typed[] = " -- ", printed[] = " – ";
    char *out = arena_alloc(a, strlen(text) * 2 + 1), *end = out;

    while (*text) {
        if (strncmp(text, typed, strlen(typed))) {
            *end++ = *text++;
            continue;
        }
        end = stpcpy(end, printed);
        text += strlen(typed);
    }
    *end = 0;
    return out;
}

/* Splits the comment at a file's head into a title, up to the end of its first sentence or
 * paragraph, and the rest. */
static void read_head(struct arena *a, struct doc_file *f)
{
    const char *line = f->file->text, *text, *said, *end;

    while ((said = source_comment_line(line)) && !source_is_heading(said)) {
        end = strchr(line, '\n');
        line = end ? end + 1 : line + strlen(line);
    }
    text = source_said(a, f->file->text, line, true);
    f->title = text;
    f->text = "";
    for (end = text; (end = strpbrk(end, ".\n")); end++) {
        if (*end == '.' && end[1] && end[1] != ' ' && end[1] != '\n')
            continue;
        f->title = arena_strndup(a, text, (size_t)(end - text));
        f->text = end + 1 + strspn(end + 1, " \t");
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
        const char *said = source_comment_line(at);

        if (source_is_heading(said))
            vec_push_in(a, &f->headings, ((struct doc_heading){line, heading_title(a, said)}));
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

const char *source_remark(struct arena *a, struct src_pos pos)
{
    const char *at = pos.file ? source_line(pos.file, pos.line) : "", *end, *slashes;

    end = at + strcspn(at, "\n");
    slashes = strstr(at, "//");
    if (!slashes || slashes > end)
        return "";
    slashes += 2 + strspn(slashes + 2, " ");
    return slashes < end ? arena_strndup(a, slashes, (size_t)(end - slashes)) : "";
}
