/*
 * Reads source files, from disk or from an editor's buffers.
 */
#include "gencc/front/excerpt.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_FILE_BYTES = 64 << 20 };

/* Reads the whole open file; returns NULL with a reason if it is no readable text. */
static char *read_text(struct arena *a, FILE *f, size_t *length, const char **why)
{
    struct stat st;
    char *text;

    if (fstat(fileno(f), &st)) {
        *why = strerror(errno);
        return NULL;
    }
    if (!S_ISREG(st.st_mode)) {
        *why = "it is not a regular file";
        return NULL;
    }
    if (st.st_size > MAX_FILE_BYTES) {
        *why = "it is larger than 64 MiB";
        return NULL;
    }
    text = arena_alloc(a, (size_t)st.st_size + 1);
    *length = fread(text, 1, (size_t)st.st_size, f);
    if (ferror(f)) {
        *why = strerror(errno);
        return NULL;
    }
    if (memchr(text, 0, *length)) {
        *why = "it holds a NUL byte";
        return NULL;
    }
    return text;
}

bool src_same_place(struct src_pos x, struct src_pos y)
{
    return strcmp(x.file->path, y.file->path) == 0 && x.line == y.line && x.column == y.column;
}

/* Returns a copy of the text that the editor holds for the file; NULL if it holds none. */
static struct source_file *read_from_hook(struct diag *d, const char *path)
{
    struct source_file *s = arena_new(d->arena, struct source_file);
    const char *text = d->hooks ? d->hooks->text(d->hook_context, path, &s->length) : NULL;

    if (!text)
        return NULL;
    s->path = arena_strdup(d->arena, path);
    s->text = arena_strndup(d->arena, text, s->length);
    return s;
}

/* Records that a file was read. */
static struct source_file *note_read(struct diag *d, struct source_file *s)
{
    source_find_lines(d->arena, s);
    vec_push_in(d->arena, &d->files, s->path);
    if (d->hooks)
        d->hooks->file(d->hook_context, s);
    return s;
}

struct source_file *source_read(struct diag *d, const char *path, struct src_pos from)
{
    const char *why = NULL;
    struct source_file *s = read_from_hook(d, path);
    FILE *f;

    if (s)
        return note_read(d, s);
    f = fopen(path, "rb");
    if (!f) {
        d->unreadable = true;
        diag_error(d, from, "cannot open %s: %s", path, strerror(errno));
        return NULL;
    }
    s = arena_new(d->arena, struct source_file);
    s->path = arena_strdup(d->arena, path);
    s->text = read_text(d->arena, f, &s->length, &why);
    fclose(f);
    if (!s->text) {
        d->unreadable = true;
        diag_error(d, from, "cannot read %s: %s", path, why);
        return NULL;
    }
    return note_read(d, s);
}

static bool was_read(const struct diag *d, const char *name)
{
    vec_for_each (&d->files, f) {
        const char *slash = strrchr(*f, '/');

        if (!strcmp(slash ? slash + 1 : *f, name))
            return true;
    }
    return false;
}

static bool file_holds(struct arena *a, const char *path, const char *text)
{
    FILE *f = fopen(path, "rb");
    const char *why, *all = NULL;
    size_t length;

    if (f) {
        all = read_text(a, f, &length, &why);
        fclose(f);
    }
    return all && strstr(all, text);
}

const char *source_unread(struct diag *d, const char *folder, const char *end, const char *text)
{
    DIR *dir = opendir(folder);
    const char *found = NULL;
    struct dirent *e;

    while (dir && (e = readdir(dir))) {
        size_t length = strlen(e->d_name);

        if (length < strlen(end) || strcmp(e->d_name + length - strlen(end), end) ||
            was_read(d, e->d_name) || (found && strcmp(found, e->d_name) < 0))
            continue;
        if (file_holds(d->arena, arena_printf(d->arena, "%s/%s", folder, e->d_name), text))
            found = arena_strdup(d->arena, e->d_name);
    }
    if (dir)
        closedir(dir);
    return found;
}
