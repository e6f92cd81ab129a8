#ifndef GENCC_EMIT_HTML_H
#define GENCC_EMIT_HTML_H

#include "gencc/model/model.h"

/* Writes the reference page of an ISA: one entry an instruction. */
void emit_html(FILE *o, const struct isa *isa);

#endif
