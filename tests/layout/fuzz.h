/*
 * The table of all unpackers of a generated header, which fuzz_table.py writes.
 */
#ifndef TESTS_LAYOUT_FUZZ_H
#define TESTS_LAYOUT_FUZZ_H

#include <stdint.h>
#include <stdio.h>

struct fuzz_layout {
    const char *name;
    unsigned (*bytes)(unsigned version);
    /* Unpacks the bytes and prints the result. Returns the bad field. */
    const char *(*unpack)(unsigned version, const uint8_t *bytes, FILE *f);
};

/* The table; an entry without a name ends it. */
extern const struct fuzz_layout fuzz_layouts[];

#endif
