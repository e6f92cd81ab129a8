/*
 * A clock that several real-time clocks share: it advances with virtual time, from
 * device_env.start_time at power-on, through a reset too, as if it had a battery; and an alarm.
 */
#ifndef RUNTIME_DEV_REAL_TIME_H
#define RUNTIME_DEV_REAL_TIME_H

#include "runtime/dev/device.h"

struct real_time {
    uint64_t offset; /* ns since 1970 at virtual time 0, modulo 2^64: what a snapshot holds */

    struct clock *clock;
    struct event alarm;
};

/* `due` is called at the alarm's time. */
void real_time_init(struct real_time *rt, const struct device_env *env, void (*due)(void *opaque),
                    void *opaque);

/* ns since 1970. */
uint64_t real_time_now(const struct real_time *rt);
void real_time_set(struct real_time *rt, uint64_t ns);

/* Plans the alarm for a time that is not in the past, in place of an earlier one. No alarm is later
 * than the end of virtual time. */
void real_time_alarm(struct real_time *rt, uint64_t ns);
void real_time_no_alarm(struct real_time *rt);

#endif
