/*
 * The loops of TSVC whose names begin as one of the arguments, each called rarely. Two loops with
 * one number, such as s112 and s1112, belong together: the first of four digits is ignored. Times
 * are not printed.
 */
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include "TSVC_2/src/common.h"

#undef iterations
#define iterations 1000

static int chosen_count;
static char **chosen;

static int is_chosen(const char *name)
{
    const char *digits = name + strcspn(name, "0123456789");
    char family[16];

    snprintf(family, sizeof(family), "%c%s", *name, digits + (strspn(digits, "0123456789") == 4));
    for (int k = 0; k < chosen_count; k++)
        if (!strncmp(family, chosen[k], strlen(chosen[k])))
            return 1;
    return 0;
}

/* Each loop begins with this call, so it returns here if it is not chosen. */
#define initialise_arrays(name)  \
    do {                         \
        if (!is_chosen(name))    \
            return 0;            \
        initialise_arrays(name); \
    } while (0)
#define gettimeofday(t, zone) ((t)->tv_sec = 0, (t)->tv_usec = 0)
#undef main
#define main tsvc_main
#include "TSVC_2/src/tsvc.c"
#undef main

int program_main(int argc, char **argv)
{
    chosen = argv + 1;
    chosen_count = argc - 1;
    return tsvc_main(argc, argv);
}
