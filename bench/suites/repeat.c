/*
 * Runs a program of a suite several times in one process, since most of them end too soon to be
 * timed. The program is compiled with -Dmain=program_main -Dexit=program_exit. Only the last round
 * prints, on standard output. The status is always 0, since the main() of old programs returns
 * nothing.
 *
 *     PROGRAM ROUNDS ARGUMENT...
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int program_main(int argc, char **argv);
void program_exit(int status);
clock_t program_clock(void);

/* What Embench wants of a board. */
void initialise_board(void);
void start_trigger(void);
void stop_trigger(void);
void initialise_board(void)
{
}
void start_trigger(void)
{
}
void stop_trigger(void)
{
}

static jmp_buf around;

void program_exit(int status)
{
    (void)status;
    longjmp(around, 1);
}

/* A clock that a program may have instead of its own, so that it does as much on each machine: each
 * look at it takes 0.1 s. */
clock_t program_clock(void)
{
    static clock_t now;

    return now += CLOCKS_PER_SEC / 10;
}

/* PolyBench prints its arrays when it has 43 arguments, and no name. */
static void last_round(int argc, char **argv)
{
    static char *many[64];
    int n;

    if (argc > 1) {
        program_main(argc, argv);
        return;
    }
    for (n = 0; n < 43; n++)
        many[n] = "";
    program_main(n, many);
}

int main(int argc, char **argv)
{
    volatile int left = atoi(argv[1]);
    int out = dup(1);

    setvbuf(stderr, NULL, _IOFBF, BUFSIZ); /* PolyBench prints its arrays there, number by number */
    dup2(open("/dev/null", O_WRONLY), 1);
    dup2(1, 2);
    while (left-- > 0) {
        rewind(stdin);
        if (left == 0) {
            fflush(stdout);
            dup2(out, 1);
            dup2(out, 2);
        }
        if (setjmp(around))
            continue;
        if (left)
            program_main(argc - 1, argv + 1);
        else
            last_round(argc - 1, argv + 1);
    }
    return 0;
}
