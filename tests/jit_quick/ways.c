/*
 * Instructions with data-dependent control flow, often the one way and often the other, for
 * ways.py.
 */
#include "ways_start.h"

static word memory[64] __attribute__((aligned(16)));

/* POP of the PC in another trace than the PUSH. */
__attribute__((noinline)) static word returns(word a, word b)
{
    word r;

    __asm__ volatile("bl 1f\n\tb 2f\n"
                     "1:\tpush {r3-r9, lr}\n\tand r5, %2, #3\n\tadd r4, %1, %2\n"
                     "3:\tsubs r5, r5, #1\n\tbpl 3b\n\tmov %0, r4\n\tpop {r3-r9, pc}\n2:"
                     : "=&r"(r)
                     : "r"(a), "r"(b)
                     : "lr", "r3", "r4", "r5", "r6", "r8", "r9", "cc", "memory");
    return r;
}

/* Conditional accesses of one word and of several. */
__attribute__((noinline)) static word accesses(word a, word *at)
{
    word r = a, s = 0;

    __asm__ volatile("cmp %2, #32768\n\titet hi\n\tldrhi %0, [%3]\n\tstrls %2, [%3, #4]\n\t"
                     "strbhi %2, [%3, #9]\n\tcmp %2, #12288\n\titt lo\n\tldrhlo %1, [%3, #6]\n\t"
                     "addlo %0, %0, %1\n\t"
                     : "+&r"(r), "+&r"(s)
                     : "r"(a), "r"(at)
                     : "cc", "memory");
    return r + s;
}

__attribute__((noinline)) static word blocks(word a, word *at)
{
    register word x __asm__("r4") = a, y __asm__("r5") = a * 3;
    register word *p __asm__("r6") = at;

    __asm__ volatile("tst %0, #3\n\titt eq\n\tstmiaeq %2!, {r4, r5}\n\tldmiaeq %2, {r4, r5}\n\t"
                     "tst %0, #4\n\tit ne\n\tstmdbne %2!, {r4, r5}\n\t"
                     : "+&r"(x), "+&r"(y), "+&r"(p)
                     :
                     : "cc", "memory");
    return x + y + (word)(p - at);
}

/* Products of zero before any sum was rounded, then products that round. */
__attribute__((noinline)) static word products(word seed, int rounds)
{
    double sum = 0;
    union {
        double d;
        word w[2];
    } bits;

    for (int n = 0; n < ROUNDS; n++) {
        double x = (int)(draw_word(&seed) & 15), y = (int)(draw_word(&seed) & 7);

        sum += x * y;
        if (rounds && (n & 3) == 3)
            sum *= 0.99;
    }
    bits.d = sum;
    return bits.w[0] ^ bits.w[1];
}

/* Switches to the other instruction set and back. */
#ifdef __thumb__
#define OTHER "arm"
#define THIS  "thumb"
#else
#define OTHER "thumb"
#define THIS  "arm"
#endif
word other(word a, word b);
__asm__(".text\n\t.balign 4\n\t.global other\n\t.type other, %function\n\t." OTHER "\n"
        "other:\n\teor r0, r0, r1\n\tadd r0, r0, #1\n\tbx lr\n\t." THIS "\n");

static word run_kind(char what)
{
    word seed = 1, sum = 0;

    if (what == 'f' || what == 'g')
        return products(seed, what == 'g');
    for (word n = 0; n < ROUNDS; n++) {
        word a = draw_word(&seed);

        if (what == 'r')
            sum = returns(sum, a);
        else if (what == 'a')
            sum += accesses(a, memory + (a & 15));
        else if (what == 'b')
            sum += blocks(a, memory + (a & 31) + 2);
        else
            sum = other(sum, a);
    }
    for (word n = 0; n < 64; n++)
        sum = sum * 31 + memory[n];
    return sum;
}
