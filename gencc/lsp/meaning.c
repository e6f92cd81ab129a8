/*
 * Finds the declaration that a word refers to, from its context.
 */
#include "gencc/lsp/symbols.h"

#include <ctype.h>
#include <string.h>

const char *symbol_kind_name(enum symbol_kind kind)
{
    static const char *const names[] = {
        [SYMBOL_HELPER] = "helper",
        [SYMBOL_CONSTANT] = "constant",
        [SYMBOL_TYPE] = "type",
        [SYMBOL_SYSREG] = "system register",
        [SYMBOL_BEHAVIOUR] = "behaviour",
        [SYMBOL_INSTRUCTION] = "instruction",
        [SYMBOL_FORMAT] = "format",
        [SYMBOL_FIELD] = "field",
        [SYMBOL_MAP] = "map",
        [SYMBOL_FAMILY] = "family",
        [SYMBOL_REGISTER] = "register",
        [SYMBOL_MEMORY] = "memory interface",
        [SYMBOL_FEATURE] = "feature",
        [SYMBOL_GPU] = "GPU",
        [SYMBOL_LOCAL] = "variable",
    };

    return names[kind];
}

const struct scope *scope_at(const struct symbols *s, const struct source_file *file, size_t at)
{
    const struct scope *found = NULL;

    vec_for_each (&s->scopes, x)
        if ((*x)->file == file && (*x)->from <= at && at <= (*x)->to &&
            (!found || (*x)->from >= found->from))
            found = *x;
    return found;
}

static bool is_behaviour_name(enum symbol_kind kind)
{
    return kind == SYMBOL_BEHAVIOUR || kind == SYMBOL_INSTRUCTION;
}

bool symbol_same(const struct symbol *x, const struct symbol *y)
{
    if (x->file == y->file && x->at == y->at)
        return true;
    return is_behaviour_name(x->kind) && is_behaviour_name(y->kind) && !strcmp(x->name, y->name);
}

static const struct symbol *find_global(const struct symbols *s, const char *name, unsigned kinds)
{
    vec_for_each (&s->all, x)
        if (!(*x)->scope && kinds >> (*x)->kind & 1 && !strcmp((*x)->name, name))
            return *x;
    return NULL;
}

static const struct symbol *find_in_scope(const struct symbols *s, const struct scope *scope,
                                          const char *name)
{
    const struct symbol *found = NULL;

    vec_for_each (&s->all, x)
        if ((*x)->scope && (*x)->scope->file == scope->file && (*x)->scope->from == scope->from &&
            !strcmp((*x)->name, name) && !found)
            found = *x;
    return found;
}

/* A field of the scope's block, or of its instruction's format. */
static const struct symbol *find_field(const struct symbols *s, const struct scope *scope,
                                       const char *name)
{
    const struct symbol *found = find_in_scope(s, scope, name);

    if (found || !scope->format)
        return found;
    vec_for_each (&s->all, x)
        if ((*x)->kind == SYMBOL_FIELD && (*x)->scope &&
            !strcmp((*x)->scope->name, scope->format) && !strcmp((*x)->name, name))
            return *x;
    return NULL;
}

/* ---- fields behind `inst.` ------------------------------------------------------------------- */

void fields_of_behaviour(const struct symbols *s, const char *behaviour,
                         void (*take)(void *context, const struct symbol *field), void *context)
{
    if (!s->root->ast)
        return;
    vec_for_each (&s->root->ast->isas, isa)
        vec_for_each (&(*isa)->instrs, in) {
            if (strcmp((*in)->behaviour ? (*in)->behaviour : (*in)->name, behaviour))
                continue;
            vec_for_each (&s->all, x)
                if ((*x)->kind == SYMBOL_FIELD && (*x)->scope &&
                    (!strcmp((*x)->scope->name, (*in)->name) ||
                     ((*in)->format && !strcmp((*x)->scope->name, (*in)->format))))
                    take(context, *x);
        }
}

struct field_search {
    const char *name;
    const struct symbol *found;
};

static void match_field(void *context, const struct symbol *x)
{
    struct field_search *f = context;

    if (!f->found && !strcmp(x->name, f->name))
        f->found = x;
}

static bool list_has(const symbol_list *list, const struct symbol *x)
{
    vec_for_each (list, y)
        if (*y == x)
            return true;
    return false;
}

struct spread {
    const struct symbols *s;
    const char *name;
    symbol_list fields; /* fields of one behaviour that have the name */
};

static void take_named(void *context, const struct symbol *x)
{
    struct spread *p = context;

    if (!strcmp(x->name, p->name))
        vec_push_in(p->s->a, &p->fields, x);
}

/* If one of the fields is in the list, adds the others. Returns whether the list grew. */
static bool join_fields(const struct symbols *s, const symbol_list *fields, symbol_list *out)
{
    bool meets = false, grew = false;

    vec_for_each (fields, f)
        meets |= list_has(out, *f);
    if (!meets)
        return false;
    vec_for_each (fields, f) {
        if (list_has(out, *f))
            continue;
        vec_push_in(s->a, out, *f);
        grew = true;
    }
    return grew;
}

static bool spread_by_behaviours(const struct symbols *s, const char *name, symbol_list *out)
{
    bool grew = false;

    vec_for_each (&s->root->ast->isas, isa)
        vec_for_each (&(*isa)->instrs, in) {
            struct spread p = {s, name, {0}};

            fields_of_behaviour(s, (*in)->behaviour ? (*in)->behaviour : (*in)->name, take_named,
                                &p);
            grew |= join_fields(s, &p.fields, out);
        }
    return grew;
}

void symbols_of_one_name(const struct symbols *s, const struct symbol *x, symbol_list *out)
{
    vec_push_in(s->a, out, x);
    while (x->kind == SYMBOL_FIELD && s->root->ast && spread_by_behaviours(s, x->name, out))
        ;
}

bool field_is_shared(const struct symbols *s, const char *name)
{
    if (!s->root->ast)
        return false;
    vec_for_each (&s->root->ast->isas, isa) {
        vec_for_each (&(*isa)->fields, f)
            if (!strcmp(f->name, name))
                return true;
        vec_for_each (&(*isa)->families, f)
            vec_for_each (&f->fields, key)
                if (!strcmp(*key, name))
                    return true;
    }
    return false;
}

/* ---- by what stands before ------------------------------------------------------------------- */

/* Finds the word before a byte, and the last other character between them. */
static void word_before(const char *text, size_t at, char word[40], char *last)
{
    size_t end = at, n = 0;

    *last = 0;
    while (end && !isalnum((unsigned char)text[end - 1]) && text[end - 1] != '_' &&
           text[end - 1] != '\n') {
        if (!*last && !isspace((unsigned char)text[end - 1]))
            *last = text[end - 1];
        end--;
    }
    at = end;
    while (at && (isalnum((unsigned char)text[at - 1]) || text[at - 1] == '_'))
        at--;
    n = end - at < 39 ? end - at : 39;
    memcpy(word, text + at, n);
    word[n] = 0;
}

#define BIT(kind) (1u << (kind))
static const struct {
    const char *word;
    char last; /* character between the two words; 0: none */
    unsigned kinds;
} leads[] = {
    {"with", 0, BIT(SYMBOL_FAMILY)},
    {"ac_family", 0, BIT(SYMBOL_FAMILY)},
    {"requires", 0, BIT(SYMBOL_FEATURE)},
    {"feature", 0, BIT(SYMBOL_FEATURE)},
    {"behaviour", 0, BIT(SYMBOL_INSTRUCTION) | BIT(SYMBOL_BEHAVIOUR)},
    {"ac_behaviour", 0, BIT(SYMBOL_INSTRUCTION)},
    {"execute", '(', BIT(SYMBOL_INSTRUCTION) | BIT(SYMBOL_BEHAVIOUR)},
    {"ac_instr", 0, BIT(SYMBOL_INSTRUCTION)},
    {"ac_instr", '<', BIT(SYMBOL_FORMAT)},
    {"ac_format", 0, BIT(SYMBOL_FORMAT)},
    {"decode", '(', BIT(SYMBOL_FORMAT)},
    {"ac_asm_map", 0, BIT(SYMBOL_MAP)},
    {"sysreg", 0, BIT(SYMBOL_SYSREG)},
    {"like", 0, BIT(SYMBOL_GPU)},
    {"AC_GPU", '(', BIT(SYMBOL_GPU)},
    {"register", 0, BIT(SYMBOL_REGISTER)},
};

static unsigned kinds_behind(const char *word, char last)
{
    for (size_t i = 0; i < sizeof(leads) / sizeof(*leads); i++)
        if (leads[i].last == last && !strcmp(leads[i].word, word))
            return leads[i].kinds;
    return 0;
}

static const struct symbol *find_in_code(const struct symbols *s, const struct source_file *file,
                                         size_t at, const char *name)
{
    const unsigned usual = BIT(SYMBOL_HELPER) | BIT(SYMBOL_CONSTANT) | BIT(SYMBOL_TYPE) |
                           BIT(SYMBOL_REGISTER) | BIT(SYMBOL_MEMORY) | BIT(SYMBOL_FEATURE) |
                           BIT(SYMBOL_SYSREG);
    const struct scope *scope = scope_at(s, file, at);
    const struct symbol *found = NULL;
    char word[40], last;
    unsigned kinds;

    word_before(file->text, at, word, &last);
    if (last == '.' && !strcmp(word, "inst") && scope) {
        struct field_search search = {name, NULL};

        fields_of_behaviour(s, scope->name, match_field, &search);
        return search.found;
    }
    kinds = kinds_behind(word, last);
    if (!kinds && scope && scope->kind == SYMBOL_INSTRUCTION && !strcmp(scope->name, name) &&
        at - scope->from < strcspn(file->text + scope->from, "\n"))
        kinds = BIT(SYMBOL_INSTRUCTION);
    if (kinds && (found = find_global(s, name, kinds)))
        return found;
    if (scope)
        found = scope->kind == SYMBOL_INSTRUCTION || scope->kind == SYMBOL_FORMAT
                    ? find_field(s, scope, name)
                    : find_in_scope(s, scope, name);
    if (!found)
        found = find_global(s, name, usual);
    return found || scope ? found : find_global(s, name, BIT(SYMBOL_INSTRUCTION));
}

const struct symbol *symbol_meant(const struct symbols *s, const struct source_file *file,
                                  const struct word *w)
{
    const char *name;
    const struct scope *scope;

    if (!s->root->ast && !s->root->layouts)
        return NULL;
    name = arena_strndup(s->a, file->text + w->from, w->to - w->from);
    if (w->where == WORD_MAP)
        return find_global(s, name, BIT(SYMBOL_MAP));
    if (w->where != WORD_PICTURE)
        return find_in_code(s, file, w->from, name);
    scope = scope_at(s, file, w->from);
    return scope ? find_in_scope(s, scope, name) : NULL;
}
