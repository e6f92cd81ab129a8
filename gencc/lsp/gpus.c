/*
 * Checks files of GPUs against the layouts, architectures and other GPUs of the workspace.
 */
#include "gencc/lsp/gpus.h"

#include <string.h>

bool gpus_word(const char *name, struct gpu_word *out)
{
    for (unsigned i = 0; gpu_property_word(i, out); i++)
        if (!strcmp(out->name, name))
            return true;
    for (unsigned i = 0; gpu_timing_word(i, out); i++)
        if (!strcmp(out->name, name))
            return true;
    for (unsigned i = 0; gpu_power_word(i, out); i++)
        if (!strcmp(out->name, name))
            return true;
    return false;
}

/* ---- messages -------------------------------------------------------------------------------- */

/* Keeps messages about the root's own file. Messages about other files belong to the roots of those
 * files. */
struct listener {
    struct root *root;
    bool own; /* the last message was about the root's file */
};

static void take_own_message(void *context, const char *kind, struct src_pos pos, const char *text)
{
    struct listener *l = context;

    if (strcmp(kind, "note"))
        l->own = pos.file && !strcmp(project_path(l->root, pos.file->path), l->root->path);
    if (l->own)
        project_take_message(l->root, kind, pos, text);
}

static const char *text_of(void *context, const char *path, size_t *length)
{
    const struct listener *l = context;

    return project_text(l->root, path, length);
}

static void forget_file(void *context, const struct source_file *file)
{
    (void)context;
    (void)file;
}

static size_t common_folder_length(const char *x, const char *y)
{
    size_t n = 0, folder = 0;

    for (; x[n] && x[n] == y[n]; n++)
        if (x[n] == '/')
            folder = n;
    return folder;
}

/* The layouts whose folder is nearest to a file of GPUs. */
static const struct root *layouts_near(const struct root *r)
{
    const struct root *best = NULL;

    for (const struct root *x = r->project->roots; x; x = x->next)
        if (x->layouts && x->layouts->layouts && !root_is_part(x) &&
            (!best ||
             common_folder_length(x->path, r->path) > common_folder_length(best->path, r->path)))
            best = x;
    return best;
}

static bool same_folder(const char *x, const char *y)
{
    return !strchr(x + common_folder_length(x, y) + 1, '/') &&
           !strchr(y + common_folder_length(x, y) + 1, '/');
}

void gpus_check(struct root *r)
{
    static const struct diag_hooks hooks = {take_own_message, text_of, forget_file};
    struct listener listener = {.root = r};
    struct diag d = {
        .arena = &r->arena, .hooks = &hooks, .hook_context = &listener, .max_errors = 1000};
    VEC(struct ast_layout_file *) files = {0};
    const struct ast_layout_file *file;
    const struct root *near;
    struct layouts *l;
    struct gpus *g;

    project_read_all(r->project);
    near = layouts_near(r);
    file = near ? ast_parse_layouts(&d, near->path) : NULL;
    l = file ? layouts_build(&d, file) : NULL;
    if (!l)
        return;
    for (const struct root *x = r->project->roots; x; x = x->next) {
        struct ast_layout_file *f = root_has_gpus(x) && same_folder(x->path, r->path)
                                        ? ast_parse_layouts(&d, x->path)
                                        : NULL;

        if (f)
            vec_push_in(&r->arena, &files, f);
    }
    g = gpus_build(l, files.data, files.len);
    for (const struct root *x = r->project->roots; x; x = x->next)
        if (x->ast && x->ast->name)
            gpus_check_features(g, x->ast);
}
