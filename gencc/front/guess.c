#include "gencc/front/diag.h"

#include <string.h>

enum { LONGEST = 64 }; /* names longer than this are never offered */

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
    unsigned m = a < b ? a : b;

    return m < c ? m : c;
}

/* Levenshtein distance of two names of at most LONGEST bytes. */
static unsigned distance(const char *a, size_t la, const char *b, size_t lb)
{
    unsigned row[LONGEST + 1];

    for (unsigned j = 0; j <= lb; j++)
        row[j] = j;
    for (unsigned i = 1; i <= la; i++) {
        unsigned diagonal = row[0];

        row[0] = i;
        for (unsigned j = 1; j <= lb; j++) {
            unsigned above = row[j];

            row[j] = min3(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[lb];
}

void name_guess_offer(struct name_guess *g, const char *candidate)
{
    size_t la, lb;
    unsigned d;

    if (!candidate)
        return;
    la = strlen(g->wrong);
    lb = strlen(candidate);
    if (!la || !lb || la > LONGEST || lb > LONGEST)
        return;
    d = distance(g->wrong, la, candidate, lb);
    if (d > (la < 4 ? 1 : la / 3) || (g->best && d >= g->distance))
        return;
    g->best = candidate;
    g->distance = d;
}
