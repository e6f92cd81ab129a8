/*
 * Expressions in assembly source, evaluated while they are read.
 */
#include "gencc/asm/words/expr.h"

#include <ctype.h>
#include <string.h>

enum { MAX_DEPTH = 64, LEVELS = 6, BITS = 64 };

struct reader {
    struct asm_names *names;
    unsigned depth;
};

bool asm_begins_name(char c)
{
    return isalpha((unsigned char)c) || c == '_' || c == '.' || c == '$';
}

bool asm_is_in_name(char c)
{
    return asm_begins_name(c) || isdigit((unsigned char)c);
}

static const char *skip_blanks(const char *p)
{
    return p + strspn(p, " \t");
}

static unsigned digit_of(char c)
{
    if (isdigit((unsigned char)c))
        return (unsigned)(c - '0');
    return isxdigit((unsigned char)c) ? (unsigned)(tolower((unsigned char)c) - 'a') + 10 : 99;
}

int asm_read_escape(const char **p)
{
    static const char letters[] = "nrtbfav0\\\"'", codes[] = "\n\r\t\b\f\a\v\0\\\"'";
    const char *at;
    unsigned code = 0;

    if (**p == 'x' && isxdigit((unsigned char)(*p)[1])) {
        for (++*p; digit_of(**p) < 16; ++*p)
            code = (code * 16 + digit_of(**p)) & 0xff;
        return (int)code;
    }
    if (digit_of(**p) < 8) {
        for (unsigned i = 0; i < 3 && digit_of(**p) < 8; i++, ++*p)
            code = (code * 8 + digit_of(**p)) & 0xff;
        return (int)code;
    }
    at = **p ? strchr(letters, **p) : NULL;
    if (!at)
        return -1;
    ++*p;
    return (unsigned char)codes[at - letters];
}

/* ---- what stands alone ----------------------------------------------------------------------- */

static const char *read_name(struct reader *r, const char *p, size_t length, int64_t *value)
{
    struct asm_names *n = r->names;

    if (length == 1 && *p == '.') {
        *value = (int64_t)n->location;
    } else if (!n->find(n->opaque, p, length, value)) {
        n->unknown = p;
        n->unknown_length = length;
        return NULL;
    }
    n->name_used = true;
    return p + length;
}

static const char *read_digits(struct reader *r, const char *p, unsigned base, int64_t *value)
{
    const char *start = p;
    uint64_t v = 0;

    for (; digit_of(*p) < base; p++) {
        if (v > (UINT64_MAX - digit_of(*p)) / base) {
            r->names->problem = "a number has more than 64 bits";
            return NULL;
        }
        v = v * base + digit_of(*p);
    }
    *value = (int64_t)v;
    return p == start ? NULL : p;
}

static const char *read_number(struct reader *r, const char *p, int64_t *value)
{
    size_t n = strspn(p, "0123456789");

    if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))
        return read_digits(r, p + 2, 16, value);
    if (p[0] == '0' && (p[1] == 'b' || p[1] == 'B') && digit_of(p[2]) < 2)
        return read_digits(r, p + 2, 2, value);
    if ((p[n] == 'b' || p[n] == 'f') && !asm_is_in_name(p[n + 1]))
        return read_name(r, p, n + 1, value);
    return read_digits(r, p, 10, value);
}

static const char *read_character(const char *p, int64_t *value)
{
    int c = (unsigned char)*p;

    if (c == '\\') {
        p++;
        c = asm_read_escape(&p);
    } else {
        p++;
    }
    *value = c;
    return c > 0 && *p == '\'' ? p + 1 : NULL;
}

static const char *read_level(struct reader *r, const char *p, unsigned level, int64_t *value);

static const char *read_primary(struct reader *r, const char *p, int64_t *value)
{
    size_t n = 0;

    p = skip_blanks(p);
    if (*p == '(') {
        p = read_level(r, p + 1, 0, value);
        p = p ? skip_blanks(p) : NULL;
        return p && *p == ')' ? p + 1 : NULL;
    }
    if (isdigit((unsigned char)*p))
        return read_number(r, p, value);
    if (*p == '\'')
        return read_character(p + 1, value);
    if (!asm_begins_name(*p))
        return NULL;
    while (asm_is_in_name(p[n]))
        n++;
    return read_name(r, p, n, value);
}

static const char *read_unary(struct reader *r, const char *p, int64_t *value)
{
    char op;

    p = skip_blanks(p);
    op = *p;
    if (op != '-' && op != '+' && op != '~')
        return read_primary(r, p, value);
    if (r->depth == MAX_DEPTH)
        return NULL;
    r->depth++;
    p = read_unary(r, p + 1, value);
    r->depth--;
    if (op == '-')
        *value = (int64_t) - (uint64_t)*value;
    if (op == '~')
        *value = ~*value;
    return p;
}

/* ---- operators ------------------------------------------------------------------------------- */

/* By precedence, the weakest first. */
static const char *const operators[LEVELS] = {"|", "^", "&", "<>", "+-", "*/%"};

static int64_t shift_by(char op, int64_t a, int64_t by)
{
    if (op == '<')
        return by < 0 || by >= BITS ? 0 : (int64_t)((uint64_t)a << by);
    return a >> (by < 0 || by >= BITS ? BITS - 1 : by);
}

static bool divide_checked(struct reader *r, char op, int64_t *a, int64_t b)
{
    if (!b) {
        r->names->problem = "division by 0";
        return false;
    }
    if (b == -1)
        *a = op == '/' ? (int64_t) - (uint64_t)*a : 0;
    else
        *a = op == '/' ? *a / b : *a % b;
    return true;
}

static bool apply_operator(struct reader *r, char op, int64_t *a, int64_t b)
{
    uint64_t x = (uint64_t)*a, y = (uint64_t)b;

    switch (op) {
    case '|':
        *a = (int64_t)(x | y);
        return true;
    case '^':
        *a = (int64_t)(x ^ y);
        return true;
    case '&':
        *a = (int64_t)(x & y);
        return true;
    case '+':
        *a = (int64_t)(x + y);
        return true;
    case '-':
        *a = (int64_t)(x - y);
        return true;
    case '*':
        *a = (int64_t)(x * y);
        return true;
    case '<':
    case '>':
        *a = shift_by(op, *a, b);
        return true;
    default:
        return divide_checked(r, op, a, b);
    }
}

/* Finds an operator of the level behind blanks. Returns the start of its right side; NULL: none. */
static const char *find_operator(const char *p, unsigned level)
{
    p = skip_blanks(p);
    if (!*p || !strchr(operators[level], *p))
        return NULL;
    if (*p == '<' || *p == '>')
        return p[1] == *p ? p + 2 : NULL;
    return p + 1;
}

static const char *read_level(struct reader *r, const char *p, unsigned level, int64_t *value)
{
    const char *right;

    if (level == LEVELS)
        return read_unary(r, p, value);
    if (level == 0 && ++r->depth > MAX_DEPTH)
        return NULL;
    p = read_level(r, p, level + 1, value);
    while (p && (right = find_operator(p, level))) {
        const char *end;
        int64_t other;

        end = read_level(r, right, level + 1, &other);
        if (!end || !apply_operator(r, right[-1], value, other))
            return NULL;
        p = end;
    }
    if (level == 0)
        r->depth--;
    return p;
}

const char *asm_expr_read(struct asm_names *n, const char *p, int64_t *value)
{
    struct reader r = {.names = n};

    *value = 0;
    return read_level(&r, p, 0, value);
}
