/*
 * Definition, references, rename.
 */
#include "gencc/lsp/features.h"

#include "gencc/lsp/gpus.h"
#include "gencc/lsp/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static json_t *make_location(const struct source_file *f, size_t from, size_t to)
{
    char *uri = text_uri(f->path);
    json_t *l =
        json_pack("{s:s, s:o}", "uri", uri ? uri : "", "range", text_range(f->text, from, to));

    free(uri);
    return l;
}

static const struct symbol *symbol_here(const struct place *p, struct word *w)
{
    return p->file && word_at(p->file->text, p->at, w) ? symbol_meant(p->symbols, p->file, w)
                                                       : NULL;
}

/* ---- definition ------------------------------------------------------------------------------ */

json_t *answer_definition(const struct place *p)
{
    struct word w;
    const struct symbol *x = symbol_here(p, &w);
    json_t *list;

    if (!x)
        return json_null();
    list = json_array();
    vec_for_each (&p->symbols->all, y) {
        bool other = symbol_same(x, *y) && ((*y)->file != p->file || (*y)->at != w.from);

        /* The definition of an instruction's name includes its behaviour, and the reverse. */
        if (other && (*y)->file == x->file && (*y)->at == x->at && json_array_size(list))
            continue;
        if (other && json_array_size(list) < 20)
            json_array_append_new(
                list, make_location((*y)->file, (*y)->at, (*y)->at + strlen((*y)->name)));
    }
    if (!json_array_size(list))
        json_array_append_new(list, make_location(x->file, x->at, x->at + strlen(x->name)));
    return list;
}

/* ---- references ------------------------------------------------------------------------------ */

/* A walk through all words of a root's files */
struct walk {
    struct symbols *symbols;
    const struct source_file *file;
    const struct symbol *meant_symbol;
    symbol_list same; /* declarations that must keep the same name as it */
    void (*found)(void *context, const struct source_file *file, const struct word *w);
    void *context;
};

static bool visit_word(void *context, const struct word *w)
{
    struct walk *walk = context;
    size_t n = strlen(walk->meant_symbol->name);
    const struct symbol *x;

    if (w->to - w->from != n || memcmp(walk->file->text + w->from, walk->meant_symbol->name, n))
        return true;
    x = symbol_meant(walk->symbols, walk->file, w);
    for (unsigned i = 0; x && i < walk->same.len; i++) {
        if (!symbol_same(x, walk->same.data[i]))
            continue;
        walk->found(walk->context, walk->file, w);
        break;
    }
    return true;
}

/* Returns the same declaration in another root that reads the file. */
static const struct symbol *twin_of(const struct symbols *s, const struct symbol *x)
{
    vec_for_each (&s->all, y)
        if ((*y)->kind == x->kind && (*y)->at == x->at && !strcmp((*y)->name, x->name) &&
            !strcmp((*y)->file->path, x->file->path))
            return *y;
    return NULL;
}

static void each_use_in(struct root *r, const struct symbol *x, struct walk walk)
{
    walk.symbols = symbols_of(r);
    walk.meant_symbol = twin_of(walk.symbols, x);
    if (!walk.meant_symbol)
        return;
    symbols_of_one_name(walk.symbols, walk.meant_symbol, &walk.same);
    vec_for_each (&r->files, f) {
        walk.file = f;
        words_each(f->text, visit_word, &walk);
    }
}

static void each_use(const struct place *p, const struct symbol *x,
                     void (*found)(void *, const struct source_file *, const struct word *),
                     void *context)
{
    const struct walk walk = {.found = found, .context = context};
    struct root *r = NULL;

    while ((r = project_root_of(p->project, x->file->path, r)))
        each_use_in(r, x, walk);
    if (!p->root->layouts)
        return;
    for (r = p->project->roots; r; r = r->next)
        if (root_has_gpus(r) && !root_file(r, x->file->path))
            each_use_in(r, x, walk);
}

struct uses {
    struct arena *a;
    struct name_map seen;       /* places visited: several roots may read a file */
    json_t *out;                /* list of locations, or edits by address */
    const char *name;           /* new name; NULL: collect locations */
    const struct symbol *leave; /* declaration to leave out, or NULL */
};

static void take_use(void *context, const struct source_file *f, const struct word *w)
{
    struct uses *u = context;
    const char *key = arena_printf(u->a, "%s:%zu", f->path, w->from);
    json_t *edits;
    char *uri;

    if (name_map_put(u->a, &u->seen, key, u))
        return;
    if (!u->name) {
        if (!u->leave || u->leave->at != w->from || strcmp(u->leave->file->path, f->path))
            json_array_append_new(u->out, make_location(f, w->from, w->to));
        return;
    }
    uri = text_uri(f->path);
    if (!uri)
        return;
    edits = json_object_get(u->out, uri);
    if (!edits) {
        edits = json_array();
        json_object_set_new(u->out, uri, edits);
    }
    json_array_append_new(
        edits,
        json_pack("{s:o, s:s}", "range", text_range(f->text, w->from, w->to), "newText", u->name));
    free(uri);
}

json_t *answer_references(const struct place *p, bool with_declaration)
{
    struct word w;
    const struct symbol *x = symbol_here(p, &w);
    struct uses u = {.a = p->symbols->a, .leave = with_declaration ? NULL : x};

    if (!x)
        return json_null();
    u.out = json_array();
    each_use(p, x, take_use, &u);
    return u.out;
}

/* ---- rename ---------------------------------------------------------------------------------- */

static bool is_name(const char *text)
{
    size_t n = 0;

    while (isalnum((unsigned char)text[n]) || text[n] == '_')
        n++;
    return n && !text[n] && !isdigit((unsigned char)*text) && !name_is_c_word(text);
}

/* Whether `other` is global or in the scope of one of the declarations. */
static bool shares_scope(const symbol_list *same, const struct symbol *other)
{
    vec_for_each (same, x)
        if (!other->scope || other->scope == (*x)->scope)
            return true;
    return false;
}

static const char *reason_against_rename(const struct place *p, const struct symbol *x,
                                         const char *name)
{
    symbol_list same = {0};

    if (!x)
        return "there is no name of the description here";
    if (!is_name(name))
        return "this is no name";
    if (x->kind == SYMBOL_FIELD && field_is_shared(p->symbols, x->name))
        return "this field is not renamed: a family or all formats have it too";
    if (p->root->layouts && !x->scope && x->kind != SYMBOL_TYPE)
        return "registers, constants and GPUs of layouts are not renamed: other files name them";
    symbols_of_one_name(p->symbols, x, &same);
    vec_for_each (&p->symbols->all, y)
        if (!strcmp((*y)->name, name) && shares_scope(&same, *y))
            return "this name is taken";
    return NULL;
}

json_t *answer_rename(const struct place *p, const char *name, const char **error)
{
    struct word w;
    const struct symbol *x = symbol_here(p, &w);
    struct uses u = {.a = p->symbols->a, .name = name};

    *error = reason_against_rename(p, x, name);
    if (*error)
        return NULL;
    u.out = json_object();
    each_use(p, x, take_use, &u);
    return json_pack("{s:o}", "changes", u.out);
}
