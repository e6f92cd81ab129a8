/* What the other files need of a process: its time, its random numbers, and its end. */
#include "runtime/user/user.h"

uint64_t process_now(const struct process *p)
{
    return clock_now(&p->clock);
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
