/* Out-of-memory handling for allocations of the programs themselves, not of guest memory. */
#ifndef COMMON_MEMORY_H
#define COMMON_MEMORY_H

/* Returns `memory`. If that is NULL, prints one line and ends the program with status 2. */
void *memory_or_exit(void *memory) __attribute__((returns_nonnull));

#endif
