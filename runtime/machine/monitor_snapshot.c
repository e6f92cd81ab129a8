/* The monitor's commands for snapshots. */
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/machine/debugger.h"
#include "runtime/machine/history.h"
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
    struct machine_snapshots *s;

    if (c->m->history)
        return error_set(err, "-reverse has a history of its own: goto");
    s = machine_snapshots(c->m);
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

static bool has_history(const struct monitor_call *c, struct error *err)
{
    return c->m->history || error_set(err, "there is no history without -reverse");
}

bool monitor_history(const struct monitor_call *c, struct error *err)
{
    if (!has_history(c, err))
        return false;
    history_print(c->m, c->out);
    return true;
}

bool monitor_goto(const struct monitor_call *c, struct error *err)
{
    char *end;
    double seconds = strtod(c->arg, &end);

    if (!has_history(c, err))
        return false;
    if (end == c->arg || *end || !(seconds >= 0 && seconds < 1e9))
        return error_set(err, "goto takes seconds of virtual time, not '%s'", c->arg);
    if (!c->m->debugger || !debugger_is_connected(c->m))
        c->m->paused = true;
    return history_go_to(c->m, (uint64_t)(seconds * 1e9), err);
}
