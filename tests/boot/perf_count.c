/*
 * Runs in the guest: prints what perf_event_open() counts in user mode for a loop of two
 * instructions, with two numbers of rounds. The difference is the loop's exact count, without the
 * cost of calls.
 */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static void run_loop(unsigned long rounds)
{
    __asm__ volatile("1: subs %0, %0, #1\n\tbne 1b" : "+r"(rounds) : : "cc");
}

static uint64_t count_events(int fd, unsigned long rounds)
{
    uint64_t value = 0;

    ioctl(fd, PERF_EVENT_IOC_RESET, 0);
    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    run_loop(rounds);
    ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    return read(fd, &value, sizeof(value)) == sizeof(value) ? value : 0;
}

static void report_event(const char *name, uint64_t config)
{
    struct perf_event_attr attr;
    int fd;

    memset(&attr, 0, sizeof(attr));
    attr.type = PERF_TYPE_HARDWARE;
    attr.size = sizeof(attr);
    attr.config = config;
    attr.disabled = attr.exclude_kernel = attr.exclude_hv = 1;
    fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
    if (fd < 0) {
        perror(name);
        return;
    }
    count_events(fd, 1000); /* first call: one-time costs */
    printf("%s of a million rounds: %llu\n", name,
           (unsigned long long)(count_events(fd, 2000000) - count_events(fd, 1000000)));
    close(fd);
}

int main(void)
{
    report_event("instructions", PERF_COUNT_HW_INSTRUCTIONS);
    report_event("cycles", PERF_COUNT_HW_CPU_CYCLES);
    return 0;
}
