/*
 * Command lines, as QEMU's: an option has one dash or two. Its value is the next word or, with two
 * dashes, may follow a '='. A program has one table of its options, from which --help is printed.
 */
#ifndef RUNTIME_BASE_CLI_H
#define RUNTIME_BASE_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "runtime/base/error.h"

enum cli_kind {
    CLI_KIND_HEADING, /* no option: a line of --help */
    CLI_KIND_SWITCH,  /* sets a bool */
    CLI_KIND_TEXT,    /* a const char *, which points into argv */
    CLI_KIND_NUMBER,  /* a uint64_t of min..max */
    CLI_KIND_CALL,    /* calls `apply` */
};

struct cli_option {
    enum cli_kind kind;
    const char *name; /* without dashes */
    const char *arg;  /* name of the value in --help; NULL: the option has none */
    const char *help; /* lines */
    size_t field;     /* offset in the program's structure of options */
    uint64_t min, max;
    /* Applies `value`, which may be modified and is NULL for an option without one; false with *err
     * when it is wrong. */
    bool (*apply)(void *options, char *value, struct error *err);
};

/*
 * Rows of a table. `where` is a macro of the program for a type and its member, as in offsetof();
 * the member must be of the option's type.
 */
#define CLI_FIELD(owner, member, type) \
    (offsetof(owner, member) + 0 * sizeof(&((owner *)0)->member == (type *)0))

#define CLI_HEADING(text)                        \
    {                                            \
        .kind = CLI_KIND_HEADING, .name = (text) \
    }
#define CLI_SWITCH(name_, where, help_)                                                            \
    {                                                                                              \
        .kind = CLI_KIND_SWITCH, .name = (name_), .field = CLI_FIELD(where, bool), .help = (help_) \
    }
#define CLI_TEXT(name_, where, arg_, help_)                      \
    {                                                            \
        .kind = CLI_KIND_TEXT, .name = (name_), .arg = (arg_),   \
        .field = CLI_FIELD(where, const char *), .help = (help_) \
    }
#define CLI_NUMBER(name_, where, min_, max_, arg_, help_)                              \
    {                                                                                  \
        .kind = CLI_KIND_NUMBER, .name = (name_), .field = CLI_FIELD(where, uint64_t), \
        .min = (min_), .max = (max_), .arg = (arg_), .help = (help_)                   \
    }
#define CLI_CALL(name_, apply_, arg_, help_)                                                      \
    {                                                                                             \
        .kind = CLI_KIND_CALL, .name = (name_), .apply = (apply_), .arg = (arg_), .help = (help_) \
    }

struct cli {
    const struct cli_option *table;
    size_t count;
    /*
     * Called for each word that is no option, at words[0]; `words` ends with NULL. False with *err:
     * the word is wrong. NULL: the program takes no such words.
     */
    bool (*operand)(void *options, char **words, struct error *err);
    bool operand_ends; /* operand() is called for the first word only; the others are not read */
};

enum cli_result {
    CLI_DONE,
    CLI_HELP,    /* -h or -help was given: print the help and end with status 0 */
    CLI_VERSION, /* -version was given: print the version and end with status 0 */
    CLI_WRONG    /* print *err and end with status 2 */
};

/* Reads argv, which ends with NULL, from its second word on, into `options`. "--" ends the
 * options. */
enum cli_result cli_read(const struct cli *cli, void *options, char **argv, struct error *err);

/* Prints the options, -help and -version among them. */
void cli_print(const struct cli *cli, FILE *out);
/* Prints "PROGRAM (gencc) VERSION". */
void cli_print_version(const char *program, FILE *out);
/* The VERSION that cli_print_version() prints. */
const char *cli_version(void);

/* Stores `word` in *operand, the only operand of a program. False: *operand is set already, and
 * *err names both words and `kind`, a noun such as "table". */
bool cli_only_operand(const char **operand, const char *kind, const char *word, struct error *err);

#endif
