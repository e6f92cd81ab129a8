/*
 * Code that parent and children change independently, translated before and after the fork: none
 * executes what another one wrote.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FUNCTIONS = 64, HOT = 300, CHILDREN = 4 };

static uint32_t *code;

/* The instructions that put n (below 2,048) into the result register, and return. */
#if defined(__aarch64__) /* mov w0, #n; ret */
#define RESULT(n) (0x52800000u | (n) << 5)
#define RETURN    0xd65f03c0u
#elif defined(__arm__) /* A32: movw r0, #n; bx lr */
#define RESULT(n) (0xe3000000u | (n) >> 12 << 16 | ((n)&0xfff))
#define RETURN    0xe12fff1eu
#elif defined(__riscv) /* li a0, n; ret */
#define RESULT(n) (0x00000513u | (n) << 20)
#define RETURN    0x00008067u
#endif

static void make_function(unsigned at, unsigned n)
{
    uint32_t *function = code + 4 * at;

    function[0] = RESULT(n);
    function[1] = RETURN;
    __builtin___clear_cache((char *)function, (char *)(function + 2));
}

static unsigned call_function(unsigned at)
{
    return ((unsigned (*)(void))(void *)(code + 4 * at))();
}

/* Calls all functions often enough to have them translated and linked to their callers. */
static unsigned sum_of_calls(void)
{
    unsigned all = 0;

    for (unsigned round = 0; round < HOT; round++) {
        for (unsigned n = 0; n < FUNCTIONS; n++)
            all += call_function(n) * (n + 1);
    }
    return all;
}

/* Changes the other functions in an order of its own; each one is hot before the next changes. */
static unsigned change_functions(unsigned who)
{
    unsigned all = 0;

    for (unsigned n = 0; n < FUNCTIONS; n++) {
        unsigned at = (n * (2 * who + 1) + who) % FUNCTIONS;

        make_function(at, 100 * who + n);
        for (unsigned round = 0; round < HOT; round++)
            all += call_function(at) + call_function((at + 1) % FUNCTIONS);
    }
    return all;
}

static int run_child(unsigned who)
{
    char text[80];
    int len = snprintf(text, sizeof(text), "child %u: ", who);

    len += snprintf(text + len, sizeof(text) - (size_t)len, "%u ", sum_of_calls());
    len += snprintf(text + len, sizeof(text) - (size_t)len, "%u ", change_functions(who));
    len += snprintf(text + len, sizeof(text) - (size_t)len, "%u\n", sum_of_calls());
    return write(1, text, (size_t)len) != len;
}

int main(void)
{
    int ends[CHILDREN + 1][2], status, wrong = 0;

    setvbuf(stdout, NULL, _IONBF, 0);
    code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (unsigned n = 0; n < FUNCTIONS; n++)
        make_function(n, n);
    printf("before %u\n", sum_of_calls());
    for (unsigned who = 1; who <= CHILDREN; who++) {
        if (pipe(ends[who]))
            return 1;
        if (!fork()) { /* all children run at once, and report in turn */
            dup2(ends[who][1], 1);
            _exit(run_child(who));
        }
        close(ends[who][1]);
        printf("parent %u: %u %u\n", who, change_functions(10 + who), sum_of_calls());
    }
    for (unsigned who = 1; who <= CHILDREN; who++) {
        char text[80];
        ssize_t len = read(ends[who][0], text, sizeof(text));

        if (len > 0)
            fwrite(text, 1, (size_t)len, stdout);
    }
    while (wait(&status) > 0)
        wrong |= status;
    printf("after %u, status %d\n", sum_of_calls(), wrong);
    return 0;
}
