/*
 * Leaving a machine whose thread never returns, as in an instruction whose behaviour loops: Ctrl-A
 * x and signals end the process within half a second.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/machine/leave.h"

enum { LIMIT_MS = 5000 }; /* leaving takes 500 ms on an idle host */

static void *request_leave(void *opaque)
{
    usleep(50000);
    leave_request(opaque);
    return NULL;
}

static void do_nothing(void *opaque)
{
    (void)opaque;
}

/* Runs in a process of its own: the machine's thread loops. */
static void loop_machine(int ready, bool by_key)
{
    struct error err = {0};
    struct leave *l;
    struct clock clock;
    pthread_t thread;

    fclose(stderr); /* leave.py checks the messages */
    clock_init(&clock);
    l = leave_new("test", &err);
    if (!l)
        exit(99);
    leave_watch(l, &clock, do_nothing, NULL);
    if (by_key)
        pthread_create(&thread, NULL, request_leave, l);
    if (write(ready, "", 1) != 1)
        exit(99);
    for (volatile unsigned n = 0;; n++)
        ;
}

/* Returns how the process ends, as from waitpid(); -1: it does not end. */
static int how_it_ends(int number)
{
    int pipe_ends[2], status;
    char byte;
    pid_t child;

    assert_int_equal(pipe(pipe_ends), 0);
    child = fork();
    if (!child)
        loop_machine(pipe_ends[1], number == 0);
    assert_int_equal(read(pipe_ends[0], &byte, 1), 1);
    if (number)
        kill(child, number);
    for (int ms = 0; ms < LIMIT_MS; ms += 10) {
        if (waitpid(child, &status, WNOHANG) == child)
            return status;
        usleep(10000);
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return -1;
}

static void by_key(void **state)
{
    int status = how_it_ends(0);

    (void)state;
    assert_true(status != -1 && WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 1);
}

static void by_signal(void **state)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

    (void)state;
    for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
        int status = how_it_ends(signals[i]);

        assert_true(status != -1 && WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), signals[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_key),
        cmocka_unit_test(by_signal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
