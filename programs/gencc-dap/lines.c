/*
 * Lines of OpenCL C: mali-run makes a report of the snapshot with the source, and gencc-report says
 * which lines stand for which bundles. Both lie beside this program.
 */
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "programs/gencc-dap/dap.h"

extern char **environ;

static void tool_path(char *path, size_t size, const char *name)
{
    ssize_t n = readlink("/proc/self/exe", path, size - 1);
    char *slash;

    path[n > 0 ? n : 0] = '\0';
    slash = strrchr(path, '/');
    if (slash && (size_t)(slash + 1 - path) + strlen(name) < size)
        strcpy(slash + 1, name);
    else
        snprintf(path, size, "%s", name);
}

/* Runs a program with its output in `out`; false: it failed. */
static bool run_tool(const char *const *argv, FILE *out)
{
    posix_spawn_file_actions_t actions;
    int status = -1;
    pid_t child;
    bool good;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0);
    posix_spawn_file_actions_adddup2(&actions, fileno(out), STDOUT_FILENO);
    good = !posix_spawnp(&child, argv[0], &actions, NULL, (char *const *)argv, environ);
    while (good && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    posix_spawn_file_actions_destroy(&actions);
    return good && WIFEXITED(status) && !WEXITSTATUS(status);
}

static void take_line(struct dap *d, const json_t *line, uint64_t shader)
{
    const char *address = dap_text(line, "address");
    int64_t first = dap_number(line, "first", 0), last = dap_number(line, "last", 0);

    if (!address || first < 1 || last < first || last > INT_MAX)
        return;
    vec_push(&d->lines,
             (struct dap_line){strtoull(address, NULL, 16) - shader, (unsigned)first,
                               (unsigned)last, json_is_true(json_object_get(line, "certain"))});
}

/* Takes the lines of the first kernel that has some: a snapshot is of one kernel. */
static void take_lines(struct dap *d, FILE *in)
{
    json_t *kernels = json_loadf(in, 0, NULL), *kernel, *line;
    size_t i, k;

    json_array_foreach(kernels, i, kernel)
    {
        const char *shader = dap_text(kernel, "shader");

        json_array_foreach(json_object_get(kernel, "lines"), k, line)
            take_line(d, line, shader ? strtoull(shader, NULL, 16) : 0);
        if (d->lines.len)
            break;
    }
    json_decref(kernels);
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *walk)
{
    (void)st, (void)type, (void)walk;
    return remove(path);
}

void dap_find_lines(struct dap *d, const char *snapshot, const char *gpu)
{
    char run[PATH_MAX], report[PATH_MAX], folder[] = "/tmp/gencc-dap-XXXXXX";
    const char *named = d->kernel ? "-kernel-name" : NULL;
    FILE *text = tmpfile(), *unused = tmpfile();

    tool_path(run, sizeof(run), "mali-run");
    tool_path(report, sizeof(report), "gencc-report");
    if (text && unused && mkdtemp(folder)) {
        const char *const measure[] = {run,    snapshot,         "-gpu",    gpu,   "-report",
                                       folder, "-report-source", d->source, named, d->kernel,
                                       NULL};
        const char *const list[] = {report, "lines", folder, NULL};

        if (run_tool(measure, unused) && run_tool(list, text)) {
            rewind(text);
            take_lines(d, text);
        }
        nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    }
    if (text)
        fclose(text);
    if (unused)
        fclose(unused);
}

const struct dap_line *dap_line_at(const struct dap *d, uint64_t pc)
{
    uint64_t offset = d->stopped || d->by_line ? pc - gpu_debug_shader(d->debug) : UINT64_MAX;

    vec_for_each (&d->lines, line)
        if (line->offset == offset)
            return line;
    return NULL;
}
