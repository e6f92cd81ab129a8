/*
 * The clock cannot be changed, and is reported as one without synchronisation. QEMU would change
 * its host's clock, so the expected lines are given here.
 */
//= adjtimex(&tx): 5
//= offset 0, freq 0, errors 16000000 16000000, status 0x40
//= constant 2, precision 1, tolerance 32768000, tick 10000, tai 0
//= time 1
//= syscall(SYS_adjtimex, &raw): 5
//= words 16000000, status 0x40, tick 10000, time 1, behind 77
//= adjtimex(&tx): -1
//= clock_adjtime(CLOCK_REALTIME, &tx): 5
//= clock_adjtime(CLOCK_MONOTONIC, &tx): -95
//= clock_adjtime(99, &tx): -22
//= syscall(SYS_adjtimex, 16): -14
//= adjtime(NULL, &old): 0
//= old 0 0
//= settimeofday(&tv, NULL): -1
//= settimeofday(&bad, NULL): -22
//= clock_settime(CLOCK_REALTIME, &ts): -1
//= setdomainname("x", 1): -1
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

/* The structure with longs of the ABI's own size. */
struct words {
    unsigned modes;
    long offset, freq, maxerror, esterror;
    int status;
    long constant, precision, tolerance, seconds, us, tick, ppsfreq, jitter;
    int shift;
    long stabil, jitcnt, calcnt, errcnt, stbcnt;
    int tai, rest[11];
    int behind;
};

static int result_or_errno(long value)
{
    return value < 0 ? -errno : (int)value;
}

#define SHOW(x) printf("%s: %d\n", #x, result_or_errno(x))

int main(void)
{
    struct timeval tv = {5, 5}, bad = {5, 1000000}, old = {9, 9};
    struct timespec ts = {5, 5};
    struct timex tx = {0};
    struct words raw = {.behind = 77};

    SHOW(adjtimex(&tx));
    printf("offset %ld, freq %ld, errors %ld %ld, status %#x\n", (long)tx.offset, (long)tx.freq,
           (long)tx.maxerror, (long)tx.esterror, tx.status);
    printf("constant %ld, precision %ld, tolerance %ld, tick %ld, tai %d\n", (long)tx.constant,
           (long)tx.precision, (long)tx.tolerance, (long)tx.tick, tx.tai);
    printf("time %d\n", tx.time.tv_sec >= time(NULL) - 1 && tx.time.tv_sec <= time(NULL) &&
                            tx.time.tv_usec >= 0 && tx.time.tv_usec < 1000000);
    SHOW(syscall(SYS_adjtimex, &raw));
    printf("words %ld, status %#x, tick %ld, time %d, behind %d\n", raw.maxerror, raw.status,
           raw.tick, raw.seconds >= time(NULL) - 1 && raw.seconds <= time(NULL), raw.behind);
    tx.modes = ADJ_FREQUENCY;
    SHOW(adjtimex(&tx));
    tx.modes = 0;
    SHOW(clock_adjtime(CLOCK_REALTIME, &tx));
    SHOW(clock_adjtime(CLOCK_MONOTONIC, &tx));
    SHOW(clock_adjtime(99, &tx));
    SHOW(syscall(SYS_adjtimex, 16));
    SHOW(adjtime(NULL, &old));
    printf("old %ld %ld\n", (long)old.tv_sec, (long)old.tv_usec);
    SHOW(settimeofday(&tv, NULL));
    SHOW(settimeofday(&bad, NULL));
    SHOW(clock_settime(CLOCK_REALTIME, &ts));
    SHOW(setdomainname("x", 1));
    return 0;
}
