/*
 * The descriptions that an editor works on: open buffers, the architectures that files belong to, what the
 * compiler says of them.
 */
#ifndef GENCC_LSP_PROJECT_H
#define GENCC_LSP_PROJECT_H

#include "gencc/front/layout.h"

#include <stdbool.h>

/* A file that is open in the editor. */
struct buffer {
    char *path, *uri, *text;
    size_t length;
    long version;
    bool has_messages; /* some were shown */
    struct buffer *next;
};

/* A message of the compiler, notes with the message they belong to. */
struct message {
    const char *path; /* whole */
    struct src_pos pos;
    int severity; /* as the protocol counts: 1 error, 2 warning, 3 note */
    const char *text;
    VEC(struct message) notes;
};

struct symbols;

/* A description that begins with an architecture file, or a file of layouts or GPUs. */
struct root {
    char *path;
    bool is_layout;
    bool fresh;   /* what follows is of the present texts */
    bool checked; /* … and behaviours were looked at too */
    struct arena arena;
    struct diag diag;
    struct ast_arch *ast;            /* NULL of layouts */
    struct ast_layout_file *layouts; /* NULL of architectures */
    VEC(struct source_file) files;   /* what it reads, by whole paths */
    VEC(struct message) messages;
    struct symbols *symbols; /* of the present texts once asked for, else NULL */
    struct project *project;
    struct root *next;
};

struct project {
    char *folder; /* of the workspace, or NULL */
    struct buffer *buffers;
    struct root *roots;
    bool searched; /* for roots */
};

struct buffer *project_buffer(struct project *p, const char *uri);
/* Opens a buffer or gives it another text, a copy of `text`. NULL without memory or a path. */
struct buffer *project_set(struct project *p, const char *uri, const char *text, size_t length,
                           long version);
void project_close(struct project *p, struct buffer *b);
/* The next root that reads the file, behind `after` (NULL: the first), read anew if it has to be. */
struct root *project_root_of(struct project *p, const char *path, struct root *after);
/* Reads anew what has to be, of all roots: what one has of another stays valid until a buffer changes. */
void project_read_all(struct project *p);
/* Whether a file of layouts is read by another, and not compiled by itself. */
bool root_is_part(const struct root *r);
/* A path without links and `..`, in the root's arena. */
const char *project_path(struct root *r, const char *path);
/* The text of an open buffer, or NULL. */
const char *project_text(const struct root *r, const char *path, size_t *length);
/* Keeps a message of the compiler. */
void project_take_message(struct root *r, const char *kind, struct src_pos pos, const char *text);
/* The text of one of the root's files, by its whole path; NULL if the root does not read that file. */
const struct source_file *root_file(const struct root *r, const char *path);
/* Whether the root is a file of GPUs. */
bool root_has_gpus(const struct root *r);
/* Parses the root's files, unless its trees are of the present texts already. */
void root_read(struct root *r);
/* check.c: builds model and behaviours of a root for their messages, unless that was done for the
 * present texts. This is what takes time. */
void project_check(struct root *r);
void project_free(struct project *p);

#endif
