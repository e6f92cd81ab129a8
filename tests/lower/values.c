/*
 * Evaluates exported helpers of a description:
 *
 *     lower_values ARCH.ac lowered|optimised
 *
 * It reads lines `NAME ARGUMENT…` and prints the result of each call in hexadecimal. Registers are
 * zero at the start of each call; the only intrinsics are those that the evaluator computes.
 */
#include "gencc/front/ast.h"
#include "gencc/lower/lower.h"
#include "gencc/model/model.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ARGUMENTS = 16 };

static u128 read_number(const char *text)
{
    u128 v = 0;

    for (text += 2; *text; text++) /* after 0x */
        v = v << 4 | (unsigned)(*text <= '9' ? *text - '0' : *text - 'a' + 10);
    return v;
}

static struct ir_func *find_export(const struct model *m, const char *name)
{
    vec_for_each (&m->isas, isa)
        vec_for_each (&(*isa)->exports, f)
            if (!strcmp((*f)->name, name))
                return *f;
    return NULL;
}

static bool evaluate_line(const struct model *m, char *line)
{
    static struct ir_data arguments[MAX_ARGUMENTS], results[MAX_ARGUMENTS];
    const char *name = strtok(line, " \n"), *word;
    struct ir_func *f = name ? find_export(m, name) : NULL;
    struct ir_machine machine = {.state = calloc(1, m->state_bytes + 1)};
    unsigned n = 0;
    bool done;

    while ((word = strtok(NULL, " \n")) && f && n < MAX_ARGUMENTS && n < f->params.len) {
        arguments[n].lane[0] = read_number(word) & ~(u128)0 >> (128 - f->params.data[n].bits);
        n++;
    }
    done = f && !word && f->params.len == n && machine.state &&
           ir_eval(&machine, f, arguments, results) == IR_DONE;
    free(machine.state);
    if (!done) {
        fprintf(stderr, "lower_values: '%s' with %u arguments cannot be evaluated\n",
                name ? name : "", n);
        return false;
    }
    printf("%" PRIx64 "%016" PRIx64 "\n", (uint64_t)(results[0].lane[0] >> 64),
           (uint64_t)results[0].lane[0]);
    return true;
}

int main(int argc, char **argv)
{
    struct arena arena = {0};
    struct diag diag = {.arena = &arena};
    const struct ast_arch *ast;
    struct model *m;
    char line[1024];
    bool good;

    if (argc != 3) {
        fputs("usage: lower_values ARCH.ac lowered|optimised\n", stderr);
        return 2;
    }
    ast = ast_parse_arch(&diag, argv[1]);
    m = ast && !diag.errors ? model_build(&arena, &diag, ast) : NULL;
    good = m && !diag.errors;
    for (unsigned i = 0; good && i < m->isas.len; i++)
        good =
            lower_isa(m->isas.data[i], strcmp(argv[2], "optimised") ? LOWER_CHECK : LOWER_OPTIMISE);
    while (good && fgets(line, sizeof(line), stdin))
        good = evaluate_line(m, line);
    arena_free(&arena);
    return good ? 0 : 1;
}
