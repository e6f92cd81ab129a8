/* Processes by MPI, if the program is built with it and runs under mpirun. */
#include "programs/mali-dse/ranks.h"

#ifdef DSE_MPI
#include <mpi.h>
#include <stdlib.h>

struct ranks ranks_begin(void)
{
    struct ranks r = {0, 1, false};
    int number, count;

    /* MPI is used under mpirun only, since Open MPI otherwise starts a daemon. */
    if (!getenv("OMPI_COMM_WORLD_SIZE") && !getenv("PMI_SIZE"))
        return r;
    if (MPI_Init(NULL, NULL) == MPI_SUCCESS &&
        MPI_Comm_rank(MPI_COMM_WORLD, &number) == MPI_SUCCESS &&
        MPI_Comm_size(MPI_COMM_WORLD, &count) == MPI_SUCCESS)
        r = (struct ranks){(unsigned)number, (unsigned)count, true};
    return r;
}

bool ranks_all(const void *ranks, bool good)
{
    const struct ranks *r = ranks;
    int mine = good, all = good;

    if (r->mpi)
        MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return all;
}

void ranks_end(const struct ranks *r)
{
    if (r->mpi)
        MPI_Finalize();
}
#else
struct ranks ranks_begin(void)
{
    return (struct ranks){0, 1, false};
}

bool ranks_all(const void *ranks, bool good)
{
    (void)ranks;
    return good;
}

void ranks_end(const struct ranks *r)
{
    (void)r;
}
#endif
