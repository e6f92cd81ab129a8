/* Runs gencc-report, which makes a page of the report. */
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/report/internal.h"

extern char **environ;

/* Runs a program; a path without a slash is searched in PATH. Returns its exit status; -1: it could
 * not be run. */
static int run_program(const char *program, const char *folder)
{
    char *words[] = {(char *)(uintptr_t)program, (char *)(uintptr_t)folder, NULL};
    pid_t child;
    int status;

    if (posix_spawnp(&child, program, NULL, NULL, words, environ))
        return -1;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) && WEXITSTATUS(status) != 127 ? WEXITSTATUS(status) : -1;
}

/* The path of a program in the folder of this one. false: there is none. */
static bool find_beside(char *path, size_t size, const char *name)
{
    ssize_t n = readlink("/proc/self/exe", path, size - 1);
    char *slash;

    path[n > 0 ? n : 0] = 0;
    slash = strrchr(path, '/');
    if (!slash || (size_t)(slash + 1 - path) + strlen(name) >= size)
        return false;
    strcpy(slash + 1, name);
    return !access(path, X_OK);
}

void report_make_page(const struct report *r)
{
    char path[4096];
    int status = -1;

    fflush(stdout);
    if (find_beside(path, sizeof(path), "gencc-report"))
        status = run_program(path, r->options.folder);
    if (status < 0)
        status = run_program("gencc-report", r->options.folder);
    if (!status)
        printf("report: %s/index.html\n", r->options.folder);
    else
        printf("report: %s/report.json; `gencc-report %s` makes a page of it\n", r->options.folder,
               r->options.folder);
}
