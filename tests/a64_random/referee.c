#include "tests/a64_random/referee.h"

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

static bool write_all(int fd, const void *buffer, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = write(fd, (const char *)buffer + done, size - done);

        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

static bool read_all(int fd, void *buffer, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = read(fd, (char *)buffer + done, size - done);

        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

bool referee_send(struct referee *r, const struct request *requests, uint32_t count)
{
    return write_all(r->to, &count, sizeof(count)) &&
           write_all(r->to, requests, count * sizeof(*requests));
}

bool referee_receive(struct referee *r, struct reply *replies, uint32_t count)
{
    return read_all(r->from, replies, count * sizeof(*replies));
}

bool referee_run(struct referee *r, const struct request *request, struct reply *reply)
{
    if (referee_send(r, request, 1) && referee_receive(r, reply, 1))
        return true;
    fprintf(stderr, "the referee ended with status %#x\n", (unsigned)referee_stop(r));
    memset(reply, 0, sizeof(*reply));
    referee_start(r, r->command);
    return false;
}
