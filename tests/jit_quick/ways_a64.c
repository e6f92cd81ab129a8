/*
 * Instructions of A64 with data-dependent control flow, often the one way and often the other, for
 * ways.py, as in ways.c.
 */
#include "ways_start.h"

/* Conditional comparisons of floats, choices by their flags, and larger and smaller floats. The
 * result has a bit for each flag. */
#define WAYS(type, name, width)                                                                \
    __attribute__((noinline)) static word compare_##name(word a, type x, type y)               \
    {                                                                                          \
        word r, s;                                                                             \
        type least;                                                                            \
                                                                                               \
        __asm__ volatile("cmp %w3, #32768\n\tfccmpe %" width "4, %" width "5, #5, lo\n\t"      \
                         "cset %w0, gt\n\tfcsel %" width "2, %" width "4, %" width "5, gt\n\t" \
                         "ccmp %w3, #7, #3, vc\n\tfccmp %" width "2, %" width "4, #9, hi\n\t"  \
                         "cset %w1, mi\n\t"                                                    \
                         : "=&r"(r), "=&r"(s), "=&w"(least)                                    \
                         : "r"(a), "w"(x), "w"(y)                                              \
                         : "cc");                                                              \
        return r + 2 * s + (least == x ? 4 : 0);                                               \
    }                                                                                          \
    __attribute__((noinline)) static word order_##name(type x, type y)                         \
    {                                                                                          \
        type max, min, max_number, min_number;                                                 \
                                                                                               \
        __asm__("fmax %" width "0, %" width "4, %" width "5\n\t"                               \
                "fmin %" width "1, %" width "4, %" width "5\n\t"                               \
                "fmaxnm %" width "2, %" width "4, %" width "5\n\t"                             \
                "fminnm %" width "3, %" width "4, %" width "5\n\t"                             \
                : "=&w"(max), "=&w"(min), "=&w"(max_number), "=&w"(min_number)                 \
                : "w"(x), "w"(y));                                                             \
        return (word)(max + 2 * min + 4 * max_number + 8 * min_number);                        \
    }
WAYS(float, singles, "s")
WAYS(double, doubles, "d")

/* Small numbers, so that zeros and equal ones are frequent. */
static word run_kind(char what)
{
    word seed = 1, sum = 0;

    for (word n = 0; n < ROUNDS; n++) {
        word a = draw_word(&seed), x = a & 15, y = draw_word(&seed) & 15;

        if (what == 's')
            sum = sum * 31 + compare_singles(a, (float)x, (float)y);
        else if (what == 'd')
            sum = sum * 31 + compare_doubles(a, (double)x, (double)y);
        else
            sum =
                sum * 31 + order_singles((float)x, (float)y) + order_doubles((double)y, (double)x);
    }
    return sum;
}
