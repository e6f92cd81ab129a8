/* Indirect branches: an interpreter of a stack machine whose program counts primes. */
#include "bench.h"

enum op { PUSH, LOAD, STORE, ADD, SUB, MUL, MOD, LESS, EQUAL, JUMP, JUMP_IF_NOT, PRINT, STOP };

struct code {
    uint8_t op;
    int32_t arg;
};

/* for (n = 2; n < limit; n++) { for (d = 2; d * d < n + 1; d++) if (n % d == 0) goto no; c++; no: }
 * with variables 0: n, 1: d, 2: c, 3: limit. */
static const struct code program[] = {
    {PUSH, 2}, {STORE, 0},                                                             /* 0 */
    {LOAD, 0}, {LOAD, 3},         {LESS, 0},  {JUMP_IF_NOT, 33},                       /* 2 */
    {PUSH, 2}, {STORE, 1},                                                             /* 6 */
    {LOAD, 1}, {LOAD, 1},         {MUL, 0},   {LOAD, 0},         {PUSH, 1}, {ADD, 0},  /* 8 */
    {LESS, 0}, {JUMP_IF_NOT, 26},                                                      /* 14 */
    {LOAD, 0}, {LOAD, 1},         {MOD, 0},   {JUMP_IF_NOT, 30},                       /* 16 */
    {LOAD, 1}, {PUSH, 1},         {ADD, 0},   {STORE, 1},        {JUMP, 8}, {STOP, 0}, /* 20 */
    {LOAD, 2}, {PUSH, 1},         {ADD, 0},   {STORE, 2},                              /* 26 */
    {LOAD, 0}, {PUSH, 1},         {JUMP, 36},                                          /* 30 */
    {LOAD, 2}, {PRINT, 0},        {STOP, 0},                                           /* 33 */
    {ADD, 0},  {STORE, 0},        {JUMP, 2},                                           /* 36 */
};

static int64_t run_program(int64_t limit)
{
    int64_t stack[16], var[4] = {0, 0, 0, limit}, printed = 0, *sp = stack;

    for (const struct code *c = program;; c++) {
        switch ((enum op)c->op) {
        case PUSH:
            *sp++ = c->arg;
            break;
        case LOAD:
            *sp++ = var[c->arg];
            break;
        case STORE:
            var[c->arg] = *--sp;
            break;
        case ADD:
            sp--;
            sp[-1] += sp[0];
            break;
        case SUB:
            sp--;
            sp[-1] -= sp[0];
            break;
        case MUL:
            sp--;
            sp[-1] *= sp[0];
            break;
        case MOD:
            sp--;
            sp[-1] %= sp[0];
            break;
        case LESS:
            sp--;
            sp[-1] = sp[-1] < sp[0];
            break;
        case EQUAL:
            sp--;
            sp[-1] = sp[-1] == sp[0];
            break;
        case JUMP:
            c = program + c->arg - 1;
            break;
        case JUMP_IF_NOT:
            if (!*--sp)
                c = program + c->arg - 1;
            break;
        case PRINT:
            printed = *--sp;
            break;
        case STOP:
            return printed;
        }
    }
}

int main(int argc, char **argv)
{
    unsigned rounds = bench_rounds(argc, argv);
    int64_t primes = 0;

    while (rounds--)
        primes += run_program(12000 + rounds % 7);
    printf("%lld\n", (long long)primes);
    return 0;
}
