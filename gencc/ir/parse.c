/*
 * Reads the text form of docs/understand/ir.md. Values may be used before their definition (by
 * PHIs), so operands are resolved at the end of the function.
 */
#include "gencc/ir/text.h"

#include <ctype.h>
#include <string.h>

enum { MAX_NUMBER = 1000000 }; /* highest number of a value, block or variable */

struct fixup {
    struct ir_value *value;
    unsigned operand, id;
    struct src_pos pos;
};

struct parser {
    struct arena *arena;
    struct diag *d;
    const struct source_file *file;
    const struct ir_names *names;
    const char *at, *line_start;
    uint32_t line;
    bool failed;
    struct ir_func *f;
    struct ir_block *block;
    VEC(struct ir_value *) values; /* by number */
    VEC(struct ir_block *) blocks; /* by number */
    VEC(struct fixup) fixups;
};

/* ---- scanning -------------------------------------------------------------------------------- */

static struct src_pos current_position(const struct parser *p)
{
    return (struct src_pos){p->file, p->line, (uint32_t)(p->at - p->line_start) + 1, 1};
}

static bool report_expected(struct parser *p, const char *what)
{
    if (!p->failed)
        diag_error(p->d, current_position(p), "expected %s", what);
    p->failed = true;
    return false;
}

static void skip_space(struct parser *p)
{
    while (isspace((unsigned char)*p->at) || *p->at == '#') {
        if (*p->at == '#') {
            p->at += strcspn(p->at, "\n");
            continue;
        }
        if (*p->at++ == '\n') {
            p->line++;
            p->line_start = p->at;
        }
    }
}

static bool is_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool peek_token(struct parser *p, const char *token)
{
    skip_space(p);
    return !strncmp(p->at, token, strlen(token));
}

static bool peek_block(struct parser *p)
{
    return peek_token(p, "b") && isdigit((unsigned char)p->at[1]);
}

static bool accept_token(struct parser *p, const char *token)
{
    size_t len = strlen(token);

    if (!peek_token(p, token) || (is_word_char(token[len - 1]) && is_word_char(p->at[len])))
        return false;
    p->at += len;
    return true;
}

static bool expect_token(struct parser *p, const char *token)
{
    char what[24];

    if (accept_token(p, token))
        return true;
    snprintf(what, sizeof(what), "'%s'", token);
    return report_expected(p, what);
}

/* Reads a word, which may contain dots if `dots`. Returns NULL after reporting. */
static const char *read_word(struct parser *p, bool dots, const char *what)
{
    const char *from;

    skip_space(p);
    from = p->at;
    while (is_word_char(*p->at) || (dots && *p->at == '.'))
        p->at++;
    if (p->at > from)
        return arena_strndup(p->arena, from, (size_t)(p->at - from));
    report_expected(p, what);
    return NULL;
}

static int digit_of(char c)
{
    if (isdigit((unsigned char)c))
        return c - '0';
    return isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 : -1;
}

static bool read_number(struct parser *p, u128 *out)
{
    bool hex = peek_token(p, "0x");
    int base = hex ? 16 : 10;
    const char *from;

    p->at += hex ? 2 : 0;
    *out = 0;
    for (from = p->at; digit_of(*p->at) >= 0 && digit_of(*p->at) < base; p->at++)
        *out = *out * (unsigned)base + (unsigned)digit_of(*p->at);
    return p->at > from || report_expected(p, "a number");
}

/* Reads `prefix` and a small number: %12, b3, $0. */
static bool read_id(struct parser *p, const char *prefix, unsigned *out)
{
    u128 n;

    skip_space(p);
    if (strncmp(p->at, prefix, strlen(prefix)))
        return expect_token(p, prefix);
    p->at += strlen(prefix);
    if (!isdigit((unsigned char)*p->at) || !read_number(p, &n) || n > MAX_NUMBER)
        return report_expected(p, "a number");
    *out = (unsigned)n;
    return true;
}

static bool read_type(struct parser *p, struct ir_type *t)
{
    size_t len;

    skip_space(p);
    for (len = 0; is_word_char(p->at[len]) || p->at[len] == '[' || p->at[len] == ']';)
        len++;
    if (!ir_type_parse(p->at, len, t))
        return report_expected(p, "a type");
    p->at += len;
    return true;
}

/* Reads a text after its opening quote. */
static const char *read_text(struct parser *p)
{
    char *s = arena_alloc(p->arena, strcspn(p->at, "\n") + 1), *to = s;

    for (; *p->at != '"'; p->at++) {
        char c = *p->at;

        if (!c || c == '\n') {
            report_expected(p, "a closing quote");
            return NULL;
        }
        if (c == '\\' && p->at[1] == 'x' && digit_of(p->at[2]) >= 0 && digit_of(p->at[3]) >= 0) {
            c = (char)(digit_of(p->at[2]) * 16 + digit_of(p->at[3]));
            p->at += 3;
        } else if (c == '\\' && p->at[1]) {
            c = *++p->at;
        }
        *to++ = c;
    }
    p->at++;
    return s;
}

/* ---- references ------------------------------------------------------------------------------ */

static struct ir_block *block_by_id(struct parser *p, unsigned id)
{
    while (p->blocks.len <= id)
        vec_push_in(p->arena, &p->blocks, NULL);
    if (!p->blocks.data[id]) {
        struct ir_block *b = arena_new(p->arena, struct ir_block);

        b->func = p->f;
        b->id = id;
        p->blocks.data[id] = b;
    }
    return p->blocks.data[id];
}

static bool read_target(struct parser *p, struct ir_value *v)
{
    unsigned id;

    if (!read_id(p, "b", &id))
        return false;
    vec_push_in(p->arena, &v->targets, block_by_id(p, id));
    return true;
}

static bool read_operand(struct parser *p, struct ir_value *v)
{
    struct fixup fix = {.value = v, .operand = v->ops.len};

    skip_space(p);
    fix.pos = current_position(p);
    if (!read_id(p, "%", &fix.id))
        return false;
    vec_push_in(p->arena, &v->ops, NULL);
    vec_push_in(p->arena, &p->fixups, fix);
    return true;
}

static bool read_text_operand(struct parser *p, struct ir_value *v)
{
    struct ir_value *t = ir_value_new(p->f, IR_TEXT, IR_T_VOID, v->pos);

    p->at++;
    t->text = read_text(p);
    ir_append(p->block, t);
    vec_push_in(p->arena, &v->ops, t);
    return !p->failed;
}

/* Reads operands separated by commas, and `end`. */
static bool read_operands(struct parser *p, struct ir_value *v, const char *end)
{
    if (accept_token(p, end))
        return true;
    do {
        if (!(peek_token(p, "\"") ? read_text_operand(p, v) : read_operand(p, v)))
            return false;
    } while (accept_token(p, ","));
    return expect_token(p, end);
}

/* Reports a name that the caller of ir_parse() does not know. */
static bool check_resolved(struct parser *p, const void *found, const char *kind, const char *name)
{
    if (!found && !p->failed) {
        diag_error(p->d, current_position(p), "no %s is called '%s'", kind, name);
        p->failed = true;
    }
    return found != NULL;
}

/* ---- operations ------------------------------------------------------------------------------ */

static bool parse_field(struct parser *p, struct ir_value *v)
{
    const char *format = read_word(p, false, "a format");
    const char *name = format && expect_token(p, ".") ? read_word(p, false, "a field") : NULL;

    if (!name)
        return false;
    v->field = p->names->field ? p->names->field(p->names->opaque, format, name) : NULL;
    if (!check_resolved(p, v->field, "field", name))
        return false;
    return v->op == IR_FIELD || (expect_token(p, ",") && read_operand(p, v));
}

static bool parse_variable(struct parser *p, struct ir_value *v)
{
    unsigned id;

    if (!read_id(p, "$", &id))
        return false;
    if (id >= p->f->vars.len)
        return report_expected(p, "a variable that is declared");
    v->var = p->f->vars.data[id];
    return v->op == IR_VAR_READ || (expect_token(p, ",") && read_operand(p, v));
}

static bool parse_register(struct parser *p, struct ir_value *v)
{
    const char *name = read_word(p, false, "a register");

    if (!name)
        return false;
    v->view = p->names->view ? p->names->view(p->names->opaque, name) : NULL;
    if (!check_resolved(p, v->view, "register", name))
        return false;
    if (accept_token(p, "[") && !(read_operand(p, v) && expect_token(p, "]")))
        return false;
    return v->op == IR_REG_READ || (expect_token(p, ",") && read_operand(p, v));
}

static bool parse_call(struct parser *p, struct ir_value *v)
{
    const char *name = read_word(p, false, "a function");
    const struct ir_names *n = p->names;

    if (!name)
        return false;
    if (v->op == IR_CALL)
        v->callee = n->func ? n->func(n->opaque, name) : NULL;
    else
        v->fn = n->fn ? n->fn(n->opaque, name) : NULL;
    return check_resolved(p, v->op == IR_CALL ? (void *)v->callee : (void *)v->fn, "function",
                          name) &&
           expect_token(p, "(") && read_operands(p, v, ")");
}

static bool parse_phi(struct parser *p, struct ir_value *v)
{
    if (!peek_block(p))
        return true; /* the block has no predecessors */
    do {
        if (!read_target(p, v) || !expect_token(p, ":") || !read_operand(p, v))
            return false;
    } while (accept_token(p, ","));
    return true;
}

static bool parse_switch(struct parser *p, struct ir_value *v)
{
    u128 key;

    if (!read_operand(p, v) || !expect_token(p, ",") || !read_target(p, v) || !expect_token(p, "["))
        return false;
    if (accept_token(p, "]"))
        return true;
    do {
        if (!read_number(p, &key) || !expect_token(p, ":") || !read_target(p, v))
            return false;
        vec_push_in(p->arena, &v->cases, key);
    } while (accept_token(p, ","));
    return expect_token(p, "]");
}

/* Reads operands, then targets, all on one line. */
static bool parse_plain(struct parser *p, struct ir_value *v)
{
    if ((!ir_ops[v->op].operands && v->op != IR_BR) || (v->op == IR_RET && !peek_token(p, "%")))
        return true;
    do {
        if (!(peek_token(p, "b") ? read_target(p, v) : read_operand(p, v)))
            return false;
    } while (accept_token(p, ","));
    return true;
}

static bool parse_result(struct parser *p, struct ir_value *v)
{
    return read_operand(p, v) && expect_token(p, ",") && read_number(p, &v->imm);
}

static bool parse_rest(struct parser *p, struct ir_value *v)
{
    switch (v->op) {
    case IR_CONST:
    case IR_PARAM:
        return read_number(p, &v->imm);
    case IR_RESULT:
        return parse_result(p, v);
    case IR_FIELD:
    case IR_FIELD_WRITE:
        return parse_field(p, v);
    case IR_VAR_READ:
    case IR_VAR_WRITE:
        return parse_variable(p, v);
    case IR_REG_READ:
    case IR_REG_WRITE:
        return parse_register(p, v);
    case IR_PHI:
        return parse_phi(p, v);
    case IR_SWITCH:
        return parse_switch(p, v);
    case IR_CALL:
    case IR_INTRINSIC:
    case IR_EXTERNAL:
        return parse_call(p, v);
    default:
        return parse_plain(p, v);
    }
}

/* ---- the function ---------------------------------------------------------------------------- */

static bool read_op(struct parser *p, bool named, enum ir_op *op)
{
    const char *name = read_word(p, true, "an operation");

    for (unsigned i = 0; name && i < IR_OP_COUNT; i++) {
        *op = (enum ir_op)i;
        if (!strcmp(ir_ops[i].name, name) && *op != IR_TEXT && ir_op_is_nameless(*op) != named)
            return true;
    }
    return check_resolved(p, NULL, named ? "operation with a result" : "operation without a result",
                          name ? name : "");
}

static bool define_value(struct parser *p, unsigned id, struct ir_value *v)
{
    while (p->values.len <= id)
        vec_push_in(p->arena, &p->values, NULL);
    if (p->values.data[id])
        return report_expected(p, "a number that no other value has");
    p->values.data[id] = v;
    return true;
}

static bool parse_value(struct parser *p)
{
    bool named = peek_token(p, "%"), fixed = false;
    struct src_pos pos;
    struct ir_value *v;
    enum ir_op op;
    unsigned id = 0;

    pos = current_position(p);
    if (named) {
        if (!read_id(p, "%", &id))
            return false;
        fixed = accept_token(p, "!");
        if (!expect_token(p, "="))
            return false;
    }
    if (!read_op(p, named, &op))
        return false;
    v = ir_value_new(p->f, op, IR_T_VOID, pos);
    v->fixed = fixed;
    if (named && (!read_type(p, &v->type) || !define_value(p, id, v)))
        return false;
    if (!parse_rest(p, v))
        return false;
    ir_append(p->block, v);
    return true;
}

static bool parse_block(struct parser *p)
{
    unsigned id;

    if (!read_id(p, "b", &id))
        return false;
    p->block = block_by_id(p, id);
    if (p->block->mark)
        return report_expected(p, "a number that no other block has");
    p->block->mark = 1;
    vec_push_in(p->arena, &p->f->blocks, p->block);
    if (!peek_token(p, ":") && !peek_token(p, "!"))
        p->block->name = read_word(p, true, "a name or ':'");
    p->block->fixed = accept_token(p, "!");
    if (!expect_token(p, ":"))
        return false;
    while (!peek_token(p, "}")) {
        if (peek_block(p))
            return true;
        if (!parse_value(p))
            return false;
    }
    return true;
}

static bool parse_vars(struct parser *p)
{
    while (accept_token(p, "var")) {
        struct ir_type t;
        unsigned id;
        uint32_t line = p->line;
        const char *name = NULL;

        if (!read_id(p, "$", &id) || !read_type(p, &t))
            return false;
        if (id != p->f->vars.len)
            return report_expected(p, "variables numbered in order");
        skip_space(p);
        if (p->line == line)
            name = read_word(p, true, "a name");
        ir_var_new(p->f, name, t, current_position(p));
    }
    return true;
}

static bool parse_params(struct parser *p)
{
    if (!expect_token(p, "("))
        return false;
    if (accept_token(p, ")"))
        return true;
    do {
        struct ir_type t;

        if (!read_type(p, &t))
            return false;
        vec_push_in(p->arena, &p->f->params, t);
        if (!peek_token(p, ",") && !peek_token(p, ")"))
            vec_push_in(p->arena, &p->f->param_names, read_word(p, true, "a parameter's name"));
        else
            vec_push_in(p->arena, &p->f->param_names, NULL);
    } while (accept_token(p, ","));
    return expect_token(p, ")");
}

static bool parse_attributes(struct parser *p)
{
    struct ir_func *f = p->f;

    if (accept_token(p, "format")) {
        const char *name = read_word(p, false, "a format");

        if (!name)
            return false;
        f->format = p->names->format ? p->names->format(p->names->opaque, name) : NULL;
        if (!check_resolved(p, f->format, "format", name))
            return false;
    }
    f->is_inline = accept_token(p, "inline");
    f->is_noinline = accept_token(p, "noinline");
    f->ends_block = accept_token(p, "ends_block");
    f->is_pure = accept_token(p, "pure");
    f->is_reading = accept_token(p, "reading");
    return expect_token(p, "{");
}

static bool parse_header(struct parser *p)
{
    unsigned kind = 0;

    while (kind <= IR_FUNC_EXPORT && !accept_token(p, ir_kind_names[kind]))
        kind++;
    if (kind > IR_FUNC_EXPORT)
        return report_expected(p, "helper, execute, decode, disasm or export");
    p->f =
        ir_func_new(p->arena, read_word(p, false, "the function's name"), (enum ir_func_kind)kind);
    p->f->pos = current_position(p);
    if (p->failed || !parse_params(p) || !expect_token(p, "->") || !read_type(p, &p->f->result))
        return false;
    while (accept_token(p, ",")) {
        struct ir_type t;

        if (!read_type(p, &t))
            return false;
        vec_push_in(p->arena, &p->f->outs, t);
    }
    return parse_attributes(p);
}

/* Resolves operands. Values without a number in the text get the numbers after the last one
 * used. */
static bool finish_function(struct parser *p)
{
    p->f->next_value = p->values.len;
    p->f->next_block = p->blocks.len;
    vec_for_each (&p->blocks, b) {
        if (*b && !(*b)->mark) {
            diag_error(p->d, p->f->pos, "block b%u is named but not there", (*b)->id);
            return false;
        }
    }
    vec_for_each (&p->fixups, fix) {
        if (fix->id >= p->values.len || !p->values.data[fix->id]) {
            diag_error(p->d, fix->pos, "value %%%u is used but not there", fix->id);
            return false;
        }
        fix->value->ops.data[fix->operand] = p->values.data[fix->id];
    }
    for (unsigned i = 0; i < p->values.len; i++)
        if (p->values.data[i])
            p->values.data[i]->id = i;
    vec_for_each (&p->f->blocks, b)
        for (struct ir_value *v = (*b)->first; v; v = v->next)
            if (!ir_has_name(v) || v->op == IR_TEXT)
                v->id = p->f->next_value++;
    return true;
}

struct ir_func *ir_parse(struct arena *a, struct diag *d, const struct source_file *file,
                         const struct ir_names *names)
{
    struct parser p = {.arena = a, .d = d, .file = file, .names = names};

    p.at = p.line_start = file->text;
    p.line = 1;
    if (!parse_header(&p) || !parse_vars(&p))
        return NULL;
    while (!accept_token(&p, "}"))
        if (!parse_block(&p))
            return NULL;
    skip_space(&p);
    if (*p.at) {
        report_expected(&p, "the end of the file");
        return NULL;
    }
    return finish_function(&p) ? p.f : NULL;
}
