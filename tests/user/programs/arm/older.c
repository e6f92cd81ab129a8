/* System calls that older C libraries for EABI made in place of newer ones. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

static int result_or_errno(long value)
{
    return value < 0 ? -errno : (int)value;
}

#define SHOW(x) printf("%s: %d\n", #x, result_or_errno(x))

int main(void)
{
    long times[4] = {1000, 500000, 2000, 250000}, bad[4] = {1, 1000000, 1, 1};
    int dir = open(".", O_RDONLY), nice_before = getpriority(PRIO_PROCESS, 0);
    struct stat st;

    close(open("file", O_CREAT | O_RDWR, 0600));
    SHOW(syscall(SYS_utimes, "file", times));
    stat("file", &st);
    printf("%ld %ld %ld %ld\n", (long)st.st_atim.tv_sec, st.st_atim.tv_nsec,
           (long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    times[0] = 3000;
    SHOW(syscall(SYS_futimesat, dir, "file", times));
    stat("file", &st);
    printf("%ld\n", (long)st.st_atim.tv_sec);
    SHOW(syscall(SYS_utimes, "file", NULL));
    stat("file", &st);
    printf("now %d\n", st.st_atim.tv_sec > 1000000000);
    SHOW(syscall(SYS_utimes, "file", bad));
    SHOW(syscall(SYS_utimes, "absent", times));
    SHOW(syscall(SYS_utimes, "file", 16));
    SHOW(syscall(SYS_getpgrp) == getpgid(0));
    SHOW(syscall(SYS_nice, 3) >= 0); /* QEMU returns the result of nice() */
    SHOW(getpriority(PRIO_PROCESS, 0) - nice_before);
    return 0;
}
