/* The default seed of programs with random input, used unless their command line gives one. */
#ifndef GENCC_REFEREE_SEED_H
#define GENCC_REFEREE_SEED_H

#include <stdint.h>

/*
 * Returns the number in the environment variable GENCC_SEED, with which scripts/test makes results
 * repeatable. If it is not set, returns a number below 2^32 that differs from run to run.
 */
uint64_t seed_default(void);

#endif
