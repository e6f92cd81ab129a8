/* The monitor's commands for snapshots. */
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/machine/monitor_internal.h"
#include "runtime/machine/snapshot.h"

bool monitor_savevm(const struct monitor_call *c, struct error *err)
{
    struct machine_snapshots *s;
    bool later;

    if (machine_can_save(c->m, &later, err))
        return machine_save(c->m, c->arg, err);
    if (!later)
        return false;
    s = machine_snapshots(c->m);
    free(s->wanted);
    s->wanted = xstrdup(c->arg);
    fprintf(c->out, "%s: it is taken when that has ended\n", err->text);
    return true;
}

/* Not at once: the debugger or the monitor that asks is in the middle of a turn's service. */
bool monitor_loadvm(const struct monitor_call *c, struct error *err)
{
    struct machine_snapshots *s = machine_snapshots(c->m);

    (void)err;
    free(s->load);
    s->load = xstrdup(c->arg);
    return true;
}

bool monitor_delvm(const struct monitor_call *c, struct error *err)
{
    return machine_delete_snapshot(c->m, c->arg, err);
}

bool monitor_snapshots(const struct monitor_call *c, struct error *err)
{
    return machine_list_snapshots(c->m, c->out, err);
}
