/*
 * Completion, the outline of a file, formatting.
 */
#include "gencc/lsp/features.h"

#include "gencc/fmt/fmt.h"
#include "gencc/front/keywords.h"
#include "gencc/ir/ir.h"
#include "gencc/lsp/gpus.h"
#include "gencc/lsp/text.h"

#include <ctype.h>
#include <string.h>

/* Kinds of completions and of symbols, numbered by the protocol. */
static int completion_kind(enum symbol_kind kind)
{
    static const int kinds[] = {
        [SYMBOL_HELPER] = 3,   [SYMBOL_CONSTANT] = 21, [SYMBOL_TYPE] = 7,
        [SYMBOL_SYSREG] = 10,  [SYMBOL_BEHAVIOUR] = 2, [SYMBOL_INSTRUCTION] = 9,
        [SYMBOL_FORMAT] = 22,  [SYMBOL_FIELD] = 5,     [SYMBOL_MAP] = 13,
        [SYMBOL_FAMILY] = 8,   [SYMBOL_REGISTER] = 6,  [SYMBOL_MEMORY] = 6,
        [SYMBOL_FEATURE] = 20, [SYMBOL_GPU] = 9,       [SYMBOL_LOCAL] = 6,
    };

    return kinds[kind];
}

static int outline_kind(enum symbol_kind kind)
{
    static const int kinds[] = {
        [SYMBOL_HELPER] = 12,  [SYMBOL_CONSTANT] = 14, [SYMBOL_TYPE] = 26,
        [SYMBOL_SYSREG] = 7,   [SYMBOL_BEHAVIOUR] = 6, [SYMBOL_INSTRUCTION] = 5,
        [SYMBOL_FORMAT] = 23,  [SYMBOL_FIELD] = 8,     [SYMBOL_MAP] = 10,
        [SYMBOL_FAMILY] = 11,  [SYMBOL_REGISTER] = 13, [SYMBOL_MEMORY] = 13,
        [SYMBOL_FEATURE] = 17, [SYMBOL_GPU] = 5,       [SYMBOL_LOCAL] = 13,
    };

    return kinds[kind];
}

struct completion {
    struct arena *a;
    struct name_map seen;
    json_t *out;
};

static void offer_word(struct completion *c, const char *name, int kind, const char *detail)
{
    if (name_map_put(c->a, &c->seen, name, c))
        return;
    json_array_append_new(c->out, json_pack("{s:s, s:i, s:s}", "label", name, "kind", kind,
                                            "detail", detail ? detail : ""));
}

static void offer_symbol(void *context, const struct symbol *x)
{
    struct completion *c = context;

    offer_word(c, x->name, completion_kind(x->kind),
               x->detail ? x->detail : symbol_kind_name(x->kind));
}

/* Start of the word that is being typed. */
static size_t word_start(const char *text, size_t at)
{
    while (at && (isalnum((unsigned char)text[at - 1]) || text[at - 1] == '_'))
        at--;
    return at;
}

static bool ends_with(const char *text, size_t at, const char *word)
{
    size_t n = strlen(word);

    return at >= n && !memcmp(text + at - n, word, n);
}

static void offer_keywords(struct completion *c, const struct source_file *f)
{
    size_t n = strlen(f->path);
    bool arch = n > 3 && !strcmp(f->path + n - 3, ".ac");
    const char *word;

    for (unsigned i = 0; (word = front_keyword(arch, i)); i++)
        offer_word(c, word, 14, "");
}

static void offer_code(struct completion *c, const struct place *p, const struct scope *scope)
{
    vec_for_each (&p->symbols->all, x) {
        bool here = (*x)->scope && scope && (*x)->scope->file == scope->file &&
                    (*x)->scope->from == scope->from;
        bool format = (*x)->scope && scope && scope->format && (*x)->kind == SYMBOL_FIELD &&
                      !strcmp((*x)->scope->name, scope->format);

        if (here || format ||
            (!(*x)->scope && (*x)->kind != SYMBOL_BEHAVIOUR && (*x)->kind != SYMBOL_MAP))
            offer_symbol(c, *x);
    }
    for (unsigned i = IR_I_NONE + 1; i < IR_I_COUNT; i++)
        offer_word(c, ir_intrinsics[i].name, 3, ir_intrinsics[i].signature);
    offer_keywords(c, p->file);
}

static void offer_kind(struct completion *c, const struct place *p, enum symbol_kind kind)
{
    vec_for_each (&p->symbols->all, x)
        if ((*x)->kind == kind)
            offer_symbol(c, *x);
}

/* Completes a line of a GPU's block: an operand of the word that begins the line, or else the words
 * that can begin one. */
static void offer_gpu(struct completion *c, const struct place *p, const char *text, size_t start)
{
    static const char *const words[] = {"like", "point", "power", "register", "timing"};
    struct gpu_word word;

    if (ends_with(text, start, "like ")) {
        offer_kind(c, p, SYMBOL_GPU);
    } else if (ends_with(text, start, "register ")) {
        offer_kind(c, p, SYMBOL_REGISTER);
    } else if (ends_with(text, start, "timing ")) {
        for (unsigned i = 0; gpu_timing_word(i, &word); i++)
            offer_word(c, word.name, 10, word.about);
    } else if (ends_with(text, start, "power ")) {
        for (unsigned i = 0; gpu_power_word(i, &word); i++)
            offer_word(c, word.name, 10, word.about);
    } else {
        for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
            offer_word(c, words[i], 14, "");
        for (unsigned i = 0; gpu_property_word(i, &word); i++)
            offer_word(c, word.name, 10, word.about);
    }
}

json_t *answer_completion(const struct place *p)
{
    struct completion c = {.a = p->symbols->a, .out = json_array()};
    const char *text = p->file ? p->file->text : "";
    size_t start = p->file ? word_start(text, p->at) : 0;
    const struct scope *scope = p->file ? scope_at(p->symbols, p->file, p->at) : NULL;

    if (!p->file)
        return c.out;
    if (ends_with(text, start, "inst.") && scope) {
        fields_of_behaviour(p->symbols, scope->name, offer_symbol, &c);
        offer_word(&c, "ir", 5, "the word");
    } else if (ends_with(text, start, "%")) {
        offer_kind(&c, p, SYMBOL_MAP);
    } else if (scope && scope->kind == SYMBOL_GPU) {
        offer_gpu(&c, p, text, start);
    } else {
        offer_code(&c, p, scope);
    }
    return c.out;
}

/* ---- outline --------------------------------------------------------------------------------- */

json_t *answer_outline(const struct place *p)
{
    json_t *out = json_array();

    if (!p->file)
        return out;
    vec_for_each (&p->symbols->all, it) {
        const struct symbol *x = *it;
        size_t from = x->at, to = x->at + strlen(x->name);

        if (x->file != p->file || x->scope)
            continue;
        vec_for_each (&p->symbols->scopes, s)
            if ((*s)->file == x->file && (*s)->from <= x->at && x->at <= (*s)->to &&
                !strcmp((*s)->name, x->name)) {
                from = (*s)->from;
                to = (*s)->to;
            }
        json_array_append_new(
            out, json_pack("{s:s, s:s, s:i, s:o, s:o}", "name", x->name, "detail",
                           symbol_kind_name(x->kind), "kind", outline_kind(x->kind), "range",
                           text_range(x->file->text, from, to), "selectionRange",
                           text_range(x->file->text, x->at, x->at + strlen(x->name))));
    }
    return out;
}

/* ---- layout ---------------------------------------------------------------------------------- */

json_t *answer_formatting(const struct buffer *b)
{
    struct arena a = {0};
    const char *text = fmt_text(&a, b->text, b->length);
    json_t *edits = json_array();

    if (strcmp(text, b->text))
        json_array_append_new(edits, json_pack("{s:o, s:s}", "range",
                                               text_range(b->text, 0, b->length), "newText", text));
    arena_free(&a);
    return edits;
}
