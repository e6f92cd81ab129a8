/*
 * Chains of snapshots: a snapshot with a parent has only what has changed since the parent.
 *
 * The section "chain" of a file has its identity, and its parent's identity and name. An identity
 * is a hash of what was saved. It stays when a parent is merged into the file.
 */
#ifndef RUNTIME_MACHINE_SNAPSHOT_CHAIN_H
#define RUNTIME_MACHINE_SNAPSHOT_CHAIN_H

#include "runtime/machine/snapshot_file.h"

#define SNAPSHOT_SUFFIX ".gvm"

enum {
    SNAPSHOT_CHAIN = 64,       /* most files of a chain */
    SNAPSHOT_NAME_LENGTH = 64, /* most characters of a snapshot's name */
};

struct snapshot_link {
    uint64_t identity, parent_identity;
    char parent[SNAPSHOT_NAME_LENGTH + 1]; /* empty: there is none */
};

/* Whether it can be a snapshot's name: letters, digits, '-', '_' and '.', not first. */
bool snapshot_name_is_valid(const char *name);
/* The file of a snapshot; false: the name is wrong, or the path too long. */
bool snapshot_path(const char *folder, const char *name, char path[4000], struct error *err);

/* The identity of what the writer has, which it finishes. */
bool snapshot_identify(struct snapshot_writer *w, uint64_t *identity, struct error *err);
/* Adds the section "chain". */
bool snapshot_put_link(struct snapshot_writer *w, const struct snapshot_link *link,
                       struct error *err);
/* Reads it. */
bool snapshot_link_of(const struct snapshot_reader *r, struct snapshot_link *link,
                      struct error *err);

/* A snapshot with its ancestors, opened and checked. */
struct snapshot_chain {
    unsigned count;
    struct snapshot_reader file[SNAPSHOT_CHAIN]; /* the snapshot first */
};
bool snapshot_chain_open(struct snapshot_chain *c, const char *folder, const char *name,
                         struct error *err);
void snapshot_chain_close(struct snapshot_chain *c);
/* The number of files of the chain of a snapshot with this identity; 0: it is not there, or an
 * ancestor is not. Reads the heads of the files only. */
unsigned snapshot_chain_length(const char *folder, const char *name, uint64_t identity);

/* Calls fn for the name of each file of snapshots in the folder, in alphabetical order. */
bool snapshot_for_each(const char *folder, bool (*fn)(void *opaque, const char *name), void *opaque,
                       struct error *err);

/* Merges a snapshot into each that has it as its parent, so that it can be deleted or replaced. */
bool snapshot_release(const char *folder, const char *name, struct error *err);

#endif
