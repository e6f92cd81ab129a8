/*
 * Holds a frame of a program that draws on the guest's screen, loaded in front of it:
 *
 *     LD_PRELOAD=/mnt/programs/frames.so HOLD_FRAME=3 kmscube -D /dev/dri/card0
 *
 * The program's clock, by which it moves what it draws, advances by FRAME_US per frame, so frame N
 * is the same picture however long drawing takes. Libraries have the real one. Each frame prints
 * "FRAME N" on the console. Frame HOLD_FRAME stays: "HELD N" is printed when it is on the screen,
 * and the program waits to be killed.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    FIRST_SECOND = 1000000000, /* seconds since 1970 at the first frame */
    FRAME_US = 400000,
    FLIP_US = 300000, /* time for a flip to reach the screen */
};

static unsigned frames;

/* Prints on the console, where a program's own output does not come in between. */
static void say(const char *what)
{
    FILE *console = fopen("/dev/console", "w");

    if (!console)
        return;
    fprintf(console, "%s %u\n", what, frames);
    fclose(console);
}

/* libdrm's function, which the programs call to show a frame. */
int drmModePageFlip(int fd, uint32_t crtc, uint32_t fb, uint32_t flags, void *data);

int drmModePageFlip(int fd, uint32_t crtc, uint32_t fb, uint32_t flags, void *data)
{
    int (*flip)(int, uint32_t, uint32_t, uint32_t, void *);
    const char *held = getenv("HOLD_FRAME");
    int result;

    *(void **)&flip = dlsym(RTLD_NEXT, "drmModePageFlip");
    result = flip(fd, crtc, fb, flags, data);
    frames++;
    say("FRAME");
    if (!held || (unsigned)atoi(held) != frames)
        return result;
    usleep(FLIP_US);
    say("HELD");
    for (;;)
        pause();
}

/* Whether an address is in the program itself. */
static bool is_of_program(const void *address)
{
    static const void *base;
    Dl_info of, program;

    if (!base && dladdr((const void *)getauxval(AT_ENTRY), &program))
        base = program.dli_fbase;
    return dladdr(address, &of) && of.dli_fbase == base;
}

int clock_gettime(clockid_t clock, struct timespec *ts)
{
    uint64_t us = (uint64_t)frames * FRAME_US;

    if (!is_of_program(__builtin_return_address(0)))
        return (int)syscall(SYS_clock_gettime, clock, ts);
    ts->tv_sec = FIRST_SECOND + (time_t)(us / 1000000);
    ts->tv_nsec = (long)(us % 1000000) * 1000;
    return 0;
}
