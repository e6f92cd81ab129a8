/* Threads: CPUs of the group, their exceptions, and resuming them when a wait is over. */
#include "runtime/base/alloc.h"
#include "runtime/user/user.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/bits.h"
#include "runtime/user/event_fd.h"

/* Interval of polling changes without notification (shared memory, file locks), in ns. */
#define SHARED_POLL_NS UINT64_C(1000000)

/* ---- what a CPU reports ---------------------------------------------------------------------- */

static siginfo_t illegal_instruction(const struct cpu *cpu)
{
    siginfo_t info = {.si_signo = SIGILL, .si_code = ILL_ILLOPC};

    info.si_addr = (void *)cpu_pc(cpu);
    return info;
}

/* Stands for the exception's own address until that is set. */
#define AT_ADDRESS ((void *)-1)

/* Sets signal and code of an exception, or of a fault of memory, if the ABI has them. */
static void find_signal(struct thread *t, uint32_t klass, bool is_fault, siginfo_t *info)
{
    for (unsigned n = 0; n < user_abi.exception_count; n++) {
        const struct user_exception *e = &user_abi.exceptions[n];
        uint64_t word = 0;

        if (e->klass != klass || e->is_fault != is_fault)
            continue;
        if (e->mask && (guest_get_number(t, cpu_pc(t->cpu), &word, sizeof(uint32_t)) ||
                        (word & e->mask) != e->value))
            continue;
        info->si_signo = e->signal;
        info->si_code = e->code;
        if (e->at_address)
            info->si_addr = AT_ADDRESS;
        return;
    }
}

static void on_exception(struct cpu *cpu, uint32_t klass, uint64_t code)
{
    struct thread *t = cpu_hooks(cpu)->opaque;
    siginfo_t info = illegal_instruction(cpu);

    if (klass == user_abi.call_class) {
        call_enter(t);
        return;
    }
    find_signal(t, klass, false, &info);
    if (info.si_addr == AT_ADDRESS)
        info.si_addr = (void *)code;
    signal_fault(t, &info);
}

static bool at_breakpoint(struct thread *t, const struct cpu *cpu)
{
    for (unsigned n = 0; n < user_abi.breakpoint_count; n++) {
        const struct user_breakpoint *b = &user_abi.breakpoints[n];
        uint32_t word = 0;

        if (b->mode == cpu_mode(cpu) && !guest_get(t, cpu_pc(cpu), &word, b->bytes) &&
            (word & b->mask) == b->value)
            return true;
    }
    return false;
}

static void on_undefined(struct cpu *cpu)
{
    siginfo_t info = illegal_instruction(cpu);

    if (at_breakpoint(cpu_hooks(cpu)->opaque, cpu)) {
        info.si_signo = SIGTRAP;
        info.si_code = TRAP_BRKPT;
    }
    signal_fault(cpu_hooks(cpu)->opaque, &info);
}

static void on_memory_fault(struct cpu *cpu, uint64_t va, uint32_t access, uint32_t code)
{
    struct thread *t = cpu_hooks(cpu)->opaque;
    siginfo_t info = {.si_signo = SIGSEGV, .si_code = SEGV_MAPERR};

    info.si_addr = (void *)(access == CPU_FETCH ? va : space_untag(&t->process->space, va));
    if (code == SPACE_NOT_ALLOWED) {
        info.si_code = SEGV_ACCERR;
    } else if (code == SPACE_PAST_FILE) {
        info.si_signo = SIGBUS;
        info.si_code = BUS_ADRERR;
    } else if (code == CPU_FAULT_ALIGNMENT) {
        info.si_signo = SIGBUS;
        info.si_code = BUS_ADRALN;
    } else {
        find_signal(t, code, true, &info);
    }
    signal_fault(cpu_hooks(cpu)->opaque, &info);
}

static uint32_t on_translate(struct cpu *cpu, uint64_t va, uint32_t access, uint32_t ring,
                             uint64_t *pa, uint32_t *flags)
{
    const struct thread *t = cpu_hooks(cpu)->opaque;

    (void)ring;
    return space_translate(&t->process->space, va, access, pa, flags);
}

/* ---- life ------------------------------------------------------------------------------------ */

static void on_deadline(void *opaque)
{
    struct thread *t = opaque;

    t->wait.due = true;
}

static struct cpu *take_cpu(struct process *p, struct error *err)
{
    if (p->free_cpus.len)
        return p->free_cpus.data[--p->free_cpus.len];
    return cpu_new(user_abi.isa, p->cpus++, p->bus, &p->clock, p->log, err);
}

struct thread *thread_new(struct process *p, struct error *err)
{
    struct cpu *cpu = take_cpu(p, err);
    struct thread *t;

    if (!cpu)
        return NULL;
    t = xcalloc(1, sizeof(*t));
    t->process = p;
    t->cpu = cpu;
    t->tid = p->next_tid++;
    t->alt.ss_flags = SS_DISABLE;
    event_init(&t->wait.timer, on_deadline, t);
    cpu_choice_apply(&p->choice, cpu);
    cpu_reset(cpu);
    *cpu_hooks(cpu) = (struct cpu_hooks){
        .opaque = t,
        .exception = on_exception,
        .undefined = on_undefined,
        .memory_fault = on_memory_fault,
        .translate = on_translate,
    };
    user_start(cpu);
    vec_push(&p->new_threads, t);
    return t;
}

static size_t count_alive(const struct process *p)
{
    size_t count = p->new_threads.len;

    for (size_t n = 0; n < p->threads.len; n++)
        count += !p->threads.data[n]->dead;
    return count;
}

void thread_end(struct thread *t, int code)
{
    struct process *p = t->process;
    uint32_t zero = 0;

    clock_cancel(&p->clock, &t->wait.timer);
    t->dead = true;
    cpu_set_power(t->cpu, false);
    futex_release_all(t);
    if (t->clear_tid && !guest_put(t, t->clear_tid, &zero, sizeof(zero)))
        futex_wake(p, t->clear_tid, 1, ~0u);
    if (!count_alive(p))
        process_end(p, code, 0);
}

void thread_alone(struct thread *t)
{
    struct process *p = t->process;

    for (size_t n = 0; n < p->threads.len; n++) {
        struct thread *other = p->threads.data[n];

        if (other == t)
            continue;
        clock_cancel(&p->clock, &other->wait.timer);
        other->dead = true;
        cpu_set_power(other->cpu, false);
    }
    for (size_t n = 0; n < p->new_threads.len; n++)
        p->new_threads.data[n]->dead = true;
}

static void recycle_thread(struct process *p, struct thread *t)
{
    cpu_group_remove(&p->group, t->cpu);
    vec_push(&p->free_cpus, t->cpu);
    vec_free(&t->wait.fds);
    vec_free(&t->pending.queue);
    free(t);
}

void thread_settle(struct process *p)
{
    size_t kept = 0;

    for (size_t n = 0; n < p->new_threads.len; n++) {
        struct thread *t = p->new_threads.data[n];

        cpu_group_add(&p->group, t->cpu);
        space_set_flat(&p->space, t->cpu);
        cpu_set_power(t->cpu, !t->dead);
        vec_push(&p->threads, t);
    }
    p->new_threads.len = 0;
    for (size_t n = 0; n < p->threads.len; n++) {
        if (p->threads.data[n]->dead)
            recycle_thread(p, p->threads.data[n]);
        else
            p->threads.data[kept++] = p->threads.data[n];
    }
    p->threads.len = kept;
}

/* ---- waiting --------------------------------------------------------------------------------- */

bool thread_any_runs(const struct process *p)
{
    for (size_t n = 0; n < p->threads.len; n++) {
        if (cpu_is_powered(p->threads.data[n]->cpu))
            return true;
    }
    return false;
}

static bool is_shared_futex(const struct thread *t)
{
    const struct area *a;

    if (t->wait.kind != WAIT_FUTEX)
        return false;
    a = space_find(&t->process->space, t->wait.futex);
    return a && a->shared && (t->process->related || a->name); /* name: of a file or segment */
}

/* Whether the thread waits for a change without notification. */
static bool is_polled(const struct thread *t)
{
    return t->wait.kind == WAIT_RETRY || is_shared_futex(t);
}

static bool is_ready(struct thread *t)
{
    switch (t->wait.kind) {
    case WAIT_FDS:
        return poll(t->wait.fds.data, t->wait.fds.len, 0) > 0;
    case WAIT_CHILD:
    case WAIT_RETRY:
        return true;
    default:
        return is_shared_futex(t);
    }
}

static void attend_thread(struct thread *t)
{
    if (t->waits) {
        if (signal_waits(t))
            call_resume(t, RESUME_SIGNAL);
        else if (t->wait.kind == WAIT_SIGNAL && (signal_pending(t) & t->wait.signals))
            call_resume(t, RESUME_READY);
        else if (t->wait.due && is_polled(t))
            call_resume(t, RESUME_TIMEOUT);
        else if (is_ready(t))
            call_resume(t, RESUME_READY);
        else if (t->wait.due)
            call_resume(t, RESUME_TIMEOUT);
    } else {
        signal_deliver(t);
    }
}

void thread_attend(struct process *p)
{
    for (size_t n = 0; n < p->threads.len && !p->ended; n++) {
        if (!p->threads.data[n]->dead)
            attend_thread(p->threads.data[n]);
    }
}

/* Whether all descriptors are timerfds and signalfds, which only this process makes ready. */
static bool all_inside(const struct process *p, const struct wait *w)
{
    vec_for_each (&w->fds, fd) {
        if (fd->fd >= 0 && !event_fd_find(p, fd->fd))
            return false;
    }
    return w->fds.len > 0;
}

/* Whether a thread waits for the host. Appends all awaited file descriptors to *fds; sets *shared
 * if a wait must be polled. */
static bool outside_waits(const struct process *p, struct pollfd **fds, unsigned *count,
                          bool *shared)
{
    bool any = false;

    for (size_t n = 0; n < p->threads.len; n++) {
        const struct wait *w = &p->threads.data[n]->wait;

        *shared |= is_polled(p->threads.data[n]);
        any |= (w->kind == WAIT_FDS && !all_inside(p, w)) || w->kind == WAIT_CHILD;
        if (w->kind != WAIT_FDS || !w->fds.len)
            continue;
        *fds = xrealloc(*fds, *count + w->fds.len, sizeof(**fds));
        memcpy(*fds + *count, w->fds.data, w->fds.len * sizeof(**fds));
        *count += (unsigned)w->fds.len;
    }
    return any || *shared;
}

void thread_idle(struct process *p)
{
    uint64_t next = clock_next(&p->clock), now = process_now(p), timeout = CLOCK_NEVER, due = 0;
    struct pollfd *fds = NULL;
    unsigned count = 0;
    bool shared = false, outside = outside_waits(p, &fds, &count, &shared);
    enum user_clock mode = p->options->clock;

    if (next != CLOCK_NEVER)
        timeout = due = next > now ? next - now : 0;
    if (shared && timeout > SHARED_POLL_NS)
        timeout = SHARED_POLL_NS;
    if (next != CLOCK_NEVER && !outside && mode != USER_CLOCK_HOST &&
        (mode == USER_CLOCK_VIRTUAL || !p->related))
        timeout = due = 0;
    if (!host_signal_poll(fds, count, timeout) && next != CLOCK_NEVER) {
        if (due <= timeout)
            cpu_group_turn(&p->group); /* virtual time jumps to the event */
        else if (mode != USER_CLOCK_HOST)
            clock_advance_to(&p->clock, now + timeout); /* an interval of polling has passed */
    }
    free(fds);
}
