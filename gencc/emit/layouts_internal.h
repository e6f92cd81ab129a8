/*
 * Shared by the parts that write the C of layouts.
 */
#ifndef GENCC_EMIT_LAYOUTS_INTERNAL_H
#define GENCC_EMIT_LAYOUTS_INTERNAL_H

#include "gencc/model/layout.h"

struct layout_out {
    struct layouts *l;
    struct arena *a;
    FILE *h, *c;
    const char *p, *P; /* prefix of names, in lower case and in capitals */
};

/* layouts_unpack.c, layouts_pack.c, layouts_print.c, layouts_registers.c: write definitions to
 * o->c. */
void layout_emit_unpack(const struct layout_out *o, const struct lay_struct *s);
void layout_emit_pack(const struct layout_out *o, const struct lay_struct *s);
void layout_emit_print(const struct layout_out *o, const struct lay_struct *s);
void layout_emit_registers_h(const struct layout_out *o);
void layout_emit_registers_c(const struct layout_out *o);

/* Helpers that these definitions call. */
extern const char layout_unpack_helpers[], layout_pack_helpers[], layout_print_helpers[];

#endif
