/*
 * The predictions so far, in a folder. Each worker has a file with lines of one length and appends
 * a whole line per prediction. After a kill at any moment, all lines are whole except perhaps the
 * last, which does not count. Any number of workers may continue.
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

/* Makes the folder, or checks that it belongs to the space with this key. */
bool dse_folder_open(const char *folder, uint64_t key, struct error *err);

/* Opens the worker's own file, which no other process may have open. */
bool dse_journal_open(struct dse_journal *j, const char *folder, unsigned worker, size_t tasks,
                      struct error *err);
bool dse_journal_add(struct dse_journal *j, size_t task, uint64_t ticks, struct error *err);
void dse_journal_close(struct dse_journal *j);

enum { DSE_UNKNOWN = 0 };

/* Reads the files of all workers. ticks[] becomes ticks + 1 per task, or DSE_UNKNOWN. *twice
 * becomes the number of lines for tasks that were known. */
bool dse_folder_read(const char *folder, uint64_t *ticks, size_t tasks, size_t *twice,
                     struct error *err);
/* The approximate number of known predictions, from the files' sizes. */
size_t dse_folder_count(const char *folder);

#endif
