/*
 * System calls: the clock's discipline. The program's clock is virtual and exact, so it is reported
 * as a clock that no daemon adjusts. Changes are refused, as for a user without privileges.
 */
#include "runtime/user/user.h"

#include <errno.h>
#include <sys/time.h>
#include <sys/timex.h>

/* Linux's initial values: the error in us, and the tolerance of the frequency. */
#define START_ERROR 16000000
#define TOLERANCE   (500 << 16)

static int64_t read_clock_state(struct thread *t, uint64_t va)
{
    uint64_t now = process_realtime(t->process);
    struct timex state;

    if (guest_get_struct(t, va, &layout_timex, &state))
        return -EFAULT;
    if (state.modes && state.modes != ADJ_OFFSET_SS_READ)
        return -EPERM;
    state = (struct timex){
        .modes = state.modes,
        .maxerror = START_ERROR,
        .esterror = START_ERROR,
        .status = STA_UNSYNC,
        .constant = 2,
        .precision = 1,
        .tolerance = TOLERANCE,
        .time = {(time_t)(now / NS_PER_SEC), (long)(now % NS_PER_SEC / 1000)},
        .tick = 10000,
    };
    return guest_put_struct(t, va, &layout_timex, &state) ? -EFAULT : TIME_ERROR;
}

int64_t sys_adjtimex(struct thread *t, const uint64_t *arg)
{
    return read_clock_state(t, arg[0]);
}

int64_t sys_clock_adjtime(struct thread *t, const uint64_t *arg)
{
    int clock = (int)arg[0];

    if (clock == CLOCK_REALTIME)
        return read_clock_state(t, arg[1]);
    return clock > 0 && clock <= CLOCK_TAI ? -EOPNOTSUPP : -EINVAL;
}

int64_t sys_settimeofday(struct thread *t, const uint64_t *arg)
{
    struct timeval tv = {0};

    if (arg[0] && guest_get_struct(t, arg[0], &layout_timeval, &tv))
        return -EFAULT;
    return tv.tv_sec < 0 || (uint64_t)tv.tv_usec >= 1000000 ? -EINVAL : -EPERM;
}
