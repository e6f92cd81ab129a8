/* Computes Bifrost's integer instructions from their text, element by element. */

#include "tests/bifrost_int/reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- text ------------------------------------------------------------------------------------ */

static bool copy_word(char *to, const char *from, size_t n)
{
    if (n >= REFERENCE_WORD)
        return false;
    memcpy(to, from, n);
    to[n] = 0;
    return true;
}

static bool parse_name(const char *text, size_t n, struct reference_instr *out)
{
    size_t dot = strcspn(text, ".");

    if (dot > n)
        dot = n;
    if (!copy_word(out->name, text, dot))
        return false;
    while (dot < n) {
        size_t begin = dot + 1;

        dot = begin + strcspn(text + begin, ". ");
        if (out->modifiers == 6 ||
            !copy_word(out->modifier[out->modifiers++], text + begin, dot - begin))
            return false;
    }
    return true;
}

/* The name of a FAU half contains a dot: "fau.x". */
static bool parse_source(const char *text, size_t n, struct reference_operand *out)
{
    size_t dot = strncmp(text, "fau.", 4) ? strcspn(text, ".") : 5;

    if (dot >= n)
        return copy_word(out->name, text, n);
    return copy_word(out->name, text, dot) && copy_word(out->modifier, text + dot + 1, n - dot - 1);
}

bool reference_parse(const char *text, struct reference_instr *out)
{
    size_t n = strcspn(text, " ");
    const char *at = text + n;

    memset(out, 0, sizeof(*out));
    if (!parse_name(text, n, out))
        return false;
    at += strcspn(at, ",");
    while (*at == ',') {
        at += strspn(at, ", ");
        n = strcspn(at, ",");
        if (*at == '@' || memchr(at, ':', n)) /* a staging register or an immediate */
            break;
        if (out->sources == REFERENCE_SOURCES || !parse_source(at, n, &out->source[out->sources++]))
            return false;
        at += n;
    }
    return true;
}

/* ---- modifiers ------------------------------------------------------------------------------- */

bool reference_has(const struct reference_instr *in, const char *modifier)
{
    for (unsigned i = 0; i < in->modifiers; i++)
        if (!strcmp(in->modifier[i], modifier))
            return true;
    return false;
}

/* Whether source i has one of several modifiers, such as "bytes2.b2". */
static bool source_is(const struct reference_instr *in, unsigned i, const char *modifier)
{
    const char *at = in->source[i].modifier;

    while (*at) {
        size_t n = strcspn(at, ".");

        if (n == strlen(modifier) && !strncmp(at, modifier, n))
            return true;
        at += n + (at[n] == '.');
    }
    return false;
}

/* Returns the modifier of a source, or its default if none is printed. */
static const char *part_of(const struct reference_instr *in, unsigned i, const char *otherwise)
{
    return in->source[i].modifier[0] ? in->source[i].modifier : otherwise;
}

/* Number and bits of elements: "i32" "s32" "v2u16" "v4s8" … */
struct shape {
    unsigned count, bits;
    bool is_signed;
};

static bool shape_of(const struct reference_instr *in, struct shape *s)
{
    const char *t = in->modifiers ? in->modifier[0] : "";

    s->count = 1;
    if (*t == 'v') {
        s->count = (unsigned)(t[1] - '0');
        t += 2;
    }
    s->is_signed = *t == 's';
    s->bits = *t ? (unsigned)atoi(t + 1) : 0;
    return *t != 'f' && s->bits * s->count == 32;
}

/* ---- elements -------------------------------------------------------------------------------- */

static int64_t bit_field(uint32_t v, unsigned low, unsigned bits, bool is_signed)
{
    int64_t size = INT64_C(1) << bits;
    int64_t x = (int64_t)(v / (UINT64_C(1) << low) % (uint64_t)size);

    return is_signed && x >= size / 2 ? x - size : x;
}

/*
 * Returns element i of a source. Part "h10" names halves and "b01" bytes, in order, one digit per
 * element or one for all.
 */
static int64_t source_element(uint32_t v, const char *part, unsigned i, const struct shape *s)
{
    unsigned bits = *part == 'h' ? 16 : 8;
    unsigned digits = *part ? (unsigned)strlen(part + 1) : 0;

    if (!*part)
        return bit_field(v, i * s->bits, s->bits, s->is_signed);
    return bit_field(v, (unsigned)(part[digits == 1 ? 1 : 1 + i] - '0') * bits, bits, s->is_signed);
}

static int64_t source_value(const struct reference_instr *in, const uint32_t *value, unsigned k,
                            unsigned i, const struct shape *s)
{
    return source_element(value[k], in->source[k].modifier, i, s);
}

static uint32_t place_element(int64_t x, unsigned i, const struct shape *s)
{
    uint64_t size = UINT64_C(1) << s->bits;

    return (uint32_t)((uint64_t)x % size * (UINT64_C(1) << (i * s->bits)));
}

static int64_t saturate_element(int64_t x, const struct shape *s)
{
    int64_t size = INT64_C(1) << s->bits;
    int64_t least = s->is_signed ? -size / 2 : 0;
    int64_t most = s->is_signed ? size / 2 - 1 : size - 1;

    return x < least ? least : x > most ? most : x;
}

/* ---- instructions of elements ---------------------------------------------------------------- */

static bool condition_holds(const struct reference_instr *in, int64_t a, int64_t b)
{
    return reference_has(in, "eq")   ? a == b
           : reference_has(in, "ne") ? a != b
           : reference_has(in, "gt") ? a > b
           : reference_has(in, "ge") ? a >= b
           : reference_has(in, "lt") ? a < b
                                     : a <= b;
}

static int64_t shift_value(const char *name, uint64_t x, unsigned by, const struct shape *s)
{
    if (name[0] == 'A') { /* divide by 2, rounding down */
        int64_t v = bit_field((uint32_t)x, 0, s->bits, true), d = INT64_C(1) << by;

        return v / d - (v % d < 0);
    }
    return name[0] == 'L' ? (int64_t)(x * (UINT64_C(1) << by)) : (int64_t)(x / (UINT64_C(1) << by));
}

static int64_t shift_element(const struct reference_instr *in, const uint32_t *value, unsigned i,
                             const struct shape *s)
{
    static const char *const otherwise[] = {"", "b0", "b02", "", "b0123"};
    static const struct shape byte = {4, 8, false};
    int64_t amount = source_element(value[2], part_of(in, 2, otherwise[s->count]), i, &byte);
    int64_t a = shift_value(in->name, (uint64_t)source_element(value[0], "", i, s),
                            (unsigned)amount % s->bits, s);
    int64_t b = source_element(value[1], "", i, s), r = a;

    if (source_is(in, 1, "not"))
        b = ~b;
    if (strstr(in->name, "_AND"))
        r = a & b;
    else if (strstr(in->name, "_OR"))
        r = a | b;
    else if (strstr(in->name, "_XOR"))
        r = a ^ b;
    return reference_has(in, "not") ? ~r : r;
}

static int64_t mux_element(const struct reference_instr *in, int64_t a, int64_t b, int64_t mask,
                           const struct shape *s)
{
    int64_t sign = INT64_C(1) << (s->bits - 1);

    if (reference_has(in, "bit"))
        return (a & mask) | (b & ~mask);
    if (reference_has(in, "neg"))
        return mask & sign ? a : b;
    if (reference_has(in, "fp_zero"))
        return mask % sign == 0 ? a : b;
    return mask == 0 ? a : b;
}

static int64_t leading_zeros(int64_t x, const struct shape *s)
{
    int64_t n = s->bits;

    for (; x; x /= 2)
        n--;
    return n;
}

/* Computes an instruction of elements. Returns false for any other. */
static bool run_element(const struct reference_instr *in, const uint32_t *value, unsigned i,
                        const struct shape *s, int64_t *out)
{
    int64_t a = in->sources > 0 ? source_value(in, value, 0, i, s) : 0;
    int64_t b =
        in->sources > 1 && !strstr(in->name, "SHIFT") ? source_value(in, value, 1, i, s) : 0;
    int64_t r;

    if (!strcmp(in->name, "IADD"))
        r = a + b;
    else if (!strcmp(in->name, "ISUB"))
        r = a - b;
    else if (!strcmp(in->name, "HADD"))
        r = (a + b + reference_has(in, "rtp") -
             (a + b + reference_has(in, "rtp") < 0 && (a + b + reference_has(in, "rtp")) % 2)) /
            2;
    else if (!strcmp(in->name, "IABS"))
        r = a < 0 ? -a : a;
    else if (!strcmp(in->name, "IMUL"))
        r = (int64_t)((uint64_t)a * (uint64_t)b);
    else if (!strcmp(in->name, "ICMP"))
        r = condition_holds(in, a, b) ? (reference_has(in, "m1") ? -1 : 1) : 0;
    else if (!strcmp(in->name, "CSEL"))
        r = condition_holds(in, a, b) ? source_value(in, value, 2, i, s)
                                      : source_value(in, value, 3, i, s);
    else if (!strcmp(in->name, "MUX"))
        r = mux_element(in, a, b, source_value(in, value, 2, i, s), s);
    else if (!strcmp(in->name, "CLZ") && !reference_has(in, "mask"))
        r = leading_zeros(a, s);
    else if (!strcmp(in->name, "SWZ"))
        r = a;
    else if (!strcmp(in->name, "ARSHIFT") || !strncmp(in->name, "LSHIFT_", 7) ||
             !strncmp(in->name, "RSHIFT_", 7))
        r = shift_element(in, value, i, s);
    else
        return false;
    *out = reference_has(in, "sat") ? saturate_element(r, s) : r;
    return true;
}

/* ---- others ---------------------------------------------------------------------------------- */

static uint32_t dot_product(const struct reference_instr *in, const uint32_t *value)
{
    int64_t sum = 0;

    for (unsigned i = 0; i < 4; i++)
        sum += bit_field(value[0], i * 8, 8, source_is(in, 0, "sext")) *
               bit_field(value[1], i * 8, 8, source_is(in, 1, "sext"));
    return (uint32_t)sum;
}

static uint32_t bit_reverse(uint32_t v)
{
    uint32_t r = 0;

    for (unsigned i = 0; i < 32; i++)
        r |= (v >> i & 1) << (31 - i);
    return r;
}

static uint32_t bit_count(uint32_t v)
{
    uint32_t n = 0;

    for (; v; v &= v - 1)
        n++;
    return n;
}

/* MKVEC: builds a word from one part of each source. */
static uint32_t make_vector(const struct reference_instr *in, const uint32_t *value,
                            const struct shape *s)
{
    uint32_t r = 0;

    for (unsigned k = 0; k < s->count; k++)
        r |= place_element(
            source_element(value[k], part_of(in, k, s->bits == 16 ? "h0" : "b0"), 0, s), k, s);
    return r;
}

/* Conversions such as S16_TO_S32 and V2U8_TO_V2U16. */
static bool run_conversion(const struct reference_instr *in, const uint32_t *value,
                           uint32_t *result)
{
    bool vector = in->name[0] == 'V', is_signed = in->name[vector ? 2 : 0] == 'S';
    bool from_byte = in->name[vector ? 3 : 1] == '8';
    const char *part = part_of(in, 0, vector ? "b01" : from_byte ? "b0" : "h0");
    struct shape s = {vector ? 2 : 1, vector ? 16 : 32, is_signed};

    if (strchr(in->name, 'F'))
        return false;
    *result = 0;
    for (unsigned i = 0; i < s.count; i++)
        *result |= place_element(source_element(value[0], part, i, &s), i, &s);
    return true;
}

static int64_t exponent_of(double x, int64_t least, int64_t most)
{
    return x == 0 ? least : isnan(x) || isinf(x) ? most : ilogb(x);
}

double reference_half(uint32_t h)
{
    double sign = h & 0x8000 ? -1 : 1, f = h % 1024;
    unsigned e = h / 1024 % 32;

    if (e == 31)
        return f != 0 ? NAN : sign * INFINITY;
    return sign * (e ? ldexp(f + 1024, (int)e - 25) : ldexp(f, -24));
}

static uint32_t run_exponents(const struct reference_instr *in, const uint32_t *value)
{
    static const struct shape halves = {2, 16, false};
    uint32_t r = 0;
    float f;

    if (reference_has(in, "f32") && !in->source[0].modifier[0]) {
        memcpy(&f, &value[0], 4);
        return (uint32_t)exponent_of((double)f, INT32_MIN, INT32_MAX);
    }
    if (reference_has(in, "f32"))
        return (uint32_t)exponent_of(
            reference_half((uint32_t)source_element(value[0], in->source[0].modifier, 0, &halves)),
            INT32_MIN, INT32_MAX);
    for (unsigned i = 0; i < 2; i++)
        r |= place_element(
            exponent_of(reference_half((uint32_t)source_value(in, value, 0, i, &halves)), INT16_MIN,
                        INT16_MAX),
            i, &halves);
    return r;
}

/* Shifts and rotates two words, bit by bit. */
static uint32_t pair_shift(const struct reference_instr *in, const uint32_t *value)
{
    uint64_t v = (uint64_t)value[1] << 32 | value[0], r = 0;
    unsigned by = source_is(in, 2, "b2") ? value[2] >> 16 & 255 : value[2] & 255;
    bool funnel = in->name[0] == 'F', left = in->name[funnel] == 'L';
    bool high = funnel ? left : reference_has(in, "w1");

    by = by * (source_is(in, 2, "bytes2") ? 8 : 1) % (funnel ? 32 : 64);
    for (unsigned i = 0; i < 64; i++) {
        unsigned from = left ? i - by : i + by;
        bool outside = from > 63;
        uint64_t bit = v >> from % 64 & 1;

        if (outside && !strstr(in->name, "ROT"))
            bit = in->name[0] == 'A' ? v >> 63 : 0;
        r |= bit << i;
    }
    return (uint32_t)(high ? r >> 32 : r);
}

static bool atomic_post(const struct reference_instr *in, const uint32_t *value, uint32_t *result)
{
    uint32_t a = value[0], b = value[1];

    if (!reference_has(in, "i32"))
        return false;
    *result = reference_has(in, "asmin")   ? ((int32_t)a < (int32_t)b ? a : b)
              : reference_has(in, "asmax") ? ((int32_t)a > (int32_t)b ? a : b)
              : reference_has(in, "aumin") ? (a < b ? a : b)
              : reference_has(in, "aumax") ? (a > b ? a : b)
              : reference_has(in, "aand")  ? (a & b)
              : reference_has(in, "aor")   ? (a | b)
              : reference_has(in, "axor")  ? (a ^ b)
                                           : a + b;
    return true;
}

static bool run_word(const struct reference_instr *in, const uint32_t *value, uint32_t *result)
{
    if (!strcmp(in->name, "MOV") || !strcmp(in->name, "DTSEL_IMM"))
        *result = value[0];
    else if (!strcmp(in->name, "IADDC"))
        *result = value[0] + value[1] + value[2] % 2;
    else if (!strcmp(in->name, "ISUBB"))
        *result = value[0] - value[1] - value[2] % 2;
    else if (!strcmp(in->name, "IDP"))
        *result = dot_product(in, value);
    else if (!strcmp(in->name, "BITREV"))
        *result = bit_reverse(value[0]);
    else if (!strcmp(in->name, "POPCOUNT"))
        *result = bit_count(value[0]);
    else if (!strcmp(in->name, "ILOGB"))
        *result = run_exponents(in, value);
    else if (strstr(in->name, "_DOUBLE") && strcmp(in->name, "SHIFT_DOUBLE"))
        *result = pair_shift(in, value);
    else if (!strcmp(in->name, "ATOM_POST"))
        return atomic_post(in, value, result);
    else if (strstr(in->name, "_TO_"))
        return run_conversion(in, value, result);
    else
        return false;
    return true;
}

bool reference_run(const struct reference_instr *in, const uint32_t *value, uint32_t *result)
{
    struct shape s;
    int64_t x = 0;

    if (run_word(in, value, result))
        return true;
    if (!shape_of(in, &s))
        return false;
    if (!strcmp(in->name, "MKVEC")) {
        *result = make_vector(in, value, &s);
        return true;
    }
    /* extension of the second factor's part */
    if (!strcmp(in->name, "IMUL") && reference_has(in, "sext"))
        s.is_signed = true;
    *result = 0;
    for (unsigned i = 0; i < s.count; i++) {
        if (!run_element(in, value, i, &s, &x))
            return false;
        *result |= place_element(x, i, &s);
    }
    return true;
}
