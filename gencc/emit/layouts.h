/*
 * C of descriptor layouts, registers and GPU variants.
 */
#ifndef GENCC_EMIT_LAYOUTS_H
#define GENCC_EMIT_LAYOUTS_H

#include "gencc/model/layout.h"

/* Writes NAME_layout.h and NAME_layout.c to the folder: structures, unpackers, printers, offsets,
 * enumerations, registers. False after reporting. */
bool emit_layouts(struct layouts *l, const char *dir);

/* Writes NAME_variants.c: gpu_variants[] of runtime/gpu/variant.h. False after reporting. */
bool emit_variants(struct gpus *g, const char *dir);

#endif
