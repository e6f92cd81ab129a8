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
    const char *arch; /* path of the architecture file; NULL: the one that has the ISA */
    const char *isa;  /* name of the ISA; NULL: the first */
    struct model *model;
};

/* How far a description is processed. STAGE_WORDS: decoding and text of the requested ISA without
 * behaviours; the functions of forms are lowered when asked for. */
enum driver_stage { STAGE_AST, STAGE_MODEL, STAGE_CHECKED, STAGE_WORDS, STAGE_OPTIMISED };

/* Processes the description up to `stage`. Returns false after reporting; *status is then 1, or 2
 * if the description cannot be found. */
bool driver_load(struct driver *d, enum driver_stage stage, int *status);

/* Whether there were errors, or warnings that count as errors (-Werror). If so, prints their number
 * and sets the status. */
bool driver_failed(struct driver *d, int *status);

/* Checks the assembly syntax, and reports warnings that depend on the whole description. Call it
 * after STAGE_CHECKED. */
bool driver_check_text(struct driver *d, int *status);

/* The requested ISA; NULL after reporting. */
struct isa *driver_isa(struct driver *d, int *status);

/* Whether the ISA consists of bundles, which commands on instructions do not support; reports if
 * so. */
bool driver_has_bundles(const char *command, const struct isa *isa);

/* Frees everything that driver_load() made. */
void driver_free(struct driver *d);

/* Folders of descriptions (GENCC_DESCRIPTIONS if set), and of the templates of `gencc new`. */
const char *folder_descriptions(struct arena *a);
const char *folder_project(struct arena *a);

/* Prints the number of errors and warnings. */
void driver_print_count(const struct diag *d);

/* Writes a rule by which `target` depends on all files read. Returns false after reporting. */
bool depfile_write(const struct diag *d, const char *path, const char *target);

/* The commands. argv[0] is the name of the command; the result is the exit status. */
int command_abi(int argc, char **argv);
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
int command_export(int argc, char **argv);
int command_fmt(int argc, char **argv);
int command_lsp(int argc, char **argv);
int command_test(int argc, char **argv);
int command_layouts(int argc, char **argv);
int command_variants(int argc, char **argv);

/* Reports an unknown argument of a command; returns the exit status. */
int bad_argument(const char *command, const char *arg);

/* Reads an option `--name VALUE` or `--name=VALUE` at argv[*i] and advances *i. Returns NULL for
 * other arguments, and sets *bad if the value is missing. */
const char *option_value(int argc, char **argv, int *i, const char *name, bool *bad);

/* Reads the value of option `--name` as a number, decimal or 0x…, from `min` to `max`. Returns
 * false after reporting. */
bool option_number(const char *name, const char *text, uint64_t min, uint64_t max, uint64_t *out);

/* Handles the options of all commands (--arch, --isa, -W…); returns false for other arguments. */
bool driver_option(struct driver *d, int argc, char **argv, int *i, bool *bad);

#endif
