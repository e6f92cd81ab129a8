/*
 * Finds the known name that is nearest to a misspelt one.
 */
#include "gencc/front/diag.h"

#include <string.h>

enum { LONGEST = 64 }; /* longer names are never offered */

static unsigned min_of_three(unsigned a, unsigned b, unsigned c)
{
    unsigned m = a < b ? a : b;

    return m < c ? m : c;
}

/* The number of edits that turn `b` into `a`, two names of at most LONGEST bytes. An edit adds,
 * removes or changes a character, or swaps two neighbours. */
static unsigned edit_distance(const char *a, size_t la, const char *b, size_t lb)
{
    unsigned rows[3][LONGEST + 1]; /* rows i, i - 1 and i - 2 in turn */

    for (unsigned j = 0; j <= lb; j++)
        rows[0][j] = j;
    for (unsigned i = 1; i <= la; i++) {
        unsigned *row = rows[i % 3];
        const unsigned *above = rows[(i + 2) % 3];
        const unsigned *above2 = rows[(i + 1) % 3];

        row[0] = i;
        for (unsigned j = 1; j <= lb; j++) {
            row[j] =
                min_of_three(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                above2[j - 2] + 1 < row[j])
                row[j] = above2[j - 2] + 1;
        }
    }
    return rows[la % 3][lb];
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
    d = edit_distance(g->wrong, la, candidate, lb);
    if (d > (la < 2 ? 0 : la < 4 ? 1 : la / 3) || (g->best && d >= g->distance))
        return;
    g->best = candidate;
    g->distance = d;
}
