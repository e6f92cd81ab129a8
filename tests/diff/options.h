/*
 * The command line of a comparison, and what it prints first.
 */
#ifndef TESTS_DIFF_OPTIONS_H
#define TESTS_DIFF_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#define DIFF_USAGE                                                                       \
    "--arch FILE.ac [--seed N] [--count WORDS-A-FORM] [--only PATTERN]\n       [--show " \
    "DIFFERENCES]"

struct diff_options {
    const char *arch, *only; /* borrowed; `only` may be NULL */
    uint64_t seed;           /* from the clock, unless given */
    unsigned count, show;
};

/* Handles an option that only this program has. Returns false if the name is unknown. */
typedef bool diff_option_fn(void *opaque, const char *name, const char *value);

/*
 * Reads pairs of a name and a value, up to the first argument that is not a name; `more` may be
 * NULL. Returns the index of that argument, or 0 if an option is wrong or --arch is missing.
 */
int diff_options(struct diff_options *o, int argc, char **argv, diff_option_fn *more, void *opaque);

/* Whether `--only` selects the form. */
bool diff_wanted(const struct diff_options *o, const char *form);

/* Prints a line if the numbers differ. `other` names the side that `b` is from. */
void diff_number(const char *name, uint64_t a, const char *other, uint64_t b);

#endif
