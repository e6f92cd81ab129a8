/*
 * Drives the front end and the model for the tests in this folder:
 *     front_tool ast FILE           prints the tree
 *     front_tool check FILE         parses and builds the model
 *     front_tool model FILE         … and prints it
 *     front_tool decode FILE ISA WIDTH WORD…   prints the candidates of each word
 * Exit status 1 after an error in the description, 2 after one in the command.
 */
#include "gencc/model/model.h"

#include <stdlib.h>
#include <string.h>

static u128 parse_word(const char *text)
{
    u128 word = 0;

    if (strncmp(text, "0x", 2) == 0)
        text += 2;
    for (; *text; text++)
        word = word << 4 | (unsigned)(*text <= '9' ? *text - '0' : (*text | 0x20) - 'a' + 10);
    return word;
}

static void print_candidates(const struct isa *isa, const char *text, unsigned width)
{
    const struct decode_node *n = isa_decode(isa, parse_word(text), width);
    bool any = false;

    printf("%s:", text);
    for (unsigned i = 0; n && i < n->forms.len; i++) {
        if (!pattern_matches(&n->tests.data[i], parse_word(text)))
            continue;
        printf(" %s", n->forms.data[i]->name);
        any = true;
    }
    puts(any ? "" : " none");
}

static bool print_words(const struct model *m, int argc, char **argv)
{
    const struct isa *isa = argc > 4 ? model_isa(m, argv[3]) : NULL;

    if (!isa)
        return false;
    for (int i = 5; i < argc; i++)
        print_candidates(isa, argv[i], (unsigned)atoi(argv[4]));
    return true;
}

static int run_command(struct diag *d, int argc, char **argv)
{
    struct ast_arch *arch;
    struct model *m;

    if (argc < 3)
        return 2;
    arch = ast_parse_arch(d, argv[2]);
    if (!arch)
        return 1;
    if (strcmp(argv[1], "ast") == 0) {
        ast_print(stdout, arch);
        return d->errors ? 1 : 0;
    }
    m = model_build(d->arena, d, arch);
    if (m && strcmp(argv[1], "model") == 0)
        model_print(stdout, m);
    if (m && strcmp(argv[1], "decode") == 0 && !print_words(m, argc, argv))
        return 2;
    return d->errors ? 1 : 0;
}

int main(int argc, char **argv)
{
    struct arena arena = {0};
    struct diag d = {.arena = &arena, .out = stderr};
    int status = run_command(&d, argc, argv);

    arena_free(&arena);
    return status;
}
