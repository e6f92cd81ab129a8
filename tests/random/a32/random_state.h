/* The random state that sequences of A32 and T32 start from, and values of FPSCR. */
#ifndef TESTS_RANDOM_A32_RANDOM_STATE_H
#define TESTS_RANDOM_A32_RANDOM_STATE_H

#include "tests/random/sequence.h"

/* FPSCR with any condition flags, and mostly with the usual control or no cumulative flags. */
static inline uint32_t random_fpscr(struct generator *g)
{
    uint32_t fpscr = below(g, 16) << 28;

    fpscr |= one_in(g, 2) ? 0 : (uint32_t)random_next(&g->random) & FPSCR_CONTROL;
    fpscr |= one_in(g, 2) ? 0 : (uint32_t)random_next(&g->random) & FPSCR_CUMULATIVE;
    fpscr |= one_in(g, 3) ? 0x10 : 0; /* what programs mostly have: inexact */
    return fpscr;
}

static inline void a32_random_state(struct generator *g, struct state *s)
{
    memset(s, 0, sizeof(*s));
    for (unsigned i = 0; i < 15; i++)
        s->r[i] = (uint32_t)(random_integer(&g->random) >> (one_in(g, 2) ? 32 : 0));
    for (unsigned i = 0; i < 32; i += 2)
        random_vector(g, &s->d[i]);
    s->cpsr = (uint32_t)random_next(&g->random) & 0xf80f0000u;
    s->fpscr = random_fpscr(g);
}

#endif
