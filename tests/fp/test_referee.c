/*
 * Every instruction of OPS_FILE (a64_ops.def, half_ops.def, a32_ops.def), executed by the referee
 * and computed by runtime/fp from the same random operands under the same FPCR: registers and FPSR
 * must be equal to the last bit.
 *
 *   test_referee [--cases N] [--seed N] [--op NAME] -- REFEREE...
 *
 * REFEREE is the command that runs the guest program, N cases are made per instruction.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fill.h"
#include "referee.h"
#include "runtime/fp/arm_crypto.h"
#include "runtime/fp/fp.h"
#include "runtime/fp/fp_half.h"
#include "tests/referee/pipes.h"
#include "tests/referee/process.h"

#define REPORTED_PER_OP 5

#define S(i)      ((uint32_t)request->v[i][0])
#define D(i)      (request->v[i][0])
#define H(i)      ((uint16_t)request->v[i][0])
#define W(i)      ((uint32_t)request->v[i][0])
#define X(i)      (request->v[i][0])
#define Q(i)      request->v[i][0], request->v[i][1]
#define F         request->fpcr, &reply->fpsr
#define RMODE     ((request->fpcr & FP_CONTROL_ROUND) >> FP_CONTROL_ROUND_SHIFT)
#define RV(value) (reply->v[0] = (value), reply->v[1] = 0)
#define RS(value) RV((uint32_t)(value))
#define RH(value) RV((uint16_t)(value))
#define RD(value) RV((uint64_t)(value))
#define RW(value) (reply->x = (uint32_t)(value))
#define RX(value) (reply->x = (value))
#define RN(value) (reply->nzcv = (value))
#define RQ        &reply->v[0], &reply->v[1]

#define OP(name, instruction, operands, statement)                                 \
    static void compute_##name(const struct request *request, struct reply *reply) \
    {                                                                              \
        statement;                                                                 \
    }
#include OPS_FILE
#undef OP

static const struct op {
    const char *name;
    const char *instruction;
    void (*fill)(struct random *random, struct request *request);
    void (*compute)(const struct request *request, struct reply *reply);
} ops[] = {
#define OP(name, instruction, operands, statement) \
    {#name, instruction, fill_##operands, compute_##name},
#include OPS_FILE
#undef OP
};

#define OPS (sizeof(ops) / sizeof(*ops))

static bool referee_ask(const struct referee *referee, const struct request *requests,
                        struct reply *replies, uint32_t count)
{
    return write_all(referee->to, &count, sizeof(count)) &&
           write_all(referee->to, requests, count * sizeof(*requests)) &&
           read_all(referee->from, replies, count * sizeof(*replies));
}

static void make_request(struct random *random, uint32_t op, struct request *request)
{
    uint32_t bits = (uint32_t)(random_next(random) >> 32);

    request->op = op;
    request->fpcr = bits & (FP_CONTROL_ROUND | FP_CONTROL_FLUSH | FP_CONTROL_DEFAULT_NAN |
                            FP_CONTROL_ALTERNATIVE_HALF | FP_CONTROL_FLUSH_HALF);
    /* The usual modes oftener: to nearest, nothing flushed. */
    if (bits & 1)
        request->fpcr &= ~FP_CONTROL_ROUND;
    if (bits & 2)
        request->fpcr &= ~FP_CONTROL_FLUSH;
    for (int i = 0; i < 4; i++)
        for (int half = 0; half < 2; half++)
            request->v[i][half] = random_next(random);
    ops[op].fill(random, request);
}

static void print_reply(const char *who, const struct reply *reply)
{
    printf("  %-8s v0 %016" PRIx64 "%016" PRIx64 " x0 %016" PRIx64 " nzcv %x fpsr %08x\n", who,
           reply->v[1], reply->v[0], reply->x, reply->nzcv, reply->fpsr);
}

static void print_difference(const struct request *request, const struct reply *expected,
                             const struct reply *computed, uint32_t fpsr)
{
    printf("%s (%s): fpcr %08x, fpsr before %08x\n", ops[request->op].name,
           ops[request->op].instruction, request->fpcr, fpsr);
    for (int i = 0; i < 4; i++)
        printf("  v%d %016" PRIx64 "%016" PRIx64 "\n", i, request->v[i][1], request->v[i][0]);
    print_reply("referee", expected);
    print_reply("computed", computed);
}

/*
 * Computes with FPSR at `fpsr` and compares. With IXC set the fast paths are taken, without it
 * their proofs of exactness are tried.
 */
static bool check_reply(const struct request *request, struct reply expected, uint32_t fpsr,
                        bool report)
{
    struct reply computed = {{request->v[0][0], request->v[0][1]}, 0, 0, fpsr};

    expected.fpsr |= fpsr;
    ops[request->op].compute(request, &computed);
    if (memcmp(&computed, &expected, sizeof(computed)) == 0)
        return true;
    if (report)
        print_difference(request, &expected, &computed, fpsr);
    return false;
}

/* Runs an instruction's cases. Returns the number that differ, or -1 if the referee has ended. */
static long run_op(const struct referee *referee, uint32_t op, uint64_t seed, uint32_t cases)
{
    static struct request requests[REFEREE_BATCH];
    static struct reply replies[REFEREE_BATCH];
    struct random random = {seed * 1000003 + op};
    long wrong = 0;

    while (cases > 0) {
        uint32_t count = cases < REFEREE_BATCH ? cases : REFEREE_BATCH;

        for (uint32_t i = 0; i < count; i++)
            make_request(&random, op, &requests[i]);
        if (!referee_ask(referee, requests, replies, count)) {
            printf("the referee broke off at %s\n", ops[op].name);
            return -1;
        }
        for (uint32_t i = 0; i < count; i++) {
            wrong += !check_reply(&requests[i], replies[i], 0, wrong < REPORTED_PER_OP);
            wrong +=
                !check_reply(&requests[i], replies[i], FP_FLAG_INEXACT, wrong < REPORTED_PER_OP);
        }
        cases -= count;
    }
    if (wrong > 0)
        printf("%s: %ld differ\n", ops[op].name, wrong);
    return wrong;
}

int main(int argc, char **argv)
{
    uint32_t cases = 1000;
    uint64_t seed = 1;
    const char *only = NULL;
    struct referee referee;
    long wrong = 0;
    unsigned run = 0;
    int i;

    for (i = 1; i + 1 < argc && strcmp(argv[i], "--") != 0; i += 2) {
        if (strcmp(argv[i], "--cases") == 0)
            cases = (uint32_t)strtoul(argv[i + 1], NULL, 0);
        else if (strcmp(argv[i], "--seed") == 0)
            seed = strtoull(argv[i + 1], NULL, 0);
        else if (strcmp(argv[i], "--op") == 0)
            only = argv[i + 1];
        else
            break;
    }
    if (i + 1 >= argc || strcmp(argv[i], "--") != 0) {
        fprintf(stderr, "usage: %s [--cases N] [--seed N] [--op NAME] -- REFEREE...\n", argv[0]);
        return 2;
    }
    printf("seed %" PRIu64 ", %u cases an instruction\n", seed, cases);
    if (!referee_start(&referee, argv + i + 1)) {
        fprintf(stderr, "test_referee: %s\n", strerror(errno));
        return 2;
    }
    for (uint32_t op = 0; op < OPS && wrong >= 0; op++) {
        long result;

        if (only != NULL && strcmp(only, ops[op].name) != 0)
            continue;
        result = run_op(&referee, op, seed, cases);
        wrong = result < 0 ? -1 : wrong + result;
        run++;
    }
    referee_stop(&referee);
    printf("%u instructions, %ld differences\n", run, wrong);
    return wrong != 0 || run == 0;
}
