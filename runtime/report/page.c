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
static int run(const char *program, const char *folder)
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

void report_make_page(const struct report *r, const char *beside)
{
    const char *slash = beside ? strrchr(beside, '/') : NULL;
    char path[4096] = "gencc-report";
    int status = -1;

    if (slash &&
        snprintf(path, sizeof(path), "%.*s/gencc-report", (int)(slash - beside), beside) <
            (int)sizeof(path) &&
        !access(path, X_OK))
        status = run(path, r->options.folder);
    if (status < 0)
        status = run("gencc-report", r->options.folder);
    if (!status)
        printf("report: %s/index.html\n", r->options.folder);
    else
        printf("report: %s/report.json; `gencc-report %s` makes a page of it\n", r->options.folder,
               r->options.folder);
}
