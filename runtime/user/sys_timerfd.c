/* System calls: timerfd, descriptors of timers on the program's clock. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "runtime/user/event_fd.h"

/* Expirations less than this time apart, in ns, are reported together. */
#define BATCH UINT64_C(10000)

/* Counts expirations up to now, and writes their number to the pipe. */
static void count_expirations(struct event_fd *e)
{
    uint64_t now = process_now(e->process), when = atomic_load(&e->timer->when), count, next;
    uint64_t interval = atomic_load(&e->timer->interval);

    while (when <= now) {
        count = interval ? 1 + (now - when) / interval : 1;
        next = interval && interval < CLOCK_NEVER - now ? when + count * interval : CLOCK_NEVER;
        if (atomic_compare_exchange_weak(&e->timer->when, &when, next)) {
            e->unsent += count; /* not counted by another process */
            when = next;
        }
    }
    if (e->unsent && event_fd_put(e, &e->unsent, sizeof(e->unsent))) {
        e->unsent = 0;
        e->readable = true;
    }
}

/* Schedules the next expiration. If the pipe is readable, none is needed before this process reads,
 * since the read counts later expirations; other processes need them at once. None is needed either
 * if the pipe's reading end is closed. */
static void schedule_expiration(struct event_fd *e)
{
    uint64_t now = process_now(e->process), when = atomic_load(&e->timer->when);
    uint64_t interval = atomic_load(&e->timer->interval);

    if ((e->readable && !e->process->related) || (e->unsent && event_fd_closed(e)))
        when = CLOCK_NEVER;
    else if (when != CLOCK_NEVER && interval && interval < BATCH && when < now + BATCH)
        when = now + BATCH;
    clock_add(&e->process->clock, &e->event, when);
}

static void on_expiration(void *opaque)
{
    count_expirations(opaque);
    schedule_expiration(opaque);
}

/* Reads the pipe empty, and returns the number of unread expirations. */
static uint64_t drain_pipe(struct event_fd *e, int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    uint64_t sum = e->unsent, part;

    e->unsent = 0;
    e->readable = false;
    while (poll(&p, 1, 0) > 0 && (p.revents & POLLIN) &&
           read(fd, &part, sizeof(part)) == sizeof(part))
        sum += part;
    return sum;
}

/* struct event_fd.read */
static int64_t read_timer(struct thread *t, struct event_fd *e, int fd, void *to, size_t room)
{
    uint64_t count;

    if (room < sizeof(count))
        return -EINVAL;
    count_expirations(e);
    count = drain_pipe(e, fd);
    schedule_expiration(e);
    if (count) {
        guest_order(&count, sizeof(count));
        memcpy(to, &count, sizeof(count));
        return sizeof(count);
    }
    return event_fd_waits(fd) ? thread_wait_fd(t, fd, POLLIN) : -EAGAIN;
}

/* Returns the expirations that the pipe holds, and leaves them there: relatives may read them. */
static uint64_t unread_expirations(const struct event_fd *e)
{
    uint64_t sum = e->unsent, part;
    int ends[2], from;
    char path[32];

    snprintf(path, sizeof(path), "/proc/self/fd/%d", e->end);
    from = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (!pipe2(ends, O_CLOEXEC | O_NONBLOCK)) {
        if (tee(from, ends[1], CPU_PAGE_SIZE, SPLICE_F_NONBLOCK) > 0) {
            while (read(ends[0], &part, sizeof(part)) == sizeof(part))
                sum += part;
        }
        close(ends[0]);
        close(ends[1]);
    }
    if (from >= 0)
        close(from);
    return sum;
}

/*
 * The first expiration, on the host's clock, which is at `host` now. Unread expirations become ones
 * of the past; those of a timer that runs no more become one.
 */
static uint64_t first_on_host(struct event_fd *e, uint64_t host)
{
    uint64_t now = process_now(e->process), when = atomic_load(&e->timer->when);
    uint64_t unread = unread_expirations(e), interval = atomic_load(&e->timer->interval);

    if (when == CLOCK_NEVER)
        return unread ? 1 : 0;
    host += when > now ? when - now : 1;
    return interval && unread > (host - 1) / interval ? 1 : host - unread * interval;
}

/* struct event_fd.make_host */
static int make_host_timer(struct event_fd *e)
{
    int clock = e->clock == CLOCK_REALTIME_ALARM || e->clock == CLOCK_BOOTTIME_ALARM
                    ? CLOCK_MONOTONIC /* an alarm that wakes the host asks for privileges */
                    : e->clock;
    int fd = timerfd_create(clock, TFD_CLOEXEC);
    uint64_t first, interval;
    struct timespec now;

    if (fd < 0)
        return fd;
    count_expirations(e);
    clock_gettime(clock, &now);
    first = first_on_host(e, (uint64_t)now.tv_sec * NS_PER_SEC + (uint64_t)now.tv_nsec);
    interval = atomic_load(&e->timer->interval);
    timerfd_settime(
        fd, TFD_TIMER_ABSTIME,
        &(struct itimerspec){
            .it_interval = {(time_t)(interval / NS_PER_SEC), (long)(interval % NS_PER_SEC)},
            .it_value = {(time_t)(first / NS_PER_SEC), (long)(first % NS_PER_SEC)},
        },
        NULL);
    return fd;
}

bool timerfd_begin(struct event_fd *e)
{
    void *state =
        mmap(NULL, sizeof(*e->timer), PROT_READ | PROT_WRITE, MAP_SHARED, e->timer_file, 0);
    struct stat st;

    if (state == MAP_FAILED)
        return false;
    if (fstat(e->timer_file, &st) || st.st_size < (off_t)sizeof(*e->timer)) {
        munmap(state, sizeof(*e->timer)); /* an access to a shorter file raises SIGBUS */
        return false;
    }
    e->timer = state;
    e->read = read_timer;
    e->make_host = make_host_timer;
    event_init(&e->event, on_expiration, e);
    schedule_expiration(e);
    return true;
}

/* Makes the shared memory of a disarmed timer. Returns an own descriptor; -1: not possible. */
static int new_timer_file(struct process *p)
{
    const struct timer_state state = {.when = CLOCK_NEVER};
    int file, own = -1;

    nofile_lift(p);
    file = memfd_create("timerfd", MFD_CLOEXEC);
    if (file >= 0 && write(file, &state, sizeof(state)) == sizeof(state))
        own = fd_keep(p, file);
    if (file >= 0)
        close(file);
    nofile_drop(p);
    return own;
}

int64_t sys_timerfd_create(struct thread *t, const uint64_t *arg)
{
    int clock = (int)arg[0], flags = (int)arg[1];
    struct event_fd *e;
    int64_t fd;

    if (flags & ~(TFD_CLOEXEC | TFD_NONBLOCK))
        return -EINVAL;
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC && clock != CLOCK_BOOTTIME &&
        clock != CLOCK_REALTIME_ALARM && clock != CLOCK_BOOTTIME_ALARM)
        return -EINVAL;
    if ((clock == CLOCK_REALTIME_ALARM || clock == CLOCK_BOOTTIME_ALARM) && geteuid())
        return -EPERM;
    fd = event_fd_new(t->process, flags, &e);
    if (fd < 0)
        return fd;
    e->clock = clock;
    e->timer_file = new_timer_file(t->process);
    if (e->timer_file < 0 || !timerfd_begin(e)) {
        close((int)fd);
        return -ENOMEM; /* what closed descriptors leave is collected */
    }
    return fd;
}

/* The timer of a descriptor; NULL with *failed: none. */
static struct event_fd *timer_of(struct thread *t, int fd, int64_t *failed)
{
    struct event_fd *e = event_fd_find(t->process, fd);

    *failed = fcntl(fd, F_GETFD) < 0 ? -EBADF : -EINVAL;
    return e && e->timer ? e : NULL;
}

static struct itimerspec state_of(struct event_fd *e)
{
    uint64_t now = process_now(e->process), when, left, interval;

    count_expirations(e);
    when = atomic_load(&e->timer->when);
    interval = atomic_load(&e->timer->interval);
    left = when == CLOCK_NEVER || when <= now ? 0 : when - now;
    return (struct itimerspec){
        .it_interval = {(time_t)(interval / NS_PER_SEC), (long)(interval % NS_PER_SEC)},
        .it_value = {(time_t)(left / NS_PER_SEC), (long)(left % NS_PER_SEC)},
    };
}

int64_t sys_timerfd_gettime(struct thread *t, const uint64_t *arg)
{
    struct itimerspec state;
    int64_t failed;
    struct event_fd *e = timer_of(t, (int)arg[0], &failed);

    if (!e)
        return failed;
    state = state_of(e);
    return guest_put_struct(t, arg[1], &layout_itimerspec, &state);
}

/* Converts a time to ns; false: not a valid time. */
static bool to_ns(struct timespec ts, uint64_t *ns)
{
    if (ts.tv_sec < 0 || (uint64_t)ts.tv_nsec >= NS_PER_SEC)
        return false;
    *ns = (uint64_t)ts.tv_sec >= CLOCK_NEVER / NS_PER_SEC / 2
              ? CLOCK_NEVER / 2
              : (uint64_t)ts.tv_sec * NS_PER_SEC + (uint64_t)ts.tv_nsec;
    return true;
}

/* The first expiration of a timer that is set to `value`. */
static uint64_t first_of(const struct event_fd *e, uint64_t value, bool absolute)
{
    const struct process *p = e->process;

    if (!value)
        return CLOCK_NEVER;
    if (!absolute)
        return process_now(p) + value;
    if (e->clock == CLOCK_REALTIME || e->clock == CLOCK_REALTIME_ALARM)
        return value > p->start_ns ? value - p->start_ns : 0;
    return value;
}

int64_t sys_timerfd_settime(struct thread *t, const uint64_t *arg)
{
    const uint32_t known = TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET;
    struct itimerspec new, old;
    uint64_t value, interval;
    int64_t failed;
    struct event_fd *e;

    if (guest_get_struct(t, arg[2], &layout_itimerspec, &new))
        return -EFAULT;
    if (((uint32_t)arg[1] & ~known) || !to_ns(new.it_value, &value) ||
        !to_ns(new.it_interval, &interval))
        return -EINVAL;
    e = timer_of(t, (int)arg[0], &failed);
    if (!e)
        return failed;
    old = state_of(e);
    atomic_store(&e->timer->when, CLOCK_NEVER);
    drain_pipe(e, (int)arg[0]);
    atomic_store(&e->timer->interval, interval);
    atomic_store(&e->timer->when, first_of(e, value, arg[1] & TFD_TIMER_ABSTIME));
    clock_add(&e->process->clock, &e->event, atomic_load(&e->timer->when));
    count_expirations(e); /* the first expiration may be in the past */
    return arg[3] ? guest_put_struct(t, arg[3], &layout_itimerspec, &old) : 0;
}
