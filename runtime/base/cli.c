/* Reading command lines by a table of options, and printing it for --help. */
#include "runtime/base/cli.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/base/values.h"

/* ---- reading --------------------------------------------------------------------------------- */

static const struct cli_option *find_option(const struct cli *cli, const char *name, size_t len)
{
    for (size_t i = 0; i < cli->count; i++) {
        const struct cli_option *o = &cli->table[i];

        if (o->kind != CLI_KIND_HEADING && strlen(o->name) == len && !memcmp(o->name, name, len))
            return o;
    }
    return NULL;
}

static bool apply_number(const struct cli_option *o, const char *value, uint64_t *to,
                         struct error *err)
{
    char what[64];

    snprintf(what, sizeof(what), "-%s", o->name);
    return value_number(value, what, o->min, o->max, to, err);
}

static bool apply_call(const struct cli_option *o, void *options, const char *value,
                       struct error *err)
{
    char *copy = value ? xstrdup(value) : NULL;
    bool ok = o->apply(options, copy, err);

    free(copy);
    return ok;
}

static bool apply_option(const struct cli_option *o, void *options, const char *value,
                         struct error *err)
{
    void *field = (char *)options + o->field;

    switch (o->kind) {
    case CLI_KIND_SWITCH:
        *(bool *)field = true;
        return true;
    case CLI_KIND_TEXT:
        *(const char **)field = value;
        return true;
    case CLI_KIND_NUMBER:
        return apply_number(o, value, field, err);
    case CLI_KIND_CALL:
        return apply_call(o, options, value, err);
    case CLI_KIND_HEADING:
        break;
    }
    return false;
}

/* Applies the option at *argv, and moves it past the option and its value. */
static bool read_option(const struct cli *cli, void *options, char ***argv, struct error *err)
{
    const char *word = *(*argv)++, *name = word + 1 + (word[1] == '-');
    const char *equals = word[1] == '-' ? strchr(name, '=') : NULL;
    const struct cli_option *o =
        find_option(cli, name, equals ? (size_t)(equals - name) : strlen(name));

    if (!o)
        return error_set(err, "unknown option '%s' (try --help)", word);
    if (!o->arg && equals)
        return error_set(err, "-%s takes no value", o->name);
    if (!o->arg || equals)
        return apply_option(o, options, equals ? equals + 1 : NULL, err);
    if (!**argv)
        return error_set(err, "-%s needs a value: %s", o->name, o->arg);
    return apply_option(o, options, *(*argv)++, err);
}

/* CLI_HELP or CLI_VERSION for their options; CLI_DONE for other words. */
static enum cli_result help_or_version(const char *word)
{
    const char *name = word + 1 + (word[1] == '-');

    if (!strcmp(name, "h") || !strcmp(name, "help"))
        return CLI_HELP;
    return strcmp(name, "version") ? CLI_DONE : CLI_VERSION;
}

enum cli_result cli_read(const struct cli *cli, void *options, char **argv, struct error *err)
{
    bool only_operands = false;

    for (argv++; *argv;) {
        bool is_option = !only_operands && argv[0][0] == '-' && argv[0][1];

        if (is_option && help_or_version(*argv) != CLI_DONE)
            return help_or_version(*argv);
        if (is_option && !strcmp(*argv, "--") && cli->operand) {
            only_operands = true;
            argv++;
        } else if (is_option && strcmp(*argv, "--")) {
            if (!read_option(cli, options, &argv, err))
                return CLI_WRONG;
        } else if (!cli->operand) {
            error_set(err, "unexpected argument '%s' (try --help)", *argv);
            return CLI_WRONG;
        } else {
            if (!cli->operand(options, argv++, err))
                return CLI_WRONG;
            if (cli->operand_ends)
                break;
        }
    }
    return CLI_DONE;
}

/* ---- help ------------------------------------------------------------------------------------ */

static void print_option(const struct cli_option *o, FILE *out)
{
    fprintf(out, "  -%s%s%s\n", o->name, o->arg ? " " : "", o->arg ? o->arg : "");
    for (const char *line = o->help, *end; *line; line = end + (*end == '\n')) {
        end = strchrnul(line, '\n');
        fprintf(out, "          %.*s\n", (int)(end - line), line);
    }
}

void cli_print(const struct cli *cli, FILE *out)
{
    for (size_t i = 0; i < cli->count; i++) {
        if (cli->table[i].kind == CLI_KIND_HEADING)
            fprintf(out, "\n%s:\n", cli->table[i].name);
        else
            print_option(&cli->table[i], out);
    }
    fputs("  -version\n          the version\n  -help, -h\n          this text\n", out);
}

const char *cli_version(void)
{
    return GENCC_VERSION;
}

void cli_print_version(const char *program, FILE *out)
{
    fprintf(out, "%s (gencc) " GENCC_VERSION "\n", program);
}

bool cli_only_operand(const char **operand, const char *kind, const char *word, struct error *err)
{
    if (*operand)
        return error_set(err, "more than one %s: %.100s and %.100s", kind, *operand, word);
    *operand = word;
    return true;
}
