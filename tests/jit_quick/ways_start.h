/*
 * What the programs of ways.py share: random words, and a start without a C library, so that the
 * statistics are of the program's own code. The first letter of the argument selects the case; the
 * result of run_kind() is printed in hexadecimal.
 */
#ifndef TESTS_JIT_QUICK_WAYS_START_H
#define TESTS_JIT_QUICK_WAYS_START_H

typedef unsigned word;

enum { ROUNDS = 200000 };

#ifdef __aarch64__
enum { CALL_WRITE = 64, CALL_EXIT_GROUP = 94 };
#define CALL_NUMBER "x8"
#define FIRST       "x0"
#define SECOND      "x1"
#define THIRD       "x2"
#else
enum { CALL_WRITE = 4, CALL_EXIT_GROUP = 248 };
#define CALL_NUMBER "r7"
#define FIRST       "r0"
#define SECOND      "r1"
#define THIRD       "r2"
#endif

/* Runs a case; the program defines it. */
static word run_kind(char what);

static word draw_word(word *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 16;
}

static long system_call(long number, long a, long b, long c)
{
    register long call __asm__(CALL_NUMBER) = number, first __asm__(FIRST) = a,
                       second __asm__(SECOND) = b, third __asm__(THIRD) = c;

    __asm__ volatile("svc #0" : "+r"(first) : "r"(call), "r"(second), "r"(third) : "memory");
    return first;
}

__attribute__((used)) static void begin(const long *stack)
{
    word r = run_kind(((const char *const *)(stack + 1))[1][0]);
    char text[9];

    for (int n = 0; n < 8; n++)
        text[n] = "0123456789abcdef"[r >> (28 - 4 * n) & 15];
    text[8] = '\n';
    system_call(CALL_WRITE, 1, (long)text, sizeof(text));
    system_call(CALL_EXIT_GROUP, 0, 0, 0);
}

__asm__(".text\n\t.global _start\n\t.type _start, %function\n_start:\n\tmov " FIRST
        ", sp\n\tbl begin\n");

#endif
