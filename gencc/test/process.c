/*
 * Runs the harness in a process; see process.h. A message is sent by one call, so that one read()
 * of the harness reads it whole.
 */
#include "gencc/test/process.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE_S = 10 };

bool process_start(struct process *p)
{
    struct timeval patience = {.tv_sec = PATIENCE_S};
    char *line = NULL;
    size_t size;
    FILE *o = open_memstream(&line, &size);
    int fds[2];

    if (!o || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0)
        return false;
    fprintf(o, "exec %s '%s'", p->command, p->program);
    fclose(o);
    p->pid = fork();
    if (p->pid == 0) {
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(fds[1], 0);
        dup2(fds[1], 1);
        execl("/bin/sh", "sh", "-c", line, (char *)NULL);
        _exit(127);
    }
    free(line);
    close(fds[1]);
    p->fd = fds[0];
    setsockopt(p->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    setsockopt(p->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    return p->pid > 0;
}

void process_stop(struct process *p)
{
    if (p->pid <= 0)
        return;
    close(p->fd);
    kill(p->pid, SIGKILL);
    waitpid(p->pid, NULL, 0);
    p->pid = 0;
}

bool process_send(struct process *p, const void *bytes, size_t count)
{
    return send(p->fd, bytes, count, MSG_NOSIGNAL) == (ssize_t)count;
}

bool process_receive(struct process *p, void *bytes, size_t count)
{
    return recv(p->fd, bytes, count, MSG_WAITALL) == (ssize_t)count;
}
