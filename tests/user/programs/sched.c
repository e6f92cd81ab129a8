/* A thread's scheduling and I/O priority, and capabilities. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct attr {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
    uint32_t least, most;
};

static char page[8192];

static int result_or_errno(long value)
{
    return value < 0 ? -errno : (int)value;
}

#define SHOW(x) printf("%s: %d\n", #x, result_or_errno(x))

static int get_attributes(int pid, void *attr, unsigned size, unsigned flags)
{
    return syscall(SYS_sched_getattr, pid, attr, size, flags);
}

static int set_attributes(int pid, void *attr, unsigned flags)
{
    return syscall(SYS_sched_setattr, pid, attr, flags);
}

static void show_attributes(void)
{
    struct attr a = {0};
    int nice_before = getpriority(PRIO_PROCESS, 0);

    SHOW(get_attributes(0, &a, sizeof(a), 0));
    printf("size %u, policy %u, nice %d, priority %u\n", a.size, a.policy, a.nice - nice_before,
           a.priority);
    SHOW(get_attributes(getpid(), &a, 48, 0));
    printf("size %u\n", a.size);
    SHOW(get_attributes(0, &a, 47, 0));
    SHOW(get_attributes(0, &a, sizeof(a), 1));
    SHOW(get_attributes(-1, &a, sizeof(a), 0));
    SHOW(get_attributes(0, NULL, sizeof(a), 0));
    SHOW(get_attributes(0, (void *)16, sizeof(a), 0));
    SHOW(get_attributes(0x3fffffff, &a, sizeof(a), 0));
    a.nice = nice_before + 3;
    a.size = 48;
    SHOW(set_attributes(0, &a, 0));
    SHOW(getpriority(PRIO_PROCESS, 0) - nice_before);
    a.priority = 5;
    SHOW(set_attributes(0, &a, 0));
    a.priority = 0;
    a.policy = 77;
    SHOW(set_attributes(0, &a, 0));
    a.policy = 0;
    SHOW(set_attributes(0, &a, 1));
    SHOW(set_attributes(-1, &a, 0));
    SHOW(set_attributes(0, (void *)16, 0));
    a.size = 10;
    SHOW(set_attributes(0, &a, 0));
    printf("size %d\n", a.size == 48 || a.size == 56);
    memcpy(page, &a, sizeof(a));
    *(uint32_t *)page = 100;
    SHOW(set_attributes(0, page, 0));
    *(uint32_t *)page = 100;
    page[99] = 1;
    SHOW(set_attributes(0, page, 0));
}

int main(void)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2];
    struct timespec slice = {9, 9};
    long raw[2] = {9, 9};

    show_attributes();
    SHOW(sched_rr_get_interval(0, &slice));
    printf("slice %ld %d\n", (long)slice.tv_sec, slice.tv_nsec != 9);
    SHOW(syscall(SYS_sched_rr_get_interval, getpid(), raw));
    printf("slice %ld %d\n", raw[0], raw[1] != 9);
    SHOW(sched_rr_get_interval(-1, &slice));
    SHOW(sched_rr_get_interval(0x3fffffff, &slice));
    SHOW(syscall(SYS_ioprio_set, 1, 0, 2 << 13 | 6));
    SHOW(syscall(SYS_ioprio_get, 1, 0));
    SHOW(syscall(SYS_ioprio_get, 1, getpid()));
    SHOW(syscall(SYS_ioprio_set, 1, 0, 2 << 13 | 9) < 0);
    SHOW(syscall(SYS_ioprio_get, 9, 0));
    SHOW(syscall(SYS_ioprio_get, 1, 0x3fffffff));
    SHOW(syscall(SYS_capget, &head, data));
    SHOW(syscall(SYS_capset, &head, data));
    data[0].effective = data[1].effective = 0;
    SHOW(syscall(SYS_capset, &head, data));
    data[0].permitted = data[1].permitted = data[0].effective = data[1].effective = ~0;
    SHOW(syscall(SYS_capset, &head, data));
    data[0].effective = 5;
    SHOW(syscall(SYS_capget, &head, data));
    printf("%u %u\n", data[0].effective, data[1].effective);
    head.version = 7;
    SHOW(syscall(SYS_capset, &head, data));
    SHOW(syscall(SYS_capset, (void *)16, data));
    return 0;
}
