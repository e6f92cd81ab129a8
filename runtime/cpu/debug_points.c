/* Whether the debugger's breakpoints and watchpoints apply to an address. */
#include "runtime/cpu/debug_internal.h"

bool debug_breakpoint_at(const struct debug *d, uint64_t va)
{
    for (size_t n = 0; n < d->breakpoints.len; n++) {
        if (d->breakpoints.data[n] == va)
            return true;
    }
    return false;
}

bool debug_is_exact(const struct debug *d)
{
    return d->exact;
}

unsigned debug_before_breakpoint(const struct debug *d, const struct cpu *cpu, struct block *b)
{
    unsigned least = b->count;

    for (size_t n = 0; n < d->breakpoints.len; n++) {
        uint64_t at = d->breakpoints.data[n] - cpu->pc;

        if (at && at < b->bytes) {
            unsigned k = 1;

            while (k < least && block_insn(b, k)->offset != at)
                k++;
            least = k;
        }
    }
    return least;
}

bool debug_breakpoint_offset(const struct debug *d, uint64_t va)
{
    for (size_t n = 0; n < d->breakpoints.len; n++) {
        if (!((d->breakpoints.data[n] ^ va) & CPU_PAGE_MASK))
            return true;
    }
    return false;
}

static const struct debug_watchpoint *find_watch(const struct debug *d, uint64_t va, uint64_t len,
                                                 enum cpu_access access)
{
    for (size_t n = 0; n < d->watchpoints.len; n++) {
        const struct debug_watchpoint *w = &d->watchpoints.data[n];

        if ((w->kinds >> access & 1) && w->va <= va + (len - 1) && va <= w->va + (w->len - 1))
            return w;
    }
    return NULL;
}

bool debug_watched(const struct debug *d, uint64_t va, uint64_t len, enum cpu_access access)
{
    return find_watch(d, va, len, access) != NULL;
}

void debug_check_watch(struct cpu *cpu, const struct insn *i, uint64_t va, unsigned size,
                       enum cpu_access access)
{
    const struct debug_watchpoint *w = find_watch(cpu->debug, va, size, access);

    if (!w || cpu->debug_state == CPU_DEBUG_SKIPPED || !cpu->block)
        return;
    cpu->left.why = LEAVE_DEBUG;
    cpu->left.access = w->kinds;
    cpu->left.value = va > w->va ? va : w->va;
    cpu_leave(cpu, i);
}
