/*
 * Files of GPUs. They refer to things in files that they do not include: registers of layouts,
 * features of their ISA's architecture, other GPUs. These are looked up in the whole workspace.
 */
#ifndef GENCC_LSP_GPUS_H
#define GENCC_LSP_GPUS_H

#include "gencc/lsp/project.h"
#include "gencc/model/layout.h"

/* Checks the GPUs of a root against the nearest layouts and keeps the messages; does nothing if
 * there are no layouts. */
void gpus_check(struct root *r);
/* Finds a property, or a parameter of the time models, by name; returns false if there is none. */
bool gpus_word(const char *name, struct gpu_word *out);

#endif
