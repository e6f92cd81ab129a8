/*
 * A process that runs the harness: a simulator, an emulator, or a command that reaches a board.
 */
#ifndef GENCC_TEST_PROCESS_H
#define GENCC_TEST_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct process {
    const char *command; /* of the shell; the harness's path is appended */
    const char *program;
    pid_t pid; /* 0: not running */
    int fd;
};

/* Starts the command. Returns false after reporting. */
bool process_start(struct process *p);
void process_stop(struct process *p);
/* Send and receive one message. Return false if the process has ended or does not answer. */
bool process_send(struct process *p, const void *bytes, size_t count);
bool process_receive(struct process *p, void *bytes, size_t count);

#endif
