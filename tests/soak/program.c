/*
 * Random programs, evaluated and encoded (Arm ARM, C6 and C7). Registers 0 to 7 are the program's.
 */
#include "program.h"

#include <stdbool.h>
#include <string.h>

enum kind {
    ADD,
    SUB,
    AND,
    ORR,
    EOR,
    MADD,    /* d = a * b + c */
    UMULH,   /* upper half of the product */
    UDIV,    /* division by zero gives zero */
    ROTATE,  /* to the right by the low bits of b */
    REVERSE, /* reverses the bits */
    SELECT,  /* d = a < b (unsigned) ? a : c */
    CARRY,   /* d = c + the carry of a + b */
    SKIP,    /* d += imm unless bit imm % 64 of a is clear */
    LOAD,    /* d = memory[a % WORDS] */
    STORE,   /* memory[a % WORDS] = d */
    CALL,    /* the function after the program: x0 = x0 * x1 + x2 */
    DOUBLES, /* d = the bits of (double)a * (double)b + (double)c, low halves, signed */
    VECTOR,  /* d = lane 1 of (a + b) * a, in 32-bit lanes after a 64-bit sum, xor b */
    KINDS,
    PATCH = KINDS, /* d += remaining loops, by rewriting the instruction that adds */
};

enum { BASE = 8, COUNTER = 9, LINK = 10, TEMP = 11, TEMP2 = 12, TEMP3 = 13, LR = 30, ZERO = 31 };
enum { MAX_LOOPS = 3000, MAX_PATCHES = 40, MAX_ADD = 0xfff };

static uint32_t draw_u32(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33);
}

void program_make(struct program *p, uint64_t seed)
{
    bool patches;

    memset(p, 0, sizeof(*p));
    for (unsigned n = 0; n < 4; n++)
        draw_u32(&seed);
    patches = draw_u32(&seed) % 6 == 0;
    p->count = 8 + draw_u32(&seed) % (MAX_OPERATIONS - 8);
    p->loops = 1 + draw_u32(&seed) % (patches ? MAX_PATCHES : MAX_LOOPS);
    for (unsigned n = 0; n < p->count; n++) {
        struct operation *o = &p->operations[n];

        o->kind = (uint8_t)(draw_u32(&seed) % KINDS);
        if (patches && draw_u32(&seed) % 8 == 0)
            o->kind = PATCH;
        o->d = draw_u32(&seed) % REGISTERS;
        o->a = draw_u32(&seed) % REGISTERS;
        o->b = draw_u32(&seed) % REGISTERS;
        o->c = draw_u32(&seed) % REGISTERS;
        o->imm = draw_u32(&seed) % (MAX_ADD + 1);
    }
    for (unsigned n = 0; n < REGISTERS; n++)
        p->start.x[n] = (uint64_t)draw_u32(&seed) << 32 | draw_u32(&seed);
    for (unsigned n = 0; n < WORDS; n++)
        p->start.memory[n] = (uint64_t)draw_u32(&seed) << 32 | draw_u32(&seed);
}

/* ---- evaluation ------------------------------------------------------------------------------ */

static uint64_t reverse_bits(uint64_t v)
{
    uint64_t r = 0;

    for (unsigned n = 0; n < 64; n++, v >>= 1)
        r = r << 1 | (v & 1);
    return r;
}

static uint64_t multiply_add_doubles(uint64_t a, uint64_t b, uint64_t c)
{
    double product = (double)(int32_t)a * (double)(int32_t)b;
    double sum = product + (double)(int32_t)c;
    uint64_t bits;

    memcpy(&bits, &sum, sizeof(bits));
    return bits;
}

static uint64_t compute_vector(uint64_t a, uint64_t b)
{
    uint64_t sum = a + b;
    uint32_t low = (uint32_t)sum * (uint32_t)a, high = (uint32_t)(sum >> 32) * (uint32_t)(a >> 32);

    return ((uint64_t)high << 32 | low) ^ b;
}

static uint64_t value_of(const struct operation *o, const struct state *s, unsigned to_go)
{
    const uint64_t d = s->x[o->d], a = s->x[o->a], b = s->x[o->b], c = s->x[o->c];

    switch (o->kind) {
    case ADD:
        return a + b;
    case SUB:
        return a - b;
    case AND:
        return a & b;
    case ORR:
        return a | b;
    case EOR:
        return a ^ b;
    case MADD:
        return a * b + c;
    case UMULH:
        return (uint64_t)((unsigned __int128)a * b >> 64);
    case UDIV:
        return b ? a / b : 0;
    case ROTATE:
        return a >> (b & 63) | a << (-b & 63);
    case REVERSE:
        return reverse_bits(a);
    case SELECT:
        return a < b ? a : c;
    case CARRY:
        return c + (a + b < a);
    case SKIP:
        return d + (a >> (o->imm % 64) & 1 ? o->imm : 0);
    case LOAD:
        return s->memory[a % WORDS];
    case DOUBLES:
        return multiply_add_doubles(a, b, c);
    case VECTOR:
        return compute_vector(a, b);
    case PATCH:
        return d + to_go;
    }
    return d;
}

void program_evaluate(const struct program *p, struct state *s)
{
    *s = p->start;
    for (unsigned to_go = p->loops; to_go; to_go--) {
        for (unsigned n = 0; n < p->count; n++) {
            const struct operation *o = &p->operations[n];

            if (o->kind == STORE)
                s->memory[s->x[o->a] % WORDS] = s->x[o->d];
            else if (o->kind == CALL)
                s->x[0] = s->x[0] * s->x[1] + s->x[2];
            else
                s->x[o->d] = value_of(o, s, to_go);
        }
    }
}

/* ---- encoding -------------------------------------------------------------------------------- */

struct out {
    uint32_t *code;
    size_t len;
};

static void put_word(struct out *o, uint32_t word)
{
    o->code[o->len++] = word;
}

/* Operations with two source registers; the second one is 0 if there is only one. */
static void put_three_registers(struct out *o, uint32_t op, unsigned d, unsigned a, unsigned b)
{
    put_word(o, op | b << 16 | a << 5 | d);
}

static const uint32_t two_sources[KINDS] = {
    [ADD] = 0x8b000000, [SUB] = 0xcb000000,   [AND] = 0x8a000000,  [ORR] = 0xaa000000,
    [EOR] = 0xca000000, [UMULH] = 0x9bc07c00, [UDIV] = 0x9ac00800, [ROTATE] = 0x9ac02c00,
};

static void put_doubles(struct out *o, const struct operation *op)
{
    put_three_registers(o, 0x1e620000, 0, op->a, 0); /* scvtf d0, wA */
    put_three_registers(o, 0x1e620000, 1, op->b, 0);
    put_three_registers(o, 0x1e600800, 0, 0, 1); /* fmul d0, d0, d1 */
    put_three_registers(o, 0x1e620000, 1, op->c, 0);
    put_three_registers(o, 0x1e602800, 0, 0, 1);     /* fadd d0, d0, d1 */
    put_three_registers(o, 0x9e660000, op->d, 0, 0); /* fmov xD, d0 */
}

static void put_vector(struct out *o, const struct operation *op)
{
    put_three_registers(o, 0x4e080c00, 0, op->a, 0); /* dup v0.2d, xA */
    put_three_registers(o, 0x4e080c00, 1, op->b, 0);
    put_three_registers(o, 0x4ee08400, 2, 0, 1);     /* add v2.2d, v0.2d, v1.2d */
    put_three_registers(o, 0x4ea09c00, 2, 2, 0);     /* mul v2.4s, v2.4s, v0.4s */
    put_three_registers(o, 0x6e201c00, 2, 2, 1);     /* eor v2.16b, v2.16b, v1.16b */
    put_three_registers(o, 0x4e183c00, op->d, 2, 0); /* mov xD, v2.d[1] */
}

/* Writes the loop counter into the immediate of the next `add`. */
static void put_patch(struct out *o, const struct operation *op)
{
    const uint32_t add = 0x91000000u | op->d << 5 | op->d;

    put_word(o, 0x10000000u | 12 << 5 | TEMP);              /* adr x11, add */
    put_word(o, 0x92402c00u | COUNTER << 5 | TEMP3);        /* and x13, x9, #0xfff */
    put_word(o, 0x52800000u | (add & 0xffff) << 5 | TEMP2); /* mov w12, add */
    put_word(o, 0x72a00000u | add >> 16 << 5 | TEMP2);
    put_three_registers(o, 0x2a002800, TEMP2, TEMP2, TEMP3); /* orr w12, w12, w13, lsl #10 */
    put_three_registers(o, 0xb9000000, TEMP2, TEMP, 0);      /* str w12, [x11] */
    put_word(o, 0xd50b7b20u | TEMP);                         /* dc cvau, x11 */
    put_word(o, 0xd5033b9f);                                 /* dsb ish */
    put_word(o, 0xd50b7520u | TEMP);                         /* ic ivau, x11 */
    put_word(o, 0xd5033b9f);
    put_word(o, 0xd5033fdf); /* isb */
    put_word(o, 0xd503201f); /* nop */
    put_word(o, add);
}

static void put_memory(struct out *o, const struct operation *op)
{
    put_word(o, 0x92401400u | op->a << 5 | TEMP); /* and x11, xA, #63 */
    put_word(o, 0x91000000u | REGISTERS * 8 << 10 | BASE << 5 | TEMP2);
    put_three_registers(o, op->kind == LOAD ? 0xf8607800 : 0xf8207800, op->d, TEMP2, TEMP);
}

/* Appends an operation; `function` is the place that CALL calls. */
static void put_operation(struct out *o, const struct operation *op, size_t function)
{
    switch (op->kind) {
    case MADD:
        put_three_registers(o, 0x9b000000u | op->c << 10, op->d, op->a, op->b);
        break;
    case REVERSE:
        put_three_registers(o, 0xdac00000, op->d, op->a, 0);
        break;
    case SELECT:
        put_three_registers(o, 0xeb000000, ZERO, op->a, op->b);  /* cmp */
        put_three_registers(o, 0x9a803000, op->d, op->a, op->c); /* csel lo */
        break;
    case CARRY:
        put_three_registers(o, 0xab000000, ZERO, op->a, op->b); /* cmn */
        put_three_registers(o, 0x9a000000, op->d, op->c, ZERO); /* adc */
        break;
    case SKIP:
        put_word(o,
                 0x36000000u | (op->imm % 64 / 32u) << 31 | op->imm % 32u << 19 | 2 << 5 | op->a);
        put_word(o, 0x91000000u | (uint32_t)op->imm << 10 | op->d << 5 | op->d);
        break;
    case LOAD:
    case STORE:
        put_memory(o, op);
        break;
    case CALL:
        put_word(o, 0x94000000u | ((uint32_t)(function - o->len) & 0x3ffffff));
        break;
    case DOUBLES:
        put_doubles(o, op);
        break;
    case VECTOR:
        put_vector(o, op);
        break;
    case PATCH:
        put_patch(o, op);
        break;
    default:
        put_three_registers(o, two_sources[op->kind], op->d, op->a, op->b);
    }
}

/* Loads registers from the state, or stores them to it. */
static void put_registers(struct out *o, uint32_t pair)
{
    for (unsigned n = 0; n < REGISTERS; n += 2)
        put_word(o, pair | n << 15 | (n + 1) << 10 | BASE << 5 | n);
}

size_t program_encode(const struct program *p, uint32_t *code)
{
    struct out o = {code, 0};
    size_t function, top;

    put_word(&o, 0x14000003); /* entry: jumps over the function that CALL calls */
    function = o.len;
    put_three_registers(&o, 0x9b000800, 0, 0, 1);       /* madd x0, x0, x1, x2 */
    put_word(&o, 0xd65f03c0);                           /* ret */
    put_three_registers(&o, 0xaa000000, BASE, ZERO, 0); /* mov x8, x0 */
    put_three_registers(&o, 0xaa000000, LINK, ZERO, LR);
    put_registers(&o, 0xa9400000);
    put_word(&o, 0xd2800000u | p->loops << 5 | COUNTER);
    top = o.len;
    for (unsigned n = 0; n < p->count; n++)
        put_operation(&o, &p->operations[n], function);
    put_word(&o, 0xf1000400u | COUNTER << 5 | COUNTER); /* subs */
    put_word(&o, 0x54000001u | ((uint32_t)(top - o.len) & 0x7ffff) << 5);
    put_registers(&o, 0xa9000000);
    put_three_registers(&o, 0xaa000000, LR, ZERO, LINK);
    put_word(&o, 0xd65f03c0);
    return o.len;
}
