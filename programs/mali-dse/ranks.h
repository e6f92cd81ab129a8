/* Processes started together by MPI; without MPI, or without mpirun, there is one. */
#ifndef PROGRAMS_MALI_DSE_RANKS_H
#define PROGRAMS_MALI_DSE_RANKS_H

#include <stdbool.h>

struct ranks {
    unsigned number, count;
    bool mpi;
};

/* Determines the number of processes and the rank of this one. */
struct ranks ranks_begin(void);
/* A barrier of all processes of a struct ranks. Returns whether all of them passed `good`. */
bool ranks_all(const void *ranks, bool good);
void ranks_end(const struct ranks *r);

#endif
