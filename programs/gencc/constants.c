/*
 * `gencc constants`: writes the C header of a file of constants.
 */
#include "gencc/emit/constants.h"
#include "programs/gencc/driver.h"

static int make_header(struct diag *d, const char *path, const char *out)
{
    const struct source_file *file = source_read(d, path, (struct src_pos){0});
    const struct enums *enums = NULL;
    struct ast_isa isa = {0};

    if (!file)
        return 2;
    if (ast_parse_behaviours(d, file, &isa))
        enums = enums_build(d, &isa);
    if (!d->errors)
        return emit_constants(d, enums, path, out) ? 0 : 2;
    driver_print_count(d);
    return 1;
}

int command_constants(int argc, char **argv)
{
    struct arena arena = {0};
    struct diag d = {.arena = &arena, .out = stderr};
    const char *path = NULL, *out = NULL, *v;
    bool bad = false;
    int status;

    for (int i = 1; i < argc; i++) {
        if ((v = option_value(argc, argv, &i, "o", &bad)))
            out = v;
        else if (bad)
            return 2;
        else if (argv[i][0] == '-' || path)
            return bad_argument("constants", argv[i]);
        else
            path = argv[i];
    }
    if (!path || !out) {
        fprintf(stderr, "gencc constants: %s is missing\n", path ? "-o FILE.h" : "FILE.genc");
        return 2;
    }
    status = make_header(&d, path, out);
    arena_free(&arena);
    return status;
}
