/*
 * What the pages of the reference share. Private to doc/.
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

/* A file of a description. */
struct doc_file {
    const struct source_file *file;
    const char *title, *text; /* of the comment at its head: first sentence, and the rest; or "" */
    const char *page;         /* where its things are shown */
    VEC(struct doc_heading) headings;
};

struct doc_file *doc_file_read(struct arena *a, const struct source_file *file);
/* The heading a line stands under, or NULL. */
const struct doc_heading *doc_heading_of(const struct doc_file *f, unsigned line);
/* A path as readers know it, the same wherever the description is: its last folder and the name. */
const char *source_path(struct arena *a, const char *path);
/* The name without folders and ending. */
const char *source_stem(struct arena *a, const char *path);
/* The comment at the end of the line, without its slashes; "" where there is none. */
const char *source_remark(struct arena *a, struct src_pos pos);

/* ---- code.c, show.c -------------------------------------------------------------------------- */

/* Names and the addresses they lead to. */
struct doc_links {
    struct name_map names; /* const char *: of definitions, registers, system registers */
    struct name_map maps;  /* const char *: after a % in a string */
    const struct doc_links *outer;
};
/* Writes GenC with its kinds of words marked and its names linked. */
void code_write(struct page *p, const struct doc_links *links, const char *text, size_t length);
/* The same in a block of its own. */
void code_block(struct page *p, const struct doc_links *links, const char *text, size_t length);
/* An expression with no more parentheses than it needs. */
const char *show_expr(struct arena *a, const struct ast_expr *e);
void code_expr(struct page *p, const struct doc_links *links, const struct ast_expr *e);
/* The name of a type of the model. */
const char *show_type(struct arena *a, struct ir_type t);
const char *show_number(struct arena *a, u128 value);

/* ---- bits.c ---------------------------------------------------------------------------------- */

struct bits_cell {    /* neighbours from the most significant bit on */
    const char *name; /* or NULL */
    unsigned lsb, width;
    u128 mask, value; /* those of its bits that are fixed, from bit 0 */
    bool any;         /* bits without a meaning */
};
typedef VEC(struct bits_cell) bits_list;
/* Draws a word; above 32 bits in rows of 32. */
void bits_draw(struct page *p, const bits_list *cells, unsigned width);
/* The cells of a format with what is fixed. */
void bits_of_format(struct arena *a, const struct format *f, u128 mask, u128 value, bits_list *out);

/* ---- an ISA ---------------------------------------------------------------------------------- */

struct doc_isa {
    struct site *site;
    const struct isa *isa;
    const char *folder;     /* of its pages, with the slash */
    const char *arch_index; /* address of the architecture's page */
    struct doc_links links;
    VEC(struct doc_file *)
    groups; /* files that declare instructions, in the order of declaration */
    VEC(struct doc_file *) behaviours; /* files of helpers and the like */
    VEC(struct instr *) ordered;       /* by group, as they stand there */
};

/* ---- groups.c, pages.c: below the pages of an ISA -------------------------------------------- */

/* Fills in groups, order and links of the ISA; its pages may be written then. */
void doc_isa_prepare(struct doc_isa *d);
/* The file of `d->groups` that declares the instruction; NULL before doc_isa_prepare() found it. */
struct doc_file *doc_group_of(const struct doc_isa *d, const struct instr *in);
/* Opens a page of the ISA, or of the architecture, as page_begin() does: with the way to it. */
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
/* The pages of an architecture and its ISAs; returns the address of its own. */
const char *arch_write(struct site *s, const struct model *m);
const char *layouts_write(struct site *s, const struct layouts *l);
const char *gpus_write(struct site *s, const struct gpus *g);
/* NULL after reporting. */
const char *machine_write(struct site *s, const char *path, const char **title);

/* Registers of the architecture, and system registers: pages and links. */
void registers_link(struct site *s, const struct model *m, const char *folder, struct doc_links *l);
void registers_write(struct site *s, const struct model *m, const char *folder,
                     const struct doc_links *links);

#endif
