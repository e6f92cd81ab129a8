/* Deep recursion: the stack's limit, a handler on another stack, and continuing after it. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static sigjmp_buf back;
static char other[65536];
static char *volatile top, *volatile lowest;

static void on_fault(int signal, siginfo_t *info, void *context)
{
    char *at = info->si_addr, here;

    (void)context;
    printf("signal %d code %d, near the lowest %d, on the other stack %d\n", signal, info->si_code,
           at <= lowest && at > lowest - (1 << 20),
           &here >= other && &here < other + sizeof(other));
    siglongjmp(back, 1);
}

static unsigned recurse_deeply(unsigned depth)
{
    volatile char room[1000];

    room[0] = (char)depth;
    lowest = (char *)room;
    return depth ? recurse_deeply(depth - 1) + (unsigned)room[0] : 0;
}

static unsigned for_ever(unsigned depth)
{
    volatile char room[4000];

    lowest = (char *)room;
    room[0] = (char)depth;
    return for_ever(depth + 1) + room[0];
}

int main(void)
{
    stack_t alt = {.ss_sp = other, .ss_size = sizeof(other)};
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    char here;

    top = &here;
    sigaltstack(&alt, NULL);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    for (unsigned n = 1; n <= 7000; n *= 10)
        printf("deep %u %d\n", recurse_deeply(n), top - lowest > 1000 * n);
    printf("deep %u %d\n", recurse_deeply(7000), top - lowest > 7000000);
    for (unsigned n = 0; n < 3; n++) {
        if (!sigsetjmp(back, 1))
            for_ever(0);
        printf("used %d\n", top - lowest > 7 << 20 && top - lowest <= 9 << 20);
    }
    printf("deep %u\n", recurse_deeply(7000));
    return 0;
}
