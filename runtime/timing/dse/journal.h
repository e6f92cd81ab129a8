/*
 * What has been predicted, in a folder: of each worker a file of lines of one length, added whole as each is known. A
 * kill at any moment leaves whole lines, and perhaps one that is cut, which does not count. Any number of workers
 * may go on with what others left.
 */
#ifndef RUNTIME_TIMING_DSE_JOURNAL_H
#define RUNTIME_TIMING_DSE_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/error.h"

struct dse_journal {
    int file;
    char *folder;
    size_t tasks;
};

/* Makes the folder, or checks that it is of the space with this key. */
bool dse_folder_open(const char *folder, uint64_t key, struct error *err);

/* The worker's own file, which no other process may have open. */
bool dse_journal_open(struct dse_journal *j, const char *folder, unsigned worker, size_t tasks,
                      struct error *err);
bool dse_journal_add(struct dse_journal *j, size_t task, uint64_t ticks, struct error *err);
void dse_journal_close(struct dse_journal *j);

enum { DSE_UNKNOWN = 0 };

/* Reads the files of all workers: ticks + 1 of each task, or DSE_UNKNOWN. How many lines said what was known. */
bool dse_folder_read(const char *folder, uint64_t *ticks, size_t tasks, size_t *twice,
                     struct error *err);
/* About how many are known: by the files' sizes. */
size_t dse_folder_count(const char *folder);

#endif
