/* Requests to end or restart a run; machine_run.c serves them at the end of the current turn. */
#include "runtime/machine/machine.h"

void machine_stop(struct machine *m, int status)
{
    if (!m->stop)
        m->status = status;
    m->stop = true;
    cpu_group_stop(&m->group);
}

void machine_request_reset(struct machine *m)
{
    m->reset_wanted = true;
    cpu_group_stop(&m->group);
}
