#include "runtime/gpu/fuzz/situation.h"

#include "gencc/referee/operands.h"

uint32_t situation_random_word(struct random *r)
{
    uint64_t f[3];

    switch (random_below(r, 6)) {
    case 0:
        return random_below(r, 40);
    case 1:
        return (uint32_t)random_integer(r);
    case 2:
        random_floats(r, 32, f);
        return (uint32_t)f[0];
    case 3:
        random_floats(r, 16, f);
        return (uint32_t)(f[0] | f[1] << 16);
    case 4:
        return (uint32_t)random_integral(r, 32);
    default:
        return (uint32_t)random_next(r);
    }
}

static bool is_nan(uint32_t v)
{
    return (v & 0x7fffffff) > 0x7f800000;
}

bool situation_same_word(uint32_t a, uint32_t b)
{
    return a == b || (is_nan(a) && is_nan(b));
}
