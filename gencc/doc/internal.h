/*
 * What the files of the reference share. Private to doc/.
 */
#ifndef GENCC_DOC_INTERNAL_H
#define GENCC_DOC_INTERNAL_H

#include "gencc/doc/doc.h"
#include "gencc/front/excerpt.h"
#include "gencc/model/bundle.h"
#include "gencc/model/free.h"

/* ---- source.c: text of the descriptions ------------------------------------------------------ */

struct doc_heading { /* `// ---- Title ----` */
    unsigned line;
    const char *title;
};

/* A file of a description */
struct doc_file {
    const struct source_file *file;
    const char *title, *text; /* comment at its head: first sentence, and the rest; or "" */
    const char *page;         /* address of the page that shows its contents */
    VEC(struct doc_heading) headings;
};

/* Reads the headings and the head comment of a file. */
struct doc_file *doc_file_read(struct arena *a, const struct source_file *file);
/* The heading above a line, or NULL. */
const struct doc_heading *doc_heading_of(const struct doc_file *f, unsigned line);
/* A path as shown to readers: its last folder and the name, wherever the description lies. */
const char *source_path(struct arena *a, const char *path);
/* The name of a file without folders and extension. */
const char *source_stem(struct arena *a, const char *path);
/* The comment at the end of the line, without slashes; "" if there is none. */
const char *source_remark(struct arena *a, struct src_pos pos);

/* ---- code.c, show.c -------------------------------------------------------------------------- */

/* Addresses of names */
struct doc_links {
    struct name_map names; /* const char *: addresses of definitions, registers, system registers */
    struct name_map maps;  /* const char *: addresses of maps, which strings name after a % */
    const struct doc_links *outer;
};
/* Writes GenC with kinds of words marked and names linked. */
void code_write(struct page *p, const struct doc_links *links, const char *text, size_t length);
/* Writes GenC as a block. */
void code_block(struct page *p, const struct doc_links *links, const char *text, size_t length);
/* An expression with only the parentheses that it needs; code_expr() writes it. */
const char *show_expr(struct arena *a, const struct ast_expr *e);
void code_expr(struct page *p, const struct doc_links *links, const struct ast_expr *e);
/* A type of the model, and a number, as text. */
const char *show_type(struct arena *a, struct ir_type t);
const char *show_number(struct arena *a, u128 value);

/* ---- bits.c ---------------------------------------------------------------------------------- */

struct bits_cell {    /* A part of a picture; cells are ordered from the most significant bit */
    const char *name; /* field, or NULL */
    unsigned lsb, width;
    u128 mask, value; /* fixed bits and their values, shifted to bit 0 */
    bool any;         /* bits without a meaning */
};
typedef VEC(struct bits_cell) bits_list;
/* Draws a word of `width` bits in rows of up to 32. */
void bits_draw(struct page *p, const bits_list *cells, unsigned width);
/* Makes the cells of a format; `mask` and `value` are the fixed bits of the word. */
void bits_of_format(struct arena *a, const struct format *f, u128 mask, u128 value, bits_list *out);

/* ---- an ISA ---------------------------------------------------------------------------------- */

struct doc_isa {
    struct site *site;
    const struct isa *isa;
    const char *folder;     /* folder of its pages, with the slash */
    const char *arch_index; /* address of the architecture's page */
    struct doc_links links;
    VEC(struct doc_file *)
    groups; /* files that declare instructions, in the order of declaration */
    VEC(struct doc_file *) behaviours; /* files of helpers, constants and types */
    VEC(struct instr *) ordered;       /* by group, then by declaration */
};

/* ---- groups.c, pages.c: below the pages of an ISA -------------------------------------------- */

/* Fills in groups, order and links of the ISA; its pages may be written then. */
void doc_isa_prepare(struct doc_isa *d);
/* The file of `d->groups` that declares the instruction; NULL before doc_isa_prepare() found it. */
struct doc_file *doc_group_of(const struct doc_isa *d, const struct instr *in);
/* Open a page of the ISA, or of the architecture, with breadcrumbs. Return false after
 * reporting. */
bool isa_page_begin(struct page *p, const struct doc_isa *d, const char *path, const char *title);
bool arch_page_begin(struct page *p, struct site *s, const struct model *m, const char *path,
                     const char *title);

/* ---- pages of an ISA ------------------------------------------------------------------------- */

/* Writes the entry of an instruction into the page of its group. */
void instr_write(struct page *p, const struct doc_isa *d, const struct instr *in);
/* The address of an instruction's entry. */
const char *instr_address(const struct doc_isa *d, const struct instr *in);
/* Words by which the search finds an instruction: the beginnings of its assembly. */
const char *instr_mnemonics(struct arena *a, const struct instr *in);
/* Writes all pages of a prepared ISA, among them those below. */
void doc_isa_write(struct doc_isa *d);
/* Writes a page per behaviour file. */
void behaviours_write(struct doc_isa *d);
/* Writes the page of maps, families and tables. */
void maps_write(struct doc_isa *d);
/* Writes the page of encodings that no instruction has. */
void free_write(struct doc_isa *d);
/* Writes the page of the ISA's bundle. */
void bundle_page_write(struct doc_isa *d);

/* ---- the others ------------------------------------------------------------------------------ */
/* Write the pages of an architecture and its ISAs, of layouts, of GPUs; return the address of the
 * first page. */
const char *arch_write(struct site *s, const struct model *m);
const char *layouts_write(struct site *s, const struct layouts *l);
const char *gpus_write(struct site *s, const struct gpus *g);
/* Writes the page of Linux's interface to programs (ac_abi), which the architecture has. Returns
 * its address. */
const char *abi_page_write(struct site *s, const struct model *m);
/* Writes the page of a compiled device tree and sets *title. Returns its address, or NULL after
 * reporting. */
const char *machine_write(struct site *s, const char *path, const char **title);

/* Registers and system registers of the architecture: registers_link() enters their addresses,
 * registers_write() writes their pages. */
void registers_link(struct site *s, const struct model *m, const char *folder, struct doc_links *l);
void registers_write(struct site *s, const struct model *m, const char *folder,
                     const struct doc_links *links);

#endif
