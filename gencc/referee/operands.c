/* Random operands; see operands.h. */
#include "gencc/referee/operands.h"

#include <string.h>

struct shape {
    int width, exp_bits, frac_bits;
};

static struct shape shape_of(int width)
{
    if (width == 16)
        return (struct shape){16, 5, 10};
    if (width == 32)
        return (struct shape){32, 8, 23};
    return (struct shape){64, 11, 52};
}

static uint32_t exp_ones(struct shape s)
{
    return (1u << s.exp_bits) - 1;
}

static uint32_t exponent_bias(struct shape s)
{
    return exp_ones(s) >> 1;
}

uint64_t random_next(struct random *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

uint32_t random_below(struct random *random, uint32_t below)
{
    return (uint32_t)((random_next(random) >> 32) * below >> 32);
}

static uint64_t pack_float(struct random *random, struct shape s, int64_t exp, uint64_t frac)
{
    uint64_t sign = random_next(random) >> 63;

    if (exp < 0)
        exp = 0;
    if (exp > exp_ones(s))
        exp = exp_ones(s);
    frac &= (1ull << s.frac_bits) - 1;
    return sign << (s.width - 1) | (uint64_t)exp << s.frac_bits | frac;
}

/* Fractions: any; few bits at the top; few at the bottom; both; runs of ones; a single bit. */
static uint64_t random_frac(struct random *random, struct shape s)
{
    uint64_t any = random_next(random);
    uint64_t top = (any & 0xf) << (s.frac_bits - 4);
    uint64_t bottom = any >> 4 & 7;

    switch (random_below(random, 8)) {
    case 0:
        return top;
    case 1:
        return bottom;
    case 2:
        return top | bottom;
    case 3:
        return ~0ull << random_below(random, (uint32_t)s.frac_bits + 1);
    case 4:
        return ~0ull >> (64 - s.frac_bits) >> random_below(random, (uint32_t)s.frac_bits);
    case 5:
        return top | 1ull << random_below(random, (uint32_t)s.frac_bits);
    default:
        return any;
    }
}

static int64_t random_exp(struct random *random, struct shape s)
{
    uint32_t few = random_below(random, 4);

    switch (random_below(random, 8)) {
    case 0:
        return 0;
    case 1:
        return few;
    case 2:
        return exp_ones(s) - few;
    case 3:
    case 4:
        return (int64_t)exponent_bias(s) - s.frac_bits - 2 +
               random_below(random, 2 * (uint32_t)s.frac_bits + 4);
    case 5:
        return random_below(random, 2) ? few * (uint32_t)s.frac_bits / 2
                                       : exponent_bias(s) / 2 + few;
    default:
        return random_below(random, exp_ones(s) + 1);
    }
}

static uint64_t random_special(struct random *random, struct shape s)
{
    uint64_t quiet = 1ull << (s.frac_bits - 1);
    uint32_t ones = exp_ones(s);

    switch (random_below(random, 12)) {
    case 0:
        return pack_float(random, s, ones, 0);
    case 1:
        return pack_float(random, s, ones, quiet);
    case 2:
        return pack_float(random, s, ones, quiet | random_next(random));
    case 3:
        return pack_float(random, s, ones, (random_next(random) & (quiet - 1)) | 1);
    case 4:
        return pack_float(random, s, 0, 1);
    case 5:
        return pack_float(random, s, 0, ~0ull);
    case 6:
        return pack_float(random, s, 1, 0);
    case 7:
        return pack_float(random, s, ones - 1, ~0ull);
    case 8:
        return pack_float(random, s, exponent_bias(s), 0);
    case 9:
        return pack_float(random, s, exponent_bias(s) + 1, random_next(random) & quiet);
    default:
        return pack_float(random, s, 0, 0);
    }
}

static uint64_t random_float(struct random *random, struct shape s)
{
    if (random_below(random, 6) == 0)
        return random_special(random, s);
    return pack_float(random, s, random_exp(random, s), random_frac(random, s));
}

static int64_t exp_of(struct shape s, uint64_t bits)
{
    return bits >> s.frac_bits & exp_ones(s);
}

/* A number related to `bits`: a neighbour, or one whose product or quotient with it is near the
 * limit of the format. */
static uint64_t related_float(struct random *random, struct shape s, uint64_t bits)
{
    uint64_t sign = 1ull << (s.width - 1);
    int64_t few = (int64_t)random_below(random, 8) - 4;
    int64_t end = random_below(random, 2) ? 0 : exp_ones(s);
    int64_t far = random_below(random, (uint32_t)s.frac_bits);

    switch (random_below(random, 5)) {
    case 0:
        return (bits ^ (random_next(random) & sign)) + (uint64_t)few;
    case 1:
        return pack_float(random, s, exp_of(s, bits) + few, random_frac(random, s));
    case 2:
        return pack_float(random, s, end + exponent_bias(s) - exp_of(s, bits) + few,
                          random_frac(random, s));
    case 3:
        return pack_float(random, s, exp_of(s, bits) + exponent_bias(s) - end + few,
                          random_frac(random, s));
    default:
        return pack_float(random, s, -far + exponent_bias(s) - exp_of(s, bits) + few,
                          random_frac(random, s));
    }
}

/* a * b, rounded by the host. */
static uint64_t host_product(int width, uint64_t a, uint64_t b)
{
    uint32_t a32 = (uint32_t)a, b32 = (uint32_t)b;
    double x, y;
    float x32, y32;

    if (width == 64) {
        memcpy(&x, &a, sizeof(x));
        memcpy(&y, &b, sizeof(y));
        x *= y;
        memcpy(&a, &x, sizeof(a));
        return a;
    }
    memcpy(&x32, &a32, sizeof(x32));
    memcpy(&y32, &b32, sizeof(y32));
    x32 *= y32;
    memcpy(&a32, &x32, sizeof(a32));
    return a32;
}

void random_floats(struct random *random, int width, uint64_t operands[3])
{
    struct shape s = shape_of(width);

    operands[0] = random_float(random, s);
    operands[1] =
        random_below(random, 3) ? random_float(random, s) : related_float(random, s, operands[0]);
    operands[2] = random_float(random, s);
    if (width > 16 && random_below(random, 3) == 0) {
        operands[2] = host_product(width, operands[0], operands[1]);
        if (random_below(random, 2))
            operands[2] = related_float(random, s, operands[2]);
        if (random_below(random, 4))
            operands[2] ^= 1ull << (width - 1);
    }
}

uint64_t random_integral(struct random *random, int width)
{
    struct shape s = shape_of(width);
    int64_t exp = exponent_bias(s);
    uint32_t limit = (random_below(random, 4) + 1) * 16;
    int64_t few = (int64_t)random_below(random, 4) - 2;

    switch (random_below(random, 5)) {
    case 0:
        return random_float(random, s);
    case 1:
        exp += (int64_t)random_below(random, 140) - 70;
        break;
    case 2:
        exp += (int64_t)limit + few;
        break;
    case 3: /* just below a power of two, or below half of it */
        return pack_float(random, s, exp + limit - random_below(random, 3),
                          -1 - random_below(random, 3));
    default:
        exp += (int64_t)random_below(random, (uint32_t)s.frac_bits + 3) - 2;
    }
    return pack_float(random, s, exp, random_frac(random, s));
}

uint64_t random_narrow(struct random *random, int width)
{
    static const int32_t limits[] = {-150, -149, -127, -126, -26, -25, -24, -15, -14, 15, 16, 127};
    struct shape s = shape_of(width);
    int32_t limit = limits[random_below(random, sizeof(limits) / sizeof(*limits))];
    uint64_t frac = random_frac(random, s);

    if (random_below(random, 4) == 0)
        return random_float(random, s);
    /* A tie, or a neighbour of one, in the narrower fraction. */
    if (random_below(random, 2))
        frac = (random_next(random)
                << (s.frac_bits - 4 - random_below(random, (uint32_t)s.frac_bits / 2 + 4))) +
               random_below(random, 3) - 1;
    if (random_below(random, 3) == 0)
        limit = (int32_t)random_below(random, 48) - 32;
    return pack_float(random, s, (int64_t)exponent_bias(s) + limit + random_below(random, 3) - 1,
                      frac);
}

uint64_t random_integer(struct random *random)
{
    uint64_t any = random_next(random);
    uint32_t n = random_below(random, 64);

    switch (random_below(random, 6)) {
    case 0:
        return any;
    case 1:
        return any >> n;
    case 2:
        return 0 - (any >> n);
    case 3:
        return (1ull << n) + random_below(random, 5) - 2;
    case 4: /* a tie at some bit: long runs of ones or zeros */
        return (any >> n << n) + (1ull << n >> 1) + random_below(random, 3) - 1;
    default:
        return (any & 0xffffffff) << 32 | random_below(random, 3);
    }
}
