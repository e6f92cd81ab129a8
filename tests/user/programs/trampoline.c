/*
 * Pointers to nested functions are code on the stack: the main thread's, another thread's, a signal
 * handler's. QEMU's user mode sometimes fails with an assertion on code that is rewritten about
 * 1,000 times, so the expected lines are given here.
 */
// flags: -z execstack -pthread
//= main: 42
//= sum: 57408
//= sum: 204858
//= sum: 442308
//= thread: 44
//= handler: 51
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static int call_pointer(int (*f)(int), int x)
{
    return f(x);
}

static int on_stack(int one)
{
    int add(int x)
    {
        return x + one;
    }

    return call_pointer(add, 41);
}

static void *run_thread(void *arg)
{
    printf("thread: %d\n", on_stack((int)(long)arg));
    return NULL;
}

static void handle_signal(int signal)
{
    printf("handler: %d\n", on_stack(signal));
}

int main(void)
{
    stack_t alt = {.ss_sp = calloc(1, 65536), .ss_size = 65536};
    struct sigaction action = {.sa_handler = handle_signal};
    pthread_t id;

    printf("main: %d\n", on_stack(1));
    for (int n = 2, sum = 0; n < 1000; n++) { /* each round rewrites the code at one address */
        sum += on_stack(n);
        if (n % 300 == 0)
            printf("sum: %d\n", sum);
    }
    pthread_create(&id, NULL, run_thread, (void *)3L);
    pthread_join(id, NULL);
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    return 0;
}
