/* The end of a program for which the host has no memory. */
#include "common/memory.h"

#include <stdio.h>
#include <stdlib.h>

void *memory_or_exit(void *memory)
{
    if (!memory) {
        fputs("error: the host has no memory left\n", stderr);
        exit(2);
    }
    return memory;
}
