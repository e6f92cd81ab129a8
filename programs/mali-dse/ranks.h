/* Processes that MPI started together; without MPI, or mpirun, there is one. */
#ifndef PROGRAMS_MALI_DSE_RANKS_H
#define PROGRAMS_MALI_DSE_RANKS_H

#include <stdbool.h>

struct ranks {
    unsigned number, count;
    bool mpi;
};

/* Finds out who we are. */
struct ranks ranks_begin(void);
/* Of a struct ranks: returns when all have come here; whether all came with `good`. */
bool ranks_all(const void *ranks, bool good);
void ranks_end(const struct ranks *r);

#endif
