/* The operations of build.h in plain C, lane by lane. */
#include "vector_test.h"

#include "common/arithmetic.h"
#include "runtime/base/polynomial.h"

#include <math.h>

uint64_t lane_get(const union value *v, jit_type t, unsigned lane)
{
    unsigned bytes = q_lane_bits(t) / 8;
    uint64_t bits = 0;

    memcpy(&bits, v->bytes + lane * bytes, bytes < 8 ? bytes : 8);
    return bits;
}

void lane_set(union value *v, jit_type t, unsigned lane, uint64_t bits)
{
    unsigned bytes = q_lane_bits(t) / 8;

    memcpy(v->bytes + lane * bytes, &bits, bytes < 8 ? bytes : 8);
}

/* ---- random values --------------------------------------------------------------------------- */

uint64_t random64(void)
{
    static uint64_t state = 88172645463325252;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * UINT64_C(0x2545f4914f6cdd1d);
}

static uint64_t random_float(unsigned bits)
{
    static const double special[] = {
        0,
        -0.0,
        1,
        -1,
        0.5,
        -0.5,
        1.5,
        0x1p31,
        -0x1p31,
        0x1p32,
        -0x1p32,
        0x1p63,
        -0x1p63,
        0x1p64,
        -0x1p64,
        2147483647,
        4294967295,
        -2147483649.,
        INFINITY,
        -INFINITY,
        NAN,
        0x1p-149,
        0x1p-1074,
        0x1p-127,
        0x1.fffffep127,
        0x1p1023,
        0x1p-1030,
        3,
        0x1.8p62,
        0x1.8p63,
        4294967295.5,
        -2147483648.5,
        2147483647.5,
        0x1.fffffep62,
        7e18,
    };
    double d;

    switch (random64() % 4) {
    case 0:
        return random64();
    case 1:
        d = (double)(int64_t)random64() / (double)(UINT64_C(1) << random64() % 64);
        break;
    default:
        d = special[random64() % (sizeof(special) / sizeof(special[0]))];
        break;
    }
    return bits == 32 ? cpu_bits32((float)d) : cpu_bits64(d);
}

static uint64_t random_int(unsigned bits)
{
    switch (random64() % 8) {
    case 0:
        return 0;
    case 1:
        return UINT64_MAX;
    case 2:
        return UINT64_C(1) << (bits - 1);
    case 3:
        return (UINT64_C(1) << (bits - 1)) - 1;
    case 4:
        return random64() % 4;
    case 5:
        return random64() >> random64() % 64;
    default:
        return random64();
    }
}

static uint64_t random_lane(jit_type t, enum leaf kind)
{
    static const uint8_t amounts[] = {0,  1,  7,  8,  9,  15,  16,  17, 31,
                                      32, 33, 63, 64, 65, 100, 128, 255};
    uint64_t r = random64();

    switch (kind) {
    case LEAF_MASK:
    case LEAF_FLOAT:
        return r & 1 ? UINT64_MAX : 0;
    case LEAF_UNSIGNED:
        return (uint32_t)random_int(32);
    case LEAF_SIGNED:
        return (uint64_t)(int32_t)random_int(32);
    case LEAF_AMOUNT:
        if (r % 4 == 0)
            return random_int(q_lane_bits(t));
        return r % 4 == 1 ? (r >> 8) % 64 : amounts[(r >> 8) % sizeof(amounts)];
    case LEAF_CONDITION:
        return r & 1 ? 0 : random_int(q_lane_bits(t));
    default:
        break;
    }
    if (q_base(t) == JIT_FLOAT)
        return random_float(q_lane_bits(t));
    /* Bit casts give integers that hold floats, and floats that hold integers. */
    return r % 8 == 0 && q_lane_bits(t) >= 32 ? random_float(q_lane_bits(t))
                                              : random_int(q_lane_bits(t));
}

union value random_value(jit_type t, enum leaf kind)
{
    union value v = {.w = {random64(), random64()}};

    if (q_lane_bits(t) == 128)
        return v;
    for (unsigned n = 0; n < q_lanes(t); n++)
        lane_set(&v, t, n, random_lane(t, kind));
    for (unsigned n = 0; n < 16 && kind == LEAF_NUMBERS; n++)
        v.bytes[n] = (uint8_t)(random64() % 16 + (random64() % 4 ? 0 : 128));
    return v;
}

/* ---- one lane -------------------------------------------------------------------------------- */

static int64_t extend_lane(jit_type t, uint64_t bits)
{
    unsigned up = 64 - q_lane_bits(t);

    return q_base(t) == JIT_SINT ? (int64_t)(bits << up) >> up : (int64_t)(bits << up >> up);
}

static double lane_number(jit_type t, uint64_t bits)
{
    return q_lane_bits(t) == 32 ? (double)cpu_f32((uint32_t)bits) : cpu_f64(bits);
}

static uint64_t float_bits(jit_type t, double d)
{
    return q_lane_bits(t) == 32 ? cpu_bits32((float)d) : cpu_bits64(d);
}

/*
 * Float sums, products, quotients and roots are computed in double and rounded once more, with the
 * same result, since double has more than 2n + 2 digits.
 */
static uint64_t float_binary(unsigned op, jit_type t, uint64_t a, uint64_t b)
{
    double x = lane_number(t, a), y = lane_number(t, b);

    switch (op) {
    case JIT_ADD:
        return float_bits(t, x + y);
    case JIT_SUB:
        return float_bits(t, x - y);
    case JIT_MUL:
        return float_bits(t, x * y);
    case JIT_DIV:
        return float_bits(t, x / y);
    case Q_LEAST:
        return x < y ? a : y < x ? b : a | b;
    case Q_GREATEST:
        return x > y ? a : y > x ? b : a & b;
    case JIT_EQ:
        return x == y;
    case JIT_NE:
        return x != y;
    case JIT_LT:
        return x < y;
    case JIT_LE:
        return x <= y;
    case JIT_GT:
        return x > y;
    default:
        return x >= y;
    }
}

static uint64_t shift_lane(unsigned op, jit_type t, int64_t a, uint64_t n)
{
    unsigned bits = q_lane_bits(t);

    if (op == JIT_SHL)
        return n < bits ? (uint64_t)a << n : 0;
    if (q_base(t) == JIT_SINT)
        return (uint64_t)(a >> (n < bits ? n : bits - 1));
    return n < bits ? (uint64_t)a >> n : 0;
}

static bool int_compare(unsigned op, jit_type t, int64_t a, int64_t b)
{
    bool less = q_base(t) == JIT_SINT ? a < b : (uint64_t)a < (uint64_t)b;

    switch (op) {
    case JIT_EQ:
        return a == b;
    case JIT_NE:
        return a != b;
    case JIT_LT:
        return less;
    case JIT_LE:
        return less || a == b;
    case JIT_GT:
        return !less && a != b;
    default:
        return !less;
    }
}

/* A number within the limits of lanes of at most 16 bits. */
static uint64_t within(jit_type t, int64_t x)
{
    int64_t most = (INT64_C(1) << (q_lane_bits(t) - (q_base(t) == JIT_SINT))) - 1;
    int64_t least = q_base(t) == JIT_SINT ? -most - 1 : 0;

    return (uint64_t)(x > most ? most : x < least ? least : x);
}

static uint64_t int_binary(unsigned op, jit_type t, uint64_t left, uint64_t right)
{
    int64_t a = extend_lane(t, left), b = extend_lane(t, right);

    switch (op) {
    case JIT_ADD:
        return (uint64_t)a + (uint64_t)b;
    case JIT_SUB:
        return (uint64_t)a - (uint64_t)b;
    case JIT_MUL:
        return (uint64_t)a * (uint64_t)b;
    case JIT_UMULH:
        return (uint64_t)((unsigned __int128)left * right >> q_lane_bits(t));
    case JIT_SMULH:
        a = extend_lane(JIT_TYPE(JIT_SINT, q_lane_bits(t), 1), left);
        b = extend_lane(JIT_TYPE(JIT_SINT, q_lane_bits(t), 1), right);
        return (uint64_t)((__int128)a * b >> q_lane_bits(t));
    case JIT_AND:
        return left & right;
    case JIT_OR:
        return left | right;
    case JIT_XOR:
        return left ^ right;
    case JIT_SHL:
    case JIT_SHR:
        return shift_lane(op, t, a, right);
    case Q_WITHOUT:
        return left & ~right;
    case Q_LEAST:
        return int_compare(JIT_LT, t, a, b) ? left : right;
    case Q_GREATEST:
        return int_compare(JIT_LT, t, a, b) ? right : left;
    case Q_DISTANCE:
        return int_compare(JIT_LT, t, a, b) ? right - left : left - right;
    case Q_AVERAGE:
        return (left + right + 1) >> 1;
    case Q_ROUNDED_PRODUCT:
        return (uint64_t)((a * b + (1 << 14)) >> 15);
    case Q_ADD_WITHIN:
        return within(t, a + b);
    case Q_SUB_WITHIN:
        return within(t, a - b);
    default:
        return int_compare(op, t, a, b);
    }
}

static double integral(unsigned op, double x)
{
    switch (op) {
    case JIT_ROUND_EVEN:
        return roundeven(x);
    case JIT_ROUND_UP:
        return ceil(x);
    case JIT_ROUND_DOWN:
        return floor(x);
    default:
        return trunc(x);
    }
}

static uint64_t compute_unary(unsigned op, jit_type t, uint64_t a)
{
    uint64_t sign = UINT64_C(1) << (q_lane_bits(t) - 1);
    int64_t x = extend_lane((t & ~3u) | JIT_SINT, a);

    if (q_base(t) == JIT_FLOAT) {
        if (op == JIT_SQRT)
            return float_bits(t, sqrt(lane_number(t, a)));
        if (op >= JIT_ROUND_EVEN)
            return float_bits(t, integral(op, lane_number(t, a)));
        return op == JIT_NEG ? a ^ sign : a & ~sign;
    }
    if (op == JIT_NOT)
        return ~a;
    return op == JIT_NEG || x < 0 ? -(uint64_t)x : (uint64_t)x;
}

static uint64_t convert_lane(jit_type to, jit_type from, uint64_t a, bool saturates)
{
    int64_t x;

    if (q_base(from) == JIT_FLOAT && q_base(to) == JIT_FLOAT)
        return q_lane_bits(to) == q_lane_bits(from) ? a : float_bits(to, lane_number(from, a));
    if (q_base(from) == JIT_FLOAT)
        return q_base(to) == JIT_SINT ? (uint64_t)cpu_to_sint(lane_number(from, a), q_lane_bits(to))
                                      : cpu_to_uint(lane_number(from, a), q_lane_bits(to));
    x = extend_lane(from, a);
    if (saturates)
        return within(to, x);
    if (q_base(to) != JIT_FLOAT)
        return (uint64_t)x;
    if (q_lane_bits(to) == 32)
        return cpu_bits32(q_base(from) == JIT_SINT ? (float)x : (float)(uint64_t)x);
    return cpu_bits64(q_base(from) == JIT_SINT ? (double)x : (double)(uint64_t)x);
}

static uint64_t multiply_add(jit_type t, uint64_t a, uint64_t b, uint64_t c)
{
    if (q_lane_bits(t) == 32)
        return cpu_bits32(fmaf(cpu_f32((uint32_t)a), cpu_f32((uint32_t)b), cpu_f32((uint32_t)c)));
    return cpu_bits64(fma(cpu_f64(a), cpu_f64(b), cpu_f64(c)));
}

/* ---- whole values ---------------------------------------------------------------------------- */

static unsigned __int128 compute_128(unsigned op, const union value *a, const union value *b,
                                     uint64_t by)
{
    switch (op) {
    case JIT_NOT:
        return ~a->whole;
    case JIT_AND:
        return a->whole & b->whole;
    case JIT_OR:
        return a->whole | b->whole;
    case JIT_XOR:
        return a->whole ^ b->whole;
    case Q_WITHOUT:
        return a->whole & ~b->whole;
    case JIT_POLYMUL:
        return cpu_polymul64_plain((uint64_t)a->whole, (uint64_t)b->whole);
    default:
        if (by >= 128)
            return 0;
        return op == JIT_SHL ? a->whole << by : a->whole >> by;
    }
}

static unsigned __int128 bytes_from(const union value *args, uint64_t first)
{
    uint8_t both[32];
    unsigned __int128 r;

    memcpy(both, &args[0].whole, 16);
    memcpy(both + 16, &args[1].whole, 16);
    memcpy(&r, both + first, 16);
    return r;
}

static union value convert_lanes(const struct operation *o, const union value *a)
{
    const jit_type to = o->node.type, from = o->node.from;
    union value v = {0};

    if (q_lane_bits(to) == 128 && q_lane_bits(from) < 128) {
        v.w[0] = (uint64_t)extend_lane(from, lane_get(a, from, 0));
        v.w[1] = q_base(from) == JIT_SINT && v.w[0] >> 63 ? UINT64_MAX : 0;
        return v;
    }
    if (q_lane_bits(from) == 128)
        return *a;
    for (unsigned n = 0; n < q_lanes(to); n++)
        lane_set(&v, to, n, convert_lane(to, from, lane_get(a, from, n), o->node.sub));
    return v;
}

static union value blend_lanes(const struct operation *o, const union value *args)
{
    const jit_type t = o->node.type;
    union value v = args[2];

    for (unsigned n = 0; n < q_lanes(t); n++)
        if (lane_get(&args[0], o->types[0], n))
            lane_set(&v, t, n, lane_get(&args[1], t, n));
    return v;
}

/* A lane's bit of its sign, or 0. */
static uint64_t sign_if(jit_type t, bool negated)
{
    return (uint64_t)negated << (q_lane_bits(t) - 1);
}

static union value by_lanes(const struct operation *o, const union value *args)
{
    const jit_type t = o->node.type, amount = o->types[1];
    const unsigned op = o->node.sub;
    bool is_comparison = q_is_comparison(&o->node);
    union value v = {0};

    for (unsigned n = 0; n < q_lanes(t); n++) {
        bool one = (op == JIT_SHL || op == JIT_SHR) && q_lanes(amount) == 1;
        unsigned other = one ? 0 : n; /* there is none where lanes are read in another order */
        uint64_t a = lane_get(&args[0], t, n), r,
                 b = other < q_lanes(amount) ? lane_get(&args[1], amount, other) : 0;

        if (o->node.op == Q_BINARY && (op == Q_LOW_PAIRS || op == Q_HIGH_PAIRS))
            r = lane_get(&args[n % 2], t, n / 2 + (op == Q_HIGH_PAIRS) * q_lanes(t) / 2);
        else if (o->node.op == Q_BINARY && op == Q_EVEN_LANES)
            r = lane_get(&args[n >= q_lanes(t) / 2], t, 2 * n % q_lanes(t));
        else if (o->node.op == Q_BINARY && op == Q_WORDS)
            r = lane_get(&args[o->node.imm >> n & 1], t, n);
        else if (o->node.op == Q_FMA)
            r = multiply_add(t, a ^ sign_if(t, o->node.imm & Q_NEGATED_PRODUCT), b,
                             lane_get(&args[2], t, n) ^ sign_if(t, o->node.imm & Q_NEGATED_SUM));
        else if (o->node.op == Q_UNARY)
            r = compute_unary(op, t, a);
        else
            r = q_base(t) == JIT_FLOAT ? float_binary(op, t, a, b) : int_binary(op, t, a, b);
        if (is_comparison && (q_lanes(t) > 1 || o->node.result))
            r = -r;
        lane_set(&v, t, n, r);
    }
    return v;
}

union value model(const struct operation *o, const union value *args)
{
    const struct q_node *n = &o->node;
    const jit_type t = n->type;
    union value v = args[0];

    switch (n->op) {
    case Q_UNARY:
    case Q_BINARY:
    case Q_FMA:
        if (q_lane_bits(t) < 128)
            return by_lanes(o, args);
        v.whole = n->sub == Q_BYTES
                      ? bytes_from(args, n->imm)
                      : compute_128(n->sub, &args[0], &args[1], lane_get(&args[1], n->from, 0));
        return v;
    case Q_SELECT:
        return args[int_compare(n->sub, n->from, extend_lane(n->from, args[2].w[0]),
                                extend_lane(n->from, args[3].w[0]))
                        ? 0
                        : 1];
    case Q_BLEND:
        return blend_lanes(o, args);
    case Q_LOW:
        v.w[1] = 0;
        if (n->imm == 32)
            v.w[0] = (uint32_t)v.w[0];
        return v;
    case Q_CONVERT:
        return convert_lanes(o, args);
    case Q_SPLAT:
        for (unsigned k = 0; k < q_lanes(t); k++)
            lane_set(&v, t, k,
                     lane_get(&args[0], JIT_TYPE(0, q_lane_bits(t), 1), (unsigned)n->imm));
        return v;
    case Q_EXTRACT:
        v.w[0] = lane_get(&args[0], t, (unsigned)n->imm);
        return v;
    case Q_EXTRACT_AT:
        v.w[0] = args[0].bytes[args[1].w[0] % 16];
        return v;
    case Q_SHUFFLE:
        for (unsigned k = 0; k < 16; k++)
            v.bytes[k] = args[1].bytes[k] < 16 ? args[0].bytes[args[1].bytes[k]] : 0;
        return v;
    case Q_LOOK_UP:
        for (unsigned k = 0; k < 16; k++) {
            unsigned number = args[1].bytes[k];

            v.bytes[k] = number < 32 ? args[number < 16 ? 0 : 2].bytes[number % 16] : 0;
        }
        return v;
    case Q_INSERT:
        lane_set(&v, t, (unsigned)n->imm, args[1].w[0]);
        return v;
    case Q_BUILD2:
    case Q_CONCAT:
        memcpy(v.bytes + q_bits(t) / 16, args[1].bytes, q_bits(t) / 16);
        return v;
    default: /* Q_BITCAST, Q_CONST */
        return v;
    }
}

/* ---- comparing ------------------------------------------------------------------------------- */

bool any_nan(const struct operation *o)
{
    const struct q_node *n = &o->node;

    return n->op == Q_FMA || (n->op == Q_UNARY && n->sub >= JIT_SQRT && n->sub <= JIT_ROUND_ZERO) ||
           (n->op == Q_BINARY && n->sub < JIT_EQ) || (n->op == Q_CONVERT && n->type != n->from);
}

bool same_value(jit_type t, const union value *a, const union value *b, bool nan)
{
    if (q_lane_bits(t) == 128)
        return a->whole == b->whole;
    for (unsigned n = 0; n < q_lanes(t); n++) {
        uint64_t x = lane_get(a, t, n), y = lane_get(b, t, n);
        bool both = q_base(t) == JIT_FLOAT && isnan(lane_number(t, x)) && isnan(lane_number(t, y));

        if (x != y && !(nan && both))
            return false;
    }
    return true;
}
