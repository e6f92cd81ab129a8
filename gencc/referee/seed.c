/*
 * The default seed of programs with random input.
 */
#include "gencc/referee/seed.h"

#include <stdlib.h>
#include <time.h>

uint64_t seed_default(void)
{
    const char *given = getenv("GENCC_SEED");
    struct timespec now;

    if (given && *given)
        return strtoull(given, NULL, 0);
    clock_gettime(CLOCK_REALTIME, &now);
    return ((uint64_t)now.tv_sec << 20 ^ (uint64_t)now.tv_nsec) & UINT32_MAX;
}
