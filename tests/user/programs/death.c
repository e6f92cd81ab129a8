/* Ends in the way that the argument names: the exit status and signals are compared. */
// run: segv
// run: abort
// run: brk
// run: udf
// run: align
// run: term
// run: kill
// run: exit
// run: stack
// run: exec
// run: handler
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static void on_segv(int signal)
{
    (void)signal;
    puts("handler");
    fflush(stdout);
    *(volatile int *)16 = 1; /* SIGSEGV is blocked in its handler: the process dies */
}

static int recurse_deeply(int n)
{
    volatile char waste[4096];

    waste[n % 4096] = (char)n;
    return n < 0 ? n : recurse_deeply(n + 1) + waste[0];
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    struct rlimit no_core = {0, 0};

    setrlimit(RLIMIT_CORE, &no_core);
    printf("%s\n", how);
    fflush(stdout);
    if (!strcmp(how, "segv"))
        *(volatile int *)8 = 0;
    if (!strcmp(how, "abort"))
        abort();
    if (!strcmp(how, "brk"))
        __asm__ volatile("brk #0x3e8");
    if (!strcmp(how, "udf"))
        __asm__ volatile(".inst 0x00000000");
    if (!strcmp(how, "align"))
        __asm__ volatile("mov x0, sp\n add x0, x0, #1\n ldxr x1, [x0]" ::: "x0", "x1");
    if (!strcmp(how, "term"))
        raise(SIGTERM);
    if (!strcmp(how, "kill"))
        kill(getpid(), SIGKILL);
    if (!strcmp(how, "exit"))
        exit(300);
    if (!strcmp(how, "stack"))
        return recurse_deeply(0);
    if (!strcmp(how, "exec"))
        ((void (*)(void))(void *)&no_core)();
    if (!strcmp(how, "handler")) {
        signal(SIGSEGV, on_segv);
        *(volatile int *)8 = 0;
    }
    return 1;
}
