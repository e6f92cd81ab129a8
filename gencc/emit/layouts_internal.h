/*
 * What the parts that write the C of layouts share.
 */
#ifndef GENCC_EMIT_LAYOUTS_INTERNAL_H
#define GENCC_EMIT_LAYOUTS_INTERNAL_H

#include "gencc/emit/layouts.h"

struct layout_out {
    struct layouts *l;
    struct arena *a;
    FILE *h, *c;
    const char *p, *P; /* prefix of names, small and in capitals */
};

/* A name in capitals. */
const char *layout_upper(struct arena *a, const char *name);

/* The first field of that name in a layout: the one its member is declared by. */
bool layout_declares(const struct lay_struct *s, const struct lay_field *f);

/* layouts_unpack.c, layouts_print.c, layouts_registers.c: definitions to o->c. */
void layout_emit_unpack(const struct layout_out *o, const struct lay_struct *s);
void layout_emit_print(const struct layout_out *o, const struct lay_struct *s);
void layout_emit_registers_h(const struct layout_out *o);
void layout_emit_registers_c(const struct layout_out *o);

/* The helpers that the definitions above call. */
extern const char layout_unpack_helpers[], layout_print_helpers[];

#endif
