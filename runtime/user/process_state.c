/* What the other files need of a process: its time, its random numbers, and its end. */
#include "runtime/user/user.h"

#include <time.h>

uint64_t host_now(clockid_t clock)
{
    struct timespec ts;

    clock_gettime(clock, &ts);
    return (uint64_t)ts.tv_sec * NS_PER_SEC + (uint64_t)ts.tv_nsec;
}

/* The clock that counts instructions knows nothing of host time that a system call takes, such as
 * the jobs of a GPU, before the turn ends. It is ahead of the host's where code runs fast. */
uint64_t process_now(const struct process *p)
{
    uint64_t now = clock_now(&p->clock), host;

    if (p->options->clock != USER_CLOCK_HOST)
        return now;
    host = host_now(CLOCK_MONOTONIC) - p->host_start_ns;
    return host > now ? host : now;
}

uint64_t process_realtime(const struct process *p)
{
    return p->start_ns + process_now(p);
}

/* splitmix64: the numbers are equal in all runs with the same seed. */
uint64_t process_random(struct process *p)
{
    uint64_t x = p->random += UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

void process_end(struct process *p, int code, int signal)
{
    if (p->ended)
        return;
    p->ended = true;
    p->exit_code = code;
    p->exit_signal = signal;
    cpu_group_stop(&p->group);
}
