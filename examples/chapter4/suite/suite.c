/*
 * Programs of table 4.2 of seed 002: suite FOLDER SIZE [NAME...]
 *
 * SIZE is `small`, `thesis`, or a number, of which each program's own size says what it is. FOLDER
 * has the kernels. Prints a line for each: how many launches, how many values are wrong. The status
 * is 1 if any is.
 */
#include "suite.h"

#include <stdio.h>
#include <string.h>

static const struct program {
    const char *name, *file;
    size_t (*run)(struct suite *s, unsigned n);
    unsigned small, thesis;
} programs[] = {
#define ROW(name, file, function, small, thesis) {#name, file, function, small, thesis},
    PROGRAMS(ROW)
#undef ROW
};

static bool run_program(const struct compute *compute, const char *folder, const struct program *p,
                        unsigned n)
{
    struct suite s = {.compute = *compute, .random = 1};
    size_t wrong;

    suite_load(&s, folder, p->file);
    wrong = p->run(&s, n);
    suite_unload(&s);
    printf("%s: size %u, %u launches, %zu wrong: %s\n", p->name, n, s.launches, wrong,
           wrong ? "FAILED" : "ok");
    fflush(stdout);
    return !wrong;
}

int main(int argc, char **argv)
{
    unsigned wrong = 0, size = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : 0;
    struct compute compute;

    if (argc < 3) {
        fprintf(stderr, "suite FOLDER small|thesis|N [NAME...]\n");
        return 2;
    }
    compute = compute_open();
    for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
        const struct program *p = &programs[i];
        bool chosen = argc == 3;

        for (int k = 3; k < argc; k++)
            chosen |= !strcmp(argv[k], p->name);
        if (chosen)
            wrong += !run_program(&compute, argv[1], p,
                                  size                        ? size
                                  : !strcmp(argv[2], "small") ? p->small
                                                              : p->thesis);
    }
    compute_close(&compute);
    return wrong != 0;
}
