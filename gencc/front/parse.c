/*
 * Entry points of the front end: reads files, follows includes, runs the grammar.
 */
#include "gencc/front/parser.h"
#include "common/prelude/text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The files being read, innermost first. */
struct include_chain {
    const struct include_chain *outer;
    const char *real;
    unsigned depth;
};

enum { MAX_DEPTH = 64, MAX_FILES = 4096 };

const char *string_value(struct parser *p, const struct token *t)
{
    char *out = arena_alloc(p->a, strlen(t->text) + 1);
    size_t used = 0;

    for (const char *c = t->text; *c; c++) {
        if (*c == '\\' && c[1]) {
            c++;
            out[used++] = *c == 'n' ? '\n' : *c == 't' ? '\t' : *c;
        } else {
            out[used++] = *c;
        }
    }
    return out;
}

/* ---- where files are ------------------------------------------------------------------------- */

/* The folder of a path, or its parent if `up` is 1. */
static const char *folder_of(struct arena *a, const char *path, unsigned up)
{
    const char *slash = strrchr(path, '/');
    const char *dir = slash ? arena_strndup(a, path, (size_t)(slash - path)) : ".";

    return up ? arena_printf(a, "%s/..", *dir ? dir : "/") : *dir ? dir : "/";
}

static const char *try_file(struct arena *a, const char *dir, const char *name)
{
    const char *path = strcmp(dir, ".") == 0 ? name : arena_printf(a, "%s/%s", dir, name);

    return access(path, R_OK) == 0 ? path : NULL;
}

static const struct source_file *memory_file(const struct front *f, const char *path)
{
    for (unsigned i = 0; i < f->memory_count; i++)
        if (strcmp(f->memory[i].path, path) == 0)
            return &f->memory[i];
    return NULL;
}

const char *front_find(struct front *f, const struct source_file *from, const struct token *path)
{
    const char *name = path->text;
    const char *found = NULL;

    if (f->memory && memory_file(f, name))
        return name;
    if (f->memory) {
        diag_error(f->d, path->pos, "there is no file \"%s\"", name);
        return NULL;
    }
    if (name[0] == '/')
        found = access(name, R_OK) == 0 ? name : NULL;
    if (!found)
        found = try_file(f->a, folder_of(f->a, from->path, 0), name);
    if (!found)
        found = try_file(f->a, folder_of(f->a, f->arch->path, 0), name);
    if (!found)
        found = try_file(f->a, folder_of(f->a, f->arch->path, 1), name);
    if (found)
        return found;
    f->d->unreadable = true;
    diag_error(f->d, path->pos,
               "there is no file \"%s\" beside this file, beside the architecture file, or in the "
               "folder above that",
               name);
    return NULL;
}

/* ---- parsing --------------------------------------------------------------------------------- */

static void parse_source(struct front *f, const struct source_file *file, enum language lang,
                         struct isa_build *build)
{
    struct parser p = {.front = f, .d = f->d, .a = f->a, .file = file, .lang = lang};

    p.build = build;
    parse_text(&p, file->text, file->length, 1, 1);
}

static bool is_open(const struct front *f, const char *real)
{
    for (const struct include_chain *c = f->open; c; c = c->outer)
        if (strcmp(c->real, real) == 0)
            return true;
    return false;
}

bool front_parse_file(struct front *f, const char *path, struct src_pos from, enum language lang,
                      struct isa_build *build)
{
    char *real = f->memory ? NULL : realpath(path, NULL);
    struct include_chain link = {.outer = f->open, .depth = f->open ? f->open->depth + 1 : 0};
    const struct include_chain *outer = f->open;
    const struct source_file *file = NULL;

    link.real = real ? real : path;
    if (is_open(f, link.real))
        diag_error(f->d, from, "%s includes itself", path);
    else if (link.depth > MAX_DEPTH)
        diag_error(f->d, from, "includes are nested more than %u deep", MAX_DEPTH);
    else if (f->files++ < MAX_FILES) /* each of 64 may include the next one twice */
        file = f->memory ? memory_file(f, path) : source_read(f->d, path, from);
    else if (f->files == MAX_FILES + 1) /* said once */
        diag_error(f->d, from, "more than %u files are included", MAX_FILES);
    if (file) {
        f->open = &link;
        parse_source(f, file, lang, build);
        f->open = outer;
    }
    free(real);
    return file != NULL;
}

struct ast_expr *parse_substring(struct parser *p, struct src_pos pos, const char *text,
                                 size_t length)
{
    struct parser sub = {.front = p->front, .d = p->d, .a = p->a, .lang = LANG_EXPR};
    unsigned errors = p->d->errors;

    sub.file = p->file;
    sub.build = p->build;
    parse_text(&sub, text, length, pos.line, pos.column);
    return p->d->errors == errors ? sub.result : NULL;
}

static struct ast_arch *new_arch(struct diag *d, const char *path)
{
    struct ast_arch *arch = arena_new(d->arena, struct ast_arch);

    arch->path = arena_strdup(d->arena, path);
    arch->endian = "little";
    return arch;
}

void front_parse_prelude(struct front *f, const char *name, const char *text, size_t length)
{
    struct source_file *file = arena_new(f->a, struct source_file);
    struct ast_isa none = {0};
    struct isa_build build = {.isa = &none};

    *file = (struct source_file){.path = name, .text = text, .length = length};
    parse_source(f, file, LANG_GENC, &build);
    vec_for_each (&none.defs, d)
        vec_push_in(f->a, &f->arch->prelude, *d);
}

static void read_prelude(struct front *f)
{
    front_parse_prelude(f, "(prelude)", prelude_text, prelude_length);
}

/* The last definition that begins before the place. */
static struct ast_def *definition_at(const struct ast_isa *isa, struct src_pos place)
{
    struct ast_def *found = NULL;

    vec_for_each (&isa->defs, d) {
        struct src_pos at = (*d)->pos;

        if (at.file == place.file && !src_before(place, at) &&
            (!found || src_before(found->pos, at)))
            found = *d;
    }
    return found;
}

static void mark_broken(const struct front *f)
{
    vec_for_each (&f->d->places, place)
        vec_for_each (&f->arch->isas, isa) {
            struct ast_def *d = definition_at(*isa, *place);

            if (d)
                d->broken = true;
        }
}

struct ast_arch *ast_parse_arch(struct diag *d, const char *path)
{
    struct front f = {.d = d, .a = d->arena, .arch = new_arch(d, path)};

    read_prelude(&f);
    if (!front_parse_file(&f, path, (struct src_pos){0}, LANG_ARCH, NULL))
        return NULL;
    mark_broken(&f);
    return f.arch;
}

struct ast_arch *ast_parse_arch_memory(struct diag *d, const struct source_file *files,
                                       unsigned count)
{
    struct front f = {.d = d, .a = d->arena, .arch = new_arch(d, files->path)};

    f.memory = files;
    f.memory_count = count;
    read_prelude(&f);
    front_parse_file(&f, files->path, (struct src_pos){0}, LANG_ARCH, NULL);
    return f.arch;
}

bool ast_parse_behaviours(struct diag *d, const struct source_file *file, struct ast_isa *isa)
{
    struct front f = {.d = d, .a = d->arena, .arch = new_arch(d, file->path)};
    struct isa_build build = {.isa = isa};
    unsigned errors = d->errors;

    vec_for_each (&isa->defs, def)
        if ((*def)->kind == AST_TYPEDEF)
            name_map_put(d->arena, &f.types, (*def)->name, *def);
    parse_source(&f, file, LANG_GENC, &build);
    return d->errors == errors;
}
