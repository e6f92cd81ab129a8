/*
 * The time and the alarm of real-time clocks.
 *
 * Bounds      one event, at the alarm's time
 */
#include "runtime/dev/real_time.h"

void real_time_init(struct real_time *rt, const struct device_env *env, void (*due)(void *opaque),
                    void *opaque)
{
    rt->offset = env->start_time * NS_PER_SEC;
    rt->clock = env->clock;
    event_init(&rt->alarm, due, opaque);
}

uint64_t real_time_now(const struct real_time *rt)
{
    return rt->offset + clock_now(rt->clock);
}

void real_time_set(struct real_time *rt, uint64_t ns)
{
    rt->offset = ns - clock_now(rt->clock);
}

void real_time_alarm(struct real_time *rt, uint64_t ns)
{
    uint64_t now = clock_now(rt->clock), ahead = ns - real_time_now(rt);

    clock_add(rt->clock, &rt->alarm, ahead < CLOCK_NEVER - now ? now + ahead : CLOCK_NEVER);
}

void real_time_no_alarm(struct real_time *rt)
{
    clock_cancel(rt->clock, &rt->alarm);
}
