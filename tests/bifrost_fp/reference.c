/* Computes Bifrost's floating-point instructions from their text, in quadruple precision. */

#include "tests/bifrost_fp/reference.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/bifrost_fp/formats.h"

static const char *const round_names[] = {"none", "rtp", "rtn", "rtz", "rtna", "rto", NULL};
static const char *const clamp_names[] = {"none", "clamp_0_inf", "clamp_m1_1", "clamp_0_1", NULL};
static const char *const half_names[] = {"h00", "h10", "h01", "h11", NULL};

struct run {
    const struct text_instr *in;
    const uint32_t *value;
    enum format format; /* format of the result's elements */
    unsigned element;
    enum rounding round;
    unsigned clamp, flush;
    bool inexact; /* quadruple precision does not suffice */
};

static bool is_operation(const struct run *r, const char *name)
{
    return !strcmp(r->in->op.name, name);
}

static bool has_modifier(const struct run *r, const char *modifier)
{
    return text_has(&r->in->op, modifier);
}

static bool flushes_subnormals(const struct run *r, enum format f)
{
    return r->flush > (f == FORMAT_F16);
}

static double least_normal(enum format f)
{
    return f == FORMAT_F16 ? 0x1p-14 : 0x1p-126;
}

/* ---- operands -------------------------------------------------------------------------------- */

/* Returns the half-precision bits that element i of a source reads. */
static uint32_t half_bits(const struct run *r, unsigned i)
{
    const struct text_part *s = &r->in->source[i];
    unsigned high = text_has(s, "h1") || (!text_has(s, "h0") && r->element);
    unsigned swizzle = text_which(s, half_names, 4);

    if (swizzle < 4)
        high = swizzle >> r->element & 1;
    return high ? r->value[i] >> 16 : r->value[i] & 0xffff;
}

static double with_sign(const struct run *r, unsigned i, double x)
{
    const struct text_part *s = &r->in->source[i];
    x = text_has(s, "abs") ? fabs(x) : x;
    return text_has(s, "neg") ? -x : x;
}

static double read_number(const struct run *r, enum format f, uint32_t bits)
{
    double x = format_value(f, bits);
    return flushes_subnormals(r, f) && fabs(x) < least_normal(f) ? copysign(0, x) : x;
}

/* Returns the number that element i reads, before sign modifiers. */
static double plain_operand(const struct run *r, unsigned i)
{
    const struct text_part *s = &r->in->source[i];
    bool half = r->format == FORMAT_F16 || text_has(s, "h0") || text_has(s, "h1");

    return half ? read_number(r, FORMAT_F16, half_bits(r, i))
                : read_number(r, FORMAT_F32, r->value[i]);
}

static double operand_value(const struct run *r, unsigned i)
{
    return with_sign(r, i, plain_operand(r, i));
}

/* ---- results --------------------------------------------------------------------------------- */

static double clamp_low(const struct run *r)
{
    return r->clamp == 0 ? -INFINITY : r->clamp == 2 ? -1 : 0;
}

static uint32_t nan_result(const struct run *r)
{
    if (r->clamp)
        return format_round(r->format, (quad)clamp_low(r), false, EVEN);
    return format_nan(r->format);
}

/*
 * Returns x, with the given sign if it is zero, clamped and rounded. Half-precision numbers are
 * flushed before rounding, others after it.
 */
static uint32_t round_result(const struct run *r, quad x, bool sign)
{
    quad least = flushes_subnormals(r, r->format) ? (quad)least_normal(r->format) : 0;
    uint32_t bits;

    if (x != x)
        return nan_result(r);
    sign = x < 0 || (x == 0 && sign);
    if (r->clamp && (x < (quad)clamp_low(r) || (x == (quad)clamp_low(r) && r->clamp != 2)))
        return format_round(r->format, (quad)clamp_low(r), false, EVEN);
    if (r->clamp >= 2 && x > 1)
        x = 1;
    if (r->format == FORMAT_F16 && (x < 0 ? -x : x) < least)
        x = 0;
    bits = format_round(r->format, x, sign, r->round);
    if ((quad)fabs(format_value(r->format, bits)) < least)
        bits = format_round(r->format, 0, sign, EVEN);
    return bits;
}

static uint32_t plain_result(const struct run *r, double x)
{
    return round_result(r, (quad)x, signbit(x));
}

/* Returns a + b scaled, exactly; otherwise sets r->inexact. */
static uint32_t sum_scaled(struct run *r, quad a, quad b, bool a_sign, bool b_sign, int e)
{
    quad s = a + b, b_part = s - a, lost = (a - (s - b_part)) + (b - b_part);
    bool finite = s - s == 0;

    if (finite && lost != 0)
        r->inexact = true;
    if (finite) /* the exponent e is small enough to scale exactly */
        s *= (quad)scalbn(1, e / 2) * (quad)scalbn(1, e - e / 2);
    return round_result(r, s, a_sign == b_sign ? a_sign : r->round == DOWN);
}

static int limited_exponent(int32_t e)
{
    return e < -900 ? -900 : e > 900 ? 900 : (int)e;
}

/* ---- instructions ---------------------------------------------------------------------------- */

static uint32_t add_operands(struct run *r)
{
    double a = operand_value(r, 0), b = operand_value(r, 1);
    int e = is_operation(r, "FADD_RSCALE") ? limited_exponent((int32_t)r->value[2]) : 0;

    return sum_scaled(r, (quad)a, (quad)b, signbit(a), signbit(b), e);
}

static uint32_t multiply_add(struct run *r)
{
    double a = operand_value(r, 0), b = operand_value(r, 1), c = operand_value(r, 2);
    quad p = (quad)a * (quad)b;
    bool sign = signbit(a) != signbit(b), zero = a == 0 || b == 0;
    int32_t e = 0;

    if (is_operation(r, "FMA_RSCALE"))
        e = r->format == FORMAT_F16      ? (int16_t)half_bits(r, 3)
            : has_modifier(r, "scale16") ? (int16_t)r->value[3]
                                         : (int32_t)r->value[3];
    if (zero && has_modifier(r, "n"))
        p = 0;
    if (zero && has_modifier(r, "left")) {
        p = (quad)a;
        sign = signbit(a);
    }
    if (p == 0 && sign)
        p = -(quad)0.0;
    return sum_scaled(r, p, (quad)c, sign, signbit(c), limited_exponent(e));
}

static uint32_t min_or_max(struct run *r)
{
    double a = operand_value(r, 0), b = operand_value(r, 1), x;
    bool greatest = is_operation(r, "FMAX");
    bool a_wins = greatest ? a > b : a < b, b_wins = greatest ? b > a : b < a;

    if (has_modifier(r, "c"))
        x = a_wins ? a : b;
    else if (has_modifier(r, "inverse_c"))
        x = b_wins ? b : a;
    else if (isnan(a) || isnan(b))
        x = has_modifier(r, "nan_propagate") || (isnan(a) && isnan(b)) ? NAN : isnan(a) ? b : a;
    else if (a == b)
        x = (signbit(a) != 0) == greatest ? b : a;
    else
        x = a_wins ? a : b;
    return plain_result(r, x);
}

static bool compare_operands(const struct run *r)
{
    static const char *const names[] = {"eq", "gt", "ge", "ne", "lt", "le", "gtlt", "total", NULL};
    double a = operand_value(r, 0), b = operand_value(r, 1);

    switch (text_which(&r->in->op, names, 8)) {
    case 0:
        return a == b;
    case 1:
        return isgreater(a, b);
    case 2:
        return isgreaterequal(a, b);
    case 3:
        return a != b;
    case 4:
        return isless(a, b);
    case 5:
        return islessequal(a, b);
    case 6:
        return islessgreater(a, b);
    default:
        return !isunordered(a, b);
    }
}

static uint32_t truth_result(const struct run *r)
{
    uint32_t mask = r->format == FORMAT_F16 ? 0xffff : 0xffffffff;

    if (!compare_operands(r))
        return 0;
    if (has_modifier(r, "f1"))
        return format_round(r->format, 1, false, EVEN);
    return has_modifier(r, "m1") ? mask : 1;
}

static double to_integral(double x, enum rounding mode)
{
    switch (mode) {
    case UP:
        return ceil(x);
    case DOWN:
        return floor(x);
    case TOWARD_ZERO:
        return trunc(x);
    case AWAY:
        return round(x);
    default:
        return rint(x);
    }
}

static uint32_t to_integer(double x, enum rounding mode, double low, double high)
{
    double n = to_integral(x, mode);

    if (isnan(n))
        return 0;
    return (uint32_t)(int64_t)(n < low ? low : n > high ? high : n);
}

/* Splits a logarithm's or root's argument into its fraction and exponent. */
static double split_argument(const struct run *r, double x, int *exponent)
{
    int e = 0;
    double f = isfinite(x) ? frexp(x, &e) : x;

    if (has_modifier(r, "log") && f != 0 && isfinite(f) && fabs(f) < 0.75) {
        f *= 2;
        e--;
    } else if (has_modifier(r, "log") && isinf(f)) {
        f = copysign(1, f);
    } else if (has_modifier(r, "sqrt") && (e & 1)) {
        f /= 2;
        e++;
    }
    *exponent = has_modifier(r, "sqrt") ? e / 2 : e;
    return f;
}

static enum reference_answer split_or_round(struct run *r, uint32_t *out)
{
    int e;

    if (is_operation(r, "FROUND")) {
        double x = operand_value(r, 0);
        *out = plain_result(r, copysign(to_integral(x, r->round), x));
    } else if (is_operation(r, "FREXPM")) {
        *out = plain_result(r, split_argument(r, operand_value(r, 0), &e));
    } else if (is_operation(r, "FREXPE")) {
        split_argument(r, plain_operand(r, 0), &e);
        *out = (uint32_t)(text_has(&r->in->source[0], "neg") ? -e : e);
    } else if (is_operation(r, "LOGB")) {
        *out = plain_result(r, logb(operand_value(r, 0)));
    } else if (is_operation(r, "LDEXP")) {
        int32_t by = r->format == FORMAT_F16 ? (int16_t)half_bits(r, 1) : (int32_t)r->value[1];
        double x = operand_value(r, 0);
        *out = sum_scaled(r, (quad)x, x == 0 ? (quad)x : 0, signbit(x), signbit(x),
                          limited_exponent(by));
    } else if (is_operation(r, "QUIET")) {
        *out = plain_result(r, plain_operand(r, 0));
    } else {
        return REFERENCE_UNKNOWN;
    }
    return r->inexact ? REFERENCE_SKIPPED : REFERENCE_EXACT;
}

static enum reference_answer run_arithmetic(struct run *r, uint32_t *out)
{
    if (is_operation(r, "FADD") || (is_operation(r, "FADD_RSCALE") && !has_modifier(r, "n")))
        *out = add_operands(r);
    else if (is_operation(r, "FMA") || is_operation(r, "FMA_RSCALE"))
        *out = multiply_add(r);
    else if (is_operation(r, "FMIN") || is_operation(r, "FMAX"))
        *out = min_or_max(r);
    else if (is_operation(r, "FCMP"))
        *out = truth_result(r);
    else if (is_operation(r, "CSEL") && (has_modifier(r, "f32") || has_modifier(r, "v2f16")))
        *out = r->format == FORMAT_F16 ? half_bits(r, compare_operands(r) ? 2 : 3)
                                       : r->value[compare_operands(r) ? 2 : 3];
    else
        return split_or_round(r, out);
    return r->inexact ? REFERENCE_SKIPPED : REFERENCE_EXACT;
}

/* ---- conversions: their names say all -------------------------------------------------------- */

/* Returns the integer of this type that the source's part holds: for v2 types, element i. */
static int64_t integer_operand(const struct run *r, char sign, unsigned bits)
{
    static const char *const bytes[] = {"b0", "b1", "b2", "b3", NULL};
    const struct text_part *s = &r->in->source[0];
    uint32_t v = r->value[0];

    if (bits == 16)
        v = half_bits(r, 0);
    if (bits == 8) {
        unsigned byte = text_which(s, bytes, r->element);
        for (unsigned i = 0; i < s->modifiers; i++) /* "b20": byte 2, then byte 0 */
            if (s->modifier[i][0] == 'b' && s->modifier[i][2])
                byte = (unsigned)(s->modifier[i][1 + r->element] - '0');
        v = v >> (8 * byte) & 0xff;
    }
    return sign == 'U' ? (int64_t)v : (int64_t)((uint64_t)v << (64 - bits)) >> (64 - bits);
}

static enum reference_answer run_conversion(struct run *r, uint32_t *out)
{
    const char *name = r->in->op.name;
    unsigned from_bits = 0, to_bits = 0;
    char from = 0, to = 0;

    if (is_operation(r, "V2F32_TO_V2F16")) {
        double x = read_number(r, FORMAT_F32, r->value[r->element]);
        *out = plain_result(r, with_sign(r, r->element, x));
        return REFERENCE_EXACT;
    }
    if (sscanf(name, "V2%c%u_TO_V2%c%u", &from, &from_bits, &to, &to_bits) != 4 &&
        sscanf(name, "%c%u_TO_%c%u", &from, &from_bits, &to, &to_bits) != 4)
        return REFERENCE_UNKNOWN;
    if (from == 'F' && to == 'F') {
        *out = plain_result(r, read_number(r, FORMAT_F16, half_bits(r, 0)));
        return REFERENCE_EXACT;
    }
    if (to == 'F') {
        *out = plain_result(r, (double)integer_operand(r, from, from_bits));
        return REFERENCE_EXACT;
    }
    if (from != 'F')
        return REFERENCE_UNKNOWN;
    double x = from_bits == 16 ? read_number(r, FORMAT_F16, half_bits(r, 0))
                               : read_number(r, FORMAT_F32, r->value[0]);
    double low = to == 'S' ? -scalbn(1, (int)to_bits - 1) : 0;
    *out = to_integer(x, r->round, low, scalbn(1, (int)to_bits - (to == 'S')) - 1);
    return REFERENCE_EXACT;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static enum reference_answer run_table(struct run *r, uint32_t *out)
{
    double x = 0, y;
    int e;

    r->format = has_modifier(r, "f16") ? FORMAT_F16 : FORMAT_F32;
    r->element = 0;
    if (!has_modifier(r, "u4") && !has_modifier(r, "u6"))
        x = operand_value(r, 0);
    if (is_operation(r, "FRCP"))
        y = 1 / x;
    else if (is_operation(r, "FRSQ"))
        y = x < 0 ? NAN : copysign(1 / sqrt(fabs(x)), x);
    else if (is_operation(r, "FRCP_APPROX"))
        y = 1 / (isfinite(x) ? frexp(x, &e) : x);
    else if (is_operation(r, "FEXP_TABLE") && !has_modifier(r, "small") && !has_modifier(r, "low"))
        y = exp2((r->value[0] & 15) / 16.0);
    else if (is_operation(r, "FSIN_TABLE") && !has_modifier(r, "offset"))
        y = sin((r->value[0] & 63) * M_PI / 32);
    else if (is_operation(r, "FCOS_TABLE") && !has_modifier(r, "offset"))
        y = cos((r->value[0] & 63) * M_PI / 32);
    else
        return REFERENCE_UNKNOWN;
    y = fabs(y) < 1e-15 && has_modifier(r, "u6") ? 0 : y;
    if (has_modifier(r, "u6") && (r->value[0] & 0x7f800000) == 0x7f800000)
        y = NAN;
    *out = plain_result(r, y);
    if (r->format == FORMAT_F16)
        *out |= *out << 16;
    return is_operation(r, "FRCP") ? REFERENCE_EXACT : REFERENCE_NEAR;
}

enum reference_answer reference_run(const struct text_instr *in, const uint32_t *value,
                                    unsigned flush, uint32_t *result_bits)
{
    struct run r = {.in = in, .value = value, .format = FORMAT_F32, .flush = flush};
    bool pair = text_has(&in->op, "v2f16") || !strncmp(in->op.name, "V2", 2);
    enum reference_answer answer = run_table(&r, result_bits);

    r.round = (enum rounding)text_which(&in->op, round_names, EVEN);
    r.clamp = text_which(&in->op, clamp_names, 0);
    if (answer != REFERENCE_UNKNOWN || has_modifier(&r, "inf") || has_modifier(&r, "inf0"))
        return answer;
    r.format = pair ? FORMAT_F16 : FORMAT_F32;
    *result_bits = 0;
    for (r.element = 0; r.element <= pair; r.element++) {
        uint32_t out = 0;
        answer = run_conversion(&r, &out);
        if (answer == REFERENCE_UNKNOWN)
            answer = run_arithmetic(&r, &out);
        if (answer != REFERENCE_EXACT)
            return answer;
        *result_bits |= r.element ? out << 16 : pair ? out & 0xffff : out;
    }
    return REFERENCE_EXACT;
}
