/*
 * Expressions of a lane, with C's operators: work-item functions of OpenCL C, registers with a part
 * (r3.f32, r5.y, u2.w1, r0.h0), memory (u32(ADDRESS)), numbers.
 *
 * Bounds      MAX_DEPTH levels of nesting
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/bits.h"
#include "runtime/debug/internal.h"

enum { MAX_DEPTH = 64 };

struct reader {
    struct gpu_debug *d;
    const struct gpu_debug_warp *w; /* NULL: only the form is checked */
    unsigned lane, depth;
    const char *at;
    struct error *err;
};

typedef struct gpu_debug_value value;

static bool read_level(struct reader *r, unsigned level, value *out);

static value of_whole(int64_t v)
{
    return (value){.whole = v};
}

static value of_real(double v)
{
    return (value){.real = true, .number = v};
}

static double real_of(const value *v)
{
    return v->real ? v->number : (double)v->whole;
}

/* A number as an integer; those outside its range become 0. */
static int64_t whole_of(const value *v)
{
    if (!v->real)
        return v->whole;
    return fabs(v->number) < 9e18 ? (int64_t)v->number : 0;
}

static void skip_blanks(struct reader *r)
{
    r->at += strspn(r->at, " \t");
}

static bool take(struct reader *r, const char *text)
{
    skip_blanks(r);
    if (strncmp(r->at, text, strlen(text)) != 0)
        return false;
    r->at += strlen(text);
    return true;
}

static bool expect(struct reader *r, const char *text)
{
    return take(r, text) || error_set(r->err, "'%s' is missing before '%.40s'", text, r->at);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Positions and sizes of work-items, by the names of OpenCL C. */
static bool item_function(struct reader *r, const char *name, size_t length, unsigned dimension,
                          value *out)
{
    static const char *const names[] = {"get_global_id",   "get_local_id",   "get_group_id",
                                        "get_global_size", "get_local_size", "get_num_groups"};
    uint32_t local[3] = {0}, global[3] = {0};
    const struct gpu_compute_job *job = r->w ? &debug_job(r->d)->job : NULL;
    unsigned which = 0;

    while (which < ARRAY_SIZE(names) &&
           (strlen(names[which]) != length || memcmp(names[which], name, length) != 0))
        which++;
    if (which == ARRAY_SIZE(names))
        return false;
    if (!r->w || dimension > 2) {
        *out = of_whole(which > 2);
        return true;
    }
    gpu_debug_item(r->d, r->w, r->lane, local, global);
    *out = of_whole(which == 0   ? global[dimension]
                    : which == 1 ? local[dimension]
                    : which == 2 ? r->w->group[dimension]
                    : which == 3 ? (int64_t)job->groups[dimension] * job->size[dimension]
                    : which == 4 ? job->size[dimension]
                                 : job->groups[dimension]);
    return true;
}

/* A type of memory, or of a register's words. */
static const struct type {
    const char *name;
    unsigned bytes;
    bool is_signed, real;
} types[] = {
    {"u8", 1, false, false}, {"i8", 1, true, false},  {"u16", 2, false, false},
    {"i16", 2, true, false}, {"f16", 2, false, true}, {"u32", 4, false, false},
    {"i32", 4, true, false}, {"f32", 4, false, true}, {"u64", 8, false, false},
    {"i64", 8, true, false}, {"f64", 8, false, true},
};

static const struct type *type_of(const char *name, size_t length)
{
    for (size_t i = 0; i < ARRAY_SIZE(types); i++)
        if (strlen(types[i].name) == length && !memcmp(types[i].name, name, length))
            return &types[i];
    return NULL;
}

static double half_of(uint16_t v)
{
    int exponent = v >> 10 & 31, fraction = v & 1023;
    double size = exponent == 31 ? (fraction ? NAN : INFINITY)
                                 : ldexp(exponent ? 1024 + fraction : fraction,
                                         (exponent ? exponent : 1) - 25);

    return v >> 15 ? -size : size;
}

static value of_bits(const struct type *t, uint64_t bits)
{
    unsigned unused = 64 - 8 * t->bytes;
    float single;
    double number;

    bits = bits << unused >> unused;
    if (!t->real)
        return of_whole(t->is_signed ? (int64_t)(bits << unused) >> unused : (int64_t)bits);
    if (t->bytes == 2)
        return of_real(half_of((uint16_t)bits));
    memcpy(&single, &bits, sizeof(single));
    memcpy(&number, &bits, sizeof(number));
    return of_real(t->bytes == 4 ? (double)single : number);
}

static bool read_memory(struct reader *r, const struct type *t, value *out)
{
    value address;
    uint64_t bits = 0;

    if (!expect(r, "(") || !read_level(r, 0, &address) || !expect(r, ")"))
        return false;
    if (r->w && gpu_debug_read(r->d, (uint64_t)whole_of(&address), &bits, t->bytes) != t->bytes)
        return error_set(r->err, "there is no memory at 0x%llx",
                         (unsigned long long)whole_of(&address));
    *out = of_bits(t, bits);
    return true;
}

static size_t name_length(const char *text)
{
    size_t n = 0;

    while (isalnum((unsigned char)text[n]) || text[n] == '_')
        n++;
    return n;
}

/* Reads the parts behind a register's name: which word or half, and its type. */
static bool read_parts(struct reader *r, const uint32_t *words, unsigned count, value *out)
{
    const struct type *type = &types[5];
    unsigned word = 0, shift = 0;

    while (*r->at == '.') {
        const char *name = r->at + 1;
        size_t length = name_length(name);
        const struct type *t = type_of(name, length);
        const char *letter = length == 1 ? strchr("xyzw", *name) : NULL;

        r->at = name + length;
        if (t)
            type = t;
        else if (letter && *letter)
            word = (unsigned)(letter - "xyzw");
        else if (length == 2 && *name == 'w' && isdigit((unsigned char)name[1]))
            word = (unsigned)(name[1] - '0');
        else if (length == 2 && *name == 'h' && (name[1] == '0' || name[1] == '1'))
            shift = name[1] == '1' ? 16 : 0;
        else
            return error_set(r->err, "a register has no part '%.*s'", (int)length, name);
    }
    if (word >= count)
        return error_set(r->err, "the register has %u words", count);
    *out = of_bits(type, ((word + 1 < count ? (uint64_t)words[word + 1] << 32 : 0) | words[word]) >>
                             shift);
    return true;
}

static bool read_register(struct reader *r, const struct gpu_debug_register *reg, value *out)
{
    uint32_t words[4] = {0};

    if (reg->words > ARRAY_SIZE(words))
        return error_set(r->err, "%s is too wide", reg->name);
    if (r->w && !gpu_debug_get(r->d, r->w, r->lane, reg, words))
        return error_set(r->err, "this job has no %s", reg->name);
    return read_parts(r, words, reg->words, out);
}

static bool read_name(struct reader *r, value *out)
{
    const char *name = r->at;
    size_t length = name_length(name);
    const struct type *t = type_of(name, length);
    const struct gpu_debug_register *reg = gpu_debug_register_of(r->d, name, length);
    value dimension = {0};

    r->at += length;
    if (t)
        return read_memory(r, t, out);
    if (reg)
        return read_register(r, reg, out);
    if (length == 4 && !memcmp(name, "lane", 4)) {
        *out = of_whole(r->lane);
        return true;
    }
    if (length == 4 && !memcmp(name, "warp", 4)) {
        *out = of_whole(r->w ? r->w->number : 0);
        return true;
    }
    if (!item_function(r, name, length, 0, out))
        return error_set(r->err, "'%.*s' is not known", (int)length, name);
    if (!expect(r, "(") || !read_level(r, 0, &dimension) || !expect(r, ")"))
        return false;
    return item_function(r, name, length, (unsigned)whole_of(&dimension), out);
}

/* ---- numbers and operators ------------------------------------------------------------------- */

static bool read_number(struct reader *r, value *out)
{
    char *end, *real_end;
    unsigned long long n;
    double number;

    errno = 0;
    n = strtoull(r->at, &end, 0);
    number = strtod(r->at, &real_end);
    if (real_end > end && strncmp(r->at, "0x", 2) != 0) {
        *out = of_real(number);
        end = real_end;
    } else {
        *out = of_whole((int64_t)n);
    }
    if (end == r->at || errno == ERANGE)
        return error_set(r->err, "'%.40s' is no number", r->at);
    r->at = end + (*end == 'f' && out->real);
    return true;
}

static bool read_primary(struct reader *r, value *out)
{
    skip_blanks(r);
    if (take(r, "("))
        return read_level(r, 0, out) && expect(r, ")");
    if (isdigit((unsigned char)*r->at) || *r->at == '.')
        return read_number(r, out);
    if (isalpha((unsigned char)*r->at) || *r->at == '_')
        return read_name(r, out);
    return error_set(r->err, "a value is missing before '%.40s'", r->at);
}

static bool read_unary(struct reader *r, value *out)
{
    char sign;

    skip_blanks(r);
    sign = *r->at;
    if (!sign || !strchr("-!~", sign))
        return read_primary(r, out);
    if (++r->depth > MAX_DEPTH)
        return error_set(r->err, "the expression is too deep");
    r->at++;
    if (!read_unary(r, out))
        return false;
    r->depth--;
    if (sign == '-')
        *out = out->real ? of_real(-out->number) : of_whole((int64_t)(-(uint64_t)out->whole));
    else
        *out = of_whole(sign == '!' ? real_of(out) == 0 : ~whole_of(out));
    return true;
}

/* Binary operators by level, the longer before those that are their beginning. */
enum operation {
    OP_OR,
    OP_AND,
    OP_BIT_OR,
    OP_BIT_XOR,
    OP_BIT_AND,
    OP_EQ,
    OP_NE,
    OP_LE,
    OP_GE,
    OP_SHL,
    OP_SHR,
    OP_LT,
    OP_GT,
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_DIV,
    OP_REM
};
static const struct {
    unsigned level;
    enum operation operation;
    const char *text, *not ; /* `not`: a longer operator with this beginning */
} operators[] = {
    {0, OP_OR, "||", NULL},     {1, OP_AND, "&&", NULL},    {2, OP_BIT_OR, "|", "||"},
    {3, OP_BIT_XOR, "^", NULL}, {4, OP_BIT_AND, "&", "&&"}, {5, OP_EQ, "==", NULL},
    {5, OP_NE, "!=", NULL},     {6, OP_LE, "<=", NULL},     {6, OP_GE, ">=", NULL},
    {6, OP_LT, "<", "<<"},      {6, OP_GT, ">", ">>"},      {7, OP_SHL, "<<", NULL},
    {7, OP_SHR, ">>", NULL},    {8, OP_ADD, "+", NULL},     {8, OP_SUB, "-", NULL},
    {9, OP_MUL, "*", NULL},     {9, OP_DIV, "/", NULL},     {9, OP_REM, "%", NULL},
};
enum { LEVELS = 10 };

static value compute_real(enum operation o, double a, double b)
{
    switch (o) {
    case OP_EQ:
        return of_whole(a == b);
    case OP_NE:
        return of_whole(a != b);
    case OP_LE:
        return of_whole(a <= b);
    case OP_GE:
        return of_whole(a >= b);
    case OP_LT:
        return of_whole(a < b);
    case OP_GT:
        return of_whole(a > b);
    case OP_ADD:
        return of_real(a + b);
    case OP_SUB:
        return of_real(a - b);
    case OP_MUL:
        return of_real(a * b);
    default:
        return of_real(a / b);
    }
}

/* Division by zero gives 0, as a condition must not fail in one lane of many. */
static int64_t compute_whole(enum operation o, int64_t a, int64_t b)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;

    switch (o) {
    case OP_BIT_OR:
        return a | b;
    case OP_BIT_XOR:
        return a ^ b;
    case OP_BIT_AND:
        return a & b;
    case OP_SHL:
        return (int64_t)(x << (y & 63));
    case OP_SHR:
        return (int64_t)(x >> (y & 63));
    case OP_ADD:
        return (int64_t)(x + y);
    case OP_SUB:
        return (int64_t)(x - y);
    case OP_MUL:
        return (int64_t)(x * y);
    case OP_DIV:
        return !b ? 0 : b == -1 ? (int64_t)-x : a / b;
    case OP_REM:
        return !b || b == -1 ? 0 : a % b;
    case OP_EQ:
        return a == b;
    case OP_NE:
        return a != b;
    case OP_LE:
        return a <= b;
    case OP_GE:
        return a >= b;
    case OP_LT:
        return a < b;
    default:
        return a > b;
    }
}

static value compute(enum operation o, const value *a, const value *b)
{
    if (o == OP_OR)
        return of_whole(real_of(a) != 0 || real_of(b) != 0);
    if (o == OP_AND)
        return of_whole(real_of(a) != 0 && real_of(b) != 0);
    if ((a->real || b->real) && o >= OP_EQ && o != OP_SHL && o != OP_SHR && o != OP_REM)
        return compute_real(o, real_of(a), real_of(b));
    return of_whole(compute_whole(o, whole_of(a), whole_of(b)));
}

/* Takes an operator of the level; false: there is none. */
static bool take_operator(struct reader *r, unsigned level, enum operation *o)
{
    skip_blanks(r);
    for (size_t i = 0; i < ARRAY_SIZE(operators); i++) {
        const char *not = operators[i].not ;

        if (operators[i].level != level || (not &&strncmp(r->at, not, strlen(not )) == 0) ||
            !take(r, operators[i].text))
            continue;
        *o = operators[i].operation;
        return true;
    }
    return false;
}

static bool read_level(struct reader *r, unsigned level, value *out)
{
    enum operation o;
    value right;

    if (level == LEVELS)
        return read_unary(r, out);
    if (!level && ++r->depth > MAX_DEPTH)
        return error_set(r->err, "the expression is too deep");
    if (!read_level(r, level + 1, out))
        return false;
    while (take_operator(r, level, &o)) {
        if (!read_level(r, level + 1, &right))
            return false;
        *out = compute(o, out, &right);
    }
    r->depth -= !level;
    return true;
}

static bool read_all(struct reader *r, value *out)
{
    if (!read_level(r, 0, out))
        return false;
    skip_blanks(r);
    return !*r->at || error_set(r->err, "'%.40s' is behind the expression", r->at);
}

bool gpu_debug_evaluate(struct gpu_debug *d, const struct gpu_debug_warp *w, unsigned lane,
                        const char *text, struct gpu_debug_value *out, struct error *err)
{
    return read_all(&(struct reader){d, w, lane, 0, text, err}, out);
}

bool debug_check_expression(const struct gpu_debug *d, const char *text, struct error *err)
{
    value unused;

    return read_all(&(struct reader){(struct gpu_debug *)d, NULL, 0, 0, text, err}, &unused);
}
