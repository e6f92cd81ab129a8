/* System calls: clocks, sleeping, interval timers. */
#include "runtime/base/alloc.h"
#include "runtime/user/user.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>

#include "runtime/base/bits.h"

/* The kernel's USER_HZ. */
#define TICKS 100

struct posix_timer {
    struct process *process;
    struct event event;
    struct user_sigevent how;
    int id, clock;
    uint64_t interval;
};

static struct timespec to_timespec(uint64_t ns)
{
    return (struct timespec){(time_t)(ns / NS_PER_SEC), (long)(ns % NS_PER_SEC)};
}

static struct timeval to_timeval(uint64_t ns)
{
    return (struct timeval){(time_t)(ns / NS_PER_SEC), (long)(ns % NS_PER_SEC / 1000)};
}

/* Converts a time to ns; false: not a valid time. Times beyond the range are CLOCK_NEVER. */
static bool from_timespec(struct timespec ts, uint64_t *ns)
{
    if (ts.tv_sec < 0 || (uint64_t)ts.tv_nsec >= NS_PER_SEC)
        return false;
    *ns = (uint64_t)ts.tv_sec >= CLOCK_NEVER / NS_PER_SEC - 1
              ? CLOCK_NEVER
              : (uint64_t)ts.tv_sec * NS_PER_SEC + (uint64_t)ts.tv_nsec;
    return true;
}

static uint64_t add_time(uint64_t a, uint64_t b)
{
    return a > CLOCK_NEVER - b ? CLOCK_NEVER : a + b;
}

/* ---- clocks ---------------------------------------------------------------------------------- */

static bool is_realtime(int clock)
{
    return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI ||
           clock == CLOCK_REALTIME_ALARM;
}

static bool is_clock(int clock)
{
    /* Negative numbers are CPU times of processes and threads. */
    return clock < 0 || (clock <= CLOCK_TAI && clock != 10);
}

static uint64_t clock_value(const struct process *p, int clock)
{
    return is_realtime(clock) ? process_realtime(p) : process_now(p);
}

int64_t sys_clock_gettime(struct thread *t, const uint64_t *arg)
{
    struct timespec ts = to_timespec(clock_value(t->process, (int)arg[0]));

    return is_clock((int)arg[0]) ? guest_put_struct(t, arg[1], &layout_timespec, &ts) : -EINVAL;
}

int64_t sys_clock_getres(struct thread *t, const uint64_t *arg)
{
    struct timespec ts = {0, 1};

    if (!is_clock((int)arg[0]))
        return -EINVAL;
    return arg[1] ? guest_put_struct(t, arg[1], &layout_timespec, &ts) : 0;
}

int64_t sys_clock_settime(struct thread *t, const uint64_t *arg)
{
    (void)t, (void)arg;
    return -EPERM;
}

int64_t sys_gettimeofday(struct thread *t, const uint64_t *arg)
{
    struct timeval tv = to_timeval(process_realtime(t->process));
    struct timezone tz = {0};

    if (arg[0] && guest_put_struct(t, arg[0], &layout_timeval, &tv))
        return -EFAULT;
    return arg[1] ? guest_put(t, arg[1], &tz, sizeof(tz)) : 0;
}

int64_t sys_times(struct thread *t, const uint64_t *arg)
{
    int64_t ticks = (int64_t)(process_now(t->process) / (NS_PER_SEC / TICKS));
    struct tms tms = {.tms_utime = ticks};

    if (arg[0] && guest_put_struct(t, arg[0], &layout_tms, &tms))
        return -EFAULT;
    return ticks;
}

int64_t sys_getrusage(struct thread *t, const uint64_t *arg)
{
    struct rusage usage;

    if (getrusage((int)arg[0], &usage))
        return -errno;
    if ((int)arg[0] != RUSAGE_CHILDREN) {
        usage.ru_utime = to_timeval(process_now(t->process));
        usage.ru_stime = to_timeval(0);
    }
    return guest_put_struct(t, arg[1], &layout_rusage, &usage);
}

/* ---- sleeping -------------------------------------------------------------------------------- */

static int64_t sleep_until(struct thread *t, uint64_t deadline, uint64_t remain_va, bool relative)
{
    uint64_t now = process_now(t->process);
    struct timespec rest;

    switch (t->wait.why) {
    case RESUME_TIMEOUT:
        return 0;
    case RESUME_SIGNAL:
        rest = to_timespec(t->wait.deadline > now ? t->wait.deadline - now : 0);
        if (relative && remain_va && guest_put_struct(t, remain_va, &layout_timespec, &rest))
            return -EFAULT;
        return relative ? -EINTR : CALL_REPEAT;
    default:
        return deadline <= now ? 0 : thread_wait(t, WAIT_TIME, deadline);
    }
}

int64_t sys_nanosleep(struct thread *t, const uint64_t *arg)
{
    struct timespec ts;
    uint64_t ns;

    if (guest_get_struct(t, arg[0], &layout_timespec, &ts))
        return -EFAULT;
    if (!from_timespec(ts, &ns))
        return -EINVAL;
    return sleep_until(t, add_time(process_now(t->process), ns), arg[1], true);
}

int64_t sys_clock_nanosleep(struct thread *t, const uint64_t *arg)
{
    bool absolute = arg[1] & TIMER_ABSTIME;
    int clock = (int)arg[0];
    struct timespec ts;
    uint64_t ns;

    if (guest_get_struct(t, arg[2], &layout_timespec, &ts))
        return -EFAULT;
    if (!is_clock(clock) || !from_timespec(ts, &ns))
        return -EINVAL;
    if (!absolute)
        ns = add_time(process_now(t->process), ns);
    else if (is_realtime(clock))
        ns = ns > t->process->start_ns ? ns - t->process->start_ns : 0;
    return sleep_until(t, ns, arg[3], !absolute);
}

/* ---- interval timers ------------------------------------------------------------------------- */

static const int alarm_signals[] = {SIGALRM, SIGVTALRM, SIGPROF};

static void ring_alarm(struct process *p, int which)
{
    siginfo_t info = {.si_signo = alarm_signals[which], .si_code = SI_KERNEL};

    signal_to_process(p, &info);
    if (p->alarm_interval[which])
        clock_add(&p->clock, &p->alarm[which],
                  add_time(p->alarm[which].when, p->alarm_interval[which]));
}

static void ring_real(void *opaque)
{
    ring_alarm(opaque, ITIMER_REAL);
}

static void ring_virtual(void *opaque)
{
    ring_alarm(opaque, ITIMER_VIRTUAL);
}

static void ring_prof(void *opaque)
{
    ring_alarm(opaque, ITIMER_PROF);
}

struct itimerval alarm_state(const struct process *p, int which)
{
    const struct event *e = &p->alarm[which];
    uint64_t now = process_now(p);
    struct itimerval state = {.it_interval = to_timeval(p->alarm_interval[which])};

    if (event_pending(e)) /* at least 1 us while the timer runs: 0 means stopped */
        state.it_value = to_timeval(e->when > now + 1000 ? e->when - now : 1000);
    return state;
}

int64_t sys_getitimer(struct thread *t, const uint64_t *arg)
{
    struct itimerval state;

    if (arg[0] >= ARRAY_SIZE(alarm_signals))
        return -EINVAL;
    state = alarm_state(t->process, (int)arg[0]);
    return guest_put_struct(t, arg[1], &layout_itimerval, &state);
}

static bool from_timeval(struct timeval tv, uint64_t *ns)
{
    return (uint64_t)tv.tv_usec < 1000000 &&
           from_timespec((struct timespec){tv.tv_sec, tv.tv_usec * 1000}, ns);
}

void alarm_set(struct process *p, unsigned which, uint64_t when, uint64_t interval)
{
    static void (*const fn[])(void *) = {ring_real, ring_virtual, ring_prof};

    clock_cancel(&p->clock, &p->alarm[which]);
    event_init(&p->alarm[which], fn[which], p);
    p->alarm_interval[which] = interval;
    if (when != CLOCK_NEVER)
        clock_add(&p->clock, &p->alarm[which], when);
}

int64_t sys_setitimer(struct thread *t, const uint64_t *arg)
{
    struct process *p = t->process;
    struct itimerval old, new = {0};
    uint64_t value, interval;

    if (arg[0] >= ARRAY_SIZE(alarm_signals))
        return -EINVAL;
    old = alarm_state(p, (int)arg[0]);
    if (arg[1] && guest_get_struct(t, arg[1], &layout_itimerval, &new))
        return -EFAULT;
    if (!from_timeval(new.it_value, &value) || !from_timeval(new.it_interval, &interval))
        return -EINVAL;
    alarm_set(p, (unsigned)arg[0], value ? add_time(process_now(p), value) : CLOCK_NEVER, interval);
    return arg[2] ? guest_put_struct(t, arg[2], &layout_itimerval, &old) : 0;
}

/* ---- POSIX timers ---------------------------------------------------------------------------- */

static void on_timer(void *opaque)
{
    struct posix_timer *timer = opaque;
    struct process *p = timer->process;
    siginfo_t info = {.si_signo = timer->how.signal, .si_code = SI_TIMER};
    struct thread *to =
        timer->how.notify == SIGEV_THREAD_ID ? thread_find(p, timer->how.tid) : NULL;

    info.si_timerid = timer->id;
    info.si_value.sival_ptr = (void *)(uintptr_t)timer->how.value;
    if (timer->how.notify == SIGEV_NONE)
        info.si_signo = 0;
    if (info.si_signo && to)
        signal_to_thread(to, &info);
    else if (info.si_signo)
        signal_to_process(p, &info);
    if (timer->interval)
        clock_add(&p->clock, &timer->event, add_time(timer->event.when, timer->interval));
}

static struct posix_timer *find_timer(struct process *p, uint64_t id)
{
    return id < p->timers.len ? p->timers.data[id] : NULL;
}

int64_t sys_timer_create(struct thread *t, const uint64_t *arg)
{
    struct process *p = t->process;
    struct user_sigevent how = {.signal = SIGALRM, .notify = SIGEV_SIGNAL};
    struct posix_timer *timer;
    int32_t id = 0;

    if (!is_clock((int)arg[0]))
        return -EINVAL;
    if (arg[1] && guest_get_struct(t, arg[1], &layout_sigevent, &how))
        return -EFAULT;
    if (arg[1])
        how.signal = (int32_t)number_to_host(USER_SIGNAL, (uint32_t)how.signal);
    if (how.notify != SIGEV_NONE && (how.signal < 1 || how.signal > SIGNALS))
        return -EINVAL;
    while ((size_t)id < p->timers.len && p->timers.data[id])
        id++;
    if (id >= 1024)
        return -EAGAIN;
    if (guest_put_number(t, arg[2], (uint32_t)id, sizeof(id)))
        return -EFAULT;
    timer = xcalloc(1, sizeof(*timer));
    *timer = (struct posix_timer){.process = p, .how = how, .id = id, .clock = (int)arg[0]};
    event_init(&timer->event, on_timer, timer);
    if ((size_t)id == p->timers.len)
        vec_push(&p->timers, timer);
    else
        p->timers.data[id] = timer;
    return 0;
}

static struct itimerspec timer_state(const struct posix_timer *timer)
{
    uint64_t now = process_now(timer->process);
    struct itimerspec state = {.it_interval = to_timespec(timer->interval)};

    if (event_pending(&timer->event))
        state.it_value = to_timespec(timer->event.when > now ? timer->event.when - now : 1);
    return state;
}

int64_t sys_timer_settime(struct thread *t, const uint64_t *arg)
{
    struct process *p = t->process;
    struct posix_timer *timer = find_timer(p, arg[0]);
    struct itimerspec new, old;
    uint64_t value, interval;

    if (!timer)
        return -EINVAL;
    if (guest_get_struct(t, arg[2], &layout_itimerspec, &new))
        return -EFAULT;
    if (!from_timespec(new.it_value, &value) || !from_timespec(new.it_interval, &interval))
        return -EINVAL;
    old = timer_state(timer);
    clock_cancel(&p->clock, &timer->event);
    timer->interval = interval;
    if (value && !(arg[1] & TIMER_ABSTIME))
        value = add_time(process_now(p), value);
    else if (value && is_realtime(timer->clock))
        value = value > p->start_ns ? value - p->start_ns : 1;
    if (value)
        clock_add(&p->clock, &timer->event, value);
    return arg[3] ? guest_put_struct(t, arg[3], &layout_itimerspec, &old) : 0;
}

int64_t sys_timer_gettime(struct thread *t, const uint64_t *arg)
{
    struct posix_timer *timer = find_timer(t->process, arg[0]);
    struct itimerspec state;

    if (!timer)
        return -EINVAL;
    state = timer_state(timer);
    return guest_put_struct(t, arg[1], &layout_itimerspec, &state);
}

/* Always 0: expirations whose signal is still pending are not counted. */
int64_t sys_timer_getoverrun(struct thread *t, const uint64_t *arg)
{
    return find_timer(t->process, arg[0]) ? 0 : -EINVAL;
}

int64_t sys_timer_delete(struct thread *t, const uint64_t *arg)
{
    struct posix_timer *timer = find_timer(t->process, arg[0]);

    if (!timer)
        return -EINVAL;
    clock_cancel(&t->process->clock, &timer->event);
    t->process->timers.data[timer->id] = NULL;
    free(timer);
    return 0;
}
