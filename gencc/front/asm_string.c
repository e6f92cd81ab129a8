/*
 * Assembly strings: text with %name, %[name] and %name{expressions}.
 */
#include "gencc/front/parser.h"

#include <ctype.h>
#include <string.h>

struct asm_string {
    struct parser *p;
    const struct token *string;
    struct ast_asm *out;
    const char *at;
    bool published;
    char *text; /* literal text since the last piece; room for the whole string */
    size_t used;
    const char *text_start;
};

static struct src_pos pos_of(const struct asm_string *s, const char *text, size_t length)
{
    struct src_pos pos = s->string->pos;

    pos.column += 1 + (uint32_t)(text - s->string->text);
    pos.length = length ? (uint32_t)length : 1;
    return pos;
}

static void flush_text(struct asm_string *s)
{
    struct ast_asm_piece piece = {0};

    if (!s->used)
        return;
    piece.pos = pos_of(s, s->text_start, (size_t)(s->at - s->text_start));
    piece.text = arena_strndup(s->p->a, s->text, s->used);
    vec_push_in(s->p->a, &s->out->pieces, piece);
    s->used = 0;
}

static void add_char(struct asm_string *s, char c)
{
    if (!s->used)
        s->text_start = s->at;
    s->text[s->used++] = c;
}

static void read_escape(struct asm_string *s)
{
    char c = s->at[1];

    add_char(s, c == 'n' ? '\n' : c == 't' ? '\t' : c);
    s->at += c ? 2 : 1;
}

/* The end of one expression: a comma or the closing brace outside all brackets. */
static const char *expression_end(const char *at)
{
    unsigned depth = 0;

    for (; *at; at++) {
        if (*at == '(' || *at == '[' || *at == '{')
            depth++;
        else if (depth && (*at == ')' || *at == ']' || *at == '}'))
            depth--;
        else if (!depth && (*at == ',' || *at == '}'))
            break;
    }
    return at;
}

/* {e, e…}, with s->at at the brace. */
static void read_values(struct asm_string *s, struct ast_asm_piece *piece)
{
    const char *open = s->at;

    do {
        const char *start = ++s->at;
        struct ast_expr *e;

        s->at = expression_end(start);
        if (!*s->at) {
            diag_error(s->p->d, pos_of(s, open, 1), "this '{' is not closed");
            return;
        }
        e = parse_substring(s->p, pos_of(s, start, 1), start, (size_t)(s->at - start));
        if (e)
            vec_push_in(s->p->a, &piece->values, e);
    } while (*s->at == ',');
    s->at++;
}

/* Names of placeholders consist of letters and digits; in GenC also of underscores. */
static bool is_name(const struct asm_string *s, char c)
{
    return isalnum((unsigned char)c) || (c == '_' && !s->published);
}

static void read_placeholder(struct asm_string *s)
{
    struct ast_asm_piece piece = {.positional = true};
    const char *start = s->at++;
    bool bracket = *s->at == '[' && isalpha((unsigned char)s->at[1]);
    const char *name;

    s->at += bracket;
    name = s->at;
    while (is_name(s, *s->at) || (bracket && *s->at == '_'))
        s->at++;
    if (s->at == name) {
        diag_error(s->p->d, pos_of(s, start, 1),
                   "expected the name of a map or a number format after '%%'; a percent sign is "
                   "written '%%%%'");
        return;
    }
    piece.map = arena_strndup(s->p->a, name, (size_t)(s->at - name));
    if (bracket && *s->at != ']')
        diag_error(s->p->d, pos_of(s, s->at, 1), "expected ']'");
    s->at += bracket && *s->at == ']';
    if (strncmp(s->at, "...", 3) == 0) {
        piece.list = true;
        s->at += 3;
    }
    piece.pos = pos_of(s, start, (size_t)(s->at - start));
    if (*s->at == '{' && !s->published) {
        piece.positional = false;
        read_values(s, &piece);
    }
    vec_push_in(s->p->a, &s->out->pieces, piece);
}

void asm_string_parse(struct parser *p, const struct token *string, struct ast_asm *out,
                      bool published)
{
    struct asm_string s = {p, string, out, string->text, published, NULL, 0, string->text};

    s.text = arena_alloc(p->a, strlen(string->text) + 1);
    while (*s.at) {
        if (s.at[0] == '%' && s.at[1] == '%') {
            add_char(&s, '%');
            s.at += 2;
        } else if (*s.at == '%') {
            flush_text(&s);
            read_placeholder(&s);
        } else if (*s.at == '\\') {
            read_escape(&s);
        } else {
            add_char(&s, *s.at);
            s.at++;
        }
    }
    flush_text(&s);
}
