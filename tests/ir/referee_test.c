/*
 * gencc/ir/arith.c against C compiled by gcc, operation by operation, on edge values and random
 * ones.
 */
#include "referee.h"
#include "gencc/ir/arith.h"
#include "gencc/ir/pass.h"

#include <stdio.h>
#include <string.h>

enum { ROUNDS = 3000, BYTES = 64 };

static uint64_t seed = 88172645463325252ull;

static uint64_t draw_u64(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed * 0x2545f4914f6cdd1dull;
}

static u128 any_int(unsigned bits)
{
    u128 x = (u128)draw_u64() << 64 | draw_u64();

    switch (draw_u64() >> 60) {
    case 0:
        return 0;
    case 1:
        return 1;
    case 2:
        return ~(u128)0;
    case 3:
        return (u128)1 << (bits - 1);
    case 4:
        return ((u128)1 << (bits - 1)) - 1;
    case 5:
        return x % (bits + 2);
    case 6:
        return -(x % 4);
    default:
        return x >> draw_u64() % 128;
    }
}

static u128 any_float(unsigned bits)
{
    static const double edges[] = {
        0.0,    -0.0,    0.5,    -0.5,         1.0,          -1.5,          2.5,          255.0,
        256.0,  65535.9, 1e9,    2147483647.0, 2147483648.0, -2147483649.0, 4294967296.0, 1.8e19,
        9.3e18, -9.3e18, 1.7e38, 3.5e38,       1e300,        1e-310,        1e-40};
    double d = edges[draw_u64() % (sizeof(edges) / sizeof(*edges))];

    switch (draw_u64() >> 61) {
    case 0:
        return (bits == 32 ? (u128)0x7fc00000 : (u128)0x7ff8000000000000) + draw_u64() % 3;
    case 1:
        return bits == 32 ? (u128)0xff800000 : (u128)0x7ff0000000000000;
    case 2:
    case 3:
        return draw_u64();
    default:
        return bits == 32 ? ir_from_float((float)d) : ir_from_double(d);
    }
}

static void fill_operand(struct ir_type t, u128 *lanes, unsigned char *bytes)
{
    for (unsigned i = 0; i < t.lanes; i++) {
        lanes[i] = (t.base == IR_FLOAT ? any_float(t.bits) : any_int(t.bits)) & low_bits(t.bits);
        memcpy(bytes + i * (t.bits / 8u), &lanes[i], t.bits / 8u);
    }
}

static bool is_nan(struct ir_type t, u128 x)
{
    double d = t.bits == 32 ? ir_to_float(x) : ir_to_double(x);

    return t.base == IR_FLOAT && d != d;
}

static void print_lanes(const char *what, struct ir_type t, const u128 *lanes)
{
    char buf[24];

    printf("  %s %s:", what, ir_type_name(t, buf));
    for (unsigned i = 0; i < t.lanes; i++)
        printf(" %llx:%016llx", (unsigned long long)(lanes[i] >> 64), (unsigned long long)lanes[i]);
    printf("\n");
}

/* All NaN results of arithmetic count as equal, since the host chooses their bits. */
static bool results_agree(const struct referee *r, const u128 *lanes, const unsigned char *bytes,
                          u128 *wanted)
{
    bool same = true;

    for (unsigned i = 0; i < r->result.lanes; i++) {
        wanted[i] = 0;
        memcpy(&wanted[i], bytes + i * (r->result.bits / 8u), r->result.bits / 8u);
        if (lanes[i] == wanted[i])
            continue;
        same &= is_nan(r->result, lanes[i]) && is_nan(r->result, wanted[i]) &&
                (r->op <= IR_MOD || r->op == IR_CONVERT);
    }
    return same;
}

static bool check_operation(const struct referee *r)
{
    u128 lanes[3][IR_MAX_LANES], result[IR_MAX_LANES], wanted[IR_MAX_LANES];
    unsigned char bytes[3][BYTES], out[BYTES];
    const void *in[3] = {bytes[0], bytes[1], bytes[2]};
    struct ir_operand args[3];

    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < r->n; i++) {
            fill_operand(r->args[i], lanes[i], bytes[i]);
            args[i] = (struct ir_operand){r->args[i], lanes[i]};
        }
        memset(result, 0xa5, sizeof(result));
        r->compute(in, out);
        if (!ir_arith(r->op, r->result, r->n, args, result) ||
            !results_agree(r, result, out, wanted)) {
            printf("%s differs from gcc:\n", ir_ops[r->op].name);
            for (unsigned i = 0; i < r->n; i++)
                print_lanes("operand", r->args[i], lanes[i]);
            print_lanes("is", r->result, result);
            print_lanes("wanted", r->result, wanted);
            return false;
        }
    }
    return true;
}

int main(void)
{
    bool covered[IR_OP_COUNT] = {false};
    unsigned bad = 0;

    for (unsigned i = 0; i < referee_count; i++) {
        bad += !check_operation(&referees[i]);
        covered[referees[i].op] = true;
    }
    for (unsigned op = IR_ADD; op <= IR_CONCAT; op++) {
        if (!covered[op]) {
            printf("no referee computes %s\n", ir_ops[op].name);
            bad++;
        }
    }
    printf("%u operations on types, %u differ\n", referee_count, bad);
    return bad != 0;
}
