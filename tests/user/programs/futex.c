/*
 * futex() itself: changed values, timeouts, bit sets, requeueing, wake with an operation. QEMU's
 * threads are slow to begin waiting on a loaded host, so its output on an idle host is given here.
 */
// flags: -pthread
//= differs -11
//= timeout -110
//= deadline -110
//= nobody 0
//= misaligned -22
//= nowhere -14
//= bit set 2: 2 awake
//= the right ones 1 1
//= requeue 2: 2 awake
//= old place 0: 2 awake
//= new place 1: 3 awake
//= changed -11: 3 awake
//= rest 1: 4 awake
//= operation 1: 2 awake
//= value 5
//= no wake 0 value 2
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static uint32_t word, other;
static int woken[4];

static long call_futex(uint32_t *at, int op, uint32_t value, const void *timeout, uint32_t *at2,
                       uint32_t value3)
{
    long result = syscall(SYS_futex, at, op, value, timeout, at2, value3);

    return result < 0 ? -errno : result;
}

static void *sleep_on_word(void *arg)
{
    long n = (long)arg;

    call_futex(&word, FUTEX_WAIT_BITSET, 0, NULL, NULL, 1u << n);
    woken[n] = 1;
    return NULL;
}

static void start_sleepers(pthread_t *thread)
{
    for (long n = 0; n < 4; n++) {
        woken[n] = 0;
        pthread_create(&thread[n], NULL, sleep_on_word, (void *)n);
    }
    usleep(20000);
}

static void show_awake(const char *what, long result)
{
    usleep(20000);
    printf("%s %ld: %d awake\n", what, result, woken[0] + woken[1] + woken[2] + woken[3]);
}

int main(void)
{
    const struct timespec soon = {0, 1000000};
    struct timespec at;
    pthread_t thread[4];

    printf("differs %ld\n", call_futex(&word, FUTEX_WAIT, 1, NULL, NULL, 0));
    printf("timeout %ld\n", call_futex(&word, FUTEX_WAIT, 0, &soon, NULL, 0));
    clock_gettime(CLOCK_MONOTONIC, &at);
    printf("deadline %ld\n", call_futex(&word, FUTEX_WAIT_BITSET, 0, &at, NULL, ~0u));
    printf("nobody %ld\n", call_futex(&word, FUTEX_WAKE, 1, NULL, NULL, 0));
    printf("misaligned %ld\n", call_futex((uint32_t *)((char *)&word + 1), FUTEX_WAKE, 1, 0, 0, 0));
    printf("nowhere %ld\n", call_futex((uint32_t *)64, FUTEX_WAIT, 1, NULL, NULL, 0));
    start_sleepers(thread);
    show_awake("bit set", call_futex(&word, FUTEX_WAKE_BITSET, 9, NULL, NULL, 5));
    printf("the right ones %d %d\n", woken[0], woken[2]);
    show_awake("requeue", call_futex(&word, FUTEX_CMP_REQUEUE, 0, (void *)9, &other, 0));
    show_awake("old place", call_futex(&word, FUTEX_WAKE, 9, NULL, NULL, 0));
    show_awake("new place", call_futex(&other, FUTEX_WAKE, 1, NULL, NULL, 0));
    show_awake("changed", call_futex(&word, FUTEX_CMP_REQUEUE, 0, (void *)9, &other, 7));
    show_awake("rest", call_futex(&other, FUTEX_WAKE, 9, NULL, NULL, 0));
    for (int n = 0; n < 4; n++)
        pthread_join(thread[n], NULL);
    start_sleepers(thread);
    other = 10;
    show_awake("operation", call_futex(&other, FUTEX_WAKE_OP, 1, (void *)2, &word,
                                       FUTEX_OP(FUTEX_OP_ADD, 5, FUTEX_OP_CMP_EQ, 0)) > 0);
    printf("value %u\n", word);
    word = 3;
    printf("no wake %ld", call_futex(&other, FUTEX_WAKE_OP, 1, (void *)2, &word,
                                     FUTEX_OP(FUTEX_OP_ANDN, 1, FUTEX_OP_CMP_GT, 3)));
    printf(" value %u\n", word);
    call_futex(&word, FUTEX_WAKE, 9, NULL, NULL, 0);
    for (int n = 0; n < 4; n++)
        pthread_join(thread[n], NULL);
    return 0;
}
