/* Where programs with random input begin, unless their command line says so. */
#ifndef GENCC_REFEREE_SEED_H
#define GENCC_REFEREE_SEED_H

#include <stdint.h>

/*
 * The number in the environment's GENCC_SEED, by which scripts/test makes a verdict repeatable; another one each
 * time, below 2^32, where that is not set.
 */
uint64_t seed_default(void);

#endif
