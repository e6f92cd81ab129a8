/* Faults of accesses of flat guest memory, and exceptions of floats: they continue on the trace's
 * slow path. */
#include "runtime/jit/quick/target.h"

#include "runtime/cpu/fault.h"

/* Called in a signal handler on the thread that runs guest code: no list is being changed then. */
static const struct region *region_at(const struct jit *jit, uintptr_t pc)
{
    const struct region *r = jit->newest;

    while (r && !(r->quick && pc - (uintptr_t)r->code < r->text_size))
        r = r->all_next;
    return r;
}

static bool on_fault(void *opaque, const siginfo_t *info, ucontext_t *context)
{
    struct q_tier *q = opaque;
    uintptr_t pc = q_target.signal_pc(context);
    const struct region *r = region_at(q->jit, pc);

    if (!r)
        return false;
    q->was_inexact = info->si_signo == SIGFPE && info->si_code == FPE_FLTRES;
    for (size_t n = 0; n < r->quick->faults.len; n++) {
        const struct q_fault *f = &r->quick->faults.data[n];

        if ((uintptr_t)r->code + f->at == pc) {
            q_target.set_signal_pc(context, (uintptr_t)r->code + f->to);
            return true;
        }
    }
    return false;
}

bool quick_catch_faults(struct q_tier *q, struct error *err)
{
    if (!q->faults && !fault_add(on_fault, q))
        return error_set(err, "faults of translated code cannot be caught");
    q->faults = true;
    return true;
}

void quick_release_faults(struct q_tier *q)
{
    if (q->faults)
        fault_remove(on_fault, q);
    q->faults = false;
}
