/*
 * Buffers of the editor, and roots: files that begin a description, with what the parser finds in
 * them.
 */
#include "gencc/lsp/project.h"

#include "gencc/lsp/text.h"
#include "gencc/model/layout.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_DEPTH = 8, MAX_ROOTS = 200 };

/* ---- buffers --------------------------------------------------------------------------------- */

struct buffer *project_buffer(struct project *p, const char *uri)
{
    for (struct buffer *b = p->buffers; b; b = b->next)
        if (uri && !strcmp(b->uri, uri))
            return b;
    return NULL;
}

/* The path of an address; without links and `..` if the file exists. */
static char *whole_path(const char *uri)
{
    char *path = text_path(uri);
    char *real = path ? realpath(path, NULL) : NULL;

    if (!real)
        return path;
    free(path);
    return real;
}

static void mark_stale(struct project *p, const char *path)
{
    for (struct root *r = p->roots; r; r = r->next)
        if (!path || root_has_gpus(r) || root_file(r, path) || !strcmp(r->path, path))
            r->fresh = r->checked = false;
}

struct buffer *project_set(struct project *p, const char *uri, const char *text, size_t length,
                           long version)
{
    struct buffer *b = project_buffer(p, uri);
    char *copy = malloc(length + 1);

    if (!copy)
        return NULL;
    memcpy(copy, text, length);
    copy[length] = 0;
    if (!b) {
        char *path = whole_path(uri);

        b = path ? calloc(1, sizeof(*b)) : NULL;
        if (!b) {
            free(path);
            free(copy);
            return NULL;
        }
        b->path = path;
        b->uri = strdup(uri);
        b->next = p->buffers;
        p->buffers = b;
    }
    free(b->text);
    b->text = copy;
    b->length = strlen(copy); /* up to a NUL, which no description contains */
    b->version = version;
    mark_stale(p, b->path);
    return b;
}

void project_close(struct project *p, struct buffer *b)
{
    for (struct buffer **at = &p->buffers; *at; at = &(*at)->next)
        if (*at == b) {
            *at = b->next;
            break;
        }
    mark_stale(p, b->path);
    free(b->path);
    free(b->uri);
    free(b->text);
    free(b);
}

/* ---- input and messages of the compiler
 * --------------------------------------------------------- */

const char *project_path(struct root *r, const char *path)
{
    char real[PATH_MAX];

    return arena_strdup(&r->arena, realpath(path, real) ? real : path);
}

const char *project_text(const struct root *r, const char *path, size_t *length)
{
    char real[PATH_MAX];

    if (!realpath(path, real))
        return NULL;
    for (const struct buffer *b = r->project->buffers; b; b = b->next)
        if (!strcmp(b->path, real)) {
            *length = b->length;
            return b->text;
        }
    return NULL;
}

static const char *read_buffer(void *context, const char *path, size_t *length)
{
    return project_text(context, path, length);
}

static void take_file(void *context, const struct source_file *file)
{
    struct root *r = context;
    struct source_file f = *file;

    f.path = project_path(r, file->path);
    if (!root_file(r, f.path))
        vec_push_in(&r->arena, &r->files, f);
}

void project_take_message(struct root *r, const char *kind, struct src_pos pos, const char *text)
{
    struct message m = {.path = pos.file ? project_path(r, pos.file->path) : r->path,
                        .pos = pos,
                        .severity = !strcmp(kind, "error")  ? 1
                                    : !strcmp(kind, "note") ? 3
                                                            : 2,
                        .text = arena_strdup(&r->arena, text)};

    if (m.severity == 3 && r->messages.len)
        vec_push_in(&r->arena, &r->messages.data[r->messages.len - 1].notes, m);
    else
        vec_push_in(&r->arena, &r->messages, m);
}

static void take_message(void *context, const char *kind, struct src_pos pos, const char *text)
{
    project_take_message(context, kind, pos, text);
}

static const struct diag_hooks hooks = {take_message, read_buffer, take_file};

void root_read(struct root *r)
{
    if (r->fresh)
        return;
    arena_free(&r->arena);
    memset(&r->files, 0, sizeof(r->files));
    memset(&r->messages, 0, sizeof(r->messages));
    r->diag =
        (struct diag){.arena = &r->arena, .hooks = &hooks, .hook_context = r, .max_errors = 1000};
    r->ast = NULL;
    r->layouts = NULL;
    r->symbols = NULL;
    r->fresh = true;
    r->checked = false;
    if (r->is_layout) {
        r->layouts = ast_parse_layouts(&r->diag, r->path);
        if (r->layouts && r->layouts->layouts)
            layouts_build(&r->diag, r->layouts);
        r->checked = !root_has_gpus(r);
    } else {
        r->ast = ast_parse_arch(&r->diag, r->path);
    }
}

bool root_has_gpus(const struct root *r)
{
    return r->layouts && r->layouts->gpus.len;
}

const struct source_file *root_file(const struct root *r, const char *path)
{
    vec_for_each (&r->files, f)
        if (!strcmp(f->path, path))
            return f;
    return NULL;
}

/* ---- finding roots --------------------------------------------------------------------------- */

static void add_root(struct project *p, const char *path, bool is_layout)
{
    struct root *r;
    unsigned count = 0;

    for (r = p->roots; r; r = r->next, count++)
        if (!strcmp(r->path, path))
            return;
    r = count < MAX_ROOTS ? calloc(1, sizeof(*r)) : NULL;
    if (!r)
        return;
    r->path = strdup(path);
    r->is_layout = is_layout;
    r->project = p;
    r->next = p->roots;
    p->roots = r;
}

/* Adds the file as a root if a line begins with AC_ARCH, AC_GPU or AC_LAYOUTS. A file of AC_LAYOUTS
 * may turn out to be part of another. */
static void add_if_root(struct project *p, const char *path)
{
    FILE *f = fopen(path, "r");
    char line[256];
    bool found = false;

    while (f && !found && fgets(line, sizeof(line), f)) {
        bool layout = !strncmp(line, "AC_LAYOUTS", 10) || !strncmp(line, "AC_GPU", 6);

        found = layout || !strncmp(line, "AC_ARCH", 7);
        if (found)
            add_root(p, path, layout);
    }
    if (f)
        fclose(f);
}

static void search_folder(struct project *p, const char *folder, unsigned depth)
{
    struct dirent **names;
    int n = depth > MAX_DEPTH ? 0 : scandir(folder, &names, NULL, alphasort);

    for (int i = n; i-- > 0;) { /* backwards, since each root is put in front of the list */
        const char *name = names[i]->d_name;
        size_t length = strlen(name);
        char path[PATH_MAX];
        struct stat st;

        if (name[0] != '.' && strcmp(name, "build") &&
            snprintf(path, sizeof(path), "%s/%s", folder, name) < (int)sizeof(path) &&
            !lstat(path, &st)) {
            if (S_ISDIR(st.st_mode))
                search_folder(p, path, depth + 1);
            else if (S_ISREG(st.st_mode) && length > 3 && !strcmp(name + length - 3, ".ac"))
                add_if_root(p, path);
        }
        free(names[i]);
    }
    if (n > 0)
        free(names);
}

/* Searches the folder of the workspace, or, without one, the folder above the file's. */
static void search_from(struct project *p, const char *path)
{
    char folder[PATH_MAX];

    if (p->searched)
        return;
    if (p->folder) {
        p->searched = true;
        search_folder(p, p->folder, 0);
        return;
    }
    snprintf(folder, sizeof(folder), "%s", path);
    for (int up = 0; up < 2 && strrchr(folder, '/') && strrchr(folder, '/') != folder; up++)
        *strrchr(folder, '/') = 0;
    search_folder(p, folder, MAX_DEPTH - 2);
}

void project_read_all(struct project *p)
{
    for (struct root *r = p->roots; r; r = r->next)
        root_read(r);
}

bool root_is_part(const struct root *r)
{
    for (struct root *other = r->is_layout ? r->project->roots : NULL; other; other = other->next) {
        if (other == r || !other->is_layout)
            continue;
        root_read(other);
        if (root_file(other, r->path))
            return true;
    }
    return false;
}

struct root *project_root_of(struct project *p, const char *path, struct root *after)
{
    if (!after)
        search_from(p, path);
    for (struct root *r = after ? after->next : p->roots; r; r = r->next) {
        root_read(r);
        if (root_file(r, path) && !root_is_part(r))
            return r;
    }
    return NULL;
}

void project_free(struct project *p)
{
    while (p->buffers)
        project_close(p, p->buffers);
    while (p->roots) {
        struct root *r = p->roots;

        p->roots = r->next;
        arena_free(&r->arena);
        free(r->path);
        free(r);
    }
    free(p->folder);
}
