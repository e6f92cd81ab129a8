/*
 * Files of GPUs. What they name is in files that they do not read: registers in layouts, features in the
 * architecture of their ISA, other GPUs beside them. All of the workspace's are taken.
 */
#ifndef GENCC_LSP_GPUS_H
#define GENCC_LSP_GPUS_H

#include "gencc/lsp/project.h"
#include "gencc/model/layout.h"

/* Adds what is wrong with the GPUs of a root by the layouts nearest to it; without any, nothing. */
void gpus_check(struct root *r);
/* A property or a parameter of the time models; false when there is none of that name. */
bool gpus_word(const char *name, struct gpu_word *out);

#endif
