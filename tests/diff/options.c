/* The command line of the programs that compare an interpreter with its description. */
#include "tests/diff/options.h"
#include "gencc/referee/seed.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool set_option(struct diff_options *o, const char *name, const char *value)
{
    if (!strcmp(name, "--arch"))
        o->arch = value;
    else if (!strcmp(name, "--only"))
        o->only = value;
    else if (!strcmp(name, "--seed"))
        o->seed = strtoull(value, NULL, 0);
    else if (!strcmp(name, "--count"))
        o->count = (unsigned)strtoul(value, NULL, 0);
    else if (!strcmp(name, "--show"))
        o->show = (unsigned)strtoul(value, NULL, 0);
    else
        return false;
    return true;
}

int diff_options(struct diff_options *o, int argc, char **argv, diff_option_fn *more, void *opaque)
{
    int i = 1;

    *o = (struct diff_options){.seed = seed_default(), .count = 20, .show = 10};
    for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
        if (!set_option(o, argv[i], argv[i + 1]) && (!more || !more(opaque, argv[i], argv[i + 1])))
            return 0;
    }
    return o->arch ? i : 0;
}

bool diff_wanted(const struct diff_options *o, const char *form)
{
    return !o->only || fnmatch(o->only, form, 0) == 0;
}

void diff_number(const char *name, uint64_t a, const char *other, uint64_t b)
{
    if (a != b)
        printf("    %s: %" PRIx64 ", %s %" PRIx64 "\n", name, a, other, b);
}
