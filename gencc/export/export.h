/*
 * Descriptions for other programs: solvers (SMT-LIB), QEMU (decodetree), Ghidra
 * (SLEIGH).
 */
#ifndef GENCC_EXPORT_EXPORT_H
#define GENCC_EXPORT_EXPORT_H

#include "gencc/model/model.h"

#include <stdio.h>

/* What to export */
struct export_choice {
    const char *const *names; /* of instructions or forms; all if there are none */
    unsigned count;
};

/* Whether the form was chosen. */
bool export_chosen(const struct export_choice *c, const struct form *form);
/* Reports names that the ISA does not have. Returns whether all are there. */
bool export_check_names(const char *command, const struct isa *isa, const struct export_choice *c);

/* Each function prints the file to `o` and, for every form that the format cannot express, a line
 * with the reason to `errors`. Returns the number of forms that were left out. */

/* SMT-LIB 2 of an optimised ISA: for each form, definitions of the state after it from that
 * before it. */
unsigned export_smt(FILE *o, FILE *errors, const struct isa *isa, const struct export_choice *c);

/* Patterns for QEMU's scripts/decodetree.py, of words of `width` bits. */
unsigned export_decodetree(FILE *o, FILE *errors, const struct isa *isa, unsigned width,
                           const struct export_choice *c);

/* A SLEIGH specification (.slaspec) for Ghidra. Instructions that p-code cannot say become an
 * operation of their name each; these, and how much of the rest is calls, is told in `errors`. */
unsigned export_sleigh(FILE *o, FILE *errors, struct isa *isa, const struct export_choice *c);
/* The files .ldefs, .pspec and .cspec that belong to the specification at `path`, beside it.
 * Returns false after reporting. */
bool export_sleigh_specs(const char *path, const struct isa *isa);

#endif
