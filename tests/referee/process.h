/*
 * A referee: a process on an independent emulator that answers on its standard output to requests
 * on its standard input.
 */
#ifndef TESTS_REFEREE_PROCESS_H
#define TESTS_REFEREE_PROCESS_H

#include <stdbool.h>

struct referee {
    char **command; /* borrowed; NULL ends it */
    int pid, to, from;
};

/*
 * Starts the command. Returns false with errno if no process can be made. A command that cannot be
 * executed prints a message and ends at once. From here on SIGPIPE is ignored.
 */
bool referee_start(struct referee *r, char **command);
/* Ends the process. Returns its status as from waitpid(). */
int referee_stop(struct referee *r);

#endif
