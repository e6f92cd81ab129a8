/*
 * What the commands of gencc share: from the name of a description to a checked, lowered model.
 */
#ifndef PROGRAMS_GENCC_DRIVER_H
#define PROGRAMS_GENCC_DRIVER_H

#include "gencc/lower/lower.h"
#include "gencc/model/model.h"

struct driver {
    struct arena arena;
    struct diag diag;
    const char *arch; /* path of the architecture file, or NULL: look for the ISA */
    const char *isa;  /* name of the ISA, or NULL: the first */
    struct model *model;
};

/* STAGE_WORDS: what words of the ISA asked for say; the others' behaviour is not looked at. */
enum driver_stage { STAGE_AST, STAGE_MODEL, STAGE_CHECKED, STAGE_WORDS, STAGE_OPTIMISED };

/* Takes the description so far. False after reporting; the exit status is then 1, or 2 when the
 * description cannot be found. */
bool driver_load(struct driver *d, enum driver_stage stage, int *status);

/* Whether there were errors, or warnings that fail (-Werror): says how many and sets the status. */
bool driver_failed(struct driver *d, int *status);

/* Checks the assembly syntax too, and reports warnings that need to have seen all; after
 * STAGE_CHECKED. */
bool driver_check_text(struct driver *d, int *status);

/* The ISA asked for; NULL after reporting. */
struct isa *driver_isa(struct driver *d, int *status);

/* True, after saying so, for an ISA of bundles, which a command on instructions cannot take. */
bool driver_has_bundles(const char *command, const struct isa *isa);

void driver_free(struct driver *d);

/* Where descriptions are looked for, GENCC_DESCRIPTIONS if that is set, and the templates of `gencc new`. */
const char *folder_descriptions(struct arena *a);
const char *folder_project(struct arena *a);

/* Says how many errors and warnings there were. */
void driver_print_count(const struct diag *d);

/* Writes the rule by which `target` depends on all files that have been read. False after reporting. */
bool depfile_write(const struct diag *d, const char *path, const char *target);

/* The commands; argv[0] is the command's name. Each returns the exit status. */
int command_check(int argc, char **argv);
int command_build(int argc, char **argv);
int command_dump(int argc, char **argv);
int command_explain(int argc, char **argv);
int command_disasm(int argc, char **argv);
int command_asm(int argc, char **argv);
int command_prelude(int argc, char **argv);
int command_constants(int argc, char **argv);
int command_new(int argc, char **argv);
int command_doc(int argc, char **argv);
int command_diff(int argc, char **argv);
int command_fmt(int argc, char **argv);
int command_lsp(int argc, char **argv);
int command_layouts(int argc, char **argv);
int command_variants(int argc, char **argv);

/* Says that a command does not know an argument; returns the exit status. */
int bad_argument(const char *command, const char *arg);

/* An option taken from argv: `--name VALUE`, `--name=VALUE`. Advances *i. NULL when it is not that
 * option; exits the parse with *bad set when the value is missing. */
const char *option_value(int argc, char **argv, int *i, const char *name, bool *bad);

/* The value of option `--name` as a number, decimal or 0x…, from `min` to `max`. False after
 * reporting. */
bool option_number(const char *name, const char *text, uint64_t min, uint64_t max, uint64_t *out);

/* Handles the options every command knows (--arch, --isa, -W…); true when it was one. */
bool driver_option(struct driver *d, int argc, char **argv, int *i, bool *bad);

#endif
