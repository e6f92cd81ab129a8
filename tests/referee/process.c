/* Starts and stops a referee's process, with pipes to its standard input and output. */

#include "tests/referee/process.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

bool referee_start(struct referee *r, char **command)
{
    int to[2], from[2];

    r->command = command;
    signal(SIGPIPE, SIG_IGN);
    if (pipe(to) != 0 || pipe(from) != 0)
        return false;
    r->pid = fork();
    if (r->pid < 0)
        return false;
    if (r->pid == 0) {
        dup2(to[0], STDIN_FILENO);
        dup2(from[1], STDOUT_FILENO);
        close(to[1]);
        close(from[0]);
        execvp(command[0], command);
        fprintf(stderr, "cannot run %s: %s\n", command[0], strerror(errno));
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    r->to = to[1];
    r->from = from[0];
    return true;
}

int referee_stop(struct referee *r)
{
    int status = 0;

    close(r->to);
    close(r->from);
    waitpid(r->pid, &status, 0);
    return status;
}
