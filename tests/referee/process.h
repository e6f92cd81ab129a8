/*
 * A referee: a process that answers on its standard output what it is asked on its standard input,
 * on an emulator that nobody here wrote.
 */
#ifndef TESTS_REFEREE_PROCESS_H
#define TESTS_REFEREE_PROCESS_H

#include <stdbool.h>

struct referee {
    char **command; /* borrowed; ends with NULL */
    int pid, to, from;
};

/* Starts the command; false with errno when there can be no process. A command that cannot be
 * executed says so, and ends at once. From here on SIGPIPE is ignored. */
bool referee_start(struct referee *r, char **command);
/* Ends it, and says how it ended: a status as of waitpid(). */
int referee_stop(struct referee *r);

#endif
