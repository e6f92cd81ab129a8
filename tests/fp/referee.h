/*
 * The protocol between the host test and the referee's guest program: the host writes batches of
 * requests to the guest's standard input, and the guest answers each batch with one reply per
 * request. A batch is a 32-bit count (1..REFEREE_BATCH), then `count` requests. Requests and
 * replies are little-endian without padding.
 */
#ifndef TESTS_FP_REFEREE_H
#define TESTS_FP_REFEREE_H

#include <stdint.h>

#define REFEREE_BATCH 1024

/* Execute instruction `op` with v in registers v0..v3 (q0..q3), and v[1], v[2] in x1, x2. */
struct request {
    uint32_t op;
    uint32_t fpcr;
    uint64_t v[4][2];
};

/*
 * What registers v0 (q0) and x0 hold afterwards, and the flags; all but v0 were zero before. The
 * layout is the same for 32-bit guests. AArch32 has no fpsr, but these bits of its FPSCR are alike.
 */
struct reply {
    uint64_t v[2];
    uint64_t x;
    uint32_t nzcv;
    uint32_t fpsr;
};

#endif
