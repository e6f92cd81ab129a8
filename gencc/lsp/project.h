/*
 * The descriptions of an editor's workspace: open buffers, roots of descriptions, messages of the
 * compiler.
 */
#ifndef GENCC_LSP_PROJECT_H
#define GENCC_LSP_PROJECT_H

#include "gencc/front/layout.h"

#include <stdbool.h>

/* A file that is open in the editor */
struct buffer {
    char *path, *uri, *text;
    size_t length;
    long version;
    bool has_messages; /* messages about it are shown */
    struct buffer *next;
};

/* A message of the compiler, with its notes */
struct message {
    const char *path; /* without links and `..` */
    struct src_pos pos;
    int severity; /* numbers of the protocol: 1 error, 2 warning, 3 note */
    const char *text;
    VEC(struct message) notes;
};

struct symbols;

/* A description: an architecture file with the files that it names, or a file of layouts or GPUs */
struct root {
    char *path;
    bool is_layout;
    bool fresh;   /* the members below match the present texts */
    bool checked; /* behaviours were checked for the present texts as well */
    struct arena arena;
    struct diag diag;
    struct ast_arch *ast;            /* NULL for layouts */
    struct ast_layout_file *layouts; /* NULL for architectures */
    VEC(struct source_file) files;   /* files that it reads, by paths without links and `..` */
    VEC(struct message) messages;
    struct symbols *symbols; /* symbols of the present texts; NULL: not collected yet */
    struct project *project;
    struct root *next;
};

struct project {
    char *folder; /* folder of the workspace, or NULL */
    struct buffer *buffers;
    struct root *roots;
    bool searched; /* roots were searched for */
};

/* The open buffer of that address, or NULL. */
struct buffer *project_buffer(struct project *p, const char *uri);
/* Opens a buffer, or replaces its text by a copy of `text`. Returns NULL if out of memory or if the
 * address is no path. */
struct buffer *project_set(struct project *p, const char *uri, const char *text, size_t length,
                           long version);
/* Closes a buffer and frees it. */
void project_close(struct project *p, struct buffer *b);
/* The next root that reads the file, after `after` (NULL: from the first). It is parsed again if it
 * is stale. */
struct root *project_root_of(struct project *p, const char *path, struct root *after);
/* Parses all stale roots. Their trees stay valid until a buffer changes, so roots may refer to each
 * other's. */
void project_read_all(struct project *p);
/* Whether another root includes the file of layouts, so that it is not compiled by itself. */
bool root_is_part(const struct root *r);
/* A path without links and `..`, in the root's arena. */
const char *project_path(struct root *r, const char *path);
/* The text of the open buffer of that path, or NULL. */
const char *project_text(const struct root *r, const char *path, size_t *length);
/* Adds a message of the compiler to the root. */
void project_take_message(struct root *r, const char *kind, struct src_pos pos, const char *text);
/* The text of one of the root's files, by its path without links; NULL if the root does not read
 * that file. */
const struct source_file *root_file(const struct root *r, const char *path);
/* Whether the root is a file of GPUs. */
bool root_has_gpus(const struct root *r);
/* Parses the root's files, unless its trees match the present texts. */
void root_read(struct root *r);
/* Builds model and behaviours of a root for their messages, unless done for the present texts
 * (check.c). This takes most of the time. */
void project_check(struct root *r);
/* Frees all buffers and roots. */
void project_free(struct project *p);

#endif
