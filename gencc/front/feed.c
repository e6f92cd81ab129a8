/*
 * Stands between scanner and grammar: decides which names are types and which words are contextual
 * keywords, and inserts missing braces and parentheses after syntax errors.
 */
#include "gencc/front/parser.h"

#include "genc.tab.h"

#include <string.h>

/* C's names of types, which occur in published decode() bodies */
static const struct {
    const char *name, *type;
} c_types[] = {
    {"uint8_t", "uint8"}, {"uint16_t", "uint16"}, {"uint32_t", "uint32"}, {"uint64_t", "uint64"},
    {"int8_t", "sint8"},  {"int16_t", "sint16"},  {"int32_t", "sint32"},  {"int64_t", "sint64"},
    {"bool", "bool"},     {"char", "sint8"},      {"short", "sint16"},    {"int", "sint32"},
    {"long", "sint64"},
};

static const char *c_type(const char *name)
{
    for (size_t i = 0; i < sizeof(c_types) / sizeof(c_types[0]); i++)
        if (strcmp(c_types[i].name, name) == 0)
            return c_types[i].type;
    return NULL;
}

static const struct token *peek_token(const struct parser *p, unsigned ahead)
{
    unsigned i = p->next + ahead;

    return &p->tokens.data[i < p->tokens.len ? i : p->tokens.len - 1];
}

static bool is_type_name(const struct parser *p, const char *name)
{
    return (p->local_types && name_map_get(p->local_types, name)) ||
           name_map_get(&p->front->types, name);
}

static bool starts_type(const struct parser *p, const struct token *t)
{
    switch (t->kind) {
    case TOK_BASETYPE:
    case TOK_STRUCT:
    case TOK_TYPENAME:
    case TOK_SIGNED:
    case TOK_UNSIGNED:
        return true;
    case TOK_ID:
        return is_type_name(p, t->text) || (p->c_types && c_type(t->text)) ||
               strcmp(t->text, "wide") == 0 || strcmp(t->text, "narrow") == 0;
    default:
        return false;
    }
}

static void new_local_types(struct parser *p)
{
    p->local_types = arena_new(p->a, struct name_map);
}

static void add_local_type(struct parser *p, const char *name)
{
    name_map_put(p->a, p->local_types, name, (void *)(uintptr_t)name);
}

/* Declares the template parameters of a helper before its result type, which may use them: looks
 * ahead for `<… typename T …>` before the parameter list. */
static void find_template_types(struct parser *p)
{
    bool in_list = false;

    new_local_types(p);
    for (unsigned i = 0;; i++) {
        const struct token *t = peek_token(p, i);

        if (!t->kind || t->kind == '(' || t->kind == '{' || t->kind == ';')
            return;
        if (t->kind == '<')
            in_list = true;
        if (in_list && t->kind == TOK_TYPENAME && peek_token(p, i + 1)->kind == TOK_ID)
            add_local_type(p, peek_token(p, i + 1)->text);
    }
}

/* Declares the types that a family provides to behaviours. */
static void add_family_types(struct parser *p, const char *name)
{
    vec_for_each (&p->build->isa->families, f) {
        if (strcmp(f->name, name))
            continue;
        vec_for_each (&f->tparams, tp)
            if (tp->is_type)
                add_local_type(p, tp->name);
        return;
    }
}

/* Declares the types that the families of a behaviour's instructions provide to its body. If no
 * instruction has the behaviour, the types of all families are declared. */
static void find_family_types(struct parser *p, const char *behaviour)
{
    new_local_types(p);
    if (!p->build)
        return;
    vec_for_each (&p->build->isa->instrs, i) {
        const char *name = (*i)->behaviour ? (*i)->behaviour : (*i)->name;

        if (strcmp(name, behaviour) == 0)
            vec_for_each (&(*i)->families, f)
                add_family_types(p, f->name);
    }
    vec_for_each (&p->build->isa->with, f)
        add_family_types(p, f->name);
}

/* Prepares for the definition that begins with `t`, outside all braces of a behaviour file. */
static void enter_definition(struct parser *p, const struct token *t)
{
    switch (t->kind) {
    case TOK_HELPER:
    case TOK_EXTERNAL:
    case TOK_PRIVATE:
    case TOK_PUBLIC:
    case TOK_INTERNAL:
        p->c_types = false;
        find_template_types(p);
        break;
    case TOK_EXECUTE:
        p->c_types = false;
        if (peek_token(p, 0)->kind == '(' && peek_token(p, 1)->kind == TOK_ID)
            find_family_types(p, peek_token(p, 1)->text);
        break;
    case TOK_HOOK:
        p->c_types = false;
        find_family_types(p, "");
        break;
    case TOK_DECODE:
    case TOK_BEHAVIOUR:
    case TOK_SYSTEM:
        p->c_types = true;
        new_local_types(p);
        break;
    case TOK_SYSREG:
        p->c_types = false;
        new_local_types(p);
        break;
    case TOK_TYPENAME:
        if (peek_token(p, 0)->kind == TOK_ID && peek_token(p, 1)->kind == '=')
            name_map_put(p->a, &p->front->types, peek_token(p, 0)->text,
                         (void *)(uintptr_t)peek_token(p, 0)->text);
        break;
    default:
        break;
    }
}

/* `signed` and `unsigned` are names unless a type follows; in C, `unsigned` is a type by itself. */
static void classify_sign(const struct parser *p, struct token *t)
{
    if (starts_type(p, peek_token(p, 0)))
        return;
    if (p->c_types) {
        t->text = t->kind == TOK_UNSIGNED ? "uint32" : "sint32";
        t->kind = TOK_BASETYPE;
    } else {
        t->kind = TOK_ID;
    }
}

static void classify_name(struct parser *p, struct token *t)
{
    if (p->lang == LANG_ABI)
        return;
    if (p->next >= 2 && p->tokens.data[p->next - 2].kind == '.')
        return;
    if (is_type_name(p, t->text))
        t->kind = TOK_TYPE_NAME;
    else if (p->c_types && c_type(t->text)) {
        t->kind = TOK_BASETYPE;
        t->text = c_type(t->text);
    } else if (strcmp(t->text, "wide") == 0 && starts_type(p, peek_token(p, 0)))
        t->kind = TOK_WIDE;
    else if (strcmp(t->text, "narrow") == 0 && starts_type(p, peek_token(p, 0)))
        t->kind = TOK_NARROW;
}

/* Whether the token begins an item that can occur only in the outer braces of an architecture or
 * ISA. */
static bool begins_item(const struct parser *p, const struct token *t)
{
    if (p->lang != LANG_ARCH)
        return false;
    switch (t->kind) {
    case TOK_AC_ASM_MAP:
    case TOK_AC_BUNDLE:
    case TOK_AC_CONTEXT:
    case TOK_AC_FAMILY:
    case TOK_AC_FEATURES:
    case TOK_AC_FETCHSIZE:
    case TOK_AC_FIELD:
    case TOK_AC_FORMAT:
    case TOK_AC_INSTR:
    case TOK_AC_LANE_REGSPACE:
    case TOK_AC_MEM:
    case TOK_AC_PICTURE:
    case TOK_AC_REGSPACE:
    case TOK_AC_SYSREG_SPACE:
    case TOK_AC_TABLE:
    case TOK_AC_TICKS:
    case TOK_AC_TIMING:
    case TOK_AC_WIDTHS:
    case TOK_AC_WORDSIZE:
    case TOK_ARCH_CTOR:
    case TOK_ISA_CTOR:
        return true;
    default:
        return false;
    }
}

/* Whether the token begins a definition at the left margin while braces are open, or an item of an
 * ISA within another item. */
static bool begins_definition(const struct parser *p, const struct token *t)
{
    if (p->lang == LANG_ARCH)
        return p->braces > 1 && begins_item(p, t);
    if (p->lang != LANG_GENC || t->pos.column != 1)
        return false;
    switch (t->kind) {
    case TOK_HELPER:
    case TOK_EXTERNAL:
        return true;
    case TOK_SYSREG:
        return peek_token(p, 1)->kind == TOK_ID;
    case TOK_EXECUTE:
    case TOK_HOOK:
    case TOK_DECODE:
    case TOK_BEHAVIOUR:
        return peek_token(p, 1)->kind == '(' && peek_token(p, 3)->kind == ')' &&
               peek_token(p, 4)->kind != ';';
    default:
        return false;
    }
}

/* Skips from after an opening brace to its closing one, or to the next definition. */
static void skip_braces(struct parser *p)
{
    for (unsigned depth = 1; depth; p->next++) {
        const struct token *t = peek_token(p, 0);

        if (!t->kind || begins_definition(p, t) || begins_item(p, t))
            return;
        if (t->kind == '{')
            depth++;
        if (t->kind == '}')
            depth--;
    }
}

/* ---- parentheses after an error -------------------------------------------------------------- */

/* After an error inside parentheses the grammar resumes behind their `)`. If the statement ends
 * first, the missing ones are inserted; otherwise the text up to the next `)` of the file would be
 * skipped. */
static void close_parens(struct parser *p, struct token end)
{
    p->missing_parens = p->open_parens;
    p->held = end;
    p->parens = p->open_parens = 0;
    p->broken_parens = false;
}

static void count_parens(struct parser *p, const struct token *t)
{
    if (t->kind == '{' || t->kind == '}') {
        p->parens = p->for_parens = 0;
    } else if (t->kind == '(') {
        p->parens++;
        if (!p->for_parens && p->next >= 2 && p->tokens.data[p->next - 2].kind == TOK_FOR)
            p->for_parens = p->parens;
    } else if (t->kind == ')' && p->parens) {
        if (p->parens-- == p->for_parens)
            p->for_parens = 0;
    } else if (t->kind == ';' && !p->for_parens) {
        p->parens = 0;
    }
    p->broken_parens &= p->parens != 0;
}

/* ---- errors ---------------------------------------------------------------------------------- */

/* After a syntax error the grammar waits for the end of the statement. A block that belongs to the
 * broken statement is skipped and counts as that end, since its contents are no statements of the
 * outer block. */
void feed_recover(struct parser *p)
{
    int last = p->next ? p->tokens.data[p->next - 1].kind : 0;

    if (p->held.kind) /* an inserted token was rejected, so the next inserted one would be too */
        return;
    if (p->lang == LANG_GENC || p->lang == LANG_EXPR) {
        p->broken_parens = p->parens && !p->for_parens;
        if ((last == ';' || last == '}') && p->open_parens && !p->for_parens)
            close_parens(p, p->tokens.data[p->next - 1]);
    }
    p->recovering = last != ';' && last != '}' && !p->made_brace;
    if (p->made_brace) /* an inserted brace also ends the broken statement */
        return;
    /* An item is not part of the broken text before it, if it can occur here at all. */
    if (p->next && p->braces && p->next != p->given_back &&
        begins_item(p, &p->tokens.data[p->next - 1]))
        p->given_back = p->next--;
    if (last == '{' && p->braces) {
        p->braces--;
        p->next--;
    }
}

/* Number of braces that enclose every definition. */
static unsigned outer_braces(const struct parser *p)
{
    return p->lang == LANG_ARCH ? 1 : 0;
}

static struct token made_up_token(int kind, struct src_pos pos)
{
    return (struct token){.kind = kind, .pos = pos};
}

static struct token next_token(struct parser *p)
{
    struct token t;

    if (!p->started) {
        static const int start[] = {TOK_START_ARCH, TOK_START_GENC, TOK_START_EXPR,
                                    TOK_START_LAYOUT, TOK_START_ABI};

        p->started = true;
        return made_up_token(start[p->lang], p->tokens.data[0].pos);
    }
    t = *peek_token(p, 0);
    if (p->braces && begins_definition(p, &t) && !p->missing_braces) {
        if (!p->recovering)
            diag_error(p->d, t.pos, "a '}' is missing before this definition");
        p->missing_braces = p->braces - outer_braces(p);
        p->braces = outer_braces(p);
    }
    p->made_brace = false;
    if (p->missing_braces) {
        p->missing_braces--;
        p->made_brace = true;
        return made_up_token('}', t.pos);
    }
    if (p->recovering && p->braces && begins_item(p, &t)) {
        p->recovering = false;
        return made_up_token(';', t.pos);
    }
    if (!t.kind)
        return t;
    p->next++;
    if (p->recovering) {
        p->recovering = t.kind != ';' && t.kind != '}' && t.kind != '{';
        if (t.kind == '{') {
            skip_braces(p);
            return made_up_token(';', t.pos);
        }
    }
    if (p->lang == LANG_GENC && !p->braces)
        enter_definition(p, &t);
    if (t.kind == '{')
        p->braces++;
    else if (t.kind == '}' && p->braces)
        p->braces--;
    else if (t.kind == TOK_ID)
        classify_name(p, &t);
    else if (t.kind == TOK_SIGNED || t.kind == TOK_UNSIGNED)
        classify_sign(p, &t);
    return t;
}

static struct token next_held(struct parser *p)
{
    struct token t = p->held;

    if (p->missing_parens) {
        p->missing_parens--;
        return made_up_token(')', t.pos);
    }
    p->held.kind = 0;
    return t;
}

struct token feed_next(struct parser *p)
{
    struct token t;

    if (p->held.kind)
        return next_held(p);
    p->open_parens = p->parens;
    t = next_token(p);
    if (p->broken_parens && p->parens && (t.kind == ';' || t.kind == '}')) {
        close_parens(p, t);
        return next_held(p);
    }
    count_parens(p, &t);
    return t;
}

const char *feed_not_a_type(const struct parser *p)
{
    if (p->next < 2 || p->tokens.data[p->next - 1].kind != TOK_ID ||
        p->tokens.data[p->next - 2].kind != TOK_ID)
        return NULL;
    return is_type_name(p, p->tokens.data[p->next - 2].text) ? NULL
                                                             : p->tokens.data[p->next - 2].text;
}

bool feed_is_missing(const struct parser *p)
{
    return p->made_brace;
}

const char *feed_type_hint(const char *name)
{
    return c_type(name);
}

bool feed_is(const struct parser *p, int kind)
{
    return p->next && p->tokens.data[p->next - 1].kind == kind;
}

const char *feed_word(const struct parser *p)
{
    return p->next && p->tokens.data[p->next - 1].kind == TOK_ID ? p->tokens.data[p->next - 1].text
                                                                 : NULL;
}

void feed_describe(const struct parser *p, const char *symbol, char *buf, size_t size)
{
    const struct token *t = p->next ? &p->tokens.data[p->next - 1] : peek_token(p, 0);

    if (!peek_token(p, 0)->kind && strstr(symbol, "end of"))
        snprintf(buf, size, "end of %s", p->lang == LANG_EXPR ? "the expression" : "file");
    else if (t->kind == TOK_INT || t->kind == TOK_FLOAT || t->kind == TOK_STRING)
        snprintf(buf, size, "%s", t->kind == TOK_STRING ? "string" : "number");
    else if (t->kind == TOK_ID)
        snprintf(buf, size, "%s\"%.60s\"", strstr(symbol, "type") ? "the type name " : "", t->text);
    else
        snprintf(buf, size, "%s", symbol);
}
